//! What feet throw and mouths breathe: snow, sand, mud and dust, and clouds of breath in the cold. Only looked at: nothing of it goes
//! back into the world.

use super::Play;
use super::land::Climate;
use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::NoFrustumCulling;
use bevy::light::{NotShadowCaster, NotShadowReceiver};
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy_trample::{Happened, Trample};
use trample::body::Joint;
use trample::internal::{Stream, uniform};
use trample::params::GRAVITY;
use trample::{Event, Material, World};
use trample_looks::colour::linear;

/// Most specks at once.
const MOST: usize = 240;
/// Time between two breaths of somebody who walks, s; our choice.
const BREATH: f64 = 2.6;

pub(super) struct SprayPlugin;

impl Plugin for SprayPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Spray>()
            .add_systems(Startup, spawn)
            .add_systems(PostUpdate, (throw, fly).chain());
    }
}

/// Something small in the air.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Speck {
    place: Vec3,
    velocity: Vec3,
    /// Until when it is seen, s of the world, and since when.
    span: [f64; 2],
    /// Radius at first and at last, m.
    size: [f32; 2],
    colour: [f32; 4],
    /// Whether it falls, or hangs in the air.
    falls: bool,
}

impl Speck {
    /// Half a second or so later.
    fn go(&mut self, seconds: f32) {
        // Air stops what is light within a moment; what falls is heavier.
        let drag = if self.falls { 0.8 } else { 2.5 };
        let pull = if self.falls { 9.81 } else { -0.05 };
        self.velocity *= libm::expf(-drag * seconds);
        self.velocity.y -= pull * seconds;
        self.place += self.velocity * seconds;
    }
}

#[derive(Resource, Default)]
struct Spray {
    specks: Vec<Speck>,
    mesh: Handle<Mesh>,
    /// How many there have been: no two fly alike.
    count: u64,
    now: f64,
    drawn: bool,
}

impl Spray {
    fn lot(&mut self) -> impl Fn(u64) -> f32 + use<> {
        self.count += 1;
        let count = self.count;
        move |k| uniform(0x7370_7261, Stream::Plant, 16 * count + k) as f32
    }

    fn add(&mut self, speck: Speck) {
        if self.specks.len() < MOST {
            self.specks.push(speck);
        }
    }
}

#[derive(Component)]
struct Air;

fn spawn(
    mut commands: Commands,
    mut spray: ResMut<Spray>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let corners = (0..MOST as u32).flat_map(|k| [0, 1, 2, 0, 2, 3].map(|c| 4 * k + c)).collect();
    let mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, vec![[0.0; 3]; 4 * MOST])
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, vec![[0.0, 1.0, 0.0]; 4 * MOST])
        .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, vec![[0.0; 4]; 4 * MOST])
        .with_inserted_indices(Indices::U32(corners));
    spray.mesh = meshes.add(mesh);
    let air = StandardMaterial {
        alpha_mode: AlphaMode::Blend,
        perceptual_roughness: 1.0,
        reflectance: 0.0,
        cull_mode: None,
        ..default()
    };
    commands.spawn((
        Air,
        Mesh3d(spray.mesh.clone()),
        MeshMaterial3d(materials.add(air)),
        Visibility::Hidden,
        NoFrustumCulling,
        NotShadowCaster,
        NotShadowReceiver,
    ));
}

/// The ground under a foot, and its cell.
pub(super) fn underfoot(world: &World, position: Vec3) -> Option<(&Material, [i32; 2])> {
    let ground = world.ground();
    let cell = |p: f32, k: usize| ((f64::from(p) / ground.cell) as i32).clamp(0, ground.size[k] - 1);
    let at = [cell(position.x, 0), cell(position.z, 1)];
    let number = world.map(trample::Map::Material).at(at[0], at[1]) as usize;
    Some((&world.scene().terrain.materials.get(number)?.material, at))
}

