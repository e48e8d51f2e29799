use super::*;
use std::collections::BTreeMap;
use trample::body::PARENT;
use trample::scene::{Control, Path, WalkerSpec};
use trample::{PuppetSpec, Scene};

fn skin(body: &Body, wear: Footwear) -> Skin {
    let sole = wear.sole(body.foot_length, body.foot_width);
    Skin::new(body, &Skeleton::new(body), &sole, wear != Footwear::Bare)
}

fn bodies() -> Vec<(String, Body)> {
    let named = Body::VARIANTS.iter().map(|n| ((*n).to_owned(), Body::by_name(n).expect("a variant")));
    let odd = [(0.8, 10.0), (0.9, 60.0), (2.3, 250.0), (2.3, 55.0), (1.5, 180.0)];
    named.chain(odd.map(|(h, m)| (format!("{h} m, {m} kg"), Body::new(h, m)))).collect()
}

/// Rests, arms down.
fn standing(skin: &Skin, body: &Body) -> (Vec<Vec3>, Vec<Vec3>) {
    let pose = Pose { root: Vec3::Y * body.leg() as f32, ..Pose::default() };
    let (mut points, mut normals) = (Vec::new(), Vec::new());
    skin.pose(&Skeleton::new(body).place(&pose), &mut points, &mut normals);
    (points, normals)
}

#[test]
fn every_mesh_is_closed_and_finite() {
    for wear in Footwear::ALL {
        for (name, body) in bodies() {
            let skin = skin(&body, wear);
            let what = format!("{name}, {}", wear.name());
            // On a closed surface every edge is walked once each way, by two triangles.
            let mut edges: BTreeMap<(u32, u32), i32> = BTreeMap::new();
            for t in &skin.triangles {
                for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                    assert_ne!(a, b, "{what}");
                    *edges.entry((a, b)).or_default() += 1;
                }
            }
            for (&(a, b), &n) in &edges {
                assert_eq!(n, 1, "{what}: edge {a}–{b} is walked {n} times");
                assert!(edges.contains_key(&(b, a)), "{what}: edge {a}–{b} is open");
            }
            assert!(
                skin.points.iter().all(|p| p.is_finite() && p.length() < 2.0 * body.height as f32),
                "{what}"
            );
            assert!(skin.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-4), "{what}");
            assert_eq!(skin.groups.iter().map(|g| g.count).sum::<usize>(), skin.triangles.len(), "{what}");
        }
    }
}

#[test]
fn weights_sum_to_one_over_joints_that_exist() {
    let skin = skin(&Body::default(), Footwear::Shoe);
    for (joints, weights) in skin.joints.iter().zip(&skin.weights) {
        assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{weights:?}");
        assert!(weights.iter().all(|w| (0.0..=1.0).contains(w)), "{weights:?}");
        assert!(joints.iter().all(|&j| usize::from(j) < JOINTS), "{joints:?}");
    }
}

#[test]
fn a_body_has_the_volume_of_its_mass_and_stands_as_tall_as_it_says() {
    for name in Body::VARIANTS {
        let body = Body::by_name(name).expect("a variant");
        let skin = skin(&body, Footwear::Shoe);
        let (points, _) = standing(&skin, &body);
        let volume = skin.volume(&points) / (body.mass / DENSITY);
        // Bending and overlaps cost a little of what the bind pose has.
        assert!((0.95..1.05).contains(&volume), "{name}: {volume}");
        let (low, high) = points.iter().fold((f32::MAX, f32::MIN), |(a, b), p| (a.min(p.y), b.max(p.y)));
        assert!(low.abs() < 1e-4, "{name}: the sole is on the ground: {low}");
        assert!((high / body.height as f32 - 1.0).abs() < 0.02, "{name}: {high} of {}", body.height);
    }
}

#[test]
fn a_heavy_body_is_thicker_where_it_is_soft() {
    let waist = |mass: f64| {
        let body = Body::new(1.8, mass);
        let (points, _) = standing(&skin(&body, Footwear::Shoe), &body);
        let level = body.leg() + 0.3 * body.trunk;
        let near = points.iter().filter(|p| (f64::from(p.y) - level).abs() < 0.05 && p.z.abs() < 0.02);
        near.fold((f32::MAX, f32::MIN), |(a, b), p| (a.min(p.x), b.max(p.x)))
    };
    let depth = |(back, front): (f32, f32)| front - back;
    let [thin, usual, heavy] = [60.0, 77.5, 120.0].map(|m| depth(waist(m)));
    assert!(thin < 0.95 * usual && heavy > 1.25 * usual, "{thin} {usual} {heavy}");
}

