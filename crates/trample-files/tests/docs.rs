//! `docs/formats.md` says what the tables in the code say; parts of it are made from them.
//! `TRAMPLE_BLESS=1 cargo test -p trample-files --test docs` writes these parts anew.

use std::path::PathBuf;
use trample::params::{Body, Field, Footwear, Law, Material, Species, material, species};
use trample::scene::MOST_CELLS;
use trample::scene::{
    Calendar, Choice, Fall, Gate, Nature, Path, Placement, PlantKind, PlantPatch, Press, PuppetSpec, Scene,
    Terrain, TrailRoute, Visitors, Walk, WalkerSpec,
};
use trample::{Base, Map};
use trample::{MapRow, Span};

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats.md")
}

fn document() -> String {
    let text = std::fs::read_to_string(path()).unwrap_or_else(|e| panic!("{}: {e}", path().display()));
    // A checkout may have changed the ends of lines.
    text.replace("\r\n", "\n")
}

/// Compares the part of the document between `<!-- generated: NAME -->` and the next end mark with `text`, or writes it anew.
fn generated(name: &str, text: &str) {
    // Two tests must not write the file at once.
    static WRITING: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _guard = WRITING.lock();
    let (document, mark) = (document(), format!("<!-- generated: {name} -->\n"));
    let (before, rest) = document.split_once(&mark).unwrap_or_else(|| panic!("no part {name}"));
    let (found, after) = rest.split_once("<!-- end of generated -->").expect("the part ends");
    if std::env::var_os("TRAMPLE_BLESS").is_some() {
        let whole = format!("{before}{mark}{text}<!-- end of generated -->{after}");
        std::fs::write(path(), whole).expect("written");
    } else {
        let how = "run `TRAMPLE_BLESS=1 cargo test -p trample-files --test docs` to write it anew";
        assert_eq!(found, text, "{name} differs; {how}");
    }
}

#[test]
fn the_maps_are_those_of_the_table() {
    let mut text =
        "| Map | Unit | Shown | Symbol | Colours | Holds |\n|---|---|---|---|---|---|\n".to_string();
    for map in Map::ALL {
        let MapRow { name, unit, display: (display, _), symbol, ramp, span, caption, .. } = map.row();
        let span = match span {
            Span::Fixed([low, high]) => format!("{low} to {high}"),
            Span::FromZero(_) => "0 to the largest".into(),
            Span::Whole(_) => "smallest to largest".into(),
            Span::Symmetric(_) => "as far below 0 as above".into(),
            Span::Materials => "one of each material".into(),
            Span::Kinds(_) => "one of each kind".into(),
        };
        let ramp = if span.starts_with("one") { String::new() } else { format!("{ramp:?}, ").to_lowercase() };
        text += &format!("| `{name}` | {unit} | {display} | `{symbol}` | {ramp}{span} | {caption} |\n");
    }
    generated("maps", &text);
}

/// The rows of a table of parameters, with the value of each where a scene does not say.
fn rows<T: 'static>(
    fields: impl IntoIterator<Item = &'static Field<T>>,
    usual: impl Fn(&Field<T>) -> String,
) -> String {
    let row = |field: &Field<T>| {
        let r = field.range;
        let source = if r.source.is_empty() { String::new() } else { format!(" ({})", r.source) };
        let unit = if r.unit.is_empty() { String::new() } else { format!(" {}", r.unit) };
        format!("| `{}` |{unit} | {} | {} | {}{source} |\n", r.name, usual(field), r.allowed(), r.what)
    };
    fields.into_iter().map(row).collect()
}

/// The same for a struct with usual values.
fn usual<T>(fields: &'static [Field<T>], of: &T) -> String {
    let shown =
        |field: &Field<T>, x: f64| if field.range.switch { (x != 0.0).to_string() } else { x.to_string() };
    rows(fields, |field| field.get(of).map_or(String::new(), |x| shown(field, x)))
}