/// Footfalls throw what they fall on, the harder the more; in the cold breath is seen.
fn throw(
    trample: Res<Trample>,
    play: Res<Play>,
    mut happened: MessageReader<Happened>,
    mut spray: ResMut<Spray>,
) {
    let world = trample.world();
    let cold = Climate::of(&world.scene().terrain.materials[0].material) == Climate::Snow;
    let now = world.time();
    for Happened { event, .. } in happened.read() {
        let (Event::FootDown { puppet, position, force, .. } | Event::FootUp { puppet, position, force, .. }) =
            *event
        else {
            continue;
        };
        let Some((walker, _)) = world.walker(puppet) else { continue };
        // Weights of the body that the foot came down with, above one: running, jumping.
        let hard = (force / (world.puppet(puppet).mass * GRAVITY) - 1.0).clamp(0.0, 2.5) as f32;
        let Some((material, _)) = underfoot(world, position) else { continue };
        let kind = Climate::of(material);
        let wet = material.moisture as f32;
        let many = match kind {
            Climate::Snow => 5.0 + 14.0 * hard,
            Climate::Shore => 3.0 + 14.0 * hard,
            Climate::Meadow => 9.0 * hard,
        };
        let [r, g, b] = linear(material.colour);
        let (sin, cos) = (libm::sin(walker.heading) as f32, libm::cos(walker.heading) as f32);
        let ground = world.height(position.x.into(), position.z.into()) as f32;
        for _ in 0..many as usize {
            let lot = spray.lot();
            let around = std::f32::consts::TAU * lot(0);
            let out = Vec3::new(libm::cosf(around), 0.0, libm::sinf(around));
            // Feet throw backwards more than ahead.
            let back = -Vec3::new(cos, 0.0, sin) * (0.3 + 0.5 * hard);
            let up = (0.35 + 0.9 * lot(1)) * (0.6 + 0.6 * hard);
            let dust = kind != Climate::Snow && wet < 0.3 && lot(2) < 0.5;
            let light = 0.75 + 0.4 * lot(3);
            let (alpha, size) =
                if dust { (0.14, [0.03, 0.11]) } else { (0.85, [0.003 + 0.005 * lot(4), 0.002]) };
            spray.add(Speck {
                place: Vec3::new(position.x, ground + 0.01, position.z) + out * 0.09 * (0.5 + lot(5)),
                velocity: (out * 0.45 * lot(6) + back * lot(7) + Vec3::Y * up)
                    * if dust { 0.35 } else { 1.0 },
                span: [now, now + if dust { 0.9 } else { 0.45 } + 0.4 * f64::from(lot(8))],
                size,
                colour: [r * light, g * light, b * light, alpha],
                falls: !dust,
            });
        }
    }
    if cold && now > spray.now && play.session.player.is_none() {
        for id in 0..world.puppets().min(12) {
            let Some((walker, skeleton)) = world.walker(id) else { continue };
            // Everybody in their own time.
            let turn = |t: f64| ((t + 0.37 * BREATH * id as f64) / BREATH).floor();
            if turn(now) == turn(spray.now) {
                continue;
            }
            let placed = skeleton.place(&walker.pose);
            let ahead = Vec3::new(libm::cos(walker.heading) as f32, 0.0, libm::sin(walker.heading) as f32);
            let head = placed.positions[Joint::Head as usize];
            for _ in 0..7 {
                let lot = spray.lot();
                let aside = Vec3::new(lot(0) - 0.5, lot(1) - 0.5, lot(2) - 0.5);
                spray.add(Speck {
                    place: head + 0.13 * ahead + 0.03 * aside,
                    velocity: ahead * (0.5 + 0.5 * lot(3)) + 0.25 * aside,
                    span: [now, now + 0.8 + 0.6 * f64::from(lot(4))],
                    size: [0.02, 0.13],
                    colour: [0.9, 0.93, 1.0, 0.10],
                    falls: false,
                });
            }
        }
    }
}

/// What is in the air goes on, and turns to the eye.
fn fly(
    trample: Res<Trample>,
    mut spray: ResMut<Spray>,
    mut meshes: ResMut<Assets<Mesh>>,
    eyes: Query<&Transform, With<Camera3d>>,
    mut air: Query<&mut Visibility, With<Air>>,
) {
    let spray = &mut *spray;
    let now = trample.world().time();
    let seconds = (now - spray.now) as f32;
    spray.now = now;
    // Back in time, or far ahead: nothing of it is left.
    if !(0.0..0.5).contains(&seconds) {
        spray.specks.clear();
    }
    spray.specks.iter_mut().for_each(|speck| speck.go(seconds));
    spray.specks.retain(|speck| speck.span[1] > now);
    let seen = !spray.specks.is_empty();
    if !seen && !spray.drawn {
        return;
    }
    spray.drawn = seen;
    air.iter_mut()
        .for_each(|mut shown| *shown = if seen { Visibility::Inherited } else { Visibility::Hidden });
    let (Some(eye), Some(mut mesh)) = (eyes.iter().next(), meshes.get_mut(&spray.mesh)) else { return };
    let (right, up) = (eye.rotation * Vec3::X, eye.rotation * Vec3::Y);
    let (mut places, mut colours) = (vec![[0.0; 3]; 4 * MOST], vec![[0.0; 4]; 4 * MOST]);
    for (k, speck) in spray.specks.iter().enumerate() {
        let share = ((now - speck.span[0]) / (speck.span[1] - speck.span[0])).clamp(0.0, 1.0) as f32;
        let size = speck.size[0] + (speck.size[1] - speck.size[0]) * share;
        let [r, g, b, alpha] = speck.colour;
        let corners = [-right - up, right - up, right + up, up - right];
        for (c, corner) in corners.into_iter().enumerate() {
            places[4 * k + c] = (speck.place + size * corner).to_array();
            colours[4 * k + c] = [r, g, b, alpha * (1.0 - share)];
        }
    }
    mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, places);
    mesh.insert_attribute(Mesh::ATTRIBUTE_COLOR, colours);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_thrown_comes_down_and_dust_hangs() {
        let speck = |falls| Speck {
            place: Vec3::ZERO,
            velocity: Vec3::Y,
            span: [0.0, 1.0],
            size: [0.01; 2],
            colour: [1.0; 4],
            falls,
        };
        let [mut clod, mut dust] = [speck(true), speck(false)];
        for _ in 0..30 {
            clod.go(1.0 / 60.0);
            dust.go(1.0 / 60.0);
        }
        assert!(clod.place.y < 0.0 && dust.place.y > 0.2, "{clod:?} {dust:?}");
    }
}
