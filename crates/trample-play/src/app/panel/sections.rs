//! The sections of the panel, from the scene at the top to files at the foot.

use super::{Turning, row};
use crate::action::{Action, free_place, twin_of};
use crate::app::files::{Wanted, copy_link};
use crate::app::{Play, input};
use crate::camera::View;
use crate::link;
use crate::options::{Overlays, Quality, RESOLUTIONS, TIME_SCALES};
use crate::start;
use crate::table::Group;
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
            row::which(ui, play, trample, group);
            for parameter in all.iter().filter(|r| r.group == group) {
                row::parameter(ui, play, trample, turning, parameter);
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
                        Ok(source) => {
                            play.load(trample, source);
                        }
                        Err(problem) => play.say(problem.to_string()),
                    }
                }
            }
        });
        if ui.button("✖").on_hover_text("close the panel (Tab)").clicked() {
            play.panel = false;
        }
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
            let at = free_place(trample.world(), focus);
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
        if ui.button("picture (F12)").clicked() {
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
            play.say(copy_link(ui.ctx(), &query));
        }
        ui.label(egui::RichText::new(&query).monospace().size(10.0));
    });
}
