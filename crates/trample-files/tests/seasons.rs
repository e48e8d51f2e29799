//! What is wrong with a season is said so that its author can mend it: file and line, field, value, what is allowed.

use trample_files::{Source, gpx, memory};

/// A season of 10 × 10 m with a place on the earth, two gates and a pond.
const SEASON: &str = r#"
name = "park"
[terrain]
size = [10, 10]
cell = 0.05
law = "natural"
[terrain.place]
epsg = 25832
corner = [691000, 5335000]
[[gate]]
name = "north"
place = [2, 2]
[[gate]]
name = "south"
place = [8, 8]
[[obstacle]]
name = "pond"
kind = "water"
disc = { centre = [5, 5], radius = 1 }
[calendar]
start = 2026-04-01
days = 3
"#;

fn problem(more: &str) -> String {
    let source = Source {
        name: "park.toml".into(),
        text: format!("{SEASON}{more}"),
        settings: Vec::new(),
        folder: memory::SCHEME.into(),
    };
    source.scene().err().map_or_else(|| panic!("accepted:\n{more}"), |e| e.to_string())
}

fn says(more: &str, parts: &[&str]) {
    let message = problem(more);
    assert!(
        parts.iter().all(|part| message.contains(part)),
        "{more}\nsays: {message}\nwithout one of: {parts:?}"
    );
}

fn put(name: &str, text: &str) {
    memory::put(std::path::Path::new(&format!("memory:{name}")), text.as_bytes().to_vec())
        .expect("a small file");
}

#[test]
fn a_track_outside_the_terrain_is_refused_with_its_extent() {
    put("far.gpx", &gpx::to_gpx("far", &[[11.0, 48.0], [11.001, 48.0]]));
    says(
        "[[route]]\nname = \"far\"\nroute = \"far.gpx\"\n",
        &["far.gpx", "2 of 2 points lie outside", "691000 to 691010 E", "EPSG:25832"],
    );
    put("text.gpx", "<gpx><trk><trkseg>\n<trkpt lat=\"x\" lon=\"11\"/></trkseg></trk></gpx>");
    says("[[route]]\nroute = \"text.gpx\"\n", &["text.gpx:2", "`lat` is x"]);
    says("[[route]]\nroute = \"none.gpx\"\n", &["none.gpx"]);
}

#[test]
fn counts_with_gaps_or_text_are_refused_with_file_and_line() {
    let route = |file: &str| format!("[[route]]\nwaypoints = [[1, 1], [9, 1]]\nvisits = \"{file}\"\n");
    put("gap.csv", "date,count\n2026-04-01,3\n2026-04-03,4\n");
    says(&route("gap.csv"), &["gap.csv", "no row for 2026-04-02", "1 of the 3 days"]);
    put("text.csv", "date,count\n2026-04-01,3\n2026-04-02,many\n2026-04-03,1\n");
    says(&route("text.csv"), &["text.csv:3", "`many`"]);
    put("negative.csv", "date,count\n2026-04-01,3\n2026-04-02,-2\n2026-04-03,1\n");
    says(&route("negative.csv"), &["negative.csv:3", "`-2`", "0 to"]);
}

#[test]
fn gates_off_the_map_or_under_water_are_refused() {
    says("[[gate]]\nname = \"west\"\nplace = [-1, 5]\n", &["gate[2].place", "off the map", "0 to 10 m"]);
    says("[[gate]]\nname = \"middle\"\nplace = [5, 5.5]\n", &["gate[2].place", "under the water of `pond`"]);
}

#[test]
fn no_days_negative_rates_and_wrong_hours_are_refused() {
    let days = SEASON.replace("days = 3", "days = 0");
    let source =
        Source { name: "park.toml".into(), text: days, settings: Vec::new(), folder: memory::SCHEME.into() };
    let message = source.scene().expect_err("no day").to_string();
    assert!(message.contains("calendar.days") && message.contains("1 to"), "{message}");
    says(
        "[[trip]]\nfrom = \"north\"\nto = \"south\"\npeople_per_day = -4\n",
        &["people_per_day", "-4", "0 to"],
    );
    says("[nature]\nregrowth = -1\n", &["nature.regrowth", "0 to 50"]);
    says("[nature]\nwash = -1e-5\n", &["nature.wash"]);
    says("open = [20, 8]\n", &["calendar.open", "the first before the second"]);
    says("[[trip]]\nfrom = \"north\"\nto = \"nowhere\"\n", &["no such gate", "north, south"]);
}
