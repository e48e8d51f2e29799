//! Characters and motion that a scene's walkers bring along, each file read once.

use super::node::{Node, Value};
use super::table::{Result, Table};
use crate::character::{self, Loaded, MapOptions};
use std::path::PathBuf;
use std::sync::Arc;
use trample::motion::recorded::{MOST_FRAMES, with_mirrored};
use trample::motion::skeleton::FootShape;
use trample::motion::{Recorded, Skeleton};
use trample::params::Body;
use trample::scene::SoleShape;

/// Most motion files of a walker.
const MOST_FILES: usize = 64;
/// The entry of a list of motions that mixes in all generated motion.
const GENERATED: &str = "generated";

/// The files of a list and whether all generated motion is mixed in.
pub(crate) type Files = (Vec<PathBuf>, bool);

/// What has been read so far: walkers share files, and walkers of one body the motion on it.
#[derive(Default)]
pub(crate) struct Shelf {
    read: Vec<(PathBuf, Option<f64>, Arc<Loaded>)>,
    made: Vec<(Files, Body, FootShape, Arc<Recorded>)>,
    /// The character that was asked for last.
    pub(crate) asked: Option<Arc<Loaded>>,
}

impl Shelf {
    fn load(
        &mut self,
        p: &Table<'_>,
        node: &Node,
        key: &str,
        path: PathBuf,
        mass: Option<f64>,
    ) -> Result<Arc<Loaded>> {
        if let Some((.., loaded)) = self.read.iter().find(|(known, m, _)| *known == path && *m == mass) {
            return Ok(Arc::clone(loaded));
        }
        let options = MapOptions { map_file: None, mass };
        let loaded = character::load(&path, &options)
            .map_err(|e| p.error(node, format!("`{}`: {e}", p.field(key))))?;
        let loaded = Arc::new(loaded);
        self.read.push((path, mass, Arc::clone(&loaded)));
        Ok(loaded)
    }

    /// The file that `character` names.
    pub(crate) fn character(&mut self, p: &Table<'_>, mass: Option<f64>) -> Result<Option<Arc<Loaded>>> {
        let Some(path) = p.file("character")? else { return Ok(None) };
        let node = p.node.get("character").unwrap_or(p.node);
        let loaded = self.load(p, node, "character", path, mass)?;
        let fail = |problem: String| p.error(node, format!("`{}`: {problem}", p.field("character")));
        if let Some((body, bad)) = loaded.body().and_then(|body| Some((body, body.out_of_range()?))) {
            let value = body.field(bad.field).unwrap_or(f64::NAN);
            return Err(fail(format!(
                "{}: its {} is {value:.3}, allowed: {}; a map file beside it can say its unit and mass",
                loaded.path.display(),
                bad.field,
                bad.allowed()
            )));
        }
        self.asked = Some(Arc::clone(&loaded));
        Ok(Some(loaded))
    }

    /// The list of motions, if `motion` is a list and not a word.
    pub(crate) fn files(&mut self, p: &Table<'_>) -> Result<Option<Files>> {
        let Some(node) = p.get("motion") else { return Ok(None) };
        let Value::Array(items) = &node.value else { return Ok(None) };
        let what = format!(
            "a word, or a list of 1 to {MOST_FILES} motion files, of which one may be \"{GENERATED}\""
        );
        if items.is_empty() || items.len() > MOST_FILES {
            return Err(p.must_be(node, "motion", &what));
        }
        let (mut files, mut with_generated) = (Vec::new(), false);
        for item in items {
            match item.text() {
                Some(GENERATED) => with_generated = true,
                Some(name) => files.push(p.path_of(item, "motion", name)?),
                None => return Err(p.must_be(item, "motion", &what)),
            }
        }
        Ok(Some((files, with_generated)))
    }

    /// The motion of these files on a body and its soles.
    pub(crate) fn recorded(
        &mut self,
        p: &Table<'_>,
        files: &Files,
        body: &Body,
        sole: &SoleShape,
    ) -> Result<Option<Arc<Recorded>>> {
        let node = p.node.get("motion").unwrap_or(p.node);
        let fail = |problem: String| p.error(node, format!("`{}`: {problem}", p.field("motion")));
        // A list of nothing but generated motion is what there is without a list.
        if files.0.is_empty() {
            return Ok(None);
        }
        let foot = match sole {
            SoleShape::Footwear(wear) => FootShape::on(body, &wear.sole(body.foot_length, body.foot_width)),
            SoleShape::Custom(sole) => FootShape::on(body, sole),
        };
        if let Some((.., made)) = self.made.iter().find(|m| m.0 == *files && m.1 == *body && m.2 == foot) {
            return Ok(Some(Arc::clone(made)));
        }
        let skeleton = Skeleton::on_soles(body, foot);
        let mut clips = Vec::new();
        for path in &files.0 {
            let loaded = self.load(p, node, "motion", path.clone(), None)?;
            let Some(upright) = loaded.upright() else {
                return Err(fail(format!("{}: four-footed; a walker has two legs", path.display())));
            };
            let seconds: f64 = upright.takes.iter().map(|t| t.seconds).sum();
            if seconds * trample::motion::clip::RATE > MOST_FRAMES as f64 {
                return Err(fail(format!("{}: {seconds:.0} s, allowed: 3600 s", path.display())));
            }
            let own = loaded.clips_for(&skeleton);
            if own.is_empty() {
                return Err(fail(format!("{}: no motion in it", path.display())));
            }
            clips.extend(own);
        }
        let recorded = Recorded { clips: with_mirrored(clips), with_generated: files.1 };
        if let Some(problem) = recorded.problem() {
            return Err(fail(problem));
        }
        let recorded = Arc::new(recorded);
        self.made.push((files.clone(), *body, foot, Arc::clone(&recorded)));
        Ok(Some(recorded))
    }
}
