//! An animal's walk: a scene of its own beside the folder of results, run as `trample run` does.

use super::Walk;
use crate::Failure;
use crate::run::Run;
use serde_json::json;
use std::path::Path;
use trample_lab::save;

/// Free ground before the first and behind the last place of the way, m.
const MARGIN: f64 = 2.0;

/// Walks a character that is an animal by the strides of its file.
pub(super) fn walk(options: &Walk, file: &Path) -> Result<bool, Failure> {
    // A scene names files without `..`.
    let file = file.canonicalize()?;
    // A string of JSON is one of TOML.
    let quoted = |text: &str| json!(text).to_string();
    let (Walk { cell, rate, slope, .. }, length) = (options, options.length());
    let mut text = format!(
        "name = {}\nrate = {rate:?}\n\n[terrain]\nmaterial = {}\nsize = [{:?}, 4.0]\ncell = {cell:?}\n",
        quoted(&format!("walk of {}", options.who())),
        quoted(&options.material),
        length + 2.0 * MARGIN,
    );
    if *slope != 0.0 {
        text += &format!("[terrain.base]\nkind = \"slope\"\nangle_deg = {slope:?}\n");
    }
    text += &format!(
        "\n[[walker]]\ncharacter = {}\nwaypoints = [[{MARGIN:?}, 2.0], [{:?}, 2.0]]\n",
        quoted(&file.display().to_string()),
        MARGIN + length
    );
    if !options.speed.is_nan() {
        text += &format!("speed = {:?}\n", options.speed);
    }
    if let Some(take) = &options.take {
        text += &format!("take = {}\n", quoted(take));
    }
    let scene = options.out.with_extension("toml");
    save(&scene, text.as_bytes())?;
    eprintln!("an animal: walked as `trample run {}`", scene.display());
    Run::of(&scene, &options.out, options.gltf.as_deref(), [options.series, options.json, options.yes]).run()
}
