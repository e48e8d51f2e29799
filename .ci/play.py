"""Assertions on the state objects that the scripted visit left."""
import json
import sys

folder = sys.argv[1]


def state(name):
    with open(f"{folder}/{name}.json") as file:
        return json.load(file)


failures = []


def check(claim, holds):
    print(("ok: " if holds else "FAILED: ") + claim)
    if not holds:
        failures.append(claim)


start, walked, side = state("start"), state("walked"), state("sidestep")
check("first frame within 30 s even in software", 0 < start["first_frame"] < 30)
gone = [b - a for a, b in zip(start["walkers"][0]["at"], walked["walkers"][0]["at"])]
far = (gone[0] ** 2 + gone[1] ** 2) ** 0.5
check(f"W and Shift walk and run: {far:.2f} m in 1.3 s", 1.2 < far < 5.0)
check(f"footprints: {walked['footfalls']} footfalls, {1e3 * walked['deepest']:.1f} mm deep", walked["footfalls"] >= 3 and walked["deepest"] > 0.003)
check(f"distance counted: {walked['distance']:.2f} m", abs(walked["distance"] - far) < 0.5)
check("what was displaced lies around", walked["volume_error"] < 1e-6)
aside = [b - a for a, b in zip(walked["walkers"][0]["at"], side["walkers"][0]["at"])]
check(f"E goes sideways, to the right of where it looks: {aside}", aside[1] > 0.25 and abs(side["walkers"][0]["heading"]) < 0.5)
over = state("overlay")
check("M twice shows compression", over["overlay"] == "compression")
check("F shows forces, contact and balance", over["switches"] == ["forces", "contact", "balance"])
check("3 is the close-up camera", over["camera"] == "print")
way, route = state("waypoints"), state("route")
check(f"two clicks place two waypoints: {way['waypoints']}", way["waypoints"] == 2)
moved = [b - a for a, b in zip(way["walkers"][0]["at"], route["walkers"][0]["at"])]
check(f"Enter sends the walker along: {moved}", (moved[0] ** 2 + moved[1] ** 2) ** 0.5 > 0.3)
twin = state("twin")
check("T brings a twin", [w["name"] for w in twin["walkers"]] == ["walker", "walker (no balance)"])
paused, still, stepped, undone = state("paused"), state("still"), state("stepped"), state("undone")
check("P pauses", paused["paused"] and paused["steps"] == still["steps"])
check(". is one step", stepped["steps"] == still["steps"] + 1)
check("Z goes back about five seconds", 4.0 < stepped["time"] - undone["time"] < 6.5)
check("before the twin came", len(undone["walkers"]) == 1)
check("H shows help", state("help")["help"])
steady = [s for s in (over, route, twin)]
check(f"no full upload: {max(s['uploaded'][0] for s in steady)} bytes in a frame", all(s["uploaded"][0] < 512 * 512 * 4 for s in steady))
print(f"a step takes {1e3 * route['step_seconds']:.2f} ms here, {route['frame_rate']:.1f} frames a second")
sys.exit(1 if failures else 0)
