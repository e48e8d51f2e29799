//! A season from a tree and back: gates, trips, routes, calendar, choice of ways, nature.

use super::node::{Node, Value, hint};
use super::table::{Result, Table, plain_number};
use super::{Source, puppet};
use crate::{daily_table, geodesy, gpx};
use std::fmt::Write;
use trample::params::{Body, Footwear, Range};
use trample::scene::{
    Area, Calendar, Choice, Closure, Date, Gate, GeoPlace, Nature, Obstacle, Season, Terrain, TrailRoute,
    Trip, Visitors,
};

/// Keys of a scene that make it a season.
pub(crate) const KEYS: [&str; 9] =
    ["gate", "trip", "route", "obstacle", "calendar", "choice", "nature", "closure", "boardwalk"];

/// Most gates, trips, routes and areas of each kind.
const MOST: usize = 10_000;
/// Radius of an area that is a disc.
const RADIUS: Range = Range::new("radius", "m", 0.01, 1e5, "radius");

/// What the tables of a season share.
struct Reader<'a> {
    source: &'a Source,
    terrain: &'a Terrain,
    gates: Vec<Gate>,
    calendar: Calendar,
}

/// The season of a scene, if any of its tables is there.
pub(crate) fn read(top: &Table<'_>, terrain: &Terrain, source: &Source) -> Result<Option<Box<Season>>> {
    let there: Vec<bool> = KEYS.iter().map(|key| top.get(key).is_some()).collect();
    let Some(first) = there.iter().position(|&there| there) else { return Ok(None) };
    if cfg!(not(feature = "seasons")) {
        let problem = format!("`{}`: this build has no seasons; the command has", KEYS[first]);
        return Err(top.error_at(KEYS[first], problem));
    }
    let mut season = Season::default();
    for table in top.list("gate", MOST)? {
        season.gates.push(gate(&table, &season.gates)?);
    }
    let empty = Node { value: Value::Table(Vec::new()), place: top.node.place.clone() };
    let calendar = Table::new(top.get("calendar").unwrap_or(&empty), "calendar", source)?;
    if let Some(node) = calendar.get("start") {
        season.calendar.start =
            date(node).ok_or_else(|| calendar.must_be(node, "start", "a date, as in 2026-04-01"))?;
    }
    calendar.fields(Calendar::FIELDS, &mut season.calendar)?;
    if let Some(open) = calendar.pair("open")? {
        season.calendar.open = open;
    }
    let mut r = Reader { source, terrain, gates: season.gates.clone(), calendar: season.calendar.clone() };
    for table in top.list("route", MOST)? {
        season.routes.push(r.route(&table, "route", None)?);
    }
    for table in top.list("trip", MOST)? {
        // A trip that has a line of its own is a route.
        if ["route", "waypoints", "gpx"].into_iter().any(|key| table.node.get(key).is_some()) {
            season.routes.push(r.route(&table, "trip", Some(season.routes.len()))?);
        } else {
            season.trips.push(r.trip(&table)?);
        }
    }
    for table in top.list("obstacle", MOST)? {
        let name = table.text("name")?.unwrap_or("obstacle").into();
        let kinds = [("water", true), ("building", false), ("fence", false)];
        let water = table.word("kind", &kinds)?.unwrap_or(false);
        let area = r.area(&table, &season.routes)?;
        table.done()?;
        season.obstacles.push(Obstacle { name, water, area });
    }
    for (list, key) in [(top, "closure"), (&calendar, "closure"), (&calendar, "closures")] {
        for table in list.list(key, MOST)? {
            season.calendar.closures.push(r.closure(&table, &season.routes)?);
        }
    }
    for (list, key) in [(top, "boardwalk"), (&calendar, "boardwalk"), (&calendar, "boardwalks")] {
        for table in list.list(key, MOST)? {
            season.calendar.boardwalks.push(r.area(&table, &season.routes)?);
            table.done()?;
        }
    }
    calendar.done()?;
    let choice = Table::new(top.get("choice").unwrap_or(&empty), "choice", source)?;
    choice.fields(Choice::FIELDS, &mut season.choice)?;
    choice.done()?;
    let nature = Table::new(top.get("nature").unwrap_or(&empty), "nature", source)?;
    r.nature(&nature, &mut season.nature)?;
    r.gates.clear();
    Ok(Some(Box::new(season)))
}

