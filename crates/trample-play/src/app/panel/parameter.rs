//! One row of the panel for one row of the table of parameters.

use super::{Turning, number};
use crate::action::Action;
use crate::app::Play;
use crate::parameter::{Focus, Group, Kind, Parameter};
use bevy_egui::egui;
use bevy_trample::Trample;
use trample::scene::Script;

/// Time between two settings of a body or of plants while its slider is dragged, s: they take a moment to grow.
const PATIENCE: f64 = 0.2;

/// Which material or patch is meant, where there are several.
pub(super) fn which(ui: &mut egui::Ui, play: &mut Play, trample: &Trample, group: Group) {
    let scene = trample.world().scene();
    let (names, at): (Vec<&str>, &mut usize) = match group {
        Group::Ground => (
            scene.terrain.materials.iter().map(|m| m.name.as_str()).collect(),
            &mut play.session.focus.material,
        ),
        Group::Plants => {
            (scene.plants.iter().map(|p| p.name.as_str()).collect(), &mut play.session.focus.patch)
        }
        _ => return,
    };
    if names.len() > 1 {
        ui.horizontal_wrapped(|ui| {
            for (i, name) in names.iter().enumerate() {
                ui.selectable_value(at, i, *name);
            }
        });
    }
}

/// One row of the table.
pub(super) fn slider(
    ui: &mut egui::Ui,
    play: &mut Play,
    trample: &mut Trample,
    turning: &mut Turning,
    parameter: &Parameter,
) {
    let focus = play.session.focus;
    let (key, scene) = (parameter.key(), trample.world().scene());
    let Some(now) = parameter.get(scene, focus) else {
        // A list may stand on something that is not on it, as a body between two variants.
        if let Kind::List(names) = parameter.kind
            && has_list(parameter, scene, focus)
        {
            list(ui, play, trample, parameter, names, None);
        }
        return;
    };
    match parameter.kind {
        Kind::List(names) => list(ui, play, trample, parameter, names, Some(now)),
        Kind::Switch => {
            let mut on = now == 1.0;
            if ui.checkbox(&mut on, parameter.label()).on_hover_text(parameter.range.what).changed() {
                play.act(trample, Action::set(key, focus, f64::from(u8::from(on))));
            }
        }
        Kind::Slider { logarithmic } => {
            let value = if turning.key == key { turning.value } else { now };
            let printed = parameter.printed(scene, focus);
            let (unit, factor) = (parameter.unit().suffix(), parameter.unit().factor);
            let mut shown = value * factor;
            let mut about = format!("{}\nallowed: {}", parameter.range.what, parameter.range.allowed());
            about += &format!("\nin scene files: {}", parameter.range.name);
            if let Some(p) = printed {
                about += &format!(
                    "\npublished: {} to {} {} ({})",
                    number(p.min),
                    number(p.max),
                    parameter.range.unit,
                    p.source
                );
            }
            ui.label(egui::RichText::new(parameter.label()).size(11.5)).on_hover_text(&about);
            let slider =
                egui::Slider::new(&mut shown, parameter.range.min * factor..=parameter.range.max * factor)
                    .logarithmic(logarithmic)
                    .suffix(unit.clone())
                    .custom_formatter(|x, _| number(x));
            let response = ui.add(slider).on_hover_text(about);
            // What is not touched keeps its last bit.
            let value = if response.changed() {
                (shown / factor).clamp(parameter.range.min, parameter.range.max)
            } else {
                value
            };
            let (place, zoom) = (response.rect, ui.ctx().zoom_factor());
            if ui.is_rect_visible(place) {
                let rail = [place.min.x, place.min.y, ui.spacing().slider_width, place.height()];
                turning.places.insert(key.clone(), rail.map(|x| x * zoom));
            }
            if let Some(p) = printed {
                let inside = value >= p.min * (1.0 - 1e-9) && value <= p.max * (1.0 + 1e-9);
                let colour = if inside {
                    egui::Color32::from_rgb(120, 200, 130)
                } else {
                    egui::Color32::from_rgb(235, 170, 80)
                };
                let span = if p.min == p.max {
                    number(p.min * factor)
                } else {
                    format!("{} to {}", number(p.min * factor), number(p.max * factor))
                };
                let text = format!("published {span}{unit}, {}", p.source);
                ui.label(egui::RichText::new(text).size(10.0).color(colour));
            }
            if response.changed() {
                if turning.key != key {
                    turning.since = f64::NEG_INFINITY;
                }
                (turning.key, turning.value) = (key.clone(), value);
            }
            if turning.key == key {
                let slow = matches!(parameter.group, Group::Body | Group::Plants);
                let due = !slow || play.now - turning.since > PATIENCE || !response.dragged();
                if due && turning.value != now {
                    turning.since = play.now;
                    play.act(trample, Action::set(key, focus, turning.value));
                }
                if !response.dragged() {
                    turning.key.clear();
                }
            }
        }
    }
}

/// Whether a list belongs to this scene at all.
fn has_list(parameter: &Parameter, scene: &trample::Scene, focus: Focus) -> bool {
    match parameter.group {
        Group::Plants => scene.plants.get(focus.patch).is_some(),
        Group::Body => {
            let puppet = scene.puppets.get(focus.walker);
            puppet
                .is_some_and(|p| matches!(p.script, Script::Walker(_)) || parameter.range.name == "footwear")
        }
        Group::Ground | Group::Law => true,
        Group::Walk => false,
    }
}

fn list(
    ui: &mut egui::Ui,
    play: &mut Play,
    trample: &mut Trample,
    parameter: &Parameter,
    names: &'static [&'static str],
    now: Option<f64>,
) {
    let focus = play.session.focus;
    let selected = now.and_then(|i| names.get(i as usize)).copied().unwrap_or("own");
    ui.horizontal(|ui| {
        egui::ComboBox::from_id_salt(parameter.key()).width(150.0).selected_text(selected).show_ui(
            ui,
            |ui| {
                for (i, name) in names.iter().enumerate() {
                    if ui.selectable_label(Some(i as f64) == now, *name).clicked() {
                        play.act(trample, Action::set(parameter.key(), focus, i as f64));
                    }
                }
            },
        );
        ui.label(parameter.label()).on_hover_text(parameter.range.what);
    });
}
