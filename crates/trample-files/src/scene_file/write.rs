//! A scene as TOML, complete: every value is written, so that a reader sees what can be changed.

use std::fmt::Write;
use trample::params::Body;
use trample::params::material;
use trample::scene::{Control, ForceModel, Motion, NamedMaterial, Scene, Script, SoleShape};
use trample::state::{Hold, PaintShape};
use trample::{Base, Material};

/// Writes a scene. Rasters, painted images, density maps, own soles and recorded motion cannot be said in TOML; a comment stands in their place.
/// Scenes that use them come from files; [`super::Source::text`] is what was read. Angles are written in degrees, so
/// one that no degrees give exactly comes back with another last bit.
pub fn to_toml(scene: &Scene) -> String {
    let mut out = String::new();
    put(&mut out, scene).expect("writing to a string does not fail");
    out
}

fn put(out: &mut String, scene: &Scene) -> std::fmt::Result {
    writeln!(out, "name = {}", quoted(&scene.name))?;
    writeln!(out, "about = {}", quoted(&scene.about))?;
    writeln!(out, "seed = {}", scene.seed)?;
    writeln!(out, "rate = {:?} # steps per second", scene.rate)?;
    if let Some(duration) = scene.duration {
        writeln!(out, "duration = {duration:?} # s")?;
    }
    let t = &scene.terrain;
    writeln!(out, "\n[terrain]")?;
    writeln!(out, "law = {:?}", t.law.name())?;
    writeln!(out, "cell = {:?} # m", t.cell)?;
    writeln!(out, "size = {:?} # m", t.size)?;
    writeln!(out, "material = {}", quoted(&t.materials[0].name))?;
    writeln!(out, "contour = {:?} # m", t.contour)?;
    writeln!(out, "tolerance = {:?} # m", t.tolerance)?;
    writeln!(out, "force_threshold = {:?} # body weights", t.force_threshold)?;
    writeln!(out, "\n[terrain.base]")?;
    match &t.base {
        Base::Flat => writeln!(out, "kind = \"flat\"")?,
        Base::Raster(raster) => {
            let [width, height] = raster.posts();
            writeln!(
                out,
                "kind = \"flat\" # in truth a height map of {width} × {height} posts, from a file"
            )?;
        }
        Base::Slope { angle, direction } => {
            writeln!(out, "kind = \"slope\"\nangle_deg = {:?}", degrees(*angle))?;
            writeln!(out, "direction_deg = {:?} # uphill, from +x towards +z", degrees(*direction))?;
        }
        Base::Hills { amplitude, wavelength, seed } => {
            writeln!(
                out,
                "kind = \"hills\"\namplitude = {amplitude:?}\nwavelength = {wavelength:?}\nseed = {seed}"
            )?;
        }
        Base::Dune { height, crest, windward, lee } => {
            writeln!(out, "kind = \"dune\"\nheight = {height:?}\ncrest = {crest:?}")?;
            writeln!(out, "windward_deg = {:?}", degrees(*windward))?;
            writeln!(out, "lee_deg = {:?}", degrees(*lee))?;
        }
    }
    if let Some(place) = t.place {
        writeln!(out, "\n[terrain.place]\nepsg = {}\ncorner = {:?}", place.epsg, place.corner)?;
    }
    for named in &t.materials {
        material_rows(out, named)?;
    }
    for paint in &t.paints {
        let name = quoted(&t.materials[paint.material as usize].name);
        match &paint.shape {
            PaintShape::Rectangle { min, max } => {
                writeln!(out, "\n[[paint]]\nmaterial = {name}\nrectangle = [{min:?}, {max:?}] # m")?;
            }
            PaintShape::Disc { centre, radius } => {
                writeln!(
                    out,
                    "\n[[paint]]\nmaterial = {name}\ndisc = {{ centre = {centre:?}, radius = {radius:?} }}"
                )?;
            }
            PaintShape::Image { width, height, .. } => {
                writeln!(out, "\n# Painted by an image of {width} × {height} pixels, from a file.")?;
            }
        }
    }
    for puppet in &scene.puppets {
        let table = if matches!(puppet.script, Script::Walker(_)) { "walker" } else { "puppet" };
        writeln!(out, "\n[[{table}]]\nname = {}\nmass = {:?} # kg", quoted(&puppet.name), puppet.mass)?;
        writeln!(out, "height = {:?} # m", puppet.height)?;
        writeln!(out, "foot_length = {:?} # m", puppet.foot_length)?;
        writeln!(out, "foot_width = {:?} # m", puppet.foot_width)?;
        match &puppet.sole {
            SoleShape::Footwear(wear) => writeln!(out, "footwear = {:?}", wear.name())?,
            SoleShape::Custom(sole) => {
                writeln!(out, "# On a sole of its own, {:.3} × {:.3} m.", sole.length, sole.width)?;
            }
        }
        if puppet.hold == Hold::Free {
            writeln!(out, "hold = \"free\"")?;
        }
        script(out, &puppet.script)?;
    }
    scene.plants.iter().try_for_each(|patch| super::plants::put(out, patch))
}

