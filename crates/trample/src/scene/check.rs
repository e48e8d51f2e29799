//! What a scene may say: one table of ranges, and a check that names the field, the value and what is allowed.

use super::animal::RATES;
use super::{Control, PlantKind, Scene, Script, SoleShape};
use crate::params::{Material, Range, Species};
use crate::state::{Base, Hold, PaintShape};

/// Largest number of cells along a side: 16 384 is asked for, a kilometre at 1 cm is 100 000.
pub const MOST_CELLS: f64 = 2_000_000.0;
/// Most puppets in a scene.
pub const MOST_PUPPETS: usize = 100_000;
/// Most materials: a cell stores its material in one byte.
pub const MOST_MATERIALS: usize = 255;

/// Most patches of plants.
pub const MOST_PATCHES: usize = 64;
/// Most plants in a scene: sixteen times the million that is asked for.
pub const MOST_PLANTS: f64 = 16e6;
/// Most stems of a plant.
pub const MOST_STEMS: usize = 64;
/// Most moving particles of a stem.
pub const MOST_ROWS: usize = 24;

/// The ranges of a scene's own fields; those of materials are [`Material::RANGES`], those of plants
/// [`Species::RANGES`].
pub const RANGES: [Range; 30] = [
    Range::new("rate", "Hz", 4.0, 2000.0, "steps per second"),
    Range::new("duration", "s", 0.001, 1e7, "how long to run"),
    Range::new("cell", "m", 0.0025, 0.1, "side of a cell"),
    Range::new("size", "m", 0.1, 50_000.0, "extent of the terrain"),
    Range::new("contour", "m", 0.005, 0.2, "width of the border that takes displaced material"),
    Range::new("tolerance", "m", 0.0, 0.02, "gap at which a sole touches"),
    Range::new("force_threshold", "body weights", 0.01, 10.0, "tangential force that throws all one way"),
    Range::new("angle_deg", "°", -45.0, 45.0, "steepness of a slope"),
    Range::new("amplitude", "m", 0.0, 100.0, "height of hills"),
    Range::new("wavelength", "m", 0.5, 10_000.0, "distance between hills"),
    Range::new("crest_height", "m", 0.1, 200.0, "height of a dune"),
    Range::new("side_deg", "°", 1.0, 45.0, "steepness of a dune's side"),
    Range::new("mass", "kg", 0.1, 2000.0, "mass of a body"),
    Range::new("height", "m", 0.3, 3.0, "standing height of a walker"),
    Range::new("foot_length", "m", 0.02, 2.0, "length of a foot, diameter of a sphere"),
    Range::new("foot_width", "m", 0.02, 2.0, "width of a foot"),
    Range::new("speed", "m/s", 0.1, 5.5, "walking and running speed"),
    Range::new("step_length", "m", 0.1, 2.0, "length of a step"),
    Range::new("step_width", "m", 0.0, 0.6, "distance between left and right prints"),
    Range::new("lateral_sd", "m", 0.0, 2.0, "sideways scatter of passes"),
    Range::new("step_sd", "m", 0.0, 0.3, "scatter of single footfalls"),
    Range::new("passes", "", 1.0, 1e6, "how often a path is walked"),
    Range::new("start", "s", 0.0, 1e6, "when a script begins"),
    Range::new("drop_height", "m", 0.0, 20.0, "height of a fall"),
    Range::new("presses", "", 1.0, 1e7, "how often a plate is pressed"),
    Range::new("seconds", "s", 0.02, 1e4, "time a plate stands, or is up, or a ball lies"),
    Range::new("scatter", "m", 0.0, 100.0, "scatter of a plate's place"),
    Range::new("density", "1/m²", 0.01, 5000.0, "plants per square metre"),
    Range::new("most", "m", 0.0, 2.0, "displacement of plants at a foot"),
    Range::new("fade", "", 0.01, 100.0, "how fast a displacement fades with the distance"),
];

