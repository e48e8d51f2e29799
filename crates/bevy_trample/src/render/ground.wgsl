// The ground: heights from an atlas move the vertices, their slopes give the normals, their history the colours.
#import bevy_pbr::{
    forward_io::{Vertex, VertexOutput, FragmentOutput},
    view_transformations::position_world_to_clip,
    mesh_view_bindings::view,
    pbr_fragment::pbr_input_from_standard_material,
    pbr_functions::{apply_pbr_lighting, main_pass_post_lighting_processing},
}
#import bevy_trample::ground::{ground, heights, data, spot, spacing_of}
#import bevy_trample::look::{meadow, mottle, grain, tufts, noise, slopes, pebbles, litter, ripples, sparkle, readable}

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
    var tilt = grain(p, away);

    // Colour of the four samples around.
    let low = floor(in.uv);
    let t = in.uv - low;
    let a = look_at_texel(vec2<i32>(low));
    let b = look_at_texel(vec2<i32>(low) + vec2<i32>(1, 0));
    let d = look_at_texel(vec2<i32>(low) + vec2<i32>(0, 1));
    let e = look_at_texel(vec2<i32>(low) + vec2<i32>(1, 1));
    let mixed = mix(mix(a.colour, b.colour, t.x), mix(d.colour, e.colour, t.x), t.y);
    let own = vec4<f32>(readable(mixed.rgb), mixed.a);
    let state = mix(mix(a.state, b.state, t.x), mix(d.state, e.state, t.x), t.y);
    let wet = mix(mix(a.wet, b.wet, t.x), mix(d.wet, e.wet, t.x), t.y);
    let packed = sqrt(state.x);
    // What kind of ground it is, by its colour: white, bright and yellow, or soil.
    let white = smoothstep(0.5, 0.68, own.b);
    let sandy = smoothstep(0.4, 0.6, own.r) * (1.0 - smoothstep(0.35, 0.5, own.b));
    let soil = (1.0 - white) * (1.0 - sandy);
    let close = clamp(1.0 - away / 7.0, 0.0, 1.0);
    // Soles press the grains flat; what they push aside lies in clods, those of wet soil the largest.
    let clods = state.z * clamp(1.0 - away / 10.0, 0.0, 1.0);
    if clods > 0.0 {
        tilt += clods * (0.16 * slopes(p * 61.0) + 0.10 * slopes(p * 143.0));
    }
    if sandy > 0.0 {
        tilt += sandy * (1.0 - clamp(2.0 * packed, 0.0, 1.0)) * ripples(p, away);
    }
    var stones = vec4<f32>(0.0);
    if soil * close > 0.0 {
        stones = pebbles(p);
        // Wet ground swallows them, and a sole presses them in.
        let bare = close * soil * (1.0 - 0.6 * wet) * (1.0 - 0.7 * clamp(2.0 * packed, 0.0, 1.0));
        stones = vec4<f32>(stones.xyz * bare, stones.w);
        tilt += stones.xy;
    }
    // Packed ground is smooth, loose ground rough: soles press the grains flat and heaps are crumbs.
    let rough = (1.0 - 0.65 * packed) * (1.0 + 1.2 * state.z);
    // Water gathers where wet ground is pressed deep, and lies level.
    let pool = smoothstep(0.55, 0.8, wet) * smoothstep(0.30, 0.55, packed - 0.12 * noise(p * 19.0)) * (1.0 - white);
    let steep = vec3<f32>(-slope.x + tilt.x * rough, 1.0, -slope.y + tilt.y * rough);
    let normal = normalize(mix(steep, vec3<f32>(0.0, 1.0, 0.0), 0.85 * pool));
    var colour = own.rgb;
    colour = mix(colour, own.rgb * stones.w + 0.03, stones.z);
    // Snow is lit from within: its hollows are blue, not black.
    let hollow_tint = mix(vec3<f32>(1.0), vec3<f32>(0.80, 0.90, 1.0), white * packed);
    colour *= hollow_tint;
    // Mottled, packed ground darker, most where it is wet, and loose ground a little brighter.
    colour *= mottle(p, away);
    colour *= 1.0 - mix(mix(0.30, 0.42, wet), 0.12, white) * packed;
    colour = mix(colour, own.rgb * 0.42, 0.8 * pool);
    colour *= 1.0 + 0.12 * state.z * (1.0 - wet);
    // Where it lies lower than its surroundings less light comes in.
    let hollow = clamp((around / 9.0 - here) / spacing, 0.0, 1.0);
    let open = 1.0 - mix(0.6, 0.3, white) * hollow;
    // Plants as a colour: in full where no blades are drawn, as shade and litter between them where they are. Where feet have packed
    // the ground below, plants lie and show their paler sides.
    let cover = select(0.0, state.y, ground.overlay.w > 0.5);
    if cover > 0.0 {
        let blades = ground.overlay.y;
        let far = smoothstep(0.5 * blades, 0.92 * blades + 0.01, away);
        // Plants that lie hide the shade between those that stand, and dry to straw.
        let trodden = smoothstep(0.03, 0.15, packed);
        let bright = tufts(p, away);
        // Between blades that are drawn grow those that are not: moss, young leaves, what lies in their shade.
        var green = meadow(growing(p - ground.origin.xz), p) * bright * mix(0.66, 1.0, far);
        green = mix(green, vec3<f32>(0.40, 0.33, 0.14) * mix(0.9, bright, far), mix(0.72, 0.88, far) * trodden);
        colour = mix(colour, green, cover * mix(mix(0.78, 0.85, trodden), 0.92, far));
        if close > 0.0 {
            colour = mix(colour, vec3<f32>(0.34, 0.27, 0.13), 0.55 * close * litter(p));
        }
    }
    // Where a map of traces has none the ground stays as it is.
    let shown = select(smoothstep(0.0, 0.06, state.w), 1.0, ground.overlay.z > 0.5);
    colour = mix(colour, ramp(state.w), ground.overlay.x * shown);

    pbr_input.material.base_color = vec4<f32>(colour, 1.0);
    // Water comes up where wet ground is pressed, and shines.
    let shine = own.a - 0.42 * wet * smoothstep(0.05, 0.5, packed) * (1.0 - cover) - 0.10 * wet * noise(p * 7.0);
    pbr_input.material.perceptual_roughness = mix(shine, 0.07, pool * (1.0 - cover));
    if white + sandy > 0.0 {
        let towards = normalize(view.world_position.xyz - in.world_position.xyz);
        let glint = sparkle(p, towards, away) * (white + 0.25 * sandy) * open;
        pbr_input.material.emissive = vec4<f32>(vec3<f32>(1.6 * glint), 0.0);
    }
    pbr_input.diffuse_occlusion *= open;
    pbr_input.N = normal;
    pbr_input.world_normal = normal;
    var out: FragmentOutput;
    out.color = apply_pbr_lighting(pbr_input);
    out.color = main_pass_post_lighting_processing(pbr_input, out.color);
    return out;
}
