//! What is written over the picture: the status line, the hint, help, the legend and the banner.

use crate::app::Play;
use crate::app::input::Thumbs;
use crate::app::timings::{Engine, Timings};
use crate::controls::{LINES, Order, key_of};
use crate::thumbs;
use bevy_egui::egui;
use bevy_trample::Trample;
use trample::Map;
use trample_looks::Colours;

/// What happens, in one line.
pub(super) fn status_line(ctx: &egui::Context, play: &Play, trample: &Trample) {
    let (world, meters) = (trample.world(), &play.session.meters);
    let state = match (&play.session.player, trample.paused) {
        (Some(player), paused) => {
            let stands = if paused { "   PAUSED" } else { "" };
            format!("REPLAY {:.0} %{stands}", 100.0 * player.share())
        }
        _ if play.winding.is_some() => "WINDING".into(),
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
    let scene = world.scene();
    let text = if play.season.is_some() { format!("{}   {}", scene.name, scene.about) } else { text };
    told("status").anchor(egui::Align2::LEFT_TOP, [10.0, 8.0]).show(ctx, |ui| {
        dark(ui, |ui| {
            let room = ctx.content_rect().width() - if play.panel { 360.0 } else { 40.0 };
            ui.set_max_width(room.max(160.0));
            ui.label(egui::RichText::new(text.trim_end()).color(egui::Color32::WHITE).size(13.0));
        });
    });
}

/// An area that only tells: fingers and the mouse go through to the world.
fn told(id: &str) -> egui::Area {
    egui::Area::new(egui::Id::new(id)).interactable(false)
}

pub(super) fn dark(ui: &mut egui::Ui, add: impl FnOnce(&mut egui::Ui)) {
    egui::Frame::new()
        .fill(egui::Color32::from_black_alpha(150))
        .corner_radius(4)
        .inner_margin(egui::Margin::symmetric(8, 4))
        .show(ui, add);
}

/// A line at the foot of the window, so many points above it.
pub(super) fn foot(ctx: &egui::Context, id: &str, text: &str, colour: egui::Color32, up: f32) {
    told(id).anchor(egui::Align2::CENTER_BOTTOM, [0.0, -up]).show(ctx, |ui| {
        dark(ui, |ui| {
            ui.set_max_width(ctx.content_rect().width() - 60.0);
            ui.label(egui::RichText::new(text).color(colour).size(14.0));
        });
    });
}

/// The bar of a replay: where it is, and where it is wound to.
pub(super) fn replay(ctx: &egui::Context, play: &mut Play, trample: &Trample) {
    let Some(player) = &play.session.player else { return };
    let (last, dt) = (player.tape().steps(), trample.world().scene().dt());
    let now = trample.steps();
    egui::Area::new("replay".into()).anchor(egui::Align2::CENTER_BOTTOM, [0.0, -46.0]).show(ctx, |ui| {
        dark(ui, |ui| {
            ui.horizontal(|ui| {
                for (sign, seconds, order) in [("⏪", -5.0, Order::Slower), ("⏩", 5.0, Order::Faster)] {
                    if ui.button(sign).on_hover_text(key_of(order)).clicked() {
                        play.wind_by(trample, seconds);
                    }
                }
                let mut at = play.winding.unwrap_or(now) as f64 * dt;
                ui.spacing_mut().slider_width = (0.35 * ctx.content_rect().width()).clamp(80.0, 420.0);
                let bar = egui::Slider::new(&mut at, 0.0..=last as f64 * dt).fixed_decimals(1).suffix(" s");
                if ui.add(bar).changed() {
                    play.winding = Some((at / dt) as u64);
                }
                ui.label(
                    egui::RichText::new(format!("of {:.1} s", last as f64 * dt)).color(egui::Color32::WHITE),
                );
            });
        });
    });
}

/// What a frame costs, where it is asked for.
pub(super) fn timings(ctx: &egui::Context, timings: &Timings) {
    let Some(frame) = timings.mean() else { return };
    let text = format!("own {:.2} {}", frame.own(), frame.words());
    told("timings").anchor(egui::Align2::LEFT_TOP, [10.0, 40.0]).show(ctx, |ui| {
        dark(ui, |ui| {
            ui.label(egui::RichText::new(text).color(egui::Color32::WHITE).monospace().size(11.0));
        });
    });
}

/// How many shaders are ready, until all are.
pub(super) fn loading(ctx: &egui::Context, engine: &Engine) {
    let [ready, all] = engine.shaders();
    if ready >= all {
        return;
    }
    // A quarter of the height above the middle: hints lie lower.
    let up = -0.25 * ctx.content_rect().height();
    told("loading").anchor(egui::Align2::CENTER_CENTER, [0.0, up]).show(ctx, |ui| {
        dark(ui, |ui| {
            let bar = egui::ProgressBar::new(ready as f32 / all as f32);
            ui.add(bar.desired_width(260.0).text(format!("compiling shaders: {ready} of {all}")));
        });
    });
}

/// A replay that differs is no small matter.
pub(super) fn banner(ctx: &egui::Context, play: &Play) {
    let now = play.session.player.as_ref().and_then(|p| p.diverged);
    let Some(step) = now.or(play.session.replayed.and_then(|(step, _)| step)) else { return };
    told("diverged").anchor(egui::Align2::CENTER_TOP, [0.0, 48.0]).show(ctx, |ui| {
        egui::Frame::new().fill(egui::Color32::from_rgb(170, 20, 20)).inner_margin(10).show(ui, |ui| {
            let text = format!("DIVERGED at step {step}");
            ui.label(egui::RichText::new(text).color(egui::Color32::WHITE).size(24.0).strong());
        });
    });
}

pub(super) fn help(ctx: &egui::Context, play: &mut Play) {
    let mut open = true;
    // As large as the table, or as the window allows.
    let room = ctx.content_rect().size();
    let size = [740.0_f32.min(room.x - 40.0).max(160.0), 560.0_f32.min(room.y - 70.0).max(100.0)];
    egui::Window::new("Keys")
        .open(&mut open)
        .fixed_size(size)
        .anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0])
        .resizable(false)
        .collapsible(false)
        .show(ctx, |ui| {
            egui::ScrollArea::both().auto_shrink(false).show(ui, |ui| {
                egui::Grid::new("help").num_columns(3).spacing([18.0, 4.0]).striped(true).show(ui, |ui| {
                    ui.strong("keys and mouse");
                    ui.strong("gamepad, touch");
                    ui.strong("what");
                    ui.end_row();
                    for line in LINES {
                        ui.monospace(line.keys());
                        ui.label(line.buttons());
                        ui.label(line.what);
                        ui.end_row();
                    }
                });
            });
        });
    play.help = open;
}

