"""Feet that Python moves: forces of any number of feet, shared weight, soles of any shape, errors."""

import importlib.util
import pathlib

import numpy as np
import pytest

import trample

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"
FLAT = {"terrain": {"size": [3.0, 3.0], "cell": 0.02, "material": "soil", "law": "dynamic-footprints"}}
SAND = {"terrain": {"size": [1.0, 1.0], "cell": 0.01, "material": "dry-sand"}}
PLACES = [(1.0, 1.0), (1.6, 1.0), (1.0, 1.6), (1.6, 1.6)]


def press(w, places, forces=None, seconds=0.5, puppet=0, down=-0.3):
    """Holds soles at the ground: well below its surface, so that each touches however far it sinks."""
    for _ in range(round(seconds / w.dt)):
        for i, (x, z) in enumerate(places):
            force = None if forces is None else (0, -forces[i], 0)
            w.set_foot(i, (x, down, z), force=force, puppet=puppet)
        w.step()
    return w.feet()


def test_four_feet_press_with_their_own_forces():
    w = trample.World(FLAT)
    assert w.add_puppet(feet=4, mass=30, sole="plate", length=0.1, width=0.1) == 0
    forces = [20.0, 60.0, 120.0, 240.0]
    feet = press(w, PLACES, forces)
    assert feet["down"].all() and list(feet["foot"]) == [0, 1, 2, 3]
    assert feet["force"][:, 1] == pytest.approx(np.negative(forces), rel=1e-4)
    assert feet["normal_force"] == pytest.approx(forces, rel=1e-4)
    assert (np.diff(feet["sinkage"]) > 0).all(), feet["sinkage"]
    # The law is linear (DF-10): twice the force, twice the sinkage.
    assert feet["sinkage"][3] / feet["sinkage"][2] == pytest.approx(2.0, rel=0.1)
    for (x, z), sinkage in zip(PLACES, feet["sinkage"]):
        assert w.height(x, z) == pytest.approx(-sinkage, abs=2e-3)


