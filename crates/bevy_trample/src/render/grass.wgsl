// Plants: every blade finds its stem's four points in a texture and is bent along them.
#import bevy_pbr::{
    mesh_functions,
    forward_io::{Vertex, VertexOutput, FragmentOutput},
    view_transformations::position_world_to_clip,
    mesh_view_bindings::view,
    pbr_fragment::pbr_input_from_standard_material,
    pbr_functions::{apply_pbr_lighting, main_pass_post_lighting_processing},
}

struct Grass {
    palette: array<vec4<f32>, 16>,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(100) var<uniform> grass: Grass;
@group(#{MATERIAL_BIND_GROUP}) @binding(101) var stems: texture_2d<f32>;

@vertex
fn vertex(vertex: Vertex) -> VertexOutput {
    var out: VertexOutput;
    let slot = i32(mesh_functions::get_tag(vertex.instance_index));
    let first = 4 * i32(vertex.position.x + 0.5);
    let point = i32(vertex.position.y + 0.5);
    let here = textureLoad(stems, vec2<i32>(first + point, slot), 0);
    let before = textureLoad(stems, vec2<i32>(first + max(point - 1, 0), slot), 0).xyz;
    let after = textureLoad(stems, vec2<i32>(first + min(point + 1, 3), slot), 0).xyz;
    let width = textureLoad(stems, vec2<i32>(first, slot), 0).w;
    let patch_number = textureLoad(stems, vec2<i32>(first + 1, slot), 0).w;
    let wear = textureLoad(stems, vec2<i32>(first + 2, slot), 0).w;
    let own = textureLoad(stems, vec2<i32>(first + 3, slot), 0).w;

    let world_from_local = mesh_functions::get_world_from_local(vertex.instance_index);
    var place = (world_from_local * vec4<f32>(here.xyz, 1.0)).xyz;
    let to_eye = normalize(view.world_position.xyz - place);
    let along = normalize(after - before + vec3<f32>(0.0, 1e-5, 0.0));
    // A ribbon that turns towards the eye, so that none is lost edge-on.
    let across = normalize(cross(along, to_eye) + vec3<f32>(1e-5, 0.0, 0.0));
    let share = vertex.position.y / 3.0;
    let half_width = 0.5 * width * (0.7 + 0.6 * own) * (1.0 - 0.45 * share);
    place += across * vertex.position.z * half_width;
    out.world_position = vec4<f32>(place, 1.0);
    out.position = position_world_to_clip(place);
    // A missing stem has no width and lies where its clump begins: no area, nothing is drawn.
    let facing = cross(across, along);
    out.world_normal = normalize(vec3<f32>(0.0, 1.0, 0.0) + 0.45 * facing + 0.5 * vertex.position.z * across);
#ifdef VERTEX_COLORS
    let healthy = grass.palette[u32(patch_number + 0.5) & 15u].rgb * (0.75 + 0.5 * own);
    let straw = vec3<f32>(0.42, 0.33, 0.14) * (0.7 + 0.5 * own);
    let dead = vec3<f32>(0.24, 0.17, 0.08) * (0.7 + 0.6 * own);
    var colour = mix(healthy, straw, clamp(wear * 1.1, 0.0, 0.75));
    if wear > 1.5 {
        colour = mix(straw, dead, 0.55);
    }
    // Little light comes down to the roots.
    out.color = vec4<f32>(colour * mix(0.35, 1.0, share), 1.0);
#endif
#ifdef VERTEX_OUTPUT_INSTANCE_INDEX
    out.instance_index = vertex.instance_index;
#endif
    return out;
}

@fragment
fn fragment(in: VertexOutput, @builtin(front_facing) is_front: bool) -> FragmentOutput {
    var pbr_input = pbr_input_from_standard_material(in, is_front);
    let normal = normalize(in.world_normal);
    pbr_input.N = normal;
    pbr_input.world_normal = normal;
    var out: FragmentOutput;
    out.color = apply_pbr_lighting(pbr_input);
    out.color = main_pass_post_lighting_processing(pbr_input, out.color);
    return out;
}
