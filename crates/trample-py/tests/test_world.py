"""Worlds: the same bits as the command's, errors in its words, time that passes without the interpreter's lock."""

import doctest
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import trample
import trample._sweep
import trample._toml
import trample._world
import trample.cluster

ROOT = pathlib.Path(__file__).resolve().parents[3]
GOLDEN = dict(
    line.split() for line in (ROOT / "crates/trample/tests/golden/hashes.txt").read_text().splitlines()
)


SEASONS = ["park", "triangle", "crossing-field", "hillside", "lane-season", "network"]


@pytest.mark.parametrize("name", [name for name in GOLDEN if name not in SEASONS])
def test_hash_is_the_committed_one(name):
    # As crates/trample-hashes does: 12 s at most, 3 s where plants grow.
    scene = trample.World(name)
    x, z = scene.size
    grows = any(len(scene.plants((x * i / 8, 0, x * (i + 1) / 8, z))) for i in range(8))
    seconds = min(scene.seconds, 3.0 if grows else 12.0)
    w = trample.World(name, duration=seconds)
    w.run(seconds)
    assert w.hash() == GOLDEN[name]


@pytest.mark.parametrize("name", ["plate", "walk-snow", "walk-mud", "bend-and-return"])
def test_hash_is_the_commands(name, tmp_path):
    command = os.environ.get("TRAMPLE") or shutil.which("trample")
    if not command:
        pytest.skip("SKIPPED: no command `trample`; set TRAMPLE to one")
    options = ["--json", "--no-pictures", "--maps", "height", "--formats", "npy", "--out", tmp_path]
    summary = json.loads(subprocess.run([command, "run", name, *options], check=True, capture_output=True).stdout)
    w = trample.World(name)
    w.run()
    assert (w.hash(), w.steps, w.time) == (summary["hash"], summary["steps"], summary["sim_seconds"])
    assert np.array_equal(np.load(tmp_path / "maps" / "height.npy"), w.map("height"))
    feet = w.events()
    assert (feet["kind"] == "foot_down").sum() == summary["footsteps"]


@pytest.mark.parametrize("name", [name for name in trample.scenes() if name not in SEASONS])
def test_hash_is_the_commands_after_half_a_second(name, tmp_path):
    command = os.environ.get("TRAMPLE") or shutil.which("trample")
    if not command:
        pytest.skip("SKIPPED: no command `trample`; set TRAMPLE to one")
    options = ["--set", "duration=0.5", "--json", "--no-pictures", "--maps", "height", "--formats", "npy", "--out", tmp_path]
    summary = json.loads(subprocess.run([command, "run", name, *options], check=True, capture_output=True).stdout)
    w = trample.World(name, duration=0.5)
    w.run()
    assert (w.hash(), w.steps) == (summary["hash"], summary["steps"])


@pytest.mark.parametrize("name", SEASONS)
def test_seasons_are_refused_as_run_does(name):
    with pytest.raises(trample.SceneError, match=f"`{name}` is a season: `trample season {name}` runs it"):
        trample.World(name)


def test_dict_file_name_and_settings_are_one_scene(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text('preset = "plate"\nduration = 0.5\n')
    made = [
        trample.World("plate", duration=0.5, mass=60),
        trample.World(path, **{"puppet.0.mass": 60}),
        trample.World({"preset": "plate", "duration": np.float64(0.5)}, mass=np.int64(60)),
    ]
    for w in made:
        w.run()
    assert len({w.hash() for w in made}) == 1
    lighter = trample.World("plate", duration=0.5)
    lighter.run()
    assert made[0].hash() != lighter.hash()
    whole = {
        "name": "own",
        "terrain": {"size": [2.0, 2.0], "cell": 0.02, "material": "dry-sand"},
        "puppet": [{"motion": "press", "position": [1.0, 1.0], "mass": 50, "footwear": "plate"}],
    }
    w = trample.World(whole)
    w.run(1.0)
    assert w.name == "own" and w.materials and w.deepest_print() > 0


def test_steps_and_run_and_threads_agree():
    runs = [trample.World("walk-mud", threads=n) for n in (1, 1, 2)]
    for _ in range(60):
        runs[0].step(runs[0].dt)
    runs[1].run(0.5)
    runs[1].run(0.5)
    runs[2].run(1.0)
    assert len({w.hash() for w in runs}) == 1
    assert runs[0].steps == 60 and runs[0].time == pytest.approx(1.0)


def test_snapshot_comes_back_and_goes_on():
    a, b = trample.World("walk-soil"), trample.World("walk-soil")
    a.run(1.5)
    b.restore(a.snapshot())
    assert a.hash() == b.hash()
    a.run(0.5), b.run(0.5)
    assert a.hash() == b.hash()
    with pytest.raises(trample.SnapshotError, match="snapshot is cut off or damaged at byte"):
        b.restore(a.snapshot()[:-5])
    with pytest.raises(trample.SnapshotError, match="snapshot"):
        b.restore(b"")
    assert a.hash() == b.hash()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: trample.World("walk-snwo"), "walk-snwo: no such file or library scene"),
        (lambda: trample.World("plate", mass=-1), "mass"),
        (lambda: trample.World("plate", mas=1), "unknown key `mas`: did you mean `mass`"),
        (lambda: trample.World({}), "nothing in it"),
        (lambda: trample.World({"preset": "plate", "terrain": {"cel": 1}}), "dict:2"),
    ],
)
def test_errors_have_the_commands_words(make, words):
    with pytest.raises(trample.SceneError) as error:
        make()
    assert words in str(error.value)
    assert isinstance(error.value, ValueError)


