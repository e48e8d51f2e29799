//! Joints by their names: what is left when prefixes, case and sides are taken off, looked up in the conventions in use.
//!
//! In: the joints of a file. Out: a mapping by the convention that explains most of them. "LeftShoulder" is a collar bone
//! with Mixamo and an upper arm with Xsens: only a whole convention can tell, so no word is looked up by itself.

use super::conventions::{CONVENTIONS, Convention};
use super::part::{How, Limb, Mapping, Part};
use super::source::Source;

/// A name without prefix, case and side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plain {
    /// 0 left, 1 right.
    pub(super) side: Option<usize>,
    /// What is left, letters and digits only.
    pub(super) core: String,
}

/// Words that stand before names and mean nothing to us.
const BEFORE: [&str; 17] = [
    "mixamorig",
    "bip01",
    "bip001",
    "bip",
    "valvebiped",
    "def",
    "j",
    "c",
    "avg",
    "m",
    "f",
    "joint",
    "jnt",
    "bone",
    "sk",
    "rig",
    "b",
];

/// Parts of bodies in files of Acclaim's kind, whose side is a small letter before them: `lfemur`.
const ACCLAIM: [&str; 12] = [
    "hipjoint", "femur", "tibia", "foot", "toes", "clavicle", "humerus", "radius", "wrist", "hand",
    "fingers", "thumb",
];

/// Takes a name apart.
pub(super) fn plain(name: &str) -> Plain {
    // Namespaces: `Armature|mixamorig:Hips`.
    let name = name.rsplit([':', '|', '/']).next().unwrap_or(name);
    let mut words = words(name);
    // `CC_Base_L_Thigh`, `ValveBiped.Bip01_L_Thigh`: the second word would be a part of others.
    let two = |a: &str, b: &str| words.len() > 2 && words[0] == a && words[1] == b;
    if two("cc", "base") || two("valve", "biped") {
        words.drain(..2);
    }
    while words.len() > 1 && {
        let first = words[0].trim_end_matches(|c: char| c.is_ascii_digit());
        BEFORE.contains(&words[0].as_str()) || first == "mixamorig"
    } {
        words.remove(0);
    }
    let mut side = None;
    let which = |word: &str| match word {
        "l" | "left" | "左" => Some(0),
        "r" | "right" | "右" => Some(1),
        _ => None,
    };
    if let Some(at) = words.iter().position(|w| which(w).is_some()) {
        side = which(&words[at]);
        words.remove(at);
    } else {
        // `leftupperleg`, all in one.
        for (at, prefix) in [(0, "left"), (1, "right"), (0, "左"), (1, "右")] {
            if let Some(rest) = words.first().and_then(|w| w.strip_prefix(prefix)).filter(|r| !r.is_empty()) {
                side = Some(at);
                words[0] = rest.to_string();
                break;
            }
        }
    }
    if side.is_none()
        && let [word] = &mut words[..]
        && let Some(rest) = word.get(1..).filter(|rest| ACCLAIM.contains(rest))
        && let Some(at) = which(&word[..1])
    {
        (side, words) = (Some(at), vec![rest.to_string()]);
    }
    Plain { side, core: words.concat() }
}

/// Splits at everything that is no letter or digit, and where small letters meet capitals; in small letters.
pub(super) fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (i, &c) in letters.iter().enumerate() {
        if !c.is_alphanumeric() {
            words.push(String::new());
            continue;
        }
        let before = i.checked_sub(1).map(|k| letters[k]);
        let after = letters.get(i + 1);
        let rises = c.is_uppercase() && before.is_some_and(char::is_lowercase);
        // `LThumb`: the last capital of a row belongs to the word after it.
        let turns = c.is_uppercase()
            && before.is_some_and(char::is_uppercase)
            && after.is_some_and(|a| a.is_lowercase());
        if rises || turns {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|w| !w.is_empty());
    words
}

/// The mapping by the convention that explains most of the joints of the tree `within`. Nothing if none explains a leg.
pub(super) fn map(source: &Source, within: &[usize]) -> Option<Mapping> {
    let raw: Vec<String> = within.iter().map(|&j| source.joints[j].name.to_lowercase()).collect();
    // A Rigify armature holds every bone thrice; those that deform are marked.
    let deform = raw.iter().filter(|n| n.starts_with("def-")).count() > 10;
    let plains: Vec<Plain> = within
        .iter()
        .zip(&raw)
        .map(|(&j, raw)| {
            let counts = (!deform || raw.starts_with("def-")) && !source.joints[j].is_mesh;
            if counts && !raw.starts_with("mch-") && !raw.starts_with("org-") {
                plain(&source.joints[j].name)
            } else {
                Plain::default()
            }
        })
        .collect();
    let marks = raw.join("\n") + "\n";
    let mut best: Option<(usize, Mapping)> = None;
    for convention in CONVENTIONS.iter().filter(|c| c.mark.is_empty() || marks.contains(c.mark)) {
        let mapping = by(convention, source, within, &plains);
        // Legs weigh more: walking needs them.
        let weight = |p: &Part| if (9..13).contains(&((*p as usize - 5) % 8 + 5)) { 3 } else { 1 };
        let limb = |p: &Part| *p as usize >= 5;
        let score = Part::ALL
            .iter()
            .filter(|p| mapping.joint(**p).is_some())
            .map(|p| if limb(p) { weight(p) } else { 1 })
            .sum();
        if best.as_ref().is_none_or(|(most, _)| score > *most) {
            best = Some((score, mapping));
        }
    }
    best.map(|(_, m)| m).filter(|m| m.limb(Limb::Hip, 0).is_some() || m.limb(Limb::Ankle, 0).is_some())
}

