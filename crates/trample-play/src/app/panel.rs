//! The panel, the status line, the hint, help, the legend and the banner.

use super::files::Wanted;
use super::{Play, input, plots};
use crate::action::{Action, twin_of};
use crate::camera::View;
use crate::keys::{HELP, HINT};
use crate::legend;
use crate::link;
use crate::options::{Overlays, Quality, TIME_SCALES};
use crate::start;
use crate::table::{Focus, Group, Kind, Row, rows};
use bevy::prelude::*;
use bevy_egui::{EguiContexts, EguiPrimaryContextPass, egui};
use bevy_trample::Trample;
use std::collections::BTreeMap;
use trample::Map;
use trample::scene::Script;

/// The colours of an overlay, as the ground shows them, from the lowest value to the highest, sRGB.
const RAMP: [[u8; 3]; 8] = [
    [68, 1, 84],
    [70, 50, 126],
    [54, 92, 141],
    [39, 127, 142],
    [31, 161, 135],
    [74, 193, 109],
    [160, 218, 57],
    [253, 231, 37],
];

/// Time between two settings of a body or of plants while its slider is dragged, s: they take a moment to grow.
const PATIENCE: f64 = 0.2;

pub(super) struct PanelPlugin;

impl Plugin for PanelPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Turning>().add_systems(EguiPrimaryContextPass, show);
    }
}

/// A slider that is being dragged.
#[derive(Resource, Default)]
pub(super) struct Turning {
    key: String,
    value: f64,
    since: f64,
    rows: Vec<Row>,
    /// Where sliders were drawn in the last frame, by key: left, top, width of the rail and height, pixels.
    pub(super) places: BTreeMap<String, [f32; 4]>,
}

fn show(
    mut contexts: EguiContexts,
    mut play: ResMut<Play>,
    mut trample: ResMut<Trample>,
    mut wanted: ResMut<Wanted>,
    mut turning: ResMut<Turning>,
) -> Result {
    let ctx = contexts.ctx_mut()?;
    if turning.rows.is_empty() {
        turning.rows = rows();
        style(ctx);
    }
    fit(ctx);
    turning.places.clear();
    let (play, trample) = (&mut *play, &mut *trample);
    status_line(ctx, play, trample);
    if play.panel {
        let most = (ctx.content_rect().height() - 60.0).max(120.0);
        egui::Area::new("panel".into()).anchor(egui::Align2::RIGHT_TOP, [-8.0, 8.0]).show(ctx, |ui| {
            egui::Frame::window(ui.style()).show(ui, |ui| {
                let scroll =
                    egui::ScrollArea::vertical().max_height(most - 24.0).min_scrolled_height(most - 24.0);
                scroll.show(ui, |ui| {
                    ui.set_width(330.0);
                    contents(ui, play, trample, &mut wanted, &mut turning);
                });
            });
        });
    }
    if play.plots {
        plots::show(ctx, play, trample);
    }
    if let Some(map) = play.overlays.map {
        colour_bar(ctx, play, trample, map);
    }
    if play.hint {
        foot(ctx, "hint", HINT, egui::Color32::WHITE);
    } else if play.notice.1 > play.now {
        foot(ctx, "notice", &play.notice.0.clone(), egui::Color32::from_rgb(255, 240, 190));
    }
    banner(ctx, play);
    if play.help {
        help(ctx, play);
    }
    // Tab opens and closes the panel; it must not lead keys into it.
    if ctx.input(|i| i.key_pressed(egui::Key::Tab))
        && let Some(id) = ctx.memory(egui::Memory::focused)
    {
        ctx.memory_mut(|m| m.surrender_focus(id));
    }
    Ok(())
}

fn style(ctx: &egui::Context) {
    ctx.set_visuals(egui::Visuals {
        window_fill: egui::Color32::from_rgba_unmultiplied(24, 27, 31, 248),
        ..egui::Visuals::dark()
    });
    ctx.global_style_mut(|style| {
        style.spacing.slider_width = 132.0;
        style.spacing.item_spacing = [6.0, 4.0].into();
    });
}

