//! From joints to parts: the user's word, then the file's own, then names, then shapes.

use super::choice::plainest;
use super::error::CharacterError;
use super::map_file::{self, MapFile};
use super::names;
use super::part::{How, Limb, Mapping, Part};
use super::source::{Layout, Local, Source, Take};
use super::topology::{self, Limbs, Pair};
use super::{front, space};
use std::path::Path;
use trample::glam::Vec3;

/// What kind of body a file holds.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Upright, on two legs.
    Upright(Box<Mapping>),
    /// An animal, on four legs or, without fore ones, on two: its limbs, and which way is ahead and up.
    FourFooted { hind: Pair, fore: Option<Pair>, more: usize, ahead: Vec3, up: Vec3 },
}

/// A few poses of a file to look at: at rest, and in motion.
pub(super) struct Looks {
    pub(super) rest: Layout,
    pub(super) moving: Vec<Layout>,
    /// Which way the whole goes during the motion, if it goes anywhere.
    pub(super) travels: Option<Vec3>,
}

/// Most poses that are looked at.
const LOOKED_AT: usize = 48;
/// Words of names of takes in which a body stands or goes as it usually does.
pub(super) const USUAL: [&str; 9] =
    ["walk", "walking", "idle", "run", "running", "trot", "gallop", "jog", "stand"];

impl Looks {
    pub(super) fn new(source: &Source) -> Self {
        // Where names tell in which takes a body goes about on its feet, these are looked at; else the longest, which tells most.
        let plain = plainest(&source.takes, &USUAL);
        let mut takes: Vec<&Take> = plain.iter().take(8).map(|&t| &source.takes[t]).collect();
        if takes.is_empty() {
            takes.extend(source.takes.iter().max_by_key(|t| t.frames));
        }
        // Enormous skeletons are looked at less: the work stays in proportion to the file.
        let most = LOOKED_AT.min(1 + 2_000_000 / source.joints.len().max(1));
        Self::at(source, &takes, (most / takes.len().max(1)).max(2))
    }

    /// So many poses of each of these takes.
    fn at(source: &Source, takes: &[&Take], most: usize) -> Self {
        let (mut locals, mut rest): (Vec<Local>, Layout) = (Vec::new(), Layout::default());
        source.rest(&mut locals);
        source.lay(&locals, &mut rest);
        let mut moving: Vec<Layout> = Vec::new();
        let mut travels: Option<Vec3> = None;
        let middle = |l: &Layout| l.places.iter().sum::<Vec3>() / l.places.len().max(1) as f32;
        for take in takes {
            let first = moving.len();
            for frame in (0..take.frames).step_by(take.frames.div_ceil(most).max(1)) {
                let mut layout = Layout::default();
                source.pose(take, frame, &mut locals);
                source.lay(&locals, &mut layout);
                moving.push(layout);
            }
            if let (Some(a), Some(b)) = (moving.get(first), moving.last()) {
                let way = middle(b) - middle(a);
                if travels.is_none_or(|known| way.length() > known.length()) {
                    travels = Some(way);
                }
            }
        }
        Self { rest, moving, travels }
    }

    /// Some poses of every take, for what must hold in all of them.
    pub(super) fn of_all(source: &Source) -> Self {
        let takes: Vec<&Take> = source.takes.iter().take(LOOKED_AT).collect();
        Self::at(source, &takes, (LOOKED_AT / takes.len().max(1)).max(2))
    }

    /// The pose in the middle of the motion, or at rest.
    fn middle(&self) -> &Layout {
        self.moving.get(self.moving.len() / 2).unwrap_or(&self.rest)
    }
}

/// The joints of each tree of the file.
fn trees(source: &Source) -> Vec<Vec<usize>> {
    let mut tree_of = vec![0; source.joints.len()];
    let mut trees: Vec<Vec<usize>> = Vec::new();
    for (j, joint) in source.joints.iter().enumerate() {
        tree_of[j] = match joint.parent {
            Some(p) => tree_of[p],
            None => {
                trees.push(Vec::new());
                trees.len() - 1
            }
        };
        trees[tree_of[j]].push(j);
    }
    trees
}

