"""`World`: the native world with what needs numpy, xarray and matplotlib."""

from __future__ import annotations

import base64
import html
import io
import os
import sys
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from . import _toml, _trample

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

#: A library scene by name, a TOML file, or a dict of what such a file holds.
SceneLike = str | os.PathLike[str] | Mapping[str, Any]
#: x0, z0, x1, z1, m.
Window = tuple[float, float, float, float]
#: A structured array; `array.dtype.names` lists its fields.
Table = npt.NDArray[np.void]
#: Three or four numbers.
Numbers = Sequence[float] | npt.NDArray[Any]

_MAP_KEYS = ("units", "display_units", "display_factor", "symbol", "long_name")
_MAPS: dict[str, dict[str, Any]] = {name: dict(zip(_MAP_KEYS, row)) for name, *row in _trample.map_table()}
#: Steps that one call of the native part may make.
_MANY = 1 << 62
#: Real seconds between looks at the keyboard and at the progress bar.
_SLICE = 0.1


def scenes() -> dict[str, str]:
    """The scenes of the library with a description of each.

    >>> "walk-snow" in scenes()
    True
    """
    return dict(_trample.scenes())


def maps() -> dict[str, dict[str, Any]]:
    """The maps of the ground: unit, display unit and factor to it, symbol, caption.

    >>> maps()["height"]["units"]
    'm'
    """
    return {name: dict(row) for name, row in _MAPS.items()}


class MapArray(np.ndarray[tuple[int, int], np.dtype[np.float32]]):
    """A map as a float32 array, rows along z and columns along x, with `attrs`: name, units, long_name, cell, origin (x, z of the
    first cell's corner), window (x0, z0, x1, z1), time. Arrays made from one (slices, sums) carry no `attrs` of their own."""

    attrs: dict[str, Any]
    _shows: tuple[object, str, tuple[int, int, int, int], int] | None

    def __array_finalize__(self, obj: npt.NDArray[Any] | None) -> None:
        self.attrs = {}
        # Which state of which world it shows; a copy or a slice is no target for changed tiles alone.
        self._shows = None

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        # What is computed from a map is a plain array or number.
        return array[()] if return_scalar else np.asarray(array)