/// Letters as large as the window asks for: from a small test window to 4K.
fn fit(ctx: &egui::Context) {
    let pixels = ctx.viewport_rect().size() * ctx.zoom_factor();
    let wanted = (pixels.x / 1150.0).min(pixels.y / 640.0).clamp(0.5, 2.4);
    let wanted = (20.0 * wanted).round() / 20.0;
    if (wanted - ctx.zoom_factor()).abs() > 0.01 {
        ctx.set_zoom_factor(wanted);
    }
}

/// What happens, in one line.
fn status_line(ctx: &egui::Context, play: &Play, trample: &Trample) {
    let (world, meters) = (trample.world(), &play.session.meters);
    let state = match (&play.session.player, trample.paused) {
        (Some(player), _) => format!("REPLAY {:.0} %", 100.0 * player.share()),
        (None, true) => "PAUSED".into(),
        (None, false) if trample.time_scale != 1.0 => format!("×{:.2}", trample.time_scale),
        _ => String::new(),
    };
    let text = format!(
        "{}   {:.1} s   {} footfalls   {:.1} m   pass {}   deepest {:.0} mm   step {:.2} ms   {:.0} fps   {state}",
        world.scene().name,
        world.time(),
        meters.steps,
        meters.distance,
        meters.passes,
        1e3 * meters.deepest,
        1e3 * meters.step_time(),
        meters.frame_rate(),
    );
    egui::Area::new("status".into()).anchor(egui::Align2::LEFT_TOP, [10.0, 8.0]).show(ctx, |ui| {
        dark(ui, |ui| {
            let room = ctx.content_rect().width() - if play.panel { 430.0 } else { 40.0 };
            ui.set_max_width(room.max(160.0));
            ui.label(egui::RichText::new(text.trim_end()).color(egui::Color32::WHITE).size(13.0));
        });
    });
}

fn dark(ui: &mut egui::Ui, add: impl FnOnce(&mut egui::Ui)) {
    egui::Frame::new()
        .fill(egui::Color32::from_black_alpha(150))
        .corner_radius(4)
        .inner_margin(egui::Margin::symmetric(8, 4))
        .show(ui, add);
}

/// A line at the foot of the window.
fn foot(ctx: &egui::Context, id: &str, text: &str, colour: egui::Color32) {
    egui::Area::new(egui::Id::new(id)).anchor(egui::Align2::CENTER_BOTTOM, [0.0, -12.0]).show(ctx, |ui| {
        dark(ui, |ui| {
            ui.set_max_width(ctx.content_rect().width() - 60.0);
            ui.label(egui::RichText::new(text).color(colour).size(14.0));
        });
    });
}

/// A replay that differs is no small matter.
fn banner(ctx: &egui::Context, play: &Play) {
    let now = play.session.player.as_ref().and_then(|p| p.diverged);
    let Some(step) = now.or(play.session.replayed.and_then(|(step, _)| step)) else { return };
    egui::Area::new("diverged".into()).anchor(egui::Align2::CENTER_TOP, [0.0, 48.0]).show(ctx, |ui| {
        egui::Frame::new().fill(egui::Color32::from_rgb(170, 20, 20)).inner_margin(10).show(ui, |ui| {
            let text = format!("DIVERGED at step {step}");
            ui.label(egui::RichText::new(text).color(egui::Color32::WHITE).size(24.0).strong());
        });
    });
}

fn help(ctx: &egui::Context, play: &mut Play) {
    let mut open = true;
    egui::Window::new("Keys")
        .open(&mut open)
        .anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0])
        .resizable(false)
        .collapsible(false)
        .show(ctx, |ui| {
            egui::ScrollArea::vertical().show(ui, |ui| {
                egui::Grid::new("help").num_columns(3).spacing([18.0, 4.0]).striped(true).show(ui, |ui| {
                    ui.strong("keys and mouse");
                    ui.strong("gamepad, touch");
                    ui.strong("what");
                    ui.end_row();
                    for (key, pad, what) in HELP {
                        ui.monospace(key);
                        ui.label(pad);
                        ui.label(what);
                        ui.end_row();
                    }
                });
            });
        });
    play.help = open;
}

