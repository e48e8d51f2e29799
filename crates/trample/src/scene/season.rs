//! A season in a scene: trips and routes of people, calendar, path choice, and recovery between
//! walkers. A plain description; `trample-season` simulates it.
//!
//! Sources: C19 = Campbell et al. 2019 (speed over slope, deciles), C17 = Campbell et al. 2017 (speed over slope and vegetation),
//! Webb 2002 (loosening of compacted soil), Cole 1995 (regrowth, see `docs/trails.md`).

use crate::params::field::{Field, Range, field};
use crate::params::{Body, Footwear};

/// Description of a season, in addition to ground and plants.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Season {
    /// Gates where people enter and leave.
    pub gates: Vec<Gate>,
    /// Trips between gates on freely chosen paths.
    pub trips: Vec<Trip>,
    /// Routes along given lines.
    pub routes: Vec<TrailRoute>,
    /// Obstacles.
    pub obstacles: Vec<Obstacle>,
    /// Days, hours, closures, boardwalks.
    pub calendar: Calendar,
    /// Parameters of path choice.
    pub choice: Choice,
    /// Regrowth, rain and recovery of the ground.
    pub nature: Nature,
}

/// A place where people enter and leave.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Gate {
    /// Its name, for trips.
    pub name: String,
    /// Position, x and z, m.
    pub place: [f64; 2],
    /// Radius in which people start, m.
    pub radius: f64,
}

impl Gate {
    /// Its numbers.
    pub const FIELDS: &[Field<Self>] =
        &[field!(Range::new("radius", "m", 0.0, 100.0, "radius in which people start"), radius)];
}

/// Number and kind of visitors.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Visitors {
    /// Mean number of people per day; daily numbers are Poisson distributed.
    pub people_per_day: f64,
    /// Daily counts from the first day on, instead of random numbers; empty if there are none.
    pub visits: Vec<f64>,
    /// Whether they return along the same path.
    pub back: bool,
    /// Speed on firm level ground, m/s.
    pub speed: f64,
    /// Name of a built-in body.
    pub body: String,
    /// Mass with clothes and load, kg.
    pub mass: f64,
    /// Footwear.
    pub footwear: Footwear,
}

impl Default for Visitors {
    fn default() -> Self {
        Self {
            people_per_day: 20.0,
            visits: Vec::new(),
            back: false,
            speed: 1.3,
            body: "default".into(),
            mass: Body::default().mass,
            footwear: Footwear::Shoe,
        }
    }
}

impl Visitors {
    /// Its numbers.
    #[rustfmt::skip]
    pub const FIELDS: &[Field<Self>] = &[
        field!(Range::new("people_per_day", "1/d", 0.0, 1e6, "mean number of people per day"), people_per_day),
        field!(Range::new("back", "", 0.0, 1.0, "whether they return on the same path"), switch back),
        field!(Range::new("speed", "m/s", 0.3, 2.1, "speed on firm level ground"), speed),
        field!(Range::new("mass", "kg", 10.0, 250.0, "mass with clothes and load"), mass),
    ];
    /// Counted people of one day.
    pub const COUNT: Range = Range::new("visits", "1/d", 0.0, 1e6, "people counted on a day");

    /// The body that walks.
    pub fn walker(&self) -> Body {
        Body { mass: self.mass, ..Body::by_name(&self.body).unwrap_or_default() }
    }
}

/// A trip from gate to gate.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Trip {
    /// Its name in tables.
    pub name: String,
    /// Index of the start gate, from 0.
    pub from: usize,
    /// Index of the end gate.
    pub to: usize,
    /// Visitors.
    pub who: Visitors,
}

/// A line that people follow.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TrailRoute {
    /// Its name in tables.
    pub name: String,
    /// Corners, x and z, m; at least two.
    pub waypoints: Vec<[f64; 2]>,
    /// Standard deviation of a walker's sideways offset, m.
    pub lateral_sd: f64,
    /// Visitors.
    pub who: Visitors,
}

impl TrailRoute {
    /// Its own numbers.
    pub const FIELDS: &[Field<Self>] = &[field!(
        Range::new("lateral_sd", "m", 0.0, 5.0, "lateral scatter of walkers (standard deviation)"),
        lateral_sd
    )];
}

