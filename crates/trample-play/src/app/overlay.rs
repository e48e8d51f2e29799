//! What is drawn over the world as lines: forces, contact, border, balance, felt ground, stiffness of plants, cells, routes.

use super::Play;
use bevy::prelude::*;
use bevy_trample::Trample;
use std::collections::{BTreeMap, BTreeSet};
use trample::TILE;
use trample::World;
use trample::params::GRAVITY;
use trample::scene::{Control, Script};

/// Length of an arrow for a newton, m: a body's weight is about a metre.
const PER_NEWTON: f32 = 1.0 / 760.0;
/// How far around the walker cells and stems are drawn, m.
const REACH: f32 = 1.3;

const WEIGHT: Color = Color::srgb(0.93, 0.93, 0.93);
const MOMENTUM: Color = Color::srgb(1.0, 0.62, 0.1);
const TOTAL: Color = Color::srgb(0.95, 0.15, 0.2);
const CONTACT: Color = Color::srgb(1.0, 0.85, 0.1);
const BORDER: Color = Color::srgb(0.2, 0.75, 1.0);
const STEADY: Color = Color::srgb(0.2, 0.9, 0.35);
const FALLING: Color = Color::srgb(1.0, 0.25, 0.2);
const FELT: Color = Color::srgb(0.85, 0.4, 1.0);
const ROUTE: Color = Color::srgb(0.15, 0.55, 1.0);

pub(super) struct OverlayPlugin;

impl Plugin for OverlayPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, in_front).add_systems(
            Update,
            (forces, contact, balance, felt, stiffness, skeleton, cells, route).after(super::input::Reading),
        );
    }
}

/// Lines are seen through what is before them: they show what is hidden.
fn in_front(mut store: ResMut<GizmoConfigStore>) {
    let (config, _) = store.config_mut::<DefaultGizmoConfigGroup>();
    config.depth_bias = -1.0;
    config.line.width = 2.5;
}

fn above(world: &World, x: f32, z: f32, by: f32) -> Vec3 {
    Vec3::new(x, world.height(f64::from(x), f64::from(z)) as f32 + by, z)
}

/// What the ground does to each foot: its share of the weight, what stops or drives the body, and their sum.
fn forces(play: Res<Play>, trample: Res<Trample>, mut gizmos: Gizmos) {
    if !play.overlays.forces {
        return;
    }
    let world = trample.world();
    for id in 0..world.puppets() {
        let of = || world.report().contacts.iter().filter(move |c| c.puppet == id);
        let sum: f64 = of().map(|c| c.normal_force).sum();
        let weight = world.puppet(id).mass * GRAVITY;
        for contact in of() {
            let Some(sole) = world.puppet(id).pose.soles.get(contact.foot) else { continue };
            let at = Vec3::new(sole.position.x, contact.height as f32, sole.position.z);
            let total = -contact.force;
            let share = Vec3::Y * (weight * contact.normal_force / sum.max(1e-6)) as f32;
            let aside = Vec3::new(0.03, 0.0, 0.03);
            gizmos.arrow(at - aside, at - aside + share * PER_NEWTON, WEIGHT);
            let momentum = (total - share) * PER_NEWTON;
            if momentum.length() > 0.01 {
                gizmos.arrow(at + aside, at + aside + momentum, MOMENTUM);
            }
            gizmos.arrow(at, at + total * PER_NEWTON, TOTAL);
        }
    }
}

/// Cells under the soles, and the border that takes what is pushed aside.
fn contact(play: Res<Play>, trample: Res<Trample>, mut gizmos: Gizmos) {
    let (wants_contact, wants_border) = (play.overlays.contact, play.overlays.border);
    if !wants_contact && !wants_border {
        return;
    }
    let world = trample.world();
    let ground = world.ground();
    let cell = ground.cell as f32;
    let mut draw = |x: i32, z: i32, colour: Color, size: f32| {
        let at = above(world, ground.centre(x) as f32, ground.centre(z) as f32, 0.004);
        let flat = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
        gizmos.rect(Isometry3d::new(at, flat), Vec2::splat(size * cell), colour);
    };
    let mut feet: BTreeMap<(usize, usize), BTreeSet<(i32, i32)>> = BTreeMap::new();
    world.each_contact_cell(|puppet, foot, x, z| {
        feet.entry((puppet, foot)).or_default().insert((x, z));
    });
    // A crowd would be more lines than anybody can tell apart.
    for cells in feet.values().take(16) {
        if wants_contact {
            cells.iter().for_each(|&(x, z)| draw(x, z, CONTACT, 0.8));
        }
        if wants_border {
            let reach = (ground.contour / ground.cell).ceil() as i32;
            let mut border = BTreeSet::new();
            for &(x, z) in cells {
                for dz in -reach..=reach {
                    for dx in -reach..=reach {
                        let far = f64::from(dx * dx + dz * dz).sqrt() * ground.cell;
                        let place = (x + dx, z + dz);
                        if far <= ground.contour && !cells.contains(&place) {
                            border.insert(place);
                        }
                    }
                }
            }
            border.iter().for_each(|&(x, z)| draw(x, z, BORDER, 0.6));
        }
    }
}

