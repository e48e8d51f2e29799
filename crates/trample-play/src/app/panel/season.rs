//! The season view: the map with its trails, the time bar, gates to drag, ground to close.

use super::chrome::dark;
use crate::app::Play;
use crate::controls::{Order, key_of};
use crate::season::SeasonView;
use bevy_egui::egui;
use bevy_trample::Trample;
use trample::scene::Area;
use trample_files::Source;

/// How near to a gate a press takes hold of it, points.
const HOLD: f32 = 16.0;
/// Corners of a closure are this far apart while it is drawn, points.
const CORNER: f32 = 8.0;
const WAY: egui::Color32 = egui::Color32::from_rgba_premultiplied(30, 30, 40, 40);
const GATE: egui::Color32 = egui::Color32::from_rgb(196, 58, 48);
const CLOSED: egui::Color32 = egui::Color32::from_rgb(240, 150, 40);

/// What the view remembers from frame to frame.
#[derive(Default)]
pub(super) struct Hands {
    /// The map on the card, and of which day of how many gates and closures.
    map: Option<(egui::TextureHandle, usize)>,
    /// The gate that is held.
    gate: Option<usize>,
    /// Whether a press draws a closure.
    closing: bool,
    /// The closure that is being drawn, x and z, m.
    outline: Vec<[f64; 2]>,
}

/// Shows a season and lets it be changed, until somebody goes to one of its days.
pub(super) fn show(ctx: &egui::Context, play: &mut Play, trample: &mut Trample, hands: &mut Hands) {
    let Some(mut season) = play.season.take() else {
        hands.map = None;
        return;
    };
    let covered = play.covered * ctx.viewport_rect().width();
    let whole = ctx.viewport_rect();
    let mut stays = true;
    let area = egui::Area::new("season".into()).order(egui::Order::Background).fixed_pos(whole.min);
    area.show(ctx, |ui| {
        ui.painter().rect_filled(whole, 0.0, egui::Color32::from_rgb(24, 27, 31));
        ui.allocate_rect(whole, egui::Sense::hover());
        let room = egui::Rect::from_min_max(
            whole.min + egui::vec2(12.0, 44.0),
            whole.max - egui::vec2(12.0 + covered, 118.0),
        );
        draw(ui, room, play, &mut season, hands);
    });
    egui::Area::new("days".into()).anchor(egui::Align2::LEFT_BOTTOM, [12.0, -10.0]).show(ctx, |ui| {
        dark(ui, |ui| {
            ui.set_width((whole.width() - covered - 46.0).max(200.0));
            bar(ui, &mut season);
            stays = buttons(ui, play, trample, &mut season, hands);
        });
    });
    if stays {
        play.season = Some(season);
    }
}

/// The map with everything on it.
fn draw(ui: &mut egui::Ui, room: egui::Rect, play: &mut Play, season: &mut SeasonView, hands: &mut Hands) {
    let extent = season.scene().terrain.size.map(|m| m as f32);
    let scale = (room.width() / extent[0]).min(room.height() / extent[1]).max(1e-3);
    let size = egui::vec2(extent[0], extent[1]) * scale;
    let rect = egui::Rect::from_center_size(room.center(), size);
    let place = |p: [f64; 2]| rect.min + egui::vec2(p[0] as f32, p[1] as f32) * scale;
    let ground = |at: egui::Pos2| [at.x - rect.min.x, at.y - rect.min.y].map(|x| f64::from(x / scale));

    let shown = season.at as usize;
    if hands.map.as_ref().is_none_or(|(_, day)| *day != shown) {
        let image = egui::ColorImage::from_rgb(season.size(), &season.map());
        let texture = ui.ctx().load_texture("season", image, egui::TextureOptions::LINEAR);
        hands.map = Some((texture, shown));
    }
    let painter = ui.painter().clone();
    if let Some((map, _)) = &hands.map {
        let all = egui::Rect::from_min_max(egui::Pos2::ZERO, egui::pos2(1.0, 1.0));
        painter.image(map.id(), rect, all, egui::Color32::WHITE);
    }
    if let Some(day) = season.shown() {
        for way in &day.ways {
            painter.line(way.iter().map(|p| place(*p)).collect(), egui::Stroke::new(1.0, WAY));
        }
    }
    let Some(about) = season.scene().season.clone() else { return };
    for closure in &about.calendar.closures {
        let on = (closure.from..=closure.to).contains(&(season.at as i64));
        let stroke = egui::Stroke::new(if on { 3.0 } else { 1.0 }, CLOSED);
        match &closure.area {
            Area::Polygon(corners) => {
                let corners: Vec<egui::Pos2> = corners.iter().map(|p| place(*p)).collect();
                painter.add(egui::Shape::closed_line(corners, stroke));
            }
            Area::Disc { centre, radius } => {
                painter.circle_stroke(place(*centre), *radius as f32 * scale, stroke);
            }
            Area::Route(index) => {
                let corners = about.routes.get(*index).map_or(&[][..], |r| &r.waypoints[..]);
                painter.line(corners.iter().map(|p| place(*p)).collect(), stroke);
            }
        }
    }
    for at in season.walkers(play.now) {
        painter.circle(place(at), 3.0, egui::Color32::WHITE, egui::Stroke::new(1.0, egui::Color32::BLACK));
    }
    for (i, gate) in about.gates.iter().enumerate() {
        let held = hands.gate == Some(i);
        let ring = egui::Stroke::new(2.0, egui::Color32::WHITE);
        painter.circle(place(gate.place), if held { 10.0 } else { 7.0 }, GATE, ring);
        let label = place(gate.place) + egui::vec2(0.0, -12.0);
        let inside =
            egui::pos2(label.x.clamp(rect.min.x + 30.0, rect.max.x - 30.0), label.y.max(rect.min.y + 14.0));
        let font = egui::FontId::proportional(13.0);
        for (shift, colour) in [(1.0, egui::Color32::BLACK), (0.0, egui::Color32::WHITE)] {
            let at = inside + egui::vec2(shift, shift);
            painter.text(at, egui::Align2::CENTER_BOTTOM, &gate.name, font.clone(), colour);
        }
    }
    if hands.outline.len() > 1 {
        let line = hands.outline.iter().map(|p| place(*p)).collect();
        painter.line(line, egui::Stroke::new(2.0, CLOSED));
    }

    let hand = ui.interact(rect, "season-map".into(), egui::Sense::click_and_drag());
    if let Some(at) = hand.interact_pointer_pos() {
        if hand.drag_started() {
            let from = ui.input(|i| i.pointer.press_origin()).unwrap_or(at);
            let apart = |p: [f64; 2]| place(p).distance(from);
            let nearest = (0..about.gates.len())
                .min_by(|a, b| apart(about.gates[*a].place).total_cmp(&apart(about.gates[*b].place)));
            hands.gate = nearest.filter(|g| !hands.closing && apart(about.gates[*g].place) < HOLD);
            hands.outline = if hands.closing { vec![ground(from)] } else { Vec::new() };
        }
        if let Some(gate) = hands.gate {
            season.move_gate(gate, ground(at));
        } else if let Some(last) = hands.outline.last()
            && place(*last).distance(at) > CORNER
        {
            hands.outline.push(ground(at));
        }
    }
    if hand.drag_stopped() {
        if hands.outline.len() > 2 {
            season.close(std::mem::take(&mut hands.outline));
        }
        hands.outline.clear();
        if hands.gate.take().is_some() || season.is_changed() {
            hands.closing = false;
            hands.map = None;
            match season.restart() {
                Ok(()) => play.say("season restarted with your changes"),
                Err(problem) => play.say(problem),
            }
        }
    }
}

