//! The status object: written to a file where asked for, and to the page in a browser.

use super::Play;
use super::canvas::Canvas;
use super::panel::Turning;
use crate::status::{WindowState, status};
use bevy::platform::time::Instant;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_trample::{Trample, Uploads};
use std::path::PathBuf;
use trample::Map;

/// Frames between two writings.
const EVERY: u64 = 20;

pub(super) struct ReportPlugin {
    pub(super) file: Option<PathBuf>,
}

/// Where the status goes, and since when.
#[derive(Resource)]
pub(super) struct Report {
    pub(super) file: Option<PathBuf>,
    pub(super) frame: u64,
    /// A file to write to once, at the end of this frame.
    pub(super) once: Option<PathBuf>,
    /// Most bytes of the ground in a frame after the first seconds.
    most_uploaded: u64,
    began: Instant,
    first: Option<f64>,
}

impl Plugin for ReportPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(Report {
            file: self.file.clone(),
            frame: 0,
            once: None,
            most_uploaded: 0,
            began: Instant::now(),
            first: None,
        });
        app.add_systems(Last, write);
    }
}

#[expect(clippy::too_many_arguments, reason = "a system takes what it needs")]
fn write(
    mut report: ResMut<Report>,
    play: Res<Play>,
    trample: Res<Trample>,
    uploads: Res<Uploads>,
    turning: Res<Turning>,
    windows: Query<&Window, With<PrimaryWindow>>,
    eyes: Query<&Transform, With<Camera3d>>,
    canvas: Res<Canvas>,
) {
    report.frame += 1;
    if report.frame == 2 {
        // The first frame has been drawn when the second is over.
        report.first = Some(report.began.elapsed().as_secs_f64());
    }
    if report.frame > 120 {
        report.most_uploaded = report.most_uploaded.max(uploads.bytes_last_frame);
    }
    let often = report.frame.is_multiple_of(EVERY) && (report.file.is_some() || cfg!(target_arch = "wasm32"));
    if !often && report.once.is_none() {
        return;
    }
    let window = windows.iter().next();
    let shown = WindowState {
        frame: report.frame,
        window: window.map_or([0, 0], |w| [w.physical_width(), w.physical_height()]),
        picture: canvas.size,
        camera: play.rig.view.name(),
        eye: eyes.iter().next().map_or([0.0; 3], |t| t.translation.to_array()),
        overlay: play.overlays.map.map(Map::name),
        switches: play.overlays.on(),
        quality: play.quality.name(),
        paused: trample.paused,
        time_scale: trample.time_scale,
        panel: play.panel,
        help: play.help,
        sound: (play.sound, play.heard),
        places: play.places,
        season: play.season.as_ref().map(|s| [s.at, s.known() as f64, s.length() as f64]),
        winding: play.winding.is_some(),
        waypoints: play.waypoints.path.waypoints.len(),
        uploaded: [uploads.bytes_last_frame, report.most_uploaded],
        sliders: turning.places.clone(),
        notice: play.notice.0.clone(),
        first_frame: report.first.unwrap_or(0.0),
    };
    let text = status(&play.session, trample.world(), &shown).to_string();
    #[cfg(target_arch = "wasm32")]
    crate::web::publish(&text);
    #[cfg(not(target_arch = "wasm32"))]
    for file in report.once.take().iter().chain(report.file.iter().filter(|_| often)) {
        // Replaced atomically, so that a reader never sees half of it.
        let _ = trample_files::atomic::write(file, text.as_bytes());
    }
}