def test_errors_equal_the_commands_output(tmp_path):
    command = os.environ.get("TRAMPLE") or shutil.which("trample")
    if not command:
        pytest.skip("SKIPPED: no command `trample`; set TRAMPLE to one")
    for settings in ({"mass": -1}, {"mas": 1}, {"cell": "wide"}):
        told = [f"--set={k}={v}" for k, v in settings.items()]
        said = subprocess.run([command, "run", "plate", *told, "--out", tmp_path], capture_output=True, text=True)
        with pytest.raises(trample.SceneError) as error:
            trample.World("plate", **settings)
        assert said.stderr.strip() == f"error: {error.value}"


def test_bad_arguments():
    w = trample.World("plate")
    for dt in (0, -1, 0.3, float("nan")):
        with pytest.raises(ValueError, match="a step must last between 0 and 0.25 s, got"):
            w.step(dt)
    for seconds in (-1, float("nan")):
        with pytest.raises(ValueError, match="allowed: 0 or more"):
            w.run(seconds)
    with pytest.raises(ValueError, match="nope: no such map, allowed: height, compression"):
        w.map("nope")
    with pytest.raises(ValueError, match="threads is 0"):
        trample.World("plate", threads=0)
    with pytest.raises(TypeError, match="a scene cannot hold a object"):
        trample.World("plate", mass=object())
    assert w.steps == 0


def test_other_threads_run_while_it_steps():
    w = trample.World("walk-mud", duration=60)
    thread = threading.Thread(target=w._advance, args=(10**9, w.dt, False, 0.5))
    thread.start()
    ticks, end = 0, time.monotonic() + 0.3
    while time.monotonic() < end:
        ticks += 1
        time.sleep(0.005)
    assert thread.is_alive() and ticks > 10
    thread.join()
    assert w.steps > 0


def test_two_threads_step_two_worlds_at_once():
    spans = {}

    def steps(w):
        begun = time.perf_counter()
        w._advance(10**9, w.dt, False, 0.6)
        spans[w] = begun, time.perf_counter()

    worlds = [trample.World("walk-mud", duration=60) for _ in range(2)]
    threads = [threading.Thread(target=steps, args=(w,)) for w in worlds]
    cpu = time.process_time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall = max(end for _, end in spans.values()) - min(begun for begun, _ in spans.values())
    print(f"{(time.process_time() - cpu) / wall:.2f} s of processor time in a second")
    # With the lock held the second could not have begun before the first was done.
    assert max(begun for begun, _ in spans.values()) < min(end for _, end in spans.values())
    assert all(w.steps > 0 for w in worlds)


def test_progress_is_told(capsys):
    w = trample.World("plate", duration=0.5)
    w.run(progress=True)
    assert "plate [" in capsys.readouterr().err


def test_every_example_of_the_guide_runs(tmp_path, monkeypatch):
    for name in ("pandas", "gymnasium", "xarray"):
        pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text('preset = "plate"\n')
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/python.md").read_text(), re.S)
    assert len(blocks) >= 5
    shared = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), shared)


def test_the_guide_names_what_there_is():
    text = (ROOT / "docs/python.md").read_text()
    for called in re.findall(r"`w\.(\w+)", text):
        assert hasattr(trample.World, called), called
    for called in re.findall(r"`trample\.(\w+)[(`]", text):
        assert hasattr(trample, called) or importlib.util.find_spec(f"trample.{called}"), called


def test_types_hold_under_a_strict_checker(tmp_path):
    pytest.importorskip("mypy", reason="SKIPPED: no mypy; pip install mypy")
    pytest.importorskip("gymnasium")
    user = pathlib.Path(__file__).with_name("typed_user.py")
    for command in (["mypy", "--strict", "--cache-dir", tmp_path, user], ["mypy.stubtest", "trample._trample"]):
        said = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=tmp_path)
        assert said.returncode == 0, said.stdout + said.stderr


@pytest.mark.parametrize("module", [trample, trample._world, trample._sweep, trample._toml, trample.cluster])
def test_examples_in_the_documentation(module):
    flags = doctest.ELLIPSIS
    result = doctest.testmod(module, optionflags=flags)
    assert result.attempted > 0 and result.failed == 0
