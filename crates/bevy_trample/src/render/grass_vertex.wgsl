// The plants' bindings, and where the corners of their blades and leaves are: for drawing, and for shadows and depth.
#define_import_path bevy_trample::grass

#import bevy_pbr::mesh_functions

struct Grass {
    // Colour of each patch's species, and its form.
    palette: array<vec4<f32>, 64>,
    // Width of its stems, length and half width of its leaves, m; how far they spread, as a share of their length.
    figures: array<vec4<f32>, 64>,
    // Colours of what is worn and of what is broken: the same for every species.
    worn: vec4<f32>,
    broken: vec4<f32>,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(100) var<uniform> grass: Grass;
@group(#{MATERIAL_BIND_GROUP}) @binding(101) var stems: texture_2d<f32>;

// Texels of a clump in one half of the table.
const HALF: i32 = 1024;
// Leaves are told from the joints of a stem by this: it is added to 64 × how many leaves there are, and to the leaf's number.
const LEAF: i32 = 64;

const BLADE: u32 = 0u;
const SHOOT: u32 = 1u;
const HERB: u32 = 2u;
const FROND: u32 = 3u;

struct Corner {
    // Where it is, m.
    place: vec3<f32>,
    normal: vec3<f32>,
    // From the root, 0, to the tip, 1.
    share: f32,
    // 1 on a leaf, 0 on a stem.
    leaf: f32,
    patch_number: u32,
    // How worn, 0..1, or 2 if broken.
    wear: f32,
    // How far away it is, as a share of how far plants are drawn.
    far: f32,
    // Numbers of its own, 0..1: the stem's, and the leaf's.
    own: f32,
    luck: f32,
    // 0, or which colour a petal has: white, yellow, violet.
    petal: f32,
}

// A place along a stem through its four points.
fn along_stem(points: array<vec3<f32>, 4>, share: f32) -> vec3<f32> {
    var p = points;
    let at = clamp(share, 0.0, 1.0) * 3.0;
    let k = min(i32(at), 2);
    return mix(p[k], p[k + 1], at - f32(k));
}

// A corner of the mesh. `eye` is where blades turn to if its last part is 1, else each turns its own way; `pixel` is the width of a
// pixel a metre away, below which nothing gets, m.
fn corner(position: vec3<f32>, instance: u32, eye: vec4<f32>, pixel: f32) -> Corner {
    var out: Corner;
    let tag = mesh_functions::get_tag(instance);
    let row = i32(tag & 0xffffu);
    let newer = i32((tag >> 16u) & 1u);
    let first = 4 * i32(position.x + 0.5);
    // The last row changes with every frame: where the eye was when clumps were chosen (x, z, height above the ground), how far
    // blades are drawn; how far all, six and two leaves are drawn, how far the last step has come, 0..1; the wind, and the time.
    let last = i32(textureDimensions(stems).y) - 1;
    let eyed = textureLoad(stems, vec2<i32>(0, last), 0);
    let more = textureLoad(stems, vec2<i32>(1, last), 0);
    let wind = textureLoad(stems, vec2<i32>(2, last), 0);
    let world_from_local = mesh_functions::get_world_from_local(instance);
    var p: array<vec3<f32>, 4>;
    var rest: vec4<f32>;
    for (var k = 0; k < 4; k++) {
        var here = textureLoad(stems, vec2<i32>(newer * HALF + first + k, row), 0);
        // A clump that moves is shown between the last two steps, as bodies are.
        if (tag >> 17u) != 0u {
            let before = textureLoad(stems, vec2<i32>((1 - newer) * HALF + first + k, row), 0);
            here = vec4<f32>(mix(before.xyz, here.xyz, more.w), here.w);
        }
        p[k] = (world_from_local * vec4<f32>(here.xyz, 1.0)).xyz;
        rest[k] = here.w;
    }
    let width = rest.x;
    // Thinned clumps keep the stems with the smallest numbers: theirs must be as varied as those of all.
    let own = fract(rest.w * 97.31);
    out.patch_number = u32(rest.y + 0.5) & 63u;
    out.wear = rest.z;
    out.own = own;
    out.normal = vec3<f32>(0.0, 1.0, 0.0);
    out.place = p[0];
    // A missing stem has no width: no area, nothing is drawn.
    if width <= 0.0 {
        return out;
    }
    let form = u32(grass.palette[out.patch_number].a + 0.5);
    let figure = grass.figures[out.patch_number];
    // Blades of thinned clumps are wider, and so are their leaves.
    let wider = width / figure.x;

    // Towards the end of their reach plants shrink, each at its own distance, until only their colour on the ground is left.
    let flat_away = p[0].xz - eyed.xy;
    let far = sqrt(dot(flat_away, flat_away) + eyed.z * eyed.z);
    out.far = far / eyed.w;
    let starts = eyed.w * (0.52 + 0.30 * own);
    let grown = 1.0 - smoothstep(starts, starts + 0.18 * eyed.w, far);
    // Leaves shrink until the mesh of the next detail leaves them out: blades go on as tufts of two, what has broad leaves as its
    // outline.
    let ends = select(more.y, more.z, form == BLADE);
    let leafy = 1.0 - smoothstep(0.6 * ends, 0.95 * ends, far);

    // Stems are simulated in rows and all of a length. They are strewn a little, and no two are alike.
    let angle = 6.2831853 * fract(own * 7.13);
    let lean = vec3<f32>(cos(angle), 0.0, sin(angle));
    let strewn = min(0.12 * figure.y, 0.03) * (fract(own * 29.1) - 0.3);
    let size = grown * select(0.92 + 0.16 * fract(own * 5.7), 0.72 + 0.5 * fract(own * 5.7), form == BLADE);
    let root = p[0];
    let stem_length = length(p[1] - p[0]) + length(p[2] - p[1]) + length(p[3] - p[2]);
    let arch = select(0.0, 0.30 * figure.w * stem_length, form == BLADE);
    // Gusts run through what stands; what lies stays where it is.
    let upright = clamp((p[3].y - p[0].y) / max(stem_length, 1e-4), 0.0, 1.0);
    let gust = 2.4 * wind.z - 1.3 * dot(root.xz, normalize(wind.xy + vec2<f32>(1e-5, 0.0)));
    let sway = upright * stem_length * (0.55 + 0.45 * sin(gust) + 0.3 * sin(2.7 * gust + 6.2831853 * own) * fract(own * 11.7));
    let blown = vec3<f32>(wind.x, 0.0, wind.y) * sway;
    for (var k = 0; k < 4; k++) {
        let share = f32(k) / 3.0;
        let bow = blown * share * share + arch * share * share * (lean - vec3<f32>(0.0, 0.35 * share, 0.0));
        p[k] = root + lean * strewn + (p[k] - root + bow) * size;
    }
    let tall = stem_length * size;
    let away = distance(eye.xyz, root);
    let thinnest = 0.45 * pixel * away * grown;

    let code = i32(position.y + 0.5) - LEAF;
    if code < 0 {
        // A joint of the stem itself: a ribbon that turns to the eye, so that none is lost edge-on.
        let joint = code + LEAF;
        let share = f32(joint) / 3.0;
        let direction = normalize(p[min(joint + 1, 3)] - p[max(joint - 1, 0)] + vec3<f32>(0.0, 1e-6, 0.0));
        let towards = normalize(mix(vec3<f32>(lean.z, 0.2, -lean.x), eye.xyz - p[joint], eye.w));
        let across = normalize(cross(direction, towards) + vec3<f32>(1e-5, 0.0, 0.0));
        // Where leaves are not drawn the stem is as broad as they would make it.
        var slim = 1.0 - 0.5 * share;
        var broad = 1.6 * slim;
        var leafed = figure.x;
        if form != BLADE {
            // Pointed at both ends, as the outline of a leafy stem is.
            leafed = max(figure.x, 0.55 * figure.y);
            broad = select(select(select(0.2, 1.0, joint > 0), 0.7, joint > 1), 0.04, joint > 2);
        } else {
            slim = select(select(0.7, 1.0, joint > 0), 0.72, joint > 1);
            broad = 2.4 * slim;
        }
        let half_width = 0.5 * wider * (0.75 + 0.5 * own) * mix(leafed * broad, figure.x * slim, leafy) * sqrt(grown);
        out.place = p[joint] + across * position.z * max(half_width, thinnest);
        out.normal = normalize(vec3<f32>(0.0, 1.0, 0.0) + 0.4 * cross(across, direction) + 0.45 * position.z * across);
        out.share = share;
        return out;
    }

    // A leaf: four corners, at its base, left and right of its widest place, and at its tip.
    let count = code / 64;
    let number = code % 64;
    let luck = fract(own * 17.31 + 0.618034 * f32(number));
    out.luck = luck;
    out.leaf = 1.0;
    let around = 6.2831853 * fract(own + 0.381966 * f32(number));
    let outwards = vec3<f32>(cos(around), 0.0, sin(around));
    let is_tip = position.z > 1.5;
    let is_base = position.z == 0.0;
    let side = select(position.z, 0.0, is_tip || is_base);
    let kept = leafy * select(1.0, 0.55, out.wear > 1.5);
    if form == BLADE && fract(own * 61.7) < 0.018 && out.wear < 0.3 {
        // Here and there a flower among the blades: its leaves are petals around the tip.
        let turn = 6.2831853 * (f32(number) + own) / f32(count);
        let spoke = vec3<f32>(cos(turn), 0.25, sin(turn));
        let petal = leafy * size * min(0.16 * stem_length, 0.016);
        let s = select(select(0.6, 1.0, is_tip), 0.0, is_base);
        out.petal = 1.0 + floor(2.999 * fract(own * 331.7));
        out.place = p[3] + spoke * petal * s + vec3<f32>(-spoke.z, 0.0, spoke.x) * side * petal * 0.42;
        out.normal = normalize(vec3<f32>(0.0, 1.0, 0.0) + 0.3 * spoke);
        out.share = 1.0;
        return out;
    }
    if form == BLADE {
        // Those that the next detail has no room for go first.
        let leaf_ends = select(select(more.x, more.y, number < 6), more.z, number < 2);
        let leafy = 1.0 - smoothstep(0.6 * leaf_ends, 0.95 * leaf_ends, far);
        // Another blade from the same root, which arches away from it.
        let reach = 0.55 + 0.45 * luck;
        let s = select(select(0.4, 1.0, is_tip), 0.0, is_base);
        let spread = figure.w * tall * (0.2 + 0.5 * fract(luck * 7.7)) * leafy;
        let bow = outwards - vec3<f32>(0.0, 0.45 * s, 0.0);
        // A tuft of a thinned clump stands for its neighbours as well.
        let apart = 0.12 * strewn + 0.045 * max(wider - 1.0, 0.0) * fract(luck * 3.3) * grown;
        let place = along_stem(p, s * reach * leafy) + outwards * apart + bow * spread * s * s;
        let direction = normalize(along_stem(p, reach) - p[0] + bow * spread);
        let towards = normalize(mix(vec3<f32>(outwards.z, 0.2, -outwards.x), eye.xyz - place, eye.w));
        let across = normalize(cross(direction, towards) + vec3<f32>(1e-5, 0.0, 0.0));
        let half_width = max(wider * figure.z * (0.7 + 0.5 * luck), thinnest) * leafy;
        out.place = place + across * side * half_width;
        out.normal = normalize(vec3<f32>(0.0, 1.0, 0.0) + 0.4 * cross(across, direction) + 0.3 * outwards);
        out.share = s * reach;
        return out;
    }
    // Where it is fixed, how it points, what is its length, and where it is widest.
    var at = 0.1 + 0.88 * (f32(number) + 0.5) / f32(count);
    let pairs = f32((count + 1) / 2);
    let pair = f32(number / 2);
    let hand = f32(number % 2) * 2.0 - 1.0;
    var rise = 0.6;
    var leaf_length = figure.y * (0.8 + 0.4 * luck);
    var half_width = figure.z;
    var widest = 0.45;
    var sags = 0.0;
    var sideways = outwards;
    if form == HERB {
        at = 0.2 + 0.76 * (pair + 0.5) / pairs;
        let turn = 6.2831853 * own + 1.5708 * pair;
        sideways = hand * vec3<f32>(cos(turn), 0.0, sin(turn));
        leaf_length *= 1.15 - 0.65 * at;
        half_width *= 1.15 - 0.55 * at;
        sags = 0.35;
    } else if form == FROND {
        at = 0.14 + 0.84 * (pair + 0.5) / pairs;
        leaf_length *= 1.25 * smoothstep(0.0, 0.3, at) * (1.05 - at);
        half_width = 0.46 * tall * 0.84 / pairs * (1.1 - 0.5 * at);
        widest = 0.3;
        sags = 0.18;
    } else if form == SHOOT {
        rise = 0.8;
        half_width = max(half_width, 0.2 * tall / f32(count));
    } else {
        at = 0.3 + 0.7 * (f32(number) + 0.5) / f32(count);
        leaf_length *= 1.2 - 0.6 * at;
        widest = 0.55;
    }
    let fixed_at = along_stem(p, at);
    let direction = normalize(along_stem(p, at + 0.1) - along_stem(p, at - 0.1) + vec3<f32>(0.0, 1e-6, 0.0));
    let towards = normalize(mix(vec3<f32>(lean.z, 0.3, -lean.x), eye.xyz - fixed_at, eye.w));
    if form == FROND {
        sideways = hand * normalize(cross(direction, vec3<f32>(0.35 * lean.x, 1.0, 0.35 * lean.z)) + vec3<f32>(1e-5, 0.0, 0.0));
        rise = 0.45;
    }
    if form == SHOOT {
        // A whorl of bristles, seen from any side as two that point up and out.
        let across = normalize(cross(direction, towards) + vec3<f32>(1e-5, 0.0, 0.0));
        let bristle = leaf_length * kept * size * sqrt(wider);
        var place = fixed_at + direction * (side * side) * rise * bristle + across * side * 0.75 * bristle;
        place += select(0.0, 0.42 * bristle, is_tip) * direction;
        out.place = place;
        out.normal = normalize(vec3<f32>(0.0, 1.0, 0.0) + 0.5 * cross(across, direction) + 0.5 * side * across);
        out.share = at;
        return out;
    }
    let points_to = normalize(sideways * figure.w + direction * rise * select(1.0, luck + 0.5, form != FROND));
    var across = normalize(cross(points_to, direction) + vec3<f32>(1e-5, 0.0, 0.0));
    if form != HERB && form != FROND {
        across = normalize(cross(points_to, towards) + vec3<f32>(1e-5, 0.0, 0.0));
    }
    if form == FROND {
        // Leaflets lie in the plane of the frond.
        across = normalize(direction - points_to * dot(direction, points_to));
    }
    let leaf_reach = leaf_length * kept * size * sqrt(wider);
    let s = select(select(widest, 1.0, is_tip), 0.0, is_base);
    var place = fixed_at + points_to * leaf_reach * s - vec3<f32>(0.0, sags * leaf_reach * s * s, 0.0);
    place += across * side * max(half_width * kept * size * sqrt(wider), 0.5 * thinnest);
    out.place = place;
    var normal = cross(across, points_to);
    normal *= select(-1.0, 1.0, normal.y >= 0.0);
    out.normal = normalize(vec3<f32>(0.0, 0.7, 0.0) + normal);
    out.share = at;
    return out;
}
