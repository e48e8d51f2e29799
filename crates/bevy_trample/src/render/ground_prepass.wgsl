// The ground for shadows and depth: the same vertices as in ground.wgsl.
#import bevy_pbr::{
    mesh_functions,
    prepass_io::{Vertex, VertexOutput},
    view_transformations::position_world_to_clip,
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

@vertex
fn vertex(vertex: Vertex) -> VertexOutput {
    var out: VertexOutput;
    let tag = mesh_functions::get_tag(vertex.instance_index);
    let slot = tag & 0xffffu;
    let spacing = ground.size.z * f32(1u << (tag >> 16u));
    let columns = u32(ground.size.w);
    let corner = vec2<i32>(vec2<u32>(slot % columns, slot / columns) * 67u) + vec2<i32>(1, 1);
    let spot = vertex.position.xz;
    let height = textureLoad(heights, corner + vec2<i32>(spot), 0).r;
    let world_from_local = mesh_functions::get_world_from_local(vertex.instance_index);
    var place = (world_from_local * vec4<f32>(spot.x, 0.0, spot.y, 1.0)).xyz;
    place = vec3<f32>(min(place.x, ground.size.x), place.y, min(place.z, ground.size.y));
    // Skirts hide cracks to coarser neighbours; around the terrain they are all of one depth.
    let rim = any(place.xz <= vec2<f32>(ground.size.z)) || any(place.xz >= ground.size.xy - 0.01 * ground.size.z);
    place.y += height - vertex.position.y * select(4.0 * spacing, 0.08, rim);
    out.world_position = vec4<f32>(place, 1.0);
    out.position = position_world_to_clip(place);
#ifdef UNCLIPPED_DEPTH_ORTHO_EMULATION
    out.unclipped_depth = out.position.z;
    out.position.z = min(out.position.z, 1.0);
#endif
#ifdef VERTEX_UVS_A
    out.uv = vertex.uv;
#endif
#ifdef NORMAL_PREPASS_OR_DEFERRED_PREPASS
    out.world_normal = vec3<f32>(0.0, 1.0, 0.0);
#endif
#ifdef MOTION_VECTOR_PREPASS
    out.previous_world_position = out.world_position;
#endif
#ifdef VERTEX_OUTPUT_INSTANCE_INDEX
    out.instance_index = vertex.instance_index;
#endif
    return out;
}
