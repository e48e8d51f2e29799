//! Which takes of a file a walker plays: by their names, and by what they show.
//!
//! In: a body with its takes, and perhaps the name of one. Out: clips on a skeleton. Takes that walk or run go round and round;
//! one take of every speed is enough, and the plainest name goes first, so that a fight does not spoil a walk. Where no take
//! walks or runs, the motion is played in place.

use super::names::words;
use super::source::{Source, Take};
use super::upright::{Upright, locked};
use super::{Character, Loaded, repeat, upright};
use trample::body::Skeleton;
use trample::clips::{Clip, Kind};
use trample::imported::{Draft, MOST_FRAMES, Recorded, cut, with_mirrored};

/// What a take shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// Walks or runs that can be played round and round.
    Gait,
    /// The same with its back ahead.
    Backward,
    /// Standing.
    Idle,
    /// Anything else.
    Other,
}

impl Shows {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Gait => "goes round",
            Self::Backward => "walks backward",
            Self::Idle => "stands",
            Self::Other => "not locomotion",
        }
    }
}

/// What was chosen of a file.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// Clips on the skeleton.
    pub clips: Vec<Clip>,
    /// Names of the takes they are from, with their speeds, m/s.
    pub takes: Vec<(String, f32)>,
    /// Whether nothing in it goes anywhere: it is played in place.
    pub in_place: bool,
    /// What a person should be told.
    pub notes: Vec<String>,
}

/// Words of names that say that a take walks or runs.
const GAITS: [&str; 12] = [
    "walk", "walking", "run", "running", "jog", "jogging", "trot", "sprint", "gallop", "canter", "stroll",
    "march",
];
/// Words that say that it stands.
const IDLES: [&str; 4] = ["idle", "stand", "standing", "rest"];
/// Words that say nothing about a take.
const PLAIN: [&str; 16] = [
    "armature",
    "human",
    "animal",
    "character",
    "loop",
    "cycle",
    "anim",
    "animation",
    "action",
    "in",
    "place",
    "mixamo",
    "com",
    "a",
    "layer0",
    "forward",
];

/// How far a name is from saying plainly that it is one of `wanted`: the words it has beside it. None if it does not say so.
pub(super) fn plainness(name: &str, wanted: &[&str]) -> Option<usize> {
    let all = words(name.rsplit('|').next().unwrap_or(name));
    let bare = |w: &String| w.trim_end_matches(|c: char| c.is_ascii_digit()).to_string();
    let all: Vec<String> = all.iter().map(bare).filter(|w| !w.is_empty()).collect();
    let says = all.iter().any(|w| wanted.contains(&w.as_str()));
    let beside = |w: &&String| !wanted.contains(&w.as_str()) && !PLAIN.contains(&w.as_str());
    says.then(|| all.iter().filter(beside).count())
}

/// The takes whose names say most plainly that they are one of `wanted`, with at most one word beside it: one who lies idle is left out
/// where another walks.
pub(super) fn plainest(takes: &[Take], wanted: &[&str]) -> Vec<usize> {
    let own: Vec<Option<usize>> = takes.iter().map(|t| plainness(&t.name, wanted)).collect();
    let least = own.iter().flatten().min().filter(|n| **n <= 1);
    (0..takes.len()).filter(|&t| least.is_some() && own[t].as_ref() == least).collect()
}

/// Whether `name` is what a user calls a take: its name, the end of it behind a bar, or a part of it.
fn is_called(name: &str, called: &str) -> u8 {
    let (name, called) = (name.to_lowercase(), called.to_lowercase());
    let short = name.rsplit('|').next().unwrap_or(&name);
    if name == called || short == called { 2 } else { u8::from(name.contains(&called)) }
}

/// Takes that `called` means: those of that very name, else those whose name has it in it.
pub(super) fn called(names: &[&str], called: &str) -> Vec<usize> {
    let best = names.iter().map(|n| is_called(n, called)).max().unwrap_or(0);
    (0..names.len()).filter(|&i| best > 0 && is_called(names[i], called) == best).collect()
}

/// An idle take stays within this share of the leg, and is no slower to tell than this, m/s: our choice.
const STAYS: f32 = 0.15;
/// A second take of about the speed of one that was chosen adds nothing: our choice.
const APART: f32 = 0.2;