/// The centre of mass above the area between the feet.
fn balance(play: Res<Play>, trample: Res<Trample>, mut gizmos: Gizmos) {
    if !play.overlays.balance {
        return;
    }
    let world = trample.world();
    for id in 0..world.puppets() {
        let Some((walker, skeleton)) = world.walker(id) else { continue };
        let centre = skeleton.centre(&skeleton.place(&walker.pose));
        let below = above(world, centre.x, centre.z, 0.01);
        let puppet = world.puppet(id);
        let spec = &world.scene().puppets[id];
        let half = [0.5 * spec.body.foot_length as f32, 0.5 * spec.body.foot_width as f32];
        let mut corners = Vec::new();
        for (sole, foot) in puppet.pose.soles.iter().zip(&puppet.feet) {
            if foot.down {
                for [u, v] in [[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]] {
                    let corner = sole.position + sole.rotation * Vec3::new(u * half[0], 0.0, v * half[1]);
                    corners.push([corner.x, corner.z]);
                }
            }
        }
        let hull = hull(corners);
        let inside = holds(&hull, [centre.x, centre.z]);
        let colour = if inside { STEADY } else { FALLING };
        gizmos.sphere(Isometry3d::from_translation(centre), 0.05, colour);
        gizmos.line(centre, below, colour);
        gizmos.circle(
            Isometry3d::new(below, Quat::from_rotation_x(std::f32::consts::FRAC_PI_2)),
            0.04,
            colour,
        );
        if hull.len() > 2 {
            gizmos.lineloop(hull.iter().map(|p| above(world, p[0], p[1], 0.015)), colour);
        }
    }
}