#[test]
fn left_is_the_mirror_of_right() {
    let skin = skin(&Body::default(), Footwear::Shoe);
    let mut right: Vec<Vec3> = skin.points.clone();
    let mut left: Vec<Vec3> = skin.points.iter().map(|p| Vec3::new(p.x, p.y, -p.z)).collect();
    let round = |p: &Vec3| (p.to_array().map(|x| libm::roundf(x * 1e4) as i64), 0);
    right.sort_by_key(round);
    left.sort_by_key(round);
    // Rounding may order near neighbours differently, so the nearest counts.
    for p in &left {
        let at = right.partition_point(|q| q.x < p.x - 2e-4);
        let near = right[at..].iter().take_while(|q| q.x < p.x + 2e-4);
        assert!(near.map(|q| q.distance(*p)).fold(f32::MAX, f32::min) < 1e-4, "{p} has no mirror image");
    }
}

#[test]
fn the_underside_lies_on_the_depth_map_and_covers_it() {
    for wear in [Footwear::Shoe, Footwear::Boot, Footwear::Bare, Footwear::HighHeel, Footwear::Snowshoe] {
        let body = Body::default();
        let skeleton = Skeleton::new(&body);
        let right = wear.sole(body.foot_length, body.foot_width);
        let skin = skin(&body, wear);
        let (points, _) = standing(&skin, &body);
        for side in 0..2 {
            let sole = if side == 0 { right.mirrored() } else { right.clone() };
            let ankle = Vec3::new(0.0, 0.0, if side == 0 { -0.5 } else { 0.5 } * body.hip_width as f32);
            let texel = |x: f32, n: usize| (f64::from(x) / Sole::TEXEL + 0.5 * n as f64).floor() as usize;
            for &p in &skin.underside[side] {
                let at = points[p as usize] - ankle;
                let (u, v) = (at.x + skeleton.foot.ankle as f32, at.z);
                let k = texel(u, sole.nu) * sole.nv + texel(v, sole.nv);
                assert!(sole.coverage[k] > 0.0, "{}: no sole at {u} {v}", wear.name());
                let off = (sole.depth[k] - at.y).abs();
                assert!(off < 1e-3, "{}: {off} m off the depth map at {u} {v}", wear.name());
            }
            // What the faces of the underside cover from below is what the sole covers.
            let mut below = vec![false; points.len()];
            skin.underside[side].iter().for_each(|&p| below[p as usize] = true);
            let faces = skin.triangles.iter().filter(|t| t.iter().all(|&i| below[i as usize]));
            let area: f64 = faces
                .map(|t| {
                    let [a, b, c] = t.map(|i| points[i as usize]);
                    -0.5 * f64::from((b - a).cross(c - a).y)
                })
                .sum();
            let share = area / sole.area();
            assert!((0.93..1.07).contains(&share), "{}: {share} of the sole is drawn", wear.name());
        }
    }
}

/// A walk of a body over soil.
fn walk(wear: Footwear) -> Scene {
    let body = Body::default();
    let mut spec = WalkerSpec::on(Path::along([[1.0, 1.5], [7.0, 1.5]]));
    if let Control::Route(route) = &mut spec.control {
        route.metabolic = false;
    }
    let puppet = PuppetSpec { sole: SoleShape::Footwear(wear), ..PuppetSpec::walking("walker", body, spec) };
    let mut scene = Scene { rate: 120.0, puppets: vec![puppet], ..Scene::default() };
    scene.terrain.size = [9.0, 3.0];
    scene.terrain.cell = 0.02;
    scene
}

