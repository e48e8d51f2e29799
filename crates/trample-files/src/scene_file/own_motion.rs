//! Characters and motion that a scene's walkers bring along, each file read once.

use super::node::{Node, Value};
use super::table::{Result, Table};
use crate::character::{self, Chosen, Loaded, MapOptions};
use crate::{inputs, memory};
use std::path::PathBuf;
use std::sync::Arc;
use trample::body::{FootShape, Skeleton};
use trample::imported::Recorded;
use trample::params::Body;
use trample::scene::SoleShape;

/// Most motion files of a walker.
const MOST_FILES: usize = 64;
/// The entry of a list of motions that mixes in all generated motion.
const GENERATED: &str = "generated";

/// The motions of a walker.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Files {
    /// Files, and which take of each, if that is said.
    list: Vec<(PathBuf, Option<String>)>,
    /// Whether all generated motion is mixed in.
    with_generated: bool,
    /// Whether generated motion fills in what they lack.
    fill: bool,
}

/// What has been read so far: walkers share files, and walkers of one body the motion on it.
#[derive(Default)]
pub(crate) struct Shelf {
    read: Vec<(PathBuf, Option<f64>, Arc<Loaded>)>,
    made: Vec<(Files, Body, FootShape, Arc<Recorded>)>,
    /// The character that was asked for last.
    pub(crate) asked: Option<Arc<Loaded>>,
    /// What is likely not what it was taken for.
    pub(crate) doubts: Vec<String>,
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
        // Joints, numbers and skin take about as much as the file twice over.
        let length = memory::facts(&path).map_or(0, |facts| facts.len);
        inputs::hold(2 * length).map_err(|e| p.error(node, format!("`{}`: {e}", p.field(key))))?;
        let options = MapOptions { map_file: None, mass };
        let loaded = character::load(&path, &options)
            .map_err(|e| p.error(node, format!("`{}`: {e}", p.field(key))))?;
        let loaded = Arc::new(loaded);
        self.read.push((path, mass, Arc::clone(&loaded)));
        Ok(loaded)
    }

    /// Notes a body that is likely not what it was taken for, unless the walker says `force = true`.
    fn note(&mut self, p: &Table<'_>, loaded: &Loaded) {
        let forced = p.node.get("force").is_some_and(|node| matches!(node.value, Value::Bool(true)));
        if let Some(doubt) = loaded.doubt().filter(|d| !forced && !self.doubts.contains(d)) {
            self.doubts.push(doubt);
        }
    }

    /// The file that `character` names.
    pub(crate) fn character(&mut self, p: &Table<'_>, mass: Option<f64>) -> Result<Option<Arc<Loaded>>> {
        let Some(path) = p.file("character")? else { return Ok(None) };
        let node = p.node.get("character").unwrap_or(p.node);
        let loaded = self.load(p, node, "character", path, mass)?;
        if let Some(problem) = loaded.problem() {
            return Err(p.error(node, format!("`{}`: {problem}", p.field("character"))));
        }
        self.note(p, &loaded);
        self.asked = Some(Arc::clone(&loaded));
        Ok(Some(loaded))
    }

    /// The list of motions, if `motion` is a list and not a word.
    pub(crate) fn files(&mut self, p: &Table<'_>) -> Result<Option<Files>> {
        let Some(node) = p.get("motion") else { return Ok(None) };
        let Value::Array(items) = &node.value else { return Ok(None) };
        let what = format!(
            "a word, or a list of 1 to {MOST_FILES} motion files, or tables with `file` and `take`, of which one may be \"{GENERATED}\""
        );
        if items.is_empty() || items.len() > MOST_FILES {
            return Err(p.must_be(node, "motion", &what));
        }
        let mut files = Files { fill: p.flag("fill")?.unwrap_or(true), ..Files::default() };
        let takes: Vec<Option<&str>> = match p.get("take") {
            None => vec![None],
            Some(node) if node.text().is_some() => vec![node.text()],
            Some(node) => {
                let names: Option<Vec<&str>> = node.items().iter().map(Node::text).collect();
                let names = names.filter(|n| !n.is_empty() && n.len() <= MOST_FILES);
                let names =
                    names.ok_or_else(|| p.must_be(node, "take", "the name of a take, or a list of names"))?;
                names.into_iter().map(Some).collect()
            }
        };
        for item in items {
            match item.text() {
                Some(GENERATED) => files.with_generated = true,
                Some(name) => {
                    let path = p.path_of(item, "motion", name)?;
                    files.list.extend(takes.iter().map(|take| (path.clone(), take.map(String::from))));
                }
                // A table says of one file which take.
                None if matches!(item.value, Value::Table(_)) => {
                    let one = Table::new(item, p.field("motion"), p.source)?;
                    let path = one
                        .file("file")?
                        .ok_or_else(|| one.error(item, format!("`{}` needs a `file`", one.path)))?;
                    let take = one.text("take")?.map(String::from);
                    one.done()?;
                    files.list.push((path, take));
                }
                None => return Err(p.must_be(item, "motion", &what)),
            }
        }
        Ok(Some(files))
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
        if files.list.is_empty() {
            return Ok(None);
        }
        let foot = FootShape::on(body, &sole.on(body));
        if let Some((.., made)) = self.made.iter().find(|m| m.0 == *files && m.1 == *body && m.2 == foot) {
            return Ok(Some(Arc::clone(made)));
        }
        let skeleton = Skeleton::on_soles(body, foot);
        let mut all: Vec<Chosen> = Vec::new();
        for (path, take) in &files.list {
            let loaded = self.load(p, node, "motion", path.clone(), None)?;
            self.note(p, &loaded);
            all.push(loaded.chosen(&skeleton, take.as_deref()).map_err(&fail)?);
        }
        let recorded = character::recorded(all, files.with_generated, files.fill);
        if let Some(problem) = recorded.problem() {
            return Err(fail(problem));
        }
        let recorded = Arc::new(recorded);
        self.made.push((files.clone(), *body, foot, Arc::clone(&recorded)));
        Ok(Some(recorded))
    }
}
