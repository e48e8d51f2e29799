//! The panel and what is written over the picture.

mod chrome;
mod row;
mod sections;

use super::canvas::Canvas;
use super::files::Wanted;
use super::input::Thumbs;
use super::{Play, plots};
use crate::keys::{HINT, HINT_TOUCH, HINT_WATCH};
use crate::table::{Row, rows};
use bevy::prelude::*;
use bevy_egui::{EguiContexts, EguiPrimaryContextPass, egui};
use bevy_trample::Trample;
use std::collections::BTreeMap;

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
    thumbs: Res<Thumbs>,
    canvas: Res<Canvas>,
) -> Result {
    let ctx = contexts.ctx_mut()?;
    if turning.rows.is_empty() {
        turning.rows = rows();
        style(ctx);
    }
    fit(ctx);
    canvas.paint(ctx);
    turning.places.clear();
    let (play, trample) = (&mut *play, &mut *trample);
    chrome::status_line(ctx, play, trample);
    play.covered = 0.0;
    if play.panel {
        let most = (ctx.content_rect().height() - 60.0).max(120.0);
        let area =
            egui::Area::new("panel".into()).anchor(egui::Align2::RIGHT_TOP, [-8.0, 8.0]).show(ctx, |ui| {
                egui::Frame::window(ui.style()).show(ui, |ui| {
                    let scroll =
                        egui::ScrollArea::vertical().max_height(most - 24.0).min_scrolled_height(most - 24.0);
                    scroll.show(ui, |ui| {
                        ui.set_width(330.0);
                        sections::contents(ui, play, trample, &mut wanted, &mut turning);
                    });
                });
            });
        play.covered = (area.response.rect.width() + 8.0) / ctx.viewport_rect().width().max(1.0);
    }
    if !play.panel {
        chrome::open(ctx, play);
        if thumbs.seen {
            chrome::thumbs(ctx, &thumbs);
        }
    }
    if play.plots {
        plots::show(ctx, play, trample);
    }
    if let Some(map) = play.overlays.map {
        chrome::colour_bar(ctx, play, trample, map);
    }
    if play.notice.1 > play.now && !play.notice.0.is_empty() {
        chrome::foot(ctx, "notice", &play.notice.0.clone(), egui::Color32::from_rgb(255, 240, 190));
    } else if play.hint {
        let steered = trample.world().walker(play.session.focus.walker).is_some();
        let hint = match (steered && play.session.player.is_none(), thumbs.seen) {
            (false, _) => HINT_WATCH,
            (true, true) => HINT_TOUCH,
            (true, false) => HINT,
        };
        chrome::foot(ctx, "hint", hint, egui::Color32::WHITE);
    }
    chrome::banner(ctx, play);
    if play.help {
        chrome::help(ctx, play);
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

/// A number as short as it can be read.
fn number(x: f64) -> String {
    let size = x.abs();
    if size != 0.0 && !(1e-3..1e5).contains(&size) {
        return format!("{x:.2e}");
    }
    let text = if size >= 100.0 { format!("{x:.0}") } else { format!("{x:.3}") };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}
