//! ESRI ASCII grids and SRTM tiles.

use super::{Geo, Limits, close, message, read_file, read_height_map};
use tempfile::TempDir;

const HEADER: &str = "ncols 3\nnrows 2\nxllcorner 100\nyllcorner 200\ncellsize 10\n";

fn with_header(heights: &str) -> String {
    format!("{HEADER}{heights}")
}

#[test]
fn asc_rows_come_from_the_north_and_corners_lie_half_a_cell_outside() {
    let grid = read_file("dem.asc", with_header("NODATA_value -1\n1 2 3\n4 -1 6.5\n").as_bytes()).unwrap();
    assert_eq!((grid.width, grid.height), (3, 2));
    assert_eq!(grid.data[..4], [1.0, 2.0, 3.0, 4.0]);
    assert!(grid.data[4].is_nan());
    assert_eq!(grid.data[5], 6.5);
    let geo = Geo { origin: [105.0, 215.0], pixel: [10.0, 10.0], epsg: None, degrees: false };
    assert_eq!((grid.geo, grid.spacing), (Some(geo), Some([10.0, 10.0])));
}

#[test]
fn asc_centres_and_two_cell_sizes_are_understood() {
    let text = "NROWS 2 NCOLS 3\rXLLCENTER 1e2\tYLLCENTER 200 DX 2 DY 4\r\n1 2 3 4 5 6";
    let grid = read_file("dem.asc", text.as_bytes()).unwrap();
    assert_eq!(grid.geo.unwrap().origin, [100.0, 204.0]);
    assert_eq!(grid.spacing, Some([2.0, 4.0]));
    assert_eq!(grid.data, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn asc_takes_any_white_space_line_end_and_byte_order_mark() {
    let plain = read_file("dem.asc", with_header("1 2 3\n4 5 6\n").as_bytes()).unwrap();
    for text in [
        with_header("1 2 3\n4 5 6\n").replace('\n', "\r\n"),
        with_header("1 2 3\n4 5 6\n").replace('\n', "\r"),
        with_header("1\t2\n\n3 4\n  5\n6"),
        format!("\u{feff}{}", with_header("1 2 3\n4 5 6\n")),
        format!("\n\n  {}", with_header("1 2 3 4 5 6")),
    ] {
        assert_eq!(read_file("dem.asc", text.as_bytes()).unwrap(), plain, "{text:?}");
        // The content tells the format, whatever the name says.
        assert_eq!(read_file("dem.txt", text.as_bytes()).unwrap(), plain, "{text:?}");
    }
}

#[test]
fn asc_without_a_nodata_line_uses_the_formats_default() {
    let grid = read_file("dem.asc", with_header("1 2 -9999\n4 nan 6\n").as_bytes()).unwrap();
    assert_eq!(grid.nodata_count(), 2);
}

#[test]
fn asc_without_a_corner_has_spacing_but_no_place() {
    let grid = read_file("dem.asc", b"ncols 1\nnrows 2\ncellsize 0.5\n1 2\n").unwrap();
    assert_eq!((grid.geo, grid.spacing), (None, Some([0.5, 0.5])));
}

#[test]
fn asc_in_degrees_by_its_prj_file_has_spacing_in_metres() {
    let text = "ncols 1\nnrows 1\nxllcenter 7\nyllcenter 0\ncellsize 0.001\n5\n";
    for (prj, degrees) in [
        ("GEOGCS[\"GCS_WGS_1984\",DATUM[\"D_WGS_1984\"]]", true),
        ("Projection    GEOGRAPHIC\nDatum WGS84\n", true),
        ("PROJCS[\"UTM\",GEOGCS[\"GCS_WGS_1984\"]]", false),
        ("Projection UTM\nZone 32\n", false),
        ("", false),
    ] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("dem.asc");
        std::fs::write(&path, text).unwrap();
        std::fs::write(folder.path().join("dem.prj"), prj).unwrap();
        let grid = read_height_map(&path, &Limits::default()).unwrap();
        assert_eq!(grid.geo.unwrap().degrees, degrees, "{prj}");
        let expected = if degrees { [111.320, 110.574] } else { [0.001, 0.001] };
        let spacing = grid.spacing.unwrap();
        assert!(spacing.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.001), "{prj}: {spacing:?}");
    }
}

