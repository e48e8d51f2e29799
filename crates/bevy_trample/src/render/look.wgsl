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

// Dark soils a little brighter than they are, as an eye that is used to them sees them; else prints drown in a low sun.
fn readable(colour: vec3<f32>) -> vec3<f32> {
    let light = dot(colour, vec3<f32>(0.2126, 0.7152, 0.0722));
    return colour * (1.0 + 0.75 * (1.0 - smoothstep(0.04, 0.22, light)));
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

// What lies on bare soil: small stones. How they tilt the surface, where they are, 0..1, and how bright.
fn pebbles(p: vec2<f32>) -> vec4<f32> {
    let q = p * 23.0;
    let i = floor(q);
    let h = hash(i);
    let g = hash(i + vec2<f32>(17.3, 5.1));
    let d = fract(q) - 0.5 - 0.45 * (vec2<f32>(g, hash(i + vec2<f32>(3.7, 41.0))) - 0.5);
    let r = 0.06 + 0.17 * h * h;
    let away = length(d * vec2<f32>(1.0, 1.0 + 0.7 * g));
    let there = step(0.62, g) * (1.0 - smoothstep(0.7 * r, r, away));
    return vec4<f32>(d / r * 0.55 * there, there, 0.75 + 0.9 * h);
}

// Straw, needles and leaves: slim pieces that lie about. 0..1.
fn litter(p: vec2<f32>) -> f32 {
    let q = p * 13.0;
    let i = floor(q);
    let h = hash(i + vec2<f32>(7.0, 29.0));
    let turn = 6.2831853 * hash(i + vec2<f32>(11.0, 3.0));
    let way = vec2<f32>(cos(turn), sin(turn));
    let d = fract(q) - 0.5;
    let along = abs(dot(d, way));
    let across = abs(dot(d, vec2<f32>(-way.y, way.x)));
    return step(0.55, h) * (1.0 - smoothstep(0.02, 0.045, across)) * (1.0 - smoothstep(0.34, 0.42, along));
}

// Ripples that wind leaves in sand: how they tilt the surface.
fn ripples(p: vec2<f32>, away: f32) -> vec2<f32> {
    let way = vec2<f32>(0.92, 0.39);
    let bent = dot(p, way) * 52.0 + 5.0 * noise(p * 2.3) + 2.0 * noise(p * 6.1);
    return way * cos(bent) * 0.09 * clamp(1.0 - away / 14.0, 0.0, 1.0) * (0.3 + 0.7 * noise(p * 0.7));
}

// Crystals that mirror the sun to the eye: which do changes as the eye moves. 0..1.
fn sparkle(p: vec2<f32>, towards: vec3<f32>, away: f32) -> f32 {
    let near = clamp(1.3 - away / 9.0, 0.0, 1.0);
    let i = floor(p * mix(160.0, 420.0, near * near));
    let seen = hash(i + floor(towards.xz * 9.0) * 3.1);
    return smoothstep(0.9965, 1.0, seen) * near;
}