/// A part of the map.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Area {
    /// Inside a line that returns to its beginning, x and z, m.
    Polygon(Vec<[f64; 2]>),
    /// Around a point.
    Disc {
        /// Middle, x and z, m.
        centre: [f64; 2],
        /// Radius, m.
        radius: f64,
    },
    /// Along a route, by its index in the list.
    Route(usize),
}

impl Area {
    /// How far from a closed route the closure reaches, m: our choice, a trail's width.
    pub const BESIDE: f64 = 1.5;

    /// Whether (x, z) lies in it.
    pub fn contains(&self, x: f64, z: f64, routes: &[TrailRoute]) -> bool {
        match self {
            Self::Polygon(corners) => {
                let mut inside = false;
                for (a, b) in corners.iter().zip(corners.iter().cycle().skip(1)) {
                    let crosses = (a[1] > z) != (b[1] > z);
                    if crosses && x < a[0] + (z - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) {
                        inside = !inside;
                    }
                }
                inside
            }
            Self::Disc { centre, radius } => {
                let (dx, dz) = (x - centre[0], z - centre[1]);
                dx * dx + dz * dz < radius * radius
            }
            Self::Route(index) => routes.get(*index).is_some_and(|route| {
                route.waypoints.windows(2).any(|w| distance_to(w[0], w[1], [x, z]) < Self::BESIDE)
            }),
        }
    }

    /// The corners of a box around it, x and z, m.
    pub fn bounds(&self, routes: &[TrailRoute]) -> [[f64; 2]; 2] {
        let around = |points: &[[f64; 2]], by: f64| {
            let mut b = [[f64::MAX; 2], [f64::MIN; 2]];
            for p in points {
                for k in 0..2 {
                    b[0][k] = b[0][k].min(p[k] - by);
                    b[1][k] = b[1][k].max(p[k] + by);
                }
            }
            b
        };
        match self {
            Self::Polygon(corners) => around(corners, 0.0),
            Self::Disc { centre, radius } => around(&[*centre], *radius),
            Self::Route(index) => {
                routes.get(*index).map_or([[0.0; 2]; 2], |r| around(&r.waypoints, Self::BESIDE))
            }
        }
    }
}

/// Distance of a place from a straight line between two, m.
fn distance_to(a: [f64; 2], b: [f64; 2], p: [f64; 2]) -> f64 {
    let (dx, dz) = (b[0] - a[0], b[1] - a[1]);
    let length = dx * dx + dz * dz;
    let t = if length > 0.0 { ((p[0] - a[0]) * dx + (p[1] - a[1]) * dz) / length } else { 0.0 };
    let t = t.clamp(0.0, 1.0);
    let (ex, ez) = (p[0] - a[0] - t * dx, p[1] - a[1] - t * dz);
    (ex * ex + ez * ez).sqrt()
}

/// Where nobody can walk.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Obstacle {
    /// Its name, for messages.
    pub name: String,
    /// Whether it is water; else a building or a fence.
    pub water: bool,
    /// Its area.
    pub area: Area,
}

/// A part of the map that is closed for some days.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Closure {
    /// First day closed, counted from 0.
    pub from: i64,
    /// Last day closed.
    pub to: i64,
    /// The closed area.
    pub area: Area,
}

/// Days and hours of a season.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Calendar {
    /// The first day.
    pub start: Date,
    /// Number of days.
    pub days: u32,
    /// Hours at which it opens and closes.
    pub open: [f64; 2],
    /// Closures.
    pub closures: Vec<Closure>,
    /// Boardwalks: areas that are not pressed and as easy to walk as a trail.
    pub boardwalks: Vec<Area>,
}

impl Default for Calendar {
    fn default() -> Self {
        let start = Date::from_civil(2026, 4, 1);
        Self { start, days: 90, open: [6.0, 22.0], closures: Vec::new(), boardwalks: Vec::new() }
    }
}

impl Calendar {
    /// Its numbers.
    pub const FIELDS: &[Field<Self>] =
        &[field!(Range::new("days", "d", 1.0, 36_525.0, "number of days"), count days)];
    /// Each hour of `open`.
    pub const HOUR: Range = Range::new("open", "h", 0.0, 24.0, "hour of opening and of closing");

    /// Whether an area is closed on a day.
    pub fn closed(&self, day: i64) -> impl Iterator<Item = &Area> {
        self.closures.iter().filter(move |c| (c.from..=c.to).contains(&day)).map(|c| &c.area)
    }
}

/// A day of the calendar, counted from 1 January 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Date(pub i64);

