//! Playback of a season: days are computed one after the other while earlier ones are displayed; moving a gate or closing an area
//! restarts it from the first morning.
//!
//! With threads, one of them computes the days; in a browser each call of [`SeasonView::tick`] computes one.

use std::sync::Arc;
use trample::scene::{Area, Closure, Date, Scene};
use trample_season::day::Rules;
use trample_season::land::{land, trodden};
use trample_season::measure::overview;
use trample_season::{DayRow, Ground, Run, season_of};

/// Pixels along the longer side of the map: our choice, a trail of 0.4 m in a park of 100 m is two of them.
pub const MAP: usize = 480;
/// Live walkers that somebody meets who goes to look at a day.
const PEOPLE: usize = 6;
/// Days in a second at first.
const PACE: f64 = 6.0;

/// What is known of a day.
#[derive(Clone, Debug)]
pub struct Day {
    /// How trodden the map is in the evening, 0..255.
    pub wear: Vec<u8>,
    /// The ways that people chose, as corners, x and z, m.
    pub ways: Vec<Vec<[f64; 2]>>,
    /// What was counted.
    pub row: DayRow,
    /// Share of the plants' cover that is left.
    pub cover: f64,
    /// A live scene of the next morning: some of its people on the ways that they choose by the same cost field.
    pub live: Arc<Scene>,
}

/// What comes from the thread that makes the days.
#[cfg(not(target_arch = "wasm32"))]
enum Made {
    Rules(Arc<Rules>),
    Day(Box<Day>),
    Problem(String),
}

/// How the days are made: by a thread, or in place where there are none.
enum Maker {
    #[cfg(not(target_arch = "wasm32"))]
    Thread(std::sync::Mutex<std::sync::mpsc::Receiver<Made>>),
    /// One call after the other: whether it has been said that footprints are recorded, and the season once they are.
    #[cfg_attr(
        not(target_arch = "wasm32"),
        expect(dead_code, reason = "where there are threads one makes the days")
    )]
    Here { told: bool, run: Option<Box<Run>> },
}

/// A season that somebody looks at.
pub struct SeasonView {
    /// The scene, with gates and closures as they were moved.
    scene: Scene,
    /// The scene whose days are made.
    begun: Scene,
    land: Vec<[u8; 3]>,
    size: [usize; 2],
    days: Vec<Day>,
    rules: Option<Arc<Rules>>,
    maker: Maker,
    /// Where the time bar stands: days that are over.
    pub at: f64,
    /// Whether time goes on.
    pub playing: bool,
    /// Days in a second.
    pub pace: f64,
    /// What is wrong, in words.
    pub problem: Option<String>,
}

impl std::fmt::Debug for SeasonView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SeasonView of {}, day {} of {}", self.scene.name, self.days.len(), self.length())
    }
}

/// One day of a season.
fn next_day(run: &mut Run) -> Day {
    run.pass_day();
    let o = overview(&run.ground, MAP);
    let lines = run.lines();
    let ways =
        lines.iter().flatten().flat_map(|both| both[0].as_ref()).map(trample_season::people::Line::corners);
    let routes = run.season().routes.iter().map(|route| route.waypoints.clone());
    let ways = ways.chain(routes).collect();
    Day {
        wear: o.wear.iter().map(|w| (255.0 * w.clamp(0.0, 1.0)) as u8).collect(),
        ways,
        row: run.rows.last().cloned().unwrap_or_default(),
        cover: run.cover(),
        live: Arc::new(run.live(PEOPLE)),
    }
}

/// Footprints and plants are recorded where they are not known yet, and the first morning comes.
fn first_morning(scene: &Scene, rules: Option<Arc<Rules>>) -> Result<Run, String> {
    let made = match rules {
        Some(rules) => Run::with(scene, rules),
        None => Run::new(scene),
    };
    made.map_err(|e| e.to_string())
}

#[cfg(not(target_arch = "wasm32"))]
fn begin(scene: &Scene, rules: Option<Arc<Rules>>) -> Maker {
    let (to, from) = std::sync::mpsc::channel();
    let scene = scene.clone();
    // Ends by itself when nobody listens any more.
    std::thread::spawn(move || {
        let mut run = match first_morning(&scene, rules) {
            Ok(run) => run,
            Err(problem) => return drop(to.send(Made::Problem(problem))),
        };
        let mut heard = to.send(Made::Rules(Arc::clone(run.rules()))).is_ok();
        while heard && run.day < run.days() {
            heard = to.send(Made::Day(Box::new(next_day(&mut run)))).is_ok();
        }
    });
    Maker::Thread(std::sync::Mutex::new(from))
}

#[cfg(target_arch = "wasm32")]
fn begin(_: &Scene, _: Option<Arc<Rules>>) -> Maker {
    Maker::Here { told: false, run: None }
}

