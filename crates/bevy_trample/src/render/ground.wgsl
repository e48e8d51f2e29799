// The ground: heights from an atlas move the vertices, their slopes give the normals, their history the colours.
#import bevy_pbr::{
    mesh_functions,
    forward_io::{Vertex, VertexOutput, FragmentOutput},
    view_transformations::position_world_to_clip,
    mesh_view_bindings::view,
    pbr_fragment::pbr_input_from_standard_material,
    pbr_functions::{apply_pbr_lighting, main_pass_post_lighting_processing},
}

struct Ground {
    palette: array<vec4<f32>, 16>,
    ramp: array<vec4<f32>, 8>,
    plants: vec4<f32>,
    size: vec4<f32>,
    overlay: vec4<f32>,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(100) var<uniform> ground: Ground;
@group(#{MATERIAL_BIND_GROUP}) @binding(101) var heights: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(102) var data: texture_2d<u32>;

const SIDE: u32 = 67u;

@vertex
fn vertex(vertex: Vertex) -> VertexOutput {
    var out: VertexOutput;
    let tag = mesh_functions::get_tag(vertex.instance_index);
    let slot = tag & 0xffffu;
    let spacing = ground.size.z * f32(1u << (tag >> 16u));
    let columns = u32(ground.size.w);
    let corner = vec2<i32>(vec2<u32>(slot % columns, slot / columns) * SIDE) + vec2<i32>(1, 1);
    let spot = vertex.position.xz;
    let texel = corner + vec2<i32>(spot);
    let height = textureLoad(heights, texel, 0).r;
    let world_from_local = mesh_functions::get_world_from_local(vertex.instance_index);
    var place = (world_from_local * vec4<f32>(spot.x, 0.0, spot.y, 1.0)).xyz;
    // What lies beyond the edge of the terrain has no area.
    place = vec3<f32>(min(place.x, ground.size.x), place.y, min(place.z, ground.size.y));
    // Skirts hide cracks to coarser neighbours; around the terrain they are all of one depth.
    let rim = any(place.xz <= vec2<f32>(ground.size.z)) || any(place.xz >= ground.size.xy - 0.01 * ground.size.z);
    place.y += height - vertex.position.y * select(4.0 * spacing, 0.08, rim);
    out.world_position = vec4<f32>(place, 1.0);
    out.position = position_world_to_clip(place);
    out.world_normal = vec3<f32>(0.0, 1.0, 0.0);
#ifdef VERTEX_UVS_A
    out.uv = vec2<f32>(texel);
#endif
#ifdef VERTEX_OUTPUT_INSTANCE_INDEX
    out.instance_index = vertex.instance_index;
#endif
    return out;
}

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

fn ramp(share: f32) -> vec3<f32> {
    let p = clamp(share, 0.0, 1.0) * 7.0;
    let k = min(u32(p), 6u);
    return mix(ground.ramp[k].rgb, ground.ramp[k + 1u].rgb, p - f32(k));
}

struct Look {
    colour: vec4<f32>,
    // How compressed, how well covered, how loose, overlay.
    state: vec4<f32>,
}

fn look_at_texel(at: vec2<i32>) -> Look {
    let d = textureLoad(data, at, 0);
    var look: Look;
    look.colour = ground.palette[d.b & 15u];
    look.state = vec4<f32>(f32(d.r) / 255.0, f32(d.g) / 255.0, f32(d.b >> 4u) / 15.0, f32(d.a) / 255.0);
    return look;
}

@fragment
fn fragment(in: VertexOutput, @builtin(front_facing) is_front: bool) -> FragmentOutput {
    var pbr_input = pbr_input_from_standard_material(in, is_front);
    let tag = mesh_functions::get_tag(in.instance_index);
    let spacing = ground.size.z * f32(1u << (tag >> 16u));
    let away = distance(view.world_position.xyz, in.world_position.xyz);

    // Slopes of a smooth surface through the samples around: quadratic B-splines.
    let centre = floor(in.uv + 0.5);
    let f = in.uv - centre;
    let c = vec2<i32>(centre);
    let wx = vec3<f32>(0.5 * (0.5 - f.x) * (0.5 - f.x), 0.75 - f.x * f.x, 0.5 * (0.5 + f.x) * (0.5 + f.x));
    let wz = vec3<f32>(0.5 * (0.5 - f.y) * (0.5 - f.y), 0.75 - f.y * f.y, 0.5 * (0.5 + f.y) * (0.5 + f.y));
    let dx = vec3<f32>(f.x - 0.5, -2.0 * f.x, f.x + 0.5);
    let dz = vec3<f32>(f.y - 0.5, -2.0 * f.y, f.y + 0.5);
    var slope = vec2<f32>(0.0, 0.0);
    var around = 0.0;
    var here = 0.0;
    for (var j = 0; j < 3; j++) {
        let row = vec3<f32>(
            textureLoad(heights, c + vec2<i32>(-1, j - 1), 0).r,
            textureLoad(heights, c + vec2<i32>(0, j - 1), 0).r,
            textureLoad(heights, c + vec2<i32>(1, j - 1), 0).r,
        );
        slope += vec2<f32>(dot(row, dx) * wz[j], dot(row, wx) * dz[j]);
        here += dot(row, wx) * wz[j];
        around += row.x + row.y + row.z;
    }
    slope /= spacing;
    // Grains: too small to simulate, and without them the ground looks like paper.
    let fine = clamp(1.0 - away / 6.0, 0.0, 1.0);
    let p = in.world_position.xz;
    let grain = vec2<f32>(noise(p * 160.0) - noise(p * 160.0 + 17.3), noise(p * 160.0 + 51.7) - noise(p * 160.0 + 91.1));
    let normal = normalize(vec3<f32>(-slope.x, 1.0, -slope.y) + vec3<f32>(grain.x, 0.0, grain.y) * 0.10 * fine);

    // Colour of the four samples around.
    let low = floor(in.uv);
    let t = in.uv - low;
    let a = look_at_texel(vec2<i32>(low));
    let b = look_at_texel(vec2<i32>(low) + vec2<i32>(1, 0));
    let d = look_at_texel(vec2<i32>(low) + vec2<i32>(0, 1));
    let e = look_at_texel(vec2<i32>(low) + vec2<i32>(1, 1));
    let own = mix(mix(a.colour, b.colour, t.x), mix(d.colour, e.colour, t.x), t.y);
    let state = mix(mix(a.state, b.state, t.x), mix(d.state, e.state, t.x), t.y);
    var colour = own.rgb;
    // Mottled, packed ground darker, loose ground a little brighter.
    colour *= 0.88 + 0.16 * noise(p * 1.7) + 0.10 * (noise(p * 23.0) - 0.5) * clamp(1.0 - away / 25.0, 0.0, 1.0);
    colour *= 1.0 - 0.32 * sqrt(state.x);
    colour *= 1.0 + 0.08 * state.z;
    // Where it lies lower than its surroundings less light comes in.
    let hollow = clamp((around / 9.0 - here) / spacing, 0.0, 1.0);
    let open = 1.0 - 0.6 * hollow;
    // Plants as a colour: in full where no blades are drawn, as litter between them where they are.
    let blades = ground.overlay.y;
    let far = smoothstep(0.6 * blades, blades + 0.01, away);
    colour = mix(colour, ground.plants.rgb * (0.55 + 0.4 * noise(p * 9.0)), ground.plants.a * state.y * mix(0.35, 0.85, far));
    // Where a map of traces has none the ground stays as it is.
    let shown = select(smoothstep(0.0, 0.06, state.w), 1.0, ground.overlay.z > 0.5);
    colour = mix(colour, ramp(state.w), ground.overlay.x * shown);

    pbr_input.material.base_color = vec4<f32>(colour, 1.0);
    pbr_input.material.perceptual_roughness = own.a;
    pbr_input.diffuse_occlusion *= open;
    pbr_input.N = normal;
    pbr_input.world_normal = normal;
    var out: FragmentOutput;
    out.color = apply_pbr_lighting(pbr_input);
    out.color = main_pass_post_lighting_processing(pbr_input, out.color);
    return out;
}
