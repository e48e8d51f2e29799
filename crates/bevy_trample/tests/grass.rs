//! Clumps of plants: what is written when they move, and what is there to show them between two steps. No graphics card needed.

use bevy_trample::{Blade, Eye, Field, Uploads};
use std::collections::BTreeMap;
use trample::World;
use trample::scene::library;

/// What a graphics card holds: the blades in each half of each slot.
type Table = BTreeMap<(u32, u32), Vec<Blade>>;

fn store(field: &mut Field, table: &mut Table) -> usize {
    let writes = field.take_writes();
    let count = writes.len();
    table.extend(writes.into_iter().map(|write| ((write.slot, write.half), write.blades)));
    count
}

/// Slot, newer half, and whether it is shown between the two.
fn read(tag: u32) -> (u32, u32, bool) {
    (tag & 0xffff, tag >> 16 & 1, tag >> 17 & 1 == 1)
}

#[test]
fn a_clump_that_moves_keeps_what_it_was_a_step_before_and_one_that_rests_is_shown_as_it_is() {
    let scene = library::by_name("bend-and-return").expect("a library scene");
    let mut world = World::new(&scene).expect("a world");
    let (mut field, mut table, mut uploads) = (Field::new(512), Table::new(), Uploads::default());
    let eye = Eye { place: [2.0, 1.0], above: 1.5 };
    field.follow(&world, eye, [4.0, 16.0], usize::MAX, &mut uploads);
    store(&mut field, &mut table);
    let (mut moved, mut rested) = (0, 0);
    for _ in 0..(5.0 * scene.rate) as u64 {
        let before: BTreeMap<_, _> =
            field.visible().filter_map(|(key, clump)| Some((key, clump.tag()?))).collect();
        let last = table.clone();
        world.step(scene.dt());
        field.update(&world, &[], usize::MAX, &mut uploads);
        let written = store(&mut field, &mut table);
        for (key, clump) in field.visible() {
            let (slot, half, moving) = read(clump.tag().expect("a slot"));
            let (_, half_before, moved_before) = read(before[&key]);
            let newest_before = &last[&(slot, half_before)];
            if moving {
                assert_eq!(&table[&(slot, 1 - half)], newest_before, "the other half is the step before");
                moved += usize::from(&table[&(slot, half)] != newest_before);
            } else {
                assert_eq!(half, half_before, "what rests stays where it is");
                assert_eq!(&table[&(slot, half)], newest_before);
                rested += usize::from(moved_before);
            }
        }
        // A frame without a step between sends nothing.
        assert!(!field.update(&world, &[], usize::MAX, &mut uploads));
        assert!(field.is_quiet() && written < 200, "{written} clumps written in a step");
    }
    assert!(moved > 100, "{moved} times a clump was somewhere else than a step before");
    assert!(rested > 3, "{rested} times one came to rest");
}

#[test]
fn where_more_than_one_step_was_taken_nothing_is_shown_between() {
    let scene = library::by_name("bend-and-return").expect("a library scene");
    let mut world = World::new(&scene).expect("a world");
    let (mut field, mut uploads) = (Field::new(512), Uploads::default());
    field.follow(&world, Eye { place: [2.0, 1.0], above: 1.5 }, [4.0, 16.0], usize::MAX, &mut uploads);
    for _ in 0..60 {
        world.step(scene.dt());
        world.step(scene.dt());
        field.update(&world, &[], usize::MAX, &mut uploads);
        assert!(!field.is_moving());
    }
    assert!(uploads.clumps_last_frame > 40, "plants did move: {uploads:?}");
}
