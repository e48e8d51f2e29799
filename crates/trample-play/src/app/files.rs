//! Files in and out: what is dropped on the window, pictures, saved runs and exported maps.

use super::Play;
use super::input::{Eyes, ray};
use crate::camera::walker_at;
use crate::dropped::{self, Dropped, Running};
use crate::export;
use crate::inbox;
use crate::session::Session;
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, save_to_disk};
use bevy::window::{FileDragAndDrop, PrimaryWindow};
use bevy_egui::egui;
use bevy_trample::Trample;
use std::path::{Path, PathBuf};
use trample::World;
use trample_files::RunFile;

pub(super) struct FilesPlugin;

impl Plugin for FilesPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Wanted>();
        app.add_systems(Update, (take, drop_in, write).after(super::input::Reading));
    }
}

/// What is wanted of the file system.
#[derive(Resource, Default)]
pub(super) struct Wanted {
    /// A picture of the window.
    pub(super) picture: bool,
    /// A picture of the window in a given file.
    pub(super) picture_to: Option<PathBuf>,
    /// The run and all maps.
    pub(super) save: bool,
    /// A file to open, as if it were dropped.
    pub(super) open: Option<PathBuf>,
    /// What to say, and in how many frames.
    told: Option<(String, u8)>,
    /// Whether an opened run is shown from its beginning.
    pub(super) from_start: bool,
}

/// A name in a folder that is not taken yet.
fn fresh(folder: &Path, stem: &str, ending: &str) -> PathBuf {
    let name = |i: usize| folder.join(format!("{stem}-{i:03}{ending}"));
    (1..1000).map(name).find(|p| !p.exists()).unwrap_or_else(|| name(1000))
}

fn take(mut commands: Commands, mut wanted: ResMut<Wanted>, mut play: ResMut<Play>) {
    match wanted.told.take() {
        Some((words, 0)) => play.say(words),
        waits => wanted.told = waits.map(|(words, frames)| (words, frames - 1)),
    }
    let given = wanted.picture_to.take();
    if !std::mem::take(&mut wanted.picture) && given.is_none() {
        return;
    }
    let path = given.unwrap_or_else(|| {
        let _ = std::fs::create_dir_all(&play.folder);
        fresh(&play.folder, "picture", ".png")
    });
    // Said when the picture has been taken, or it would be on it.
    wanted.told = Some((format!("picture: {}", path.display()), 3));
    commands.spawn(Screenshot::primary_window()).observe(save_to_disk(path));
}

fn write(mut wanted: ResMut<Wanted>, mut play: ResMut<Play>, trample: Res<Trample>) {
    if !std::mem::take(&mut wanted.save) {
        return;
    }
    let told = save(&play, trample.world()).unwrap_or_else(|problem| problem);
    play.say(told);
}

/// Writes run and maps into a new folder, and says where.
#[cfg(not(target_arch = "wasm32"))]
fn save(play: &Play, world: &World) -> Result<String, String> {
    let folder = fresh(&play.folder, &export::plain(&world.scene().name), "");
    let files = export::write(&folder, &play.session, world)?;
    Ok(format!("{} files are in {}", files.len(), folder.display()))
}

/// Gives run and maps as a download, and says so.
#[cfg(target_arch = "wasm32")]
fn save(play: &Play, world: &World) -> Result<String, String> {
    let name = export::plain(&world.scene().name);
    let bytes = export::zip(&name, &play.session, world)?;
    crate::web::download(&format!("{name}.zip"), &bytes)?;
    Ok(format!("{name}.zip is among your downloads, {:.1} MB", bytes.len() as f64 / 1e6))
}

/// Puts a link on the clipboard, and returns it. On a page it is the whole address.
pub(super) fn copy_link(context: &egui::Context, query: &str) -> String {
    #[cfg(target_arch = "wasm32")]
    {
        // The context's own way ends in a feature that needs interfaces browsers have not settled.
        let _ = context;
        let link = crate::web::address(query);
        crate::web::copy(&link);
        link
    }
    #[cfg(not(target_arch = "wasm32"))]
    {
        context.copy_text(query.into());
        query.into()
    }
}

fn drop_in(
    mut dropped: MessageReader<FileDragAndDrop>,
    mut wanted: ResMut<Wanted>,
    mut play: ResMut<Play>,
    mut trample: ResMut<Trample>,
    windows: Query<&Window, With<PrimaryWindow>>,
    cameras: Eyes,
) {
    let mut paths: Vec<PathBuf> = wanted.open.take().into_iter().collect();
    for message in dropped.read() {
        match message {
            FileDragAndDrop::DroppedFile { path_buf, .. } => paths.push(path_buf.clone()),
            FileDragAndDrop::HoveredFile { path_buf, .. } => {
                let name = path_buf.file_name().unwrap_or_default().to_string_lossy().into_owned();
                play.say(format!("drop to use {name}"));
            }
            FileDragAndDrop::HoveredFileCanceled { .. } => {}
        }
    }
    // What was dropped in one frame was dropped together; a page says itself what belongs together.
    let come = inbox::with(inbox::Inbox::take);
    if !come.problems.is_empty() {
        play.say(come.problems.join("; "));
    }
    let together: Vec<(Option<Vec2>, PathBuf)> = std::iter::once((None, &paths))
        .chain(come.drops.iter().map(|(at, paths)| (at.map(Vec2::from), paths)))
        .flat_map(|(at, paths)| dropped::things(paths).into_iter().map(move |path| (at, path)))
        .collect();
    for (at, path) in together {
        // A motion is for whom it was dropped on, or else for whom one looks at.
        let window = windows.iter().next();
        let on = window.and_then(|window| {
            let ray = ray(&cameras, window, at.or(window.cursor_position())?)?;
            walker_at(trample.world(), ray.origin, *ray.direction)
        });
        let puppet = on.unwrap_or(play.session.focus.walker);
        let now = Running { scene: trample.world().scene(), source: play.session.source(), puppet };
        match dropped::recognise(&path, now) {
            Ok(Dropped::Scene(source)) => {
                if play.load(&mut trample, *source) {
                    play.session.focus.walker = puppet.min(trample.world().puppets().saturating_sub(1));
                    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    let words = format!("{name} is used: {}", play.notice.0);
                    play.say(words);
                }
            }
            Ok(Dropped::Run(file)) => open_run(&mut play, &mut trample, *file, wanted.from_start),
            Err(problem) => play.say(problem),
        }
    }
}

fn open_run(play: &mut Play, trample: &mut Trample, file: RunFile, from_start: bool) {
    match Session::load(file, from_start) {
        Ok((session, world)) => {
            play.say(format!("{}: {} steps", world.scene().name, session.tape.steps()));
            play.session = session;
            trample.replace(world);
            play.rig.cut();
            play.focus_on_walker(trample);
        }
        Err(problem) => play.say(problem),
    }
}
