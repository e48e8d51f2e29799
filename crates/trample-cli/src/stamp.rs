//! `trample stamp`: single prints as textures, for decals and brushes.

use crate::folder::Folder;
use crate::{Failure, run};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use trample::params::Footwear;
use trample::{Event, Map, World};
use trample_files::Source;
use trample_files::raster::{self, MapView};
use trample_lab::save;
use trample_pictures::{Field, Image, Style};

/// Cut single prints of a walker into textures: height, normal and mask of left and right feet
///
/// A body walks on level ground of the material with the smallest cell size; each variant is a different footfall. Toes point up.
/// Prints fade out towards the edges, so that they can be placed side by side; pairs hold a left and a right print at the walker's step
/// length and tile seamlessly in both directions.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  trample stamp --footwear boot --material mud --px 1024 --variants 8 --out prints
  trample stamp --footwear bare --material wet-sand --px 512")]
pub(crate) struct Stamp {
    #[arg(long, value_name = "NAME", default_value = "boot", help = format!("Sole: {}", soles()))]
    footwear: String,
    /// Ground material (see `trample presets`)
    #[arg(long, value_name = "NAME", default_value = "mud")]
    material: String,
    /// Pixels along a side
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(16..=8192))]
    px: u64,
    /// Number of prints of each foot
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=64))]
    variants: u64,
    /// Mass of the walker, kg
    #[arg(long, value_name = "KG", default_value_t = 77.5)]
    mass: f64,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Folder for the textures [default: out/stamp-FOOTWEAR-MATERIAL]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

fn soles() -> String {
    Footwear::ALL.map(Footwear::name).join(", ")
}

/// Sides of the ground's cells, m: the finest there are, and the coarsest that shows a sole; as fine as a pixel in between.
const CELLS: [f64; 2] = [0.0025, 0.01];
/// Distance of waypoints from the ends of the lane, m.
const RUN_UP: f64 = 0.8;
/// Length of a step at the walker's speed, m, at least: how long the lane must be.
const STEP: f64 = 0.75;
/// Steps at either end that are not taken: the first and the last are shorter.
const ENDS: usize = 2;
/// Side of a stamp over the length of its sole; our choice: room for the bumps.
const ROOM: f64 = 1.5;
/// Part of a stamp's side over which it fades out.
const FADE: f64 = 0.06;
const SIDES: [&str; 2] = ["right", "left"];

/// A print: which foot left it, where, and which way it points.
#[derive(Clone, Copy)]
struct Print {
    foot: usize,
    at: [f64; 2],
    heading: [f64; 2],
}

/// A square of ground turned so that toes are up: heights, and shares of print, bump and bare.
struct Patch {
    side: f64,
    px: usize,
    height: Vec<f32>,
    mask: Vec<f32>,
}

impl Stamp {
    /// Walks and cuts.
    pub(crate) fn run(&self) -> Result<bool, Failure> {
        let home = self.out.clone().unwrap_or_else(|| {
            Path::new("out").join(run::folder_name(&format!("stamp-{}-{}", self.footwear, self.material)))
        });
        let (world, prints) = self.walk()?;
        let output = Folder::open(&home)?;
        let folder = output.stage();
        let spec = &world.scene().puppets[0];
        let sole = spec.sole.on(&spec.body);
        let (side, px) = (ROOM * sole.length.max(sole.width), self.px as usize);
        let chosen: Vec<[Print; 2]> = pairs(&prints).take(self.variants as usize).collect();
        if (chosen.len() as u64) < self.variants {
            return Err(format!("only {} of {} prints could be cut", chosen.len(), self.variants).into());
        }
        let mut all: Vec<(String, Patch)> = Vec::new();
        for (n, pair) in chosen.iter().enumerate() {
            for print in pair {
                let mut patch = Patch::cut(&world, print.at, print.heading, side, px);
                patch.fade();
                all.push((format!("{}_{n}", SIDES[print.foot]), patch));
            }
            all.push((format!("pair_{n}"), Patch::pair(&world, pair, px)));
        }
        let ends = all
            .iter()
            .flat_map(|(_, patch)| &patch.height)
            .fold([0.0f32, 0.001], |[low, high], &h| [low.min(h), high.max(h)]);
        let mut rows: Vec<Value> = Vec::new();
        for (name, patch) in &all {
            patch.write(&folder, name, ends)?;
            let deepest = patch.height.iter().fold(0.0f32, |low, &h| low.min(h));
            let files = ["height.png", "height.exr", "normal.png", "mask.png"].map(|f| format!("{name}_{f}"));
            rows.push(json!({
                "name": name,
                "side_m": patch.side,
                "px": px,
                "deepest_m": -deepest,
                "tileable": true,
                "files": files,
            }));
        }
        let index = json!({
            "footwear": self.footwear,
            "material": self.material,
            "mass_kg": self.mass,
            "sole_m": [sole.length, sole.width],
            "toes": "up",
            "height_range_m": ends,
            "normals": "OpenGL: green points up the picture",
            "mask": ["print", "bump", "bare"],
            "version": crate::provenance::VERSION,
            "stamps": rows,
        });
        save(&folder.join("stamps.json"), format!("{index:#}\n").as_bytes())?;
        save(&folder.join("stamps.png"), &sheet(&all).to_png())?;
        output.commit(&json!(format!("{:016x}", world.hash())))?;
        println!(
            "{} prints of each foot and as many pairs, {px} px, stamps.json and stamps.png are in {}",
            self.variants,
            home.display()
        );
        Ok(true)
    }

