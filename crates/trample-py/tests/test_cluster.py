"""Seasons in units, over threads and on a real Ray of this machine: same bits as one process, also when a worker is killed."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import trample
from trample import cluster

SEASON = {"days": 2, "people_per_day": 5, "cell": 0.08}


@pytest.fixture(scope="module")
def one_process(tmp_path_factory):
    """The season in one thread and one tile."""
    return cluster.season("triangle", out=tmp_path_factory.mktemp("one"), settings=SEASON, workers=1)


@pytest.fixture(scope="module")
def ray():
    pytest.importorskip("ray", reason="SKIPPED: no Ray; pip install ray")
    with cluster.ray_at(workers=2) as ray:
        yield ray


def test_tiles_and_threads_change_no_bit(one_process, tmp_path):
    many = cluster.season("triangle", out=tmp_path, tiles=(2, 1), settings=SEASON, workers=2)
    assert many["hash"] == one_process["hash"] and many["units"] == 4 and many["footfalls"] > 0
    assert json.loads((tmp_path / "summary.json").read_text()) == many


def test_the_hash_is_the_commands(one_process, tmp_path):
    command = os.environ.get("TRAMPLE") or shutil.which("trample")
    if not command:
        pytest.skip("SKIPPED: no command `trample`; set TRAMPLE to one")
    told = [f"--set={key}={value}" for key, value in SEASON.items() if key != "days"]
    options = ["--days", str(SEASON["days"]), "--no-pictures", "--json", "--out", tmp_path]
    said = subprocess.run([command, "season", "triangle", *told, *options], check=True, capture_output=True)
    assert json.loads(said.stdout)["hash"] == one_process["hash"]


def test_a_season_goes_on_where_it_was_stopped(one_process, tmp_path):
    def fails(index):
        if index == 1:
            raise OSError("power cut")

    with pytest.raises(OSError, match="power cut"):
        cluster.season("triangle", out=tmp_path, settings=SEASON, before=fails)
    ran = []
    again = cluster.season("triangle", out=tmp_path, settings=SEASON, before=ran.append)
    assert ran == [1] and again["hash"] == one_process["hash"]
    with pytest.raises(ValueError, match="another season was begun here"):
        cluster.season("triangle", out=tmp_path, settings={**SEASON, "days": 3})


def test_a_killed_worker_changes_no_bit(ray, one_process, tmp_path):
    fate = tmp_path / "killed"

    def dies(index):
        # The first that comes to unit 2 is killed as a machine that fails would be; what comes after goes on.
        if index == 2 and not fate.exists():
            fate.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)

    done = cluster.season("triangle", out=tmp_path, tiles=(2, 1), settings=SEASON, backend="ray", before=dies)
    assert done["hash"] == one_process["hash"]
    assert int(fate.read_text()) != os.getpid(), "a worker was killed"


def test_a_sweep_whose_worker_is_killed_is_the_same_table(ray, tmp_path):
    pytest.importorskip("pandas")
    fate = tmp_path / "killed"

    def dies(world):
        if not fate.exists():
            fate.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
        return {"low": float(world.map("height").min())}

    def lives(world):
        return {"low": float(world.map("height").min())}

    options = {"seeds": 2, "seconds": 0.2}
    killed = trample.sweep("plate", {"mass": [40, 80]}, measure=dies, backend="ray", store=tmp_path / "store", **options)
    assert killed.equals(trample.sweep("plate", {"mass": [40, 80]}, measure=lives, **options))
    assert int(fate.read_text()) != os.getpid()


def test_ray_listens_on_this_machine_only(ray):
    assert [node["NodeManagerAddress"] for node in ray.nodes()] == ["127.0.0.1"]
    # What its processes really listen on, from the kernel's tables: 0A is LISTEN, addresses are little-endian words.
    children, found = [os.getpid()], 0
    tables = "".join(pathlib.Path(f"/proc/net/{name}").read_text() for name in ("tcp", "tcp6") if os.path.exists(f"/proc/net/{name}"))
    listens = {row.split()[9]: row.split()[1].rsplit(":", 1)[0] for row in tables.splitlines() if " 0A " in row}
    for pid in children:
        for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
            children += map(int, task.read_text().split())
        for handle in pathlib.Path(f"/proc/{pid}/fd").glob("*"):
            try:
                inode = os.readlink(handle).removeprefix("socket:[").rstrip("]")
            except OSError:
                continue
            if pid != os.getpid() and inode in listens:
                found += 1
                assert listens[inode] in ("0100007F", "0000000000000000FFFF00000100007F", "0" * 24 + "01000000"), (pid, listens[inode])
    assert found > 2


def test_a_sweep_on_ray_is_the_same_table(ray):
    pytest.importorskip("pandas")
    grid = {"mass": [40, 80], "duration": [0.3]}
    threads, cluster_ = (trample.sweep("plate", grid, seeds=2, backend=backend) for backend in ("threads", "ray"))
    assert threads.equals(cluster_)
    with pytest.raises(trample.SceneError, match="mass"):
        trample.sweep("plate", {"mass": [-1]}, backend="ray")


def test_the_command(one_process, tmp_path):
    command = [sys.executable, "-m", "trample.cluster"]
    told = [f"--set={key}={value}" for key, value in SEASON.items() if key != "days"]
    season = [*command, "season", "triangle", "--days", "2", *told, "--out", tmp_path / "a", "--json"]
    assert json.loads(subprocess.run(season, check=True, capture_output=True).stdout)["hash"] == one_process["hash"]
    plan = tmp_path / "PLAN.json"
    run = lambda *options: subprocess.run([*command, *options], check=True, capture_output=True, text=True, cwd=tmp_path).stdout
    assert "2 units" in run("plan", "triangle", "--days", "2", *told, "--out", plan)
    for index in range(2):
        assert json.loads(run("run", "--plan", plan, "--index", str(index)))["index"] == index
    assert one_process["hash"] in run("join", plan)
    assert pathlib.Path(tmp_path / "state.season").exists()
    bad = subprocess.run([*command, "season", "plate"], capture_output=True, text=True, cwd=tmp_path)
    assert bad.returncode == 1 and bad.stderr.startswith("error: ")
    with pytest.raises(ValueError, match="no such backend"):
        cluster.season("triangle", out=tmp_path / "b", settings=SEASON, backend="smoke")


def test_the_slurm_example_runs_a_season(one_process, tmp_path):
    # A scheduler that runs each array at once, in order.
    (tmp_path / "sbatch").write_text(
        '#!/usr/bin/env bash\nset -e\narray=0-0\nfor o in "$@"; do case "$o" in --array=*) array="${o#--array=}" ;; esac; run="$o"; done\n'
        'for ((i = ${array%-*}; i <= ${array#*-}; i++)); do SLURM_ARRAY_TASK_ID=$i bash -c "$run" >>log 2>&1; done\necho 7\n'
    )
    (tmp_path / "sbatch").chmod(0o755)
    script = pathlib.Path(__file__).resolve().parents[1] / "examples/cluster/slurm.sh"
    told = [f"--set={key}={value}" for key, value in SEASON.items() if key != "days"]
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "UNIT": f"{sys.executable} -m trample.cluster"}
    command = ["bash", script, "triangle", "1x1", "--days", "2", *told]
    subprocess.run(command, check=True, cwd=tmp_path, env={**os.environ, **path}, capture_output=True)
    assert one_process["hash"] in (tmp_path / "log").read_text()


def test_the_kubernetes_example_runs_a_season(one_process, tmp_path):
    # Each pod is the shell that the example gives it; one is killed and begun again, as a controller would.
    text = (pathlib.Path(__file__).resolve().parents[1] / "examples/cluster/kubernetes.yaml").read_text()
    pod = textwrap.dedent(text.split("- |\n")[1].split("          resources:")[0]).replace("/season/", f"{tmp_path}/").replace("sleep 5", "sleep 0.2")
    assert "completions: 4" in text and "day * 4" in pod, "2x2 tiles"
    command = tmp_path / "trample"
    command.write_text(f'#!/usr/bin/env bash\n[ "$1" = unit ] && shift\nexec {sys.executable} -m trample.cluster "$@"\n')
    command.chmod(0o755)
    told = [f"--set={key}={value}" for key, value in SEASON.items() if key != "days"]
    subprocess.run([command, "unit", "plan", "triangle", "--days", "2", "--tiles", "2x2", *told, "--out", tmp_path / "PLAN.json"], check=True)
    path = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    start = lambda i: subprocess.Popen(["bash", "-c", pod], env={**path, "JOB_COMPLETION_INDEX": str(i)}, start_new_session=True)
    pods = [start(i) for i in range(3)]
    time.sleep(1.0)
    os.killpg(pods[2].pid, signal.SIGKILL)
    pods[2].wait()
    pods[2:] = [start(2), start(3)]
    assert [pod.wait(timeout=300) for pod in pods] == [0] * 4
    said = subprocess.run([command, "unit", "join", tmp_path / "PLAN.json"], check=True, capture_output=True, text=True).stdout
    assert one_process["hash"] in said
    # What cannot be done is told, not tried for ever.
    broken = subprocess.run(["bash", "-c", pod], env={**path, "JOB_COMPLETION_INDEX": "8"}, timeout=60, capture_output=True, text=True)
    assert broken.returncode == 1 and "allowed: 0 to 7" in broken.stderr
