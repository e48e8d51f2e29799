// Plants for shadows and depth: the same blades and leaves, each turned its own way.
#import bevy_pbr::prepass_io::{Vertex, VertexOutput}
#import bevy_trample::grass::corner
#import bevy_trample::prepass::placed

@vertex
fn vertex(vertex: Vertex) -> VertexOutput {
    let here = corner(vertex.position, vertex.instance_index, vec4<f32>(0.0), 0.0);
    return placed(vertex, here.place, here.normal);
}