/// The smallest convex polygon around points.
fn hull(mut points: Vec<[f32; 2]>) -> Vec<[f32; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let turn =
        |a: [f32; 2], b: [f32; 2], c: [f32; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let chain = |points: &mut dyn Iterator<Item = [f32; 2]>| {
        let mut out: Vec<[f32; 2]> = Vec::new();
        for p in points {
            while out.len() > 1 && turn(out[out.len() - 2], out[out.len() - 1], p) <= 0.0 {
                out.pop();
            }
            out.push(p);
        }
        out.pop();
        out
    };
    let mut all = chain(&mut points.iter().copied());
    all.extend(chain(&mut points.iter().rev().copied()));
    all
}

/// Whether a convex polygon holds a point.
fn holds(hull: &[[f32; 2]], p: [f32; 2]) -> bool {
    let n = hull.len();
    n > 2
        && (0..n).all(|i| {
            let (a, b) = (hull[i], hull[(i + 1) % n]);
            (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) >= 0.0
        })
}

/// The ground as each foot feels it: the plane it stands on or moves over, and how deep the walker expects to sink.
fn felt(play: Res<Play>, trample: Res<Trample>, mut gizmos: Gizmos) {
    if !play.overlays.perceived {
        return;
    }
    let world = trample.world();
    for id in 0..world.puppets() {
        let Some((walker, _)) = world.walker(id) else { continue };
        for lock in walker.locks.iter().filter(|lock| lock.level.is_finite()) {
            let at = Vec3::new(lock.shown.x, lock.level as f32, lock.shown.z);
            let turn = Quat::from_rotation_arc(Vec3::Z, lock.normal.normalize_or(Vec3::Y));
            gizmos.circle(Isometry3d::new(at, turn), 0.17, FELT);
            gizmos.ray(at, lock.normal * 0.2, FELT);
            let grown = world.vegetation_height(f64::from(at.x), f64::from(at.z)) as f32;
            if grown > 0.0 {
                let top = Isometry3d::new(at + Vec3::Y * (grown / 3.0), turn);
                gizmos.circle(top, 0.12, FELT.with_alpha(0.5));
            }
        }
    }
}

/// Stems around the walker, green where whole, red where broken.
fn stiffness(play: Res<Play>, trample: Res<Trample>, mut gizmos: Gizmos) {
    let world = trample.world();
    if !play.overlays.stiffness || world.plants().is_empty() {
        return;
    }
    let Some(at) = place(world, play.session.focus.walker) else { return };
    let near = |x: f32| f64::from(x);
    let (min, max) = ([near(at.x - REACH), near(at.z - REACH)], [near(at.x + REACH), near(at.z + REACH)]);
    world.each_stem(min, max, |stem| {
        let s = stem.weakest as f32;
        gizmos.linestrip(stem.points.iter().copied(), Color::srgb(1.0 - 0.85 * s, 0.15 + 0.7 * s, 0.12));
    });
}

fn place(world: &World, id: usize) -> Option<Vec3> {
    if let Some((walker, _)) = world.walker(id) {
        return Some(above(world, walker.root.x as f32, walker.root.y as f32, 0.0));
    }
    (id < world.puppets()).then(|| world.puppet(id).pose.soles.first().map(|s| s.position)).flatten()
}

/// Bones as lines.
fn skeleton(play: Res<Play>, trample: Res<Trample>, mut gizmos: Gizmos) {
    if !play.overlays.skeleton {
        return;
    }
    let world = trample.world();
    for id in 0..world.puppets() {
        let Some((walker, skeleton)) = world.walker(id) else { continue };
        let placed = skeleton.place(&walker.pose);
        for (joint, parent) in trample::body::PARENT.into_iter().enumerate() {
            gizmos.line(placed.positions[parent], placed.positions[joint], Color::WHITE);
        }
    }
}

/// The cells of the ground around the walker as a net.
fn cells(play: Res<Play>, trample: Res<Trample>, mut gizmos: Gizmos) {
    if !play.overlays.wireframe {
        return;
    }
    let world = trample.world();
    let ground = world.ground();
    let focus = play.session.meters.print.map(Vec3::from_array);
    let Some(at) = focus.or_else(|| place(world, play.session.focus.walker)) else { return };
    let cell = ground.cell as f32;
    let (reach, step) = ((REACH / cell) as i32, ((REACH / cell) as i32 / (5 * TILE as i32) + 1).max(1));
    let middle = [(at.x / cell) as i32, (at.z / cell) as i32];
    let span = |k: usize| {
        let low = (middle[k] - reach).max(0) / step * step;
        (low..(middle[k] + reach).min(ground.size[k] - 1)).step_by(step as usize)
    };
    let point = |x: i32, z: i32| {
        Vec3::new(ground.centre(x) as f32, ground.surface(x, z) as f32 + 0.002, ground.centre(z) as f32)
    };
    let colour = Color::srgba(0.05, 0.1, 0.2, 0.8);
    for z in span(1) {
        gizmos.linestrip(span(0).map(|x| point(x, z)), colour);
    }
    for x in span(0) {
        gizmos.linestrip(span(1).map(|z| point(x, z)), colour);
    }
}

/// Where the ground that can be walked on ends.
fn edge(world: &World, gizmos: &mut Gizmos) {
    let [width, depth] = world.scene().terrain.size.map(|m| m as f32);
    let corners = [[0.0, 0.0], [width, 0.0], [width, depth], [0.0, depth]];
    let n = 64;
    let at = |i: usize| {
        let (from, to, t) = (corners[i / n % 4], corners[(i / n + 1) % 4], (i % n) as f32 / n as f32);
        above(world, from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t, 0.02)
    };
    for dash in (0..4 * n).step_by(2) {
        gizmos.line(at(dash), at(dash + 1), Color::srgba(0.1, 0.1, 0.08, 0.3));
    }
}

/// A line over the ground between places.
fn strip(world: &World, gizmos: &mut Gizmos, places: &[[f64; 2]], colour: Color) {
    let at = |p: [f64; 2]| above(world, p[0] as f32, p[1] as f32, 0.03);
    for pair in places.windows(2) {
        let n = 24;
        gizmos.linestrip(
            (0..=n).map(|i| {
                let t = f64::from(i) / f64::from(n);
                at([0, 1].map(|k| pair[0][k] + (pair[1][k] - pair[0][k]) * t))
            }),
            colour,
        );
    }
}

/// Routes that are being walked, and waypoints that are being placed.
fn route(play: Res<Play>, trample: Res<Trample>, mut gizmos: Gizmos) {
    let world = trample.world();
    if play.routing {
        edge(world, &mut gizmos);
    }
    let places = &play.waypoints.path.waypoints;
    let flat = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let at = |p: &[f64; 2]| above(world, p[0] as f32, p[1] as f32, 0.03);
    for place in places {
        gizmos.circle(Isometry3d::new(at(place), flat), 0.09, ROUTE);
        gizmos.ray(at(place), Vec3::Y * 0.35, ROUTE);
    }
    strip(world, &mut gizmos, places, ROUTE);
    if !play.overlays.routes {
        return;
    }
    for (id, puppet) in world.scene().puppets.iter().enumerate().take(16) {
        let Script::Walker(spec) = &puppet.script else { continue };
        let Control::Route(route) = &spec.control else { continue };
        let own = id == play.session.focus.walker;
        let colour = ROUTE.with_alpha(if own { 0.9 } else { 0.35 });
        strip(world, &mut gizmos, &route.path.waypoints, colour);
        if let Some(end) = route.path.waypoints.last() {
            gizmos.circle(Isometry3d::new(at(end), flat), 0.12, colour);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hull_goes_around_its_points_and_holds_their_middle() {
        let square = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.5], [0.2, 0.9]];
        let hull = hull(square);
        assert_eq!(hull.len(), 4);
        assert!(holds(&hull, [0.5, 0.5]) && !holds(&hull, [1.1, 0.5]));
        assert!(!holds(&[], [0.0, 0.0]));
    }
}