#[test]
fn the_drawn_sole_is_the_one_that_presses() {
    let scene = walk(Footwear::Shoe);
    let mut world = World::new(&scene).expect("a world");
    let skin = Skin::of(&world, 0).expect("a walker");
    let body = Body::default();
    let ankle = {
        let foot = Skeleton::new(&body).foot;
        Vec3::new(foot.ankle as f32, foot.ankle_height as f32, 0.0)
    };
    let ball = Skeleton::new(&body).foot.ball as f32;
    let (mut points, mut normals) = (Vec::new(), Vec::new());
    let mut offs: Vec<f32> = Vec::new();
    for _ in 0..480 {
        world.step(scene.dt());
        let (walker, skeleton) = world.walker(0).expect("a walker");
        let placed = skeleton.place(&walker.pose);
        skin.pose(&placed, &mut points, &mut normals);
        for side in 0..2 {
            // Puppets count the right foot first.
            let pose = world.puppet(0).sole(1 - side);
            let origin = skin.bind.positions[HIP[side] + 2] - ankle;
            // A leg may be too short to reach down all the way, so the middle is taken from the drawn ankle.
            let middle = placed.positions[HIP[side] + 2] - pose.rotation * ankle;
            let apart = (middle - pose.position).with_y(0.0).length();
            offs.push(apart);
            for &p in &skin.underside[side] {
                let mut local = skin.points[p as usize] - origin;
                if local.x > ball {
                    let hinge = Vec3::X * ball;
                    local = hinge + Quat::from_rotation_z(pose.toe_bend) * (local - hinge);
                }
                let off = points[p as usize].distance(middle + pose.rotation * local);
                assert!(off < 1e-4, "{off} m from the pressing sole");
            }
        }
    }
    offs.sort_by(f32::total_cmp);
    assert!(offs[offs.len() * 99 / 100] < 1e-3, "{} m beside the pressing sole", offs[offs.len() * 99 / 100]);
}

#[test]
fn a_small_turn_of_a_joint_moves_only_what_hangs_on_it_and_only_a_little() {
    let scene = walk(Footwear::Shoe);
    let mut world = World::new(&scene).expect("a world");
    let skin = Skin::of(&world, 0).expect("a walker");
    let (mut normals, mut before, mut after) = (Vec::new(), Vec::new(), Vec::new());
    let hangs_on = |mut j: usize, joint: usize| {
        while j != joint && j != 0 {
            j = PARENT[j];
        }
        j == joint
    };
    for step in 0..240 {
        world.step(scene.dt());
        if step % 40 != 0 {
            continue;
        }
        let (walker, skeleton) = world.walker(0).expect("a walker");
        skin.pose(&skeleton.place(&walker.pose), &mut before, &mut normals);
        for joint in 0..JOINTS {
            let mut pose = walker.pose;
            pose.rotations[joint] *= Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.01);
            let placed = skeleton.place(&pose);
            skin.pose(&placed, &mut after, &mut normals);
            for (i, (a, b)) in after.iter().zip(&before).enumerate() {
                let moved = skin.joints[i].iter().zip(&skin.weights[i]);
                let share: f32 =
                    moved.filter(|(j, _)| hangs_on(usize::from(**j), joint)).map(|(_, w)| w).sum();
                // A point turns with its share about the joint.
                let most = 0.0102 * share * b.distance(placed.positions[joint]) + 0.002 * share + 1e-6;
                assert!(a.distance(*b) <= most, "joint {joint}: {} m of {most}", a.distance(*b));
            }
        }
    }
}

#[test]
fn a_walking_mesh_keeps_its_volume_and_its_outside() {
    let scene = walk(Footwear::Shoe);
    let mut world = World::new(&scene).expect("a world");
    let skin = Skin::of(&world, 0).expect("a walker");
    let (mut points, mut normals) = (Vec::new(), Vec::new());
    let rest = skin.volume(&skin.points);
    for _ in 0..600 {
        world.step(scene.dt());
        let (walker, skeleton) = world.walker(0).expect("a walker");
        skin.pose(&skeleton.place(&walker.pose), &mut points, &mut normals);
        let volume = skin.volume(&points) / rest;
        assert!((0.94..1.06).contains(&volume), "{volume} of its volume at {:.3} s", world.time());
        // A face that is turned against its points' normals is inside out.
        let turned = skin.triangles.iter().filter(|t| {
            let [a, b, c] = t.map(|i| points[i as usize]);
            let across = (b - a).cross(c - a);
            let mean: Vec3 = t.iter().map(|&i| normals[i as usize]).sum();
            across.length() > 1e-7 && across.normalize().dot(mean.normalize_or(Vec3::Y)) < -0.2
        });
        let turned = turned.count();
        assert!(
            turned * 200 < skin.triangles.len(),
            "{turned} faces are inside out at {:.3} s",
            world.time()
        );
    }
}