    /// A walk that leaves enough prints, and where they are.
    fn walk(&self) -> Result<(World, Vec<Print>), Failure> {
        // A sole is about 30 cm long.
        let cell = (ROOM * 0.3 / self.px as f64).clamp(CELLS[0], CELLS[1]);
        let steps = 2 * self.variants as usize + 2 * ENDS + 2;
        let length = 2.0 * RUN_UP + steps as f64 * STEP;
        let text = format!(
            "name = \"stamp\"\nseed = {}\n[terrain]\nsize = [{length}, {w}]\ncell = {cell}\nmaterial = {}\n[[walker]]\nfootwear = {}\nmass = \
             {:?}\nwaypoints = [[{RUN_UP}, {z}], [{}, {z}]]\n",
            self.seed,
            // A string of JSON is one of TOML.
            json!(self.material),
            json!(self.footwear),
            self.mass,
            length - RUN_UP,
            w = 2.4,
            z = 1.2,
        );
        let source = Source { name: "stamp".into(), text, settings: Vec::new(), folder: PathBuf::new() };
        let scene = source.scene()?;
        let mut world = World::new(&scene)?;
        let mut prints = Vec::new();
        let mut stance: [Vec<Print>; 2] = Default::default();
        while world.steps() < scene.steps() && !world.is_over() {
            world.step(scene.dt());
            for c in world.report().contacts.iter().filter(|c| c.foot < 2) {
                let (heading, at) = run::heading(&world, c.puppet, c.foot);
                stance[c.foot].push(Print { foot: c.foot, at, heading });
            }
            for event in &world.report().events {
                if let Event::FootUp { foot, .. } = *event
                    && foot < 2
                {
                    // In the middle of its stance a foot lies flat.
                    let all = std::mem::take(&mut stance[foot]);
                    prints.extend(all.get(all.len() / 2));
                }
            }
        }
        world.settle();
        let kept = prints.len().saturating_sub(ENDS).max(ENDS);
        Ok((world, prints.drain(..).take(kept).skip(ENDS).collect()))
    }
}

/// Neighbouring prints of both feet, the right one first.
fn pairs(prints: &[Print]) -> impl Iterator<Item = [Print; 2]> {
    prints
        .chunks_exact(2)
        .filter(|two| two[0].foot != two[1].foot)
        .map(|two| if two[0].foot == 0 { [two[0], two[1]] } else { [two[1], two[0]] })
}

impl Patch {
    /// The square around a place whose upper edge lies ahead.
    fn cut(world: &World, at: [f64; 2], [ux, uz]: [f64; 2], side: f64, px: usize) -> Self {
        // Cells along and across the heading, then smoothly between them: a picture is finer than the ground.
        let cell = world.ground().cell;
        let cells = (side / cell).ceil() as usize;
        let (delta, mask) = (world.map(Map::Delta), world.map(Map::Mask));
        let size = world.ground().size;
        let place = |column: f64, row: f64| {
            let (ahead, right) = ((0.5 - row) * side, (column - 0.5) * side);
            [at[0] + ahead * ux - right * uz, at[1] + ahead * uz + right * ux].map(|m| m / cell - 0.5)
        };
        let between = |p: [f64; 2], value: &dyn Fn(i32, i32) -> f64| {
            let low = p.map(f64::floor);
            let t = [p[0] - low[0], p[1] - low[1]];
            let of = |dx: i32, dz: i32| {
                value((low[0] as i32 + dx).clamp(0, size[0] - 1), (low[1] as i32 + dz).clamp(0, size[1] - 1))
            };
            let row = |dz: i32| of(0, dz) + (of(1, dz) - of(0, dz)) * t[0];
            row(0) + (row(1) - row(0)) * t[1]
        };
        let field = |value: &dyn Fn(i32, i32) -> f64| {
            let of = |i: usize| {
                let half = |k: usize| (k as f64 + 0.5) / cells as f64;
                between(place(half(i % cells), half(i / cells)), value) as f32
            };
            let data = (0..cells * cells).map(of).collect();
            Field { width: cells, height: cells, cell, origin: [0.0; 2], data }.resampled(px, px)
        };
        let height = field(&|x, z| delta.at(x, z));
        let shares: [Vec<f32>; 3] = [0, 1, 2].map(|k| field(&|x, z| mask.texel(x, z)[k]));
        let mask = (0..px * px).flat_map(|i| [0, 1, 2].map(|k| shares[k][i])).collect();
        Self { side, px, height, mask }
    }

