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
# # First steps
#
# A walker crosses snow. The results are arrays: maps of the ground, a table of footsteps, figures.

# %%
import matplotlib.pyplot as plt
import numpy as np

import trample

print(len(trample.scenes()), "scenes, among them", ", ".join(list(trample.scenes())[:5]))

# %%
w = trample.World("walk-snow", mass=90)
w.run()
print(w, w.hash())

# %% [markdown]
# Footsteps are events: when each foot touched and left the ground, how deep it sank, how hard it pressed.

# %%
steps = w.events()
left = steps[steps["kind"] == "foot_up"]
for step in left[:5]:
    x, _, z = step["position"]
    print(f"{step['time']:5.2f} s at ({x:.2f}, {z:.2f}) m: {1e3 * step['depth']:.0f} mm, {step['force']:.0f} N, stood {step['stance']:.2f} s")

# %% [markdown]
# Maps are float32 arrays with units and names in `attrs`; `maps()` is an xarray Dataset of all maps.

# %%
prints = w.map("compression")
print(prints.shape, prints.attrs["units"], f"deepest cell {1e3 * prints.max():.0f} mm")
along = prints.max(axis=0)
print("prints cover", f"{100 * np.mean(along > 0.01):.0f} % of the way")

# %%
figure, axes = plt.subplots(2, 1, layout="constrained", figsize=(8, 5))
w.plot("height", ax=axes[0])
w.plot("density", ax=axes[1])
figure.savefig("first_steps.png", dpi=110)

# %% [markdown]
# A state can be saved and restored; the same steps then give the same bits.

# %%
again = trample.World("walk-snow", mass=90)
again.restore(w.snapshot())
assert again.hash() == w.hash()
