# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Learning to hop on sand
#
# `trample.envs` has Gymnasium environments. Many of them are stepped in parallel in Rust; here a random search finds a gait for the
# hopper: a controller with four parameters, evaluated in one world per candidate.
#
# This notebook needs `pip install gymnasium`.

# %%
import time

import gymnasium
import numpy as np

import trample.envs  # registers the ids

env = gymnasium.make("trample/HopperOnSand-v0")
print(env.unwrapped.__doc__)

# %% [markdown]
# The controller: thrust while the foot is on the ground and the leg extends; in the air, lean the leg in proportion to the speed, to
# place the foot (after Raibert 1986).


# %%
def act(seen, gains):
    ahead, grows, load = seen[:, 3], seen[:, 5], seen[:, 7]
    thrust, pull, lean, wanted = gains.T
    stands = load > 0
    drive = np.where(stands, np.where(grows > 0, thrust, 0.0), -pull)
    # On the ground the leg leans forward from foot to body to push ahead; in the air it leans backward to set the foot ahead.
    return np.stack([drive, np.where(stands, 0.4, -1.0) * lean * (wanted - ahead)], axis=1).astype(np.float32)


def rollout(gains, seconds=4.0, material="dry-sand"):
    """Rewards of all candidates, each in a world of its own, and foot-steps a second."""
    many = trample.envs.HopperOnSandVector(len(gains), seconds=seconds, material=material)
    seen, _ = many.reset(seed=[1] * len(gains))
    total, alive = np.zeros(len(gains)), np.ones(len(gains), bool)
    begun = time.perf_counter()
    for _ in range(round(60 * seconds)):
        seen, rewards, ended, cut, _ = many.step(act(seen, gains))
        total += rewards * alive
        alive &= ~(ended | cut)
    return total, many.foot_steps / (time.perf_counter() - begun)


# %%
rng = np.random.default_rng(1)
best, spread = np.array([0.6, 0.1, 0.3, 0.5]), np.array([0.4, 0.2, 0.4, 0.5])
first = rollout(best[None])[0][0]
for generation in range(4):
    gains = np.vstack([best, best + spread * rng.normal(size=(31, 4))])
    rewards, speed = rollout(gains)
    best, spread = gains[rewards.argmax()], 0.7 * spread
    print(f"generation {generation}: best reward {rewards.max():.2f}, {speed:.0f} foot-steps/s")
assert rewards.max() >= first

# %% [markdown]
# The gait found on sand, tested on other grounds.

# %%
for material in ("dry-sand", "loam", "fresh-snow"):
    print(f"{material:12} reward {rollout(best[None], material=material)[0][0]:.2f}")
