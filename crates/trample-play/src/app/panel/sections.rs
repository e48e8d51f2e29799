//! The sections of the panel, from the scene at the top to files at the foot.

use super::{Turning, parameter};
use crate::action::{Action, free_place, twin_of};
use crate::app::Play;
use crate::app::files::{Wanted, copy_link};
use crate::app::input::obey;
use crate::camera::View;
use crate::controls::{Order, key_of};
use crate::link;
use crate::options::{Overlays, Quality, RESOLUTIONS, TIME_SCALES};
use crate::parameter::{Group, Parameter};
use crate::places::TRIES;
use crate::start;
use bevy_egui::egui;
use bevy_trample::Trample;
use trample::Map;

pub(super) fn contents(
    ui: &mut egui::Ui,
    play: &mut Play,
    trample: &mut Trample,
    wanted: &mut Wanted,
    turning: &mut Turning,
) {
    scenes(ui, play, trample);
    time(ui, play, trample, wanted);
    cameras(ui, play);
    let all = std::mem::take(&mut turning.parameters);
    plain(ui, play, trample, turning, &all);
    let words = if play.all { "fewer parameters" } else { "all parameters" };
    ui.toggle_value(&mut play.all, words)
        .on_hover_text("all parameters of ground, law, plants, body and gait");
    if play.all {
        everything(ui, play, trample, turning, &all);
    }
    turning.parameters = all;
    section(ui, "Walkers and routes", false, |ui| walkers(ui, play, trample, wanted));
    section(ui, "Overlays", false, |ui| overlays(ui, play));
    section(ui, "Light and quality", false, |ui| looks(ui, play));
    section(ui, "Files, recording, link", false, |ui| files(ui, play, trample, wanted));
    ui.horizontal(|ui| {
        ui.checkbox(&mut play.plots, with_key("plots", Order::Plots));
        ui.checkbox(&mut play.help, with_key("help", Order::Help));
    });
}

/// What most people want to turn: a few lists and ten sliders.
fn plain(
    ui: &mut egui::Ui,
    play: &mut Play,
    trample: &mut Trample,
    turning: &mut Turning,
    all: &[Parameter],
) {
    section(ui, "What to try", false, |ui| {
        ui.horizontal_wrapped(|ui| {
            for place in &TRIES {
                if ui.button(place.title).on_hover_text(place.about).clicked() {
                    play.visit(trample, place);
                }
            }
        });
    });
    for group in [Group::Ground, Group::Plants, Group::Body, Group::Walk] {
        // Where there are several grounds or patches, the list says which one is meant.
        if all
            .iter()
            .any(|r| r.group == group && r.get(trample.world().scene(), play.session.focus).is_some())
        {
            parameter::which(ui, play, trample, group);
        }
        for row in all.iter().filter(|r| r.group == group && r.is_plain()) {
            parameter::slider(ui, play, trample, turning, row);
        }
    }
}

/// Every row that is not in the plain panel.
fn everything(
    ui: &mut egui::Ui,
    play: &mut Play,
    trample: &mut Trample,
    turning: &mut Turning,
    all: &[Parameter],
) {
    for (group, title) in [
        (Group::Ground, "Ground"),
        (Group::Law, "Ground law"),
        (Group::Plants, "Plants"),
        (Group::Body, "Body"),
        (Group::Walk, "Walking"),
    ] {
        let rows = || all.iter().filter(move |r| r.group == group && !r.is_plain());
        if !rows().any(|r| r.get(trample.world().scene(), play.session.focus).is_some()) {
            continue;
        }
        section(ui, title, group == Group::Ground, |ui| {
            rows().for_each(|row| parameter::slider(ui, play, trample, turning, row));
        });
    }
}

/// Words and the key that does the same.
fn with_key(words: &str, order: Order) -> String {
    format!("{words} ({})", key_of(order))
}

fn section(ui: &mut egui::Ui, title: &str, open: bool, add: impl FnOnce(&mut egui::Ui)) {
    egui::CollapsingHeader::new(title).default_open(open).show(ui, add);
}

