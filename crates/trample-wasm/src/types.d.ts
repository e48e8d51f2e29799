/** The maps of the ground. */
export type MapName = "height" | "compression" | "accumulation" | "delta" | "pressure_time" | "passes" | "density" | "material"
    | "vegetation" | "modulus" | "resistance" | "wetness" | "mask" | "normal";

/** What moves a puppet's feet: they share its weight; each presses with the force that it is given; each is held where it is put, and the ground
 * answers with a force, under the natural law. */
export type Control = "weight" | "force" | "position";

/** A body that you move. */
export interface PuppetOptions {
    /** How many feet; 2 if left out. */
    feet?: number;
    /** If left out, they share the weight, unless forces are said before the first step. */
    control?: Control;
    /** kg. */
    mass?: number;
    /** Such as "boot". */
    footwear?: string;
    /** Length of a foot, m. */
    length?: number;
    /** Width of a foot, m. */
    width?: number;
    /** Whether y of its soles is the clearance above the ground, 0 when planted; else it is a height. */
    pinned?: boolean;
}

/** More about a foot. */
export interface FootOptions {
    /** Quaternion x, y, z, w from the sole's frame (x forward, y up, z right) to the world's. */
    rotation?: ArrayLike<number>;
    /** m/s. */
    velocity?: ArrayLike<number>;
    /** rad/s. */
    spin?: ArrayLike<number>;
    /** Turn of the forefoot about the ball, rad, toes up positive. */
    toeBend?: number;
    /** What it presses the ground with, N; down is negative y. */
    force?: ArrayLike<number>;
}

/** How the last step left a foot; zeros while it is in the air. */
export interface FootState {
    down: boolean;
    /** Force on the ground, N. */
    force: [number, number, number];
    /** N. */
    normalForce: number;
    /** Mean depth below the original ground, m. */
    sinkage: number;
    /** m/s. */
    slip: [number, number, number];
    /** Height of its lowest plane, m; NaN in the air. */
    height: number;
    /** m². */
    area: number;
    /** Pa. */
    pressure: number;
    /** N. */
    suction: number;
}

/** Whose foot it is. */
export interface Whose {
    /** Number of the puppet in the scene. */
    puppet: number;
    /** Its number among those that you move; undefined if it moves itself. */
    host?: number;
    foot: number;
}

/** A foot on the ground during the last step. */
export interface Contact extends Whose {
    /** For how much of the step, s. */
    seconds: number;
    /** Mean force on the ground, N. */
    force: [number, number, number];
    /** N. */
    normalForce: number;
    /** m². */
    area: number;
    /** Pa. */
    pressure: number;
    /** Mean depth below the original ground, m. */
    depth: number;
    /** Height of the sole's lowest plane, m. */
    height: number;
}

/** A foot met the ground. */
export interface FootDown extends Whose {
    kind: "foot_down";
    /** s. */
    time: number;
    /** m; y as in the pose. */
    position: [number, number, number];
    /** Largest normal force of the step, N. */
    force: number;
    /** m². */
    area: number;
}

/** A foot left the ground. */
export interface FootUp extends Whose {
    kind: "foot_up";
    /** s. */
    time: number;
    /** m; y as in the pose. */
    position: [number, number, number];
    /** Largest normal force of the stance, N. */
    force: number;
    /** m². */
    area: number;
    /** Mean depth of the print, m. */
    depth: number;
    /** N·s. */
    impulse: number;
    /** How long it stood, s. */
    stance: number;
}

/** A puppet's pose was not a number; it is left out from now on. */
export interface Quarantined {
    kind: "quarantined";
    puppet: number;
    host?: number;
}

export type TrampleEvent = FootDown | FootUp | Quarantined;
