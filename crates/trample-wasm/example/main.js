// The page: boots walk over snow, and the heights of tiles that change are written into a mesh of three.js, or into a shaded picture where that
// is not installed. With ?test it also runs a scene of the library and sends what came out to the server, which is .ci/npm.py then.
import init, { World } from "trample-wasm";
import { Feet, SCENE, corner, walked } from "./feet.js";

const canvas = document.getElementById("view");
const testing = new URLSearchParams(location.search).has("test");
if (testing) {
    const failed = (event) => fetch("told", { method: "POST", body: JSON.stringify({ error: String(event.reason ?? event.message) }) });
    ["error", "unhandledrejection"].forEach((kind) => addEventListener(kind, failed));
}
await init();
const world = World.fromToml(SCENE);
const { columns, rows, cell } = world;
const heights = world.map("height", 0, 0, columns, rows);

/** Copies the tiles that have changed into `heights`; how many there were. */
function update(each = () => {}) {
    const tiles = world.takeChangedTiles();
    for (let i = 0; i < tiles.length; i += 4) {
        const [x, z, w, h] = tiles.subarray(i, i + 4);
        const part = world.map("height", x, z, w, h);
        for (let row = 0; row < h; row++) heights.set(part.subarray(row * w, (row + 1) * w), (z + row) * columns + x);
        each(x, z, w, h);
    }
    return tiles.length / 4;
}

/** A view in three.js: what it draws, and where on the ground a pointer points. */
function meshView(THREE) {
    const renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    const scene = new THREE.Scene();
    scene.background = new THREE.Color(0x8fa6bd);
    const camera = new THREE.PerspectiveCamera(40, 1, 0.1, 50);
    camera.position.set(3, 2.2, 7.2);
    camera.lookAt(3, 0, 3.4);
    const sun = new THREE.DirectionalLight(0xfff0dd, 3.2);
    sun.position.set(-4, 1.6, 1);
    scene.add(sun, new THREE.HemisphereLight(0xbcd3ee, 0x405060, 0.9));
    const places = new Float32Array(columns * rows * 3);
    for (let i = 0; i < columns * rows; i++) {
        places.set([((i % columns) + 0.5) * cell, heights[i], (Math.floor(i / columns) + 0.5) * cell], 3 * i);
    }
    const index = [];
    for (let z = 0; z + 1 < rows; z++) {
        for (let x = 0; x + 1 < columns; x++) {
            const a = z * columns + x, b = a + columns;
            index.push(a, b, a + 1, b, b + 1, a + 1);
        }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(places, 3));
    geometry.setIndex(index);
    geometry.computeVertexNormals();
    const ground = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ color: 0xf2f6fa, roughness: 0.95 }));
    scene.add(ground);
    const boots = [0, 1].map(() => new THREE.Mesh(new THREE.BoxGeometry(0.28, 0.1, 0.1), new THREE.MeshStandardMaterial({ color: 0x4a3527 })));
    scene.add(...boots);
    const ray = new THREE.Raycaster();
    return {
        draw(feet) {
            const changed = update((x, z, w, h) => {
                for (let row = z; row < z + h; row++) {
                    for (let column = x; column < x + w; column++) places[3 * (row * columns + column) + 1] = heights[row * columns + column];
                }
            });
            if (changed > 0) {
                geometry.attributes.position.needsUpdate = true;
                geometry.computeVertexNormals();
            }
            feet.forEach((foot, i) => {
                boots[i].position.set(foot.at[0], world.height(foot.at[0], foot.at[2]) + foot.at[1] + 0.05, foot.at[2]);
                boots[i].quaternion.set(...foot.rotation);
            });
            const [width, height] = [canvas.clientWidth, canvas.clientHeight];
            if (canvas.width !== width || canvas.height !== height) {
                renderer.setSize(width, height, false);
                camera.aspect = width / height;
                camera.updateProjectionMatrix();
            }
            renderer.render(scene, camera);
            return changed;
        },
        place(event) {
            ray.setFromCamera(new THREE.Vector2((2 * event.clientX) / innerWidth - 1, 1 - (2 * event.clientY) / innerHeight), camera);
            const hit = ray.intersectObject(ground)[0];
            return hit && [hit.point.x, hit.point.z];
        },
    };
}

/** A view without WebGL: the ground from above, lit from the west. */
function flatView() {
    [canvas.width, canvas.height] = [columns, rows];
    canvas.style.objectFit = "contain";
    const context = canvas.getContext("2d");
    const image = context.createImageData(columns, rows);
    const shade = (x0, z0, w, h) => {
        for (let z = Math.max(0, z0 - 1); z < Math.min(rows, z0 + h + 1); z++) {
            for (let x = Math.max(1, x0 - 1); x < Math.min(columns - 1, x0 + w + 1); x++) {
                const i = z * columns + x, light = 190 + (400 * (heights[i + 1] - heights[i - 1])) / (2 * cell);
                image.data.set([light, light + 6, light + 14, 255], 4 * i);
            }
        }
    };
    shade(0, 0, columns, rows);
    return {
        draw() {
            const changed = update(shade);
            context.putImageData(image, 0, 0);
            return changed;
        },
        place(event) {
            const side = Math.min(innerWidth, innerHeight);
            const at = (p, all) => ((p - (all - side) / 2) / side) * columns * cell;
            return [at(event.clientX, innerWidth), at(event.clientY, innerHeight)];
        },
    };
}

const THREE = await import("three").catch(() => null);
let view;
try {
    view = THREE ? meshView(THREE) : flatView();
} catch (problem) {
    // three.js is here, but WebGL is not.
    console.warn(problem);
    view = flatView();
}
if (!THREE) document.getElementById("about").textContent += " (three.js is not installed: npm install)";

const feet = new Feet(world, 3, 3);
let pointed = null;
addEventListener("pointermove", (event) => (pointed = view.place(event) ?? pointed));

if (testing) {
    const told = {};
    const plate = World.fromLibrary("plate");
    while (!plate.isOver) plate.step();
    plate.settle();
    told.plate = plate.hash();
    told.walked = walked(World, 5).hash();
    let changed = 0;
    for (let frame = 0; frame < 300; frame++) {
        feet.advance(1 / 60, corner(frame / 60));
        if (frame % 10 === 9) changed += view.draw(feet.feet);
    }
    told.own = world.hash();
    told.changed = changed;
    // What was copied tile by tile is what the world has.
    told.same = world.map("height", 0, 0, columns, rows).every((h, i) => h === heights[i]);
    told.deepest = Math.max(...world.map("compression", 0, 0, columns, rows));
    told.view = THREE ? "three" : "flat";
    await fetch("told", { method: "POST", body: JSON.stringify(told) });
} else {
    let last = performance.now(), owed = 0;
    const frame = (now) => {
        owed = Math.min(owed + (now - last) / 1000, 0.1);
        last = now;
        for (; owed >= 1 / 60; owed -= 1 / 60) feet.advance(1 / 60, pointed ?? corner(world.time));
        if (feet.feet[0].at) view.draw(feet.feet);
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
}