#[test]
fn asc_errors_name_the_line_the_field_and_what_is_allowed() {
    for (text, expected) in [
        ("ncols 3\nnrows 2\ncellsize -2\n", "dem.asc:3: `cellsize` is -2, allowed: greater than 0; "),
        ("ncols 3\nnrows 2\ncellsize nan\n", "dem.asc:3: `cellsize` is NaN, allowed: greater than 0; "),
        (
            "ncols 0\nnrows 2\ncellsize 1\n",
            "dem.asc:1: `ncols` is 0, allowed: a whole number from 1 to 65536; ",
        ),
        ("ncols 2.5\r\nnrows 2\r\n", "dem.asc:1: `ncols` is 2.5, allowed: a whole number"),
        ("ncols 2\r\nnrows -7\r\n", "dem.asc:2: `nrows` is -7, allowed: a whole number"),
        ("ncols 1e30\nnrows 2\n", "dem.asc:1: `ncols` is 1000000000000000000000000000000, allowed: a whole"),
        ("ncols 3\nnrows 2\ncellsize abc\n", "dem.asc:3: `cellsize` is abc, allowed: a number; "),
        ("ncols 3\nncols 3\n", "dem.asc:2: `ncols` is given twice, allowed: one value; "),
        ("ncols 3\nnrows", "dem.asc:2: `nrows` is missing; write its value after the name"),
        (
            "ncols 3\nnrows 2\ncelsize 1\n",
            "dem.asc:3: `header` is celsize, allowed: ncols, nrows, xllcorner, ",
        ),
        ("nrows 3\ncellsize 1\n1 2 3", "dem.asc: `ncols` is missing; start the file with"),
        ("ncols 3\nnrows 1\n1 2 3", "dem.asc: `cellsize` is missing; add `cellsize`"),
        ("ncols 3\nnrows 1\ndx 1\n1 2 3", "dem.asc: `dy` is missing; give both"),
        ("ncols 1\nnrows 1\ndx 1\ndy 1\ncellsize 1\n7", "dem.asc:5: `cellsize` is 1, allowed: either"),
        ("ncols 1\nnrows 1\ncellsize 1\nxllcorner inf\n7", "dem.asc:4: `xllcorner` is inf, allowed: finite"),
        (
            "ncols 1\nnrows 1\nxllcorner 0\nxllcenter 0\ncellsize 1\n7",
            "dem.asc:4: `xllcenter` is 0, allowed: either",
        ),
        (
            "ncols 2\nnrows 2\ncellsize 1\n1 2\n3 x4",
            "dem.asc:5: `heights` is \"x4\" at row 1, column 1, allowed: numbers",
        ),
        ("ncols 2\nnrows 2\ncellsize 1\n1 2\n3,5 4", "dem.asc:5: `heights` is \"3,5\" at row 1, column 0"),
        (
            "ncols 2\nnrows 2\ncellsize 1\n1 2\n3\n",
            "dem.asc:6: `heights` is 3 values, allowed: 4 values (ncols 2 × nrows 2); ",
        ),
        (
            "ncols 2\nnrows 1\ncellsize 1\n1 2\n3 4",
            "dem.asc:5: `heights` is more than 2 × 1 values, allowed: ncols × nrows",
        ),
        ("ncols 2\nnrows 1\ncellsize 1\n1 -inf", "dem.asc: the sample at row 0, column 1 is -inf, allowed: "),
        ("ncols 2\nnrows 1\ncellsize 1\n1 1e39", "dem.asc: the sample at row 0, column 1 is 1000"),
        (
            "ncols 65536\nnrows 4096\ncellsize 1\n1",
            "dem.asc: the block of heights needs 536870911 bytes but the file has 35",
        ),
        (
            "ncols 65537\nnrows 1\ncellsize 1\n1",
            "dem.asc: the map claims 65537 × 1 samples, allowed: 1 to 65536 per",
        ),
        (
            "ncols 65536\nnrows 65536\ncellsize 1\n1",
            "dem.asc: the map claims 65536 × 65536 samples, allowed: 1 to",
        ),
    ] {
        let found = message("dem.asc", text.as_bytes());
        assert!(found.starts_with(expected), "expected {expected}\n   found {found}");
    }
    let endless = format!("ncols 1\nnrows 1\ncellsize 1\n{}", "9".repeat(1000));
    assert!(message("dem.asc", endless.as_bytes()).contains("words of at most 128 characters"));
}

fn srtm(side: usize) -> Vec<u8> {
    (0..side * side).flat_map(|cell| (cell as i16 - 3).to_be_bytes()).collect()
}

#[test]
fn srtm_tiles_are_big_endian_with_voids_and_lie_where_their_name_says() {
    let mut bytes = srtm(3);
    bytes[8..10].copy_from_slice(&(-32768_i16).to_be_bytes());
    let grid = read_file("N46E007.hgt", &bytes).unwrap();
    assert_eq!((grid.width, grid.height), (3, 3));
    assert_eq!(grid.data[..4], [-3.0, -2.0, -1.0, 0.0]);
    assert!(grid.data[4].is_nan() && grid.nodata_count() == 1);
    let geo = grid.geo.unwrap();
    assert_eq!(geo, Geo { origin: [7.0, 47.0], pixel: [0.5, 0.5], epsg: Some(4326), degrees: true });
    // At 46.5° north a degree is about 76.7 km along the parallel and 111.2 km along the meridian.
    let spacing = grid.spacing.unwrap();
    assert!((spacing[0] - 38_380.0).abs() < 100.0 && (spacing[1] - 55_580.0).abs() < 100.0, "{spacing:?}");
}

#[test]
fn srtm_names_of_all_hemispheres_are_understood_and_others_give_no_place() {
    for (name, origin) in [
        ("s01w180.HGT", Some([-180.0, 0.0])),
        ("S56W072.SRTMGL1.hgt", Some([-72.0, -55.0])),
        ("n00e000.hgt", Some([0.0, 1.0])),
    ] {
        assert_eq!(read_file(name, &srtm(2)).unwrap().geo.map(|geo| geo.origin), origin, "{name}");
    }
    for name in
        ["valley.hgt", "N46.hgt", "N99E007.hgt", "N46E999.hgt", "X46E007.hgt", "N+6E007.hgt", "Né6E007.hgt"]
    {
        let grid = read_file(name, &srtm(2)).unwrap();
        assert_eq!((grid.geo, grid.spacing), (None, None), "{name}");
    }
}

#[test]
fn srtm_of_the_usual_size_is_read() {
    let grid = read_file("N46E007.hgt", &vec![0; 1201 * 1201 * 2]).unwrap();
    assert_eq!((grid.width, grid.height), (1201, 1201));
    assert!(close(grid.geo.unwrap().pixel, [1.0 / 1200.0; 2]));
}

#[test]
fn srtm_of_a_length_that_is_no_square_is_refused_with_the_usual_lengths() {
    for length in [0, 1, 2, 3, 17, 1201 * 1201 * 2 - 1, 1201 * 1201 * 2 + 2] {
        let text = message("N46E007.hgt", &vec![1; length]);
        assert!(
            text.starts_with(&format!("N46E007.hgt: `file length` is {length} bytes, allowed: 2 · n²")),
            "{text}"
        );
    }
}
