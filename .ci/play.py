"""Assertions on the state objects that the scripted visit left."""
import json
import math
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
check("opens on somebody walking, seen from the front", start["camera"] == "front")
check("and is handed over to the first key", walked["camera"] == "follow")
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
lift = max(state(f"jump-{i}")["walkers"][0]["lift"] for i in range(1, 7))
check(f"Space jumps: both soles {100 * lift:.0f} cm above the ground", lift > 0.08)
twin = state("twin")
check("T brings a twin", [w["name"] for w in twin["walkers"]] == ["walker", "walker (no balance)"])
paused, still, stepped, undone = state("paused"), state("still"), state("stepped"), state("undone")
check("P pauses", paused["paused"] and paused["steps"] == still["steps"])
check(". is one step", stepped["steps"] == still["steps"] + 1)
check("Z goes back about five seconds", 4.0 < stepped["time"] - undone["time"] < 6.5)
check("before the twin came", len(undone["walkers"]) == 1)
check("H shows help", state("help")["help"])
check(f"footsteps are heard: {walked['sound']}", walked["sound"][0] and walked["sound"][1] >= 3)
check("N silences them", not state("dropped")["sound"][0])
before, after, turned = state("pad-before"), state("pad-walked"), state("pad-turned")
moved = [b - a for a, b in zip(before["walkers"][0]["at"], after["walkers"][0]["at"])]
check(f"a released key stops the walker: {before['walkers'][0]['speed']:.2f} m/s", before["walkers"][0]["speed"] < 0.1)
check(f"the left stick walks: {moved}", (moved[0] ** 2 + moved[1] ** 2) ** 0.5 > 0.5)


def around(state):
    """Where the eye is, seen from the walker, rad."""
    at = state["walkers"][0]["at"]
    return math.atan2(state["eye"][2] - at[1], state["eye"][0] - at[0])


turn = (around(state("pad-still")) - around(turned) + math.pi) % (2 * math.pi) - math.pi
check(f"the right stick turns the camera: {turn:.2f} rad", abs(turn) > 0.4)
check("the north button is the next camera", turned["camera"] == "orbit" and state("pad-north")["camera"] == "print")
touched = state("touched")
moved = [b - a for a, b in zip(state("pad-north")["walkers"][0]["at"], touched["walkers"][0]["at"])]
check(f"a thumb on the left half walks: {moved}", (moved[0] ** 2 + moved[1] ** 2) ** 0.5 > 0.4)
check("the other thumb's button is the next camera", touched["camera"] == "orbit")
check(f"a line drawn with the mouse is a route: {state('drawn')['waypoints']} places", state("drawn")["waypoints"] >= 3)
check("a dropped scene file is used", state("dropped")["scene"] == "own")
check("a route that is walked stays in view", "routes" in route["switches"])
steady = [s for s in (over, route, twin)]
check(f"no full upload: {max(s['uploaded'][0] for s in steady)} bytes in a frame", all(s["uploaded"][0] < 512 * 512 * 4 for s in steady))
print(f"a step takes {1e3 * route['step_seconds']:.2f} ms here, {route['frame_rate']:.1f} frames a second")
sys.exit(1 if failures else 0)
