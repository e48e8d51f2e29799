//! Seasons in units of work, as `trample unit` has them: planned, run one by one anywhere, put together.

use crate::scene_error;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trample_season::unit::Plan;

/// A season in units. As text it is the plan that `trample unit` reads and writes.
#[pyclass(module = "trample._trample")]
pub(crate) struct Units {
    plan: Plan,
    /// What the scene's prints and plants are, learnt once and used by all units of this process.
    rules: Option<Arc<trample_season::day::Rules>>,
}

fn failed(problem: impl ToString) -> PyErr {
    PyValueError::new_err(problem.to_string())
}

#[pymethods]
impl Units {
    /// Plans a season: a library scene or a file, or TOML if there is `text`.
    #[staticmethod]
    #[pyo3(signature = (scene, text, settings, tiles, store))]
    fn plan(
        scene: &str,
        text: Option<String>,
        settings: Vec<String>,
        tiles: [i32; 2],
        store: PathBuf,
    ) -> PyResult<Self> {
        if tiles.iter().any(|n| !(1..=1000).contains(n)) {
            return Err(failed(format!("tiles are {tiles:?}, allowed: 1 to 1000 each")));
        }
        let mut source = crate::source(scene, text, settings).map_err(scene_error)?;
        source.folder = std::path::absolute(&source.folder).unwrap_or(source.folder);
        let built = source.scene().map_err(scene_error)?;
        let store = std::path::absolute(&store)?;
        Ok(Self { plan: Plan::new(&source, &built, tiles, store).map_err(scene_error)?, rules: None })
    }

    /// A plan from its text; relative paths in it start from `folder`, the working folder if `None`.
    #[staticmethod]
    #[pyo3(signature = (text, folder = None))]
    fn read(text: &str, folder: Option<PathBuf>) -> PyResult<Self> {
        Ok(Self {
            plan: Plan::from_text(text.as_bytes(), &folder.unwrap_or_default()).map_err(failed)?,
            rules: None,
        })
    }

    /// The plan as text.
    fn text(&self) -> PyResult<String> {
        Ok(serde_json::to_string_pretty(&self.plan).map_err(failed)? + "\n")
    }

    #[getter]
    fn units(&self) -> u64 {
        self.plan.units
    }

    #[getter]
    fn days(&self) -> i64 {
        self.plan.days
    }

    /// Where results go.
    #[getter]
    fn store(&self) -> PathBuf {
        self.plan.store.clone()
    }

    /// Whether a unit is done.
    fn done(&self, index: u64) -> bool {
        self.plan.receipt(index).is_some()
    }

    /// Runs a unit, or finds it done; returns the sum of its data.
    fn run(&mut self, py: Python<'_>, index: u64) -> PyResult<String> {
        let Self { plan, rules } = self;
        let sum = py.detach(|| -> Result<u64, String> {
            if let Some(done) = plan.receipt(index) {
                return Ok(done.sum);
            }
            if rules.is_none() {
                let scene = plan.scene().map_err(|e| e.to_string())?;
                *rules = Some(plan.rules(&scene).map_err(|e| e.to_string())?);
            }
            Ok(plan.run(index, rules.clone()).map_err(|e| e.to_string())?.sum)
        });
        Ok(format!("{:016x}", sum.map_err(failed)?))
    }

    /// Puts the last evening together and saves it as `state.season` in a folder, which `trample measure` reads. Returns the season's
    /// hash, its footfalls and walks, and the cover that is left.
    fn join(&self, py: Python<'_>, folder: PathBuf) -> PyResult<(String, u64, u64, f64)> {
        let plan = &self.plan;
        let joined = py.detach(|| -> Result<_, String> {
            let run = plan.join().map_err(|e| e.to_string())?;
            std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
            let path: &Path = &folder.join("state.season");
            let (source, inputs) = (plan.source(), plan.inputs());
            trample_season::store::save_for(path, &folder, &source, &inputs, &run)
                .map_err(|e| e.to_string())?;
            let sum = |f: fn(&trample_season::DayRow) -> u64| run.rows.iter().map(f).sum::<u64>();
            let (footfalls, walks) = (sum(|r| r.footfalls), sum(|r| r.walks));
            Ok((format!("{:016x}", run.ground.hash()), footfalls, walks, run.cover()))
        });
        joined.map_err(failed)
    }
}
