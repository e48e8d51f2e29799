//! The panel and what is written over the picture.

mod chrome;
mod parameter;
mod places;
mod season;
mod sections;

use super::canvas::Canvas;
use super::files::Wanted;
use super::input::Thumbs;
use super::timings::{self, Engine, Timings};
use super::{Play, plots};
use crate::controls::{HINT_TOUCH, hint, hint_watch};
use crate::parameter::{Parameter, parameters};
use bevy::prelude::*;
use bevy_egui::{EguiContexts, EguiPrimaryContextPass, egui};
use bevy_trample::Trample;
use std::collections::BTreeMap;

pub(super) struct PanelPlugin;

impl Plugin for PanelPlugin {
    fn build(&self, app: &mut App) {
        let timed = (timings::panel_begins, show, timings::panel_ends).chain();
        app.init_resource::<Turning>().add_systems(EguiPrimaryContextPass, timed);
    }
}

/// A slider that is being dragged.
#[derive(Resource, Default)]
pub(super) struct Turning {
    key: String,
    value: f64,
    since: f64,
    parameters: Vec<Parameter>,
    /// Pictures of the places, once they have been shown.
    pictures: Vec<egui::TextureHandle>,
    /// What the season view remembers.
    season: season::Hands,
    /// Where sliders were drawn in the last frame, by key: left, top, width of the rail and height, pixels.
    pub(super) places: BTreeMap<String, [f32; 4]>,
}

#[expect(clippy::too_many_arguments, reason = "a system takes what it needs")]
fn show(
    mut contexts: EguiContexts,
    mut play: ResMut<Play>,
    mut trample: ResMut<Trample>,
    mut wanted: ResMut<Wanted>,
    mut turning: ResMut<Turning>,
    thumbs: Res<Thumbs>,
    canvas: Res<Canvas>,
    (timings, engine): (Res<Timings>, Res<Engine>),
) -> Result {
    let ctx = contexts.ctx_mut()?;
    if turning.parameters.is_empty() {
        turning.parameters = parameters();
        style(ctx);
    }
    fit(ctx, thumbs.seen);
    canvas.paint(ctx);
    turning.places.clear();
    let (play, trample) = (&mut *play, &mut *trample);
    chrome::status_line(ctx, play, trample);
    play.covered = 0.0;
    if play.panel {
        let room = ctx.content_rect().size();
        // On a screen that is taller than wide the panel lies at the foot, so that there is something to see above it.
        let tall = room.y > room.x;
        let (anchor, most) = if tall {
            (egui::Align2::CENTER_BOTTOM, 0.33 * room.y)
        } else {
            (egui::Align2::RIGHT_TOP, (room.y - 60.0).max(120.0))
        };
        let offset = if tall { [0.0, -4.0] } else { [-8.0, 8.0] };
        let area = egui::Area::new("panel".into()).anchor(anchor, offset).show(ctx, |ui| {
            egui::Frame::window(ui.style()).show(ui, |ui| {
                let scroll =
                    egui::ScrollArea::vertical().max_height(most - 24.0).min_scrolled_height(most - 24.0);
                scroll.show(ui, |ui| {
                    ui.set_width(if tall { room.x - 40.0 } else { WIDE });
                    sections::contents(ui, play, trample, &mut wanted, &mut turning);
                });
            });
        });
        play.covered = if tall {
            0.0
        } else {
            (area.response.rect.width() + 8.0) / ctx.viewport_rect().width().max(1.0)
        };
    }
    if !play.panel {
        chrome::open(ctx, play);
        if thumbs.seen && play.season.is_none() {
            chrome::thumbs(ctx, &thumbs);
        }
    }
    if play.season.is_some() {
        season::show(ctx, play, trample, &mut turning.season);
    }
    if play.plots {
        plots::show(ctx, play, trample);
    }
    if let Some(map) = play.overlays.map {
        chrome::colour_bar(ctx, play, trample, map);
    }
    if play.session.player.is_some() {
        chrome::replay(ctx, play, trample);
    }
    // Above the bars that a season and a panel at the foot of the screen have there.
    let tall = play.panel && ctx.content_rect().height() > ctx.content_rect().width();
    let up = match (play.season.is_some(), tall) {
        (true, _) => 118.0,
        (false, true) => 0.36 * ctx.content_rect().height(),
        (false, false) => 12.0,
    };
    if play.notice.1 > play.now && !play.notice.0.is_empty() {
        let cream = egui::Color32::from_rgb(255, 240, 190);
        chrome::foot(ctx, "notice", &play.notice.0.clone(), cream, up);
    } else if play.hint && play.season.is_none() {
        let steered = trample.world().walker(play.session.focus.walker).is_some();
        let hint = match (steered && play.session.player.is_none(), thumbs.seen) {
            (false, _) => hint_watch(),
            (true, true) => HINT_TOUCH.into(),
            (true, false) => hint(),
        };
        chrome::foot(ctx, "hint", &hint, egui::Color32::WHITE, up);
    }
    if play.timings {
        chrome::timings(ctx, &timings);
    }
    chrome::loading(ctx, &engine);
    chrome::banner(ctx, play);
    if play.help {
        chrome::help(ctx, play);
    }
    if play.places {
        places::show(ctx, play, trample, &mut turning.pictures);
    }
    // Tab opens and closes the panel; it must not lead keys into it.
    if ctx.input(|i| i.key_pressed(egui::Key::Tab))
        && let Some(id) = ctx.memory(egui::Memory::focused)
    {
        ctx.memory_mut(|m| m.surrender_focus(id));
    }
    Ok(())
}

/// Width of the panel's contents, points: with its frame less than a third of a window that is as wide as [`fit`] makes it.
const WIDE: f32 = 290.0;

fn style(ctx: &egui::Context) {
    ctx.set_visuals(egui::Visuals {
        window_fill: egui::Color32::from_rgba_unmultiplied(24, 27, 31, 248),
        ..egui::Visuals::dark()
    });
    ctx.global_style_mut(|style| {
        style.spacing.slider_width = 170.0;
        style.spacing.item_spacing = [6.0, 4.0].into();
    });
}

/// Letters as large as the window asks for: from a small test window to 4K. Where fingers press them, never small.
fn fit(ctx: &egui::Context, touch: bool) {
    let pixels = ctx.viewport_rect().size() * ctx.zoom_factor();
    let least = if touch { 0.85 } else { 0.5 };
    // Never so large that the widest row does not fit.
    let wanted = (pixels.x / 1150.0).min(pixels.y / 640.0).clamp(least, 2.4).min(pixels.x / (WIDE + 60.0));
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