impl Date {
    /// A day of the Gregorian calendar.
    pub fn from_civil(year: i64, month: u32, day: u32) -> Self {
        // Years begin in March here, so that a leap day comes last; eras of 400 years.
        let year = if month <= 2 { year - 1 } else { year };
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let of_year = i64::from((153 * ((month + 9) % 12) + 2) / 5 + day - 1);
        Self(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
    }

    /// Year, month and day.
    pub fn civil(self) -> (i64, u32, u32) {
        let z = self.0 + 719_468;
        let era = z.div_euclid(146_097);
        let day = z.rem_euclid(146_097);
        let of_era = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let of_year = day - (365 * of_era + of_era / 4 - of_era / 100);
        let month = (5 * of_year + 2) / 153;
        let date = (of_year - (153 * month + 2) / 5 + 1) as u32;
        let month = ((month + 2) % 12 + 1) as u32;
        (of_era + era * 400 + i64::from(month <= 2), month, date)
    }

    /// Parses `2026-04-01`; `None` if it is not a valid date.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().splitn(3, '-').map(|p| p.parse::<i64>().ok());
        let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
        let plain = (0..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
        let date = plain.then(|| Self::from_civil(year, month as u32, day as u32))?;
        (date.civil() == (year, month as u32, day as u32)).then_some(date)
    }

    /// Day of its year, 0 to 365.
    pub fn of_year(self) -> i64 {
        self.0 - Self::from_civil(self.civil().0, 1, 1).0
    }
}

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (year, month, day) = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

/// Parameters of path choice.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Choice {
    /// Visibility of wear: 1 as it is, 0 for invisible.
    pub wear: f64,
    /// Value of a clear trail beyond the time it saves, as a share of the cost.
    pub comfort: f64,
    /// Range at which trails attract people, m: the standard deviation of a Gaussian.
    pub sight: f64,
    /// Standard deviation of perceived costs, as a share.
    pub noise: f64,
    /// Side of a cell of the cost field, m.
    pub cost_cell: f64,
    /// Decile of speeds over slope, 10 to 90 (C19); 0 for Tobler's function. Decile 10 walks 1.3 m/s on level ground; the
    /// median of the tracks is a jog.
    pub decile: f64,
    /// Vegetation density of C17 under complete cover: plants 0.15 to 2 m high.
    pub growth: f64,
    /// Roughness of untrodden ground, m (C17).
    pub roughness: f64,
    /// Change of the ground, as a share, after which paths are computed again.
    pub renew: f64,
    /// Weight of the gradient of visible trails relative to the direction of the gate (H97); 0: the cost field only.
    pub gradient: f64,
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            wear: 1.0,
            comfort: 0.35,
            sight: 4.0,
            noise: 0.2,
            cost_cell: 0.5,
            decile: 10.0,
            growth: 0.25,
            roughness: 0.03,
            renew: 0.05,
            gradient: 0.0,
        }
    }
}

impl Choice {
    /// Its numbers.
    #[rustfmt::skip]
    pub const FIELDS: &[Field<Self>] = &[
        field!(Range::new("wear", "", 0.0, 2.0, "visibility of wear to people; 0: invisible"), wear),
        field!(Range::new("comfort", "", 0.0, 0.9, "value of a clear trail beyond the time it saves, as a share"), comfort),
        field!(Range::new("sight", "m", 0.0, 50.0, "range at which trails attract people"), sight),
        field!(Range::new("noise", "", 0.0, 1.0, "scatter of perceived costs, as a share"), noise),
        field!(Range::new("cost_cell", "m", 0.1, 20.0, "side of a cell of the cost field"), cost_cell),
        field!(Range::new("decile", "%", 0.0, 90.0, "decile of walkers' speeds over slope; 0: Tobler's function").of("Campbell 2019"), decile),
        field!(Range::new("growth", "", 0.0, 1.0, "density of vegetation under complete cover").of("Campbell 2017"), growth),
        field!(Range::new("roughness", "m", 0.0, 0.1, "roughness of untrodden ground").of("Campbell 2017"), roughness),
        field!(Range::new("renew", "", 0.0, 1.0, "change of the ground after which paths are computed again, as a share"), renew),
        field!(Range::new("gradient", "", 0.0, 100.0, "weight of the gradient of visible trails relative to the direction of the gate; 0: cost fields only").of("Helbing 1997"), gradient),
    ];
}