fn gate(t: &Table<'_>, others: &[Gate]) -> Result<Gate> {
    let name = match t.text("name")? {
        Some(name) if !name.is_empty() => name.to_string(),
        _ => format!("gate {}", others.len() + 1),
    };
    if others.iter().any(|other| other.name == name) {
        return Err(t.error_at("name", format!("`{}` is `{name}`, and so is another", t.field("name"))));
    }
    let place = t.pair("place")?.or(t.pair("position")?);
    let Some(place) = place else {
        return Err(t.error(t.node, format!("`{}` needs a `place`, as in [3.0, 40.0] (x and z, m)", t.path)));
    };
    let mut gate = Gate { name, place, radius: 1.0 };
    t.fields(Gate::FIELDS, &mut gate)?;
    t.done()?;
    Ok(gate)
}

fn date(node: &Node) -> Option<Date> {
    match &node.value {
        Value::Date(text) | Value::Text(text) => Date::parse(text.get(..10).unwrap_or(text)),
        _ => None,
    }
}

impl Reader<'_> {
    fn visitors(&self, t: &Table<'_>) -> Result<Visitors> {
        let mut who = Visitors::default();
        let body = match t.word("who", &puppet::bodies())?.is_some() {
            true => t.text("who")?,
            false => t.word("body", &puppet::bodies())?.and(t.text("body")?),
        };
        if let Some(body) = body {
            who.body = body.into();
            who.mass = Body::by_name(body).unwrap_or_default().mass;
        }
        t.fields(Visitors::FIELDS, &mut who)?;
        for other in ["people", "per_day"] {
            if let Some(people) = t.number(&Range { name: other, ..Visitors::FIELDS[0].range })? {
                who.people_per_day = people;
            }
        }
        if let Some(wear) = t.word("footwear", &Footwear::ALL.map(|f| (f.name(), f)))? {
            who.footwear = wear;
        }
        who.visits = self.by_day(t, &Visitors::COUNT)?;
        Ok(who)
    }

    /// Numbers by day: a list, or a table of dates and numbers beside the scene.
    fn by_day(&self, t: &Table<'_>, range: &Range) -> Result<Vec<f64>> {
        let Some(node) = t.get(range.name) else { return Ok(Vec::new()) };
        if node.text().is_some() {
            let path = t.file(range.name)?.expect("it is there");
            let days = self.calendar.days as usize;
            return daily_table::read(&path, self.calendar.start, days, range)
                .map_err(|problem| t.error_at(range.name, problem));
        }
        let one = |n: &Node| match plain_number(n) {
            Some(x) => t.within(n, range, x).map(|()| x),
            None => Err(t.must_be(n, range.name, "a list of numbers, or a file of dates and numbers")),
        };
        match &node.value {
            Value::Array(items) => items.iter().map(one).collect(),
            _ => Err(t.must_be(node, range.name, "a list of numbers, or a file of dates and numbers")),
        }
    }

    fn trip(&self, t: &Table<'_>) -> Result<Trip> {
        let gate = |key: &'static str| -> Result<usize> {
            let names: Vec<&str> = self.gates.iter().map(|g| g.name.as_str()).collect();
            let Some(name) = t.text(key)? else {
                return Err(t.error(t.node, format!("`{}` needs `from` and `to`: names of gates", t.path)));
            };
            names.iter().position(|n| *n == name).ok_or_else(|| {
                let known = names.join(", ");
                let problem = format!(
                    "`{}` is `{name}`, no such gate{}Allowed: {known}",
                    t.field(key),
                    hint(name, &names)
                );
                t.error_at(key, problem)
            })
        };
        let (from, to) = (gate("from")?, gate("to")?);
        if from == to {
            return Err(t.error_at("to", format!("`{}` is where the trip begins", t.field("to"))));
        }
        let usual = || format!("{} to {}", self.gates[from].name, self.gates[to].name);
        let name = t.text("name")?.map_or_else(usual, String::from);
        let who = self.visitors(t)?;
        t.done()?;
        Ok(Trip { name, from, to, who })
    }

    fn route(&self, t: &Table<'_>, kind: &str, index: Option<usize>) -> Result<TrailRoute> {
        let name = t.text("name")?.map_or_else(
            || index.map_or_else(|| t.path.clone(), |i| format!("{kind} {}", i + 1)),
            String::from,
        );
        let mut places = t.points("waypoints", 2, 100_000)?;
        for key in ["route", "gpx", "file"] {
            if t.node.get(key).is_some_and(|n| n.text().is_some()) {
                places = Some(self.line(t, key)?);
            } else if let Some(line) = t.points(key, 2, 100_000)? {
                places = Some(line);
            }
        }
        let Some(waypoints) = places else {
            let problem = format!("`{}` needs `route`, a GPX file, or `waypoints`", t.path);
            return Err(t.error(t.node, problem));
        };
        let who = self.visitors(t)?;
        let mut route = TrailRoute { name, waypoints, lateral_sd: 0.2, who };
        t.fields(TrailRoute::FIELDS, &mut route)?;
        t.done()?;
        Ok(route)
    }

    /// A line from a GPX file, in the terrain's own coordinates.
    fn line(&self, t: &Table<'_>, key: &'static str) -> Result<Vec<[f64; 2]>> {
        let path = t.file(key)?.expect("it is there");
        let fail = |problem: String| t.error_at(key, format!("`{}`: {problem}", t.field(key)));
        let places = gpx::read(&path).map_err(fail)?;
        on_terrain(&places, self.terrain).map_err(|problem| fail(format!("{}: {problem}", path.display())))
    }

    fn area(&self, t: &Table<'_>, routes: &[TrailRoute]) -> Result<Area> {
        if let Some(name) = t.text("route")? {
            let index = routes.iter().position(|r| r.name == name);
            let names: Vec<&str> = routes.iter().map(|r| r.name.as_str()).collect();
            return index.map(Area::Route).ok_or_else(|| {
                let known = names.join(", ");
                t.error_at(
                    "route",
                    format!(
                        "`{}` is `{name}`, no such route{}Allowed: {known}",
                        t.field("route"),
                        hint(name, &names)
                    ),
                )
            });
        }
        if let Some(corners) = t.points("polygon", 3, 10_000)? {
            return Ok(Area::Polygon(corners));
        }
        if let Some(c) = t.points("rectangle", 2, 2)? {
            return Ok(Area::Polygon(vec![c[0], [c[1][0], c[0][1]], c[1], [c[0][0], c[1][1]]]));
        }
        if let Some(node) = t.get("disc") {
            let d = Table::new(node, t.field("disc"), self.source)?;
            let (centre, radius) = (d.pair("centre")?, d.number(&RADIUS)?);
            d.done()?;
            if let (Some(centre), Some(radius)) = (centre, radius) {
                return Ok(Area::Disc { centre, radius });
            }
        }
        let problem = format!("`{}` needs a `polygon`, a `rectangle`, a `disc` or a `route`", t.path);
        Err(t.error(t.node, problem))
    }

    fn closure(&self, t: &Table<'_>, routes: &[TrailRoute]) -> Result<Closure> {
        let day = |key: &'static str, usual: i64| -> Result<i64> {
            let Some(node) = t.get(key) else { return Ok(usual) };
            match (&node.value, date(node)) {
                (Value::Integer(day), _) => Ok((*day).clamp(0, 1_000_000) as i64),
                (_, Some(date)) => Ok(date.0 - self.calendar.start.0),
                _ => Err(t.must_be(node, key, "a date, as in 2026-04-01, or a day counted from 0")),
            }
        };
        let last = i64::from(self.calendar.days) - 1;
        let (from, to) = (day("from", 0)?, day("to", last)?);
        let area = self.area(t, routes)?;
        t.text("name")?;
        t.done()?;
        if to < from {
            return Err(t.error_at("to", format!("`{}` is before `from`", t.field("to"))));
        }
        Ok(Closure { from, to, area })
    }

    fn nature(&self, t: &Table<'_>, nature: &mut Nature) -> Result<()> {
        t.fields(Nature::FIELDS, nature)?;
        if let Some(days) = t.pair("growing")? {
            let node = t.node.get("growing").expect("read above");
            days.iter().try_for_each(|&day| t.within(node, &Nature::DAY, day))?;
            nature.growing = days;
        }
        nature.rain_by_day = self.by_day(t, &Nature::RAIN)?;
        t.done()
    }
}

