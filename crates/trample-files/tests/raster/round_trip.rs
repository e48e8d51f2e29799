//! What is written can be read back, and the same map gives the same bytes.

use super::{Geo, Grid, Limits, awkward_grid, bits, close, read_height_map, smooth_grid};
use proptest::prelude::*;
use std::path::Path;
use tempfile::TempDir;
use trample::{Map, World};
use trample_files::Source;
use trample_files::raster::{
    Export, Extent, FORMATS, MapView, RasterError, write_exr, write_npy, write_png16, write_tif,
};

type Writer = fn(&Path, &MapView<'_>) -> Result<(), RasterError>;
const WRITERS: [(&str, Writer); 4] = [
    ("height.npy", write_npy),
    ("height.exr", write_exr),
    ("height.tif", write_tif),
    ("height.png", write_png16),
];

fn through(name: &str, writer: Writer, grid: &Grid) -> Grid {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    writer(&path, &grid.as_map("height", "m")).unwrap();
    read_height_map(&path, &Limits::default()).unwrap()
}

#[test]
fn npy_exr_and_tif_return_every_bit() {
    for grid in
        [awkward_grid(), smooth_grid(1, 1), smooth_grid(37, 53), smooth_grid(3, 700), smooth_grid(5000, 70)]
    {
        for (name, writer) in &WRITERS[..3] {
            let back = through(name, *writer, &grid);
            assert_eq!((back.width, back.height), (grid.width, grid.height), "{name}");
            assert_eq!(bits(&back.data), bits(&grid.data), "{name}");
            assert_eq!((back.geo, back.spacing, back.raw_integer_range), (None, None, None), "{name}");
        }
    }
}

#[test]
fn png_returns_every_sample_within_half_a_quantum_and_the_cell_size() {
    for spacing in [Some([0.01, 0.01]), Some([0.01, 0.02]), None] {
        let grid = Grid { spacing, ..smooth_grid(40, 30) };
        let back = through("height.png", write_png16, &grid);
        let quantum = (f64::from(grid.data[39]) - f64::from(grid.data[29 * 40])) / 65535.0;
        for (a, b) in grid.data.iter().zip(&back.data) {
            assert!(f64::from((a - b).abs()) <= 0.5 * quantum + 1.0e-6);
        }
        assert_eq!((back.spacing, back.raw_integer_range), (spacing, None));
    }
}

#[test]
fn png_keeps_constant_maps_and_counts_nodata() {
    let mut grid = smooth_grid(3, 3);
    grid.data.fill(2.5);
    grid.data[4] = f32::NAN;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("flat.png");
    write_png16(&path, &grid.as_map("flat \"ground\"", "m")).unwrap();
    let sidecar = std::fs::read_to_string(path.with_extension("json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&sidecar).unwrap();
    assert_eq!((json["min"].as_f64(), json["max"].as_f64()), (Some(2.5), Some(2.5)));
    assert_eq!((json["nodata"].as_u64(), json["width"].as_u64()), (Some(1), Some(3)));
    assert_eq!(json["name"], "flat \"ground\"");
    assert_eq!(json["formula"], "value = min + (max-min) * pixel / 65535");
    assert_eq!(read_height_map(&path, &Limits::default()).unwrap().data, [2.5; 9]);
    grid.data.fill(f32::NAN);
    write_png16(&path, &grid.as_map("void", "m")).unwrap();
    assert_eq!(read_height_map(&path, &Limits::default()).unwrap().data, [0.0; 9]);
}

#[test]
fn tif_returns_the_georeference() {
    let projected =
        Geo { origin: [412_000.25, 5_312_999.75], pixel: [0.5, 0.25], epsg: Some(32632), degrees: false };
    let degrees = Geo { origin: [7.0, 47.0], pixel: [1.0 / 3600.0; 2], epsg: Some(4326), degrees: true };
    let local = Geo { origin: [0.0, 0.0], pixel: [2.0, 2.0], epsg: None, degrees: false };
    for geo in [projected, degrees, local] {
        let back = through("dem.tif", write_tif, &Grid { geo: Some(geo), ..awkward_grid() });
        let found = back.geo.unwrap();
        assert!(close(found.origin, geo.origin), "{found:?}");
        assert_eq!((found.pixel, found.epsg, found.degrees), (geo.pixel, geo.epsg, geo.degrees));
        let spacing = back.spacing.unwrap();
        if geo.degrees {
            assert!((spacing[0] - 21.1).abs() < 0.1 && (spacing[1] - 30.9).abs() < 0.1, "{spacing:?}");
        } else {
            assert_eq!(spacing, geo.pixel);
        }
    }
}

#[test]
fn the_same_map_gives_the_same_bytes_and_leaves_no_temporary_file() {
    let grid = Grid { spacing: Some([0.02, 0.02]), ..smooth_grid(300, 90) };
    for (name, writer) in WRITERS {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join(name);
        let mut files = Vec::new();
        for _ in 0..3 {
            // The second and third time the file exists and is replaced.
            writer(&path, &grid.as_map("height", "m")).unwrap();
            files.push(std::fs::read(&path).unwrap());
        }
        assert!(files[0] == files[1] && files[1] == files[2], "{name}");
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, if name.ends_with("png") { 2 } else { 1 }, "{name}");
    }
}

#[test]
fn a_refused_map_leaves_the_old_file_as_it_was() {
    for (name, writer) in WRITERS {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, "old").unwrap();
        let mut grid = smooth_grid(3, 2);
        grid.data[4] = f32::NEG_INFINITY;
        let text = writer(&path, &grid.as_map("height", "m")).unwrap_err().to_string();
        assert!(text.contains("row 1, column 1 is -inf"), "{text}");
        grid.data.pop();
        let text = writer(&path, &grid.as_map("height", "m")).unwrap_err().to_string();
        assert!(text.contains("5 samples for 3 × 2 cells"), "{text}");
        grid.data.clear();
        grid.width = 0;
        writer(&path, &grid.as_map("height", "m")).unwrap_err();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_folder_that_does_not_exist_is_named() {
    for (name, writer) in WRITERS {
        let path = Path::new("/nonexistent folder").join(name);
        let text = writer(&path, &smooth_grid(2, 2).as_map("height", "m")).unwrap_err().to_string();
        let expected = format!("{}: cannot create a temporary file in its folder: ", path.display());
        assert!(text.starts_with(&expected), "{text}");
    }
}

#[test]
fn exr_layers_are_named_by_the_map_show_as_grey_and_carry_the_unit() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("pressure.exr");
    let grid = Grid { spacing: Some([0.5, 0.25]), ..smooth_grid(2, 2) };
    write_exr(&path, &grid.as_map("pressure", "kPa")).unwrap();
    let meta = exr::meta::MetaData::read_from_file(&path, true).unwrap();
    assert_eq!(meta.headers[0].channels.list[0].name.to_string(), "Y");
    let comments = meta.headers[0].own_attributes.comments.clone().unwrap().to_string();
    assert_eq!(comments, "unit: kPa; cell: 0.5 m x 0.25 m");
    for name in ["", "höhe", "a name that is much too long for EXR"] {
        let text = write_exr(&path, &grid.as_map(name, "m")).unwrap_err().to_string();
        assert!(text.contains("allowed: 1 to 31 ASCII characters"), "{text}");
    }
}

#[test]
fn npy_samples_start_at_a_multiple_of_64_bytes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.npy");
    write_npy(&path, &smooth_grid(2, 3).as_map("a", "")).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len(), 128 + 24);
    assert_eq!(bytes[..10], *b"\x93NUMPY\x01\0\x76\0");
    assert!(bytes[10..].starts_with(b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }  "));
    assert_eq!(bytes[127], b'\n');
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_map_survives_npy_exr_and_tif(
        width in 1_usize..20,
        samples in proptest::collection::vec(any::<f32>(), 1..400),
    ) {
        let width = width.min(samples.len());
        let height = samples.len() / width;
        let data: Vec<f32> = samples[..width * height]
            .iter().map(|&sample| if sample.is_infinite() { f32::NAN } else { sample }).collect();
        let grid = Grid { data, ..smooth_grid(width, height) };
        for (name, writer) in &WRITERS[..3] {
            prop_assert_eq!(bits(&through(name, *writer, &grid).data), bits(&grid.data));
        }
    }
}

/// Maps of a terrain made from a height map, written by [`Extent::geo`] and read back: the map of the terrain, and the extent it was written over.
fn exported_over(keys: &[u16]) -> (Grid, Extent) {
    let folder = TempDir::new().unwrap();
    let dem = super::HandTiff::new([5, 4], 32, 3, &(0..20).map(f64::from).collect::<Vec<_>>())
        .with(33550, 12, &[10.0, 10.0, 0.0])
        .with(33922, 12, &[0.0, 0.0, 0.0, 6_480_000.0, 1_840_000.0, 0.0])
        .keys(keys);
    std::fs::write(folder.path().join("dem.tif"), dem.build()).unwrap();
    let text = "[terrain]\ncell = 0.02\n[terrain.base]\nfile = \"dem.tif\"\n".into();
    let source =
        Source { name: "dem".into(), text, settings: Vec::new(), folder: folder.path().to_path_buf() };
    let world = World::new(&source.scene().unwrap()).unwrap();
    let extent = Extent::whole(&world).resampled(0.1);
    let formats: Vec<_> = FORMATS.into_iter().filter(|(ending, _)| *ending == "tif").collect();
    let export =
        Export { world: &world, maps: &[Map::Height], formats: &formats, png_range: None, layout: None };
    export.write(folder.path(), &extent).unwrap();
    (read_height_map(&folder.path().join("height.tif"), &Limits::default()).unwrap(), extent)
}

#[test]
fn maps_of_a_terrain_in_feet_lie_where_its_height_map_does() {
    let (grid, extent) = exported_over(&[1024, 1, 1025, 1, 3072, 2229, 3076, 9003]);
    let (geo, us_foot) = (grid.geo.unwrap(), 1200.0 / 3937.0);
    assert_eq!(geo.epsg, Some(2229));
    assert!(close(grid.spacing.unwrap(), [extent.spacing; 2]), "{:?} m", grid.spacing);
    // The terrain starts at the first post, 5 ft inside of the corner, and ends at the last one, 40 ft further east and 30 ft further south.
    let first = [geo.origin[0] - 0.5 * geo.pixel[0], geo.origin[1] + 0.5 * geo.pixel[1]];
    assert!(close(first, [6_480_005.0, 1_839_995.0]), "{first:?}");
    let beyond = extent.spacing / us_foot;
    let last = [first[0] + grid.width as f64 * geo.pixel[0], first[1] - grid.height as f64 * geo.pixel[1]];
    assert!((0.0..beyond).contains(&(last[0] - 6_480_045.0)), "{last:?}");
    assert!((0.0..beyond).contains(&(1_839_965.0 - last[1])), "{last:?}");
}

#[test]
fn maps_of_a_terrain_that_lies_nowhere_have_their_cell_size_and_place_in_metres() {
    let (grid, extent) = exported_over(&[]);
    let geo = grid.geo.unwrap();
    assert_eq!((geo.epsg, geo.degrees), (None, false));
    assert!(close(grid.spacing.unwrap(), [0.1; 2]) && close(geo.origin, [0.05, -0.05]), "{geo:?} {extent:?}");
}
