//! Joints by where they hang and how long their bones are, for files whose names say nothing.
//!
//! In: the joints of a file and a pose. Out: limbs in symmetric pairs, told apart as legs and arms, or as the four legs of an
//! animal. Bones on both sides are equally long in any pose, so pairs are found by lengths; what is up, ahead and left
//! is read from the pose.

use super::names;
use super::part::{How, Limb, Mapping, Part};
use super::source::{Layout, Source};
use trample::glam::Vec3;

/// Children that are compared at a joint: the longest.
const COMPARED: usize = 12;

/// Two limbs that hang from one joint and mirror each other.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// The joint they hang from.
    pub(super) from: usize,
    /// Their joints, from the first below `from` to the last; helpers without length are left out.
    pub(super) chains: [Vec<usize>; 2],
    /// Length of either, in the file's unit.
    length: f32,
}

/// The limbs of a body: the pair nearer to the root, and the one farther up its back.
#[derive(Clone, Debug)]
pub(super) struct Limbs {
    pub(super) hind: Pair,
    pub(super) fore: Option<Pair>,
    /// Further pairs as long as these, as of insects.
    pub(super) more: usize,
}

/// Longest way down from every joint, and the child it goes through.
pub(super) struct Reach {
    pub(super) length: Vec<f32>,
    pub(super) through: Vec<Option<usize>>,
}

pub(super) fn reach(source: &Source, rest: &Layout) -> Reach {
    let n = source.joints.len();
    let size = |j: usize| rest.scales[j].abs().max_element();
    let tip = |j: usize| source.joints[j].tip.map_or(0.0, |t| t.length() * size(j));
    let mut length: Vec<f32> = (0..n).map(tip).collect();
    let mut through = vec![None; n];
    for j in (0..n).rev().filter(|&j| !source.joints[j].is_mesh) {
        if let Some(p) = source.joints[j].parent {
            let way = length[j] + rest.places[j].distance(rest.places[p]);
            if through[p].is_none() || way > length[p] {
                (length[p], through[p]) = (way, Some(j));
            }
        }
    }
    Reach { length, through }
}

/// The joints of the longest way down, without those whose bone has no length to speak of.
fn chain(rest: &Layout, reach: &Reach, from: usize) -> Vec<usize> {
    let whole = reach.length[from];
    let mut chain = vec![from];
    let mut at = from;
    while let Some(next) = reach.through[at] {
        let bone = rest.places[next].distance(rest.places[at]);
        if bone < 0.02 * whole {
            // The bone begins at the lower of the two.
            chain.pop();
        }
        chain.push(next);
        at = next;
    }
    chain
}

/// The limbs of the tree `within`.
pub(super) fn limbs(source: &Source, rest: &Layout, within: &[usize]) -> Option<Limbs> {
    let reach = reach(source, rest);
    let children = source.children();
    let skinned = skinned(source);
    let mut pairs: Vec<Pair> = Vec::new();
    for &j in within {
        let limb = |c: &usize| reach.length[*c] > 0.0 && !source.joints[*c].is_mesh && skinned[*c];
        let mut below: Vec<usize> = children[j].iter().copied().filter(limb).collect();
        below.sort_by(|a, b| reach.length[*b].total_cmp(&reach.length[*a]));
        below.truncate(COMPARED);
        for (i, &a) in below.iter().enumerate() {
            for &b in &below[i + 1..] {
                // Legs of one side may be as long as each other.
                let sides = [a, b].map(|c| names::plain(&source.joints[c].name).side);
                if sides[0].is_some() && sides[0] == sides[1] {
                    continue;
                }
                let (p, q) = (reach.length[a], reach.length[b]);
                let (s, t) = [a, b].map(|c| rest.places[c].distance(rest.places[j])).into();
                if (p - q).abs() > 0.04 * p || (s - t).abs() > 0.1 * s.max(t) + 0.02 * p {
                    continue;
                }
                let chains = [a, b].map(|c| chain(rest, &reach, c));
                if chains[0].len() == chains[1].len() && chains[0].len() >= 2 {
                    pairs.push(Pair { from: j, chains, length: p + s });
                }
            }
        }
    }
    let longest = pairs.iter().map(|p| p.length).fold(0.0, f32::max);
    pairs.retain(|p| p.length > 0.3 * longest);
    let mut best: Option<(f32, usize, usize)> = None;
    for (h, hind) in pairs.iter().enumerate() {
        for (f, fore) in pairs.iter().enumerate() {
            let apart = h != f && !hind.chains.iter().any(|c| fore.chains.iter().any(|d| c[0] == d[0]));
            // A pair inside a limb of the other is fingers or toes.
            let inside = hind.chains.iter().any(|c| source.hangs_from(fore.from, c[0]));
            let behind = source.hangs_from(fore.from, hind.from) || named_apart(source, hind, fore);
            if apart && !inside && behind {
                // Of pairs that hang from one joint those farthest apart are the foremost and the hindmost.
                let away =
                    if hind.from == fore.from { tops(hind, rest).distance(tops(fore, rest)) } else { 0.0 };
                let sum = hind.length + fore.length + away;
                if best.is_none_or(|(most, ..)| sum > most) {
                    best = Some((sum, h, f));
                }
            }
        }
    }
    if let Some((_, h, f)) = best {
        let taken = [&pairs[h], &pairs[f]];
        let legs = |p: &&Pair| {
            p.from == pairs[h].from
                && pairs[h].from == pairs[f].from
                && p.length > 0.6 * pairs[h].length.min(pairs[f].length)
                && !taken.iter().any(|t| t.chains.iter().any(|c| p.chains.iter().any(|d| c[0] == d[0])))
        };
        let more = pairs.iter().filter(legs).count();
        return Some(Limbs { hind: pairs[h].clone(), fore: Some(pairs[f].clone()), more });
    }
    let one = pairs.into_iter().max_by(|a, b| a.length.total_cmp(&b.length))?;
    Some(Limbs { hind: one, fore: None, more: 0 })
}

