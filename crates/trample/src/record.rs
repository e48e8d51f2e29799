//! Snapshots and recordings: the whole state as bytes, and a digest per step.
//!
//! In: a world. Out: bytes that bring it back to the last bit; a list of digests that tells the first step in which
//! two runs differ. Files and checksums are somebody else's work.

use crate::scene::{Motion, Steer};
use crate::state::PLANT_CELL;
use crate::state::plants::{Block, BlockKey, HEALTHY, LANES, Plants};
use crate::state::puppet::Drive;
use crate::state::tile::{TILE_CELLS, TileKey};
use crate::state::{Foot, SolePose, Tiles, Walker};
use crate::world::World;
use glam::{DVec2, Quat, Vec2, Vec3};

/// Changes whenever the layout below does.
pub const VERSION: u32 = 4;

/// Why a snapshot cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// Made by another version.
    #[error("snapshot version {0}, this program reads version {VERSION}; run the scene anew")]
    Version(u32),
    /// Ends too early or has a length that cannot be.
    #[error("snapshot is cut off or damaged at byte {0}")]
    Damaged(usize),
    /// Belongs to another scene.
    #[error("snapshot belongs to another scene: {0}")]
    OtherScene(String),
}

impl World {
    /// The whole state as bytes.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 + self.ground.tiles.len() * TILE_CELLS * 12);
        let mut w = Writer(&mut out);
        w.u32(VERSION);
        w.u64(self.steps);
        w.f64(self.time);
        w.i128(self.ledger.carved);
        w.f64(self.ledger.owed);
        w.i128(self.ledger.loose);
        w.i128(self.ledger.deposited);
        w.u32(self.puppets.len() as u32);
        for puppet in &self.puppets {
            let flags = [
                puppet.quarantined,
                puppet.last_center.is_some(),
                puppet.last_drive.is_some(),
                puppet.walker.is_some(),
            ];
            w.u32(flags.iter().enumerate().map(|(i, &f)| u32::from(f) << i).sum());
            w.vec3(puppet.last_center.unwrap_or_default());
            let drive = puppet.last_drive.unwrap_or_default();
            w.vec3(drive.force);
            drive.load.iter().for_each(|x| w.u32(x.to_bits()));
            if let Some(walker) = &puppet.walker {
                w.walker(walker);
            }
            w.u32(puppet.feet.len() as u32);
            for sole in &puppet.pose.soles {
                w.vec3(sole.position);
                sole.rotation.to_array().into_iter().for_each(|x| w.u32(x.to_bits()));
                w.u32(sole.toe_bend.to_bits());
            }
            for foot in &puppet.feet {
                w.u32(u32::from(foot.down));
                for v in [foot.velocity, foot.spin, foot.acceleration, foot.landing] {
                    w.vec3(v);
                }
                for x in [foot.gap, foot.hold_left, foot.hold, foot.stance, foot.peak_force] {
                    w.f64(x);
                }
                for x in [foot.area_time, foot.impulse, foot.height, foot.depth] {
                    w.f64(x);
                }
                w.i128(foot.carry);
            }
        }
        w.u64(self.pending.len() as u64);
        for &(z, x) in &self.pending {
            w.i32(z);
            w.i32(x);
        }
        w.u64(self.ground.tiles.len() as u64);
        for tile in self.ground.tiles.sorted() {
            w.i32(tile.key.x);
            w.i32(tile.key.z);
            tile.compression.iter().for_each(|&c| w.i32(c));
            tile.accumulation.iter().for_each(|&a| w.i32(a));
            tile.pressure_time.iter().for_each(|&p| w.u32(p.to_bits()));
            w.0.extend(tile.pressed);
        }
        w.plants(&self.plants, &self.ground.cover.keys());
        out
    }

    /// Brings a state back. The world must have been made from the same scene; on error it is left as it was.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let mut r = Reader { bytes, at: 0 };
        let version = r.u32()?;
        if version != VERSION {
            return Err(SnapshotError::Version(version));
        }
        let mut world = self.clone();
        world.steps = r.u64()?;
        world.time = r.f64()?;
        world.ledger.carved = r.i128()?;
        world.ledger.owed = r.f64()?;
        world.ledger.loose = r.i128()?;
        world.ledger.deposited = r.i128()?;
        let puppets = r.u32()? as usize;
        if puppets != world.puppets.len() {
            let problem = format!("{puppets} puppets, the scene has {}", world.puppets.len());
            return Err(SnapshotError::OtherScene(problem));
        }
        let databases = world.databases.clone();
        for puppet in &mut world.puppets {
            let flags = r.u32()?;
            puppet.quarantined = flags & 1 == 1;
            let centre = r.vec3()?;
            puppet.last_center = (flags & 2 == 2).then_some(centre);
            let (force, load) = (r.vec3()?, [r.f32()?, r.f32()?]);
            puppet.last_drive = (flags & 4 == 4).then_some(Drive { force, load });
            match puppet.walker.as_deref_mut() {
                Some(walker) if flags & 8 == 8 => r.walker(walker)?,
                None if flags & 8 == 0 => {}
                _ => return Err(SnapshotError::OtherScene("a walker is missing or too many".into())),
            }
            // What plays must be there.
            if let Some(walker) = &puppet.walker {
                let clips = databases[walker.database].spans.len();
                if walker.clip >= clips {
                    return Err(SnapshotError::OtherScene(format!("clip {} of {clips}", walker.clip)));
                }
            }
            let feet = r.u32()? as usize;
            if feet != puppet.feet.len() {
                return Err(SnapshotError::OtherScene(format!(
                    "{feet} feet, the scene has {}",
                    puppet.feet.len()
                )));
            }
            puppet.pose.soles.resize(feet, SolePose::default());
            for sole in &mut puppet.pose.soles {
                sole.position = r.vec3()?;
                let mut rotation = [0.0; 4];
                for x in &mut rotation {
                    *x = f32::from_bits(r.u32()?);
                }
                sole.rotation = Quat::from_array(rotation);
                sole.toe_bend = f32::from_bits(r.u32()?);
            }
            for foot in &mut puppet.feet {
                *foot = r.foot()?;
            }
        }
        // Lengths are checked against what is left before memory is taken.
        let pending = r.count(8)?;
        world.pending.clear();
        for _ in 0..pending {
            let (z, x) = (r.i32()?, r.i32()?);
            world.pending.push((z, x));
        }
        let tiles = r.count(8 + 13 * TILE_CELLS)?;
        world.ground.tiles = Tiles::default();
        for _ in 0..tiles {
            let key = TileKey { x: r.i32()?, z: r.i32()? };
            let limit = world.ground.size.map(|n| n / crate::state::TILE as i32 + 1);
            if key.x < 0 || key.z < 0 || key.x > limit[0] || key.z > limit[1] {
                return Err(SnapshotError::OtherScene(format!("tile ({}, {}) is off the map", key.x, key.z)));
            }
            if world.ground.tiles.get(key).is_some() {
                return Err(SnapshotError::Damaged(r.at));
            }
            let tile = world.ground.touch(key);
            for c in &mut tile.compression {
                *c = r.i32()?;
            }
            for a in &mut tile.accumulation {
                *a = r.i32()?;
            }
            for p in &mut tile.pressure_time {
                *p = f32::from_bits(r.u32()?);
            }
            tile.pressed = r.take()?;
        }
        r.plants(&mut world)?;
        if r.at != bytes.len() {
            return Err(SnapshotError::Damaged(r.at));
        }
        // A foot that lifts in the next step still presses where it stood: the cells under it are found again.
        world.restamp();
        *self = world;
        Ok(())
    }
}

