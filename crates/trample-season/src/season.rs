//! A running season: day after day, from the morning's ground to the evening's.

use crate::SeasonError;
use crate::atlas::Atlas;
use crate::cost::Grid;
use crate::damage::{Curve, Damage};
use crate::day::{self, Ledger, Rules};
use crate::ground::{CELLS, Ground, Key, SIDE};
use crate::people::{Footfall, Line, People, Person, steepest};
use crate::ways::{KINDS, Ways, Wear};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use trample::internal::{Stream, uniform};
use trample::params::Law;
use trample::scene::{Area, Date, Path, PuppetSpec, Scene, Season, SoleShape, WalkerSpec};

/// Totals of a day.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DayRow {
    /// Counted from 0.
    pub day: i64,
    /// Number of walks; people who return count twice.
    pub walks: u64,
    /// Walks without a path, or outside opening hours.
    pub not_walked: u64,
    /// Footfalls.
    pub footfalls: u64,
    /// Metres walked on freely chosen paths, and the straight distance of their gates.
    pub metres: f64,
    /// See `metres`.
    pub straight: f64,
    /// Metres of these near the centre of the gates.
    pub centre: f64,
    /// Rain, mm.
    pub rain: f64,
    /// Volumes, nm over a cell.
    pub carved: i64,
    /// See `carved`.
    pub displaced: i64,
    /// See `carved`.
    pub washed: i64,
    /// Walks, walks without a way and metres by group.
    pub groups: Vec<(u64, u64, f64)>,
}

/// A running season.
#[derive(Clone, Debug)]
pub struct Run {
    season: Season,
    people: People,
    ways: Ways,
    rules: Arc<Rules>,
    routes: Vec<Line>,
    /// The current ground.
    pub ground: Ground,
    /// Number of finished days.
    pub day: i64,
    /// Their totals.
    pub rows: Vec<DayRow>,
}

/// A part of the ground.
pub struct Part<'a> {
    /// Whether footfalls at a place are stamped.
    pub near: &'a (dyn Fn([f64; 2]) -> bool + Sync),
    /// Whether a tile belongs to it.
    pub own: &'a (dyn Fn(Key) -> bool + Sync),
}

/// Radius around the middle of the gates in which traffic counts as central, as a share of their distance.
const CENTRE: f64 = 0.12;

/// When counted people are taken to come, hours of the day: noon, our choice.
const COUNTED: f64 = 12.0;

/// Records the atlas and the cover curves before a season starts.
///
/// # Errors
/// If the scene is not a season or uses features that a season does not support.
pub fn rules(scene: &Scene) -> Result<Rules, SeasonError> {
    let season = season_of(scene)?;
    if scene.terrain.law != Law::Natural {
        return Err(SeasonError::Scene(format!(
            "`terrain.law` is `{}`: a season knows the natural law alone",
            scene.terrain.law.name()
        )));
    }
    if scene.terrain.cell < 0.01 {
        return Err(SeasonError::Scene(format!(
            "`terrain.cell` is {}, allowed in a season: 0.01 to 0.1 m",
            scene.terrain.cell
        )));
    }
    if season.trips.is_empty() && season.routes.is_empty() {
        return Err(SeasonError::Scene("nobody walks: a season needs a [[trip]] or a [[route]]".into()));
    }
    let people = People::new(scene, season);
    let steepest = steepest(scene);
    let atlases: Result<Vec<Atlas>, SeasonError> =
        people.who.par_iter().map(|who| Atlas::record(who, scene, steepest)).collect();
    let damage: Result<Vec<Damage>, SeasonError> =
        scene.plants.iter().map(|patch| Damage::of(&patch.species)).collect();
    let damage = damage?;
    let curves = damage.iter().map(Curve::new).collect();
    Ok(Rules { atlases: atlases?, damage, curves, nature: season.nature.clone() })
}

/// The season of a scene.
///
/// # Errors
/// If it has none.
pub fn season_of(scene: &Scene) -> Result<&Season, SeasonError> {
    scene.season.as_deref().ok_or_else(|| {
        SeasonError::Scene(format!(
            "`{}` is no season: it has no [[gate]], [[trip]] or [[route]]",
            scene.name
        ))
    })
}

