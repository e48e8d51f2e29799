//! What a scene may say: a check that names the field as a scene file does, the value and what is allowed.

use super::animal::RATES;
use super::{
    Base, Calendar, Choice, Control, Fall, Gate, Hold, Nature, Obstacle, PaintShape, Path, PlantPatch, Press,
    PuppetSpec, Scene, Script, SoleShape, Terrain, TrailRoute, Visitors, Walk, WalkerSpec,
};
use crate::params::{Field, Material, Range, Species};

/// Largest number of cells along a side: 16 384 is asked for, a kilometre at 1 cm is 100 000.
pub const MOST_CELLS: f64 = 2_000_000.0;
/// Most puppets in a scene.
pub const MOST_PUPPETS: usize = 100_000;
/// Most materials: a graphics card keeps four bits of a cell's material (`bevy_trample`'s texels).
pub const MOST_MATERIALS: usize = 16;

/// Most patches of plants.
pub const MOST_PATCHES: usize = 64;
/// Most plants in a scene: sixteen times the million that is asked for.
pub(crate) const MOST_PLANTS: f64 = 16e6;
/// Plants of a patch with a map of their strength at most: finding out how each stands takes some 4 µs. Our choice.
const MOST_WORN_PLANTS: f64 = 2e6;
/// Most cells of a season's cost field: half a gigabyte of it.
const MOST_COST_CELLS: f64 = 16e6;
/// Most stems of a plant.
pub(crate) const MOST_STEMS: usize = 64;
/// Most moving particles of a stem.
pub(crate) const MOST_ROWS: usize = 24;

/// What is wrong with a scene.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
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

fn out_of_range(path: &str, (range, value): (Range, f64)) -> SceneError {
    SceneError::OutOfRange { field: format!("{path}{}", range.name), value, allowed: range.allowed() }
}

/// Checks all numbers of one thing, which stands at `path`.
fn numbers<T>(path: &str, fields: &'static [Field<T>], of: &T) -> Result<(), SceneError> {
    Field::out_of_range(fields, of).map_or(Ok(()), |bad| Err(out_of_range(path, bad)))
}

fn invalid(field: &str, problem: impl Into<String>) -> SceneError {
    SceneError::Invalid { field: field.into(), problem: problem.into() }
}