/// Whether skin hangs on a joint or below it: poles and goals for inverse kinematics have none. All do in a file without skin.
pub(super) fn skinned(source: &Source) -> Vec<bool> {
    let mut skinned = vec![source.vertices.is_empty(); source.joints.len()];
    source.vertices.iter().for_each(|v| skinned[v.joint as usize] = true);
    for j in (0..skinned.len()).rev() {
        if let Some(p) = source.joints[j].parent {
            skinned[p] = skinned[p] || skinned[j];
        }
    }
    skinned
}

/// Whether names say that one pair is hind legs and the other fore legs, for bodies whose root is in the middle of the back.
fn named_apart(source: &Source, hind: &Pair, fore: &Pair) -> bool {
    let says = |pair: &Pair, words: &[&str]| {
        pair.chains.iter().flatten().any(|&j| {
            let name = source.joints[j].name.to_lowercase();
            words.iter().any(|w| name.contains(w))
        })
    };
    (hind.from == fore.from || !source.hangs_from(hind.from, fore.from))
        && says(hind, &["back", "hind", "rear"])
        && says(fore, &["front", "fore"])
}

/// Where the middle between the upper ends of a pair is.
pub(super) fn tops(pair: &Pair, pose: &Layout) -> Vec3 {
    (pose.places[pair.chains[0][0]] + pose.places[pair.chains[1][0]]) / 2.0
}

/// Where the middle of both ends of a pair is.
fn ends(pair: &Pair, pose: &Layout) -> Vec3 {
    pair.chains.iter().filter_map(|c| c.last()).map(|&j| pose.places[j]).sum::<Vec3>() / 2.0
}

impl Limbs {
    /// Tells fore from hind legs that hang from one joint: by their names, by where the head is, by the way the body goes.
    pub(super) fn order(&mut self, source: &Source, pose: &Layout, travels: Option<Vec3>) {
        let Some(fore) = self.fore.as_mut().filter(|f| f.from == self.hind.from) else { return };
        let along = tops(fore, pose) - tops(&self.hind, pose);
        let head = source.joints.iter().position(|j| names::plain(&j.name).core.starts_with("head"));
        let looks = head.map(|h| (pose.places[h] - pose.places[self.hind.from]).dot(along));
        let swapped = if named_apart(source, fore, &self.hind) {
            true
        } else if named_apart(source, &self.hind, fore) {
            false
        } else {
            let far = |way: &f32| way.abs() > 0.1 * along.length_squared();
            looks.filter(far).or(travels.map(|t| t.dot(along)).filter(far)).is_some_and(|way| way < 0.0)
        };
        if swapped {
            std::mem::swap(fore, &mut self.hind);
        }
    }

    /// Whether the body stands on all four in a pose, and which way is up then.
    pub(super) fn four_footed(&self, pose: &Layout) -> Option<Vec3> {
        let fore = self.fore.as_ref()?;
        let (pelvis, chest) = (tops(&self.hind, pose), tops(fore, pose));
        let (hind_feet, fore_feet) = (ends(&self.hind, pose), ends(fore, pose));
        let (a, b) = ((pelvis - hind_feet).try_normalize()?, (chest - fore_feet).try_normalize()?);
        // Files have an axis that is up; legs that lean ahead or hang from the middle of the back do not tilt the ground.
        let up = snapped((a + b).try_normalize()?);
        let back = (chest - pelvis).try_normalize()?;
        let leg = (pelvis - hind_feet).length();
        let level = (hind_feet - fore_feet).dot(up).abs() < 0.35 * leg;
        // In a gallop feet are far behind and far ahead in the mean.
        (a.dot(up).min(b.dot(up)) > 0.6 && back.dot(up).abs() < 0.75 && level).then_some(up)
    }

