//! Joints that hang where animators want them, hung where a body has them.
//!
//! In: a skeleton as its file has it. Out: the same poses, with feet below their shins and thighs below the hips. Rigs made for
//! inverse kinematics let feet hang from the root, where they can be pinned; some let thighs hang there too. Such joints are told
//! by where they are, at rest and in motion: a foot stays at the end of a shin that ends nowhere, thighs stay beside the hips.

use super::mapping::Looks;
use super::part::{Mapping, Part};
use super::source::{Curve, Joining, Layout, Local, Motion, Moves, Source, Take};
use super::topology::reach;
use trample::glam::Vec3;

/// How near to the end of a shin a foot is, as a share of the shin's length. Our choice, as are all numbers here.
const NEAR: f32 = 0.25;
/// How much the distance of a foot from a shin may change where nothing says where the shin ends.
const STEADY: f32 = 0.04;
/// Joints that a foot has at most.
const FOOT: usize = 12;
/// How near to the hips thighs are, as a share of the leg.
const BESIDE: f32 = 0.35;

/// A joint and where it shall hang.
type Move = (usize, usize);

/// Hangs feet and thighs where they belong.
pub(super) fn rehang(source: &mut Source) {
    let looks = Looks::of_all(source);
    let mut moves = feet(source, &looks);
    moves.extend(thighs(source, &looks));
    if !moves.is_empty() {
        apply(source, &moves);
    }
}

/// Feet without toes end where a joint says that is nothing but their end.
pub(super) fn feet_end(source: &mut Source, mapping: &Mapping) {
    for ankle in [Part::LeftAnkle, Part::RightAnkle].into_iter().filter_map(|part| mapping.joint(part)) {
        let mut below = (ankle + 1..source.joints.len()).filter(|&j| source.joints[j].parent == Some(ankle));
        let end = below.find(|&j| source.is_end(j)).map(|j| source.joints[j].rest.translation);
        source.joints[ankle].tip = source.joints[ankle].tip.or(end);
    }
}

fn depths(source: &Source) -> Vec<usize> {
    let mut depth = vec![0; source.joints.len()];
    for j in 0..depth.len() {
        depth[j] = source.joints[j].parent.map_or(0, |p| depth[p] + 1);
    }
    depth
}

/// How many joints hang from each, itself counted, and whether skin hangs on any of them.
fn below(source: &Source) -> (Vec<usize>, Vec<bool>) {
    let n = source.joints.len();
    let (mut count, mut skinned) = (vec![1; n], vec![source.vertices.is_empty(); n]);
    source.vertices.iter().for_each(|v| skinned[v.joint as usize] = true);
    for j in (0..n).rev() {
        if let Some(p) = source.joints[j].parent {
            count[p] += count[j];
            skinned[p] = skinned[p] || skinned[j];
        }
    }
    (count, skinned)
}