fn material_rows(out: &mut String, named: &NamedMaterial) -> std::fmt::Result {
    writeln!(out, "\n[[material]]\nname = {}", quoted(&named.name))?;
    let base = material::by_name(&named.name).unwrap_or(Material::SOIL);
    let preset = material::by_name(&named.name).map_or("soil", |_| named.name.as_str());
    writeln!(out, "preset = {preset:?}")?;
    for range in Material::RANGES {
        // As stored: angles in radians, which degrees would round.
        let stored = |mut m: Material| *m.field_mut(range.field).expect("a ranged field exists");
        let own = stored(named.material);
        if own != stored(base) {
            let value = if range.field.ends_with("_deg") { degrees(own) } else { own };
            writeln!(out, "{} = {value:?}{}", range.field, unit(range.unit))?;
        }
    }
    if named.material.colour != base.colour {
        writeln!(out, "colour = {:?}", named.material.colour)?;
    }
    Ok(())
}

pub(crate) fn unit(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" # {unit}") }
}

fn script(out: &mut String, script: &Script) -> std::fmt::Result {
    match script {
        Script::Walk(w) => {
            writeln!(out, "motion = \"walk\"\nwaypoints = {:?} # m\npasses = {}", w.waypoints, w.passes)?;
            writeln!(out, "back_and_forth = {}\nspeed = {:?} # m/s", w.back_and_forth, w.speed)?;
            if let Some(step) = w.step_length {
                writeln!(out, "step_length = {step:?} # m")?;
            }
            writeln!(out, "step_width = {:?} # m\nlateral_sd = {:?} # m", w.step_width, w.lateral_sd)?;
            writeln!(out, "step_sd = {:?} # m\nstart = {:?} # s", w.step_sd, w.start)
        }
        Script::Drop(d) => {
            writeln!(
                out,
                "motion = \"drop\"\nposition = {:?} # m\ndrop_height = {:?} # m",
                d.position, d.height
            )?;
            writeln!(out, "start = {:?} # s\nrest = {:?} # s", d.start, d.rest)
        }
        Script::Press(p) => {
            writeln!(out, "motion = \"press\"\nposition = {:?} # m\npresses = {}", p.position, p.presses)?;
            writeln!(out, "down = {:?} # s\nup = {:?} # s\nscatter = {:?} # m", p.down, p.up, p.scatter)?;
            writeln!(out, "heading_deg = {:?}\nstart = {:?} # s", degrees(p.heading), p.start)
        }
        // Its stride comes from a file; a host with as many feet is what TOML can say.
        Script::Animal(animal) => {
            writeln!(out, "# In truth an animal that plays the stride of its own file along a path.")?;
            writeln!(out, "motion = \"host\"\nfeet = {}", animal.stride.feet.len())
        }
        Script::Host { feet } => writeln!(out, "motion = \"host\"\nfeet = {feet}"),
        Script::Walker(walker) => {
            if let Some(recorded) = &walker.recorded {
                let n = recorded.clips.len();
                writeln!(out, "# Moves by {n} clips recorded in files, which TOML cannot hold.")?;
            }
            // A built-in body is told by its name; another one by its height and mass alone.
            let same = |b: &Body| Body { mass: walker.body.mass, ..*b } == walker.body;
            let known = Body::VARIANTS.iter().find(|name| Body::by_name(name).as_ref().is_some_and(same));
            if let Some(name) = known {
                writeln!(out, "body = {name:?}")?;
            }
            let force =
                ForceModel::ALL.iter().find(|(_, f)| *f == walker.force).map_or("whole_body", |(n, _)| n);
            writeln!(out, "force = {force:?}\nbalance = {}", walker.balance)?;
            writeln!(
                out,
                "position = {:?} # m\nheading_deg = {:?}",
                walker.position,
                degrees(walker.heading)
            )?;
            if let Control::Route(route) = &walker.control {
                let w = &route.walk;
                writeln!(out, "waypoints = {:?} # m\npasses = {}", w.waypoints, w.passes)?;
                writeln!(out, "back_and_forth = {}\nspeed = {:?} # m/s", w.back_and_forth, w.speed)?;
                writeln!(out, "lateral_sd = {:?} # m\nstart = {:?} # s", w.lateral_sd, w.start)?;
                let motion = Motion::ALL.iter().find(|(_, m)| *m == route.motion).map_or("auto", |(n, _)| n);
                writeln!(out, "metabolic = {}\nmotion = {motion:?}", route.metabolic)?;
            }
            Ok(())
        }
    }
}

/// The degrees that come back as exactly this angle, the shortest first: 22°, not 21.999999999999996°.
pub(crate) fn degrees(radians: f64) -> f64 {
    let raw = radians.to_degrees();
    let tidy = (raw * 1e9).round() / 1e9;
    // Not every angle has such degrees; then the nearest will do.
    [tidy, raw, raw.next_up(), raw.next_down()].into_iter().find(|d| d.to_radians() == radians).unwrap_or(raw)
}

/// A text as TOML wants it. Rust's own escapes differ for anything unusual.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                write!(out, "\\u{:04X}", u32::from(c)).expect("writing to a string does not fail");
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