/// Which value is which colour.
fn colour_bar(ctx: &egui::Context, play: &Play, trample: &Trample, map: Map) {
    let range = play.range.1.map(f64::from);
    let legend = legend::legend(trample.world(), map, range);
    egui::Area::new("legend".into()).anchor(egui::Align2::LEFT_BOTTOM, [12.0, -48.0]).show(ctx, |ui| {
        dark(ui, |ui| {
            let unit = if legend.unit.is_empty() { String::new() } else { format!(", {}", legend.unit) };
            ui.label(
                egui::RichText::new(format!("{}{unit}", legend.title)).color(egui::Color32::WHITE).strong(),
            );
            let (rect, _) = ui.allocate_exact_size([230.0, 34.0].into(), egui::Sense::hover());
            let painter = ui.painter();
            let bar = egui::Rect::from_min_size(rect.min + egui::vec2(8.0, 2.0), egui::vec2(210.0, 12.0));
            let n = 84;
            for i in 0..n {
                let t = i as f32 / (n - 1) as f32;
                let x = bar.min.x + bar.width() * i as f32 / n as f32;
                let piece = egui::Rect::from_min_size(
                    egui::pos2(x, bar.min.y),
                    egui::vec2(bar.width() / n as f32 + 0.5, bar.height()),
                );
                painter.rect_filled(piece, 0.0, ramp(t));
            }
            let place = |value: f64| {
                let share = (value - legend.range[0]) / (legend.range[1] - legend.range[0]).max(1e-12);
                bar.min.x + bar.width() * share.clamp(0.0, 1.0) as f32
            };
            let font = egui::FontId::proportional(11.0);
            let write = |x: f32, text: String| {
                painter.line_segment(
                    [egui::pos2(x, bar.max.y), egui::pos2(x, bar.max.y + 3.0)],
                    egui::Stroke::new(1.0, egui::Color32::WHITE),
                );
                let at = egui::pos2(x, bar.max.y + 4.0);
                painter.text(at, egui::Align2::CENTER_TOP, text, font.clone(), egui::Color32::WHITE);
            };
            if legend.names.is_empty() {
                legend.ticks.iter().for_each(|t| write(place(*t), number(*t)));
            } else {
                legend.names.iter().enumerate().for_each(|(i, name)| write(place(i as f64), name.clone()));
            }
        });
    });
}

fn ramp(t: f32) -> egui::Color32 {
    let at = t.clamp(0.0, 1.0) * (RAMP.len() - 1) as f32;
    let (i, f) = ((at as usize).min(RAMP.len() - 2), at.fract());
    let f = if at as usize > RAMP.len() - 2 { 1.0 } else { f };
    let mix =
        |k: usize| (f32::from(RAMP[i][k]) + (f32::from(RAMP[i + 1][k]) - f32::from(RAMP[i][k])) * f) as u8;
    egui::Color32::from_rgb(mix(0), mix(1), mix(2))
}

