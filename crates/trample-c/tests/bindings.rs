//! The header and the C# file are those of the source. `TRAMPLE_BLESS=1 cargo test -p trample-c --test bindings` writes them anew.

use std::path::{Path, PathBuf};

/// What C sees is in these, in the order of the header.
const SOURCES: [&str; 2] = ["src/types.rs", "src/lib.rs"];

const HEADER: &str = "/* trample for C: feet on natural ground. Generated from the Rust source by crates/trample-c/tests/bindings.rs.
 * MIT OR Apache-2.0.
 *
 * Create a world from a scene in TOML or from the library, set the poses of feet, step the world, and query what changed. Lengths are in
 * metres, y up, axes right-handed; times in seconds, forces in newtons. Strings are UTF-8 and zero-terminated. Use a world from one thread at
 * a time; different worlds may be used from different threads. Functions return errors as documented; trample_last_error gives the reason. */";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn same(path: &Path, text: &str) {
    if std::env::var_os("TRAMPLE_BLESS").is_some() {
        std::fs::write(path, text).expect("written");
    }
    let found = std::fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    let difference = found.lines().zip(text.lines()).position(|(a, b)| a != b);
    assert!(
        found == text,
        "{} differs from line {} on; TRAMPLE_BLESS=1 cargo test -p trample-c --test bindings writes it anew",
        path.display(),
        difference.map_or(found.lines().count().min(text.lines().count()), |n| n + 1)
    );
}

#[test]
fn the_header_is_that_of_the_source() {
    let config = cbindgen::Config {
        language: cbindgen::Language::C,
        include_guard: Some("TRAMPLE_H".into()),
        cpp_compat: true,
        documentation_style: cbindgen::DocumentationStyle::C99,
        header: Some(HEADER.into()),
        usize_is_size_t: true,
        line_length: 140,
        ..cbindgen::Config::default()
    };
    let builder = SOURCES.iter().fold(cbindgen::Builder::new(), |b, file| b.with_src(root().join(file)));
    let made = builder.with_config(config).generate().expect("a header");
    let mut text = Vec::new();
    made.write(&mut text);
    let text = String::from_utf8(text).expect("UTF-8");
    same(&root().join("include/trample.h"), &plain(&text));
}

/// Without the headings of Rust's promises about pointers: elsewhere they are plain sentences.
fn plain(text: &str) -> String {
    text.lines()
        .filter(|line| !line.ends_with("# Safety"))
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

#[test]
fn the_file_for_unity_is_that_of_the_source() {
    let path = std::env::temp_dir().join(format!("trample-{}.cs", std::process::id()));
    let builder =
        SOURCES.iter().fold(csbindgen::Builder::default(), |b, file| b.input_extern_file(root().join(file)));
    builder
        .csharp_dll_name("trample_c")
        .csharp_namespace("Trample")
        .csharp_class_name("Native")
        .csharp_class_accessibility("public")
        .csharp_generate_const_filter(|name| name.starts_with("TRAMPLE_"))
        // The older form of function pointers and strings, which Unity takes.
        .csharp_use_function_pointer(false)
        // `nuint` is of C# 9; Unity before 2021.2 and Mono do not know it.
        .csharp_use_nint_types(false)
        .generate_csharp_file(&path)
        .expect("a C# file");
    let text = std::fs::read_to_string(&path).expect("written").replace("\r\n", "\n");
    let _ = std::fs::remove_file(&path);
    same(&root().join("unity/Trample/Native.cs"), &plain(&text));
}
