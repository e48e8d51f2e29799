//! The camera: follows the rig, and knows what is under the pointer.

use super::Play;
use super::canvas::Canvas;
use crate::camera::{Placed, Subject};
use crate::options::Quality;
use bevy::camera::{Exposure, SubCameraView};
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::light::DirectionalLightShadowMap;
use bevy::prelude::*;
use bevy_trample::{Trample, TrampleEye};

/// Vertical opening angle, rad.
pub(super) const OPENING: f32 = 0.82;
/// As for a slow film in full sun, a little more open than by the rule, so that who stands against the light is still seen.
pub(super) const EXPOSURE: Exposure = Exposure { ev100: 13.35 };

pub(super) struct CameraPlugin;

impl Plugin for CameraPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, spawn);
        app.add_systems(Update, (quality, go).chain().after(super::input::Reading));
    }
}

fn spawn(mut commands: Commands, canvas: Res<Canvas>) {
    commands.spawn((
        Camera3d::default(),
        canvas.target(),
        TrampleEye,
        Projection::Perspective(PerspectiveProjection { fov: OPENING, near: 0.03, far: 1500.0, ..default() }),
        Transform::default(),
        Tonemapping::AcesFitted,
        EXPOSURE,
        Msaa::Off,
        super::sky::fog(),
    ));
}

/// Shadows, samples and shadow maps as the quality says.
fn quality(
    play: Res<Play>,
    mut last: Local<Option<Quality>>,
    mut commands: Commands,
    cameras: Query<Entity, With<Camera3d>>,
    mut suns: Query<&mut DirectionalLight>,
    mut map: ResMut<DirectionalLightShadowMap>,
) {
    if *last == Some(play.quality) || suns.is_empty() {
        return;
    }
    *last = Some(play.quality);
    for camera in &cameras {
        commands.entity(camera).insert(samples(play.quality));
    }
    for mut sun in &mut suns {
        sun.shadow_maps_enabled = play.quality.shadows();
    }
    map.size = play.quality.shadow_map();
}

pub(super) fn samples(quality: Quality) -> Msaa {
    if quality.samples() == 4 { Msaa::Sample4 } else { Msaa::Off }
}

/// The subject of the camera, `blend` of the way between the last two steps.
pub(super) fn subject(trample: &Trample, walker: usize, print: Option<[f32; 3]>, blend: f32) -> Subject {
    let world = trample.world();
    let size = world.scene().terrain.size.map(|m| m as f32);
    let ground = |x: f32, z: f32| world.height(f64::from(x), f64::from(z)) as f32;
    let shown = trample.pose_between(walker, blend).unwrap_or_default();
    let middle = Vec3::new(0.5 * size[0], 0.0, 0.5 * size[1]);
    let soles = shown.soles.len().max(1) as f32;
    let feet = shown.soles.iter().map(|s| s.position).sum::<Vec3>() / soles;
    let mut position = match (&shown.placed, shown.soles.is_empty()) {
        (Some(placed), _) => placed.positions[0],
        (None, false) => feet,
        (None, true) => middle,
    };
    position.y = ground(position.x, position.z);
    let print = print.map_or(position, Vec3::from_array);
    let height = world.scene().puppets.get(walker).map_or(1.0, |p| p.body.height as f32);
    let height = if shown.placed.is_some() { height } else { 0.4 };
    Subject { position, heading: shown.heading, height, print, size }
}

/// The camera as a transform.
pub(super) fn transform(placed: &Placed) -> Transform {
    let back = (placed.eye - placed.target).normalize_or(Vec3::Y);
    // Straight down there is no up but the one that is asked for.
    let up = if back.cross(placed.up).length() < 1e-3 { Vec3::NEG_Z } else { placed.up };
    Transform::from_translation(placed.eye).looking_at(placed.target, up)
}

pub(super) fn go(
    time: Res<Time>,
    fixed: Res<Time<Fixed>>,
    trample: Res<Trample>,
    mut play: ResMut<Play>,
    mut cameras: Query<(&mut Transform, &mut Camera), With<Camera3d>>,
) {
    let play = &mut *play;
    let blend = trample.blend(fixed.overstep().as_secs_f64(), fixed.timestep().as_secs_f64());
    let subject = subject(&trample, play.session.focus.walker, play.session.meters.print, blend);
    let world = trample.world();
    let ground = |x: f32, z: f32| world.height(f64::from(x), f64::from(z)) as f32;
    let turn = std::mem::take(&mut play.turn);
    let placed = play.rig.go(&subject, turn, time.delta_secs_f64(), ground);
    for (mut place, mut camera) in &mut cameras {
        *place = transform(&placed);
        // A season's map covers it all.
        let seen = play.season.is_none();
        if camera.is_active != seen {
            camera.is_active = seen;
        }
        let beside = camera.physical_viewport_size().and_then(|size| beside(play.covered, size));
        if camera.sub_camera_view != beside {
            camera.sub_camera_view = beside;
        }
    }
}

/// The part of a wider view that puts its middle beside the panel; none where there is no panel, or nothing beside it.
fn beside(covered: f32, size: UVec2) -> Option<SubCameraView> {
    let offset = Vec2::new(0.5 * covered * size.x as f32, 0.0);
    (0.01..0.6).contains(&covered).then_some(SubCameraView { full_size: size, offset, size })
}

/// Where a ray meets the ground, x and z, m.
pub(super) fn meet(world: &trample::World, ray: Ray3d) -> Option<[f64; 2]> {
    let height = |p: Vec3| p.y - world.height(f64::from(p.x), f64::from(p.z)) as f32;
    let size = world.scene().terrain.size.map(|m| m as f32);
    let (mut near, mut far) = (0.0, 0.0);
    while far < 200.0 {
        far += 0.05 + 0.02 * far;
        let at = ray.get_point(far);
        let inside = (0.0..size[0]).contains(&at.x) && (0.0..size[1]).contains(&at.z);
        if inside && height(at) < 0.0 {
            for _ in 0..16 {
                let middle = 0.5 * (near + far);
                if height(ray.get_point(middle)) < 0.0 { far = middle } else { near = middle }
            }
            let at = ray.get_point(far);
            return Some([f64::from(at.x), f64::from(at.z)]);
        }
        near = far;
    }
    None
}
