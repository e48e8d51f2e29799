"""A script as a user writes it, for type checkers; it is not run."""
import numpy as np
import trample
from trample import cluster
import trample.envs


def main() -> None:
    w = trample.World("walk-snow", mass=90)
    w.step(1 / 60)
    w.run(0.2, progress=True)
    h = w.map("height", window=(0.0, 0.0, 1.0, 1.0))
    total: float = float(h.sum())
    units: str = h.attrs["units"]
    w.map("height", out=h)
    plain = np.zeros((3, 3), np.float32)
    try:
        w.map("height", out=plain)
    except ValueError as wrong:
        print(wrong)
    one: float = w.height(1.0, 1.0)
    many = w.height([1.0, 2.0], 1.0).mean()
    c = w.contacts()["force"]
    e = w.events(clear=True)
    p = w.plants()
    s: bytes = w.snapshot()
    w.restore(s)
    digest: str = w.hash()
    i = w.add_puppet(feet=4, mass=30, sole=("disc", 0.08), control="force")
    row = w.set_foot(0, (1.1, -0.01, 1.2), quaternion=(0, 0, 0, 1), velocity=(0, -0.2, 0), force=(0, -90, 0), puppet=i)
    print(total, units, one, many, c.shape, len(e), len(p), digest, row["force"], w.feet().dtype.names)
    env = trample.envs.HopperOnSand(material="dry-sand", seconds=1.0)
    seen, info = env.reset(seed=1)
    seen, reward, ended, cut, info = env.step(np.zeros(2, np.float32))
    print(seen, reward + 1.0, ended, cut, info)
    many_envs = trample.envs.WalkerSteeringVector(2, threads=2)
    print(many_envs.reset(seed=1)[0].shape, many_envs.foot_steps)
    print(sorted(trample.scenes())[:3], trample.maps()["height"]["units"])
    table = trample.sweep("plate", {"mass": [40, 80]}, seeds=[1], seconds=0.1, measure=lambda w: {"low": w.deepest_print()})
    print(len(table))
    text: str = cluster.plan("lane-season", "PLAN.json", settings={"days": 1})
    print(len(text), w.place, w.size[0], w.materials, w.volume()["carved"], w.cover())
    try:
        trample.World("nope")
    except trample.SceneError as problem:
        print(problem)


main()
