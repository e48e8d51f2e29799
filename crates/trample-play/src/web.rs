//! The browser: scene and parameters from the page's address, the status on the page.

use crate::app::{self, Setup};
use crate::camera::View;
use crate::link;
use crate::options::{Overlays, Quality};
use crate::start;
use std::path::PathBuf;
use trample::Map;
use wasm_bindgen::JsValue;

/// Puts the status on the page as `window.trample`.
pub fn publish(text: &str) {
    let (Some(window), Ok(value)) = (web_sys::window(), js_sys::JSON::parse(text)) else { return };
    let _ = js_sys::Reflect::set(&window, &JsValue::from_str("trample"), &value);
}

/// Tells the page that something is wrong, where a person sees it.
fn complain(problem: &str) {
    let _ = web_sys::window().map(|w| w.alert_with_message(problem));
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
    let source = match found {
        Ok(source) => source,
        Err(problem) => {
            complain(&problem.to_string());
            match start::find(start::NAME) {
                Ok(source) => source,
                Err(_) => return,
            }
        }
    };
    let setup = Setup {
        source,
        replay: None,
        quality: option("quality").and_then(Quality::by_name).unwrap_or(Quality::Medium),
        view: option("camera").and_then(View::by_name).unwrap_or_default(),
        overlays: Overlays { map: option("overlay").and_then(Map::by_name), ..Overlays::default() },
        paused: option("paused").is_some(),
        panel: option("panel") != Some("off"),
        window: [1280, 720],
        state: None,
        drive: None,
        folder: PathBuf::new(),
    };
    if let Err(problem) = app::run(setup) {
        complain(&problem);
    }
}
