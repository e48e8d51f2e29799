"""`sweep`: a scene run over a grid of settings and seeds, one row per run."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from ._world import World


def sweep(
    scene,
    settings: Mapping[str, list] | None = None,
    seeds: int | list[int] = 1,
    *,
    seconds: float | None = None,
    measure: Callable[[World], Mapping] | None = None,
    workers: int | None = None,
    backend: str = "threads",
    address: str | None = None,
):
    """Runs `scene` for every combination of `settings` with every seed; returns a pandas table in the order of the grid.

    `seeds` is a number of seeds, counted from 1, or a list of them. Each run goes to the scene's end as `World.run()`, or for
    `seconds`. Columns: the settings, seed, time (s), steps, footsteps, deepest_print and highest_bump (m), carved and accumulated
    (m³), cover, hash; and what `measure(world)` returns. `table.set_index([*settings, "seed"]).to_xarray()` is a Dataset of it.

    With `backend="threads"` runs share out over threads: stepping does not hold the interpreter. With "ray" each run is a Ray task,
    tried again if its worker dies; `address` is that of a cluster, without it one is started on this machine alone (see
    `trample.cluster`), and `scene`, if it is a file, must be where the workers see it. The table is the same.

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
    if backend == "ray":
        return pandas.DataFrame(_on_ray(scene, points, seconds, measure, workers, address))
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        futures = [pool.submit(run, scene, point, seconds, measure) for point in points]
        try:
            rows = [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return pandas.DataFrame(rows)


def run(scene, told: Mapping, seconds: float | None = None, measure: Callable[[World], Mapping] | None = None) -> dict:
    """One run of a sweep: a row of its table."""
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
    return {**row, **(measure(world) if measure else {})}


def _on_ray(scene, points, seconds, measure, workers, address) -> list[dict]:
    from . import cluster

    with cluster.ray_at(address, workers) as ray:
        task = ray.remote(max_retries=cluster.RETRIES, num_cpus=1)(run)
        try:
            return ray.get([task.remote(scene, point, seconds, measure) for point in points])
        except ray.exceptions.RayTaskError as problem:
            # What went wrong in a run is told as it is without Ray.
            raise problem.cause from None
