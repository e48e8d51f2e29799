use super::*;
use crate::params::Species;
use crate::persist::Leaf;
use crate::pose::{Pose, SolePose};
use crate::scene::{Control, PlantPatch, PuppetSpec, Script, Steer, library};
use crate::step::soil::slide;
use glam::Vec3;
use std::collections::BTreeSet;

/// A walker on sand that slides, one told by a host; a host's feet; plants that move, and plants that sleep harmed.
fn rich() -> World {
    let mut scene = library::by_name("walk-dry-sand").expect("scene");
    scene.terrain.cell = 0.03;
    // The host's feet are as far as the walker is concerned a figure in its way.
    scene.avoid = false;
    let species = Species::CAREX_PENSYLVANICA;
    scene.plants = vec![PlantPatch { species, min: [0.4, 0.4], max: [3.0, 1.6], ..PlantPatch::default() }];
    scene.puppets.push(PuppetSpec { script: Script::Host { feet: 2 }, ..PuppetSpec::default() });
    World::new(&scene).expect("world")
}

/// One step of it: the host stamps now and then, here and there; the walker is told what to do after a while.
fn go_on(world: &mut World) {
    let step = world.steps();
    let (x, y) = ([2.6, 1.9][(step / 400 % 2) as usize], if step % 400 < 20 { 0.0 } else { 0.5 });
    let sole = |z| SolePose { position: Vec3::new(x, y, z), velocity: Vec3::Y, ..SolePose::default() };
    let soles = vec![sole(0.6), sole(1.4)];
    world.set_pose(1, &Pose { soles, center_of_mass: Vec3::new(x, 1.0, 1.3), drive: None });
    if step == 100 {
        let steer = Steer { velocity: [0.3, 0.02], heading: Some(0.2), ..Steer::default() };
        world.control(0, Control::Walk(steer));
    }
    world.step(1.0 / 60.0);
}

/// That world when all it can hold is there; everything loose is about to slide.
fn full() -> World {
    let mut world = rich();
    let has_all = |w: &World| {
        let (awake, all) = (w.plants.awake.len(), w.plants.sorted(true).len());
        w.steps() > 110 && awake > 0 && all > awake
    };
    while !has_all(&world) {
        go_on(&mut world);
        let [awake, all] = [false, true].map(|asleep| world.plants.sorted(asleep).len());
        assert!(world.steps() < 1250, "{awake} blocks awake, {all} in all");
    }
    slide::all_loose(&world.ground, &mut world.pending);
    assert!(!world.pending.is_empty());
    world
}

/// Where in a snapshot each leaf is, and which field it belongs to.
#[derive(Default)]
struct Leaves {
    field: &'static str,
    at: usize,
    all: Vec<(&'static str, usize, Leaf)>,
}

impl Sink for Leaves {
    fn leaf(&mut self, leaf: Leaf) {
        self.all.push((self.field, self.at, leaf));
        let mut bytes = Vec::new();
        bytes.leaf(leaf);
        self.at += bytes.len();
    }

    fn field(&mut self, name: &'static str) {
        self.field = name;
    }
}

/// The least other value; of floats the next, so that a hash which rounds would not notice.
fn other(leaf: Leaf) -> Leaf {
    match leaf {
        Leaf::U8(x) => Leaf::U8(x ^ 1),
        Leaf::U32(x) => Leaf::U32(if x > 0 { x - 1 } else { 1 }),
        Leaf::U64(x) => Leaf::U64(x ^ 1),
        Leaf::F32(x) => Leaf::F32(if x.is_nan() { 0.5 } else { f32::from_bits(x.to_bits() ^ 1) }),
        Leaf::F64(x) => Leaf::F64(if x.is_nan() { 0.5 } else { f64::from_bits(x.to_bits() ^ 1) }),
    }
}

#[test]
fn every_leaf_of_the_state_is_in_the_hash_and_comes_back() {
    let world = full();
    let (bytes, hash, digest) = (world.snapshot(), world.hash(), world.digest());
    let mut leaves = Leaves { at: size_of::<u32>(), ..Leaves::default() };
    world.put(&mut leaves, true);
    assert_eq!(leaves.at, bytes.len());
    let mut restored = World::new(&world.scene).expect("world");
    let (mut fields, mut changed) = (BTreeSet::new(), BTreeSet::new());
    for (n, &(field, at, leaf)) in leaves.all.iter().enumerate() {
        // Of the long lists a sample.
        let long = field.starts_with("Layers.") || field.starts_with("Block.");
        if long && n % 397 != 0 && changed.contains(field) {
            continue;
        }
        fields.insert(field);
        let (mut new, mut altered) = (Vec::new(), bytes.clone());
        new.leaf(other(leaf));
        altered[at..at + new.len()].copy_from_slice(&new);
        // Lengths, keys and whether something is there may be refused; any number must be taken.
        if restored.restore(&altered).is_err() {
            continue;
        }
        changed.insert(field);
        assert!(restored.snapshot() == altered, "{field}, byte {at}: does not come back");
        assert_ne!(restored.hash(), hash, "{field}, byte {at}: is not in the hash");
        if !long && !["tiles", "cover"].contains(&field) && !field.contains("Key") && field != "block awake" {
            assert_ne!(restored.digest(), digest, "{field}, byte {at}: is not in the digest");
        }
    }
    // Refused is nothing but another length, another key, and that something is not there.
    let refused: Vec<_> = fields.difference(&changed).copied().filter(|f| !f.contains("Key")).collect();
    let shape = [
        "Inertializer.offsets",
        "Pose.drive",
        "Pose.soles",
        "Puppet.feet",
        "Puppet.last_drive",
        "Puppet.walker",
        "Walker.told",
        "World.puppets",
        "tiles",
    ];
    assert_eq!(refused, shape, "{changed:?}");
}

#[test]
fn a_restored_world_of_every_kind_of_state_goes_on_to_the_same_hash() {
    let mut world = full();
    let bytes = world.snapshot();
    // Into a fresh world, and into one that has gone elsewhere.
    let mut others = [rich(), rich()];
    (0..150).for_each(|_| go_on(&mut others[1]));
    for other in &mut others {
        other.restore(&bytes).expect("snapshot");
        assert_eq!((other.hash(), other.digest()), (world.hash(), world.digest()));
        assert!(other.snapshot() == bytes);
    }
    for _ in 0..60 {
        go_on(&mut world);
        for other in &mut others {
            go_on(other);
            assert_eq!(other.hash(), world.hash(), "step {}", world.steps());
        }
    }
}

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
