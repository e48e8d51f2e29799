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
# # Who left this print? Mass and soil from a depth
#
# Given a print in the ground: how heavy was the walker, and how strong is the soil? Approximate Bayesian computation by rejection:
# draw mass and soil from a prior, simulate the print, keep the draws whose print is closest to the observed one, and correct each
# for the remaining difference by regression.
#
# **Depth alone cannot separate mass and soil**: a light person on weak ground leaves the same print as a heavy one on firm ground. A
# second print beside the first, of an object of known weight, resolves this.

# %%
import os
from concurrent.futures import ThreadPoolExecutor

import matplotlib.pyplot as plt
import numpy as np

import trample

MASS = (40.0, 110.0)  # kg, uniform
SOIL = (0.5, 4.0)  # strength over that of loam, uniform in its logarithm
KNOWN = 40.0  # kg, on a plate of 10 × 10 cm
NOISE = 5e-4  # m: how well a depth is measured, standard deviation
K_PHI, K_C = 1.5e6, 1.0e4  # of the soil at strength 1, N/m^(n+2) and N/m^(n+1): our choice


# %%
def depths(mass: float, soil: float) -> tuple[float, float]:
    """Depth of the print of a foot of 26 × 9 cm under a body of `mass`, and of the known weight, m."""
    w = trample.World(
        {
            "terrain": {"size": [1.2, 0.6], "cell": 0.02, "material": "mine"},
            "material": [
                {"name": "mine", "preset": "loam", "frictional_modulus": K_PHI * soil, "cohesive_modulus": K_C * soil, "exponent": 0.9}
            ],
        }
    )
    w.add_puppet(feet=1, mass=mass, sole="plate", length=0.26, width=0.09, control="force")
    w.add_puppet(feet=1, mass=KNOWN, sole="plate", length=0.1, width=0.1, control="force")
    for _ in range(8):
        # In the push-off a foot presses with some 1.1 times the weight (any textbook on gait).
        w.set_foot(0, (0.4, -0.4, 0.3), force=(0, -1.1 * 9.81 * mass, 0), puppet=0)
        w.set_foot(0, (0.9, -0.4, 0.3), force=(0, -9.81 * KNOWN, 0), puppet=1)
        w.step(0.02)
    sinkage = w.feet()["sinkage"]
    return sinkage[0], sinkage[1]


def draw(n: int, seed: int):
    """Masses and soils from what is thought possible, and their prints as they would be measured."""
    rng = np.random.default_rng(seed)
    mass, soil = rng.uniform(*MASS, n), np.exp(rng.uniform(*np.log(SOIL), n))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        exact = np.array(list(pool.map(depths, mass, soil)))
    return np.column_stack([mass, np.log(soil)]), exact + NOISE * rng.normal(size=exact.shape)


# %%
def posterior(found, simulated, drawn, keep: int):
    """The draws whose prints are the `keep` closest ones, each moved by what its print differs (Beaumont et al. 2002)."""
    off = (simulated - found) / simulated.std(axis=0)
    far = np.sqrt(np.sum(off**2, axis=1))
    near = np.argsort(far)[:keep]
    weight = np.sqrt(1 - (far[near] / far[near].max()) ** 2)[:, None]
    rows = np.column_stack([np.ones(keep), off[near]])
    slopes = np.linalg.lstsq(weight * rows, weight * drawn[near], rcond=None)[0]
    return drawn[near] - off[near] @ slopes[1:]


def study(draws: int = 1500, truths: int = 300, keep: int = 75):
    """Per kind of evidence: how wide 90 % intervals are against what was thought before, and how often they hold the truth."""
    drawn, simulated = draw(draws, seed=1)
    true, found = draw(truths, seed=2)
    before = np.array([0.9 * (MASS[1] - MASS[0]), 0.9 * (np.log(SOIL[1]) - np.log(SOIL[0]))])
    results = {}
    for name, columns in {"depth alone": [0], "depth and a known weight": [0, 1]}.items():
        kept = [posterior(f[columns], simulated[:, columns], drawn, keep) for f in found]
        low, high = (np.array([np.quantile(k, q, axis=0, method="weibull") for k in kept]) for q in (0.05, 0.95))
        covered = np.mean((low <= true) & (true <= high), axis=0)
        ridge = np.mean([np.corrcoef(k.T)[0, 1] for k in kept])
        results[name] = {"covered": covered, "width": np.mean((high - low) / before, axis=0), "correlation": ridge, "kept": kept}
        print(
            f"{name}: 90 % intervals hold {100 * covered[0]:.0f} % of masses and {100 * covered[1]:.0f} % of soils; mass is known to "
            f"{100 * results[name]['width'][0]:.0f} % of what was thought possible; mass and soil correlate with {ridge:.2f}"
        )
    return results, true


# %%
if __name__ == "__main__":
    results, true = study()
    alone, both = results["depth alone"], results["depth and a known weight"]
    for result in results.values():
        assert ((0.85 <= result["covered"]) & (result["covered"] <= 0.95)).all(), result["covered"]
    print("Depth alone cannot tell mass from soil." if alone["width"][0] > 0.8 and alone["correlation"] > 0.5 else "?")
    figure, axes = plt.subplots(1, 2, layout="constrained", figsize=(9, 4), sharex=True, sharey=True)
    for ax, (name, result) in zip(axes, results.items()):
        kept = result["kept"][0]
        ax.plot(np.exp(kept[:, 1]), kept[:, 0], ".", label="kept draws")
        ax.plot(np.exp(true[0, 1]), true[0, 0], "*", markersize=15, label="truth")
        ax.set(title=name, xlabel="strength of the soil over loam's", xscale="log", xlim=SOIL, ylim=MASS)
        ax.set_xticks([0.5, 1, 2, 4], ["0.5", "1", "2", "4"])
        ax.minorticks_off()
    axes[0].set(ylabel="mass (kg)")
    axes[0].legend()
    figure.savefig("inverse.png", dpi=110)
