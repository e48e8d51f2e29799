//! Runs a library scene for some seconds and draws it without a window:
//! `cargo run -p bevy_trample --example picture -- walk-snow 4 snow.png [overview|follow] [width height] [low] [map]`

use bevy_trample::render::{Shot, picture};
use bevy_trample::{Overlay, TrampleLook};
use std::error::Error;
use trample::{Map, World, scene::library};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |k: usize, or: &str| arguments.get(k).cloned().unwrap_or_else(|| or.into());
    let (name, seconds, path) = (argument(0, "walk-snow"), argument(1, "4"), argument(2, "picture.png"));
    let scene = library::by_name(&name).ok_or("no such scene")?;
    let mut world = World::new(&scene)?;
    for _ in 0..(seconds.parse::<f64>()? * scene.rate) as u64 {
        world.step(scene.dt());
    }
    let following = Shot::following(&world, 0).filter(|_| argument(3, "follow") == "follow");
    let mut shot = following.unwrap_or_else(|| Shot::overview(&world));
    shot.width = argument(4, "640").parse()?;
    shot.height = argument(5, "360").parse()?;
    let mut look = if argument(6, "") == "low" { TrampleLook::low() } else { TrampleLook::default() };
    look.overlay = Map::by_name(&argument(7, "")).map(|map| Overlay {
        map,
        range: trample_looks::range(&world, map).map(|x| x as f32),
        strength: 0.8,
    });
    let drawn = picture(world, &shot, &look)?;
    let mut encoder = png::Encoder::new(std::fs::File::create(&path)?, drawn.width, drawn.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&drawn.rgb)?;
    println!("{path}: {} × {}", drawn.width, drawn.height);
    Ok(())
}