/// The tables of numbers in the document, by the name of their place.
fn tables() -> Vec<(&'static str, String)> {
    let terrain = Terrain::default();
    let side = Terrain::SIDE;
    let size = format!(
        "| `{}` | {} | `{:?}`, or that of the height map | {} each, up to {MOST_CELLS} cells | {} |\n",
        side.name,
        side.unit,
        terrain.size,
        side.allowed(),
        side.what
    );
    let own = |kind: &str| match kind {
        "slope" => Base::Slope { angle: 10f64.to_radians(), direction: 0.0 },
        "hills" => Base::Hills { amplitude: 0.5, wavelength: 6.0, seed: 1 },
        _ => Base::Dune { height: 3.0, crest: 3.0, windward: 20f64.to_radians(), lee: 31f64.to_radians() },
    };
    let base = |kind: &str| {
        let base = own(kind);
        let value = |f: &Field<Base>| match f.range.name {
            "crest" => "the middle".into(),
            _ => f.get(&base).map_or(String::new(), |x| x.to_string()),
        };
        let fields = Base::FIELDS.iter().filter(|f| f.get(&base).is_some());
        rows(fields, value)
    };
    let displaced =
        PlantPatch { kind: PlantKind::Displaced { most: 0.1, fade: 0.5 }, ..PlantPatch::default() };
    vec![
        ("scene", usual(Scene::FIELDS, &Scene::default())),
        ("terrain", size + &usual(Terrain::FIELDS, &terrain)),
        ("slope", base("slope")),
        ("hills", base("hills")),
        ("dune", base("dune")),
        ("material", rows(Material::FIELDS, |_| "the preset's".into())),
        ("puppet", usual(Body::ANYTHING, &PuppetSpec::default().body)),
        ("path", usual(Path::FIELDS, &Path::default())),
        ("walk", usual(Walk::FIELDS, &Walk::default())),
        ("drop", usual(Fall::FIELDS, &Fall::default())),
        ("press", usual(Press::FIELDS, &Press::default())),
        ("walker", rows(Body::FIELDS, |_| "the body's".into())),
        (
            "heading",
            rows(WalkerSpec::FIELDS, |f| match f.range.name {
                "heading_deg" => "along the route".into(),
                _ => f.get(&WalkerSpec::on(Path::default())).map_or(String::new(), |x| x.to_string()),
            }),
        ),
        ("plants", usual(PlantPatch::FIELDS, &displaced)),
        ("species", rows(Species::FIELDS, |_| "the species'".into())),
        ("gate", usual(Gate::FIELDS, &Gate { name: String::new(), place: [0.0; 2], radius: 1.0 })),
        ("visitors", usual(Visitors::FIELDS, &Visitors::default())),
        ("route", rows(TrailRoute::FIELDS, |_| "0.2".into())),
        ("calendar", usual(Calendar::FIELDS, &Calendar::default())),
        ("choice", usual(Choice::FIELDS, &Choice::default())),
        ("nature", usual(Nature::FIELDS, &Nature::default())),
    ]
}

#[test]
fn the_numbers_are_those_of_the_tables() {
    for (place, rows) in tables() {
        let head = "| Key | Unit | Default | Allowed | Meaning |\n|---|---|---|---|---|\n";
        generated(place, &format!("\n{head}{rows}\n"));
    }
}

#[test]
fn every_word_that_can_be_chosen_stands_in_the_document() {
    let text = document();
    let words = Law::ALL.map(Law::name).into_iter().chain(Footwear::ALL.map(Footwear::name));
    let words = words.chain(species::PRESETS.map(|preset| preset.name));
    let words = words.chain(Placement::ALL.map(|p| p.0)).chain(species::Shape::ALL.map(|s| s.0));
    for word in words {
        assert!(text.contains(&format!("`\"{word}\"`")), "{word} is missing");
    }
    for preset in material::PRESETS {
        assert!(text.contains(&format!("`{}`", preset.name)), "{} is missing", preset.name);
    }
}