impl Upright {
    /// A take on a skeleton, its feet not locked; short cycles repeated.
    fn long_draft(&self, source: &Source, take: usize, skeleton: &Skeleton) -> Draft {
        let mut draft = self.draft(source, take, skeleton);
        repeat::repeated(&mut draft, upright::whole_leg(skeleton));
        draft
    }

    /// Whether a take may be one of walking backward: its name says that it walks, or there is no other.
    fn may_go_back(&self, take: usize) -> bool {
        self.takes.len() == 1 || plainness(&self.takes[take].name, &GAITS).is_some()
    }

    /// What a take shows, and the speeds of its even gaits, m/s.
    pub fn shows(&self, source: &Source, take: usize) -> (Shows, Vec<f32>) {
        let own = Skeleton::new(&self.body);
        let mut draft = self.long_draft(source, take, &own);
        let speeds = |draft: &Draft| -> Vec<f32> { draft.rounds(&own).iter().map(|c| c.speed).collect() };
        let ahead = speeds(&draft);
        if !ahead.is_empty() {
            return (Shows::Gait, ahead);
        }
        if stands(&draft, &own) {
            return (Shows::Idle, Vec::new());
        }
        draft.moments.reverse();
        let back = if self.may_go_back(take) { speeds(&draft) } else { Vec::new() };
        (if back.is_empty() { Shows::Other } else { Shows::Backward }, back)
    }

    /// The takes for a walker on a skeleton; `take` says which one, if the user does.
    pub fn chosen(&self, source: &Source, skeleton: &Skeleton, take: Option<&str>) -> Result<Chosen, String> {
        let names: Vec<&str> = self.takes.iter().map(|t| t.name.as_str()).collect();
        let mut may: Vec<usize> = (0..names.len()).collect();
        if let Some(wanted) = take {
            may = called(&names, wanted);
            if may.is_empty() {
                return Err(format!("no take `{wanted}`; there are {}", listed(&names)));
            }
        }
        if may.is_empty() {
            return Err("no motion in it".into());
        }
        // The plainest names first, and what is said to walk before what is not.
        let rank = |t: usize| (plainness(names[t], &GAITS).unwrap_or(usize::MAX), t);
        may.sort_by_key(|&t| rank(t));
        let told = |t: usize| plainness(names[t], &GAITS);
        let plainest = may.first().and_then(|&t| told(t));
        let mut chosen = Chosen::default();
        // Takes that only go backward count where none goes ahead: played the other way round in time they do, as people's legs move
        // in backward walking almost as in walking ahead reversed (Winter et al. 1989).
        let mut back = false;
        for (t, reversed) in may.iter().map(|&t| (t, false)).chain(may.iter().map(|&t| (t, true))) {
            if reversed && !back && !chosen.clips.is_empty() {
                break;
            }
            if reversed && !self.may_go_back(t) {
                continue;
            }
            // Where names say who walks, others do not; and a walk with a gun does not where there is a plain one.
            let odd = told(t).is_none_or(|n| plainest.is_some_and(|p| n > p.max(1)));
            if take.is_none() && !chosen.clips.is_empty() && odd {
                continue;
            }
            let mut draft = self.long_draft(source, t, skeleton);
            if reversed {
                draft.moments.reverse();
            }
            for clip in draft.rounds(skeleton) {
                let known = chosen.takes.iter().any(|(_, v)| (clip.speed / v - 1.0).abs() < APART);
                if !known {
                    if reversed {
                        back = true;
                        chosen.notes.push(format!(
                            "take `{}` walks backward: played the other way round in time, so that it goes ahead on its route",
                            names[t]
                        ));
                    }
                    chosen.takes.push((names[t].to_string(), clip.speed));
                    chosen.clips.push(clip);
                }
            }
        }
        if chosen.clips.is_empty() {
            return self.in_place(source, skeleton, &may, &names);
        }
        // Standing, sidesteps and backward steps as they are.
        let idle = |t: &usize| plainness(names[*t], &IDLES).is_some();
        let mut idles: Vec<usize> = (0..names.len()).filter(idle).collect();
        idles.sort_by_key(|&t| plainness(names[t], &IDLES));
        idles.truncate(1);
        let single = names.len() == 1 || take.is_some();
        let leg = upright::whole_leg(skeleton);
        for &t in idles.iter().filter(|_| take.is_none()).chain(may.iter().filter(|_| single)) {
            let whole = locked(self.long_draft(source, t, skeleton), skeleton);
            // Who stands has both feet on the ground; the moment between two steps is not standing.
            let both = |c: &Clip| c.frames.iter().all(|f| f.contacts.iter().all(|foot| foot.contains(&true)));
            let keeps = |c: &Clip| {
                matches!(c.kind, Kind::Idle | Kind::Sidestep | Kind::Backward)
                    && (c.kind != Kind::Idle || both(c))
                    && c.frames.iter().all(|f| f.centre.is_finite())
            };
            chosen.clips.extend(cut(&whole, leg).into_iter().filter(keeps));
        }
        Ok(chosen)
    }

