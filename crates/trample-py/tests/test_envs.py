"""Gymnasium environments: they pass its checker, do not depend on threads, and are fast."""

import doctest
import time
import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="SKIPPED: no gymnasium; pip install gymnasium")

import trample.envs  # noqa: E402

NAMES = ["HopperOnSand", "WalkerSteering"]


@pytest.mark.parametrize("name", NAMES)
def test_the_checker_is_content(name):
    from gymnasium.utils.env_checker import check_env

    env = gymnasium.make(f"trample/{name}-v0", render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    assert isinstance(env.unwrapped, getattr(trample.envs, name))


def test_examples_in_the_documentation():
    result = doctest.testmod(trample.envs)
    assert result.attempted > 0 and result.failed == 0


def played(name, threads, n=3, steps=40):
    many = getattr(trample.envs, name + "Vector")(n, threads=threads, seconds=4.0)
    seen = [many.reset(seed=7)[0]]
    rng = np.random.default_rng(1)
    for _ in range(steps):
        seen.append(many.step(rng.uniform(-1, 1, (n, 2)).astype(np.float32))[0])
    return np.array(seen), many.hashes()


@pytest.mark.parametrize("name", NAMES)
def test_threads_change_no_bit_and_seeds_do(name):
    one, two = played(name, 1), played(name, 2)
    assert np.array_equal(one[0], two[0]) and one[1] == two[1]
    assert not np.array_equal(one[0][:, 0], one[0][:, 1])


def test_a_vector_is_its_worlds_and_begins_those_anew_that_are_over():
    many = gymnasium.make_vec("trample/HopperOnSand-v0", num_envs=2, vectorization_mode="vector_entry_point", seconds=0.5)
    alone = gymnasium.make("trample/HopperOnSand-v0", seconds=0.5)
    seen, _ = many.reset(seed=[3, 4])
    assert np.array_equal(alone.reset(seed=4)[0], seen[1])
    over = False
    for i in range(40):
        actions = np.full((2, 2), 0.3 * np.sin(i), np.float32)
        seen, rewards, ended, cut, _ = many.step(actions)
        if over:
            assert rewards[1] == 0 and not ended[1] and not cut[1]
            break
        mine = alone.step(actions[1])
        assert np.array_equal(mine[0], seen[1]) and mine[1] == rewards[1]
        over = ended[1] or cut[1]
    assert over, "half a second is 30 actions"


def test_a_hopper_hops_and_comes_to_rest_at_its_weight():
    env = gymnasium.make("trample/HopperOnSand-v0", seconds=6.0)
    seen, _ = env.reset(seed=1)
    for _ in range(200):
        seen, _, ended, _, _ = env.step(np.zeros(2, np.float32))
        assert not ended
    assert seen[7] == pytest.approx(1.0, abs=0.03) and 0.0 < seen[8] < 0.1
    heights = []
    for _ in range(150):
        # Thrust on the way up, as hoppers do.
        up = seen[7] > 0 and seen[4] > -0.05
        seen, _, ended, _, _ = env.step(np.array([1.0 if up else -0.2, 0.0], np.float32))
        assert not ended
        heights.append(seen[0])
    assert max(heights) > 0.56, "it leaves the ground"


def test_a_walker_reaches_its_goal_and_snow_costs_more():
    def walk(**options):
        env = gymnasium.make("trample/WalkerSteering-v0", **options)
        seen, _ = env.reset(seed=5)
        total, ended, cut = 0.0, False, False
        while not (ended or cut):
            ahead, right = seen[:2]
            turn = np.clip(np.arctan2(right, ahead) / 0.375, -1, 1)
            seen, reward, ended, cut, _ = env.step(np.array([0.4, turn], np.float32))
            total += reward
        assert ended
        return total

    assert walk() < walk(material="loam") - 0.5


def test_bad_options_are_refused():
    with pytest.raises(ValueError, match="no such material, allowed: "):
        trample.envs.HopperOnSandVector(1, material="cheese")
    with pytest.raises(ValueError, match="allowed: 1 to 65536"):
        trample.envs.HopperOnSandVector(0)
    for options in ({"seconds": 0}, {"seconds": float("nan")}, {"threads": 0}, {"material": ""}):
        with pytest.raises(ValueError, match="allowed: "):
            trample.envs.WalkerSteeringVector(1, **options)
    with pytest.raises(TypeError):
        gymnasium.make("trample/HopperOnSand-v0", grond="mud")
    many = trample.envs.HopperOnSandVector(2)
    with pytest.raises(ValueError, match="3 seeds for 2 worlds"):
        many.reset(seed=[1, 2, 3])
    many.reset(seed=1)
    with pytest.raises(ValueError, match="must be finite"):
        many.step(np.full((2, 2), np.nan))
    with pytest.raises(ValueError, match="actions must have 2 rows of 2 numbers"):
        many.step(np.zeros((3, 2)))


@pytest.mark.parametrize("name", NAMES)
def test_many_worlds_are_fast(name):
    many = gymnasium.make_vec(f"trample/{name}-v0", num_envs=64, vectorization_mode="vector_entry_point", threads=2)
    many.reset(seed=1)
    rng = np.random.default_rng(2)
    actions = rng.uniform(-1, 1, (20, 64, 2)).astype(np.float32)
    begun, cpu = time.perf_counter(), time.process_time()
    before = many.foot_steps
    for a in actions:
        many.step(a)
    made = many.foot_steps - before
    # By the processor's clock: the machine may be busy with other things.
    per_core = made / (time.process_time() - cpu)
    print(f"{made / (time.perf_counter() - begun):.0f} foot-steps/s by the wall clock, {per_core:.0f} per core")
    assert per_core > 25_000, "half of 100 k on two cores, with room for slow machines"