/// The range of a field.
pub fn range(field: &str) -> &'static Range {
    RANGES
        .iter()
        .chain(&Material::RANGES)
        .chain(&Species::RANGES)
        .find(|r| r.field == field)
        .expect("every checked field has a range")
}

/// What is wrong with a scene.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// A value is out of its range.
    #[error("`{field}` is {value}, allowed: {allowed}")]
    OutOfRange {
        /// Path of the field, as in `terrain.cell`.
        field: String,
        /// What it is.
        value: f64,
        /// What it may be.
        allowed: String,
    },
    /// Anything else.
    #[error("`{field}`: {problem}")]
    Invalid {
        /// Path of the field.
        field: String,
        /// What is wrong and what to do.
        problem: String,
    },
}

impl SceneError {
    /// Path of the field it is about.
    pub fn field(&self) -> &str {
        match self {
            Self::OutOfRange { field, .. } | Self::Invalid { field, .. } => field,
        }
    }
}

fn within(path: &str, name: &str, value: f64) -> Result<(), SceneError> {
    let range = range(name);
    if range.contains(value) {
        return Ok(());
    }
    Err(SceneError::OutOfRange { field: path.into(), value, allowed: range.allowed() })
}

fn invalid(field: &str, problem: impl Into<String>) -> SceneError {
    SceneError::Invalid { field: field.into(), problem: problem.into() }
}

impl Scene {
    /// Looks everything over; `Ok` means that a world can be built and stepped.
    pub fn check(&self) -> Result<(), SceneError> {
        within("rate", "rate", self.rate)?;
        if let Some(duration) = self.duration {
            within("duration", "duration", duration)?;
        }
        self.check_terrain()?;
        if self.puppets.len() > MOST_PUPPETS {
            return Err(invalid(
                "puppet",
                format!("{} puppets, allowed: {MOST_PUPPETS}", self.puppets.len()),
            ));
        }
        for (i, _) in self.puppets.iter().enumerate() {
            self.check_puppet(i)?;
        }
        self.check_plants()?;
        if !self.seconds().is_finite() {
            return Err(invalid("duration", "the run would never end"));
        }
        Ok(())
    }

    fn check_terrain(&self) -> Result<(), SceneError> {
        let t = &self.terrain;
        within("terrain.cell", "cell", t.cell)?;
        for side in t.size {
            within("terrain.size", "size", side)?;
            if side / t.cell > MOST_CELLS {
                let problem =
                    format!("{side} m at {} m a cell is more than {MOST_CELLS} cells a side", t.cell);
                return Err(invalid("terrain.size", problem));
            }
        }
        within("terrain.contour", "contour", t.contour)?;
        if t.contour < 0.5 * t.cell {
            let problem = format!("{} m is less than half a cell ({} m)", t.contour, t.cell);
            return Err(invalid("terrain.contour", problem));
        }
        within("terrain.tolerance", "tolerance", t.tolerance)?;
        within("terrain.force_threshold", "force_threshold", t.force_threshold)?;
        match &t.base {
            Base::Slope { angle, direction } => {
                within("terrain.base.angle_deg", "angle_deg", angle.to_degrees())?;
                if !direction.is_finite() {
                    return Err(invalid("terrain.base.direction_deg", "must be a number"));
                }
            }
            Base::Hills { amplitude, wavelength, .. } => {
                within("terrain.base.amplitude", "amplitude", *amplitude)?;
                within("terrain.base.wavelength", "wavelength", *wavelength)?;
            }
            Base::Dune { height, crest, windward, lee } => {
                within("terrain.base.height", "crest_height", *height)?;
                within("terrain.base.windward_deg", "side_deg", windward.to_degrees())?;
                within("terrain.base.lee_deg", "side_deg", lee.to_degrees())?;
                if !crest.is_finite() {
                    return Err(invalid("terrain.base.crest", "must be a number"));
                }
            }
            Base::Flat | Base::Raster(_) => {}
        }
        if t.materials.is_empty() || t.materials.len() > MOST_MATERIALS {
            let problem = format!("{} materials, allowed: 1 to {MOST_MATERIALS}", t.materials.len());
            return Err(invalid("material", problem));
        }
        for (i, named) in t.materials.iter().enumerate() {
            for range in Material::RANGES {
                let value = named.material.field(range.field).expect("a ranged field exists");
                within(&format!("material[{i}].{}", range.field), range.field, value)?;
            }
            let carries = named.material.bekker.pressure(1.0, 0.05);
            if carries.is_nan() || carries <= 0.0 {
                return Err(invalid(
                    &format!("material[{i}].cohesive_modulus"),
                    "k_c/b + k_φ must be above 0",
                ));
            }
        }
        for (i, paint) in t.paints.iter().enumerate() {
            let indices = match &paint.shape {
                PaintShape::Image { width, height, indices } => {
                    if *width == 0 || *height == 0 || Some(indices.len()) != width.checked_mul(*height) {
                        return Err(invalid(&format!("paint[{i}].image"), "is empty"));
                    }
                    indices.as_slice()
                }
                PaintShape::Rectangle { min, max } => {
                    if !min.iter().chain(max).all(|x| x.is_finite()) {
                        return Err(invalid(&format!("paint[{i}].rectangle"), "corners must be numbers"));
                    }
                    std::slice::from_ref(&paint.material)
                }
                PaintShape::Disc { centre, radius } => {
                    if !(centre.iter().all(|x| x.is_finite()) && radius.is_finite() && *radius > 0.0) {
                        return Err(invalid(
                            &format!("paint[{i}].disc"),
                            "needs a centre and a radius above 0 m",
                        ));
                    }
                    std::slice::from_ref(&paint.material)
                }
            };
            if indices.iter().any(|&m| usize::from(m) >= t.materials.len()) {
                return Err(invalid(&format!("paint[{i}].material"), "is not one of the scene's materials"));
            }
        }
        Ok(())
    }