/// Which value is which colour.
pub(super) fn colour_bar(ctx: &egui::Context, play: &Play, trample: &Trample, map: Map) {
    let range = play.range.1.map(f64::from);
    let legend = trample_looks::legend(trample.world(), map, range);
    told("legend").anchor(egui::Align2::LEFT_BOTTOM, [12.0, -48.0]).show(ctx, |ui| {
        dark(ui, |ui| {
            let unit = if legend.unit.is_empty() { String::new() } else { format!(", {}", legend.unit) };
            ui.label(
                egui::RichText::new(format!("{}{unit}", legend.title)).color(egui::Color32::WHITE).strong(),
            );
            let (rect, _) = ui.allocate_exact_size([230.0, 34.0].into(), egui::Sense::hover());
            let painter = ui.painter();
            let bar = egui::Rect::from_min_size(rect.min + egui::vec2(8.0, 2.0), egui::vec2(210.0, 12.0));
            // One strip of coloured corners: pieces side by side would show their seams.
            let mut strip = egui::Mesh::default();
            let n = 32;
            for i in 0..=n {
                let t = i as f32 / n as f32;
                let x = bar.min.x + bar.width() * t;
                let [r, g, b] = legend.ramp.at(t);
                for y in [bar.min.y, bar.max.y] {
                    strip.colored_vertex(egui::pos2(x, y), egui::Color32::from_rgb(r, g, b));
                }
                if i < n {
                    strip.add_triangle(2 * i, 2 * i + 1, 2 * i + 2);
                    strip.add_triangle(2 * i + 1, 2 * i + 2, 2 * i + 3);
                }
            }
            painter.add(strip);
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
                legend.ticks.iter().for_each(|(t, label)| write(place(*t), label.clone()));
            } else {
                legend.names.iter().enumerate().for_each(|(i, name)| write(place(i as f64), name.clone()));
            }
        });
    });
}

/// The button that opens the panel.
pub(super) fn open(ctx: &egui::Context, play: &mut Play) {
    egui::Area::new("open".into()).anchor(egui::Align2::RIGHT_TOP, [-8.0, 8.0]).show(ctx, |ui| {
        let words = egui::RichText::new("☰").size(20.0);
        ui.horizontal(|ui| {
            let places = egui::RichText::new("places").size(15.0);
            if ui.button(places).on_hover_text(key_of(Order::Places)).clicked() {
                play.places = true;
            }
            if ui.button(words).on_hover_text(format!("panel ({})", key_of(Order::Panel))).clicked() {
                play.panel = true;
            }
        });
    });
}

/// The stick and the buttons of a touch screen.
pub(super) fn thumbs(ctx: &egui::Context, touch: &Thumbs) {
    // Touches are told in logical pixels of the window; letters and lines here are as large as the panel's.
    let zoom = ctx.zoom_factor();
    let size = (ctx.viewport_rect().size() * zoom).into();
    let painter = ctx.layer_painter(egui::LayerId::background());
    let at = |p: [f32; 2]| egui::pos2(p[0] / zoom, p[1] / zoom);
    let radius = thumbs::radius(size) / zoom;
    let line = egui::Stroke::new(1.5, egui::Color32::from_white_alpha(150));
    for (order, label, place) in thumbs::buttons() {
        let middle = at(thumbs::centre(place, size));
        let fill = if touch.held.contains(&order) { 130 } else { 60 };
        painter.circle(middle, radius, egui::Color32::from_black_alpha(fill), line);
        let font = egui::FontId::proportional(0.42 * radius);
        painter.text(middle, egui::Align2::CENTER_CENTER, label, font, egui::Color32::WHITE);
    }
    if let Some([start, now]) = touch.stick {
        painter.circle_stroke(at(start.to_array()), thumbs::STICK / zoom, line);
        painter.circle_filled(
            at(now.to_array()),
            0.4 * thumbs::STICK / zoom,
            egui::Color32::from_white_alpha(120),
        );
    }
}