impl Run {
    /// The first morning.
    ///
    /// # Errors
    /// If the scene is not a season or uses features that a season does not support.
    pub fn new(scene: &Scene) -> Result<Self, SeasonError> {
        let rules = Arc::new(rules(scene)?);
        Self::with(scene, rules)
    }

    /// The first morning, with rules recorded before.
    ///
    /// # Errors
    /// If the scene is not a season.
    pub fn with(scene: &Scene, rules: Arc<Rules>) -> Result<Self, SeasonError> {
        let season = season_of(scene)?.clone();
        let base = &scene.terrain.base;
        Ok(Self {
            people: People::new(scene, &season),
            ways: Ways::new(scene, &season),
            routes: season.routes.iter().map(|r| Line::new(&r.waypoints, base)).collect(),
            ground: Ground::new(scene),
            season,
            rules,
            day: 0,
            rows: Vec::new(),
        })
    }

    /// Total number of days.
    pub fn days(&self) -> i64 {
        i64::from(self.season.calendar.days)
    }

    /// The date of a day.
    pub fn date(&self, day: i64) -> Date {
        Date(self.season.calendar.start.0 + day)
    }

    /// Its recorded rules.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// Its description.
    pub fn season(&self) -> &Season {
        &self.season
    }

    /// Names of trips, then of routes.
    pub fn groups(&self) -> Vec<String> {
        let trips = self.season.trips.iter().map(|t| t.name.clone());
        trips.chain(self.season.routes.iter().map(|r| r.name.clone())).collect()
    }

    /// Cost fields solved so far.
    pub fn solved(&self) -> usize {
        self.ways.solved
    }

    /// The paths, read-only.
    pub fn ways(&self) -> &Ways {
        &self.ways
    }

    /// Simulates one day.
    pub fn pass_day(&mut self) -> &DayRow {
        let wear = self.wear();
        self.pass_day_seeing(&wear, None);
        self.rows.last().expect("a day was added")
    }

    /// The wear that people see this morning.
    pub fn wear(&self) -> Wear {
        if self.season.trips.is_empty() {
            return Arc::default();
        }
        let grid = self.ways.grid();
        let sums = wear_sums(&self.ground, grid, |_| true);
        wear_of(&sums, grid, &self.ground)
    }

    /// Advances by a day of which only the wear of its morning is known, without simulating it.
    pub fn follow(&mut self, day: i64, wear: &Wear) {
        self.ways.follow(day, wear);
    }

    /// Solves the fields of the last day again, so that its lines are known.
    pub fn solve(&mut self) {
        self.ways.solve((self.day - 1).max(0));
    }

    /// Simulates one day with the wear of its morning. With a part of the ground, footfalls are stamped near it and volumes counted inside.
    /// Returns the number of footfalls inside.
    pub fn pass_day_seeing(&mut self, wear: &Wear, part: Option<&Part<'_>>) -> u64 {
        let day = self.day;
        self.ways.follow(day, wear);
        self.ways.solve(day);
        let mut row = DayRow { day, rain: self.rain(day), ..DayRow::default() };
        let falls = self.footfalls(day, &mut row, part.map(|p| p.near));
        let grows = self.season.nature.grows(self.date(day));
        let all: &(dyn Fn(Key) -> bool + Sync) = &|_| true;
        let (own, weather) = (part.map_or(all, |p| p.own), (row.rain, grows));
        let Ledger { carved, displaced, washed } =
            day::run(&mut self.ground, &self.rules, &falls, weather, own);
        (row.carved, row.displaced, row.washed) = (carved, displaced, washed);
        let side = SIDE as f64 * self.ground.cell;
        let key = |f: &Footfall| ((f.at[1] / side).floor() as i32, (f.at[0] / side).floor() as i32);
        let inside = match part {
            Some(part) => falls.iter().filter(|f| (part.own)(key(f))).count() as u64,
            None => row.footfalls,
        };
        self.rows.push(row);
        self.day += 1;
        inside
    }

