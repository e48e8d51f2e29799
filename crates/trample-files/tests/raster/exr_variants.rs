//! EXR in all the forms other tools write.

use super::{bits, message, read_file, smooth_grid};
use exr::prelude::{
    AnyChannel, AnyChannels, Blocks, Compression, Encoding, FlatSamples, Image, Layer, LayerAttributes,
    LineOrder, Vec2, WritableImage, f16,
};
use std::io::Cursor;

pub(crate) fn exr_file(
    width: usize,
    channels: Vec<(&str, FlatSamples)>,
    compression: Compression,
    blocks: Blocks,
) -> Vec<u8> {
    let height = channels[0].1.len() / width;
    let channels = channels.into_iter().map(|(name, samples)| AnyChannel::new(name, samples)).collect();
    let encoding = Encoding { compression, blocks, line_order: LineOrder::Increasing };
    let layer =
        Layer::new((width, height), LayerAttributes::named("ground"), encoding, AnyChannels::sort(channels));
    let mut file = Cursor::new(Vec::new());
    Image::from_layer(layer).write().non_parallel().to_buffered(&mut file).unwrap();
    file.into_inner()
}

const TILES: Blocks = Blocks::Tiles(Vec2(16, 8));

#[test]
fn exr_reads_lossless_codecs_in_lines_and_tiles() {
    let grid = smooth_grid(45, 37);
    for compression in
        [Compression::Uncompressed, Compression::RLE, Compression::ZIP1, Compression::ZIP16, Compression::PIZ]
    {
        for blocks in [Blocks::ScanLines, TILES] {
            let file = exr_file(45, vec![("Y", FlatSamples::F32(grid.data.clone()))], compression, blocks);
            let back = read_file("a.exr", &file).unwrap();
            assert_eq!(bits(&back.data), bits(&grid.data), "{compression:?} {blocks:?}");
        }
    }
}

#[test]
fn exr_reads_halves_and_integers() {
    let halves = FlatSamples::F16([0.5, -2.0, f32::NAN, 1000.0].map(f16::from_f32).to_vec());
    let grid =
        read_file("a.exr", &exr_file(2, vec![("Z", halves)], Compression::ZIP1, Blocks::ScanLines)).unwrap();
    assert_eq!((grid.data[0], grid.data[1], grid.data[3]), (0.5, -2.0, 1000.0));
    assert!(grid.data[2].is_nan());
    let integers = FlatSamples::U32(vec![0, 1, 70_000, u32::MAX]);
    let file = exr_file(4, vec![("id", integers)], Compression::Uncompressed, Blocks::ScanLines);
    assert_eq!(read_file("a.exr", &file).unwrap().data, [0.0, 1.0, 70_000.0, 4_294_967_296.0]);
}

#[test]
fn exr_codecs_made_for_the_eye_are_refused() {
    for (compression, number) in [(Compression::B44, 6), (Compression::B44A, 7), (Compression::DWAA(None), 8)]
    {
        let samples = FlatSamples::F16(vec![f16::from_f32(1.0); 64]);
        let text = message("a.exr", &exr_file(8, vec![("Y", samples)], compression, Blocks::ScanLines));
        let expected =
            format!("a.exr: `compression` is {number}, allowed: 0 to 5 (none, RLE, ZIPS, ZIP, PIZ, PXR24)");
        assert!(text.starts_with(&expected), "{text}");
    }
}

#[test]
fn exr_takes_the_channel_that_is_named_for_heights() {
    let channel = |value: f32| FlatSamples::F32(vec![value; 4]);
    for (names, best) in [
        (vec!["R", "G", "B"], "R"),
        (vec!["A", "Y"], "Y"),
        (vec!["height", "Y", "Z"], "height"),
        (vec!["X", "terrain.Height"], "terrain.Height"),
        (vec!["moisture", "density"], "density"),
    ] {
        let channels =
            names.iter().map(|&name| (name, channel(if name == best { 7.0 } else { 1.0 }))).collect();
        let file = exr_file(2, channels, Compression::ZIP16, Blocks::ScanLines);
        assert_eq!(read_file("a.exr", &file).unwrap().data, [7.0; 4], "{names:?}");
    }
}

/// Two layers of 3 × 2 samples, the first all 3 and the second all 4.
pub(crate) fn two_layers() -> Vec<u8> {
    let layer = |name: &str, value: f32| {
        let channels =
            AnyChannels::sort([AnyChannel::new("Y", FlatSamples::F32(vec![value; 6]))].into_iter().collect());
        let encoding = Encoding {
            compression: Compression::ZIP1,
            blocks: Blocks::ScanLines,
            line_order: LineOrder::Increasing,
        };
        Layer::new((3, 2), LayerAttributes::named(name), encoding, channels)
    };
    let layers = exr::prelude::Layers::from_iter([layer("ground", 3.0), layer("snow", 4.0)]);
    let image = Image::from_layers(exr::meta::header::ImageAttributes::with_size((3, 2)), layers);
    let mut file = Cursor::new(Vec::new());
    image.write().non_parallel().to_buffered(&mut file).unwrap();
    file.into_inner()
}

#[test]
fn exr_with_several_layers_gives_the_first() {
    assert_eq!(read_file("a.exr", &two_layers()).unwrap().data, [3.0; 6]);
}

#[test]
fn exr_infinities_are_refused_with_their_place() {
    let samples = FlatSamples::F32(vec![0.0, 1.0, 2.0, f32::INFINITY]);
    let text = message("a.exr", &exr_file(2, vec![("Y", samples)], Compression::ZIP16, Blocks::ScanLines));
    assert!(text.starts_with("a.exr: the sample at row 1, column 1 is inf"), "{text}");
}

#[test]
fn exr_comments_are_ascii() {
    let folder = tempfile::TempDir::new().unwrap();
    for (unit, expected) in
        [("kg/m³", "unit: kg/m3"), ("Pa·s", "unit: Pa.s"), ("°", "unit: deg"), ("m", "unit: m")]
    {
        let path = folder.path().join("a.exr");
        let map = trample_files::raster::MapView::new("a", unit, [1, 1], &[1.0]);
        trample_files::raster::write_exr(&path, &map).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let found = bytes.windows(expected.len()).any(|w| w == expected.as_bytes());
        assert!(found && !bytes.windows(2).any(|w| w == b"m\xb3" || w == b"a\xb7"), "{unit}");
    }
}
