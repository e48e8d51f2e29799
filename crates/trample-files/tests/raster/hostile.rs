//! Damaged and malicious files: an error every time, never a panic, never memory for what is not there.

use super::exr_variants::{exr_file, two_layers};
use super::variants::{npy, png};
use super::{Grid, HandTiff, RasterError, message, read_bare, read_file, smooth_grid};
use exr::prelude::{Blocks, Compression, FlatSamples, Vec2};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use tempfile::TempDir;
use trample_files::raster::{write_exr, write_npy, write_png16, write_tif};

const ASC: &[u8] =
    b"ncols 3\nnrows 2\nxllcorner 1\nyllcorner 2\ncellsize 10\nNODATA_value -1\n1 2 3\n4 -1 6.5\n";

/// Valid files to damage, with the name each is read under.
fn seeds(extension: &str) -> Vec<(String, Vec<u8>)> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(format!("seed.{extension}"));
    let grid = smooth_grid(5, 4);
    let map = grid.as_map("height", "m");
    let mut files = Vec::new();
    match extension {
        "npy" => {
            write_npy(&path, &map).unwrap();
            files.push(npy(2, "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2), }", &[0; 8]));
        }
        "png" => {
            write_png16(&path, &map).unwrap();
            files.push(png(3, 2, png::ColorType::Grayscale, png::BitDepth::Eight, &[1, 2, 3, 4, 5, 6]));
        }
        "exr" => {
            write_exr(&path, &map).unwrap();
            files.push(two_layers());
            for compression in [
                Compression::Uncompressed,
                Compression::RLE,
                Compression::ZIP1,
                Compression::PIZ,
                Compression::PXR24,
            ] {
                for blocks in [Blocks::ScanLines, Blocks::Tiles(Vec2(16, 16))] {
                    let samples = smooth_grid(33, 20).data;
                    let halves = samples.iter().map(|&sample| exr::prelude::f16::from_f32(sample)).collect();
                    let channels = vec![("Y", FlatSamples::F32(samples)), ("A", FlatSamples::F16(halves))];
                    files.push(exr_file(33, channels, compression, blocks));
                }
            }
        }
        "tif" => {
            write_tif(&path, &map).unwrap();
            let tile = vec![7.0; 256];
            files.push(HandTiff { tile: Some([16, 16]), ..HandTiff::new([5, 4], 16, 2, &tile) }.build());
            files.push(
                HandTiff { big_endian: true, big_tiff: true, ..HandTiff::new([3, 2], 64, 3, &[1.5; 6]) }
                    .build(),
            );
            for compression in
                [tiff::encoder::Compression::Lzw, tiff::encoder::Compression::Deflate(Default::default())]
            {
                let mut file = std::io::Cursor::new(Vec::new());
                let mut encoder = tiff::encoder::TiffEncoder::new(&mut file)
                    .unwrap()
                    .with_compression(compression)
                    .with_predictor(tiff::tags::Predictor::Horizontal);
                encoder.write_image::<tiff::encoder::colortype::Gray16>(9, 5, &[513; 45]).unwrap();
                files.push(file.into_inner());
            }
        }
        "asc" => files.push(ASC.to_vec()),
        _ => files.push((0..18).collect()),
    }
    if path.exists() {
        files.push(std::fs::read(&path).unwrap());
    }
    files.into_iter().map(|file| (format!("N01E001.{extension}"), file)).collect()
}

const EXTENSIONS: [&str; 6] = ["npy", "png", "exr", "tif", "asc", "hgt"];

#[test]
fn every_truncation_of_every_format_is_an_error_or_a_whole_map() {
    for extension in EXTENSIONS {
        for (name, file) in seeds(extension) {
            let whole = read_bare(&name, &file).unwrap();
            for length in 0..file.len() {
                if let Ok(grid) = read_bare(&name, &file[..length]) {
                    // What may be missing: the last line end, the last digits, padding, or a whole SRTM
                    // square.
                    let harmless = ["asc", "tif", "hgt"].contains(&extension);
                    assert!(harmless, "{name} cut to {length} of {} was accepted", file.len());
                    assert_eq!(grid.data.len(), grid.width * grid.height);
                    assert!(extension == "hgt" || grid.width == whole.width);
                }
            }
        }
    }
}

/// Runs a property with a fixed sequence of random numbers, so that the test is the same every time.
fn repeatably<S: Strategy>(cases: u32, strategy: &S, property: impl Fn(S::Value)) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    runner
        .run(strategy, |value| {
            property(value);
            Ok(())
        })
        .unwrap();
}

/// A map that was accepted is whole and has no infinities, whatever the file was.
fn check(result: Result<Grid, RasterError>) {
    match result {
        Ok(grid) => {
            assert_eq!(grid.data.len(), grid.width * grid.height);
            assert!(grid.data.iter().all(|sample| !sample.is_infinite()));
            assert!(grid.spacing.is_none_or(|spacing| spacing.iter().all(|side| *side > 0.0)));
        }
        Err(error) => assert!(error.to_string().contains("N01E001"), "{error}"),
    }
}

