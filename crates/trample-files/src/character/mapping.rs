//! From joints to parts: the user's word, then the file's own, then names, then shapes.

use super::error::CharacterError;
use super::map_file::{self, MapFile};
use super::names;
use super::part::{How, Limb, Mapping, Part};
use super::source::{Layout, Local, Source};
use super::topology::{self, Limbs, Pair};
use std::path::Path;
use trample::glam::Vec3;

/// What kind of body a file holds.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Upright, on two legs.
    Upright(Box<Mapping>),
    /// On four legs: hind and fore limbs, and which way is up.
    FourFooted { hind: Pair, fore: Pair, up: Vec3 },
}

/// A few poses of a file to look at: at rest, and in motion.
pub(super) struct Looks {
    pub(super) rest: Layout,
    pub(super) moving: Vec<Layout>,
}

/// Most poses that are looked at.
const LOOKED_AT: usize = 48;

impl Looks {
    pub(super) fn new(source: &Source) -> Self {
        let (mut locals, mut rest): (Vec<Local>, Layout) = (Vec::new(), Layout::default());
        source.rest(&mut locals);
        source.lay(&locals, &mut rest);
        let mut moving = Vec::new();
        // The longest motion tells most.
        if let Some(take) = source.takes.iter().max_by_key(|t| t.frames) {
            // Enormous skeletons are looked at less: the work stays in proportion to the file.
            let most = LOOKED_AT.min(1 + 2_000_000 / source.joints.len().max(1));
            let every = take.frames.div_ceil(most).max(1);
            for frame in (0..take.frames).step_by(every) {
                let mut layout = Layout::default();
                source.pose(take, frame, &mut locals);
                source.lay(&locals, &mut layout);
                moving.push(layout);
            }
        }
        Self { rest, moving }
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
    let longest = trees.iter().max_by_key(|t| t.len());
    let tree = mapping.joint(Part::Pelvis).and_then(|p| trees.iter().find(|t| t.contains(&p))).or(longest);
    if let Some(tree) = tree {
        limbs = topology::limbs(source, &looks.rest, tree);
    }
    if !source.humanoid.is_empty() {
        extension(source, &mut mapping);
    } else if given.joints.is_empty()
        && let Some(four) = limbs.as_ref().and_then(|l| four_footed(l, looks))
    {
        return Ok(four);
    }
    for (part, name) in &given.joints {
        mapping.put(*part, map_file::joint(path, source, *part, name)?, How::Given, 1.0);
    }
    if let Some(limbs) = limbs.filter(|_| !mapping.has_legs()) {
        let travels = travel(looks);
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
    Ok(Kind::Upright(Box::new(mapping)))
}

fn four_footed(limbs: &Limbs, looks: &Looks) -> Option<Kind> {
    let fore = limbs.fore.clone()?;
    let moving: Vec<Option<Vec3>> = looks.moving.iter().map(|l| limbs.four_footed(l)).collect();
    let up = limbs.four_footed(&looks.rest);
    // A person who crawls is upright at rest; a rest pose that makes no sense is not.
    let often = moving.iter().flatten().count() * 5 > moving.len() * 4;
    let up = up.filter(|_| moving.is_empty() || often)?;
    let up = moving.iter().flatten().next().copied().unwrap_or(up);
    Some(Kind::FourFooted { hind: limbs.hind.clone(), fore, up: topology::snapped(up) })
}

/// Which way the whole goes during the motion.
fn travel(looks: &Looks) -> Option<Vec3> {
    let (first, last) = (looks.moving.first()?, looks.moving.last()?);
    let middle = |l: &Layout| l.places.iter().sum::<Vec3>() / l.places.len().max(1) as f32;
    Some(middle(last) - middle(first))
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
            .filter(|&j| !source.joints[j].name.to_lowercase().contains("heel"))
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