/// Feet that hang from the root, and the shins they are at the end of.
fn feet(source: &Source, looks: &Looks) -> Vec<Move> {
    let n = source.joints.len();
    // Work grows with the square of the joints: enormous skeletons are left alone.
    if n > 2000 || source.vertices.is_empty() {
        return Vec::new();
    }
    let (depth, children) = (depths(source), source.children());
    let (count, skinned) = below(source);
    let poses: Vec<&Layout> = std::iter::once(&looks.rest).chain(&looks.moving).collect();
    let at = |pose: &Layout, j: usize| pose.places[j];
    // Bones whose end is no joint with skin of its own: nothing goes on below them.
    let is_mesh = |j: usize| source.joints[j].is_mesh;
    let ends_nowhere = |s: usize| {
        children[s].iter().all(|&c| is_mesh(c) || children[c].is_empty() && !skinned_alone(source, c))
    };
    let shins: Vec<usize> = (0..n)
        .filter(|&s| skinned[s] && ends_nowhere(s) && !is_mesh(s))
        .filter(|&s| source.joints[s].parent.is_some_and(|p| skinned[p] && source.joints[p].parent.is_some()))
        .collect();
    let mut found: Vec<(f32, Move)> = Vec::new();
    for f in 1..n {
        let Some(parent) = source.joints[f].parent else { continue };
        if count[f] > FOOT || !skinned[f] || is_mesh(f) {
            continue;
        }
        for &s in &shins {
            // It hangs from something nearer to the root than the shin does, and neither hangs from the other.
            if depth[f] >= depth[s]
                || source.hangs_from(f, s)
                || source.hangs_from(s, f)
                || !same_tree(source, f, s)
            {
                continue;
            }
            let end = children[s].iter().copied().filter(|&c| !is_mesh(c)).max_by(|&a, &b| {
                let far = |c: usize| looks.rest.places[c].distance(looks.rest.places[s]);
                far(a).total_cmp(&far(b))
            });
            let off = match end {
                Some(e) => {
                    let long = at(poses[0], e).distance(at(poses[0], s)).max(1e-9);
                    // Goals that are out of reach for a while leave their legs: most poses count.
                    let mut off: Vec<f32> =
                        poses.iter().map(|p| at(p, f).distance(at(p, e)) / long).collect();
                    off.sort_unstable_by(f32::total_cmp);
                    off[0].max(off[off.len() * 3 / 4])
                }
                None => {
                    if poses.len() < 6 {
                        continue;
                    }
                    let far: Vec<f32> = poses.iter().map(|p| at(p, f).distance(at(p, s))).collect();
                    let own: Vec<f32> = poses.iter().map(|p| at(p, f).distance(at(p, parent))).collect();
                    let spread = |d: &[f32]| {
                        let (low, high) =
                            d.iter().fold((f32::MAX, 0.0f32), |(a, b), &x| (a.min(x), b.max(x)));
                        (high - low) / high.max(1e-9)
                    };
                    if spread(&own) < 3.0 * STEADY || spread(&far) > STEADY {
                        continue;
                    }
                    0.5 * NEAR + spread(&far)
                }
            };
            if off < NEAR {
                found.push((off, (f, s)));
            }
        }
    }
    // The best pairs first; each foot and each shin once, and of joints below each other the upper one.
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut moves: Vec<Move> = Vec::new();
    for (_, (f, s)) in found {
        let taken = moves.iter().any(|&(g, t)| t == s || source.hangs_from(f, g) || source.hangs_from(g, f));
        if !taken {
            moves.push((f, s));
        }
    }
    // Feet come in pairs: one alone is a stick or a tail.
    if moves.len().is_multiple_of(2) { moves } else { Vec::new() }
}

fn skinned_alone(source: &Source, joint: usize) -> bool {
    source.vertices.iter().any(|v| v.joint as usize == joint)
}

fn root_of(source: &Source, joint: usize) -> usize {
    let mut at = joint;
    while let Some(p) = source.joints[at].parent {
        at = p;
    }
    at
}

fn same_tree(source: &Source, a: usize, b: usize) -> bool {
    root_of(source, a) == root_of(source, b)
}

/// Thighs that hang from a root on the ground beside hips that carry the back.
fn thighs(source: &Source, looks: &Looks) -> Vec<Move> {
    let rest = &looks.rest;
    let (children, reach) = (source.children(), reach(source, rest));
    let (count, skinned) = below(source);
    for (root, own) in children.iter().enumerate() {
        let long: Vec<usize> = own.iter().copied().filter(|&c| reach.length[c] > 0.0 && skinned[c]).collect();
        for (i, &a) in long.iter().enumerate() {
            for &b in &long[i + 1..] {
                let (p, q) = (reach.length[a], reach.length[b]);
                if (p - q).abs() > 0.05 * p || count[a] != count[b] || count[a] < 3 {
                    continue;
                }
                let middle = 0.5 * (rest.places[a] + rest.places[b]);
                let far_root = middle.distance(rest.places[root]) > 0.5 * p;
                let hips = long.iter().copied().find(|&h| {
                    h != a && h != b && count[h] > count[a] && rest.places[h].distance(middle) < BESIDE * p
                });
                if let (true, Some(hips)) = (far_root, hips) {
                    return vec![(a, hips), (b, hips)];
                }
            }
        }
    }
    Vec::new()
}

