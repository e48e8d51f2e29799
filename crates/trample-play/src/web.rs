//! The browser: scene and parameters from the page's address, the status on the page, files in and out.

use crate::app::{self, Setup};
use crate::camera::View;
use crate::inbox;
use crate::link;
use crate::options::{self, Overlays, Quality};
use crate::start;
use std::path::PathBuf;
use trample::Map;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

/// Width of a page on which the panel is open at first, CSS pixels.
const ROOM: f64 = 800.0;

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

/// Gives the page the functions by which it hands in files: `trample_drop(name, bytes)` for each, `trample_dropped(x, y)` when the
/// last of those that were dropped together is there, and `trample_problem(words)` if one cannot be read.
fn take_files() {
    let Some(window) = web_sys::window() else { return };
    let add =
        Closure::<dyn FnMut(String, js_sys::Uint8Array)>::new(|name: String, bytes: js_sys::Uint8Array| {
            inbox::with(|inbox| inbox.add(&name, bytes.to_vec()));
        });
    let done = Closure::<dyn FnMut(JsValue, JsValue)>::new(|x: JsValue, y: JsValue| {
        let at = x.as_f64().zip(y.as_f64()).map(|(x, y)| [x as f32, y as f32]);
        inbox::with(|inbox| inbox.done(at));
    });
    let problem = Closure::<dyn FnMut(String)>::new(|words| inbox::with(|inbox| inbox.complain(words)));
    // They are the page's as long as there is a page.
    for (name, function) in [
        ("trample_drop", add.into_js_value()),
        ("trample_dropped", done.into_js_value()),
        ("trample_problem", problem.into_js_value()),
    ] {
        let _ = js_sys::Reflect::set(&window, &JsValue::from_str(name), &function);
    }
}

/// Lets a person choose files, as if they were dropped. Browsers allow it only within moments of a click or a touch.
pub fn choose_files() {
    let Some(window) = web_sys::window() else { return };
    let function = js_sys::Reflect::get(&window, &JsValue::from_str("trample_open"));
    if let Some(function) = function.ok().and_then(|f| f.dyn_into::<js_sys::Function>().ok()) {
        let _ = function.call0(&window);
    }
}

/// Gives a person a file, as a download.
///
/// # Errors
/// The browser's words.
pub fn download(name: &str, bytes: &[u8]) -> Result<(), String> {
    let told = |problem: JsValue| format!("{name}: the browser refuses the download: {problem:?}");
    let window = web_sys::window().ok_or("there is no page")?;
    let document = window.document().ok_or("there is no page")?;
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
    let kind = web_sys::BlobPropertyBag::new();
    kind.set_type("application/octet-stream");
    let blob = web_sys::Blob::new_with_u8_array_sequence_and_options(&parts, &kind).map_err(told)?;
    let address = web_sys::Url::create_object_url_with_blob(&blob).map_err(told)?;
    let link = document.create_element("a").map_err(told)?;
    link.set_attribute("href", &address).map_err(told)?;
    link.set_attribute("download", name).map_err(told)?;
    link.dyn_into::<web_sys::HtmlElement>().map_err(|link| told(link.into()))?.click();
    // Some browsers fetch the bytes only later; a minute is our choice.
    let release = Closure::once_into_js(move || {
        let _ = web_sys::Url::revoke_object_url(&address);
    });
    let release = release.unchecked_ref::<js_sys::Function>();
    let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(release, 60_000);
    Ok(())
}

/// The whole address of this page with another query.
pub fn address(query: &str) -> String {
    let place = web_sys::window().map(|w| w.location());
    let part = |text: Option<Result<String, JsValue>>| text.and_then(Result::ok).unwrap_or_default();
    let origin = part(place.as_ref().map(web_sys::Location::origin));
    let path = part(place.as_ref().map(web_sys::Location::pathname));
    format!("{origin}{path}{query}")
}