class World(_trample.World):
    """A simulated world: ground, plants, walkers and puppets.

    `scene` is the name of a library scene, the path of a TOML file, or a dict with the content of such a file. Keywords correspond to
    `--set key=value` of the command; write keys with dots as `**{"puppet.0.speed": 1.5}`. `threads` does not affect results.

    >>> w = World("walk-snow", mass=90)
    >>> w.step(1 / 60)
    >>> w.steps
    1
    >>> World({"preset": "plate", "duration": 0.5}).seconds
    0.5
    >>> World("walk-snwo")
    Traceback (most recent call last):
    ...
    trample.SceneError: walk-snwo: no such file or library scene...
    """

    _told: tuple[str, list[str]]
    _self: object

    def __new__(cls, scene: SceneLike = "walk-snow", *, threads: int = 1, **settings: Any) -> World:
        name, text = _toml.scene(scene)
        told = [_toml.setting(k, v) for k, v in settings.items()]
        world = super().__new__(cls, name, text, told, threads)
        # What the browser simulator is asked to show.
        world._told = (name, told)
        # Which world an array shows, without keeping the world alive.
        world._self = object()
        for doubt in world.doubts:
            warnings.warn(doubt, stacklevel=2)
        return world

    def __init__(self, scene: SceneLike = "walk-snow", *, threads: int = 1, **settings: Any) -> None:
        pass

    # Time

    def step(self, dt: float | None = None) -> None:
        """Advances by `dt` seconds, at most 0.25; by default by the scene's own time step. Other Python threads run meanwhile."""
        self._advance(1, self.dt if dt is None else dt, False, 1e9)

    def run(self, seconds: float | None = None, progress: bool = False) -> None:
        """Advances by `seconds` in the scene's own time steps. Without `seconds`: runs to the end of the scene, then until loose
        material is at rest, as `trample run` does; the hash is then the command's."""
        to_end = seconds is None
        if seconds is None:
            steps, left = _MANY, max(self.total_steps - self.steps, 0)
        elif not seconds >= 0:
            raise ValueError(f"seconds is {seconds}, allowed: 0 or more")
        else:
            steps = left = int(np.ceil(seconds / self.dt - 1e-6))
        bar = _Bar(self.name, left) if progress else None
        made = 0
        while made < steps:
            more, over = self._advance(steps - made, self.dt, to_end, _SLICE)
            made += more
            if bar:
                bar.show(made)
            if to_end and over:
                break
        if to_end:
            self.settle()
        if bar:
            bar.close()

    # What can be looked at

    @overload
    def map(self, name: str, window: Window | None = None, out: MapArray | None = None) -> MapArray: ...
    @overload
    def map(self, name: str, window: Window | None = None, *, out: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]: ...
    def map(self, name: str, window: Window | None = None, out: npt.NDArray[np.float32] | None = None) -> npt.NDArray[np.float32]:
        """A map of the ground as float32, rows along z, columns along x.

        `window` is (x0, z0, x1, z1) in m and is enlarged to whole cells; without it the map covers the same area as in `trample run`: the
        terrain, or the touched part of a very large one. `out` is written instead of a new array. If `out` came from this method, for
        the same world, map and cells, only tiles that may have changed since are written; your own changes to other cells remain."""
        if out is None:
            rect = self._rect(window)
            values, look = self._map(name, rect)
            return self._described(values.view(MapArray), name, rect, look)
        shows = getattr(out, "_shows", None)
        # A terrain too large to show has another part of it touched now: `out` stays where it is.
        rect = shows[2] if shows and shows[0] is self._self and window is None else self._rect(window)
        since = shows[3] if shows and shows[0] is self._self and shows[1:3] == (name, rect) else None
        if getattr(out, "dtype", None) != np.float32 or not out.flags.c_contiguous or not out.flags.writeable:
            raise ValueError("out must be a writeable C-contiguous array of float32")
        look, written = self._update(name, rect, out, since)
        if isinstance(out, MapArray):
            if since is None:
                self._described(out, name, rect, look)
            out._shows = (self._self, name, rect, look)
            out.attrs.update(time=self.time, cells_written=written)
        return out

    def _described(self, values: MapArray, name: str, rect: tuple[int, int, int, int], look: int) -> MapArray:
        x, z, columns, rows = rect
        cell = self.cell
        about = _MAPS[name]
        values.attrs = {
            "name": name,
            "units": about["units"],
            "long_name": about["long_name"],
            "cell": cell,
            "origin": (x * cell, z * cell),
            "window": (x * cell, z * cell, (x + columns) * cell, (z + rows) * cell),
            "time": self.time,
        }
        values._shows = (self._self, name, rect, look)
        return values

    def maps(self, names: Iterable[str] | None = None, window: Window | None = None) -> xarray.Dataset:
        """Maps as an xarray Dataset with coordinates x and z (cell centres, m) and units; if the terrain has a reference
        system also its name, and easting and northing in its unit."""
        import xarray

        rect = self._rect(window)
        x, z, columns, rows = rect
        layers: dict[str, Any] = {}
        for name in _MAPS if names is None else names:
            values, _ = self._map(name, rect)
            about = _MAPS[name]
            told = {key: about[key] for key in ("units", "long_name", "symbol")}
            if name == "material":
                told["flag_values"], told["flag_meanings"] = list(range(len(self.materials))), " ".join(self.materials)
            layers[name] = (("z", "x"), values, told)
        xs, zs = ((first + np.arange(n) + 0.5) * self.cell for first, n in ((x, columns), (z, rows)))
        x_attrs, z_attrs = ({"units": "m", "long_name": towards} for towards in ("east", "south"))
        coords: dict[str, Any] = {"x": ("x", xs, x_attrs), "z": ("z", zs, z_attrs)}
        attrs: dict[str, Any] = {"scene": self.name, "time": self.time, "cell": self.cell, "hash": self.hash()}
        if self.place is not None:
            epsg, corner = self.place
            attrs.update(crs=f"EPSG:{epsg}", corner=corner)
            # z runs south from the corner; the system's unit may be feet.
            coords["easting"] = ("x", corner[0] + xs / self._map_unit(), {"standard_name": "projection_x_coordinate"})
            coords["northing"] = ("z", corner[1] - zs / self._map_unit(), {"standard_name": "projection_y_coordinate"})
        return xarray.Dataset(layers, coords, attrs)

    @overload
    def height(self, xs: float, zs: float) -> float: ...
    @overload
    def height(self, xs: npt.ArrayLike, zs: npt.ArrayLike) -> npt.NDArray[np.float64]: ...
    def height(self, xs: npt.ArrayLike, zs: npt.ArrayLike) -> float | npt.NDArray[np.float64]:
        """Surface height at points, m, interpolated between cells; numbers or arrays that broadcast."""
        x, z = np.broadcast_arrays(np.asarray(xs, np.float64), np.asarray(zs, np.float64))
        heights = self._height(np.ascontiguousarray(x.ravel()), np.ascontiguousarray(z.ravel())).reshape(x.shape)
        return float(heights) if heights.ndim == 0 else heights

    def contacts(self) -> Table:
        """Feet on the ground in the last step, as a structured array."""
        return _table(*self._contacts())

    def events(self, clear: bool = False) -> Table:
        """Events since the start, a restore or the last `clear=True`: feet that touched or left the ground."""
        return _table(*self._events(clear))

    def plants(self, window: Window | None = None) -> Table:
        """Every stem of the plants rooted in a window (x0, z0, x1, z1), m, or everywhere: root position, tip, condition."""
        x0, z0, x1, z1 = (0.0, 0.0, *self.size) if window is None else window
        return _table(*self._plants((x0, z0), (x1, z1)))

    # A host's own feet

    def add_puppet(
        self,
        feet: int = 2,
        mass: float = 77.5,
        sole: str | tuple[str, float] | npt.ArrayLike = "shoe",
        length: float | None = None,
        width: float | None = None,
        hold: str = "free",
        control: str | None = None,
    ) -> int:
        """Adds a body whose feet you move; returns its index.

        `sole` is the name of footwear ("plate", "sphere", "hoof", …; `length` and `width` size it, m), an outline (n × 2: forward,
        right; m), a mesh (n × 3 × 3 triangles: forward, up, right; m), or ("disc", diameter). For "free" soles y is a height; for
        "pinned" soles y is the clearance above the ground, 0 when planted.

        `control` is "weight": the feet share the weight of the body by the position of its centre of mass, plus the momentum of
        their landings; up to eight feet. "force": each foot presses with the given force. "position": each foot is held at its pose,
        and `feet()` returns the reaction force of the ground; natural law only. The default is "weight", or "force" if
        forces are set before the first step or there are more than eight feet."""
        if isinstance(sole, tuple) and len(sole) == 2 and sole[0] == "disc":
            turn = np.linspace(0, 2 * np.pi, 48, endpoint=False)
            sole = 0.5 * sole[1] * np.column_stack([np.cos(turn), np.sin(turn)])
        under = sole if isinstance(sole, str) else np.asarray(sole, float).tolist()
        return self._add_puppet(feet, mass, under, (length, width), hold, control)

    def set_foot(
        self,
        i: int,
        position: Numbers,
        quaternion: Numbers = (0, 0, 0, 1),
        velocity: Numbers = (0, 0, 0),
        force: Numbers | None = None,
        *,
        spin: Numbers = (0, 0, 0),
        toe_bend: float = 0.0,
        puppet: int = 0,
    ) -> np.void:
        """Sets the pose of foot `i` at the end of the next step, and returns its state after the last step: a row of `feet()`.

        `position` is the middle of the sole, m; `quaternion` (x, y, z, w) rotates the sole's frame (x forward, y up, z right) to the
        world's; `velocity` m/s. `force` is the force on the ground, N, so (0, -300, 0) is down: if it is set before the first
        step of a puppet, all of its feet are force-controlled, with 0 until set, and a force stays until it is changed. The force acts
        while the pose touches the ground. Feet with `control="position"` take no force."""
        place, turn, speed, turns = (tuple(map(float, v)) for v in (position, quaternion, velocity, spin))
        self._set_foot(puppet, i, place, turn, speed, turns, toe_bend, None if force is None else tuple(map(float, force)))
        row: np.void = _table(*self._foot(puppet, i))[0]
        return row

    def feet(self) -> Table:
        """State of the feet of your puppets after the last step: force on the ground (N; mean over the step, or at its end under position
        control), sinkage (m below the original ground), slip (m/s; natural law), height of the sole (m), area, pressure,
        suction."""
        return _table(*self._feet())

    # Pictures

    def plot(self, name: str = "height", window: Window | None = None, ax: Axes | None = None, **options: Any) -> Axes:
        """Draws a map with matplotlib, in its display unit; returns the axes."""
        import matplotlib.pyplot as plt

        values = self.map(name, window)
        about = _MAPS[name]
        x0, z0, x1, z1 = values.attrs["window"]
        if ax is None:
            _, ax = plt.subplots(layout="constrained")
        # z runs down, as rows and maps do.
        image = ax.imshow(
            np.asarray(values) * about["display_factor"], extent=(x0, x1, z1, z0), interpolation="nearest", **options
        )
        ax.set(xlabel="x (m)", ylabel="z (m)", title=f"{self.name}, {self.time:.2f} s")
        unit = f" ({about['display_units']})" if about["display_units"] else ""
        ax.figure.colorbar(image, ax=ax, label=f"{name.replace('_', ' ')}{unit}", shrink=0.8)
        return ax

    def __repr__(self) -> str:
        x, z = self.size
        return f"<trample.World {self.name!r}: {x:g} × {z:g} m in cells of {self.cell:g} m, {self.time:.3f} s of {self.seconds:g} s>"

    def _repr_html_(self) -> str:
        text = f"<p><b>{html.escape(self.name)}</b>: {html.escape(self.about)}<br>{html.escape(repr(self))}</p>"
        try:
            from matplotlib.figure import Figure
        except ImportError:
            return text
        figure = Figure(figsize=(6, 3.5), layout="constrained")
        self.plot(ax=figure.subplots())
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=96)
        return f'{text}<img alt="height" src="data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}">'


def _table(fields: list[tuple[str, str]], rows: bytes) -> Table:
    return np.frombuffer(rows, np.dtype(fields)).copy()


class _Bar:
    """A progress line on the error output."""

    def __init__(self, name: str, steps: int):
        self.name, self.steps, self.begun = name, max(steps, 1), time.monotonic()

    def show(self, made: int) -> None:
        share = min(made / self.steps, 1.0)
        spent = time.monotonic() - self.begun
        left = spent / share - spent if share > 0 else float("nan")
        done = int(32 * share)
        print(f"\r{self.name} [{'=' * done}{' ' * (32 - done)}] {100 * share:3.0f} % ETA {left:.0f} s ", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        print(file=sys.stderr)
