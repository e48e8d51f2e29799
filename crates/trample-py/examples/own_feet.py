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
# # A host's own feet
#
# Your program moves the feet. Each presses with a given force (`control="force"`), or is held at a pose and the ground returns a reaction
# force (`control="position"`), or all share the weight of their body (`control="weight"`).

# %%
import matplotlib.pyplot as plt
import numpy as np

import trample

SAND = {"terrain": {"size": [2.0, 1.0], "cell": 0.01, "material": "dry-sand"}}

# %% [markdown]
# A machine with four feet, each with its own force.

# %%
w = trample.World(SAND)
w.add_puppet(feet=4, mass=30, sole=("disc", 0.08), control="force")
places = [(0.5, 0.3), (0.5, 0.7), (1.0, 0.3), (1.0, 0.7)]
for _ in range(30):
    for i, (x, z) in enumerate(places):
        w.set_foot(i, (x, -0.2, z), force=(0, -30.0 * (i + 1), 0))
    w.step(1 / 60)
for foot in w.feet():
    print(f"foot {foot['foot']}: {foot['normal_force']:.0f} N, {1e3 * foot['sinkage']:.1f} mm, {foot['pressure'] / 1e3:.0f} kPa")

# %% [markdown]
# The reverse experiment on the same sand: a plate is pressed down, lifted, and pressed again. First loading follows the
# pressure–sinkage curve; unloading follows a steep line, because most of the sinkage is plastic.

# %%
w = trample.World(SAND)
w.add_puppet(feet=1, mass=10, sole="plate", length=0.1, width=0.1, control="position")
way = np.concatenate([np.linspace(0, 30, 61), np.linspace(30, 15, 31), np.linspace(15, 45, 61)])
force = []
for depth in 1e-3 * way:
    w.set_foot(0, (1.5, -depth, 0.5))
    w.step(0.01)
    force.append(w.feet()["normal_force"][0])

# %%
figure, axes = plt.subplots(1, 2, layout="constrained", figsize=(9, 3.5))
axes[0].plot(way, force)
axes[0].set(xlabel="depth of the plate (mm)", ylabel="force (N)")
w.plot("height", ax=axes[1])
figure.savefig("own_feet.png", dpi=110)
assert force[60] > 100 > force[75] and w.deepest_print() > 0.04
