//! The browser: scene and parameters from the page's address, the status on the page.

use crate::app::{self, Setup};
use crate::camera::View;
use crate::link;
use crate::options::{self, Overlays, Quality};
use crate::start;
use std::path::PathBuf;
use trample::Map;
use wasm_bindgen::JsValue;

/// Puts the status on the page as `window.trample`.
pub fn publish(text: &str) {
    let (Some(window), Ok(value)) = (web_sys::window(), js_sys::JSON::parse(text)) else { return };
    let _ = js_sys::Reflect::set(&window, &JsValue::from_str("trample"), &value);
}

/// Tells the page that it cannot go on, and why, where a person sees it.
fn complain(problem: &str) {
    let Some(window) = web_sys::window() else { return };
    let told =
        js_sys::Reflect::get(&window, &JsValue::from_str("trampleProblem")).map(js_sys::Function::from);
    let _ = told.and_then(|tell| tell.call1(&JsValue::NULL, &JsValue::from_str(problem)));
}

/// Reads the address and runs.
pub fn main() {
    let query = web_sys::window().and_then(|w| w.location().search().ok()).unwrap_or_default();
    let link = link::parse(&query);
    let option = |key: &str| link.options.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str());
    let name = link.scene.as_deref().unwrap_or(start::NAME);
    let found = start::find(name).and_then(|mut source| {
        source.settings.clone_from(&link.settings);
        source.scene().map(|_| source)
    });
    let (source, notice) = match found {
        Ok(source) => (source, String::new()),
        // A link that is not right still leads to something to walk on.
        Err(problem) => match start::find(start::NAME) {
            Ok(source) => (source, format!("{problem}\nThis is {} instead.", start::NAME)),
            Err(problem) => return complain(&problem.to_string()),
        },
    };
    let setup = Setup {
        source,
        replay: None,
        quality: option("quality").and_then(Quality::by_name).unwrap_or(Quality::Medium),
        resolution: option("resolution").and_then(options::resolution),
        time_scale: option("time_scale").and_then(options::time_scale).unwrap_or(1.0),
        view: option("camera").and_then(View::by_name).unwrap_or_default(),
        overlays: Overlays { map: option("overlay").and_then(Map::by_name), ..Overlays::default() },
        paused: option("paused").is_some(),
        panel: option("panel") != Some("off"),
        window: [1280, 720],
        state: None,
        drive: None,
        folder: PathBuf::new(),
        notice,
    };
    if let Err(problem) = app::run(setup) {
        complain(&problem);
    }
}
