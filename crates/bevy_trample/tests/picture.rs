//! Pictures without a window: what feet do to ground and plants is seen. Skips itself, and says so, where there is no graphics device.

#![cfg(feature = "render")]

use bevy::math::Vec3;
use bevy_trample::TrampleLook;
use bevy_trample::render::{Picture, PictureError, Shot, picture};
use std::process::Command;
use std::sync::Mutex;
use trample::scene::library;
use trample::{PlantPatch, Scene, Species, World};

/// Set for the one test that runs itself again where no device can be found.
const BLIND: &str = "TRAMPLE_TEST_WITHOUT_DEVICE";

/// One at a time: a picture uses all of a machine.
static TURN: Mutex<()> = Mutex::new(());

/// Draws the middle of a terrain of a square metre from its side, small and plainly; nothing where there is no device.
fn draw(world: &World) -> Option<Picture> {
    let _turn = TURN.lock();
    let shot = Shot {
        eye: Vec3::new(0.5, 0.55, 1.45),
        target: Vec3::new(0.5, 0.0, 0.5),
        // Low, from the left.
        sun: [std::f32::consts::PI, 0.25],
        opening: 0.5,
        width: 160,
        height: 90,
        shadows: false,
        samples: 1,
    };
    match picture(world.clone(), &shot, &TrampleLook::default()) {
        Ok(picture) => Some(picture),
        Err(PictureError::NoDevice) => {
            println!("skipped: {}", PictureError::NoDevice);
            None
        }
        Err(problem) => panic!("{problem}"),
    }
}

fn light(picture: &Picture, x: u32, y: u32) -> f32 {
    let k = 3 * (y * picture.width + x) as usize;
    picture.rgb[k..k + 3].iter().map(|c| f32::from(*c)).sum::<f32>() / 3.0
}

/// How many pixels of a rectangle differ by more than so much light, of 255.
fn differing(a: &Picture, b: &Picture, [x, y]: [std::ops::Range<u32>; 2], by: f32) -> usize {
    assert_eq!((a.width, a.height), (b.width, b.height));
    y.flat_map(|y| x.clone().map(move |x| (x, y)))
        .filter(|(x, y)| (light(a, *x, *y) - light(b, *x, *y)).abs() > by)
        .count()
}

/// A square metre before and after a plate has come down on its middle once. The plate is gone both times, so that only what it has
/// done makes the difference.
fn before_and_after(plants: Vec<PlantPatch>) -> [World; 2] {
    let scene = Scene { plants, ..library::by_name("plate").expect("a library scene") };
    let alone = Scene { puppets: Vec::new(), ..scene.clone() };
    let mut world = World::new(&scene).expect("a world");
    // It stands for a second and has gone by then.
    for _ in 0..(2.0 * scene.rate) as u64 {
        world.step(scene.dt());
    }
    world.change(&alone).expect("the same ground");
    [World::new(&alone).expect("a world"), world]
}

/// Where the plate came down, and a corner that it did not touch, in pixels.
const MIDDLE: [std::ops::Range<u32>; 2] = [50..110, 30..60];
const CORNER: [std::ops::Range<u32>; 2] = [0..40, 65..90];

#[test]
fn a_print_is_seen_where_it_is_and_nowhere_else() {
    let [fresh, pressed] = before_and_after(Vec::new());
    let depth = fresh.height(0.5, 0.5) - pressed.height(0.5, 0.5);
    assert!(depth > 0.002, "a print of {depth} m");
    let (Some(fresh), Some(pressed)) = (draw(&fresh), draw(&pressed)) else { return };
    let (seen, elsewhere) =
        (differing(&fresh, &pressed, MIDDLE, 12.0), differing(&fresh, &pressed, CORNER, 4.0));
    println!("{seen} of 1800 pixels show the print");
    assert!(seen > 60, "{seen} pixels show the print");
    assert_eq!(elsewhere, 0, "pixels far from it");
}

#[test]
fn plants_are_seen_and_so_is_where_they_were_pressed() {
    let sedge = PlantPatch {
        species: Species::CAREX_PENSYLVANICA,
        density: 250.0,
        min: [0.0, 0.0],
        max: [1.0, 1.0],
        ..PlantPatch::default()
    };
    let [bare, _] = before_and_after(Vec::new());
    let [grown, pressed] = before_and_after(vec![sedge]);
    let (Some(bare), Some(grown), Some(pressed)) = (draw(&bare), draw(&grown), draw(&pressed)) else {
        return;
    };
    let plants = differing(&bare, &grown, CORNER, 12.0);
    assert!(plants > 250, "{plants} pixels of 1000 in a corner show plants");
    let green = |picture: &Picture| {
        let sum = |c: usize| picture.rgb.iter().skip(c).step_by(3).map(|b| f32::from(*b)).sum::<f32>();
        sum(1) / sum(0)
    };
    assert!(green(&grown) > 1.05 * green(&bare), "they are green: {} of {}", green(&grown), green(&bare));
    let (seen, elsewhere) =
        (differing(&grown, &pressed, MIDDLE, 12.0), differing(&grown, &pressed, CORNER, 12.0));
    println!(
        "{plants} of 1000 pixels show plants, {seen} of 1800 that they were pressed, {elsewhere} elsewhere"
    );
    assert!(seen > 200, "{seen} pixels of 1800 show plants that were pressed");
    assert!(elsewhere < 20, "{elsewhere} pixels far from it");
}

#[test]
fn without_a_graphics_device_there_is_an_error_and_no_panic() {
    if std::env::var_os(BLIND).is_some() {
        let world = World::new(&library::by_name("plate").expect("a library scene")).expect("a world");
        let shot = Shot { width: 64, height: 64, ..Shot::default() };
        assert_eq!(picture(world, &shot, &TrampleLook::low()), Err(PictureError::NoDevice));
        return;
    }
    // This test again, in a process that finds no driver.
    let this = std::env::current_exe().expect("this test");
    let nowhere = "there/is/no/driver.json";
    let run = Command::new(this)
        .args(["without_a_graphics_device_there_is_an_error_and_no_panic", "--exact"])
        .env(BLIND, "1")
        .env("WGPU_BACKEND", "vulkan")
        .env("VK_DRIVER_FILES", nowhere)
        .env("VK_ICD_FILENAMES", nowhere)
        .output()
        .expect("a process");
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(
        run.status.success() && said.contains("1 passed"),
        "{said}\n{}",
        String::from_utf8_lossy(&run.stderr)
    );
}