def test_twelve_feet_are_not_too_many():
    w = trample.World(FLAT)
    w.add_puppet(feet=12, mass=30, sole=("disc", 0.06))
    forces = np.linspace(10, 120, 12)
    places = [(0.5 + 0.3 * (i % 6), 1.0 + 0.5 * (i // 6)) for i in range(12)]
    feet = press(w, places, forces, seconds=0.2)
    assert feet["normal_force"] == pytest.approx(forces, rel=1e-4)
    assert (np.diff(feet["sinkage"]) > 0).all()
    for feet in (0, 1000):
        with pytest.raises(ValueError, match="feet"):
            w.add_puppet(feet=feet)


def test_feet_without_forces_share_the_weight():
    w = trample.World(FLAT)
    w.add_puppet(feet=4, mass=30, sole="plate", length=0.1, width=0.1)
    w.set_center_of_mass((1.3, 0.5, 1.3))
    feet = press(w, PLACES, seconds=1.0)
    assert feet["normal_force"].sum() == pytest.approx(30 * 9.81, rel=0.01)
    assert feet["normal_force"] == pytest.approx(np.full(4, 30 * 9.81 / 4), rel=0.02)
    w.set_center_of_mass((1.5, 0.5, 1.3))
    feet = press(w, PLACES, seconds=0.5)
    assert feet["normal_force"][1] > 1.5 * feet["normal_force"][0]


def test_a_foot_in_the_air_presses_nothing_and_says_so():
    w = trample.World(FLAT)
    w.add_puppet(feet=1, mass=30)
    row = w.set_foot(0, (1.5, 0.5, 1.5), force=(0, -300, 0))
    assert not row["down"]
    w.step()
    row = w.set_foot(0, (1.5, -0.1, 1.5))
    assert not row["down"] and row["sinkage"] == 0
    w.step(), w.step()
    row = w.set_foot(0, (1.5, 0.5, 1.5))
    assert row["down"] and row["sinkage"] > 0 and row["normal_force"] == pytest.approx(300, rel=1e-3)


def test_soles_of_any_shape_have_their_area():
    square = np.array([[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]])
    p = np.array([[-0.1, 0, -0.1], [0.1, 0, -0.1], [0.1, 0, 0.1], [-0.1, 0, 0.1]])
    mesh = np.array([[p[0], p[1], p[2]], [p[0], p[2], p[3]]])
    for sole, area in [(square, 0.04), (mesh, 0.04), (("disc", 0.2), np.pi * 0.01)]:
        w = trample.World(FLAT)
        w.add_puppet(feet=1, mass=50, sole=sole)
        feet = press(w, [(1.5, 1.5)], [500.0])
        assert feet["area"][0] == pytest.approx(area, rel=0.1), sole


def test_two_puppets_and_a_walker_keep_apart():
    w, alone = trample.World("walk-soil", duration=30), trample.World("walk-soil", duration=30)
    w.run(0.5), alone.run(0.5)
    z = w.size[1] - 0.3
    a, b = w.add_puppet(feet=2, mass=20), w.add_puppet(feet=2, mass=20)
    for puppet in (a, b):
        for i in range(2):
            w.set_foot(i, (0.5 + 0.6 * i + 1.5 * puppet, 2.0, z), force=(0, -100.0 * (1 + puppet), 0), puppet=puppet)
    feet = w.feet()
    assert list(feet["puppet"]) == [0, 0, 1, 1] and list(feet["foot"]) == [0, 1, 0, 1]
    w.run(1.0), alone.run(1.0)
    assert np.array_equal(w.map("compression"), alone.map("compression")), "feet in the air change nothing"


def test_feet_that_a_scene_leaves_to_its_host_can_be_moved():
    scene = {**SAND, "puppet": [{"motion": "host", "feet": 4, "mass": 20, "footwear": "plate", "hold": "free"}]}
    w = trample.World(scene)
    w.set_control("position")
    assert w.add_puppet(feet=2, mass=20, sole=("disc", 0.05), control="force") == 1
    for i in range(4):
        w.set_foot(i, (0.2 + 0.2 * i, -0.004 * (i + 1), 0.3))
    for i in range(2):
        w.set_foot(i, (0.3 + 0.4 * i, -0.2, 0.7), force=(0, -50.0, 0), puppet=1)
    w.step(0.005), w.step(0.005)
    feet = w.feet()
    assert list(feet["puppet"]) == [0, 0, 0, 0, 1, 1] and (np.diff(feet["normal_force"][:4]) > 0).all()
    assert feet["normal_force"][4:] == pytest.approx([50, 50], rel=1e-4)
    # Contacts and events count feet as who moves them does.
    for table in (w.contacts(), w.events()):
        assert sorted(zip(table["host"].tolist(), table["foot"].tolist())) == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)]
    with pytest.raises(ValueError, match="before its first step"):
        w.set_control("weight")
    assert set(trample.World("walk-mud", duration=1.0).contacts()["host"]) <= {-1}


def test_bad_feet_are_refused():
    w = trample.World(FLAT)
    with pytest.raises(IndexError, match="puppet 0 of 0"):
        w.set_foot(0, (1, 0, 1))
    w.add_puppet(feet=2, mass=30)
    with pytest.raises(ValueError, match="foot 2 of 2"):
        w.set_foot(2, (1, 0, 1))
    with pytest.raises(ValueError, match="every number must be finite"):
        w.set_foot(0, (1, float("nan"), 1))
    with pytest.raises(ValueError, match="quaternion"):
        w.set_foot(0, (1, 0, 1), (0, 0, 0, 0))
    with pytest.raises(ValueError, match="sole `clog`: no such footwear, allowed: bare, shoe"):
        w.add_puppet(sole="clog")
    with pytest.raises(ValueError, match="allowed: free, pinned"):
        w.add_puppet(hold="loose")
    with pytest.raises(trample.SceneError, match="mass"):
        w.add_puppet(mass=-3)
    w.step()
    with pytest.raises(ValueError, match="before its first step"):
        w.set_foot(0, (1, 0, 1), force=(0, -1, 0))


def held(w, y, x=0.5, velocity=(0, 0, 0)):
    w.set_foot(0, (x, y, 0.5), velocity=velocity)
    w.step(0.005)
    return w.feet()[0]


def test_a_held_foot_is_answered_with_a_force_and_leaves_its_depth():
    w = trample.World(SAND)
    w.add_puppet(feet=1, mass=10, sole="plate", length=0.1, width=0.1, control="position")
    assert not held(w, 0.05)["down"]
    rows = [held(w, -0.001 * i) for i in range(1, 31)]
    push = np.array([row["normal_force"] for row in rows])
    assert (np.diff(push) > 0).all() and rows[-1]["down"]
    assert rows[-1]["force"][1] == pytest.approx(-push[-1], rel=1e-5)
    assert rows[-1]["sinkage"] == pytest.approx(0.03, abs=1.5e-3)
    # Of the 30 mm some two spring back: 350 kPa on ground of 0.2 GPa/m.
    assert w.height(0.5, 0.5) == pytest.approx(-0.028, abs=5e-4)
    # Force control sinks as deep under that force.
    other = trample.World(SAND)
    other.add_puppet(feet=1, mass=10, sole="plate", length=0.1, width=0.1, control="force")
    for _ in range(100):
        other.set_foot(0, (0.5, -0.2, 0.5), force=(0, -push[-1], 0))
        other.step(0.005)
    assert other.feet()["sinkage"][0] == pytest.approx(rows[-1]["sinkage"], abs=1e-3)
    # Unloaded at once, loaded again along the same stiff line, and no deeper for it.
    assert held(w, -0.027)["normal_force"] < 0.05 * push[-1]
    assert held(w, -0.030)["normal_force"] == pytest.approx(push[-1], rel=0.1)
    # Along the ground it holds up to its grip, then slides.
    along = [held(w, -0.03, 0.5 + 0.002 * i, (0.4, 0, 0)) for i in range(1, 15)]
    assert along[0]["force"][0] > 0 and along[0]["slip"][0] == 0
    assert along[-1]["slip"][0] == pytest.approx(0.4) and along[-1]["force"][0] > along[0]["force"][0]


@pytest.mark.parametrize(("soil", "k_c", "k_phi", "n"), [("lll-dry-sand", 0.99, 1528.43, 1.1), ("grenville-loam", 0.06, 5880.0, 1.01)])
def test_a_held_plate_meets_the_pressure_of_wongs_table(soil, k_c, k_phi, n):
    for width in (0.05, 0.1, 0.2):
        w = trample.World({"terrain": {"size": [1.0, 1.0], "cell": 0.01, "material": soil}})
        w.add_puppet(feet=1, mass=10, sole="plate", length=width, width=width, control="position")
        for i in range(1, 31):
            foot = held(w, -0.001 * i)
        # Bekker's (k_c/b + k_φ)·zⁿ at 30 mm, kPa by hand; a little of the depth springs back.
        assert foot["normal_force"] / width**2 == pytest.approx(1e3 * (k_c / width + k_phi) * 0.03**n, rel=0.04)


def test_many_held_feet_of_any_sole_and_what_is_refused():
    w = trample.World(SAND)
    w.add_puppet(feet=9, mass=10, sole=("disc", 0.05), control="position")
    for i in range(9):
        w.set_foot(i, (0.1 + 0.1 * i, -0.002 * i, 0.5))
    w.step(0.005)
    push = w.feet()["normal_force"]
    assert push[0] == 0 and (np.diff(push) > 0).all()
    with pytest.raises(ValueError, match="not driven by forces"):
        w.set_foot(0, (0.1, 0, 0.5), force=(0, -1, 0))
    with pytest.raises(ValueError, match="allowed: weight, force, position"):
        w.add_puppet(control="wish")
    with pytest.raises(ValueError, match="cannot share a weight"):
        w.add_puppet(feet=9, control="weight")
    with pytest.raises(ValueError, match="law must be natural"):
        trample.World(FLAT).add_puppet(control="position")
    snapshot = w.snapshot()
    w.step(0.005)
    later = w.hash()
    w.restore(snapshot)
    w.step(0.005)
    assert w.hash() == later


def test_mujoco_hops_on_sand():
    pytest.importorskip("mujoco", reason="SKIPPED: no MuJoCo; pip install mujoco")
    spec = importlib.util.spec_from_file_location("mujoco_hopper", EXAMPLES / "mujoco_hopper.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    rows, world = example.hop("dry-sand", seconds=1.5)
    in_the_air = (rows[:, 3] == 0).mean()
    assert 0.1 < in_the_air < 0.95 and rows[:, 1].max() < 2 and rows[:, 1].min() > 0.3
    assert 0.005 < world.deepest_print() < 0.15
    # From rest to rest the sand carries the weight in the mean: momentum is kept from MuJoCo to trample and back.
    settled, _ = example.hop("dry-sand", seconds=2.0, thrust=0.0)
    assert settled[:, 3].mean() == pytest.approx(9.5 * 9.81, rel=0.02)
    assert np.ptp(settled[-50:, 2]) < 1e-3, "it stands"