fn scenes(ui: &mut egui::Ui, play: &mut Play, trample: &mut Trample) {
    ui.horizontal(|ui| {
        if ui.button("places").on_hover_text(with_key("ready places, with pictures", Order::Places)).clicked()
        {
            play.places = true;
        }
        let name = trample.world().scene().name.clone();
        egui::ComboBox::from_id_salt("scene").width(150.0).selected_text(name.clone()).show_ui(ui, |ui| {
            for scene in start::names() {
                if ui.selectable_label(scene == name, scene).clicked() {
                    match start::find(scene) {
                        Ok(source) => {
                            play.load(trample, source);
                        }
                        Err(problem) => play.say(problem.to_string()),
                    }
                }
            }
        });
        if ui.button("✖").on_hover_text(with_key("close the panel", Order::Panel)).clicked() {
            play.panel = false;
        }
    });
}

fn time(ui: &mut egui::Ui, play: &mut Play, trample: &mut Trample, wanted: &mut Wanted) {
    ui.horizontal(|ui| {
        let mut button =
            |ui: &mut egui::Ui, words: &str, order: Order, play: &mut Play, trample: &mut Trample| {
                if ui.button(words).on_hover_text(key_of(order)).clicked() {
                    obey(order, play, trample, wanted);
                }
            };
        button(ui, if trample.paused { "go on" } else { "pause" }, Order::Pause, play, trample);
        button(ui, "step", Order::Step, play, trample);
        if ui.button("reset").clicked() {
            let done = play.session.reset(trample.world_mut());
            play.winding = None;
            play.focus_on_walker(trample);
            play.say(done.err().unwrap_or_else(|| "begun anew".into()));
        }
        button(ui, "undo 5 s", Order::Undo, play, trample);
        button(ui, "1 min", Order::UndoMinute, play, trample);
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

fn walkers(ui: &mut egui::Ui, play: &mut Play, trample: &mut Trample, wanted: &mut Wanted) {
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
            let at = free_place(trample.world(), focus);
            play.act(trample, Action::Add { at, heading: 0.0 });
        }
        if ui.button("remove last").clicked() {
            play.act(trample, Action::Remove);
        }
        let mut on = twin_of(trample.world().scene(), play.session.focus.walker).is_some();
        if ui
            .checkbox(&mut on, "red twin")
            .on_hover_text("the same walker without balance controller, beside this one")
            .changed()
        {
            obey(Order::Twin, play, trample, wanted);
        }
    });
    ui.horizontal(|ui| {
        ui.toggle_value(&mut play.routing, with_key("place route", Order::Route));
        if ui.button("walk it").clicked() {
            obey(Order::SetOut, play, trample, wanted);
        }
        if ui.button("clear").clicked() {
            play.waypoints.path.waypoints.clear();
        }
        ui.label(format!("{} places", play.waypoints.path.waypoints.len()));
    });
    let route = &mut play.waypoints.path;
    ui.add(egui::Slider::new(&mut route.passes, 1..=500).logarithmic(true).text("passes"));
    ui.add(egui::Slider::new(&mut route.lateral_sd, 0.0..=0.5).text("variation, m"));
    ui.add(egui::Slider::new(&mut route.speed, 0.3..=5.0).text("speed, m/s"));
    ui.checkbox(&mut route.back_and_forth, "back and forth");
}

fn overlays(ui: &mut egui::Ui, play: &mut Play) {
    ui.horizontal_wrapped(|ui| {
        ui.selectable_value(&mut play.overlays.map, None, "no map");
        for map in Map::ALL {
            ui.selectable_value(&mut play.overlays.map, Some(map), map.title());
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
            if ui.selectable_value(&mut play.quality, quality, quality.name()).clicked() {
                play.resolution = quality.resolution();
            }
        }
    });
    let range = RESOLUTIONS[0]..=RESOLUTIONS[1];
    ui.add(egui::Slider::new(&mut play.resolution, range).text("resolution"));
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
        if ui.button(with_key("picture", Order::Picture)).clicked() {
            wanted.picture = true;
        }
        #[cfg(target_arch = "wasm32")]
        if ui.button("open a file").clicked() {
            crate::web::choose_files();
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
            play.say(copy_link(ui.ctx(), &query));
        }
        ui.label(egui::RichText::new(&query).monospace().size(10.0));
    });
}