    /// Which way the hind legs rise.
    pub(super) fn rise(&self, pose: &Layout) -> Vec3 {
        (pose.places[self.hind.from] - ends(&self.hind, pose)).normalize_or_zero()
    }

    /// Whether the back rises from the hips above straight legs, as a person's does.
    pub(super) fn stands_upright(&self, pose: &Layout) -> bool {
        let Some(fore) = &self.fore else { return false };
        let (pelvis, chest) = (pose.places[self.hind.from], pose.places[fore.from]);
        let leg = (pelvis - ends(&self.hind, pose)).normalize_or_zero();
        (chest - pelvis).normalize_or_zero().dot(leg) > 0.85
    }

    /// Two limbs above the legs that are not equally long, as of one who holds something: they begin equally far from where they hang.
    fn unequal_arms(&self, source: &Source, rest: &Layout) -> Option<Pair> {
        let (reach, children, skinned) = (reach(source, rest), source.children(), skinned(source));
        let in_leg = |j: usize| self.hind.chains.iter().any(|c| source.hangs_from(j, c[0]));
        let mut best: Option<Pair> = None;
        for j in (0..source.joints.len()).filter(|&j| source.hangs_from(j, self.hind.from) && !in_leg(j)) {
            let limb = |c: &usize| reach.length[*c] > 0.0 && skinned[*c] && !in_leg(*c);
            let below: Vec<usize> = children[j].iter().copied().filter(limb).take(COMPARED).collect();
            for (i, &a) in below.iter().enumerate() {
                for &b in &below[i + 1..] {
                    let (s, t) = [a, b].map(|c| rest.places[c].distance(rest.places[j])).into();
                    let apart = rest.places[a].distance(rest.places[b]);
                    if (s - t).abs() > 0.1 * s.max(t) || apart < 0.7 * s.max(t) {
                        continue;
                    }
                    let mut chains = [a, b].map(|c| chain(rest, &reach, c));
                    let shortest = chains[0].len().min(chains[1].len());
                    chains.iter_mut().for_each(|c| c.truncate(shortest));
                    let length = s + reach.length[a].min(reach.length[b]);
                    if shortest >= 2 && best.as_ref().is_none_or(|known| length > known.length) {
                        best = Some(Pair { from: j, chains, length });
                    }
                }
            }
        }
        best
    }

