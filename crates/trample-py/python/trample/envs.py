"""Gymnasium environments: `HopperOnSand` and `WalkerSteering`, single and vectorised.

>>> import gymnasium, trample.envs
>>> env = gymnasium.make("trample/HopperOnSand-v0")
>>> seen, info = env.reset(seed=1)
>>> seen, reward, terminated, truncated, info = env.step(env.action_space.sample())
>>> many = gymnasium.make_vec("trample/HopperOnSand-v0", num_envs=4, vectorization_mode="vector_entry_point")
>>> many.reset(seed=1)[0].shape
(4, 9)

Worlds are stepped in Rust on several threads, without the interpreter lock. The same seed and the same actions give the same
bits for any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from . import _trample

__all__ = ["HopperOnSand", "HopperOnSandVector", "WalkerSteering", "WalkerSteeringVector"]


_Array = npt.NDArray[np.float32]


class _Many(VectorEnv[_Array, _Array, npt.NDArray[Any]]):
    """Many worlds of one kind. Finished worlds are reset in the next step, like gymnasium's own vector environments."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 60, "autoreset_mode": AutoresetMode.NEXT_STEP}
    _native: ClassVar[type[_trample.Hoppers] | type[_trample.Walkers]]
    _low: ClassVar[list[float]]
    _high: ClassVar[list[float]]
    _material: ClassVar[str]
    _seconds: ClassVar[float]

    def __init__(
        self,
        num_envs: int = 1,
        *,
        threads: int | None = None,
        material: str | None = None,
        seconds: float | None = None,
        render_mode: str | None = None,
    ) -> None:
        actions, seen, self._random = self._native.sizes
        threads = min(os.cpu_count() or 1, max(num_envs, 1)) if threads is None else threads
        material = self._material if material is None else material
        self._worlds = self._native(num_envs, threads, material, float(self._seconds if seconds is None else seconds))
        self.num_envs, self.render_mode = num_envs, render_mode
        self.single_action_space = spaces.Box(-1.0, 1.0, (actions,), np.float32)
        self._range = np.array(self._low, np.float32), np.array(self._high, np.float32)
        self.single_observation_space = spaces.Box(*self._range, (seen,), np.float32)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._over = np.zeros(num_envs, bool)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[_Array, dict[str, Any]]:
        """Resets all worlds; a list of seeds gives each its own."""
        if seed is None or isinstance(seed, (int, np.integer)):
            seeds = [None if seed is None else int(seed) + i for i in range(self.num_envs)]
        else:
            seeds = list(seed)
            if len(seeds) != self.num_envs:
                raise ValueError(f"{len(seeds)} seeds for {self.num_envs} worlds")
        if seed is not None or not hasattr(self, "_rngs"):
            self._rngs = [np.random.default_rng(s) for s in seeds]
        self._over[:] = False
        return self._begin(np.ones(self.num_envs, bool)), {}

    def _begin(self, which: npt.NDArray[np.bool_]) -> _Array:
        random = np.zeros((self.num_envs, self._random), np.float32)
        for i in np.flatnonzero(which):
            random[i] = self._rngs[i].random(self._random, np.float32)
        return self._seen(self._worlds.reset(which, random)[0])

    def _seen(self, values: _Array) -> _Array:
        return np.clip(values, *self._range)

    def step(self, actions: npt.ArrayLike) -> tuple[_Array, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Steps every world by an action; a finished world is reset instead, with reward 0."""
        again = self._over
        if again.any():
            self._begin(again)
        seen, rewards, ended, cut = self._worlds.step(np.ascontiguousarray(actions, np.float32), again)
        # A world that has just begun is not over.
        ended, cut = ended & ~again, cut & ~again
        self._over = ended | cut
        return self._seen(seen), rewards, ended, cut, {}

    @property
    def foot_steps(self) -> int:
        """Number of feet times steps so far."""
        return self._worlds.foot_steps

    def hashes(self) -> list[str]:
        """The state hash of every world, 16 hexadecimal digits."""
        return [self._worlds.hash(i) for i in range(self.num_envs)]

    def render(self) -> tuple[npt.NDArray[np.uint8], ...] | None:
        """A picture of every world, 320 × 480 pixels."""
        return tuple(self._picture(i) for i in range(self.num_envs)) if self.render_mode == "rgb_array" else None

    def _draw(self, ax: Any, points: dict[str, list[float]], ground: npt.NDArray[np.float64]) -> None:
        raise NotImplementedError

    def _picture(self, i: int) -> npt.NDArray[np.uint8]:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(4.8, 3.2), dpi=100, layout="constrained")
        points, ground = self._worlds.scene(i)
        self._draw(figure.subplots(), dict(points), np.array(ground))
        canvas: Any = FigureCanvasAgg(figure)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3].copy()


class _One(gymnasium.Env[_Array, _Array]):
    """One world of a kind: a vector of one."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 60}
    _many: ClassVar[type[_Many]]

    def __init__(
        self,
        render_mode: str | None = None,
        *,
        threads: int | None = None,
        material: str | None = None,
        seconds: float | None = None,
    ) -> None:
        self._vector = self._many(1, render_mode=render_mode, threads=threads, material=material, seconds=seconds)
        self.render_mode = render_mode
        self.action_space = self._vector.single_action_space
        self.observation_space = self._vector.single_observation_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[_Array, dict[str, Any]]:
        """Resets the world."""
        super().reset(seed=seed)
        self._vector._rngs = [self.np_random]
        self._vector._over[:] = False
        return self._vector._begin(np.ones(1, bool))[0], {}

    def step(self, action: npt.ArrayLike) -> tuple[_Array, float, bool, bool, dict[str, Any]]:
        """Steps the world by an action."""
        # Steps after the end continue from there, until a reset.
        self._vector._over = np.zeros(1, bool)
        seen, rewards, ended, cut, info = self._vector.step(np.asarray(action, np.float32)[None])
        return seen[0], float(rewards[0]), bool(ended[0]), bool(cut[0]), info

    def render(self) -> npt.NDArray[np.uint8] | None:
        """A picture of the world, 320 × 480 pixels."""
        pictures = self._vector.render()
        return pictures[0] if pictures else None


class HopperOnSandVector(_Many):
    """Many hoppers: see `HopperOnSand`."""

    _native, _material, _seconds = _trample.Hoppers, "dry-sand", 10.0
    _low = [-1, 0, -3.2, -20, -20, -20, -50, 0, 0]
    _high = [10, 2, 3.2, 20, 20, 20, 50, 1000, 1]

    def _draw(self, ax: Any, points: dict[str, list[float]], ground: npt.NDArray[np.float64]) -> None:
        (x, y), (u, v) = points["body"], points["foot"]
        ax.fill_between(ground[:, 0], ground[:, 1], -0.2, color="#d8c08a", step="mid", linewidth=0)
        ax.plot([x, u], [y, v], color="#555555", linewidth=3, zorder=2)
        ax.plot([u - 0.06, u + 0.06], [v, v], color="#222222", linewidth=5, solid_capstyle="butt", zorder=3)
        ax.plot(x, y, "o", markersize=20, color="#3b6fb6", zorder=3)
        ax.set(xlim=(x - 0.9, x + 0.9), ylim=(-0.15, 1.05), xlabel="x (m)", ylabel="y (m)", aspect="equal")


class HopperOnSand(_One):
    """A one-legged hopper on dry sand. The task is to move forward without falling.

    Body 8 kg, foot 1 kg with a disc of 12 cm, springy leg of 0.5 m; the body keeps its attitude, as on a boom. 60 actions per second, 8
    steps each. Action: force along the leg (±250 N), target lean of the leg (±0.5 rad). Observation: height of the body above the ground (m),
    length (m) and lean (rad) of the leg, velocity of the body (m/s, ahead and up), rates of length and lean, force under the foot divided by
    the weight, sinkage of the foot (m). Reward: metres ahead, 0.5 per second for being upright, −0.1 per second at full effort.
    Terminates when the body is below 0.25 m or the leg leans more than 1 rad; truncated after `seconds` or at the end of the 8 m strip.
    `material` is the name of a ground material.
    """

    _many = HopperOnSandVector


class WalkerSteeringVector(_Many):
    """Many walkers: see `WalkerSteering`."""

    _native, _material, _seconds = _trample.Walkers, "fresh-snow", 40.0
    _low = [-20, -20, -5, -5, 0, *[0] * 9]
    _high = [20, 20, 5, 5, 10, *[1] * 9]
    metadata = {**_Many.metadata, "render_fps": 4}

    def _draw(self, ax: Any, points: dict[str, list[float]], ground: npt.NDArray[np.float64]) -> None:
        (x0, z0), (x1, z1) = ground
        ax.set_facecolor("#b9b08f")
        ax.fill([x0, x1, x1, x0], [z0, z0, z1, z1], color="#f4f6fa")
        ax.plot(*points["goal"], "*", markersize=18, color="#e8b020")
        ax.plot(*points["walker"], "o", markersize=10, color="#3b6fb6")
        ax.set(xlim=(0, 12), ylim=(8, 0), xlabel="x (m)", ylabel="z (m)", aspect="equal")


class WalkerSteering(_One):
    """A walker that is steered over 12 × 8 m of loam, with soft ground (4 × 4 m of fresh snow) in the middle, to a goal on the far side.

    4 actions per second. Action: speed (−1 stands, 1 is 1.8 m/s), turn (±1.5 rad/s). Observation: the goal relative to the walker (ahead and
    right, m), velocity (ahead and right, m/s), metabolic power (kW), and whether the ground is soft at nine points ahead. Reward: metres of
    approach, −1 per kJ of energy, 10 for arriving. Terminates within 0.5 m of the goal; truncated after `seconds` or at the edge of the field.
    """

    metadata = {**_One.metadata, "render_fps": 4}
    _many = WalkerSteeringVector


for _name in ("HopperOnSand", "WalkerSteering"):
    gymnasium.register(
        f"trample/{_name}-v0", entry_point=f"trample.envs:{_name}", vector_entry_point=f"trample.envs:{_name}Vector"
    )