/// The digests of a run, one per step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// [`World::digest`] after each step.
    pub digests: Vec<u64>,
}

impl Recording {
    /// The first step, counted from 1, in which `world`, stepped anew from the start, differs from the recording.
    /// `watch` is told how many steps have been compared.
    pub fn first_difference(&self, world: &mut World, dt: f64, mut watch: impl FnMut(u64)) -> Option<u64> {
        for (i, &digest) in self.digests.iter().enumerate() {
            world.step(dt);
            if world.digest() != digest {
                return Some(i as u64 + 1);
            }
            watch(i as u64 + 1);
        }
        None
    }
}

struct Writer<'a>(&'a mut Vec<u8>);

impl Writer<'_> {
    fn u32(&mut self, x: u32) {
        self.0.extend(x.to_le_bytes());
    }
    fn i32(&mut self, x: i32) {
        self.0.extend(x.to_le_bytes());
    }
    fn u64(&mut self, x: u64) {
        self.0.extend(x.to_le_bytes());
    }
    fn f64(&mut self, x: f64) {
        self.0.extend(x.to_bits().to_le_bytes());
    }
    fn i128(&mut self, x: i128) {
        self.0.extend(x.to_le_bytes());
    }
    fn dvec2(&mut self, v: DVec2) {
        self.f64(v.x);
        self.f64(v.y);
    }
    fn walker(&mut self, k: &Walker) {
        self.dvec2(k.root);
        for x in
            [k.heading, k.aim, k.aim_rate, k.time, k.search_in, k.level, k.level_rate, k.drop, k.drop_rate]
        {
            self.f64(x);
        }
        self.f64(k.along);
        self.f64(k.age);
        self.f64(k.sinkage);
        self.f64(k.think_in);
        self.f64(k.rested);
        self.u32(u32::from(k.jump) | u32::from(k.met_ground) << 1);
        k.slip.to_array().into_iter().for_each(|x| self.u32(x.to_bits()));
        self.u32(u32::from(k.told.is_some()));
        let told = k.told.unwrap_or_default();
        let motion = Motion::ALL.iter().position(|(_, m)| *m == told.motion).unwrap_or(0);
        self.u32(u32::from(told.heading.is_some()) | (motion as u32) << 1);
        for x in [told.velocity[0], told.velocity[1], told.heading.unwrap_or(0.0)] {
            self.u32(x.to_bits());
        }
        for v in [k.velocity, k.acceleration, k.wanted] {
            self.vec3(v);
        }
        self.u64(k.clip as u64);
        self.u32(k.pass);
        for v in [k.lean.angle, k.lean.rate] {
            v.to_array().into_iter().for_each(|x| self.u32(x.to_bits()));
        }
        k.offsets.numbers().for_each(|x| self.u32(x.to_bits()));
        for lock in &k.locks {
            self.u32(u32::from(lock.held));
            self.dvec2(lock.place);
            self.f64(lock.heading);
            self.f64(lock.level);
            self.f64(lock.level_rate);
            self.f64(lock.met);
            self.u32(lock.lifted.to_bits());
            for v in [lock.offset, lock.offset_rate, lock.turn, lock.turn_rate, lock.shown, lock.shown_turn] {
                self.vec3(v);
            }
            self.vec3(lock.normal);
        }
    }
    /// Blocks that are remembered, and the plant cells whose cover is known; both follow from nothing else.
    fn plants(&mut self, plants: &Plants, cover: &[(i32, i32)]) {
        let blocks = plants.sorted();
        self.u64(blocks.len() as u64);
        for (block, awake) in blocks {
            let key = block.key;
            self.i32(key.cz);
            self.i32(key.cx);
            self.u32(key.patch);
            self.u32(key.number);
            self.u32(u32::from(awake) | u32::from(block.still) << 1);
            [block.quiet, block.since, block.origin[1]].into_iter().for_each(|x| self.f64(x));
            block.root[0][1].iter().chain(&block.floor).for_each(|y| self.u32(y.to_bits()));
            for list in [&block.x, &block.v] {
                list.as_flattened().as_flattened().iter().for_each(|x| self.u32(x.to_bits()));
            }
            block.strength.as_flattened().iter().for_each(|&s| self.i32(s));
        }
        self.u64(cover.len() as u64);
        for &(cz, cx) in cover {
            self.i32(cz);
            self.i32(cx);
        }
    }
    fn vec3(&mut self, v: Vec3) {
        v.to_array().into_iter().for_each(|x| self.u32(x.to_bits()));
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], SnapshotError> {
        let slice = self.bytes.get(self.at..self.at + N).ok_or(SnapshotError::Damaged(self.at))?;
        self.at += N;
        Ok(slice.try_into().expect("a slice of N bytes"))
    }
    fn u32(&mut self) -> Result<u32, SnapshotError> {
        self.take().map(u32::from_le_bytes)
    }
    fn i32(&mut self) -> Result<i32, SnapshotError> {
        self.take().map(i32::from_le_bytes)
    }
    fn u64(&mut self) -> Result<u64, SnapshotError> {
        self.take().map(u64::from_le_bytes)
    }
    fn f64(&mut self) -> Result<f64, SnapshotError> {
        self.u64().map(f64::from_bits)
    }
    fn i128(&mut self) -> Result<i128, SnapshotError> {
        self.take().map(i128::from_le_bytes)
    }
    fn f32(&mut self) -> Result<f32, SnapshotError> {
        self.u32().map(f32::from_bits)
    }
    fn dvec2(&mut self) -> Result<DVec2, SnapshotError> {
        Ok(DVec2::new(self.f64()?, self.f64()?))
    }
    fn walker(&mut self, k: &mut Walker) -> Result<(), SnapshotError> {
        k.root = self.dvec2()?;
        for x in [
            &mut k.heading,
            &mut k.aim,
            &mut k.aim_rate,
            &mut k.time,
            &mut k.search_in,
            &mut k.level,
            &mut k.level_rate,
            &mut k.drop,
            &mut k.drop_rate,
            &mut k.along,
            &mut k.age,
        ] {
            *x = self.f64()?;
        }
        k.sinkage = self.f64()?;
        k.think_in = self.f64()?;
        k.rested = self.f64()?;
        let flags = self.u32()?;
        (k.jump, k.met_ground) = (flags & 1 == 1, flags & 2 == 2);
        k.slip = Vec2::new(self.f32()?, self.f32()?);
        let is_told = self.u32()? == 1;
        let how = self.u32()?;
        let (velocity, heading) = ([self.f32()?, self.f32()?], self.f32()?);
        let (_, motion) =
            Motion::ALL.get((how >> 1) as usize).copied().ok_or(SnapshotError::Damaged(self.at))?;
        let heading = (how & 1 == 1).then_some(heading);
        k.told = is_told.then_some(Steer { velocity, heading, motion });
        for v in [&mut k.velocity, &mut k.acceleration, &mut k.wanted] {
            *v = self.vec3()?;
        }
        k.clip = usize::try_from(self.u64()?).map_err(|_| SnapshotError::Damaged(self.at))?;
        k.pass = self.u32()?;
        k.lean.angle = Vec2::new(self.f32()?, self.f32()?);
        k.lean.rate = Vec2::new(self.f32()?, self.f32()?);
        k.offsets.set_numbers(|| self.f32())?;
        for lock in &mut k.locks {
            lock.held = self.u32()? == 1;
            lock.place = self.dvec2()?;
            lock.heading = self.f64()?;
            lock.level = self.f64()?;
            lock.level_rate = self.f64()?;
            lock.met = self.f64()?;
            lock.lifted = self.f32()?;
            for v in [
                &mut lock.offset,
                &mut lock.offset_rate,
                &mut lock.turn,
                &mut lock.turn_rate,
                &mut lock.shown,
                &mut lock.shown_turn,
                &mut lock.normal,
            ] {
                *v = self.vec3()?;
            }
        }
        Ok(())
    }
    fn vec3(&mut self) -> Result<Vec3, SnapshotError> {
        let mut v = [0.0; 3];
        for x in &mut v {
            *x = f32::from_bits(self.u32()?);
        }
        Ok(Vec3::from_array(v))
    }
    fn plants(&mut self, world: &mut World) -> Result<(), SnapshotError> {
        let World { plants, ground, .. } = world;
        plants.forget();
        let mut roots = Vec::new();
        for _ in 0..self.count(64)? {
            let (cz, cx) = (self.i32()?, self.i32()?);
            let key = BlockKey { cz, cx, patch: self.u32()?, number: self.u32()? };
            let flags = self.u32()?;
            let patch = key.patch as usize;
            if patch >= plants.plots.len() || !plants.grows_in(patch, cx, cz) {
                return Err(SnapshotError::OtherScene(format!("nothing grows in plant cell ({cx}, {cz})")));
            }
            let slots = plants.slots_of(patch, cx, cz, &mut roots);
            if key.number >= slots.blocks || plants.find(key).is_some() {
                return Err(SnapshotError::Damaged(self.at));
            }
            let mut block = Box::<Block>::default();
            plants.grow(key, ground, &mut roots, &mut block);
            (block.quiet, block.since, block.origin[1]) = (self.f64()?, self.f64()?, self.f64()?);
            let mut level = [0.0; LANES];
            for y in &mut level {
                *y = self.f32()?;
            }
            block.set_level(&level);
            for post in &mut block.floor {
                *post = self.f32()?;
            }
            let Block { x, v, strength, .. } = &mut *block;
            for list in [x, v] {
                for number in list.as_flattened_mut().as_flattened_mut() {
                    *number = self.f32()?;
                }
            }
            for joint in strength.as_flattened_mut() {
                *joint = self.i32()?;
                if !(0..=HEALTHY).contains(joint) {
                    return Err(SnapshotError::Damaged(self.at));
                }
            }
            block.count_whole(plants.plots[patch].lattice.rows);
            block.still = flags & 2 == 2;
            plants.put(block, flags & 1 == 1);
        }
        ground.cover.clear();
        for _ in 0..self.count(8)? {
            let (cz, cx) = (self.i32()?, self.i32()?);
            let far = |cell: i32, side: i32| {
                let cells = f64::from(side) * ground.cell / PLANT_CELL;
                cell < -16 || f64::from(cell) > cells + 16.0
            };
            if plants.is_empty() || far(cx, ground.size[0]) || far(cz, ground.size[1]) {
                return Err(SnapshotError::OtherScene(format!("no cover in plant cell ({cx}, {cz})")));
            }
            ground.cover.ensure(cx, cz, plants, &mut roots);
        }
        Ok(())
    }
    /// A number of items of at least `size` bytes each, believed only if that many can follow.
    fn count(&mut self, size: usize) -> Result<usize, SnapshotError> {
        let n = self.u64()?;
        let left = (self.bytes.len() - self.at) / size;
        usize::try_from(n).ok().filter(|&n| n <= left).ok_or(SnapshotError::Damaged(self.at))
    }
    fn foot(&mut self) -> Result<Foot, SnapshotError> {
        let down = self.u32()? == 1;
        let [velocity, spin, acceleration, landing] =
            [self.vec3()?, self.vec3()?, self.vec3()?, self.vec3()?];
        let mut x = [0.0; 9];
        for value in &mut x {
            *value = self.f64()?;
        }
        let [gap, hold_left, hold, stance, peak_force, area_time, impulse, height, depth] = x;
        let carry = self.i128()?;
        Ok(Foot {
            down,
            gap,
            velocity,
            spin,
            acceleration,
            landing,
            hold_left,
            hold,
            stance,
            peak_force,
            area_time,
            impulse,
            height,
            depth,
            carry,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::library;

    #[test]
    fn a_restored_world_goes_on_to_the_same_hash() {
        let scene = library::by_name("walk-mud").expect("scene");
        let mut world = World::new(&scene).expect("world");
        let mut snapshots = Vec::new();
        for step in 0..200 {
            // Around the first lifts every step counts: a foot in the middle of leaving the ground is the hard case.
            if step % 37 == 5 || (45..60).contains(&step) {
                snapshots.push((step, world.snapshot()));
            }
            world.step(scene.dt());
        }
        for (step, bytes) in snapshots {
            let mut other = World::new(&scene).expect("world");
            other.restore(&bytes).expect("snapshot");
            for _ in step..200 {
                other.step(scene.dt());
            }
            assert_eq!(other.hash(), world.hash(), "resumed at step {step}");
        }
    }

    #[test]
    fn damaged_snapshots_are_refused_and_leave_the_world_alone() {
        let scene = library::by_name("plate").expect("scene");
        let mut world = World::new(&scene).expect("world");
        for _ in 0..30 {
            world.step(scene.dt());
        }
        let bytes = world.snapshot();
        let hash = world.hash();
        for cut in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
            assert!(world.restore(&bytes[..cut]).is_err(), "cut at {cut}");
            assert_eq!(world.hash(), hash);
        }
        let mut long = bytes.clone();
        long.push(0);
        assert!(world.restore(&long).is_err(), "trailing bytes");
        let mut other = bytes;
        other[0] = 99;
        assert_eq!(world.restore(&other), Err(SnapshotError::Version(99)));
    }

    #[test]
    fn replay_names_the_first_divergent_step() {
        let scene = library::by_name("walk-soil").expect("scene");
        let mut world = World::new(&scene).expect("world");
        let mut recording = Recording::default();
        for _ in 0..120 {
            world.step(scene.dt());
            recording.digests.push(world.digest());
        }
        let fresh = || World::new(&scene).expect("world");
        assert_eq!(recording.first_difference(&mut fresh(), scene.dt(), |_| {}), None);
        let mut heavier = scene.clone();
        heavier.puppets[0].mass += 1e-3;
        let mut other = World::new(&heavier).expect("world");
        let first = recording.first_difference(&mut other, scene.dt(), |_| {});
        assert_eq!(first, Some(1), "a foot stands from the first step on");
        recording.digests[41] ^= 1;
        assert_eq!(recording.first_difference(&mut fresh(), scene.dt(), |_| {}), Some(42));
    }
}
