/** The maps of the ground. */
export type MapName = "height" | "compression" | "accumulation" | "delta" | "pressure_time" | "passes" | "density" | "material"
    | "vegetation" | "modulus" | "resistance" | "wetness" | "mask" | "normal";

/** Control of a puppet's feet: "weight": they share its weight; "force": each presses with the given force; "position": each is held at its pose,
 * and the ground returns a reaction force, natural law only. */
export type Control = "weight" | "force" | "position";

/** A body that you move. */
export interface PuppetOptions {
    /** Number of feet; default 2. */
    feet?: number;
    /** Default "weight", or "force" if forces are set before the first step. */
    control?: Control;
    /** kg. */
    mass?: number;
    /** Such as "boot". */
    footwear?: string;
    /** Length of a foot, m. */
    length?: number;
    /** Width of a foot, m. */
    width?: number;
    /** Whether y of its soles is the clearance above the ground, 0 when planted; otherwise it is a height. */
    pinned?: boolean;
}

/** Optional values of a foot. */
export interface FootOptions {
    /** Quaternion x, y, z, w from the sole's frame (x forward, y up, z right) to the world's. */
    rotation?: ArrayLike<number>;
    /** m/s. */
    velocity?: ArrayLike<number>;
    /** rad/s. */
    spin?: ArrayLike<number>;
    /** Rotation of the forefoot about the ball, rad, toes up positive. */
    toeBend?: number;
    /** Force on the ground, N; down is negative y. */
    force?: ArrayLike<number>;
}

/** State of a foot after the last step; zeros while it is in the air. */
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

/** The puppet and the foot. */
export interface Whose {
    /** Index of the puppet in the scene. */
    puppet: number;
    /** Its index among the puppets that you move; undefined if it moves by itself. */
    host?: number;
    foot: number;
}

/** A foot on the ground during the last step. */
export interface Contact extends Whose {
    /** Duration of contact within the step, s. */
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

/** A foot touched the ground. */
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
    /** Duration of the stance, s. */
    stance: number;
}

/** A puppet's pose was not finite; the puppet is ignored from now on. */
export interface Quarantined {
    kind: "quarantined";
    puppet: number;
    host?: number;
}

export type TrampleEvent = FootDown | FootUp | Quarantined;