    /// Rain of a day, mm: from the table, or random.
    fn rain(&self, day: i64) -> f64 {
        let nature = &self.season.nature;
        if let Some(&rain) = nature.rain_by_day.get(day as usize) {
            return rain;
        }
        let seed = self.ground.scene().seed;
        if uniform(seed, Stream::Rain, 2 * day as u64) >= nature.wet_days {
            return 0.0;
        }
        let mean = nature.rain / (365.25 * nature.wet_days);
        -mean * libm::log(1.0 - uniform(seed, Stream::Rain, 2 * day as u64 + 1))
    }

    /// The lines of all trips by kind of people, out and back.
    pub fn lines(&self) -> Vec<Vec<[Option<Line>; 2]>> {
        let base = &self.ground.scene().terrain.base;
        (0..self.season.trips.len())
            .map(|trip| {
                let one = |kind: usize, back: bool| {
                    let wanted = !back || self.season.trips[trip].who.back;
                    let line = wanted.then(|| self.ways.line(trip, back, kind)).flatten();
                    line.map(|corners| Line::new(&corners, base))
                };
                (0..KINDS).map(|kind| [one(kind, false), one(kind, true)]).collect()
            })
            .collect()
    }

    /// All footfalls of a day.
    fn footfalls(
        &self,
        day: i64,
        row: &mut DayRow,
        near: Option<&(dyn Fn([f64; 2]) -> bool + Sync)>,
    ) -> Vec<Footfall> {
        let lines = self.lines();
        let (trips, calendar) = (self.season.trips.len(), &self.season.calendar);
        let closed: Vec<&Area> = calendar.closed(day).collect();
        let shut = |route: usize| {
            closed.iter().any(|a| match a {
                Area::Route(index) => *index == route,
                area => self.routes[route].points().iter().any(|p| area.contains(p[0], p[1], &[])),
            })
        };
        let routes_shut: Vec<bool> = (0..self.routes.len()).map(shut).collect();
        let middle = self.middle();
        let central: Vec<Vec<[f64; 2]>> = lines
            .iter()
            .map(|kinds| {
                let share = |line: &Option<Line>| line.as_ref().map_or(0.0, |l| near_middle(l, middle));
                kinds.iter().map(|[out, back]| [share(out), share(back)]).collect()
            })
            .collect();
        let mut walks: Vec<(Person, &Line)> = Vec::new();
        row.groups = vec![(0, 0, 0.0); self.people.groups()];
        for group in 0..self.people.groups() {
            for person in self.people.of(group, day) {
                let tally = &mut row.groups[group];
                tally.0 += 1;
                row.walks += 1;
                let line = match group.checked_sub(trips) {
                    Some(route) => (!routes_shut[route]).then_some(&self.routes[route]),
                    None => lines[group][person.kind][usize::from(person.back)].as_ref(),
                };
                let [opens, closes] = calendar.open;
                let open = person.hour.is_none_or(|h| (opens..=closes).contains(&h));
                let Some(line) = line.filter(|_| open) else {
                    tally.1 += 1;
                    row.not_walked += 1;
                    continue;
                };
                tally.2 += line.length();
                if group < trips {
                    let trip = &self.season.trips[group];
                    let (a, b) = (self.season.gates[trip.from].place, self.season.gates[trip.to].place);
                    row.metres += line.length();
                    row.straight += ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])).sqrt();
                    row.centre += central[group][person.kind][usize::from(person.back)];
                }
                walks.push((person, line));
            }
        }
        let (board, obstacles) = (&calendar.boardwalks, &self.season.obstacles);
        let size = self.ground.scene().terrain.size;
        let pressed = |p: [f64; 2]| {
            (0..2).all(|k| p[k] >= 0.0 && p[k] <= size[k])
                && !board.iter().any(|a| a.contains(p[0], p[1], &self.season.routes))
                && !obstacles.iter().any(|o| o.area.contains(p[0], p[1], &self.season.routes))
        };
        let falls: Vec<(u64, Vec<Footfall>)> = walks
            .par_chunks(64)
            .map(|part| {
                let mut out = Vec::new();
                for (person, line) in part {
                    self.people.footfalls(person, line, &self.rules.atlases, &mut out);
                }
                let any = !board.is_empty() || !obstacles.is_empty();
                out.retain(|f| {
                    if any { pressed(f.at) } else { (0..2).all(|k| f.at[k] >= 0.0 && f.at[k] <= size[k]) }
                });
                let n = out.len() as u64;
                if let Some(near) = near {
                    out.retain(|f| near(f.at));
                }
                (n, out)
            })
            .collect();
        row.footfalls = falls.iter().map(|f| f.0).sum();
        falls.into_iter().flat_map(|f| f.1).collect()
    }

    /// A live scene of the current day with `people` of its people, one after the other, on paths chosen by the same cost field.
    /// The ground is the scene's own, untouched.
    pub fn live(&mut self, people: usize) -> Scene {
        let day = self.day.min(self.days() - 1);
        let wear = self.wear();
        self.ways.follow(day, &wear);
        self.ways.solve(day);
        let (lines, trips) = (self.lines(), self.season.trips.len());
        let mut puppets = Vec::new();
        let mut everybody: Vec<Person> =
            (0..self.people.groups()).flat_map(|g| self.people.of(g, day)).collect();
        everybody.sort_by(|a, b| a.hour.unwrap_or(COUNTED).total_cmp(&b.hour.unwrap_or(COUNTED)));
        for person in everybody {
            let (line, who) = match person.group.checked_sub(trips) {
                Some(route) => (Some(&self.routes[route]), &self.season.routes[route].who),
                None => {
                    let line = lines[person.group][person.kind][usize::from(person.back)].as_ref();
                    (line, &self.season.trips[person.group].who)
                }
            };
            let Some(line) = line.filter(|_| puppets.len() < people) else { continue };
            let mut corners = line.corners();
            if person.group >= trips && person.back {
                corners.reverse();
            }
            let path = Path { speed: who.speed, ..Path::along(corners) };
            puppets.push(PuppetSpec {
                sole: SoleShape::Footwear(who.footwear),
                ..PuppetSpec::walking(
                    format!("{} {}", self.groups()[person.group], puppets.len() + 1),
                    who.walker(),
                    WalkerSpec::on(path),
                )
            });
        }
        Scene { season: None, puppets, ..self.ground.scene().clone() }
    }

    /// Middle of the gates that are used and the radius around it that counts as central, m.
    fn middle(&self) -> ([f64; 2], f64) {
        let mut used: Vec<usize> = self.season.trips.iter().flat_map(|t| [t.from, t.to]).collect();
        used.sort_unstable();
        used.dedup();
        let places: Vec<[f64; 2]> = used.iter().map(|&g| self.season.gates[g].place).collect();
        let n = places.len().max(1) as f64;
        let middle = [0, 1].map(|k| places.iter().map(|p| p[k]).sum::<f64>() / n);
        let mut apart = Vec::new();
        for trip in &self.season.trips {
            let (a, b) = (self.season.gates[trip.from].place, self.season.gates[trip.to].place);
            apart.push(((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])).sqrt());
        }
        let mean = apart.iter().sum::<f64>() / apart.len().max(1) as f64;
        (middle, CENTRE * mean)
    }

    /// Detour and central share of the traffic over the last tenth of the days: metres walked over straight ones, and the share
    /// of metres near the middle of the gates.
    pub fn detour_and_centre(&self) -> (f64, f64) {
        let last = (self.rows.len() / 10).max(1);
        let rows = self.rows.iter().rev().take(last);
        let (mut metres, mut straight, mut centre) = (0.0, 0.0, 0.0);
        for row in rows {
            metres += row.metres;
            straight += row.straight;
            centre += row.centre;
        }
        if straight > 0.0 { (metres / straight, centre / metres) } else { (1.0, 0.0) }
    }

    /// Mean remaining share of cover for every patch of plants: over all its cells, trodden or not.
    pub fn covers(&self) -> Vec<(String, f64)> {
        let plants = &self.ground.scene().plants;
        let cell = self.ground.cell;
        let mut lost = vec![0.0; plants.len()];
        for (_, tile) in self.ground.sorted() {
            for c in 0..CELLS {
                if let Some(sum) = lost.get_mut(usize::from(tile.patch[c])) {
                    *sum += 1.0 - f64::from(tile.cover[c]);
                }
            }
        }
        let share = |(i, lost): (usize, f64)| {
            let whole = (plants[i].area() / (cell * cell)).max(1.0);
            (plants[i].name.clone(), 1.0 - lost / whole)
        };
        lost.into_iter().enumerate().map(share).collect()
    }

    /// Mean cover of all patches except those named `control`.
    pub fn cover(&self) -> f64 {
        let plants = &self.ground.scene().plants;
        let (mut sum, mut area) = (0.0, 0.0);
        for ((name, cover), patch) in self.covers().into_iter().zip(plants) {
            if name != "control" {
                sum += cover * patch.area();
                area += patch.area();
            }
        }
        if area > 0.0 { sum / area } else { 1.0 }
    }

    /// State of the cost fields: the wear that each was solved for, as bytes.
    pub fn save_ways(&self, out: &mut Vec<u8>) {
        self.ways.save(out);
    }

    /// Restores the bytes of [`Run::save_ways`]; false if they are damaged.
    pub fn restore_ways(&mut self, bytes: &[u8]) -> bool {
        self.ways.restore(bytes)
    }
}

