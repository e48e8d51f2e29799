//! GeoTIFF in all the forms other tools write.

use super::{Geo, HandTiff, close, message, read_file};
use tiff::encoder::{Compression, DeflateLevel, TiffEncoder, colortype};

#[test]
fn tif_reads_every_sample_type_in_both_byte_orders_and_both_sizes_of_offset() {
    let samples = [1.0, 2.0, 3.0, 100.0, 5.0, 6.0];
    for (bits, format) in [(8, 1), (8, 2), (16, 1), (16, 2), (32, 1), (32, 2), (32, 3), (64, 3)] {
        for (big_endian, big_tiff) in [(false, false), (true, false), (false, true), (true, true)] {
            let file =
                HandTiff { big_endian, big_tiff, ..HandTiff::new([3, 2], bits, format, &samples) }.build();
            let grid = read_file("a.tif", &file).unwrap();
            assert_eq!(
                grid.data,
                samples.map(|sample| sample as f32),
                "{bits} {format} {big_endian} {big_tiff}"
            );
            assert_eq!((grid.width, grid.height, grid.geo, grid.spacing), (3, 2, None, None));
        }
    }
    let file = HandTiff::new([2, 1], 16, 2, &[-5.0, 7.0]).build();
    assert_eq!(read_file("a.tif", &file).unwrap().data, [-5.0, 7.0]);
}