#[test]
fn random_bytes_never_panic() {
    const STARTS: [&[u8]; 9] = [
        b"\x93NUMPY\x01\0",
        b"\x93NUMPY\x03\0",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"\x76\x2f\x31\x01\x02\0\0\0",
        b"II*\0\x08\0\0\0",
        b"MM\0+\0\x08\0\0\0\0\0\0\0\0\0\x10",
        b"ncols 3\nnrows 2\ncellsize ",
        b"",
        b"ncols ",
    ];
    for (start, extension) in
        STARTS.iter().zip(["npy", "npy", "png", "exr", "tif", "tif", "asc", "hgt", "asc"])
    {
        let name = format!("N01E001.{extension}");
        repeatably(300, &proptest::collection::vec(any::<u8>(), 0..200), |bytes| {
            check(read_bare(&name, &[start, bytes.as_slice()].concat()));
        });
    }
}

#[test]
fn damaged_files_never_panic() {
    let damage = (
        any::<prop::sample::Index>(),
        proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any::<bool>()), 1..6),
        any::<Option<prop::sample::Index>>(),
    );
    for extension in EXTENSIONS {
        let seeds = seeds(extension);
        repeatably(400, &damage, |(which, bytes, cut)| {
            let (name, mut file) = seeds[which.index(seeds.len())].clone();
            for (place, value, extreme) in bytes {
                let place = place.index(file.len());
                file[place] = if extreme { 0_u8.wrapping_sub(value & 1) } else { value };
            }
            if let Some(cut) = cut {
                file.truncate(cut.index(file.len()) + 8);
            }
            check(read_bare(&name, &file));
        });
    }
}

#[test]
fn huge_sizes_are_refused_before_memory_is_taken() {
    // PNG: a header of 65536 × 4096 with a valid checksum and nothing behind it.
    let mut huge = png(65536, 1, png::ColorType::Grayscale, png::BitDepth::Sixteen, &vec![0; 131_072]);
    let small = huge.clone();
    huge[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 0, 16, 0]);
    let checksum = crc(&huge[12..29]);
    huge[29..33].copy_from_slice(&checksum.to_be_bytes());
    let text = message("a.png", &huge);
    assert!(text.starts_with("a.png: the compressed sample block needs 383479 bytes but"), "{text}");
    assert_eq!(read_file("a.png", &small).unwrap().width, 65536);

    // EXR: a data window of 65536 × 4096 in a file of a few hundred bytes.
    let exr = exr_file(2, vec![("Y", FlatSamples::F32(vec![0.0; 4]))], Compression::ZIP16, Blocks::ScanLines);
    let at = exr.windows(10).position(|window| window == b"dataWindow").unwrap() + 11 + 6 + 4;
    let window = |right: i32, bottom: i32| {
        let mut file = exr.clone();
        file[at + 8..at + 12].copy_from_slice(&right.to_le_bytes());
        file[at + 12..at + 16].copy_from_slice(&bottom.to_le_bytes());
        message("a.exr", &file)
    };
    assert!(window(65535, 4095).starts_with("a.exr: the compressed sample block needs 766958 bytes but"));
    assert!(window(65535, 65535).starts_with("a.exr: the map claims 65536 × 65536 samples, allowed: "));
    assert!(
        window(-1, 4095)
            .starts_with("a.exr: `dataWindow` is [0, 0, -1, 4095], allowed: two corners in order")
    );
    assert!(window(i32::MAX, 0).starts_with("a.exr: `dataWindow` is [0, 0, 2147483647, 0], allowed: "));

    // TIFF: huge sides, plain and packed, over four bytes of samples.
    let sized = |compression: u16| {
        let mut file = HandTiff::new([2, 2], 8, 1, &[1.0; 4]).build();
        for (tag, value) in [(256_u16, 65535_u16), (257, 4000), (278, 4000), (259, compression)] {
            let entry =
                file.windows(4).position(|entry| entry == [tag.to_le_bytes(), [3, 0]].concat()).unwrap();
            file[entry + 8..entry + 10].copy_from_slice(&value.to_le_bytes());
        }
        message("a.tif", &file)
    };
    assert!(sized(1).starts_with("a.tif: the sample block needs 262140000 bytes but the file has 4 for it"));
    assert!(sized(8).starts_with("a.tif: the compressed sample block needs 187242 bytes but the file has 4"));
}

#[test]
fn a_tif_tag_that_claims_more_values_than_the_file_holds_is_refused() {
    let mut file = HandTiff::new([2, 2], 8, 1, &[1.0; 4]).build();
    let entry = file.windows(4).position(|entry| entry == [273_u16.to_le_bytes(), [4, 0]].concat()).unwrap();
    file[entry + 4..entry + 8].copy_from_slice(&200_000_000_u32.to_le_bytes());
    let text = message("a.tif", &file);
    assert!(text.starts_with("a.tif: a TIFF tag needs 800000000 bytes but the file has "), "{text}");
}

/// The checksum of a PNG chunk.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & 0_u32.wrapping_sub(crc & 1)))
    })
}

#[test]
fn limits_of_the_caller_hold() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.npy");
    write_npy(&path, &smooth_grid(10, 10).as_map("a", "m")).unwrap();
    let read = |max_cells, max_side| super::read_height_map(&path, &super::Limits { max_cells, max_side });
    assert!(read(100, 10).is_ok());
    for (cells, side) in [(99, 10), (100, 9), (0, 0)] {
        let text = read(cells, side).unwrap_err().to_string();
        assert!(text.contains(&format!("1 to {side} per side and at most {cells} in total")), "{text}");
    }
}