/// Metres of a line near a place.
fn near_middle(line: &Line, (middle, radius): ([f64; 2], f64)) -> f64 {
    let inside = |p: [f64; 2]| {
        let (dx, dz) = (p[0] - middle[0], p[1] - middle[1]);
        dx * dx + dz * dz < radius * radius
    };
    line.points()
        .windows(2)
        .filter(|w| inside([0.5 * (w[0][0] + w[1][0]), 0.5 * (w[0][1] + w[1][1])]))
        .map(|w| {
            ((w[1][0] - w[0][0]) * (w[1][0] - w[0][0]) + (w[1][1] - w[0][1]) * (w[1][1] - w[0][1])).sqrt()
        })
        .sum()
}

/// Sums of wear over the cells of a grid, of the tiles that count: whole numbers, so that parts add up in any order.
pub fn wear_sums(ground: &Ground, grid: Grid, counts: impl Fn(Key) -> bool + Sync) -> Vec<u64> {
    let one = |slot: usize| -> Vec<(u32, u64)> {
        let (key, tile) = (ground.keys()[slot], &ground.tiles[slot]);
        let mut found: Vec<(u32, u64)> = Vec::new();
        if !counts(key) {
            return found;
        }
        for c in 0..CELLS {
            let wear = (ground.wear(tile, c) * 65_535.0) as u64;
            if wear == 0 {
                continue;
            }
            let at = |k: i32, i: usize| (f64::from(k) * SIDE as f64 + i as f64 + 0.5) * ground.cell;
            let cell = grid.cell_of([at(key.1, c % SIDE), at(key.0, c / SIDE)]) as u32;
            match found.iter_mut().find(|f| f.0 == cell) {
                Some(f) => f.1 += wear,
                None => found.push((cell, wear)),
            }
        }
        found
    };
    let parts: Vec<Vec<(u32, u64)>> = (0..ground.tiles.len()).into_par_iter().map(one).collect();
    let mut sums = vec![0u64; grid.len()];
    for (cell, wear) in parts.into_iter().flatten() {
        sums[cell as usize] += wear;
    }
    sums
}

/// Mean wear from its sums: over the cells of the ground whose middle lies in each cell of the grid, of which not all have as many.
pub fn wear_of(sums: &[u64], grid: Grid, ground: &Ground) -> Wear {
    let [nx, nz] = grid.counts(ground.cell, ground.size);
    let mean = |(c, &sum): (usize, &u64)| {
        let cells = nx[c % grid.size[0]] * nz[c / grid.size[0]];
        (sum as f64 / (65_535.0 * cells.max(1.0))).min(1.0) as f32
    };
    Arc::new(sums.iter().enumerate().map(mean).collect())
}