    /// The parts of an upright body. `pose` is one in which it stands or walks; `travels` the way it goes, if known.
    pub(super) fn map(
        &self,
        source: &Source,
        rest: &Layout,
        pose: &Layout,
        travels: Option<Vec3>,
    ) -> Mapping {
        let mut mapping = Mapping::default();
        let bone = |a: usize, b: usize| rest.places[a].distance(rest.places[b]);
        // Thigh and shank, or upper arm and forearm, are two bones in a row of which the shorter is as long as can be: a collar bone
        // is shorter than the forearm.
        let start = |chain: &[usize]| {
            let pair = |i: usize| bone(chain[i], chain[i + 1]).min(bone(chain[i + 1], chain[i + 2]));
            (0..chain.len().saturating_sub(2)).max_by(|&a, &b| pair(a).total_cmp(&pair(b)))
        };
        let [Some(first), Some(second)] = [0, 1].map(|k| start(&self.hind.chains[k])) else { return mapping };
        if first != second {
            return mapping;
        }
        let ankles = [0, 1].map(|k| self.hind.chains[k][first + 2]);
        let hips = [0, 1].map(|k| self.hind.chains[k][first]);
        let feet = (pose.places[ankles[0]] + pose.places[ankles[1]]) / 2.0;
        let up = snapped((pose.places[self.hind.from] - feet).normalize_or_zero());
        let toes = ankles.iter().filter_map(|&a| foot_way(source, pose, a)).sum::<Vec3>();
        let ahead = [Some(toes), travels].into_iter().flatten().map(|v| v - v.dot(up) * up);
        let ahead = ahead.filter(|v| v.length() > 1e-6).find_map(Vec3::try_normalize);
        let sure = if ahead.is_some() { 0.6 } else { 0.35 };
        let right = ahead.map_or(Vec3::ZERO, |f| f.cross(up));
        let across = |a: usize, b: usize| (pose.places[b] - pose.places[a]).dot(right);
        // Which of the two chains is the left one.
        let left = usize::from(across(hips[0], hips[1]) < 0.0);
        let mut put = |part: Part, joint: usize, sure: f32| mapping.put(part, joint, How::Shape, sure);
        put(Part::Pelvis, self.hind.from, sure);
        for side in 0..2 {
            let chain = &self.hind.chains[(left + side) % 2];
            for (k, limb) in [Limb::Hip, Limb::Knee, Limb::Ankle, Limb::Ball].into_iter().enumerate() {
                if let Some(&joint) = chain.get(first + k) {
                    put(limb.on(side), joint, sure);
                }
            }
        }
        let Some(fore) = self.fore.clone().or_else(|| self.unequal_arms(source, rest)) else {
            return mapping;
        };
        put(Part::Chest, fore.from, sure);
        if let Some(middle) = middle(source, self.hind.from, fore.from) {
            put(Part::Spine, middle, sure);
        }
        // Two joints are a shoulder and an elbow.
        // A collar bone may be about as long as a forearm: the lower of two likely places counts.
        let arm_start = |chain: &[usize]| {
            let pair = |i: usize| bone(chain[i], chain[i + 1]).min(bone(chain[i + 1], chain[i + 2]));
            let best = start(chain).map(pair)?;
            (0..chain.len().saturating_sub(2)).rfind(|&i| pair(i) > 0.75 * best)
        };
        let starts = [0, 1].map(|k| {
            let chain = &fore.chains[k];
            arm_start(chain).or((chain.len() == 2).then_some(0))
        });
        if let [Some(s), Some(_)] = starts {
            // Collar bones may begin in one place, and hands cross: all of the arm counts.
            let arm = |k: usize| fore.chains[k].iter().skip(s);
            let left = usize::from(arm(0).zip(arm(1)).map(|(&a, &b)| across(a, b)).sum::<f32>() < 0.0);
            for side in 0..2 {
                let chain = &fore.chains[(left + side) % 2];
                if s > 0 {
                    put(Limb::Clavicle.on(side), chain[s - 1], sure);
                }
                for (k, limb) in [Limb::Shoulder, Limb::Elbow, Limb::Wrist].into_iter().enumerate() {
                    if let Some(&joint) = chain.get(s + k) {
                        put(limb.on(side), joint, sure);
                    }
                }
            }
        }
        // What else hangs from the chest and goes up is neck and head.
        let arms = [fore.chains[0][0], fore.chains[1][0]];
        let reach = reach(source, rest);
        let neck = source
            .children()
            .get(fore.from)
            .into_iter()
            .flatten()
            .copied()
            .filter(|c| !arms.iter().any(|&a| source.hangs_from(a, *c)))
            .max_by(|a, b| reach.length[*a].total_cmp(&reach.length[*b]));
        if let Some(neck) = neck {
            put(Part::Neck, neck, 0.8 * sure);
            if let Some(head) = reach.through[neck] {
                put(Part::Head, head, 0.8 * sure);
            }
        }
        mapping
    }
}

/// The joint in the middle between two of which the second hangs from the first.
pub(super) fn middle(source: &Source, above: usize, below: usize) -> Option<usize> {
    let mut path = Vec::new();
    let mut at = source.joints[below].parent;
    while let Some(j) = at.filter(|&j| j != above) {
        path.push(j);
        at = source.joints[j].parent;
    }
    path.get(path.len() / 2).copied()
}

/// Where the end of a foot is, seen from its ankle: the farthest joint or tip below it.
pub(super) fn foot_way(source: &Source, pose: &Layout, ankle: usize) -> Option<Vec3> {
    let from = pose.places[ankle];
    let below = (ankle + 1..source.joints.len())
        .take_while(|&j| source.joints[j].parent.is_some_and(|p| p >= ankle))
        .filter(|&j| source.hangs_from(j, ankle) && !source.joints[j].is_mesh);
    let mut ways: Vec<Vec3> = Vec::new();
    for j in std::iter::once(ankle).chain(below) {
        ways.push(pose.places[j] - from);
        ways.extend(source.tip(j, pose).map(|t| t - from));
    }
    ways.into_iter().filter(|w| w.length_squared() > 0.0).max_by(|a, b| a.length().total_cmp(&b.length()))
}

/// The nearest of the six axes.
pub(super) fn snapped(v: Vec3) -> Vec3 {
    let largest = v.abs().max_position();
    let mut out = Vec3::ZERO;
    out[largest] = if v[largest] < 0.0 { -1.0 } else { 1.0 };
    out
}
