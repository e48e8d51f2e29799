// The ground: heights from an atlas move the vertices, their slopes give the normals, their history the colours.
#import bevy_pbr::{
    forward_io::{Vertex, VertexOutput, FragmentOutput},
    view_transformations::position_world_to_clip,
    mesh_view_bindings::view,
    pbr_fragment::pbr_input_from_standard_material,
    pbr_functions::{apply_pbr_lighting, main_pass_post_lighting_processing},
}
#import bevy_trample::ground::{ground, heights, data, spot, spacing_of}
#import bevy_trample::look::{meadow, mottle, grain, tufts}

@vertex
fn vertex(vertex: Vertex) -> VertexOutput {
    var out: VertexOutput;
    let here = spot(vertex.position, vertex.instance_index);
    out.world_position = vec4<f32>(here.place, 1.0);
    out.position = position_world_to_clip(here.place);
    out.world_normal = vec3<f32>(0.0, 1.0, 0.0);
#ifdef VERTEX_UVS_A
    out.uv = vec2<f32>(here.texel);
#endif
#ifdef VERTEX_OUTPUT_INSTANCE_INDEX
    out.instance_index = vertex.instance_index;
#endif
    return out;
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
    wet: f32,
}

fn look_at_texel(at: vec2<i32>) -> Look {
    let d = textureLoad(data, at, 0);
    var look: Look;
    let material = d.b & 15u;
    look.colour = ground.palette[material];
    look.wet = ground.wet[material >> 2u][material & 3u];
    look.state = vec4<f32>(f32(d.r) / 255.0, f32(d.g) / 255.0, f32(d.b >> 4u) / 15.0, f32(d.a) / 255.0);
    return look;
}

// Colour of what grows at a place.
fn growing(p: vec2<f32>) -> vec3<f32> {
    var sum = vec4<f32>(0.0, 0.0, 0.0, 1e-6);
    for (var i = 0; i < i32(ground.overlay.w); i++) {
        let field = ground.fields[i];
        if all(p > field.xy - 0.1) && all(p < field.zw + 0.1) {
            sum += vec4<f32>(ground.plants[i].rgb, 1.0) * ground.plants[i].a;
        }
    }
    return sum.rgb / sum.a;
}

@fragment
fn fragment(in: VertexOutput, @builtin(front_facing) is_front: bool) -> FragmentOutput {
    var pbr_input = pbr_input_from_standard_material(in, is_front);
    let spacing = spacing_of(in.instance_index);
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
    let p = in.world_position.xz;
    let tilt = grain(p, away);

    // Colour of the four samples around.
    let low = floor(in.uv);
    let t = in.uv - low;
    let a = look_at_texel(vec2<i32>(low));
    let b = look_at_texel(vec2<i32>(low) + vec2<i32>(1, 0));
    let d = look_at_texel(vec2<i32>(low) + vec2<i32>(0, 1));
    let e = look_at_texel(vec2<i32>(low) + vec2<i32>(1, 1));
    let own = mix(mix(a.colour, b.colour, t.x), mix(d.colour, e.colour, t.x), t.y);
    let state = mix(mix(a.state, b.state, t.x), mix(d.state, e.state, t.x), t.y);
    let wet = mix(mix(a.wet, b.wet, t.x), mix(d.wet, e.wet, t.x), t.y);
    let packed = sqrt(state.x);
    // Packed ground is smooth, loose ground rough: soles press the grains flat and heaps are crumbs.
    let rough = (1.0 - 0.65 * packed) * (1.0 + 1.2 * state.z);
    let normal = normalize(vec3<f32>(-slope.x + tilt.x * rough, 1.0, -slope.y + tilt.y * rough));
    var colour = own.rgb;
    // Mottled, packed ground darker, most where it is wet, and loose ground a little brighter.
    colour *= mottle(p, away);
    colour *= 1.0 - mix(0.30, 0.42, wet) * packed;
    colour *= 1.0 + 0.12 * state.z * (1.0 - wet);
    // Where it lies lower than its surroundings less light comes in.
    let hollow = clamp((around / 9.0 - here) / spacing, 0.0, 1.0);
    let open = 1.0 - 0.6 * hollow;
    // Plants as a colour: in full where no blades are drawn, as shade and litter between them where they are. Where feet have packed
    // the ground below, plants lie and show their paler sides.
    let cover = select(0.0, state.y, ground.overlay.w > 0.5);
    if cover > 0.0 {
        let blades = ground.overlay.y;
        let far = smoothstep(0.5 * blades, 0.92 * blades + 0.01, away);
        let trodden = clamp(2.2 * packed, 0.0, 1.0);
        let bright = tufts(p, away);
        var green = meadow(growing(p), p) * mix(0.45, bright, far);
        green = mix(green, vec3<f32>(0.36, 0.30, 0.13) * bright, 0.55 * trodden);
        colour = mix(colour, green, cover * mix(0.5, 0.92, far));
    }
    // Where a map of traces has none the ground stays as it is.
    let shown = select(smoothstep(0.0, 0.06, state.w), 1.0, ground.overlay.z > 0.5);
    colour = mix(colour, ramp(state.w), ground.overlay.x * shown);

    pbr_input.material.base_color = vec4<f32>(colour, 1.0);
    // Water comes up where wet ground is pressed, and shines.
    pbr_input.material.perceptual_roughness = own.a - 0.42 * wet * smoothstep(0.05, 0.5, packed) * (1.0 - cover);
    pbr_input.diffuse_occlusion *= open;
    pbr_input.N = normal;
    pbr_input.world_normal = normal;
    var out: FragmentOutput;
    out.color = apply_pbr_lighting(pbr_input);
    out.color = main_pass_post_lighting_processing(pbr_input, out.color);
    return out;
}
