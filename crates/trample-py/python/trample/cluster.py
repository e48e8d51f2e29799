"""Seasons on many machines: the units of `trample unit` as tasks.

    python -m trample.cluster season park --tiles 2x2 --backend ray --address auto
    python -m trample.cluster plan park --tiles 2x2 --out PLAN.json      # then, on any machine with access to the store:
    python -m trample.cluster run --plan PLAN.json --index 0
    python -m trample.cluster join PLAN.json

A unit simulates one tile of the terrain for one day. It reads the previous evening from the store, a folder that every machine must see
under the same path, and writes its own evening there, with the receipt last. Units are idempotent: one may run twice, on two machines, or
again after a worker died, and finished units are skipped when a season is started again. The plan and the store are those of
`trample unit`, and the results are those of `trample season` in one process, bit for bit.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     season("lane-season", out=folder, settings={"days": 1})["days"]
1
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from . import _toml, _trample
from ._world import SceneLike

#: How often a unit whose worker died is tried again.
RETRIES = 5


def plan(
    scene: SceneLike,
    out: str | os.PathLike[str],
    *,
    tiles: tuple[int, int] = (1, 1),
    settings: Mapping[str, Any] | None = None,
    store: str | os.PathLike[str] | None = None,
) -> str:
    """Writes the plan of a season to `out`; returns its text. Results go to `store`, or beside the plan."""
    out = pathlib.Path(out)
    name, text = _toml.scene(scene)
    told = [_toml.setting(k, v) for k, v in (settings or {}).items()]
    made = _trample.Units.plan(name, text, told, tiles, os.fspath(store or out.with_suffix(".store"))).text()
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(made)
    return made


def run_unit(text: str, index: int) -> str:
    """Runs a unit of a plan unless it is finished; returns the checksum of its data. Each thread caches its data of the plan for further
    units."""
    if _KEPT.text != text:
        _KEPT.text, _KEPT.units = text, _trample.Units.read(text)
    return _KEPT.units.run(index)


class _Kept(threading.local):
    text: str | None = None
    units: _trample.Units


_KEPT = _Kept()


def season(
    scene: SceneLike,
    *,
    out: str | os.PathLike[str] = "out",
    tiles: tuple[int, int] = (1, 1),
    settings: Mapping[str, Any] | None = None,
    backend: str = "threads",
    address: str | None = None,
    workers: int | None = None,
    before: Callable[[int], None] | None = None,
    progress: bool = False,
) -> dict[str, Any]:
    """Simulates a season in units; returns a summary, which is also `out/summary.json`.

    The plan is `out/PLAN.json`. If it exists and is the same, finished units are not run again. `backend` is "threads" (this process) or
    "ray"; `address` is that of a Ray cluster ("auto", "ray://…"), without it one is started on this machine only. `workers` limits
    the number of parallel units. `before(unit)` runs in the worker, before each unit.

    The hash is that of `trample season` with the same scene and settings, for any tiles and backend and after any failures.
    """
    out = pathlib.Path(out).absolute()
    path = out / "PLAN.json"
    text = plan(scene, path.with_suffix(".new"), tiles=tiles, settings=settings, store=out / "store")
    if path.exists() and path.read_text() != text:
        path.with_suffix(".new").unlink()
        raise ValueError(f"{path}: another season was begun here; give another --out, or remove it")
    os.replace(path.with_suffix(".new"), path)
    units = _trample.Units.read(text)
    per_day = units.units // units.days
    with _runner(backend, address, workers, before) as run:
        for day in range(units.days):
            # Who walks where depends on the evening before, everywhere: a day begins when the one before is done.
            run(text, [i for i in range(day * per_day, (day + 1) * per_day) if not units.done(i)])
            if progress:
                print(f"\r{units.days} days, {day + 1} done ", end="", file=sys.stderr, flush=True)
    if progress:
        print(file=sys.stderr)
    hash_, footfalls, walks, cover = units.join(os.fspath(out))
    summary: dict[str, Any] = {"scene": _toml.scene(scene)[0], "days": units.days, "units": units.units}
    summary.update(hash=hash_, footfalls=footfalls, walks=walks, cover=cover)
    (out / "summary.json").write_text(json.dumps(summary, indent=2) + "\n")
    return summary


@contextlib.contextmanager
def ray_at(address: str | None = None, workers: int | None = None) -> Iterator[Any]:
    """Ray, joined to the cluster at `address` or started on this machine, listening on 127.0.0.1 only. A running one is
    used and left running; one started here is stopped at the end of the block."""
    # Ray's own word for a Ray of one machine, which listens on the loopback alone; read when it is imported.
    if address is None and "ray" not in sys.modules:
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    try:
        import ray
    except ImportError as e:
        raise ImportError("backend `ray` needs Ray: pip install 'trample[ray]'") from e
    if ray.is_initialized():
        yield ray
        return
    if address is not None:
        ray.init(address=address, log_to_driver=False)
    else:
        from ray._private import ray_constants

        ray_constants.ENABLE_RAY_CLUSTER = False
        here: dict[str, Any] = {"include_dashboard": False, "log_to_driver": False, "_node_ip_address": "127.0.0.1"}
        ray.init(address="local", num_cpus=workers or os.cpu_count(), **here)
    try:
        yield ray
    finally:
        ray.shutdown()


@contextlib.contextmanager
def _runner(
    backend: str, address: str | None, workers: int | None, before: Callable[[int], None] | None
) -> Iterator[Callable[[str, list[int]], object]]:
    """Returns the function that runs independent units, given the plan's text and their indices."""

    def unit(text: str, index: int) -> str:
        if before is not None:
            before(index)
        return run_unit(text, index)

    if backend == "threads":
        with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
            yield lambda text, indices: list(pool.map(lambda i: unit(text, i), indices))
    elif backend == "ray":
        with ray_at(address, workers) as ray:
            task = ray.remote(max_retries=RETRIES, num_cpus=1)(unit)

            def run(text: str, indices: list[int]) -> None:
                left: list[int] = list(indices)
                going: list[Any] = []
                while left or going:
                    while left and (workers is None or len(going) < workers):
                        going.append(task.remote(text, left.pop(0)))
                    done, going = ray.wait(going)
                    ray.get(done)

            yield run
    else:
        raise ValueError(f"backend `{backend}`: no such backend, allowed: threads, ray")


