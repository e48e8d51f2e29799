// A vertex for shadows and depth, once its place and normal are known: shared by ground and plants.
#define_import_path bevy_trample::prepass

#import bevy_pbr::{
    prepass_io::{Vertex, VertexOutput},
    view_transformations::position_world_to_clip,
}

fn placed(vertex: Vertex, place: vec3<f32>, normal: vec3<f32>) -> VertexOutput {
    var out: VertexOutput;
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
    out.world_normal = normal;
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
