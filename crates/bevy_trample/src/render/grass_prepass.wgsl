// Plants for shadows and depth: the same blades as in grass.wgsl, each turned its own way.
#import bevy_pbr::{
    mesh_functions,
    prepass_io::{Vertex, VertexOutput},
    view_transformations::position_world_to_clip,
}

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
    let own = textureLoad(stems, vec2<i32>(first + 3, slot), 0).w;
    let world_from_local = mesh_functions::get_world_from_local(vertex.instance_index);
    var place = (world_from_local * vec4<f32>(here.xyz, 1.0)).xyz;
    let along = normalize(after - before + vec3<f32>(0.0, 1e-5, 0.0));
    let angle = 6.2831853 * own;
    let across = normalize(cross(along, vec3<f32>(cos(angle), 0.0, sin(angle))) + vec3<f32>(1e-5, 0.0, 0.0));
    let share = vertex.position.y / 3.0;
    place += across * vertex.position.z * 0.5 * width * (0.7 + 0.6 * own) * (1.0 - 0.45 * share);
    out.world_position = vec4<f32>(place, 1.0);
    out.position = position_world_to_clip(place);
#ifdef UNCLIPPED_DEPTH_ORTHO_EMULATION
    out.unclipped_depth = out.position.z;
    out.position.z = min(out.position.z, 1.0);
#endif
#ifdef NORMAL_PREPASS_OR_DEFERRED_PREPASS
    out.world_normal = vec3<f32>(0.0, 1.0, 0.0);
#endif
#ifdef VERTEX_COLORS
    out.color = vertex.color;
#endif
#ifdef MOTION_VECTOR_PREPASS
    out.previous_world_position = out.world_position;
#endif
#ifdef VERTEX_OUTPUT_INSTANCE_INDEX
    out.instance_index = vertex.instance_index;
#endif
    return out;
}