/// A key that is not known gets a message with all that are; each of them must be in the document.
#[test]
fn every_key_that_is_read_stands_in_the_document() {
    let text = document();
    let kinds = ["flat", "slope", "hills", "dune", "raster"]
        .map(|k| format!("[terrain.base]\nkind = {k:?}\nqqq = 1"));
    let motions = ["walk", "drop", "press", "host"].map(|m| format!("[[puppet]]\nmotion = {m:?}\nqqq = 1"));
    let others = [
        "qqq = 1",
        "[terrain]\nqqq = 1",
        "terrain.place.qqq = 1",
        "[[material]]\nqqq = 1",
        "[[paint]]\nqqq = 1",
        "[[paint]]\nmaterial = \"mud\"\ndisc = { qqq = 1 }",
        "[[puppet]]\nsole = { qqq = 1 }",
        "[[walker]]\nqqq = 1",
        "[[plants]]\nmethod = \"displaced\"\nqqq = 1",
        "[[gate]]\nplace = [1, 1]\nqqq = 1",
        "[[gate]]\nname = \"a\"\nplace = [1, 1]\n[[gate]]\nname = \"b\"\nplace = [2, 1]\n[[trip]]\nfrom = \"a\"\nto = \"b\"\nqqq = 1",
        "[[route]]\nwaypoints = [[1, 1], [2, 1]]\nqqq = 1",
        "[[obstacle]]\npolygon = [[1, 1], [2, 1], [1, 2]]\nqqq = 1",
        "[calendar]\nqqq = 1",
        "[choice]\nqqq = 1",
        "[nature]\nqqq = 1",
    ];
    for scene in kinds.iter().chain(&motions).map(String::as_str).chain(others) {
        let source = trample_files::Source {
            name: "test.toml".into(),
            text: scene.into(),
            settings: Vec::new(),
            folder: PathBuf::new(),
        };
        let message = source.scene().expect_err("an unknown key").to_string();
        let (_, keys) = message.split_once("Allowed here: ").unwrap_or_else(|| panic!("{message}"));
        for key in keys.split(", ") {
            let forms = [format!("`{key}`"), format!("`{key} = "), format!("{key}]"), format!(" {key} = ")];
            assert!(forms.iter().any(|form| text.contains(form)), "`{key}` is missing ({scene:?})");
        }
    }
}

/// What `[…](…)` points at in a page, outside of blocks of code.
fn links(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.split("](").skip(1)).filter_map(|rest| Some(rest.split_once(')')?.0)).collect()
}

/// The anchors of a page, as mdBook and GitHub make them of its headings.
fn anchors(text: &str) -> Vec<String> {
    let prose = text.split("```").step_by(2).flat_map(str::lines);
    let heading = prose
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')));
    let plain = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading
        .map(|h| h.to_lowercase().chars().filter(plain).collect::<String>().trim().replace(' ', "-"))
        .collect()
}

#[test]
fn every_link_leads_somewhere_and_every_page_is_in_the_summary() {
    let docs = path().parent().expect("a folder").to_path_buf();
    let root = docs.join("..");
    let mut pages: Vec<PathBuf> =
        std::fs::read_dir(&docs).expect("docs").map(|e| e.expect("an entry").path()).collect();
    pages.retain(|page| page.extension().is_some_and(|e| e == "md"));
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).expect("SUMMARY.md");
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for page in
        pages.iter().chain(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|n| root.join(n)).iter())
    {
        let text = std::fs::read_to_string(page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
        let (folder, name) =
            (page.parent().expect("a folder"), page.file_name().expect("a name").to_string_lossy());
        let on_site = folder == docs;
        if on_site && name != "SUMMARY.md" && !links(&summary).contains(&&*name) {
            wrong.push(format!("{name} is not in SUMMARY.md"));
        }
        for link in links(&text).into_iter().filter(|l| !l.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let to = if file.is_empty() { page.clone() } else { folder.join(file) };
            seen += 1;
            // The site holds docs/ and nothing else.
            if !to.is_file() || on_site && file.starts_with("..") {
                wrong.push(format!("{name}: no {link}"));
            } else if !anchor.is_empty()
                && !anchors(&std::fs::read_to_string(&to).expect("text")).iter().any(|a| a == anchor)
            {
                wrong.push(format!("{name}: no heading for {link}"));
            }
        }
    }
    assert!(wrong.is_empty() && seen > 50, "{seen} links: {wrong:#?}");
}
