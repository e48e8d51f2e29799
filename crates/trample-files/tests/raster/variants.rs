//! NPY and PNG in all the forms other tools write, and how formats are told apart.

use super::{Limits, message, read_file, read_height_map};
use tempfile::TempDir;

pub(crate) fn npy(version: u8, header: &str, samples: &[u8]) -> Vec<u8> {
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([version, 0]);
    match version {
        1 => file.extend((header.len() as u16).to_le_bytes()),
        _ => file.extend((header.len() as u32).to_le_bytes()),
    }
    file.extend(header.as_bytes());
    file.extend(samples);
    file
}

fn npy_of(descr: &str, samples: &[u8]) -> Vec<u8> {
    npy(1, &format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (1, 2), }}\n"), samples)
}

#[test]
fn npy_reads_every_sample_type_in_both_byte_orders() {
    macro_rules! check {
        ($($descr:literal $kind:ty: $a:expr, $b:expr;)*) => {$({
            let (a, b): ($kind, $kind) = ($a, $b);
            let little = [a.to_le_bytes(), b.to_le_bytes()].concat();
            let big = [a.to_be_bytes(), b.to_be_bytes()].concat();
            for (order, bytes) in [("<", little), (">", big)] {
                let grid = read_file("a.npy", &npy_of(&format!("{order}{}", $descr), &bytes)).unwrap();
                assert_eq!(grid.data, [a as f32, b as f32], "{order}{}", $descr);
                assert_eq!((grid.width, grid.height), (2, 1));
            }
        })*};
    }
    check! {
        "f4" f32: 1.5, -3.0e38; "f8" f64: 0.1, -2.5e-7; "i1" i8: -128, 127; "u1" u8: 0, 255;
        "i2" i16: -32768, 1; "u2" u16: 65535, 2; "i4" i32: i32::MIN, 7; "u4" u32: u32::MAX, 7;
        "i8" i64: i64::MIN, 1 << 40; "u8" u64: u64::MAX, 3;
    }
    assert_eq!(read_file("a.npy", &npy_of("|u1", &[3, 200])).unwrap().data, [3.0, 200.0]);
}

