// A pair of boots that walks after a target, for worlds that have a pinned puppet. Nothing but sums, products and roots, so that it walks the
// same way in every browser.

/** Length of a step, m, seconds that it takes, half the distance between the feet, m, and how high a foot is lifted, m. */
const STEP = 0.6, SECONDS = 0.5, ASIDE = 0.09, LIFT = 0.08;

/** The scene that they walk in. */
export const SCENE = `
[terrain]
size = [6.0, 6.0]
cell = 0.03
material = "snow"
`;

export class Feet {
    /** Joins a world at a place, x and z. */
    constructor(world, x, z) {
        this.world = world;
        this.host = world.addPuppet({ feet: 2, control: "weight", mass: 80, footwear: "boot", pinned: true });
        this.middle = [x, z];
        this.ahead = [1, 0];
        this.feet = [-1, 1].map((side) => ({ side, from: [x, z + side * ASIDE], to: [x, z + side * ASIDE], ahead: [1, 0] }));
        this.swings = 0;
        this.since = 0;
        this.plan([x + 1, z]);
    }

    /** The foot behind goes to its next place: a step towards the target. */
    plan([x, z]) {
        const way = [x - this.middle[0], z - this.middle[1]];
        const far = Math.sqrt(way[0] * way[0] + way[1] * way[1]);
        const step = Math.min(STEP, far);
        if (far > 0.05) this.ahead = [way[0] / far, way[1] / far];
        const [ax, az] = this.ahead;
        this.middle = [this.middle[0] + ax * step, this.middle[1] + az * step];
        const foot = this.feet[this.swings];
        foot.from = foot.to;
        foot.to = [this.middle[0] - az * ASIDE * foot.side, this.middle[1] + ax * ASIDE * foot.side];
        foot.ahead = this.ahead;
    }

    /** Walks on for `dt` s and steps the world. */
    advance(dt, target) {
        this.since += dt;
        if (this.since >= SECONDS) {
            this.since -= SECONDS;
            this.swings = 1 - this.swings;
            this.plan(target);
        }
        this.feet.forEach((foot, i) => {
            const s = i === this.swings ? this.since / SECONDS : 1;
            const at = [0, 1].map((k) => foot.from[k] + (foot.to[k] - foot.from[k]) * s);
            const speed = [0, 1].map((k) => (s < 1 ? (foot.to[k] - foot.from[k]) / SECONDS : 0));
            foot.at = [at[0], LIFT * 4 * s * (1 - s), at[1]];
            foot.rotation = turn(foot.ahead);
            this.world.setFoot(this.host, i, foot.at, { rotation: foot.rotation, velocity: [speed[0], 0, speed[1]] });
        });
        this.world.step(dt);
    }
}

/** The quaternion that turns x to a direction in the plane. */
function turn([x, z]) {
    const w = Math.sqrt(Math.max(0, (1 + x) / 2));
    return w > 1e-6 ? [0, -z / (2 * w), 0, w] : [0, 1, 0, 0];
}

/** Where a target on a circle is, in `corners` corners: what the boots follow until somebody points elsewhere. */
export function corner(seconds, corners = 6) {
    const places = [[4.6, 3], [3.8, 4.4], [2.2, 4.4], [1.4, 3], [2.2, 1.6], [3.8, 1.6]];
    return places[Math.floor(seconds / 2.5) % corners];
}

/** Some seconds of it in a new world: the world, for tests. */
export function walked(World, seconds) {
    const world = World.fromToml(SCENE);
    const feet = new Feet(world, 3, 3);
    for (let frame = 0; frame < seconds * 60; frame++) feet.advance(1 / 60, corner(frame / 60));
    return world;
}
