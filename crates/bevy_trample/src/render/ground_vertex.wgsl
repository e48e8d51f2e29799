// The ground's bindings, and where its vertices are: for drawing, and for shadows and depth.
#define_import_path bevy_trample::ground

#import bevy_pbr::mesh_functions

struct Ground {
    // Colour of each material, and its roughness.
    palette: array<vec4<f32>, 16>,
    // How wet each material is, four to a vector.
    wet: array<vec4<f32>, 4>,
    // Colours of an overlay.
    ramp: array<vec4<f32>, 8>,
    // Colour of what grows in each patch, and how much of it there is.
    plants: array<vec4<f32>, 64>,
    // Where each patch is: smallest x and z, largest x and z.
    fields: array<vec4<f32>, 64>,
    // Largest x and z; side of a cell; patches in a row of the atlas.
    size: vec4<f32>,
    // Strength of the overlay; where blades end; whether its lowest value is shown; how many patches of plants.
    overlay: vec4<f32>,
    // Where the terrain lies in the world.
    origin: vec4<f32>,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(100) var<uniform> ground: Ground;
@group(#{MATERIAL_BIND_GROUP}) @binding(101) var heights: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(102) var data: texture_2d<u32>;

// Texels along a patch's side.
const SIDE: u32 = 67u;

struct Spot {
    // Where it is, m.
    place: vec3<f32>,
    // Where its sample is in the atlas.
    texel: vec2<i32>,
}

// Distance between the samples of an instance's patch, m.
fn spacing_of(instance: u32) -> f32 {
    return ground.size.z * f32(1u << (mesh_functions::get_tag(instance) >> 16u));
}

fn spot(position: vec3<f32>, instance: u32) -> Spot {
    var out: Spot;
    let slot = mesh_functions::get_tag(instance) & 0xffffu;
    let columns = u32(ground.size.w);
    let corner = vec2<i32>(vec2<u32>(slot % columns, slot / columns) * SIDE) + vec2<i32>(1, 1);
    out.texel = corner + vec2<i32>(position.xz);
    let height = textureLoad(heights, out.texel, 0).r;
    let world_from_local = mesh_functions::get_world_from_local(instance);
    var place = (world_from_local * vec4<f32>(position.x, 0.0, position.z, 1.0)).xyz;
    // What lies beyond the edge of the terrain has no area.
    place = vec3<f32>(min(place.x, ground.origin.x + ground.size.x), place.y, min(place.z, ground.origin.z + ground.size.y));
    // Skirts hide cracks to coarser neighbours; around the terrain they are all of one depth.
    let own = place.xz - ground.origin.xz;
    let rim = any(own <= vec2<f32>(ground.size.z)) || any(own >= ground.size.xy - 0.01 * ground.size.z);
    place.y += height - position.y * select(4.0 * spacing_of(instance), 0.08, rim);
    out.place = place;
    return out;
}