/// Places on the earth in a terrain's own coordinates, x and z, m; refused where they lie outside.
///
/// # Errors
/// If the terrain has no place on the earth, or points lie outside: how many, and its extent.
pub fn on_terrain(places: &[[f64; 2]], terrain: &Terrain) -> std::result::Result<Vec<[f64; 2]>, String> {
    let Some(GeoPlace { epsg, corner }) = terrain.place else {
        return Err("the terrain does not say where it lies: give it a height map with a reference system, or a [terrain.place]".into());
    };
    let mut line = Vec::with_capacity(places.len());
    for &[longitude, latitude] in places {
        let [east, north] = geodesy::project(epsg, longitude, latitude)?;
        line.push([east - corner[0], corner[1] - north]);
    }
    let outside = line.iter().filter(|p| (0..2).any(|k| !(0.0..=terrain.size[k]).contains(&p[k]))).count();
    if outside > 0 {
        let [w, h] = terrain.size;
        let ends = |k: usize| {
            let all = line.iter().map(|p| if k == 0 { corner[0] + p[0] } else { corner[1] - p[1] });
            all.fold([f64::MAX, f64::MIN], |[low, high], x| [low.min(x), high.max(x)])
        };
        let ([west, east], [south, north]) = (ends(0), ends(1));
        return Err(format!(
            "{outside} of {} points lie outside the terrain: they are {west:.1} to {east:.1} E and {south:.1} to {north:.1} N, the terrain is {} to {} E and {} to {} N in EPSG:{epsg}",
            line.len(),
            corner[0],
            corner[0] + w,
            corner[1] - h,
            corner[1]
        ));
    }
    Ok(line)
}