/// Finds the body of a file.
pub(super) fn find(
    path: &Path,
    source: &Source,
    looks: &Looks,
    given: &MapFile,
) -> Result<Kind, CharacterError> {
    let mut mapping = Mapping::default();
    let mut limbs: Option<Limbs> = None;
    let trees = trees(source);
    for tree in &trees {
        // Of several bodies the one that is best understood counts.
        if let Some(named) = names::map(source, tree) {
            let parts = |m: &Mapping| m.found.iter().flatten().count();
            if parts(&named) > parts(&mapping) {
                mapping = named;
            }
        }
    }
    // Pieces of ground and other things that hang together are no body.
    let bones = |tree: &&Vec<usize>| tree.iter().filter(|&&j| !source.joints[j].is_mesh).count();
    let longest = trees.iter().max_by_key(bones);
    let tree = mapping.joint(Part::Pelvis).and_then(|p| trees.iter().find(|t| t.contains(&p))).or(longest);
    if let Some(tree) = tree {
        limbs = topology::limbs(source, &looks.rest, tree);
    }
    if !source.humanoid.is_empty() {
        extension(source, &mut mapping);
    } else if given.joints.is_empty()
        && let Some(four) = limbs.as_mut().and_then(|l| four_footed(source, l, looks, &mapping))
    {
        return Ok(four);
    }
    for (part, name) in &given.joints {
        mapping.put(*part, map_file::joint(path, source, *part, name)?, How::Given, 1.0);
    }
    // Names of people's legs are also given to birds and dinosaurs: these lie along the ground at rest, too.
    let named = mapping.has_legs();
    if let Some(limbs) = limbs.as_ref().filter(|_| given.joints.is_empty() && source.humanoid.is_empty())
        && let Some(two) = two_footed(source, limbs, looks)
        && (!named || lies_at_rest(source, limbs, looks, &mapping))
    {
        return Ok(two);
    }
    if let Some(limbs) = limbs.filter(|_| !mapping.has_legs()) {
        let travels = looks.travels;
        let shaped = limbs.map(source, &looks.rest, looks.middle(), travels);
        for part in Part::ALL {
            if mapping.joint(part).is_none() {
                mapping.found[part as usize] = shaped.found[part as usize];
            }
        }
    }
    if !mapping.has_legs() {
        let lost: Vec<&str> = [Limb::Hip, Limb::Knee, Limb::Ankle]
            .iter()
            .flat_map(|l| [l.on(0), l.on(1)])
            .filter(|p| mapping.joint(*p).is_none())
            .map(Part::name)
            .collect();
        let problem = format!(
            "no body with two legs was found among {} joints ({} missing)",
            source.joints.len(),
            lost.join(", ")
        );
        return Err(CharacterError::NoBody { path: path.into(), problem });
    }
    complete(source, &mut mapping);
    let said = given.joints.iter().any(|(part, _)| *part as usize >= 5);
    if !said && source.humanoid.is_empty() {
        face(source, looks, &mut mapping, given.up);
    }
    Ok(Kind::Upright(Box::new(mapping)))
}

/// How much must speak against the names of sides, and how much makes a guess by shape better.
const CONTRADICTED: f32 = 1.2;
const CONFIRMED: f32 = 0.8;

/// Exchanges left and right where the body looks the other way.
fn face(source: &Source, looks: &Looks, mapping: &mut Mapping, up: Option<Vec3>) {
    let leg = |side: usize| {
        Some([
            mapping.limb(Limb::Hip, side)?,
            mapping.limb(Limb::Knee, side)?,
            mapping.limb(Limb::Ankle, side)?,
        ])
    };
    let (Some(left), Some(right)) = (leg(0), leg(1)) else { return };
    let legs = [left, right];
    let pose = looks.middle();
    let rises =
        |p: &Layout| legs.iter().map(|l| p.places[l[0]] - p.places[l[2]]).sum::<Vec3>().normalize_or_zero();
    let up = up.unwrap_or_else(|| space::up_of(source.format, rises(&looks.rest), rises(pose)));
    let Some(front) = front::find(source, looks, &legs, up, looks.travels) else { return };
    let across = looks.rest.places[right[0]] - looks.rest.places[left[0]];
    let mirrored = across.dot(front.ahead.cross(up)) < 0.0;
    let by_shape = mapping.found[Limb::Hip.on(0) as usize].is_some_and(|f| f.how == How::Shape);
    if mirrored && (by_shape || front.sure > CONTRADICTED) {
        mapping.exchange();
        // That the shape had to guess sides is no doubt about the names of a body.
        mapping.exchanged = !by_shape;
    }
    if by_shape && front.sure > CONFIRMED {
        mapping
            .found
            .iter_mut()
            .flatten()
            .filter(|f| f.how == How::Shape)
            .for_each(|f| f.sure = f.sure.max(0.65));
    }
}

