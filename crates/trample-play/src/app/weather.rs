//! Weather that goes with the ground: flakes fall where it is snow, drizzle where it is mud. Only looked at: nothing of it goes into the
//! world. Where a drop is follows from the time alone, so nothing is kept and a picture is the same whenever it is taken.

use super::land::Climate;
use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::NoFrustumCulling;
use bevy::light::{NotShadowCaster, NotShadowReceiver};
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy_trample::Trample;
use trample::Material;
use trample::internal::{Stream, uniform};

/// How many flakes or drops; our choice.
const MANY: usize = 360;
/// The box around the eye in which they fall, m.
const BOX: Vec3 = Vec3::new(11.0, 6.0, 11.0);

pub(super) struct WeatherPlugin;

impl Plugin for WeatherPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, spawn).add_systems(PostUpdate, fall.before(TransformSystems::Propagate));
    }
}

/// What falls.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Falling {
    /// How it drifts and falls, m/s.
    velocity: Vec3,
    /// How far it sways to either side, m.
    sway: f32,
    /// Half its width and half its length along its fall, m.
    half: [f32; 2],
    alpha: f32,
}

/// Flakes of a few millimetres fall at about 1 m/s, drops of drizzle at about 3 (Gunn & Kinzer 1949 for 0.7 mm); drawn larger than they
/// are, so that they are seen.
fn over(ground: &Material) -> Option<Falling> {
    if Climate::of(ground) == Climate::Snow {
        Some(Falling {
            velocity: Vec3::new(0.35, -0.95, 0.12),
            sway: 0.12,
            half: [0.006, 0.006],
            alpha: 0.85,
        })
    } else if ground.preset.contains("mud") {
        Some(Falling { velocity: Vec3::new(0.2, -3.0, 0.1), sway: 0.0, half: [0.0012, 0.03], alpha: 0.22 })
    } else {
        None
    }
}

impl Falling {
    /// Where the one of that number is at a time, s, seen from an eye.
    fn place(&self, number: usize, time: f64, eye: Vec3) -> Vec3 {
        let lot = |k: u64| uniform(0x7765_6174, Stream::Plant, 4 * number as u64 + k);
        let at = |k: usize| {
            let turn = time * (0.8 + 0.5 * lot(3)) + 40.0 * lot(k as u64);
            let sway = if k == 1 { 0.0 } else { f64::from(self.sway) * libm::sin(turn) };
            let way = lot(k as u64) * f64::from(BOX[k]) + f64::from(self.velocity[k]) * time + sway;
            // Who leaves the box on one side comes in on the other.
            let off = way - f64::from(eye[k]);
            (off - f64::from(BOX[k]) * (off / f64::from(BOX[k])).floor()) as f32 - 0.5 * BOX[k]
        };
        eye + Vec3::new(at(0), at(1), at(2))
    }
}

/// The mesh of all that falls.
#[derive(Component)]
struct Air(Handle<Mesh>);

fn spawn(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let corners = (0..MANY as u32).flat_map(|k| [0, 1, 2, 0, 2, 3].map(|c| 4 * k + c)).collect();
    let mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, vec![[0.0; 3]; 4 * MANY])
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, vec![[0.0, 1.0, 0.0]; 4 * MANY])
        .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, vec![[1.0; 4]; 4 * MANY])
        .with_inserted_indices(Indices::U32(corners));
    let mesh = meshes.add(mesh);
    let white = StandardMaterial { unlit: true, alpha_mode: AlphaMode::Blend, cull_mode: None, ..default() };
    commands.spawn((
        Air(mesh.clone()),
        Mesh3d(mesh),
        MeshMaterial3d(materials.add(white)),
        Visibility::Hidden,
        NoFrustumCulling,
        NotShadowCaster,
        NotShadowReceiver,
    ));
}

/// Puts what falls around the eye and turns it to the eye.
fn fall(
    trample: Res<Trample>,
    mut meshes: ResMut<Assets<Mesh>>,
    eyes: Query<&Transform, With<Camera3d>>,
    mut air: Query<(&Air, &mut Visibility)>,
    mut last: Local<Option<(f64, Transform)>>,
) {
    let (Some(eye), Ok((Air(mesh), mut shown))) = (eyes.iter().next(), air.single_mut()) else { return };
    let world = trample.world();
    let falling = over(&world.scene().terrain.materials[0].material);
    let wanted = if falling.is_some() { Visibility::Inherited } else { Visibility::Hidden };
    shown.set_if_neq(wanted);
    let now = (world.time(), *eye);
    // Nothing moved: nothing is sent.
    let (Some(falling), false) = (falling, *last == Some(now)) else { return };
    *last = Some(now);
    let Some(mut mesh) = meshes.get_mut(mesh) else { return };
    let right = falling.half[0] * (eye.rotation * Vec3::X);
    let along = if falling.half[1] > falling.half[0] {
        falling.half[1] * falling.velocity.normalize()
    } else {
        falling.half[1] * (eye.rotation * Vec3::Y)
    };
    let mut places = Vec::with_capacity(4 * MANY);
    let mut colours = Vec::with_capacity(4 * MANY);
    for number in 0..MANY {
        let place = falling.place(number, world.time(), eye.translation);
        // Nothing before the lens, and none that vanishes at once at the far side.
        let share = place.distance(eye.translation) / (0.5 * BOX.x);
        let seen =
            falling.alpha * ((share - 0.08) * 8.0).clamp(0.0, 1.0) * (2.5 * (1.0 - share)).clamp(0.0, 1.0);
        for corner in [-right - along, right - along, right + along, along - right] {
            places.push((place + corner).to_array());
            colours.push([0.92, 0.95, 1.0, seen]);
        }
    }
    mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, places);
    mesh.insert_attribute(Mesh::ATTRIBUTE_COLOR, colours);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_snows_on_snow_drizzles_on_mud_and_is_fair_over_sand() {
        assert!(over(&Material::SNOW).is_some_and(|f| f.sway > 0.0));
        assert!(over(&Material::MUD).is_some_and(|f| f.velocity.y < -2.0));
        assert!(over(&Material::DRY_SAND).is_none() && over(&Material::SOIL).is_none());
    }

    #[test]
    fn flakes_stay_around_the_eye_and_fall() {
        let snow = over(&Material::SNOW).expect("snow falls");
        for number in 0..MANY {
            for eye in [Vec3::ZERO, Vec3::new(900.0, 3.0, -20.0)] {
                let off = (snow.place(number, 1e5, eye) - eye).abs();
                assert!(off.cmple(0.5 * BOX + 1e-3).all(), "{number}: {off}");
            }
        }
        let fell = (0..MANY)
            .filter(|&n| snow.place(n, 7.0, Vec3::ZERO).y > snow.place(n, 7.1, Vec3::ZERO).y)
            .count();
        assert!(fell > MANY * 9 / 10, "{fell} of {MANY}");
    }
}
