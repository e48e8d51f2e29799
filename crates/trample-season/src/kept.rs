//! What was recorded before a season as bytes, to the bit: units of work share it in their store.

use crate::atlas::{Atlas, Gait, LEVELS, Print, SINGLE, SLOPES, Sample};
use crate::damage::{AT, Curve, Damage};
use crate::day::Rules;
use trample::internal::of_bytes;
use trample::scene::Scene;

/// Numbers, one after the other.
#[derive(Default)]
struct Out(Vec<u8>);

impl Out {
    fn whole(&mut self, n: usize) {
        self.0.extend((n as u64).to_le_bytes());
    }
    fn f64s(&mut self, all: &[f64]) {
        all.iter().for_each(|x| self.0.extend(x.to_le_bytes()));
    }
    fn f32s(&mut self, all: &[f32]) {
        all.iter().for_each(|x| self.0.extend(x.to_le_bytes()));
    }
}

/// The same read back; none where they end too soon.
struct In<'a>(&'a [u8]);

impl In<'_> {
    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }
    /// A number of things of which each takes a byte at the least.
    fn whole(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(self.bytes()?)).ok().filter(|&n| n <= 1 << 24)
    }
    fn f64s<const N: usize>(&mut self) -> Option<[f64; N]> {
        let mut all = [0.0; N];
        for x in &mut all {
            *x = f64::from_le_bytes(self.bytes()?);
        }
        Some(all)
    }
    fn f32s(&mut self, n: usize) -> Option<Vec<f32>> {
        (0..n).map(|_| self.bytes().map(f32::from_le_bytes)).collect()
    }
}

fn put_atlas(out: &mut Out, atlas: &Atlas) {
    out.f64s(&atlas.half);
    atlas.samples.iter().for_each(|&n| out.whole(n));
    atlas.extent.iter().for_each(|e| out.f64s(e));
    for gait in &atlas.gaits {
        out.f64s(&[gait.step, gait.width, gait.toe_out, gait.speed]);
        out.whole(gait.recorded);
    }
    for print in atlas.prints.iter().flatten() {
        out.f32s(&print.most);
        print.levels.iter().flatten().for_each(|s| out.f32s(&[s.touch, s.depth]));
        out.f32s(&print.shallower);
        out.f32s(&print.depth);
        out.f32s(&print.aside);
    }
}

fn take_atlas(from: &mut In<'_>, materials: usize) -> Option<Atlas> {
    let half = from.f64s()?;
    let samples = [from.whole()?, from.whole()?];
    let extent = [from.f64s()?, from.f64s()?];
    let mut gaits = Vec::new();
    for _ in 0..SLOPES.len() {
        let [step, width, toe_out, speed] = from.f64s()?;
        gaits.push(Gait { step, width, toe_out, speed, recorded: from.whole()? });
    }
    let n = samples[0].checked_mul(samples[1])?.checked_mul(SINGLE)?;
    let mut print = || -> Option<Print> {
        let most = from.f32s(n)?;
        let mut levels: [Vec<Sample>; LEVELS] = Default::default();
        for level in &mut levels {
            let numbers = from.f32s(2 * n)?;
            level.extend(numbers.chunks_exact(2).map(|s| Sample { touch: s[0], depth: s[1] }));
        }
        let shallower = from.f32s(LEVELS - 1)?.try_into().ok()?;
        let depth = from.f32s(LEVELS)?.try_into().ok()?;
        Some(Print { most, levels, shallower, depth, aside: from.f32s(LEVELS)?.try_into().ok()? })
    };
    let prints =
        (0..SLOPES.len()).map(|_| (0..materials).map(|_| print()).collect()).collect::<Option<_>>()?;
    Some(Atlas { half, samples, extent, gaits, prints })
}

impl Rules {
    /// Everything but nature, which the scene tells, and a sum at the end.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Out::default();
        out.whole(self.atlases.len());
        self.atlases.iter().for_each(|atlas| put_atlas(&mut out, atlas));
        out.whole(self.damage.len());
        for d in &self.damage {
            out.whole(d.left.len());
            out.f64s(&d.left);
            out.f64s(&[d.error]);
        }
        let sum = of_bytes(&out.0);
        out.0.extend(sum.to_le_bytes());
        out.0
    }

    /// Takes over what [`Rules::to_bytes`] gave for a scene; none if it is damaged.
    pub fn from_bytes(bytes: &[u8], scene: &Scene) -> Option<Self> {
        let (all, sum) = bytes.split_last_chunk::<8>()?;
        if of_bytes(all).to_le_bytes() != *sum {
            return None;
        }
        let mut from = In(all);
        let materials = scene.terrain.materials.len();
        let atlases = (0..from.whole()?).map(|_| take_atlas(&mut from, materials)).collect::<Option<_>>()?;
        let mut damage = Vec::new();
        for _ in 0..from.whole()? {
            let known = from.whole()?;
            if !(1..=AT.len()).contains(&known) {
                return None;
            }
            let left = (0..known).map(|_| from.f64s::<1>().map(|[x]| x)).collect::<Option<_>>()?;
            let [error] = from.f64s()?;
            damage.push(Damage { left, error });
        }
        let curves = damage.iter().map(Curve::new).collect();
        let nature = scene.season.as_ref()?.nature.clone();
        from.0.is_empty().then_some(Self { atlases, damage, curves, nature })
    }
}
