//! The native part of the Python package `trample`: worlds, arrays and errors. Code that uses Python libraries (xarray,
//! matplotlib, pandas) is in `python/trample`.

mod envs;
mod host;
mod records;
mod season;
mod world;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use trample::scene::library;
use trample::{Map, Material, Scene};
use trample_files::Source;

pyo3::create_exception!(
    trample,
    SceneError,
    PyValueError,
    "A scene, a setting or a puppet that is not allowed; the words are the command's."
);
pyo3::create_exception!(trample, SnapshotError, PyValueError, "Bytes that are no snapshot of this scene.");

fn scene_error(problem: impl ToString) -> PyErr {
    SceneError::new_err(problem.to_string())
}

/// A flat terrain of one material by name.
fn ground_of(material: &str, size: [f64; 2], cell: f64) -> PyResult<Scene> {
    let found = trample::params::material::by_name(material);
    let names = || trample::params::material::PRESETS.map(|preset| preset.name).join(", ");
    let material: Material = found.ok_or_else(|| {
        PyValueError::new_err(format!("{material}: no such material, allowed: {}", names()))
    })?;
    let mut scene = Scene::default();
    (scene.terrain.size, scene.terrain.cell) = (size, cell);
    scene.terrain.materials.truncate(1);
    scene.terrain.materials[0].material = material;
    scene.terrain.materials[0].name = material.preset.into();
    Ok(scene)
}

/// A scene by its name, or in TOML if there is `text`.
fn source(scene: &str, text: Option<String>, settings: Vec<String>) -> Result<Source, String> {
    Ok(match text {
        Some(text) => Source { name: scene.into(), text, settings, folder: std::path::PathBuf::new() },
        None => Source { settings, ..Source::find(scene).map_err(|e| e.to_string())? },
    })
}

/// Whether a scene has a season and nobody who could be stepped.
fn is_season_alone(scene: &Scene) -> bool {
    scene.season.is_some() && scene.puppets.is_empty()
}

/// Whether a scene is a season, which units take through its calendar.
#[pyfunction]
#[pyo3(signature = (scene, text, settings))]
fn is_season(scene: &str, text: Option<String>, settings: Vec<String>) -> PyResult<bool> {
    let built = source(scene, text, settings).and_then(|s| s.scene().map_err(|e| e.to_string()));
    Ok(is_season_alone(&built.map_err(scene_error)?))
}

/// The scenes of the library: name and what each shows.
#[pyfunction]
fn scenes() -> Vec<(&'static str, &'static str)> {
    library::ENTRIES.iter().map(|entry| (entry.name, entry.about)).collect()
}

/// The maps of the ground: name, unit, unit for people, factor to it, symbol and caption.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "a row of a table")]
fn map_table() -> Vec<(&'static str, &'static str, &'static str, f64, &'static str, &'static str)> {
    let rows = Map::ALL.map(Map::row);
    rows.map(|r| (r.name, r.unit, r.display.0, r.display.1, r.symbol, r.caption)).to_vec()
}

#[pymodule]
fn _trample(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<world::PyWorld>()?;
    module.add_class::<envs::hopper::Hoppers>()?;
    module.add_class::<envs::steering::Walkers>()?;
    module.add_class::<season::Units>()?;
    module.add("SceneError", module.py().get_type::<SceneError>())?;
    module.add("SnapshotError", module.py().get_type::<SnapshotError>())?;
    module.add_function(wrap_pyfunction!(is_season, module)?)?;
    module.add_function(wrap_pyfunction!(scenes, module)?)?;
    module.add_function(wrap_pyfunction!(map_table, module)?)?;
    Ok(())
}