#[test]
fn tif_reads_strips_and_tiles_that_do_not_divide_the_map() {
    let strips = HandTiff {
        chunks: vec![vec![1.0, 2.0], vec![3.0, 4.0], vec![5.0, 6.0]],
        ..HandTiff::new([2, 3], 32, 3, &[])
    };
    assert_eq!(read_file("a.tif", &strips.build()).unwrap().data, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    // A map of 20 × 18 in tiles of 16 × 16: two across, two down, padded with 99.
    let value = |x: usize, y: usize| if x < 20 && y < 18 { (y * 20 + x) as f64 } else { 99.0 };
    let tile = |tx: usize, ty: usize| {
        (0..256).map(|cell| value(tx * 16 + cell % 16, ty * 16 + cell / 16)).collect::<Vec<f64>>()
    };
    let tiles = HandTiff {
        chunks: vec![tile(0, 0), tile(1, 0), tile(0, 1), tile(1, 1)],
        tile: Some([16, 16]),
        ..HandTiff::new([20, 18], 16, 1, &[])
    };
    let grid = read_file("a.tif", &tiles.build()).unwrap();
    assert_eq!(grid.data, (0..360).map(|cell| cell as f32).collect::<Vec<f32>>());
}

#[test]
fn tif_reads_deflate_lzw_and_packbits() {
    let data: Vec<f32> = (0..2000).map(|cell| (cell / 7) as f32 * 0.5).collect();
    for compression in [Compression::Deflate(DeflateLevel::Balanced), Compression::Lzw, Compression::Packbits]
    {
        let mut file = std::io::Cursor::new(Vec::new());
        let mut encoder = TiffEncoder::new(&mut file).unwrap().with_compression(compression);
        encoder.write_image::<colortype::Gray32Float>(50, 40, &data).unwrap();
        assert_eq!(read_file("a.tif", &file.into_inner()).unwrap().data, data);
    }
}

const SCALE: [f64; 3] = [2.0, 4.0, 0.0];
const TIE: [f64; 6] = [0.0, 0.0, 0.0, 500.0, 900.0, 0.0];

fn geo_of(file: HandTiff) -> (Geo, [f64; 2], Vec<f32>) {
    let grid = read_file("a.tif", &file.build()).unwrap();
    (grid.geo.unwrap(), grid.spacing.unwrap(), grid.data)
}

fn base() -> HandTiff {
    HandTiff::new([2, 2], 8, 1, &[1.0, 2.0, 3.0, 4.0])
}

#[test]
fn tif_origin_is_the_centre_of_the_first_sample_for_areas_and_points() {
    let tied = || base().with(33550, 12, &SCALE).with(33922, 12, &TIE);
    let (geo, spacing, _) = geo_of(tied().keys(&[1024, 1, 1025, 1, 3072, 32633]));
    assert_eq!(geo, Geo { origin: [501.0, 898.0], pixel: [2.0, 4.0], epsg: Some(32633), degrees: false });
    assert_eq!(spacing, [2.0, 4.0]);
    let (geo, _, _) = geo_of(tied().keys(&[1024, 1, 1025, 2, 3072, 32633]));
    assert_eq!(geo.origin, [500.0, 900.0]);
    // Without keys the format's default is PixelIsArea and no CRS.
    let (geo, _, _) = geo_of(tied());
    assert_eq!(geo, Geo { origin: [501.0, 898.0], pixel: [2.0, 4.0], epsg: None, degrees: false });
    // A tiepoint may sit at any sample.
    let moved = [10.0, 20.0, 0.0, 500.0, 900.0, 0.0];
    let (geo, _, _) = geo_of(base().with(33550, 12, &SCALE).with(33922, 12, &moved));
    assert_eq!(geo.origin, [500.0 - 20.0 + 1.0, 900.0 + 80.0 - 2.0]);
}

#[test]
fn tif_in_degrees_has_spacing_in_metres() {
    let scale = [1.0 / 3600.0, 1.0 / 3600.0, 0.0];
    let tie = [0.0, 0.0, 0.0, 7.0, 0.0, 0.0];
    let file = base().with(33550, 12, &scale).with(33922, 12, &tie).keys(&[1024, 2, 1025, 2, 2048, 4326]);
    let (geo, spacing, _) = geo_of(file);
    assert_eq!((geo.epsg, geo.degrees, geo.origin), (Some(4326), true, [7.0, 0.0]));
    assert!((spacing[0] - 30.922).abs() < 0.001 && (spacing[1] - 30.715).abs() < 0.001, "{spacing:?}");
    let pole = [0.0, 0.0, 0.0, 7.0, 100.0, 0.0];
    let file = base().with(33550, 12, &scale).with(33922, 12, &pole).keys(&[1024, 2, 2048, 4326]);
    assert_eq!(read_file("a.tif", &file.build()).unwrap().spacing, None);
    // Without a model type the kind of CRS code decides.
    let file = base().with(33550, 12, &scale).with(33922, 12, &tie).keys(&[2048, 4258]);
    assert!(geo_of(file).0.degrees);
}

#[test]
fn tif_in_feet_becomes_metres() {
    let file = base()
        .with(33550, 12, &SCALE)
        .with(33922, 12, &TIE)
        .keys(&[1024, 1, 3072, 2263, 3076, 9003, 4099, 9002]);
    let (geo, spacing, data) = geo_of(file);
    assert_eq!(geo.pixel, [2.0, 4.0]);
    assert!(close(spacing, [2400.0 / 3937.0, 4800.0 / 3937.0]));
    assert_eq!(data, [0.3048, 0.6096, 0.9144, 1.2192]);
    let text = message("a.tif", &base().keys(&[4099, 9999]).build());
    assert!(text.starts_with("a.tif: `VerticalUnits` is 9999, allowed: 9001 (metre)"), "{text}");
}

#[test]
fn a_code_in_feet_says_so_by_itself_and_a_file_in_another_unit_does_not_lie_in_it() {
    let us_foot = 1200.0 / 3937.0;
    let of = |keys: &[u16]| geo_of(base().with(33550, 12, &SCALE).with(33922, 12, &TIE).keys(keys));
    for keys in [&[1024, 1, 3072, 2229][..], &[1024, 1, 3072, 2229, 3076, 9003]] {
        let (geo, spacing, _) = of(keys);
        assert_eq!((geo.epsg, geo.pixel), (Some(2229), [2.0, 4.0]));
        assert!(close(spacing, [2.0 * us_foot, 4.0 * us_foot]), "{spacing:?}");
    }
    let (geo, spacing, _) = of(&[1024, 1, 3072, 2229, 3076, 9001]);
    assert_eq!((geo.epsg, spacing), (None, [2.0, 4.0]));
    let told = |keys: &[u16], placed: bool| {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("a.tif");
        let file = base().with(33550, 12, &SCALE).with(33922, 12, &TIE).keys(keys);
        std::fs::write(&path, file.build()).unwrap();
        trample_files::raster::doubts(&path, placed).concat()
    };
    assert!(told(&[1024, 1, 3072, 2229, 3076, 9001], false).contains("names EPSG:2229"));
    assert!(told(&[1024, 2, 2048, 4326], false).contains("in degrees (EPSG:4326)"));
    for (keys, placed) in [(&[1024, 1, 3072, 2229][..], false), (&[1024, 2, 2048, 4326], true), (&[], false)]
    {
        assert_eq!(told(keys, placed), "", "{keys:?}");
    }
}

fn matrix(a: f64, b: f64, e: f64, f: f64) -> HandTiff {
    let matrix = [a, b, 0.0, 500.0, e, f, 0.0, 900.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    base().with(34264, 12, &matrix)
}

#[test]
fn tif_transformations_without_rotation_are_understood_and_others_refused() {
    let (geo, _, data) = geo_of(matrix(2.0, 0.0, 0.0, -4.0));
    assert_eq!((geo.origin, geo.pixel), ([501.0, 898.0], [2.0, 4.0]));
    assert_eq!(data, [1.0, 2.0, 3.0, 4.0]);
    let text = message("a.tif", &matrix(2.0, 0.5, 0.0, -4.0).build());
    assert!(
        text.starts_with("a.tif: `ModelTransformation` is rotated (terms 0.5 and 0), allowed: no rotation"),
        "{text}"
    );
    for step in [-2.0, 0.0, f64::NAN, f64::INFINITY] {
        assert!(
            message("a.tif", &matrix(step, 0.0, 0.0, -4.0).build()).contains("`ModelTransformation` is"),
            "{step}"
        );
    }
}

#[test]
fn tif_stored_from_the_south_is_turned_over() {
    let (geo, _, data) = geo_of(matrix(2.0, 0.0, 0.0, 4.0));
    assert_eq!((geo.origin, geo.pixel), ([501.0, 906.0], [2.0, 4.0]));
    assert_eq!(data, [3.0, 4.0, 1.0, 2.0]);
}

#[test]
fn tif_nodata_becomes_nan() {
    let string = |text: &str| text.bytes().map(f64::from).chain([0.0]).collect::<Vec<f64>>();
    let file = base().with(42113, 2, &string(" 3 ")).build();
    let data = read_file("a.tif", &file).unwrap().data;
    assert!(data[2].is_nan() && data[3] == 4.0);
    // The lowest 32-bit number is often printed with few digits; infinity may mark no-data too.
    let lowest = f64::from(f32::MIN);
    for (value, text) in [
        (lowest, "-3.4028234663852886e+38"),
        (lowest, "-3.40282347e+38"),
        (f64::INFINITY, "inf"),
        (f64::NAN, "nan"),
    ] {
        let file = HandTiff::new([2, 1], 32, 3, &[value, 1.0]).with(42113, 2, &string(text)).build();
        let data = read_file("a.tif", &file).unwrap().data;
        assert!(data[0].is_nan() && data[1] == 1.0, "{text}");
    }
    let text = message("a.tif", &base().with(42113, 2, &string("none")).build());
    assert!(text.starts_with("a.tif: `GDAL_NODATA` is \"none\", allowed: a number"), "{text}");
}

#[test]
fn tif_that_is_no_height_map_is_refused_with_advice() {
    let two = |tag: u16, value: f64| {
        // The hand-made directory holds the tag once already; the first of two equal tags counts, so replace
        // it.
        let mut file = base().build();
        let entry = file.windows(4).position(|entry| entry == [tag.to_le_bytes(), [3, 0]].concat()).unwrap();
        file[entry + 8..entry + 10].copy_from_slice(&(value as u16).to_le_bytes());
        message("a.tif", &file)
    };
    for (tag, value, expected) in [
        (
            277,
            3.0,
            "a.tif: `SamplesPerPixel` is 3, allowed: 1, a single band of heights; convert it with: gdal_translate",
        ),
        (262, 2.0, "a.tif: `PhotometricInterpretation` is 2, allowed: 1 (BlackIsZero)"),
        (258, 12.0, "a.tif: `BitsPerSample` is 12, allowed: 8, 16, 32 or 64"),
        (259, 7.0, "a.tif: `Compression` is 7, allowed: 1 (none), 5 (LZW)"),
        (256, 0.0, "a.tif: the map claims 0 × 2 samples"),
        (278, 0.0, "a.tif: `RowsPerStrip` is 0, allowed: 1 to 2"),
    ] {
        let found = two(tag, value);
        assert!(found.starts_with(expected), "expected {expected}\n   found {found}");
    }
    let text = message("a.tif", &HandTiff::new([2, 1], 32, 3, &[1.0, f64::INFINITY]).build());
    assert!(text.starts_with("a.tif: the sample at row 0, column 1 is inf"), "{text}");
    let text = message("a.tif", &HandTiff::new([2, 1], 64, 3, &[1.0, 1.0e300]).build());
    assert!(text.starts_with("a.tif: the sample at row 0, column 1 is 1000"), "{text}");
}