/// A season as TOML.
pub(crate) fn to_toml(season: &Season, rows: &mut dyn FnMut(Rows<'_>) -> String) -> String {
    let mut out = String::new();
    let names = |i: usize| super::write::quoted(&season.gates[i].name);
    let quoted = super::write::quoted;
    let mut put = |text: String| out.push_str(&text);
    for gate in &season.gates {
        put(format!("\n[[gate]]\nname = {}\nplace = {:?} # m\n", quoted(&gate.name), gate.place));
        put(rows(Rows::Gate(gate)));
    }
    for trip in &season.trips {
        put(format!(
            "\n[[trip]]\nname = {}\nfrom = {}\nto = {}\n",
            quoted(&trip.name),
            names(trip.from),
            names(trip.to)
        ));
        put(rows(Rows::Who(&trip.who)) + &visitors(&trip.who));
    }
    for route in &season.routes {
        put(format!("\n[[route]]\nname = {}\nwaypoints = {:?} # m\n", quoted(&route.name), route.waypoints));
        put(rows(Rows::Route(route)));
        put(rows(Rows::Who(&route.who)) + &visitors(&route.who));
    }
    for o in &season.obstacles {
        let kind = if o.water { "water" } else { "building" };
        put(format!(
            "\n[[obstacle]]\nname = {}\nkind = \"{kind}\"\n{}",
            quoted(&o.name),
            area(&o.area, season)
        ));
    }
    let c = &season.calendar;
    put(format!("\n[calendar]\nstart = {}\n", c.start));
    put(rows(Rows::Calendar(c)));
    put(format!("open = {:?} # h\n", c.open));
    for closure in &c.closures {
        put(format!(
            "\n[[calendar.closures]]\nfrom = {}\nto = {}\n{}",
            closure.from,
            closure.to,
            area(&closure.area, season)
        ));
    }
    for walk in &c.boardwalks {
        put(format!("\n[[calendar.boardwalks]]\n{}", area(walk, season)));
    }
    put("\n[choice]\n".into());
    put(rows(Rows::Choice(&season.choice)));
    put("\n[nature]\n".into());
    put(rows(Rows::Nature(&season.nature)));
    put(format!("growing = {:?} # day of the year\n", season.nature.growing));
    if !season.nature.rain_by_day.is_empty() {
        put(format!("rain_by_day = {:?} # mm\n", season.nature.rain_by_day));
    }
    out
}

/// A thing with a table of numbers.
pub(crate) enum Rows<'a> {
    Gate(&'a Gate),
    Who(&'a Visitors),
    Route(&'a TrailRoute),
    Calendar(&'a Calendar),
    Choice(&'a Choice),
    Nature(&'a Nature),
}

fn visitors(who: &Visitors) -> String {
    let mut out = format!("body = {:?}\nfootwear = {:?}\n", who.body, who.footwear.name());
    if !who.visits.is_empty() {
        writeln!(out, "visits = {:?} # people by day", who.visits)
            .expect("writing to a string does not fail");
    }
    out
}

fn area(area: &Area, season: &Season) -> String {
    match area {
        Area::Polygon(corners) => format!("polygon = {corners:?} # m\n"),
        Area::Disc { centre, radius } => format!("disc = {{ centre = {centre:?}, radius = {radius:?} }}\n"),
        Area::Route(index) => format!("route = {}\n", super::write::quoted(&season.routes[*index].name)),
    }
}