    fn check_plants(&self) -> Result<(), SceneError> {
        if self.plants.len() > MOST_PATCHES {
            let problem = format!("{} patches, allowed: {MOST_PATCHES}", self.plants.len());
            return Err(invalid("plants", problem));
        }
        let mut total = 0.0;
        for (i, patch) in self.plants.iter().enumerate() {
            let path = |field: &str| format!("plants[{i}].{field}");
            for range in Species::RANGES {
                let value = patch.species.field(range.field).expect("a ranged field exists");
                within(&path(range.field), range.field, value)?;
            }
            if patch.species.break_angle < patch.species.wear_angle {
                return Err(invalid(&path("break_angle_deg"), "must not be below wear_angle_deg"));
            }
            let (stems, rows) = (patch.species.stem_count(), patch.species.free_rows());
            if stems > MOST_STEMS || rows > MOST_ROWS {
                let problem = format!(
                    "gives {stems} stems of {rows} moving particles, allowed: {MOST_STEMS} of {MOST_ROWS}"
                );
                return Err(invalid(&path("spacing"), problem));
            }
            within(&path("density"), "density", patch.density)?;
            let corners = patch.min.iter().chain(&patch.max).all(|x| x.is_finite());
            if !corners || patch.min[0] >= patch.max[0] || patch.min[1] >= patch.max[1] {
                return Err(invalid(&path("rectangle"), "needs two opposite corners, in metres"));
            }
            let far = |k: usize| patch.min[k] < -1.0 || patch.max[k] > self.terrain.size[k] + 1.0;
            if far(0) || far(1) {
                return Err(invalid(&path("rectangle"), "reaches more than 1 m beyond the terrain"));
            }
            if let Some(map) = &patch.density_map {
                let whole = map.width > 0 && Some(map.values.len()) == map.width.checked_mul(map.height);
                if !whole || !map.values.iter().all(|v| (0.0..=1.0).contains(v)) {
                    return Err(invalid(&path("density_map"), "needs width × height values from 0 to 1"));
                }
            }
            if let PlantKind::Displaced { most, fade } = patch.kind {
                within(&path("most"), "most", most)?;
                within(&path("fade"), "fade", fade)?;
            }
            total += patch.expected_plants();
        }
        if total > MOST_PLANTS {
            return Err(invalid("plants", format!("{total:.0} plants, allowed: {MOST_PLANTS}")));
        }
        Ok(())
    }

