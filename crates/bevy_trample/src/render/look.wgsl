// What ground, plants and the land around share: noise, and how meadows vary from place to place.
#define_import_path bevy_trample::look

fn hash(p: vec2<f32>) -> f32 {
    var q = fract(p * vec2<f32>(0.1031, 0.1030));
    let d = dot(q, q.yx + 33.33);
    q += vec2<f32>(d, d);
    return fract((q.x + q.y) * q.x);
}

fn noise(p: vec2<f32>) -> f32 {
    let i = floor(p);
    let f = fract(p);
    let u = f * f * (3.0 - 2.0 * f);
    let a = mix(hash(i), hash(i + vec2<f32>(1.0, 0.0)), u.x);
    let b = mix(hash(i + vec2<f32>(0.0, 1.0)), hash(i + vec2<f32>(1.0, 1.0)), u.x);
    return mix(a, b, u.y);
}

// How noise rises along x and z, per unit: as much as four of its own values for the price of one.
fn slopes(p: vec2<f32>) -> vec2<f32> {
    let i = floor(p);
    let f = fract(p);
    let u = f * f * (3.0 - 2.0 * f);
    let d = 6.0 * f * (1.0 - f);
    let a = hash(i);
    let b = hash(i + vec2<f32>(1.0, 0.0));
    let c = hash(i + vec2<f32>(0.0, 1.0));
    let e = hash(i + vec2<f32>(1.0, 1.0));
    return d * vec2<f32>(mix(b - a, e - c, u.y), mix(c - a, e - b, u.x));
}

// Plants of one species at a place: some spots are lusher, some drier. `p` in m.
fn meadow(colour: vec3<f32>, p: vec2<f32>) -> vec3<f32> {
    let dry = clamp(0.9 * noise(p * 0.45 + 7.7) + 0.5 * noise(p * 2.1) - 0.45, 0.0, 1.0);
    // Nothing that grows is as pure a green as a paint.
    let grey = dot(colour, vec3<f32>(0.2126, 0.7152, 0.0722));
    return mix(colour, vec3<f32>(grey), 0.14) * mix(vec3<f32>(0.92, 1.04, 0.95), vec3<f32>(1.28, 1.12, 0.80), dry);
}

// Brightness of plants that are too far away to be drawn: tufts and the gaps between them.
fn tufts(p: vec2<f32>, away: f32) -> f32 {
    let fine = clamp(1.0 - away / 30.0, 0.0, 1.0);
    let coarse = clamp(1.5 - away / 40.0, 0.0, 1.0);
    var bright = 0.99;
    // What is finer than a pixel only costs time.
    if coarse > 0.0 {
        bright += 0.42 * (noise(p * 9.0) - 0.5) * coarse;
    }
    if fine > 0.0 {
        bright += 0.28 * (noise(p * 31.0) - 0.5) * fine;
    }
    return bright;
}

// Brightness of bare ground at a place: mottled, and grainy where the eye is near.
fn mottle(p: vec2<f32>, away: f32) -> f32 {
    let near = clamp(1.0 - away / 25.0, 0.0, 1.0);
    var bright = 0.84 + 0.16 * noise(p * 1.7) + 0.09 * noise(p * 0.31);
    if near > 0.0 {
        bright += 0.12 * (noise(p * 23.0) - 0.5) * near;
    }
    return bright;
}

// How grains tilt the surface: too small to simulate, and without them the ground looks like paper.
fn grain(p: vec2<f32>, away: f32) -> vec2<f32> {
    let fine = clamp(1.0 - away / 6.0, 0.0, 1.0);
    let crumbs = clamp(1.0 - away / 18.0, 0.0, 1.0);
    var tilt = vec2<f32>(0.0);
    if fine > 0.0 {
        tilt += 0.06 * fine * slopes(p * 160.0);
    }
    if crumbs > 0.0 {
        tilt += 0.045 * crumbs * slopes(p * 37.0);
    }
    return tilt;
}