impl SeasonView {
    /// A season at its first morning; its days are made from now on.
    ///
    /// # Errors
    /// If the scene is no season.
    pub fn new(scene: &Scene) -> Result<Self, String> {
        season_of(scene).map_err(|e| e.to_string())?;
        let ground = Ground::new(scene);
        let size = overview(&ground, MAP).size;
        Ok(Self {
            land: land(&ground, size),
            size,
            days: Vec::new(),
            rules: None,
            maker: begin(scene, None),
            at: 0.0,
            playing: true,
            pace: PACE,
            problem: None,
            begun: scene.clone(),
            scene: scene.clone(),
        })
    }

    /// The scene as it is, with what was moved.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// How many days the season has.
    pub fn length(&self) -> usize {
        self.scene.season.as_ref().map_or(0, |s| s.calendar.days as usize)
    }

    /// How many days are known.
    pub fn known(&self) -> usize {
        self.days.len()
    }

    /// Whether footprints are still being recorded.
    pub fn is_recording(&self) -> bool {
        self.rules.is_none() && self.problem.is_none()
    }

    /// The day that the time bar shows; none in the first morning.
    pub fn shown(&self) -> Option<&Day> {
        self.days.get((self.at as usize).min(self.days.len()).checked_sub(1)?)
    }

    /// The date that the time bar shows.
    pub fn date(&self) -> Date {
        let start = self.scene.season.as_ref().map_or(Date(0), |s| s.calendar.start);
        Date(start.0 + self.at as i64)
    }

    /// Takes in what was made and goes on by `dt` seconds.
    pub fn tick(&mut self, dt: f64) {
        self.take();
        if self.playing {
            self.at = (self.at + dt * self.pace).min(self.days.len() as f64);
            self.playing = self.days.len() < self.length() || self.at < self.length() as f64;
        }
        self.at = self.at.clamp(0.0, self.days.len() as f64);
    }

    fn take(&mut self) {
        match &mut self.maker {
            #[cfg(not(target_arch = "wasm32"))]
            Maker::Thread(from) => {
                let from = from.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
                for made in from.try_iter() {
                    match made {
                        Made::Rules(rules) => self.rules = Some(rules),
                        Made::Day(day) => self.days.push(*day),
                        Made::Problem(problem) => self.problem = Some(problem),
                    }
                }
            }
            Maker::Here { told, run } => {
                // Recording takes seconds in which nothing is drawn: what happens must be on the screen before.
                if !std::mem::replace(told, true) || self.problem.is_some() {
                    return;
                }
                match run {
                    Some(run) if run.day < run.days() => self.days.push(next_day(run)),
                    Some(_) => {}
                    None => match first_morning(&self.begun, self.rules.clone()) {
                        Ok(first) => {
                            self.rules = Some(Arc::clone(first.rules()));
                            *run = Some(Box::new(first));
                        }
                        Err(problem) => self.problem = Some(problem),
                    },
                }
            }
        }
    }

    /// Pixels of the map along x and z.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// The map of the day that the time bar shows, three bytes a pixel, row by row along x.
    pub fn map(&self) -> Vec<u8> {
        let wear = self.shown().map(|day| &day.wear);
        let at = |i: usize| wear.and_then(|w| w.get(i)).map_or(0.0, |w| f32::from(*w) / 255.0);
        self.land.iter().enumerate().flat_map(|(i, colour)| trodden(*colour, at(i))).collect()
    }

    /// Where some people are who walk the ways of the day that is shown, `seconds` after some moment: x and z, m.
    pub fn walkers(&self, seconds: f64) -> Vec<[f64; 2]> {
        let Some(day) = self.shown() else { return Vec::new() };
        let mut all = Vec::new();
        for (i, way) in day.ways.iter().enumerate().take(24) {
            let lengths: Vec<f64> =
                way.windows(2).map(|w| libm::hypot(w[1][0] - w[0][0], w[1][1] - w[0][1])).collect();
            let whole: f64 = lengths.iter().sum();
            if whole < 1.0 {
                continue;
            }
            // A dozen times as fast as people walk, and not all at once: our choice, to be seen.
            let mut left = (15.0 * seconds + whole * 0.37 * (i as f64 + 1.0)) % whole;
            for (pair, length) in way.windows(2).zip(&lengths) {
                if left <= *length {
                    let t = left / length.max(1e-9);
                    all.push([0, 1].map(|k| pair[0][k] + t * (pair[1][k] - pair[0][k])));
                    break;
                }
                left -= length;
            }
        }
        all
    }

    /// Moves a gate, without beginning anew yet.
    pub fn move_gate(&mut self, gate: usize, to: [f64; 2]) {
        let size = self.scene.terrain.size;
        if let Some(gate) = self.scene.season.as_mut().and_then(|s| s.gates.get_mut(gate)) {
            gate.place = [0, 1].map(|k| to[k].clamp(0.5, (size[k] - 0.5).max(0.5)));
        }
    }