    fn check_puppet(&self, i: usize) -> Result<(), SceneError> {
        let p = &self.puppets[i];
        let path = |field: &str| format!("puppet[{i}].{field}");
        within(&path("mass"), "mass", p.mass)?;
        within(&path("height"), "height", p.height)?;
        within(&path("foot_length"), "foot_length", p.foot_length)?;
        within(&path("foot_width"), "foot_width", p.foot_width)?;
        if let SoleShape::Custom(sole) = &p.sole {
            let sizes = Some(sole.coverage.len()) == sole.nu.checked_mul(sole.nv)
                && sole.depth.len() == sole.coverage.len();
            let finite = sole.coverage.iter().chain(&sole.depth).all(|x| x.is_finite() && *x >= 0.0);
            if !sizes || !finite || sole.area() <= 0.0 {
                return Err(invalid(&path("sole"), "has no area, or numbers that are not"));
            }
        }
        let on_map = |field: &str, at: [f64; 2]| {
            let size = self.terrain.size;
            if (0.0..=size[0]).contains(&at[0]) && (0.0..=size[1]).contains(&at[1]) {
                return Ok(());
            }
            let problem =
                format!("({}, {}) is not on the terrain of {} × {} m", at[0], at[1], size[0], size[1]);
            Err(invalid(&path(field), problem))
        };
        if p.hold == Hold::Free && !matches!(p.script, Script::Host { .. }) {
            let problem = "`free` soles are a host's: scripts give clearances, not heights; use `pinned` or motion `host`";
            return Err(invalid(&path("hold"), problem));
        }
        match &p.script {
            Script::Walk(w) => {
                if w.waypoints.len() < 2 {
                    return Err(invalid(&path("waypoints"), "a walk needs at least two"));
                }
                for at in &w.waypoints {
                    on_map("waypoints", *at)?;
                }
                within(&path("speed"), "speed", w.speed)?;
                if let Some(step) = w.step_length {
                    within(&path("step_length"), "step_length", step)?;
                }
                within(&path("step_width"), "step_width", w.step_width)?;
                within(&path("lateral_sd"), "lateral_sd", w.lateral_sd)?;
                within(&path("step_sd"), "step_sd", w.step_sd)?;
                within(&path("passes"), "passes", f64::from(w.passes))?;
                within(&path("start"), "start", w.start)?;
                if w.timing(p.height).length < 0.1 {
                    return Err(invalid(&path("waypoints"), "the path is shorter than 0.1 m"));
                }
            }
            Script::Drop(d) => {
                on_map("position", d.position)?;
                within(&path("drop_height"), "drop_height", d.height)?;
                within(&path("start"), "start", d.start)?;
                within(&path("rest"), "seconds", d.rest)?;
            }
            Script::Press(q) => {
                on_map("position", q.position)?;
                within(&path("presses"), "presses", f64::from(q.presses))?;
                within(&path("down"), "seconds", q.down)?;
                within(&path("up"), "seconds", q.up)?;
                within(&path("scatter"), "scatter", q.scatter)?;
                within(&path("start"), "start", q.start)?;
                if !q.heading.is_finite() {
                    return Err(invalid(&path("heading_deg"), "must be a number"));
                }
            }
            Script::Walker(w) => {
                if let Some(bad) = w.body.out_of_range() {
                    let value = w.body.field(bad.field).unwrap_or(f64::NAN);
                    return Err(SceneError::OutOfRange {
                        field: path(bad.field),
                        value,
                        allowed: bad.allowed(),
                    });
                }
                if let Some(problem) = w.recorded.as_ref().and_then(|r| r.problem()) {
                    return Err(invalid(&path("motion"), problem));
                }
                on_map("position", w.position)?;
                if !w.heading.is_finite() {
                    return Err(invalid(&path("heading_deg"), "must be a number"));
                }
                if let Control::Route(route) = &w.control {
                    if route.walk.waypoints.len() < 2 || route.walk.length() < 0.5 {
                        return Err(invalid(
                            &path("waypoints"),
                            "a route needs two places at least 0.5 m apart",
                        ));
                    }
                    for at in &route.walk.waypoints {
                        on_map("waypoints", *at)?;
                    }
                    within(&path("speed"), "speed", route.walk.speed)?;
                    within(&path("passes"), "passes", f64::from(route.walk.passes))?;
                    within(&path("lateral_sd"), "lateral_sd", route.walk.lateral_sd)?;
                    within(&path("start"), "start", route.walk.start)?;
                }
            }
            Script::Animal(animal) => {
                if let Some(problem) = animal.stride.problem() {
                    return Err(invalid(&path("character"), problem));
                }
                let walk = &animal.walk;
                if walk.waypoints.len() < 2 || walk.length() < 0.5 {
                    return Err(invalid(&path("waypoints"), "a route needs two places at least 0.5 m apart"));
                }
                for at in &walk.waypoints {
                    on_map("waypoints", *at)?;
                }
                within(&path("speed"), "speed", walk.speed)?;
                let (own, [slowest, fastest]) = (animal.stride.speed(), RATES);
                if !(slowest..=fastest).contains(&(walk.speed / own)) {
                    let problem = format!(
                        "{} m/s; its own stride goes at {own:.2} m/s, allowed: {:.2} to {:.2} m/s",
                        walk.speed,
                        slowest * own,
                        fastest * own
                    );
                    return Err(invalid(&path("speed"), problem));
                }
                within(&path("passes"), "passes", f64::from(walk.passes))?;
                within(&path("lateral_sd"), "lateral_sd", walk.lateral_sd)?;
                within(&path("start"), "start", walk.start)?;
            }
            Script::Host { feet } => {
                if *feet == 0 || *feet > crate::step::force::MOST_FEET {
                    return Err(invalid(&path("feet"), "allowed: 1 to 8"));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_scene_is_valid() {
        Scene::default().check().expect("valid");
    }

    #[test]
    fn a_bad_value_is_named_with_what_is_allowed() {
        let mut scene = Scene::default();
        scene.terrain.cell = 5.0;
        let error = scene.check().expect_err("5 m cells").to_string();
        assert!(
            error.contains("terrain.cell") && error.contains('5') && error.contains("0.0025 to 0.1 m"),
            "{error}"
        );
        scene.terrain.cell = f64::NAN;
        assert!(scene.check().is_err(), "NaN is not a size");
    }

    #[test]
    fn a_million_plants_are_allowed_and_too_many_are_refused_before_memory_is_taken() {
        let mut scene = Scene::default();
        scene.terrain.size = [200.0, 200.0];
        let patch = crate::scene::PlantPatch { density: 25.0, max: [200.0, 200.0], ..Default::default() };
        scene.plants = vec![patch];
        scene.check().expect("a million plants");
        scene.plants[0].density = 5000.0;
        let error = scene.check().expect_err("two hundred million").to_string();
        assert!(error.contains("plants") && error.contains("200000000"), "{error}");
        scene.plants[0].density = 25.0;
        scene.plants[0].species.spacing = 0.002;
        let error = scene.check().expect_err("too fine").to_string();
        assert!(error.contains("plants[0].spacing"), "{error}");
        scene.plants[0] = crate::scene::PlantPatch { max: [f64::NAN, 1.0], ..Default::default() };
        assert!(scene.check().is_err(), "NaN is not a corner");
    }

    #[test]
    fn a_huge_terrain_of_tiny_cells_is_refused_before_memory_is_taken() {
        let mut scene = Scene::default();
        scene.terrain.size = [50_000.0, 50_000.0];
        scene.terrain.cell = 0.0025;
        assert!(scene.check().is_err());
    }
}