/// A frame of one joint seen from another.
fn seen_from(layout: &Layout, joint: usize, from: usize) -> Local {
    let turn = layout.turns[from].conjugate();
    let scale = layout.scales[from];
    let whole = |v: Vec3| Vec3::select(scale.cmpeq(Vec3::ZERO), Vec3::ZERO, v / scale);
    Local {
        translation: whole(turn * (layout.places[joint] - layout.places[from])),
        rotation: (turn * layout.turns[joint]).normalize(),
        scale: whole(layout.scales[joint]),
    }
}

fn apply(source: &mut Source, moves: &[Move]) {
    let (mut locals, mut layout): (Vec<Local>, Layout) = (Vec::new(), Layout::default());
    // Motions first: they are laid out as the file has them.
    let mut takes: Vec<Take> = Vec::with_capacity(source.takes.len());
    for take in &source.takes {
        let Motion::Curves(curves) = &take.motion else { return };
        let mut curves: Vec<Curve> =
            curves.iter().filter(|c| !moves.iter().any(|m| m.0 == c.joint)).cloned().collect();
        let times: std::sync::Arc<[f32]> = (0..take.frames).map(|i| take.time(i)).collect();
        let mut keys: Vec<(Vec<f32>, Vec<f32>)> = vec![(Vec::new(), Vec::new()); moves.len()];
        for frame in 0..take.frames {
            source.pose(take, frame, &mut locals);
            source.lay(&locals, &mut layout);
            for (&(joint, from), (places, turns)) in moves.iter().zip(&mut keys) {
                let local = seen_from(&layout, joint, from);
                places.extend(local.translation.to_array());
                turns.extend(local.rotation.to_array());
            }
        }
        for (&(joint, _), (places, turns)) in moves.iter().zip(keys) {
            let joining = Joining::Line;
            for (moves, values) in [(Moves::Place, places), (Moves::Turn, turns)] {
                curves.push(Curve { joint, moves, joining, times: times.clone(), values: values.into() });
            }
        }
        takes.push(Take { motion: Motion::Curves(curves), name: take.name.clone(), ..*take });
    }
    source.rest(&mut locals);
    source.lay(&locals, &mut layout);
    for &(joint, from) in moves {
        source.joints[joint].rest = seen_from(&layout, joint, from);
        source.joints[joint].parent = Some(from);
    }
    source.takes = takes;
    sort(source);
}

/// Puts parents before their children again, and lets everything that names a joint follow.
fn sort(source: &mut Source) {
    let children = source.children();
    let mut open: Vec<usize> =
        (0..source.joints.len()).rev().filter(|&j| source.joints[j].parent.is_none()).collect();
    let mut order = Vec::with_capacity(source.joints.len());
    while let Some(j) = open.pop() {
        order.push(j);
        open.extend(children[j].iter().rev());
    }
    debug_assert_eq!(order.len(), source.joints.len());
    let mut place = vec![0; order.len()];
    for (at, &j) in order.iter().enumerate() {
        place[j] = at;
    }
    source.joints = order.iter().map(|&j| source.joints[j].clone()).collect();
    source.joints.iter_mut().for_each(|j| j.parent = j.parent.map(|p| place[p]));
    source.humanoid.iter_mut().for_each(|(_, j)| *j = place[*j]);
    source.vertices.iter_mut().for_each(|v| v.joint = place[v.joint as usize] as u32);
    for take in &mut source.takes {
        if let Motion::Curves(curves) = &mut take.motion {
            curves.iter_mut().for_each(|c| c.joint = place[c.joint]);
        }
    }
    source.place_of = place;
}