fn by(convention: &Convention, source: &Source, within: &[usize], plains: &[Plain]) -> Mapping {
    let sure = if convention.name == "plain words" { 0.8 } else { 0.95 };
    let find = |side: Option<usize>, words: &str| {
        let fits = |word: &str| plains.iter().position(|p| p.side == side && p.core == word);
        words.split_whitespace().find_map(fits).map(|at| within[at])
    };
    let mut mapping = Mapping { convention: Some(convention.name), ..Mapping::default() };
    let mut put = |part: Part, joint: Option<usize>| {
        if let Some(joint) = joint {
            mapping.put(part, joint, How::Name, sure);
        }
    };
    put(Part::Pelvis, find(None, convention.pelvis));
    put(Part::Neck, find(None, convention.neck));
    put(Part::Head, find(None, convention.head));
    for side in 0..2 {
        for (part, words) in Part::ALL[5 + 8 * side..].iter().zip(convention.limbs.split(',')) {
            put(*part, find(Some(side), words));
        }
    }
    let back: Vec<usize> = (0..within.len())
        .filter(|&i| {
            plains[i].side.is_none() && convention.spine.split(' ').any(|word| word == plains[i].core)
        })
        .map(|i| within[i])
        .collect();
    if let Some(&chest) = back.last() {
        put(Part::Chest, Some(chest));
        if back.len() > 1 {
            put(Part::Spine, Some(back[(back.len() - 1) / 2]));
        }
    }
    check(source, &mut mapping);
    mapping
}

/// A limb whose joints do not hang from each other is no limb: what breaks the chain is dropped.
fn check(source: &Source, mapping: &mut Mapping) {
    let chains = [
        &[Limb::Clavicle, Limb::Shoulder, Limb::Elbow, Limb::Wrist][..],
        &[Limb::Hip, Limb::Knee, Limb::Ankle, Limb::Ball],
    ];
    for side in 0..2 {
        for chain in chains {
            for pair in chain.windows(2) {
                let (a, b) = (mapping.limb(pair[0], side), mapping.limb(pair[1], side));
                if let (Some(a), Some(b)) = (a, b)
                    && (a == b || !source.hangs_from(b, a))
                {
                    mapping.found[pair[1].on(side) as usize] = None;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_prefix_case_and_side() {
        for (name, side, core) in [
            ("mixamorig:LeftUpLeg", Some(0), "upleg"),
            ("mixamorig7:Hips", None, "hips"),
            ("mixamorigRightFoot", Some(1), "foot"),
            ("Armature|LeftToeBase", Some(0), "toebase"),
            ("Bip01 L Thigh", Some(0), "thigh"),
            ("Bip001_R_Toe0", Some(1), "toe0"),
            ("Bip01", None, "bip01"),
            ("DEF-shin.L", Some(0), "shin"),
            ("DEF-thigh.L.001", Some(0), "thigh001"),
            ("J_Bip_C_UpperChest", None, "upperchest"),
            ("J_Bip_R_LowerLeg", Some(1), "lowerleg"),
            ("upperarm_twist_01_l", Some(0), "upperarmtwist01"),
            ("rShldrBend", Some(1), "shldrbend"),
            ("LHipJoint", Some(0), "hipjoint"),
            ("m_avg_R_Collar", Some(1), "collar"),
            ("leftupperleg", Some(0), "upperleg"),
            ("spine_01", None, "spine01"),
            ("CC_Base_L_Calf", Some(0), "calf"),
            ("ValveBiped.Bip01_R_Thigh", Some(1), "thigh"),
            ("左ひざ", Some(0), "ひざ"),
            ("lfemur", Some(0), "femur"),
            ("root", None, "root"),
            ("UpperLeg_R", Some(1), "upperleg"),
            ("", None, ""),
        ] {
            assert_eq!(plain(name), Plain { side, core: core.into() }, "{name}");
        }
    }
}
