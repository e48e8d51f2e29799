"""`sweep`: a scene run over a grid of settings and seeds, one row per run."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import pathlib
import tempfile
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from . import _toml, _trample
from ._world import SceneLike, World

if TYPE_CHECKING:
    import pandas

#: What is asked of the world at the end of a run.
Measure = Callable[[World], Mapping[str, Any]]


def sweep(
    scene: SceneLike,
    settings: Mapping[str, Iterable[Any]] | None = None,
    seeds: int | Iterable[int] = 1,
    *,
    seconds: float | None = None,
    measure: Measure | None = None,
    workers: int | None = None,
    backend: str = "threads",
    address: str | None = None,
    store: str | os.PathLike[str] | None = None,
) -> pandas.DataFrame:
    """Runs `scene` for every combination of `settings` with every seed; returns a pandas table in the order of the grid.

    `seeds` is a number of seeds, counted from 1, or a list of them. Each run goes to the end of the scene like `World.run()`, or for
    `seconds`. Columns: the settings, seed, time (s), steps, footsteps, deepest_print and highest_bump (m), carved and accumulated
    (m³), cover, hash; and what `measure(world)` returns. For a season: the settings, seed, days, footfalls, walks, cover, hash.
    `table.set_index([*settings, "seed"]).to_xarray()` converts it to a Dataset.

    With `backend="threads"` runs are distributed over threads; stepping releases the interpreter lock. With "ray" each run is a Ray task,
    retried if its worker dies; `address` is that of a cluster, without it one is started on this machine only (see
    `trample.cluster`), and `scene`, if it is a file, must be visible to the workers. The table is the same.

    `store` is a folder that all workers see. Each row is kept there when its run is finished, and a sweep that was stopped continues from
    there when it is called again; the grid may grow. Another scene, `seconds` or name of `measure` is an error.

    >>> table = sweep("plate", {"mass": [40, 80]}, seeds=1)
    >>> bool(table.deepest_print[1] > table.deepest_print[0])
    True
    """
    import pandas

    if backend not in ("threads", "ray"):
        raise ValueError(f"backend `{backend}`: no such backend, allowed: threads, ray")
    grid = {key: list(values) for key, values in (settings or {}).items()}
    seeds = list(range(1, seeds + 1)) if isinstance(seeds, int) else list(seeds)
    points = [dict(zip([*grid, "seed"], point)) for point in itertools.product(*grid.values(), seeds)]
    kept = None if store is None else _open(pathlib.Path(store).absolute(), scene, seconds, measure)
    if backend == "ray":
        return pandas.DataFrame(_on_ray(scene, points, seconds, measure, kept, workers, address))
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        futures = [pool.submit(run, scene, point, seconds, measure, kept) for point in points]
        try:
            rows = [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return pandas.DataFrame(rows)


def run(
    scene: SceneLike,
    told: Mapping[str, Any],
    seconds: float | None = None,
    measure: Measure | None = None,
    store: str | None = None,
) -> dict[str, Any]:
    """One run of a sweep: a row of its table. With a `store` it is looked for there first, and left there."""
    told = {key: _plain(value) for key, value in told.items()}
    if store is None:
        return _run(scene, told, seconds, measure, None)
    name = hashlib.sha256(json.dumps(told, sort_keys=True, default=os.fspath).encode()).hexdigest()[:20]
    place = pathlib.Path(store, name)
    done = place.with_suffix(".json")
    if not done.exists():
        row = _run(scene, told, seconds, measure, place)
        # Whole or not at all, whoever else is at it: the rows of two are the same.
        with tempfile.NamedTemporaryFile("w", dir=store, suffix=".new", delete=False) as new:
            json.dump(row, new)
        os.replace(new.name, done)
    found: dict[str, Any] = json.loads(done.read_text())
    return found


def _run(scene: SceneLike, told: dict[str, Any], seconds: float | None, measure: Measure | None, place: pathlib.Path | None) -> dict[str, Any]:
    name, text = _toml.scene(scene)
    if _trample.is_season(name, text, [_toml.setting(k, v) for k, v in told.items()]):
        return {**told, **_season(scene, told, seconds, measure, place)}
    world = World(scene, **told)
    world.run(seconds)
    volume, events = world.volume(), world.events()
    row = {
        **told,
        "time": world.time,
        "steps": world.steps,
        "footsteps": int((events["kind"] == "foot_down").sum()),
        "deepest_print": world.deepest_print(),
        "highest_bump": world.highest_bump(),
        "carved": volume["carved"],
        "accumulated": volume["accumulated"],
        "cover": world.cover(),
        "hash": world.hash(),
    }
    more = measure(world) if measure else {}
    return {**row, **{key: _plain(value) for key, value in more.items()}}


def _season(scene: SceneLike, told: dict[str, Any], seconds: float | None, measure: Measure | None, place: pathlib.Path | None) -> dict[str, Any]:
    """A season of a sweep, in one tile. With a `place` to keep its evenings one that was stopped goes on from the last."""
    from . import cluster

    if seconds is not None or measure is not None:
        raise ValueError("a season goes through its calendar: `seconds` and `measure` are for runs; `days` is a setting")
    if place is not None:
        summary = cluster.season(scene, out=place, settings=told, workers=1)
    else:
        with tempfile.TemporaryDirectory() as folder:
            summary = cluster.season(scene, out=folder, settings=told, workers=1)
    return {key: summary[key] for key in ("days", "footfalls", "walks", "cover", "hash")}


def _plain(value: Any) -> Any:
    """numpy's numbers as Python's, so that a row is the same through a file."""
    return value.tolist() if hasattr(value, "tolist") else value


def _open(store: pathlib.Path, scene: SceneLike, seconds: float | None, measure: Measure | None) -> str:
    """Begins a store, or finds that it is of the same sweep."""
    name, text = _toml.scene(scene)
    if text is None and name not in dict(_trample.scenes()) and os.path.exists(name):
        text = pathlib.Path(name).read_text()
    about = {"scene": name, "text": text, "seconds": seconds, "measure": getattr(measure, "__qualname__", None)}
    path = store / "sweep.json"
    if path.exists() and json.loads(path.read_text()) != about:
        raise ValueError(f"{path}: another sweep was begun here; give another store, or remove it")
    store.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(about, indent=2) + "\n")
    return os.fspath(store)


def _on_ray(
    scene: SceneLike,
    points: list[dict[str, Any]],
    seconds: float | None,
    measure: Measure | None,
    store: str | None,
    workers: int | None,
    address: str | None,
) -> list[dict[str, Any]]:
    from . import cluster

    with cluster.ray_at(address, workers) as ray:
        task = ray.remote(max_retries=cluster.RETRIES, num_cpus=1)(run)
        try:
            rows: list[dict[str, Any]] = ray.get([task.remote(scene, point, seconds, measure, store) for point in points])
            return rows
        except ray.exceptions.RayTaskError as problem:
            # What went wrong in a run is told as it is without Ray.
            raise problem.cause from None
