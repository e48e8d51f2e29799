// Plants: every blade finds its stem's four points in a texture and is bent along them.
#import bevy_pbr::{
    forward_io::{Vertex, VertexOutput, FragmentOutput},
    view_transformations::position_world_to_clip,
    mesh_view_bindings::view,
    pbr_fragment::pbr_input_from_standard_material,
    pbr_functions::{apply_pbr_lighting, main_pass_post_lighting_processing},
}
#import bevy_trample::grass::{grass, corner}
#import bevy_trample::look::meadow

@vertex
fn vertex(vertex: Vertex) -> VertexOutput {
    var out: VertexOutput;
    let pixel = 2.0 / (view.clip_from_view[1][1] * view.viewport.w);
    let here = corner(vertex.position, vertex.instance_index, vec4<f32>(view.world_position.xyz, 1.0), pixel);
    out.world_position = vec4<f32>(here.place, 1.0);
    out.position = position_world_to_clip(here.place);
    out.world_normal = here.normal;
#ifdef VERTEX_COLORS
    let species = grass.palette[here.patch_number];
    let form = u32(species.a + 0.5);
    var healthy = meadow(species.rgb, here.place.xz) * (0.8 + 0.4 * mix(here.own, here.luck, here.leaf));
    if form == 0u {
        // Blades are yellower towards their tips.
        healthy *= mix(vec3<f32>(0.9, 0.95, 1.0), vec3<f32>(1.35, 1.2, 0.9), here.share);
    } else if form == 4u {
        // Wood, with leaves that are greener than it, most of all the low ones.
        let leaves = mix(species.rgb * 1.1, vec3<f32>(0.07, 0.13, 0.04), 0.75 - 0.45 * here.share * here.luck);
        healthy = mix(species.rgb * 0.55, leaves * (0.7 + 0.6 * here.luck), here.leaf);
    } else {
        healthy *= mix(0.8, 1.1, here.leaf);
    }
    let variety = 0.75 + 0.5 * here.own;
    var colour = mix(healthy, grass.worn.rgb * variety, clamp(1.1 * here.wear, 0.0, 0.8));
    if here.wear > 1.5 {
        colour = grass.broken.rgb * variety;
    }
    // Little light comes down to the roots; far away only the tops are seen.
    let dark = mix(0.32, 0.62, smoothstep(0.2, 0.8, here.far));
    if here.petal > 0.5 {
        let warm = select(vec3<f32>(0.86, 0.84, 0.78), vec3<f32>(0.86, 0.62, 0.06), here.petal > 1.5);
        colour = select(warm, vec3<f32>(0.42, 0.24, 0.62), here.petal > 2.5);
    }
    out.color = vec4<f32>(colour * mix(dark, 1.0, smoothstep(0.0, 0.75, here.share)), 1.0);
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