/// Puts a text on the clipboard, or where the browser does not allow that, in a box from which a person can copy it.
pub fn copy(text: &str) {
    let Some(window) = web_sys::window() else { return };
    let show = {
        let (window, text) = (window.clone(), text.to_string());
        move || {
            let _ = window.prompt_with_message_and_default("The link, to be copied:", &text);
        }
    };
    // Pages that do not come over a safe line have no clipboard: asking for its function is an error then.
    let write = || -> Result<js_sys::Promise, JsValue> {
        let navigator = js_sys::Reflect::get(&window, &JsValue::from_str("navigator"))?;
        let clipboard = js_sys::Reflect::get(&navigator, &JsValue::from_str("clipboard"))?;
        let function = js_sys::Reflect::get(&clipboard, &JsValue::from_str("writeText"))?;
        function.dyn_into::<js_sys::Function>()?.call1(&clipboard, &JsValue::from_str(text))?.dyn_into()
    };
    match write() {
        Ok(promise) => {
            let refused = Closure::once(move |_: JsValue| show());
            let _ = promise.catch(&refused);
            // It is called later or never.
            refused.forget();
        }
        Err(_) => show(),
    }
}

/// How many fingers the screen can tell apart.
fn fingers() -> f64 {
    let of = |thing: &JsValue, name: &str| js_sys::Reflect::get(thing, &JsValue::from_str(name)).ok();
    let navigator = web_sys::window().and_then(|window| of(&window, "navigator"));
    navigator.and_then(|n| of(&n, "maxTouchPoints")).and_then(|n| n.as_f64()).unwrap_or(0.0)
}

/// Reads the address and runs.
pub fn main() {
    let query = web_sys::window().and_then(|w| w.location().search().ok()).unwrap_or_default();
    let link = link::parse(&query);
    let option = |key: &str| link.options.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str());
    let name = link.scene.as_deref().unwrap_or(start::OPENING);
    let mut refused = Vec::new();
    let mut source = match start::find(name) {
        Ok(source) => source,
        // A link that is not right still leads to something to walk on.
        Err(problem) => match start::find(start::NAME) {
            Ok(source) => {
                refused.push(format!("{problem} This is {} instead.", start::NAME));
                source
            }
            Err(problem) => return complain(&problem.to_string()),
        },
    };
    refused.extend(link::accept(&mut source, &link.settings));
    for (key, value) in &link.options {
        if !link::is_option(key, value) {
            refused.push(format!("{key}={value}: no such {key}"));
        }
    }
    let notice = if refused.is_empty() {
        String::new()
    } else {
        format!("not used: {}", refused.join("\nnot used: "))
    };
    let quality = option("quality").and_then(Quality::by_name).unwrap_or(Quality::Medium);
    let dots = web_sys::window().map_or(1.0, |w| w.device_pixel_ratio()) as f32;
    let width = web_sys::window().and_then(|w| w.inner_width().ok()).and_then(|w| w.as_f64());
    // On a telephone the panel would hide the ground: it waits behind its button.
    let room = width.is_none_or(|w| w >= ROOM);
    let opening = start::is_own(name) && option("camera").is_none();
    let setup = Setup {
        timings: None,
        source,
        replay: None,
        quality,
        resolution: option("resolution")
            .and_then(options::resolution)
            .or(Some(options::on_screen(quality, dots))),
        time_scale: option("time_scale").and_then(options::time_scale).unwrap_or(1.0),
        view: option("camera").and_then(View::by_name).unwrap_or(if opening {
            View::Front
        } else {
            View::Follow
        }),
        opening,
        overlays: Overlays { map: option("overlay").and_then(Map::by_name), ..Overlays::default() },
        paused: option("paused").is_some(),
        panel: option("panel").map_or(room, |words| words != "off"),
        window: [1280, 720],
        state: None,
        drive: None,
        folder: PathBuf::new(),
        touch: fingers() > 0.0,
        notice,
    };
    take_files();
    if let Err(problem) = app::run(setup) {
        complain(&problem);
    }
}
