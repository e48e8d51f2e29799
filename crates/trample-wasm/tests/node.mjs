// The package in Node: hashes of library scenes as natively, feet of one's own, changed tiles, events, snapshots, errors. .ci/npm copies it beside
// the example and an installed package, and runs it with docs/run-hashes.txt and the types.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import init, { World, libraryScenes, mapNames, putFile, version } from "trample-wasm";
import { walked } from "./feet.js";

await init();
const known = readFileSync(process.argv[2], "utf8");
for (const name of ["plate", "sphere-drop", "walk-mud"]) {
    const world = World.fromLibrary(name);
    while (!world.isOver) world.step();
    world.settle();
    const line = known.split("\n").find((l) => l.startsWith(`trample run ${name} `));
    assert.equal(line.split(/\s+/).at(-1), world.hash(), name);
    console.log(`ok: ${name} has the hash of trample run: ${world.hash()}`);
    world.free();
}

// Feet of one's own.
const world = walked(World, 5);
const { columns, rows } = world;
const compression = world.map("compression", 0, 0, columns, rows);
assert.ok(compression instanceof Float32Array && compression.length === columns * rows);
assert.ok(Math.max(...compression) > 0.01, "prints in snow");
const tiles = world.takeChangedTiles();
assert.ok(tiles.length > 0 && tiles.length % 4 === 0 && world.takeChangedTiles().length === 0);
const inside = new Set();
for (let i = 0; i < tiles.length; i += 4) {
    for (let z = 0; z < tiles[i + 3]; z++) for (let x = 0; x < tiles[i + 2]; x++) inside.add((tiles[i + 1] + z) * columns + tiles[i] + x);
}
assert.ok(compression.every((depth, i) => depth === 0 || inside.has(i)), "nothing changed outside of the tiles");
const events = world.takeEvents();
const ups = events.filter((e) => e.kind === "foot_up");
assert.ok(ups.length >= 8 && ups.every((e) => e.host === 0 && e.depth > 0 && e.impulse > 0 && e.position.length === 3));
assert.ok(events.some((e) => e.kind === "foot_down") && world.takeEvents().length === 0);
assert.ok(world.contacts().every((c) => c.host === 0 && c.force[1] < 0));

// A state comes back to the bit.
const [before, kept] = [world.hash(), world.snapshot()];
for (let i = 0; i < 30; i++) world.step();
assert.notEqual(world.hash(), before);
world.restore(kept);
assert.equal(world.hash(), before);
assert.ok(world.takeChangedTiles().length >= tiles.length);

// Forces and positions.
const own = World.fromToml('[terrain]\nsize = [4, 2]\ncell = 0.02\nmaterial = "dry-sand"\n[[puppet]]\nmotion = "host"\nfeet = 1\nhold = "free"\n');
assert.equal(own.hosts, 1);
own.setControl(0, "position");
for (let i = 0; i < 20; i++) {
    own.setFoot(0, 0, new Float32Array([2, 0.01 - 0.002 * i, 1]));
    own.step(0.01);
}
assert.ok(own.foot(0, 0).down && own.foot(0, 0).force[1] < -50 && own.foot(0, 1) === undefined);
const robot = own.addPuppet({ feet: 4, control: "force", mass: 30, footwear: "hoof" });
own.setFoot(robot, 3, [1, -0.05, 1], { force: [0, -300, 0] });
own.step(0.01);
assert.deepEqual(own.contacts().filter((c) => c.host === robot).map((c) => [c.foot, Math.round(c.normalForce)]), [[3, 300]]);

// Files that scenes name.
putFile("hill.asc", new TextEncoder().encode("ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 2\n0 1\n0 1\n"));
const hill = World.fromToml('[terrain]\nmaterial = "soil"\n[terrain.base]\nkind = "raster"\nfile = "hill.asc"\n');
assert.ok(hill.height(3.5, 1) > hill.height(0.5, 1) + 0.2);

// What is wrong is told.
const thrown = (work, words) => assert.throws(work, (e) => e instanceof Error && words.test(e.message), String(words));
thrown(() => World.fromToml("[terrain]\ncell = 7\n"), /scene:2.*cell/);
thrown(() => World.fromLibrary("walk-snwo"), /walk-snow/);
thrown(() => World.fromLibrary("park"), /season/);
thrown(() => World.fromToml('[terrain]\nmaterial = "soil"\n[[gate]]\nname = "a"\n'), /scene:3.*no seasons/);
thrown(() => World.fromToml('[terrain]\nbase = { kind = "raster", file = "a.png" }\n'), /a\.png/);
thrown(() => world.step(-1), /dt/);
thrown(() => world.map("depth", 0, 0, 1, 1), /no such map.*delta/);
thrown(() => world.map("height", 0, 0, columns + 1, 1), /cells/);
thrown(() => world.setFoot(0, 0, [1, 2]), /three numbers/);
thrown(() => world.setFoot(0, 0, [NaN, 0, 0]), /finite/);
thrown(() => world.setFoot(0, 0, [0, 0, 0], { rotaton: [0, 0, 0, 1] }), /rotaton.*rotation/);
thrown(() => world.setFoot(9, 0, [0, 0, 0]), /puppet 9/);
thrown(() => world.addPuppet({ footwear: "slippers" }), /no such footwear/);
thrown(() => world.restore(new Uint8Array(10)), /./);
assert.ok(libraryScenes().some((s) => s.name === "walk-snow" && s.about.length > 0));
assert.equal(mapNames().find((m) => m.name === "height").unit, "m");
// The maps that the types name are those that there are.
const typed = readFileSync(process.argv[3], "utf8").match(/type MapName =([^;]*);/)[1];
assert.deepEqual([...typed.matchAll(/"(\w+)"/g)].map((m) => m[1]), mapNames().map((m) => m.name));
console.log(`ok: trample-wasm ${version()} in Node ${process.version}`);
console.log(`walked ${before}`);