/// Regrowth, rain and recovery of the ground.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Nature {
    /// Logistic rate of regrowth in the growing season, 1/yr.
    pub regrowth: f64,
    /// Share of complete cover that sprouts on bare ground per year.
    pub colonisation: f64,
    /// First and last day of the growing season.
    pub growing: [f64; 2],
    /// Rain per year if there is no table, mm.
    pub rain: f64,
    /// Share of days with rain.
    pub wet_days: f64,
    /// Daily rain from the first day on, mm; empty for random rain.
    pub rain_by_day: Vec<f64>,
    /// Depth of loose or bare material that 1 mm of rain carries over a cell's edge at a slope of 1, m.
    pub wash: f64,
    /// Years for compaction to recover.
    pub loosening: f64,
    /// Compaction that one winter's frost undoes, in factors of ten of footfalls, spread over the days without growth.
    pub frost: f64,
}

impl Default for Nature {
    fn default() -> Self {
        Self {
            regrowth: 1.0,
            colonisation: 0.05,
            growing: [90.0, 290.0],
            rain: 700.0,
            wet_days: 0.35,
            rain_by_day: Vec::new(),
            wash: 2e-5,
            loosening: 30.0,
            frost: 0.0,
        }
    }
}

impl Nature {
    /// Its numbers.
    #[rustfmt::skip]
    pub const FIELDS: &[Field<Self>] = &[
        field!(Range::new("regrowth", "1/yr", 0.0, 50.0, "logistic rate of regrowth").of("Cole 1995: 1.05"), regrowth),
        field!(Range::new("colonisation", "1/yr", 0.0, 10.0, "share of complete cover that sprouts on bare ground per year"), colonisation),
        field!(Range::new("yearly_rain", "mm/yr", 0.0, 20_000.0, "rain per year if there is no table"), rain),
        field!(Range::new("wet_days", "", 0.01, 1.0, "share of days with rain"), wet_days),
        field!(Range::new("wash", "m/mm", 0.0, 1e-2, "depth of bare ground eroded by 1 mm of rain at a slope of 1"), wash),
        field!(Range::new("loosening", "yr", 0.5, 1e6, "years for compaction to recover").of("Webb 2002: 92 to 100 in deserts"), loosening),
        field!(Range::new("frost", "1/yr", 0.0, 5.0, "compaction that a winter's frost undoes, in factors of ten of footfalls").of("Webb 1986: faster where it freezes"), frost),
    ];
    /// First and last day of `growing`.
    pub const DAY: Range = Range::new("growing", "d", 0.0, 366.0, "day of the year");
    /// Rain of one day.
    pub const RAIN: Range = Range::new("rain_by_day", "mm", 0.0, 2000.0, "rain of a day");

    /// Days of a year on which nothing grows.
    pub fn winter(&self) -> f64 {
        let [from, to] = self.growing;
        let grows = if from <= to { to - from + 1.0 } else { 366.25 - (from - to) };
        (365.25 - grows).max(1.0)
    }

    /// Whether plants grow on a day.
    pub fn grows(&self, date: Date) -> bool {
        let day = date.of_year() as f64;
        let [from, to] = self.growing;
        if from <= to { (from..=to).contains(&day) } else { day >= from || day <= to }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_count_days() {
        assert_eq!(Date::from_civil(1970, 1, 1), Date(0));
        assert_eq!(Date::parse("2026-04-01").map(|d| (d.0, d.of_year())), Some((20_544, 90)));
        for day in [-1, 0, 58, 59, 60, 11_016, 20_544, 1_000_000] {
            let (y, m, d) = Date(day).civil();
            assert_eq!(Date::from_civil(y, m, d), Date(day), "{}", Date(day));
        }
        assert_eq!(Date::parse("2026-02-29"), None);
        assert_eq!(Date::parse("soon"), None);
    }

    #[test]
    fn a_place_is_inside_a_polygon_or_beside_it() {
        let square = Area::Polygon(vec![[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]);
        assert!(square.contains(1.0, 1.0, &[]) && !square.contains(3.0, 1.0, &[]));
        let route = TrailRoute {
            name: "r".into(),
            waypoints: vec![[0.0, 0.0], [10.0, 0.0]],
            lateral_sd: 0.0,
            who: Visitors::default(),
        };
        let along = Area::Route(0);
        assert!(
            along.contains(5.0, 1.0, std::slice::from_ref(&route)) && !along.contains(5.0, 2.0, &[route])
        );
    }
}
