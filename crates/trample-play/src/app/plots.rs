//! Live plots: force under each foot, depth, cover, times of the stages, frames per second.

use super::Play;
use crate::meters::{Curve, SPAN};
use bevy_egui::egui;
use bevy_trample::Trample;
use egui_plot::{Line, Plot, PlotPoints};
use trample::Stage;

const RIGHT: egui::Color32 = egui::Color32::from_rgb(240, 120, 80);
const LEFT: egui::Color32 = egui::Color32::from_rgb(90, 160, 250);
const GREEN: egui::Color32 = egui::Color32::from_rgb(110, 210, 110);
const STAGES: [egui::Color32; 6] = [
    egui::Color32::from_rgb(220, 220, 220),
    egui::Color32::from_rgb(240, 200, 70),
    egui::Color32::from_rgb(230, 110, 90),
    egui::Color32::from_rgb(110, 200, 110),
    egui::Color32::from_rgb(180, 130, 90),
    egui::Color32::from_rgb(120, 160, 240),
];

/// A named curve, its colour, and what its values are multiplied by.
type Trace<'a> = (&'a str, &'a Curve, egui::Color32, f64);

pub(super) fn show(ctx: &egui::Context, play: &Play, trample: &Trample) {
    let meters = &play.session.meters;
    let time = trample.world().time();
    egui::Window::new("plots")
        .anchor(egui::Align2::LEFT_TOP, [10.0, 44.0])
        .title_bar(false)
        .resizable(false)
        .show(ctx, |ui| {
            ui.set_width(300.0);
            let [right, left] = &meters.force;
            plot(
                ui,
                "force under each foot, N",
                time,
                &[("right", right, RIGHT, 1.0), ("left", left, LEFT, 1.0)],
            );
            let [right, left] = &meters.depth;
            plot(
                ui,
                "depth under each foot, mm",
                time,
                &[("right", right, RIGHT, 1e3), ("left", left, LEFT, 1e3)],
            );
            if !trample.world().plants().is_empty() {
                plot(ui, "cover around the walker, %", time, &[("cover", &meters.cover, GREEN, 100.0)]);
            }
            let stages: Vec<Trace<'_>> = Stage::ALL
                .iter()
                .zip(&meters.stages)
                .zip(STAGES)
                .map(|((stage, curve), colour)| (stage.name(), curve, colour, 1e3))
                .collect();
            plot(ui, "time of a step's stages, ms", time, &stages);
            plot(ui, "frames per second", play.now, &[("fps", &meters.frames, LEFT, 1.0)]);
        });
}

/// A value in a few digits.
fn short(x: f64) -> String {
    if x.abs() >= 20.0 { format!("{x:.0}") } else { format!("{x:.2}") }
}

fn plot(ui: &mut egui::Ui, title: &str, now: f64, curves: &[Trace<'_>]) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        ui.label(egui::RichText::new(title).size(11.0));
        // Names and values above the curves, in their colours: over them they would hide what is drawn.
        for (name, curve, colour, factor) in curves {
            let value = curve.last().map_or(String::new(), |v| short(v * factor));
            let words = if curves.len() > 1 { format!("{name} {value}") } else { value };
            ui.label(egui::RichText::new(words).size(11.0).color(*colour));
        }
    });
    let lines: Vec<Line<'_>> = curves
        .iter()
        .map(|(name, curve, colour, factor)| {
            let points: PlotPoints<'_> = curve.points().map(|[t, v]| [t - now, v * factor]).collect();
            Line::new(*name, points).color(*colour).width(1.4)
        })
        .collect();
    Plot::new(title)
        .height(70.0)
        .include_x(-SPAN)
        .include_x(0.0)
        .include_y(0.0)
        .y_axis_min_width(28.0)
        .x_axis_formatter(|mark, _| format!("{:.0} s", mark.value))
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show_x(false)
        .set_margin_fraction([0.0, 0.08].into())
        .show(ui, |ui| lines.into_iter().for_each(|line| ui.line(line)));
}