/// Conventions that animals' joints are named by, too.
const ANIMALS_TOO: [&str; 3] = ["3ds Max Biped", "Unreal mannequin", "plain words"];

fn four_footed(source: &Source, limbs: &mut Limbs, looks: &Looks, named: &Mapping) -> Option<Kind> {
    limbs.order(source, looks.middle(), looks.travels);
    let fore = limbs.fore.clone()?;
    // In the mean of a motion feet are below the body, however far they swing; a person who crawls is upright at rest, and a rest pose
    // that makes no sense is not believed against the motion.
    let rest = limbs.four_footed(&looks.rest);
    let up = if looks.moving.is_empty() { rest } else { limbs.four_footed(&mean(&looks.moving)) };
    // So is one whose rest pose is no pose at all, if a program for people's motion named its joints.
    let person = named.is_whole() && !named.convention.is_some_and(|c| ANIMALS_TOO.contains(&c));
    let crawls = rest.is_none() && (limbs.stands_upright(&looks.rest) || person);
    let up = up.filter(|_| !crawls)?;
    let pose = looks.middle();
    let ahead = topology::tops(&fore, pose) - topology::tops(&limbs.hind, pose);
    let more = limbs.more;
    Some(Kind::FourFooted {
        hind: limbs.hind.clone(),
        fore: Some(fore),
        more,
        ahead,
        up: topology::snapped(up),
    })
}

/// A body that is longer than it is high, by this share, walks on two legs as birds and dinosaurs do. Our choice.
const LONG: f32 = 0.9;

/// An animal on two legs: its back lies along the ground.
fn two_footed(source: &Source, limbs: &Limbs, looks: &Looks) -> Option<Kind> {
    let rest = &looks.rest;
    let pose = if looks.moving.is_empty() { rest.clone() } else { mean(&looks.moving) };
    let up = space::up_of(source.format, limbs.rise(rest), limbs.rise(&pose));
    // The legs are the limbs that reach lowest.
    let mut pairs = vec![&limbs.hind];
    pairs.extend(&limbs.fore);
    let low =
        |pair: &Pair| pair.chains.iter().flatten().map(|&j| pose.places[j].dot(up)).fold(f32::MAX, f32::min);
    let hind = pairs.into_iter().min_by(|a, b| low(a).total_cmp(&low(b)))?.clone();
    let leg = |k: usize| {
        let chain = &hind.chains[k];
        (chain.len() >= 3).then(|| [chain[0], chain[1], chain[chain.len().saturating_sub(2).max(2)]])
    };
    let front = front::find(source, looks, &[leg(0)?, leg(1)?], up, looks.travels)?;
    let skinned = topology::skinned(source);
    let [left, right] = [0, 1].map(|k| pose.places[hind.chains[k][0]]);
    let along = (right - left).cross(up).try_normalize()?;
    let bones = (0..source.joints.len()).filter(|&j| skinned[j]).map(|j| pose.places[j]);
    let (mut least, mut most) = (Vec3::splat(f32::MAX), Vec3::splat(f32::MIN));
    for p in bones {
        let seen = Vec3::new(p.dot(along), p.dot(up), 0.0);
        (least, most) = (least.min(seen), most.max(seen));
    }
    let size = most - least;
    (size.x > LONG * size.y).then_some(Kind::FourFooted { hind, fore: None, more: 0, ahead: front.ahead, up })
}

/// Whether a body stands on its legs at rest with its back along the ground: no person, whatever its joints are called.
fn lies_at_rest(source: &Source, limbs: &Limbs, looks: &Looks, named: &Mapping) -> bool {
    let rest = &looks.rest;
    let rises = limbs.rise(rest);
    let up = space::up_of(source.format, rises, rises);
    let above = [Part::Chest, Part::Neck, Part::Head].into_iter().find_map(|p| named.joint(p));
    let back = above.zip(named.joint(Part::Pelvis)).map(|(a, p)| rest.places[a] - rest.places[p]);
    rises.dot(up) > 0.7 && back.is_none_or(|b| b.normalize_or_zero().dot(up) < 0.7)
}

/// The mean of poses: places only.
fn mean(poses: &[Layout]) -> Layout {
    let mut mean = poses[0].clone();
    for (j, place) in mean.places.iter_mut().enumerate() {
        *place = poses.iter().map(|p| p.places[j]).sum::<Vec3>() / poses.len() as f32;
    }
    mean
}

