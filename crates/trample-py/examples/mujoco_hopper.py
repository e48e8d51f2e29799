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
# # A hopper in MuJoCo on sand in trample
#
# MuJoCo simulates the machine: a mass on a sprung leg with a foot. trample simulates the ground. In each step MuJoCo gives the pose of
# the foot (`control="position"`), trample returns the reaction force of the sand, and MuJoCo applies it to the foot. MuJoCo's own floor
# is not used.
#
# This notebook needs `pip install mujoco`.

# %%
import mujoco
import numpy as np

import trample

MACHINE = """
<mujoco>
  <option timestep="0.0005" gravity="0 0 -9.81" integrator="implicitfast"/>
  <worldbody>
    <body name="body" pos="0 0 0.75">
      <joint type="slide" axis="1 0 0"/>
      <joint type="slide" axis="0 0 1"/>
      <geom type="sphere" size="0.1" mass="8" contype="0" conaffinity="0"/>
      <body name="foot" pos="0 0 -0.5">
        <joint name="leg" type="slide" axis="0 0 1" stiffness="4000" damping="30" range="-0.2 0.3" limited="true"/>
        <geom type="cylinder" size="0.06 0.01" pos="0 0 0.01" mass="1.5" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="leg" gear="-1"/></actuator>
</mujoco>
"""
X, Z = 0.5, 0.5  # where MuJoCo's origin is on trample's map; MuJoCo's z is up, trample's y


# %% [markdown]
# `thrust` extends the leg while the foot is on the ground and the body moves up: this replaces the energy lost in the sand.

# %%
def hop(material: str, seconds: float = 3.0, thrust: float = 220.0):
    """Lets the hopper hop; returns rows of time, heights of body and foot, mean force, each 10 ms, and the world."""
    model = mujoco.MjModel.from_xml_string(MACHINE)
    data = mujoco.MjData(model)
    foot, body = (mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name) for name in ("foot", "body"))
    dt = model.opt.timestep
    world = trample.World({"terrain": {"size": [1.0, 1.0], "cell": 0.01, "material": material}})
    world.add_puppet(feet=1, mass=9.5, sole=("disc", 0.12), control="position")
    rows, impulse, velocity = [], 0.0, np.zeros(6)
    mujoco.mj_forward(model, data)
    for i in range(round(seconds / dt)):
        x, y, z = data.xpos[foot]
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, foot, velocity, 0)
        u, v, w = velocity[3:]
        world.set_foot(0, (X + x, z, Z - y), velocity=(u, w, -v))
        world.step(dt)
        fx, fy, fz = world.feet()["force"][0]
        # The reaction force has the opposite sign of the force on the ground; converted to MuJoCo's axes.
        data.xfrc_applied[foot, :3] = -fx, fz, -fy
        rising = fy < 0 and data.qvel[1] > 0
        data.ctrl[0] = thrust if rising else 0.0
        mujoco.mj_step(model, data)
        impulse -= fy * dt
        if i % 20 == 19:
            rows.append((data.time, data.xpos[body][2], z, impulse / (20 * dt)))
            impulse = 0.0
    return np.array(rows), world


# %%
def report(seconds: float = 3.0):
    """Hops on three grounds: how high, how hard, how deep."""
    runs = {}
    for material in ("loam", "dry-sand", "fresh-snow"):
        rows, world = hop(material, seconds)
        late = rows[rows[:, 0] > 0.5 * seconds]
        runs[material] = rows, world
        print(
            f"{material:12} body up to {late[:, 1].max():.3f} m, force up to {late[:, 3].max():4.0f} N, "
            f"print {1e3 * world.deepest_print():.0f} mm"
        )
    return runs


# %%
if __name__ == "__main__":
    import matplotlib.pyplot as plt

    runs = report()
    figure, axes = plt.subplots(2, 1, sharex=True, layout="constrained", figsize=(7, 5))
    for material, (rows, _) in runs.items():
        axes[0].plot(rows[:, 0], rows[:, 1], label=material)
        axes[1].plot(rows[:, 0], 1e3 * rows[:, 2])
    axes[0].set(ylabel="body (m)")
    axes[0].legend(loc="lower left")
    axes[1].set(ylabel="sole (mm)", xlabel="time (s)", ylim=(-300, 350))
    figure.savefig("mujoco_hopper.png", dpi=110)
