// Land that is only looked at: the colours of its vertices, mottled and grained as the ground is. Their alpha is how well plants
// cover it.
#import bevy_pbr::{
    forward_io::{VertexOutput, FragmentOutput},
    mesh_view_bindings::view,
    pbr_fragment::pbr_input_from_standard_material,
    pbr_functions::{apply_pbr_lighting, main_pass_post_lighting_processing},
}
#import bevy_trample::look::{noise, slopes, meadow, mottle, grain, tufts, readable}

// Linear colour of its plants, and how much detail there is.
@group(#{MATERIAL_BIND_GROUP}) @binding(100) var<uniform> plants: vec4<f32>;

@fragment
fn fragment(in: VertexOutput, @builtin(front_facing) is_front: bool) -> FragmentOutput {
    var pbr_input = pbr_input_from_standard_material(in, is_front);
    let p = in.world_position.xz;
    let away = distance(view.world_position.xyz, in.world_position.xyz);
    var colour = pbr_input.material.base_color.rgb * mottle(p, away);
    var cover = 0.0;
#ifdef VERTEX_COLORS
    colour = readable(in.color.rgb) * mottle(p, away);
    cover = in.color.a;
#endif
    // As the ground shows plants that are too far to be drawn.
    if cover > 0.0 {
        colour = mix(colour, meadow(plants.rgb, p) * tufts(p, away), 0.92 * cover);
    }
    // Far away it varies over tens of metres; near the terrain it must not, or the terrain's border would show.
    let wide = plants.a * smoothstep(25.0, 90.0, away);
    if wide > 0.0 {
        colour *= 1.0 + 0.4 * wide * (noise(p * 0.05) - 0.5);
    }
    // Grains, and bumps that the mesh is too coarse for.
    let tilt = grain(p, away) + 0.05 * plants.a * clamp(away / 12.0 - 0.2, 0.0, 1.0) * slopes(p * 0.7);
    let rest = normalize(in.world_normal);
    let normal = normalize(rest + vec3<f32>(tilt.x, 0.0, tilt.y));
    pbr_input.material.base_color = vec4<f32>(colour, 1.0);
    pbr_input.N = normal;
    pbr_input.world_normal = normal;
    var out: FragmentOutput;
    out.color = apply_pbr_lighting(pbr_input);
    out.color = main_pass_post_lighting_processing(pbr_input, out.color);
    return out;
}