/// Bones by the names of VRM.
fn extension(source: &Source, mapping: &mut Mapping) {
    mapping.convention = Some("VRM");
    let mut spine: Vec<usize> = Vec::new();
    for (bone, joint) in &source.humanoid {
        let part = match bone.as_str() {
            "hips" => Part::Pelvis,
            "neck" => Part::Neck,
            "head" => Part::Head,
            "spine" | "chest" | "upperChest" => {
                spine.push(*joint);
                continue;
            }
            other => {
                let (side, rest) = if let Some(rest) = other.strip_prefix("left") {
                    (0, rest)
                } else if let Some(rest) = other.strip_prefix("right") {
                    (1, rest)
                } else {
                    continue;
                };
                let limb = match rest {
                    "Shoulder" => Limb::Clavicle,
                    "UpperArm" => Limb::Shoulder,
                    "LowerArm" => Limb::Elbow,
                    "Hand" => Limb::Wrist,
                    "UpperLeg" => Limb::Hip,
                    "LowerLeg" => Limb::Knee,
                    "Foot" => Limb::Ankle,
                    "Toes" => Limb::Ball,
                    _ => continue,
                };
                limb.on(side)
            }
        };
        mapping.put(part, *joint, How::Extension, 1.0);
    }
    // Joints come parents first, so the highest number is the uppermost.
    spine.sort_unstable();
    if let Some(&chest) = spine.last() {
        mapping.put(Part::Chest, chest, How::Extension, 1.0);
        if spine.len() > 1 {
            mapping.put(Part::Spine, spine[(spine.len() - 1) / 2], How::Extension, 1.0);
        }
    }
}

/// Parts that follow from others.
fn complete(source: &Source, mapping: &mut Mapping) {
    // What carries legs and back is the pelvis, whatever is called so: thighs beside `Hips` hang from what is above both.
    if let (Some(pelvis), Some(a), Some(b)) =
        (mapping.joint(Part::Pelvis), mapping.limb(Limb::Hip, 0), mapping.limb(Limb::Hip, 1))
        && !(source.hangs_from(a, pelvis) && source.hangs_from(b, pelvis))
        && let Some(both) = common(source, a, b).and_then(|legs| common(source, legs, pelvis))
    {
        let sure = mapping.found[Part::Pelvis as usize].map_or(0.7, |f| f.sure);
        mapping.put(Part::Pelvis, both, How::Shape, sure);
    }
    if mapping.joint(Part::Pelvis).is_none()
        && let (Some(a), Some(b)) = (mapping.limb(Limb::Hip, 0), mapping.limb(Limb::Hip, 1))
        && let Some(both) = common(source, a, b)
    {
        mapping.put(Part::Pelvis, both, How::Shape, 0.7);
    }
    if mapping.joint(Part::Chest).is_none()
        && let (Some(a), Some(b)) = (mapping.limb(Limb::Shoulder, 0), mapping.limb(Limb::Shoulder, 1))
        && let Some(both) = common(source, a, b).filter(|b| Some(*b) != mapping.joint(Part::Pelvis))
    {
        mapping.put(Part::Chest, both, How::Shape, 0.6);
    }
    if let (Some(pelvis), Some(chest), None) =
        (mapping.joint(Part::Pelvis), mapping.joint(Part::Chest), mapping.joint(Part::Spine))
        && let Some(middle) = topology::middle(source, pelvis, chest)
    {
        mapping.put(Part::Spine, middle, How::Shape, 0.6);
    }
    for side in 0..2 {
        let Some(ankle) = mapping.limb(Limb::Ankle, side) else { continue };
        if mapping.limb(Limb::Ball, side).is_some() {
            continue;
        }
        // A joint of its own below the foot that is not where the foot is: most likely the toes.
        let length = |j: &usize| source.joints[*j].rest.translation.length();
        let below = (ankle + 1..source.joints.len())
            .filter(|&j| source.joints[j].parent == Some(ankle) && length(&j) > 0.0)
            .filter(|&j| !source.joints[j].name.to_lowercase().contains("heel") && !source.is_end(j))
            .max_by(|a, b| length(a).total_cmp(&length(b)));
        if let Some(below) = below {
            mapping.put(Limb::Ball.on(side), below, How::Shape, 0.5);
        }
    }
}

/// The lowest joint from which both hang.
fn common(source: &Source, a: usize, b: usize) -> Option<usize> {
    let mut at = Some(a);
    while let Some(j) = at {
        if source.hangs_from(b, j) {
            return Some(j);
        }
        at = source.joints[j].parent;
    }
    None
}