impl Scene {
    /// Looks everything over; `Ok` means that a world can be built and stepped.
    pub fn check(&self) -> Result<(), SceneError> {
        numbers("", Self::FIELDS, self)?;
        if let Some(&push) = self.wind.iter().find(|push| !Self::WIND.contains(**push)) {
            return Err(out_of_range("", (Self::WIND, push)));
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
        self.check_season()?;
        if !self.seconds().is_finite() {
            return Err(invalid("duration", "the run would never end"));
        }
        Ok(())
    }

    fn check_terrain(&self) -> Result<(), SceneError> {
        let t = &self.terrain;
        numbers("terrain.", Terrain::FIELDS, t)?;
        for side in t.size {
            if !Terrain::SIDE.contains(side) {
                return Err(out_of_range("terrain.", (Terrain::SIDE, side)));
            }
            if side / t.cell > MOST_CELLS {
                let problem =
                    format!("{side} m at {} m a cell is more than {MOST_CELLS} cells a side", t.cell);
                return Err(invalid("terrain.size", problem));
            }
        }
        if t.contour < 0.5 * t.cell {
            let problem = format!("{} m is less than half a cell ({} m)", t.contour, t.cell);
            return Err(invalid("terrain.contour", problem));
        }
        numbers("terrain.base.", Base::FIELDS, &t.base)?;
        if t.materials.is_empty() || t.materials.len() > MOST_MATERIALS {
            let problem = format!("{} materials, allowed: 1 to {MOST_MATERIALS}", t.materials.len());
            return Err(invalid("material", problem));
        }
        for (i, named) in t.materials.iter().enumerate() {
            numbers(&format!("material[{i}]."), Material::FIELDS, &named.material)?;
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
                    &indices[..]
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

    fn check_season(&self) -> Result<(), SceneError> {
        let Some(season) = &self.season else { return Ok(()) };
        let size = self.terrain.size;
        let inside = |p: &[f64; 2]| (0..2).all(|k| p[k] >= 0.0 && p[k] <= size[k]);
        numbers("calendar.", Calendar::FIELDS, &season.calendar)?;
        numbers("choice.", Choice::FIELDS, &season.choice)?;
        numbers("nature.", Nature::FIELDS, &season.nature)?;
        for (i, gate) in season.gates.iter().enumerate() {
            let field = format!("gate[{i}].");
            numbers(&field, Gate::FIELDS, gate)?;
            if !inside(&gate.place) {
                let [x, z] = gate.place;
                let problem =
                    format!("[{x}, {z}] is off the map, allowed: 0 to {} m and 0 to {} m", size[0], size[1]);
                return Err(invalid(&format!("{field}place"), problem));
            }
            let blocked = |o: &&Obstacle| o.area.contains(gate.place[0], gate.place[1], &season.routes);
            if let Some(o) = season.obstacles.iter().find(blocked) {
                let what = if o.water { "under the water of" } else { "inside" };
                return Err(invalid(
                    &format!("{field}place"),
                    format!("gate `{}` is {what} `{}`", gate.name, o.name),
                ));
            }
        }
        let who = |path: String, who: &Visitors| {
            numbers(&path, Visitors::FIELDS, who)?;
            match who.visits.iter().find(|n| !Visitors::COUNT.contains(**n)) {
                Some(&bad) => Err(out_of_range(&path, (Visitors::COUNT, bad))),
                None => Ok(()),
            }
        };
        for (i, trip) in season.trips.iter().enumerate() {
            let n = season.gates.len();
            if trip.from >= n || trip.to >= n || trip.from == trip.to {
                return Err(invalid(&format!("trip[{i}].to"), "a trip goes from one gate to another"));
            }
            who(format!("trip[{i}]."), &trip.who)?;
        }
        for (i, route) in season.routes.iter().enumerate() {
            numbers(&format!("route[{i}]."), TrailRoute::FIELDS, route)?;
            who(format!("route[{i}]."), &route.who)?;
            let outside = route.waypoints.iter().filter(|p| !inside(p)).count();
            if route.waypoints.len() < 2 || outside > 0 {
                let problem = format!(
                    "{outside} of {} places lie outside the map of {} × {} m",
                    route.waypoints.len(),
                    size[0],
                    size[1]
                );
                return Err(invalid(&format!("route[{i}].waypoints"), problem));
            }
        }
        let [opens, closes] = season.calendar.open;
        if !(Calendar::HOUR.contains(opens) && Calendar::HOUR.contains(closes) && opens < closes) {
            return Err(invalid("calendar.open", "needs two hours, the first before the second, 0 to 24"));
        }
        let cells = (0..2).map(|k| size[k] / season.choice.cost_cell).product::<f64>();
        if cells > MOST_COST_CELLS {
            let problem = format!(
                "{} m gives {cells:.0} cells, allowed: {MOST_COST_CELLS}; choose larger ones",
                season.choice.cost_cell
            );
            return Err(invalid("choice.cost_cell", problem));
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
            numbers(&path(""), Species::FIELDS, &patch.species)?;
            numbers(&path(""), PlantPatch::FIELDS, patch)?;
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
            let corners = patch.min.iter().chain(&patch.max).all(|x| x.is_finite());
            if !corners || patch.min[0] >= patch.max[0] || patch.min[1] >= patch.max[1] {
                return Err(invalid(&path("rectangle"), "needs two opposite corners, in metres"));
            }
            let far = |k: usize| patch.min[k] < -1.0 || patch.max[k] > self.terrain.size[k] + 1.0;
            if far(0) || far(1) {
                return Err(invalid(&path("rectangle"), "reaches more than 1 m beyond the terrain"));
            }
            for (key, map) in [("density_map", &patch.density_map), ("strength_map", &patch.strength_map)] {
                let Some(map) = map else { continue };
                let whole = map.width > 0 && Some(map.values.len()) == map.width.checked_mul(map.height);
                if !whole || !map.values.iter().all(|v| (0.0..=1.0).contains(v)) {
                    return Err(invalid(&path(key), "needs width × height values from 0 to 1"));
                }
            }
            let plants = patch.expected_plants();
            if patch.strength_map.is_some() && self.season.is_some() {
                let problem =
                    "is for live runs: a season begins with whole plants; thin them by `density_map`";
                return Err(invalid(&path("strength_map"), problem));
            }
            if plants > MOST_WORN_PLANTS && patch.strength_map.is_some() {
                let problem = format!(
                    "is for {plants:.0} plants, allowed: {MOST_WORN_PLANTS}; give it to a smaller rectangle"
                );
                return Err(invalid(&path("strength_map"), problem));
            }
            total += plants;
        }
        // A season does not look at single plants.
        if total > MOST_PLANTS && self.season.is_none() {
            return Err(invalid("plants", format!("{total:.0} plants, allowed: {MOST_PLANTS}")));
        }
        Ok(())
    }

    /// What the actor of that index is called in a scene file: `walker[0]` or `puppet[2]`.
    pub fn actor(&self, index: usize) -> String {
        let walks = |p: &PuppetSpec| matches!(p.script, Script::Walker(_) | Script::Animal(_));
        let own = walks(&self.puppets[index]);
        let before = self.puppets[..index].iter().filter(|p| walks(p) == own).count();
        format!("{}[{before}]", if own { "walker" } else { "puppet" })
    }

    fn check_puppet(&self, i: usize) -> Result<(), SceneError> {
        let p = &self.puppets[i];
        let actor = self.actor(i) + ".";
        let path = |field: &str| format!("{actor}{field}");
        numbers(&actor, p.measures(), &p.body)?;
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
        let way = |way: &Path, least: f64, fields: &'static [Field<Path>]| {
            numbers(&actor, fields, way)?;
            if way.waypoints.len() < 2 || way.length().is_nan() || way.length() < least {
                let problem = format!("a path needs two places, and must not be shorter than {least} m");
                return Err(invalid(&path("waypoints"), problem));
            }
            way.waypoints.iter().try_for_each(|at| on_map("waypoints", *at))
        };
        if p.hold == Hold::Free && !matches!(p.script, Script::Host { .. }) {
            let problem = "`free` soles are a host's: scripts give clearances, not heights; use `pinned` or motion `host`";
            return Err(invalid(&path("hold"), problem));
        }
        match &p.script {
            Script::Walk(walk) => {
                numbers(&actor, Walk::FIELDS, walk)?;
                way(&walk.path, 0.1, Path::FIELDS)?;
            }
            Script::Fall(fall) => {
                on_map("position", fall.position)?;
                numbers(&actor, Fall::FIELDS, fall)?;
            }
            Script::Press(press) => {
                on_map("position", press.position)?;
                numbers(&actor, Press::FIELDS, press)?;
            }
            Script::Walker(walker) => {
                if let Some(problem) = walker.recorded.as_ref().and_then(|r| r.problem()) {
                    return Err(invalid(&path("motion"), problem));
                }
                on_map("position", walker.position)?;
                numbers(&actor, WalkerSpec::FIELDS, walker)?;
                if let Control::Route(route) = &walker.control {
                    way(&route.path, 0.5, Path::FIELDS)?;
                }
            }
            Script::Animal(animal) => {
                if let Some(problem) = animal.stride.problem() {
                    return Err(invalid(&path("character"), problem));
                }
                way(&animal.path, 0.5, Path::ANIMAL_FIELDS)?;
                let (own, [slowest, fastest]) = (animal.stride.speed(), RATES);
                if !(slowest..=fastest).contains(&(animal.path.speed / own)) {
                    let problem = format!(
                        "{} m/s; its own stride goes at {own:.2} m/s, allowed: {:.2} to {:.2} m/s",
                        animal.path.speed,
                        slowest * own,
                        fastest * own
                    );
                    return Err(invalid(&path("speed"), problem));
                }
            }
            Script::Host { feet } => {
                if !Script::FEET.contains(*feet as f64) {
                    return Err(out_of_range(&actor, (Script::FEET, *feet as f64)));
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
        let patch = PlantPatch { density: 25.0, max: [200.0, 200.0], ..Default::default() };
        scene.plants = vec![patch];
        scene.check().expect("a million plants");
        scene.plants[0].density = 5000.0;
        let error = scene.check().expect_err("two hundred million").to_string();
        assert!(error.contains("plants") && error.contains("200000000"), "{error}");
        scene.plants[0].density = 25.0;
        scene.plants[0].species.spacing = 0.002;
        let error = scene.check().expect_err("too fine").to_string();
        assert!(error.contains("plants[0].spacing"), "{error}");
        scene.plants[0] = PlantPatch { max: [f64::NAN, 1.0], ..Default::default() };
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