/// The time bar and what the day was like.
fn bar(ui: &mut egui::Ui, season: &mut SeasonView) {
    ui.horizontal(|ui| {
        let sign = if season.playing { "⏸" } else { "▶" };
        if ui.button(sign).on_hover_text(key_of(Order::Pause)).clicked() {
            // At the end of the season it begins to play anew.
            if !season.playing && season.at >= season.length() as f64 {
                season.at = 0.0;
            }
            season.playing = !season.playing;
        }
        let (length, known) = (season.length() as f64, season.known() as f64);
        ui.spacing_mut().slider_width = (ui.available_width() - 90.0).max(80.0);
        let mut at = season.at;
        let bar = egui::Slider::new(&mut at, 0.0..=length).show_value(false);
        let bar = ui.add(bar);
        if bar.changed() {
            season.at = at.clamp(0.0, known);
            season.playing = false;
        }
        // Days that are known already.
        let share = (known / length.max(1.0)) as f32;
        let line =
            [bar.rect.left_bottom(), bar.rect.left_bottom() + egui::vec2(share * bar.rect.width(), 0.0)];
        ui.painter().line_segment(line, egui::Stroke::new(2.0, egui::Color32::from_rgb(127, 176, 105)));
        ui.label(egui::RichText::new(season.date().to_string()).color(egui::Color32::WHITE));
    });
    let words = if let Some(problem) = &season.problem {
        problem.clone()
    } else if season.is_recording() {
        "recording footprints on this ground …".into()
    } else if let Some(day) = season.shown() {
        let row = &day.row;
        let shut =
            if row.not_walked > 0 { format!("   {} found no way", row.not_walked) } else { String::new() };
        format!(
            "day {} of {}   {} walks   {} footfalls   rain {:.0} mm   {:.0} % of plant cover left{shut}",
            row.day + 1,
            season.length(),
            row.walks,
            row.footfalls,
            row.rain,
            100.0 * day.cover,
        )
    } else {
        format!("the first morning of {} days", season.length())
    };
    ui.label(egui::RichText::new(words).color(egui::Color32::WHITE).size(13.0));
}

/// What can be done; false if the view is left.
fn buttons(
    ui: &mut egui::Ui,
    play: &mut Play,
    trample: &mut Trample,
    season: &mut SeasonView,
    hands: &mut Hands,
) -> bool {
    let mut stays = true;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().slider_width = 90.0;
        ui.add(
            egui::Slider::new(&mut season.pace, 0.5..=60.0)
                .logarithmic(true)
                .fixed_decimals(1)
                .suffix(" days/s"),
        );
        let words = "draw a closure";
        ui.toggle_value(&mut hands.closing, words)
            .on_hover_text("drag around an area to close it from this day on");
        let closed = season.scene().season.as_ref().is_some_and(|s| !s.calendar.closures.is_empty());
        if closed && ui.button("open all").clicked() {
            season.reopen();
            hands.map = None;
            if let Err(problem) = season.restart() {
                play.say(problem);
            }
        }
        let live = season.shown().map(|day| day.live.clone());
        let enter = ui.add_enabled(live.is_some(), egui::Button::new("walk among them"));
        if let Some(live) = live
            && enter.on_hover_text("some of this day's people, live, on their paths").clicked()
        {
            match Source::of_scene(&live).map_err(|e| e.to_string()) {
                Ok(source) => stays = !play.load(trample, source),
                Err(problem) => play.say(problem),
            }
        }
        if ui.button("places").on_hover_text(key_of(Order::Places)).clicked() {
            play.places = true;
        }
        ui.label(egui::RichText::new("drag a gate to move it").color(egui::Color32::LIGHT_GRAY).size(12.0));
    });
    stays
}
