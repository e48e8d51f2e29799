//! Objects of JavaScript: rows that are handed out, and options that come in.

use js_sys::{Array, Object, Reflect};
use trample_host::Session;
use trample_host::trample::glam::Vec3;
use trample_host::trample::{Contact, Event};
use wasm_bindgen::prelude::*;

/// An object with these fields; those that are undefined are left out.
pub(crate) fn record(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_undefined()) {
        // A new plain object takes any field.
        let _ = Reflect::set(&object, &JsValue::from_str(name), value);
    }
    object.into()
}

/// Three numbers.
pub(crate) fn three(v: Vec3) -> JsValue {
    v.to_array().iter().map(|&x| JsValue::from(x)).collect::<Array>().into()
}

fn host(of: Option<usize>) -> JsValue {
    of.map_or(JsValue::UNDEFINED, |n| (n as u32).into())
}

/// A foot on the ground.
pub(crate) fn contact(session: &Session, c: &Contact) -> JsValue {
    let whose = session.whose(c.puppet, c.foot);
    record(&[
        ("puppet", (c.puppet as u32).into()),
        ("host", host(whose.host)),
        ("foot", (whose.foot as u32).into()),
        ("seconds", c.seconds.into()),
        ("force", three(c.force)),
        ("normalForce", c.normal_force.into()),
        ("area", c.area.into()),
        ("pressure", c.pressure.into()),
        ("depth", c.depth.into()),
        ("height", c.height.into()),
    ])
}

/// Something that happened; none for what the core may tell one day and this package does not know.
pub(crate) fn event(session: &Session, event: &Event) -> Option<JsValue> {
    let row = |kind: &str, puppet: usize, foot: Option<usize>, rest: &[(&str, JsValue)]| {
        let whose = session.whose(puppet, foot.unwrap_or(0));
        let mut fields = vec![
            ("kind", kind.into()),
            ("puppet", (puppet as u32).into()),
            ("host", host(whose.host)),
            ("foot", foot.map_or(JsValue::UNDEFINED, |_| (whose.foot as u32).into())),
        ];
        fields.extend_from_slice(rest);
        Some(record(&fields))
    };
    match *event {
        Event::FootDown { puppet, foot, time, position, force, area } => {
            let rest = [
                ("time", time.into()),
                ("position", three(position)),
                ("force", force.into()),
                ("area", area.into()),
            ];
            row("foot_down", puppet, Some(foot), &rest)
        }
        Event::FootUp { puppet, foot, time, position, force, area, depth, impulse, stance } => {
            let rest = [
                ("time", time.into()),
                ("position", three(position)),
                ("force", force.into()),
                ("area", area.into()),
                ("depth", depth.into()),
                ("impulse", impulse.into()),
                ("stance", stance.into()),
            ];
            row("foot_up", puppet, Some(foot), &rest)
        }
        Event::Quarantined { puppet } => row("quarantined", puppet, None, &[]),
        _ => None,
    }
}

/// The fields of an object of options. A name that is not known is told.
pub(crate) struct Fields(Option<Object>);

impl Fields {
    pub(crate) fn new(options: Option<Object>, known: &[&str]) -> Result<Self, JsError> {
        for name in options.iter().flat_map(Object::keys).filter_map(|name| name.as_string()) {
            if !known.contains(&name.as_str()) {
                return Err(JsError::new(&format!(
                    "`{name}`: no such option, allowed: {}",
                    known.join(", ")
                )));
            }
        }
        Ok(Self(options))
    }

    fn get(&self, name: &str) -> Option<JsValue> {
        let value = Reflect::get(self.0.as_ref()?, &JsValue::from_str(name)).ok()?;
        (!value.is_undefined() && !value.is_null()).then_some(value)
    }

    pub(crate) fn truth(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.is_truthy())
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, JsError> {
        let wrong = || JsError::new(&format!("{name}: a text is needed"));
        self.get(name).map(|value| value.as_string().ok_or_else(wrong)).transpose()
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>, JsError> {
        let wrong = || JsError::new(&format!("{name}: a number is needed"));
        self.get(name).map(|value| value.as_f64().ok_or_else(wrong)).transpose()
    }

    pub(crate) fn numbers<const N: usize>(&self, name: &str) -> Result<Option<[f32; N]>, JsError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let list: Vec<f64> = Array::from(&value).iter().filter_map(|x| x.as_f64()).collect();
        match <[f64; N]>::try_from(list) {
            Ok(numbers) => Ok(Some(numbers.map(|x| x as f32))),
            Err(_) => Err(JsError::new(&format!("{name}: {N} numbers are needed"))),
        }
    }
}