    /// Lets everything fade out towards the edges.
    fn fade(&mut self) {
        let edge = |i: usize| {
            let far = (i as f64 + 0.5).min(self.px as f64 - i as f64 - 0.5) / self.px as f64;
            let t = ((far - 0.5 / self.px as f64) / FADE).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        };
        for i in 0..self.px * self.px {
            let share = (edge(i % self.px) * edge(i / self.px)) as f32;
            self.height[i] *= share;
            self.mask[3 * i..3 * i + 3].iter_mut().for_each(|m| *m *= share);
        }
    }

    /// A right and a left print as far from each other as the walker set them, on a square of one stride that repeats.
    fn pair(world: &World, [right, left]: &[Print; 2], px: usize) -> Self {
        let mean = [0, 1].map(|k| right.heading[k] + left.heading[k]);
        let length = (mean[0] * mean[0] + mean[1] * mean[1]).sqrt().max(1e-9);
        let heading = mean.map(|m| m / length);
        let apart = [left.at[0] - right.at[0], left.at[1] - right.at[1]];
        let step = (apart[0] * heading[0] + apart[1] * heading[1]).abs();
        let side = 2.0 * step;
        let middle = [0, 1].map(|k| 0.5 * (right.at[k] + left.at[k]));
        let mut patch = Self::cut(world, middle, heading, side, px);
        patch.fade();
        patch
    }

    fn write(&self, folder: &Path, name: &str, range: [f32; 2]) -> Result<(), Failure> {
        let spacing = Some([self.side / self.px as f64; 2]);
        let size = [self.px; 2];
        let height =
            MapView { spacing, range: Some(range), ..MapView::new("height", "m", size, &self.height) };
        raster::write_png16(&folder.join(format!("{name}_height.png")), &height)?;
        raster::write_exr(&folder.join(format!("{name}_height.exr")), &height)?;
        let normal = self.normal();
        let texture = |name, data, range| MapView {
            channels: 3,
            spacing,
            range: Some(range),
            ..MapView::new(name, "", size, data)
        };
        raster::write_png16(
            &folder.join(format!("{name}_normal.png")),
            &texture("normal", &normal, [-1.0, 1.0]),
        )?;
        raster::write_png16(
            &folder.join(format!("{name}_mask.png")),
            &texture("mask", &self.mask, [0.0, 1.0]),
        )?;
        // Each says in stamps.json what it is; one sidecar per picture would be four files a print.
        for what in ["normal", "mask"] {
            let beside = folder.join(format!("{name}_{what}.json"));
            std::fs::remove_file(&beside).map_err(|e| format!("{}: {e}", beside.display()))?;
        }
        Ok(())
    }

    /// Normals of the heights, as if they repeated: right, up the picture, out of it.
    fn normal(&self) -> Vec<f32> {
        let (n, spacing) = (self.px, (self.side / self.px as f64) as f32);
        let at = |x: usize, y: usize| self.height[(y % n) * n + x % n];
        let mut out = Vec::with_capacity(3 * n * n);
        for y in 0..n {
            for x in 0..n {
                let right = (at(x + 1, y) - at(x + n - 1, y)) / (2.0 * spacing);
                let down = (at(x, y + 1) - at(x, y + n - 1)) / (2.0 * spacing);
                let length = (right * right + down * down + 1.0).sqrt();
                out.extend([-right / length, down / length, 1.0 / length]);
            }
        }
        out
    }
}

/// All stamps in one picture, lit from the upper left.
fn sheet(all: &[(String, Patch)]) -> Image {
    const TILE: usize = 220;
    const GAP: usize = 16;
    const LABEL: usize = 26;
    let across = 6.min(all.len());
    let down = all.len().div_ceil(across);
    let size = [GAP + across * (TILE + GAP), GAP + down * (TILE + LABEL + GAP)];
    let mut image = Image::new(size[0], size[1], [252, 252, 251]);
    for (i, (name, patch)) in all.iter().enumerate() {
        let corner = [GAP + i % across * (TILE + GAP), GAP + i / across * (TILE + LABEL + GAP)];
        let normal = patch.normal();
        for y in 0..TILE {
            for x in 0..TILE {
                let k = (y * patch.px / TILE) * patch.px + x * patch.px / TILE;
                let light = -0.5 * normal[3 * k] + 0.5 * normal[3 * k + 1] + 0.707 * normal[3 * k + 2];
                let grey = (40.0 + 200.0 * light.clamp(0.0, 1.0)) as u8;
                let at = ((corner[1] + y) * image.width + corner[0] + x) * 3;
                image.rgb[at..at + 3].copy_from_slice(&[grey, grey, (f32::from(grey) * 0.97) as u8]);
            }
        }
        let at = [corner[0] as f32, (corner[1] + TILE + 20) as f32];
        image.text(at[0], at[1], &name.replace('_', " "), Style::new(17.0, [31, 36, 43]));
    }
    image
}