def _planned(path: str) -> _trample.Units:
    """The plan in a file; what it names is seen from there."""
    whole = pathlib.Path(path).absolute()
    return _trample.Units.read(whole.read_text(), os.fspath(whole.parent))


def _tiles(text: str) -> tuple[int, int]:
    x, _, z = text.partition("x")
    return int(x), int(z or x)


def _settings(pairs: list[str]) -> dict[str, str]:
    for pair in pairs:
        if "=" not in pair:
            raise SystemExit(f"error: --set {pair}: must be as key=value")
    return dict(pair.split("=", 1) for pair in pairs)


def main(arguments: list[str] | None = None) -> int:
    """The command `python -m trample.cluster`."""
    parser = argparse.ArgumentParser(prog="python -m trample.cluster", description="Seasons in units of work, on many machines.")
    commands = parser.add_subparsers(dest="command", required=True)
    whole = commands.add_parser("season", help="plan, run and join a season")
    planned = commands.add_parser("plan", help="write the plan of a season")
    for command in (whole, planned):
        command.add_argument("scene", help="a library scene with a season or a TOML file")
        command.add_argument("--tiles", type=_tiles, default=(1, 1), metavar="NXxNZ", help="number of tiles along x and z")
        command.add_argument("--days", type=int, metavar="N", help="number of days, instead of the calendar's")
        command.add_argument("--seed", type=int, metavar="N", help="seed of the random numbers")
        command.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a value of the scene")
    planned.add_argument("--out", default="PLAN.json", metavar="FILE", help="the plan")
    planned.add_argument("--store", metavar="DIR", help="folder for the results of units [default: beside the plan]")
    whole.add_argument("--out", metavar="DIR", help="folder for the results [default: out/SCENE]")
    whole.add_argument("--backend", choices=("threads", "ray"), default="threads")
    whole.add_argument("--address", metavar="ADDRESS", help="Ray cluster to join, such as auto [default: one on this machine]")
    whole.add_argument("--workers", type=int, metavar="N", help="maximum number of parallel units")
    whole.add_argument("--json", action="store_true", help="print the summary as one JSON object")
    one = commands.add_parser("run", help="run one unit; a finished unit is not run again")
    one.add_argument("--plan", required=True, metavar="FILE")
    one.add_argument("--index", required=True, type=int, metavar="N", help="index of the unit, from 0")
    joined = commands.add_parser("join", help="join the results of units")
    joined.add_argument("plan", metavar="FILE")
    joined.add_argument("--out", metavar="DIR", help="folder for the results [default: the plan's]")
    told = parser.parse_args(arguments)
    try:
        if told.command in ("season", "plan"):
            settings = _settings(told.set)
            settings.update({key: getattr(told, key) for key in ("seed", "days") if getattr(told, key) is not None})
        if told.command == "plan":
            text = plan(told.scene, told.out, tiles=told.tiles, settings=settings, store=told.store)
            units = _trample.Units.read(text)
            print(f"{told.out}: {units.units} units, {units.days} days; results go to {units.store}")
        elif told.command == "run":
            print(json.dumps({"index": told.index, "sum": run_unit(_planned(told.plan).text(), told.index)}))
        elif told.command == "join":
            units = _planned(told.plan)
            folder = told.out or os.fspath(pathlib.Path(told.plan).absolute().parent)
            print(f"{told.plan}: {units.days} days joined, hash {units.join(folder)[0]}")
        else:
            out = told.out or os.path.join("out", pathlib.Path(told.scene).stem)
            options = {"backend": told.backend, "address": told.address, "workers": told.workers}
            summary = season(told.scene, out=out, tiles=told.tiles, settings=settings, progress=not told.json, **options)
            print(json.dumps(summary) if told.json else f"{out}: {summary['days']} days, hash {summary['hash']}")
    except (ValueError, OSError, ImportError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    # Under its own name, so that workers find what they are sent.
    from trample.cluster import main

    sys.exit(main())
