// The ground for shadows and depth.
#import bevy_pbr::prepass_io::{Vertex, VertexOutput}
#import bevy_trample::ground::spot
#import bevy_trample::prepass::placed

@vertex
fn vertex(vertex: Vertex) -> VertexOutput {
    let here = spot(vertex.position, vertex.instance_index);
    return placed(vertex, here.place, vec3<f32>(0.0, 1.0, 0.0));
}