#[test]
fn npy_reads_all_versions_fortran_order_and_any_order_of_fields() {
    let samples: Vec<u8> = [1_i16, 2, 3, 4, 5, 6].iter().flat_map(|v| v.to_le_bytes()).collect();
    for version in 1..=3 {
        let c = npy(version, "{\"shape\":(2,3),\"descr\":\"<i2\",\"fortran_order\":False}", &samples);
        assert_eq!(read_file("a.npy", &c).unwrap().data, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let f = npy(version, "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }  \n", &samples);
        let grid = read_file("a.npy", &f).unwrap();
        assert_eq!((grid.width, grid.height), (3, 2));
        assert_eq!(grid.data, [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    }
}

#[test]
fn npy_errors_name_the_field() {
    let with = |descr: &str, shape: &str| {
        message(
            "a.npy",
            &npy(1, &format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"), &[0; 64]),
        )
    };
    for (descr, shape, expected) in [
        ("'<f2'", "(2, 2)", "a.npy: `descr` is <f2, allowed: '<' or '>' with f4, "),
        ("'|f4'", "(2, 2)", "a.npy: `descr` is |f4, allowed: "),
        ("''", "(2, 2)", "a.npy: `descr` is , allowed: "),
        ("[('x', '<f4')]", "(2, 2)", "a.npy: `descr` is [(\\'x\\', \\'<f4\\')], "),
        (
            "'<f4'",
            "(4,)",
            "a.npy: `shape` is (4,), }, allowed: two sides, (rows, columns); save the heights with",
        ),
        ("'<f4'", "(2, 2, 2)", "a.npy: `shape` is (2, 2, 2), }, allowed: two sides"),
        ("'<f4'", "()", "a.npy: `shape` is (), }, allowed: two sides"),
        ("'<f4'", "(-1, 2)", "a.npy: `shape` is (-1, 2), }, allowed: two sides"),
        (
            "'<f4'",
            "(99999999999999999999, 2)",
            "a.npy: `shape` is (99999999999999999999, 2), }, allowed: two",
        ),
        ("'<f4'", "(0, 2)", "a.npy: the map claims 2 × 0 samples, allowed: 1 to 65536 per side"),
        ("'<f4'", "(70000, 2)", "a.npy: the map claims 2 × 70000 samples"),
        ("'<f4'", "(18446744073709551615, 2)", "a.npy: the map claims 2 × 18446744073709551615 samples"),
        (
            "'<f4'",
            "(4096, 65536)",
            "a.npy: the sample block needs 1073741824 bytes but the file has 64 for it",
        ),
    ] {
        let found = with(descr, shape);
        assert!(found.starts_with(expected), "expected {expected}\n   found {found}");
    }
    let text = message("a.npy", &npy(1, "{'descr': '<f4', 'fortran_order': Maybe}", &[]));
    assert!(text.starts_with("a.npy: `fortran_order` is Maybe}, allowed: True or False"), "{text}");
    assert!(message("a.npy", &npy(9, "{}", &[])).starts_with("a.npy: `version` is 9, allowed: 1, 2 or 3; "));
    assert!(message("a.npy", &npy(1, "{}", &[])).starts_with("a.npy: `header` is {}, allowed: a dictionary"));
    let huge = b"\x93NUMPY\x02\0\xff\xff\xff\xff{";
    assert!(
        message("a.npy", huge)
            .starts_with("a.npy: `header length` is 4294967295, allowed: at most 65536 bytes")
    );
}

#[test]
fn truncated_npy_names_the_missing_bytes() {
    let whole = npy_of("<f8", &[0; 16]);
    let text = message("a.npy", &whole[..whole.len() - 5]);
    let expected =
        "a.npy: the sample block needs 16 bytes but the file has 11 for it (5 missing); copy or download";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn infinite_samples_are_refused_with_their_place_and_nan_is_nodata() {
    let samples = [f64::NAN, f64::INFINITY].map(f64::to_le_bytes).concat();
    let text = message("a.npy", &npy_of("<f8", &samples));
    assert!(
        text.starts_with("a.npy: the sample at row 0, column 1 is inf, allowed: at most 3.4e38"),
        "{text}"
    );
    let samples = [f64::NAN, 1.0].map(f64::to_le_bytes).concat();
    assert_eq!(read_file("a.npy", &npy_of("<f8", &samples)).unwrap().nodata_count(), 1);
}

pub(crate) fn png(
    width: u32,
    height: u32,
    color: png::ColorType,
    depth: png::BitDepth,
    raw: &[u8],
) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(raw).unwrap();
    writer.finish().unwrap();
    file
}

const GRAY: png::ColorType = png::ColorType::Grayscale;

#[test]
fn png_without_a_sidecar_keeps_its_integers_and_says_their_range() {
    let grid = read_file("a.png", &png(2, 1, GRAY, png::BitDepth::Sixteen, &[0, 7, 255, 255])).unwrap();
    assert_eq!((grid.data.as_slice(), grid.raw_integer_range), ([7.0, 65535.0].as_slice(), Some(65535.0)));
    let grid = read_file("a.png", &png(2, 2, GRAY, png::BitDepth::Eight, &[0, 7, 9, 255])).unwrap();
    assert_eq!(grid.data, [0.0, 7.0, 9.0, 255.0]);
    assert_eq!((grid.raw_integer_range, grid.spacing), (Some(255.0), None));
}

fn with_sidecar(sidecar: &str) -> Result<super::Grid, String> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.png");
    std::fs::write(&path, png(3, 1, GRAY, png::BitDepth::Eight, &[0, 51, 255])).unwrap();
    std::fs::write(folder.path().join("a.json"), sidecar).unwrap();
    read_height_map(&path, &Limits::default()).map_err(|error| {
        let text = error.to_string();
        text[text.find("a.json").expect("the sidecar is named")..].to_owned()
    })
}

#[test]
fn png_sidecars_scale_the_integers_to_metres() {
    let grid = with_sidecar(r#"{"min": -1, "max": 4, "unit": "m"}"#).unwrap();
    assert_eq!((grid.data.as_slice(), grid.raw_integer_range), ([-1.0, 0.0, 4.0].as_slice(), None));
    let grid = with_sidecar(r#"{"min": 0, "max": 50, "unit": "cm", "cell_m": 0.1}"#).unwrap();
    assert_eq!((grid.data.as_slice(), grid.spacing), ([0.0, 0.1, 0.5].as_slice(), Some([0.1, 0.1])));
}

#[test]
fn png_sidecar_errors_name_the_sidecar_and_the_field() {
    for (sidecar, expected) in [
        ("{", "a.json: `json` is EOF while parsing"),
        ("[]", "a.json: `min` is missing; correct the sidecar"),
        (r#"{"min": 1}"#, "a.json: `max` is missing"),
        (r#"{"min": "x", "max": 1}"#, "a.json: `min` is \"x\", allowed: a finite number"),
        (r#"{"min": 2, "max": 1}"#, "a.json: `min` is 2, allowed: at most `max`, which is 1"),
        (r#"{"min": 0, "max": 1, "unit": "furlong"}"#, "a.json: `unit` is \"furlong\", allowed: \"m\", "),
        (r#"{"min": 0, "max": 1, "width": 4}"#, "a.json: `width` is 4, allowed: 3, that of the PNG"),
        (r#"{"min": 0, "max": 1, "cell_m": 0}"#, "a.json: `cell_m` is 0, allowed: a number greater than 0"),
        (r#"{"min": 0, "max": 1e999}"#, "a.json: `json` is number out of range"),
    ] {
        let found = with_sidecar(sidecar).unwrap_err();
        assert!(found.starts_with(expected), "expected {expected}\n   found {found}");
    }
    assert!(with_sidecar(&" ".repeat(70_000)).unwrap_err().contains("at most 65536 bytes"));
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.png");
    std::fs::write(&path, png(1, 1, GRAY, png::BitDepth::Eight, &[255])).unwrap();
    std::fs::write(folder.path().join("a.json"), r#"{"min": 0, "max": 1e300}"#).unwrap();
    let text = read_height_map(&path, &Limits::default()).unwrap_err().to_string();
    assert!(text.contains("row 0, column 0"), "{text}");
}

#[test]
fn png_in_colour_or_with_few_bits_is_refused_with_advice() {
    let text = message("a.png", &png(1, 1, png::ColorType::Rgb, png::BitDepth::Eight, &[1, 2, 3]));
    assert!(
        text.starts_with("a.png: `colour type` is Rgb, allowed: Grayscale; save the height map as 16-bit"),
        "{text}"
    );
    let text = message("a.png", &png(8, 1, GRAY, png::BitDepth::One, &[0xaa]));
    assert!(text.starts_with("a.png: `bit depth` is 1, allowed: 8 or 16"), "{text}");
}

#[test]
fn content_tells_the_format_before_the_name_does() {
    let file = npy_of("|u1", &[3, 200]);
    for name in ["a.png", "a", "a.hgt", "a.unknown"] {
        assert_eq!(read_file(name, &file).unwrap().data, [3.0, 200.0], "{name}");
    }
    let text = message("a.dat", b"\x00garbage");
    assert!(text.starts_with("a.dat: not a known height map; give a PNG"), "{text}");
    assert!(message("a.dat", b"").starts_with("a.dat: not a known height map"));
}

#[test]
fn folders_and_missing_files_are_named() {
    let folder = TempDir::new().unwrap();
    let text = read_height_map(folder.path(), &Limits::default()).unwrap_err().to_string();
    assert!(text.ends_with("cannot read it as a height map: it is not a regular file"), "{text}");
    let text = read_height_map(&folder.path().join("no.tif"), &Limits::default()).unwrap_err().to_string();
    assert!(text.contains("no.tif: cannot open the file: "), "{text}");
}