    /// Motion that goes nowhere, to be played where the walker stands.
    fn in_place(
        &self,
        source: &Source,
        skeleton: &Skeleton,
        may: &[usize],
        names: &[&str],
    ) -> Result<Chosen, String> {
        let longest =
            may.iter().copied().max_by(|&a, &b| self.takes[a].seconds.total_cmp(&self.takes[b].seconds));
        let Some(take) = longest else { return Err("no motion in it".into()) };
        let clip = self.draft(source, take, skeleton).in_place(skeleton);
        let clip = clip.ok_or_else(|| format!("take `{}` is too short, or not finite", names[take]))?;
        let note = format!("take `{}` is not locomotion: played in place", names[take]);
        let takes = vec![(names[take].to_string(), 0.0)];
        Ok(Chosen { clips: vec![clip], takes, in_place: true, notes: vec![note] })
    }
}

/// What several files hold, as the motion of one walker: motion in place counts where nothing goes anywhere, and of several dances the
/// first is played.
pub fn recorded(all: Vec<Chosen>, with_generated: bool, fill: bool) -> Recorded {
    let in_place = all.iter().all(|c| c.in_place) && all.iter().any(|c| !c.clips.is_empty());
    let (mut clips, mut notes) = (Vec::new(), Vec::new());
    for chosen in all {
        let used = chosen.clips.is_empty() || chosen.in_place == in_place && (clips.is_empty() || !in_place);
        if used {
            clips.extend(chosen.clips);
            notes.extend(chosen.notes);
        }
    }
    let clips = if in_place { clips } else { with_mirrored(clips) };
    Recorded { clips, with_generated, fill, in_place, notes }
}

impl Loaded {
    /// The motion of this file for a walker on a skeleton; `take` says which, if the user does. A file without motion says so.
    pub fn chosen(&self, skeleton: &Skeleton, take: Option<&str>) -> Result<Chosen, String> {
        let at = self.path.display();
        let upright = match &self.character {
            Character::Upright(upright) => upright,
            Character::FourFooted(animal) => {
                return Err(format!("{at}: a {} animal; a person has other joints", animal.kind()));
            }
        };
        let seconds: f64 = upright.takes.iter().map(|t| t.seconds).sum();
        if seconds * trample::clips::RATE > MOST_FRAMES as f64 {
            return Err(format!("{at}: {seconds:.0} s, allowed: 3600 s"));
        }
        if upright.takes.is_empty() && take.is_none() {
            let note = format!("{at}: no motion in it: it moves by generated motion");
            return Ok(Chosen { in_place: true, notes: vec![note], ..Chosen::default() });
        }
        upright.chosen(&self.source, skeleton, take).map_err(|problem| format!("{at}: {problem}"))
    }
}

/// Whether a body stands about.
fn stands(draft: &Draft, skeleton: &Skeleton) -> bool {
    let leg = upright::whole_leg(skeleton);
    let (mut low, mut high) = (trample::glam::DVec3::MAX, trample::glam::DVec3::MIN);
    for m in &draft.moments {
        (low, high) = (low.min(m.root), high.max(m.root));
    }
    let lifted = draft.moments.iter().filter(|m| m.contacts.contains(&[false; 2])).count();
    (high - low).with_y(0.0).length() < f64::from(STAYS) * leg && 5 * lifted < draft.moments.len()
}

/// Names for a message.
pub(super) fn listed(names: &[&str]) -> String {
    let some: Vec<String> = names.iter().take(24).map(|n| format!("`{n}`")).collect();
    let more = if names.len() > 24 { ", …" } else { "" };
    format!("{}{more}", some.join(", "))
}