/// A number as short as it can be read.
fn number(x: f64) -> String {
    let size = x.abs();
    if size != 0.0 && !(1e-3..1e5).contains(&size) {
        return format!("{x:.2e}");
    }
    let text = if size >= 100.0 { format!("{x:.0}") } else { format!("{x:.3}") };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

fn contents(
    ui: &mut egui::Ui,
    play: &mut Play,
    trample: &mut Trample,
    wanted: &mut Wanted,
    turning: &mut Turning,
) {
    scenes(ui, play, trample);
    time(ui, play, trample);
    cameras(ui, play);
    section(ui, "Walkers and routes", true, |ui| walkers(ui, play, trample));
    let all = std::mem::take(&mut turning.rows);
    for (group, title) in [
        (Group::Ground, "Ground"),
        (Group::Law, "Ground law"),
        (Group::Plants, "Plants"),
        (Group::Body, "Body"),
        (Group::Walk, "Walking"),
    ] {
        let any = all
            .iter()
            .any(|r| r.group == group && r.get(trample.world().scene(), play.session.focus).is_some());
        if !any {
            continue;
        }
        section(ui, title, group == Group::Ground, |ui| {
            which(ui, play, trample, group);
            for row in all.iter().filter(|r| r.group == group) {
                parameter(ui, play, trample, turning, row);
            }
        });
    }
    turning.rows = all;
    section(ui, "Overlays", true, |ui| overlays(ui, play));
    section(ui, "Light and quality", false, |ui| looks(ui, play));
    section(ui, "Files, recording, link", false, |ui| files(ui, play, trample, wanted));
    ui.horizontal(|ui| {
        ui.checkbox(&mut play.plots, "plots (G)");
        ui.checkbox(&mut play.help, "help (H)");
    });
}

fn section(ui: &mut egui::Ui, title: &str, open: bool, add: impl FnOnce(&mut egui::Ui)) {
    egui::CollapsingHeader::new(title).default_open(open).show(ui, add);
}

fn scenes(ui: &mut egui::Ui, play: &mut Play, trample: &mut Trample) {
    ui.horizontal(|ui| {
        ui.label("scene");
        let name = trample.world().scene().name.clone();
        egui::ComboBox::from_id_salt("scene").width(210.0).selected_text(name.clone()).show_ui(ui, |ui| {
            for scene in start::names() {
                if ui.selectable_label(scene == name, scene).clicked() {
                    match start::find(scene) {
                        Ok(source) => play.load(trample, source),
                        Err(problem) => play.say(problem.to_string()),
                    }
                }
            }
        });
    });
}

fn time(ui: &mut egui::Ui, play: &mut Play, trample: &mut Trample) {
    ui.horizontal(|ui| {
        if ui.button(if trample.paused { "go on" } else { "pause" }).clicked() {
            trample.paused = !trample.paused;
        }
        if ui.button("step").clicked() {
            trample.paused = true;
            trample.single_step();
        }
        if ui.button("reset").clicked() {
            let done = play.session.reset(trample.world_mut());
            trample.refresh();
            play.focus_on_walker(trample);
            play.say(done.err().unwrap_or_else(|| "begun anew".into()));
        }
        if ui.button("undo 5 s").clicked() {
            input::undo(play, trample, 5.0);
        }
        if ui.button("1 min").on_hover_text("undo the last minute").clicked() {
            input::undo(play, trample, 60.0);
        }
    });
    ui.horizontal(|ui| {
        let range = TIME_SCALES[0]..=TIME_SCALES[1];
        ui.add(egui::Slider::new(&mut trample.time_scale, range).logarithmic(true).text("time scale"));
    });
}

fn cameras(ui: &mut egui::Ui, play: &mut Play) {
    ui.horizontal(|ui| {
        for view in View::ALL {
            if ui.selectable_label(play.rig.view == view, view.name()).clicked() {
                play.rig.choose(view);
            }
        }
    });
}

fn walkers(ui: &mut egui::Ui, play: &mut Play, trample: &mut Trample) {
    let puppets = &trample.world().scene().puppets;
    let names: Vec<String> = puppets.iter().map(|p| p.name.clone()).collect();
    let focus = play.session.focus.walker;
    if !names.is_empty() {
        egui::ComboBox::from_id_salt("walker").selected_text(&names[focus.min(names.len() - 1)]).show_ui(
            ui,
            |ui| {
                for (i, name) in names.iter().enumerate().take(200) {
                    if ui.selectable_label(i == focus, name).clicked() {
                        play.session.focus.walker = i;
                        play.session.meters.jump();
                        play.told = None;
                    }
                }
            },
        );
    }
    ui.horizontal(|ui| {
        if ui.button("add walker").clicked() {
            let size = trample.world().scene().terrain.size;
            let at = match trample.world().walker(focus) {
                Some((w, _)) => [w.root.x + 0.8, w.root.y + 0.6],
                None => size.map(|s| 0.5 * s),
            };
            let at = [0, 1].map(|k| at[k].clamp(0.3, (size[k] - 0.3).max(0.3)));
            play.act(trample, Action::Add(at, 0.0));
        }
        if ui.button("remove last").clicked() {
            play.act(trample, Action::Remove);
        }
        let mut on = twin_of(trample.world().scene(), play.session.focus.walker).is_some();
        if ui
            .checkbox(&mut on, "red twin")
            .on_hover_text("the same walker without balance controller, beside")
            .changed()
        {
            input::twin(play, trample);
        }
    });
    ui.horizontal(|ui| {
        ui.toggle_value(&mut play.routing, "place route (R)");
        if ui.button("walk it").clicked() {
            input::set_out(play, trample);
        }
        if ui.button("clear").clicked() {
            play.waypoints.places.clear();
        }
        ui.label(format!("{} places", play.waypoints.places.len()));
    });
    let route = &mut play.waypoints;
    ui.add(egui::Slider::new(&mut route.passes, 1..=500).logarithmic(true).text("passes"));
    ui.add(egui::Slider::new(&mut route.variation, 0.0..=0.5).text("variation, m"));
    ui.add(egui::Slider::new(&mut route.speed, 0.3..=5.0).text("speed, m/s"));
    ui.checkbox(&mut route.back_and_forth, "back and forth");
}

/// Which material or patch is meant, where there are several.
fn which(ui: &mut egui::Ui, play: &mut Play, trample: &Trample, group: Group) {
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
fn parameter(ui: &mut egui::Ui, play: &mut Play, trample: &mut Trample, turning: &mut Turning, row: &Row) {
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

fn overlays(ui: &mut egui::Ui, play: &mut Play) {
    ui.horizontal_wrapped(|ui| {
        ui.selectable_value(&mut play.overlays.map, None, "no map");
        for map in Map::ALL {
            ui.selectable_value(&mut play.overlays.map, Some(map), map.name().replace('_', " "));
        }
    });
    ui.add(egui::Slider::new(&mut play.overlays.strength, 0.0..=1.0).text("strength"));
    ui.horizontal_wrapped(|ui| {
        for (name, field) in Overlays::SWITCHES {
            ui.checkbox(field(&mut play.overlays), name);
        }
    });
    if play.overlays.forces {
        ui.label("arrows: weight white, momentum orange, total red");
    }
}

fn looks(ui: &mut egui::Ui, play: &mut Play) {
    ui.horizontal(|ui| {
        ui.label("quality");
        for quality in Quality::ALL {
            ui.selectable_value(&mut play.quality, quality, quality.name());
        }
    });
    let mut degrees = play.sun.map(f32::to_degrees);
    let high = ui.add(egui::Slider::new(&mut degrees[1], 2.0..=85.0).text("sun above horizon, °")).changed();
    let round = ui.add(egui::Slider::new(&mut degrees[0], 0.0..=360.0).text("sun from, °")).changed();
    if high || round {
        play.sun = degrees.map(f32::to_radians);
    }
}

fn files(ui: &mut egui::Ui, play: &mut Play, trample: &mut Trample, wanted: &mut Wanted) {
    ui.horizontal(|ui| {
        if ui.button("save run and maps").clicked() {
            wanted.save = true;
        }
        if ui.button("picture (F12)").clicked() {
            wanted.picture = true;
        }
    });
    ui.horizontal(|ui| {
        if play.session.player.is_some() {
            if ui.button("stop replay").clicked() {
                play.session.stop_replay(trample.world());
            }
        } else if ui.button("replay from the beginning").clicked() {
            match play.session.replay(trample.world_mut()) {
                Ok(()) => {
                    trample.refresh();
                    trample.paused = false;
                    play.told = None;
                }
                Err(problem) => play.say(problem),
            }
        }
        ui.label(format!("{} steps", play.session.tape.steps()));
    });
    ui.label("Drop a scene, height map, BVH, glTF or run file on the window to use it.");
    let changes = link::changes(play.session.scene(), trample.world().scene());
    let query = link::query(&play.session.scene().name, &changes);
    ui.horizontal(|ui| {
        if ui.button("copy link").clicked() {
            ui.ctx().copy_text(query.clone());
            play.say(query.clone());
        }
        ui.label(egui::RichText::new(&query).monospace().size(10.0));
    });
}