    /// Closes what lies inside a line from the day that is shown to the last.
    pub fn close(&mut self, corners: Vec<[f64; 2]>) {
        let (from, to) = (self.at as i64, self.length() as i64 - 1);
        if let Some(season) = self.scene.season.as_mut().filter(|_| corners.len() > 2 && from <= to) {
            season.calendar.closures.push(Closure { from, to, area: Area::Polygon(corners) });
        }
    }

    /// Opens everything again.
    pub fn reopen(&mut self) {
        if let Some(season) = self.scene.season.as_mut() {
            season.calendar.closures.clear();
        }
    }

    /// Whether gates or closures are others than those whose days are made.
    pub fn is_changed(&self) -> bool {
        self.scene != self.begun
    }

    /// Begins anew from the first morning with what was moved; the scene's own words if it cannot, and everything as it was then.
    /// The time bar stays on a day that what was closed now does not reach back before.
    ///
    /// # Errors
    /// If a gate lies where nobody can walk.
    pub fn restart(&mut self) -> Result<(), String> {
        if let Err(problem) = self.scene.check() {
            self.scene = self.begun.clone();
            return Err(problem.to_string());
        }
        self.begun = self.scene.clone();
        self.days.clear();
        self.problem = None;
        // What feet and plants do does not depend on where the gates are.
        self.maker = begin(&self.begun, self.rules.clone());
        (self.at, self.playing) = (0.0, true);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start;

    fn view(days: u32) -> SeasonView {
        let mut source = start::find("triangle").expect("a scene");
        source.settings = vec![format!("days={days}")];
        SeasonView::new(&source.scene().expect("scene")).expect("a season")
    }

    fn wait(view: &mut SeasonView) {
        for _ in 0..3000 {
            view.tick(0.1);
            assert_eq!(view.problem, None);
            if view.known() == view.length() && !view.playing {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        panic!("{view:?} after a minute");
    }

    fn trodden_pixels(view: &SeasonView) -> usize {
        view.shown().map_or(0, |d| d.wear.iter().filter(|w| **w > 12).count())
    }

    #[test]
    fn trails_appear_day_by_day_and_gates_and_closures_move_them() {
        let mut view = view(4);
        assert!(view.is_recording() && view.shown().is_none());
        assert_eq!(view.map().len(), 3 * view.size()[0] * view.size()[1]);
        let bare = view.map();
        wait(&mut view);
        assert_eq!((view.at, view.known()), (4.0, 4));
        let all = trodden_pixels(&view);
        view.at = 1.0;
        let first = trodden_pixels(&view);
        assert!(first > 50 && all > first, "{first} pixels trodden on the first day, {all} in the end");
        assert_ne!(view.map(), bare);
        let day = view.shown().expect("a day").clone();
        assert!(
            day.row.walks > 20 && day.ways.len() >= 3 && day.live.puppets.len() == PEOPLE,
            "{:?}",
            day.row
        );
        day.live.check().expect("a live scene");
        let [early, late] = [view.walkers(0.0), view.walkers(0.3)];
        assert!(early.len() >= 3 && early.iter().zip(&late).all(|(a, b)| a != b), "people move");
        // A wall across the way from A to B: fewer pixels inside it are trodden after it was closed.
        let inside = |p: [f64; 2]| (17.0..23.0).contains(&p[0]) && (18.0..24.0).contains(&p[1]);
        view.close(vec![[17.0, 18.0], [23.0, 18.0], [23.0, 24.0], [17.0, 24.0]]);
        view.move_gate(0, [10.0, 4.0]);
        assert!(view.is_changed());
        view.restart().expect("begins anew");
        wait(&mut view);
        let ways = &view.shown().expect("a day").ways;
        assert!(ways.iter().flatten().all(|p| !inside(*p)), "closed ground is not walked on");
        assert!(
            ways.iter().any(|w| (w[0][0] - 10.0).abs() < 1.5 && (w[0][1] - 4.0).abs() < 1.5),
            "from where the gate is now"
        );
        view.reopen();
        assert!(view.scene().season.as_ref().is_some_and(|s| s.calendar.closures.is_empty()));
    }

    #[test]
    fn a_gate_in_a_pond_is_refused_and_stays_where_it_was() {
        let scene = start::find("park").and_then(|s| s.scene()).expect("scene");
        let mut view = SeasonView::new(&scene).expect("a season");
        view.move_gate(0, [52.0, 37.0]);
        assert!(view.restart().is_err());
        assert_eq!(view.scene(), &scene);
        assert!(SeasonView::new(&start::stroll()).is_err(), "no season");
    }
}
