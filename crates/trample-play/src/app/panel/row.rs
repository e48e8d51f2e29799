//! One row of the panel for one row of the table of parameters.

use super::{Turning, number};
use crate::action::Action;
use crate::app::Play;
use crate::table::{Focus, Group, Kind, Row};
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
pub(super) fn parameter(
    ui: &mut egui::Ui,
    play: &mut Play,
    trample: &mut Trample,
    turning: &mut Turning,
    row: &Row,
) {
    let focus = play.session.focus;
    let (key, scene) = (row.key(), trample.world().scene());
    let Some(now) = row.get(scene, focus) else {
        // A list may stand on something that is not on it, as a body between two variants.
        if let Kind::List(names) = row.kind
            && has_list(row, scene, focus)
        {
            list(ui, play, trample, row, names, None);
        }
        return;
    };
    match row.kind {
        Kind::List(names) => list(ui, play, trample, row, names, Some(now)),
        Kind::Switch => {
            let mut on = now == 1.0;
            if ui.checkbox(&mut on, row.label()).on_hover_text(row.range.what).changed() {
                play.act(trample, Action::Set(key, focus, f64::from(u8::from(on))));
            }
        }
        Kind::Slider { logarithmic } => {
            let mut value = if turning.key == key { turning.value } else { now };
            let printed = row.printed(scene, focus);
            let unit = if row.range.unit.is_empty() { String::new() } else { format!(" {}", row.range.unit) };
            let slider = egui::Slider::new(&mut value, row.range.min..=row.range.max)
                .logarithmic(logarithmic)
                .text(row.label())
                .suffix(unit)
                .custom_formatter(|x, _| number(x));
            let mut about = format!("{}\nallowed: {}", row.range.what, row.range.allowed());
            if let Some(p) = printed {
                about += &format!("\npublished: {} to {} ({})", number(p.min), number(p.max), p.source);
            }
            let response = ui.add(slider).on_hover_text(about);
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
                    number(p.min)
                } else {
                    format!("{} to {}", number(p.min), number(p.max))
                };
                let text = format!("published {span}, {}", p.source);
                ui.label(egui::RichText::new(text).size(10.0).color(colour));
            }
            if response.changed() {
                if turning.key != key {
                    turning.since = f64::NEG_INFINITY;
                }
                (turning.key, turning.value) = (key.clone(), value);
            }
            if turning.key == key {
                let slow = matches!(row.group, Group::Body | Group::Plants);
                let due = !slow || play.now - turning.since > PATIENCE || !response.dragged();
                if due && turning.value != now {
                    turning.since = play.now;
                    play.act(trample, Action::Set(key, focus, turning.value));
                }
                if !response.dragged() {
                    turning.key.clear();
                }
            }
        }
    }
}

/// Whether a list belongs to this scene at all.
fn has_list(row: &Row, scene: &trample::Scene, focus: Focus) -> bool {
    match row.group {
        Group::Plants => scene.plants.get(focus.patch).is_some(),
        Group::Body => {
            let puppet = scene.puppets.get(focus.walker);
            puppet.is_some_and(|p| matches!(p.script, Script::Walker(_)) || row.range.field == "footwear")
        }
        Group::Ground | Group::Law => true,
        Group::Walk => false,
    }
}

fn list(
    ui: &mut egui::Ui,
    play: &mut Play,
    trample: &mut Trample,
    row: &Row,
    names: &'static [&'static str],
    now: Option<f64>,
) {
    let focus = play.session.focus;
    let selected = now.and_then(|i| names.get(i as usize)).copied().unwrap_or("own");
    ui.horizontal(|ui| {
        egui::ComboBox::from_id_salt(row.key()).width(150.0).selected_text(selected).show_ui(ui, |ui| {
            for (i, name) in names.iter().enumerate() {
                if ui.selectable_label(Some(i as f64) == now, *name).clicked() {
                    play.act(trample, Action::Set(row.key(), focus, i as f64));
                }
            }
        });
        ui.label(row.label()).on_hover_text(row.range.what);
    });
}
