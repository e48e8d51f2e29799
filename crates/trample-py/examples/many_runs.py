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
# # Many runs
#
# `trample.sweep` runs a scene over a grid of settings and seeds and returns a table. `trample.cluster` divides a season into units
# of work. Both run on threads, or on a cluster with `backend="ray"`.

# %%
import tempfile

import trample
from trample import cluster

table = trample.sweep("walk-mud", {"mass": [50, 75, 100], "duration": [3.0]}, seeds=3)
print(table.groupby("mass")[["footsteps", "deepest_print"]].mean())

# %%
data = table.set_index(["mass", "seed"])[["deepest_print", "carved"]].to_xarray()
print(data.deepest_print.mean("seed").values)
assert (data.deepest_print.mean("seed").diff("mass") > 0).all()

# %% [markdown]
# A season of three days, in one piece and in two tiles: the same bits. On a cluster: `backend="ray", address="auto"`.

# %%
told = {"days": 3, "people_per_day": 5, "cell": 0.08}
with tempfile.TemporaryDirectory() as folder:
    whole = cluster.season("triangle", out=f"{folder}/whole", settings=told)
    tiled = cluster.season("triangle", out=f"{folder}/tiled", settings=told, tiles=(2, 1))
print(whole)
assert whole["hash"] == tiled["hash"]
