//! Walkers and the ground they press as USD in text (`.usda`): skeletons with time samples, and pieces of ground that come and go.
//!
//! Metres, y up. Times are frames of a film of 24 a second. What is written follows UsdGeom and UsdSkel of OpenUSD 24.

use crate::atomic;
use crate::glb::{Actor, GlbError, Land, Show};
use std::collections::BTreeSet;
use std::fmt::{Display, Write};
use std::path::Path;
use trample::body::{JOINTS, NAMES, PARENT};
use trample::glam::{Mat4, Quat};
use trample_looks::colour::linear;
use trample_looks::{Part, Skin};

/// Frames per second of the file's times.
const RATE: f32 = 24.0;

/// Writes a file, whole or not at all. Characters in their own skin are left out.
///
/// # Errors
/// If an actor has no poses or moments that do not grow, or if the file cannot be written.
pub fn write(path: &Path, show: &Show<'_>) -> Result<(), GlbError> {
    let text = text(show)?;
    atomic::write(path, text.as_bytes()).map_err(|e| GlbError::File(path.display().to_string(), e))
}

/// The text of a file.
///
/// # Errors
/// If an actor has no poses or moments that do not grow.
pub fn text(show: &Show<'_>) -> Result<String, GlbError> {
    let ends = show.actors.iter().filter_map(|a| a.times.last()).copied();
    let pieces = show.pieces.iter().map(|p| p.until.unwrap_or(p.from));
    let end = ends.chain(pieces).fold(0.0f32, f32::max) * RATE;
    let mut out = format!(
        "#usda 1.0\n(\n    defaultPrim = \"trample\"\n    doc = \"trample {}\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n    startTimeCode = 0\n    \
         endTimeCode = {end}\n    framesPerSecond = {RATE}\n    timeCodesPerSecond = {RATE}\n)\n\ndef Xform \"trample\" (\n    kind = \"component\"\n)\n{{\n",
        env!("CARGO_PKG_VERSION")
    );
    materials(&mut out, show.skins);
    if let Some(land) = show.land.as_ref().filter(|land| !land.triangles.is_empty()) {
        mesh(&mut out, 1, "ground", "ground", land, "");
    }
    if !show.pieces.is_empty() {
        out += "    def Xform \"prints\"\n    {\n";
        for (n, piece) in show.pieces.iter().enumerate() {
            let shown = comes_and_goes(piece.from * RATE, piece.until.map(|until| until * RATE));
            mesh(&mut out, 2, &format!("piece_{n}"), "ground", &piece.land, &shown);
        }
        out += "    }\n";
    }
    for plants in &show.growth.herbage {
        let land = Land {
            points: plants.points.clone(),
            normals: plants.normals.clone(),
            colours: plants.colours.clone(),
            triangles: plants.triangles.clone(),
        };
        mesh(
            &mut out,
            1,
            &identifier(&plants.name),
            "ground",
            &land,
            "        uniform bool doubleSided = 1\n",
        );
    }
    for (n, actor) in show.actors.iter().enumerate() {
        body(&mut out, n, actor, show)?;
    }
    out += "}\n";
    Ok(out)
}

/// How long before a piece changes its size still is the old one, frames: sizes are interpolated, and this is too short to be seen.
const INSTANT: f32 = 1e-3;

/// A piece that is there from one frame on, and until another: by its visibility, and by its size for programs that read no visibility over
/// time, as Blender 5.0. Without a time the end is seen.
fn comes_and_goes(from: f32, until: Option<f32>) -> String {
    let first = (0.0, from <= 0.0);
    let changes = (from > 0.0).then_some((from, true)).into_iter().chain(until.map(|until| (until, false)));
    let [mut seen, mut size] = [String::new(), String::new()];
    let scale = |there| if there { "(1, 1, 1)" } else { "(0, 0, 0)" };
    for (frame, there) in std::iter::once(first).chain(changes) {
        let _ = write!(seen, "{frame}: \"{}\", ", if there { "inherited" } else { "invisible" });
        if frame > INSTANT {
            let _ = write!(size, "{}: {}, ", frame - INSTANT, scale(!there));
        }
        let _ = write!(size, "{frame}: {}, ", scale(there));
    }
    let [at_last, size_at_last] =
        if until.is_none() { ["inherited", scale(true)] } else { ["invisible", scale(false)] };
    format!(
        "            token visibility = \"{at_last}\"\n            float3 xformOp:scale = {size_at_last}\n            token visibility.timeSamples = {{ {seen}}}\n            float3 xformOp:scale.timeSamples = {{ {size}}}\n            \
         uniform token[] xformOpOrder = [\"xformOp:scale\"]\n"
    )
}

/// A name that USD takes: letters, digits and underscores, not beginning with a digit.
fn identifier(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if plain.starts_with(|c: char| c.is_ascii_digit()) || plain.is_empty() {
        format!("_{plain}")
    } else {
        plain
    }
}

/// Numbers in brackets, with commas between them.
fn list<T: Display>(rows: impl Iterator<Item = T>) -> String {
    let mut out = String::from("[");
    for (i, row) in rows.enumerate() {
        let _ = write!(out, "{}{row}", if i == 0 { "" } else { ", " });
    }
    out + "]"
}

fn triple(v: &[f32; 3]) -> String {
    format!("({}, {}, {})", v[0], v[1], v[2])
}

/// What surfaces are made of: the ground by the colours of its points, bodies by their parts.
fn materials(out: &mut String, skins: &[Skin]) {
    *out += "    def Scope \"materials\"\n    {\n";
    let worn: BTreeSet<(Part, [u8; 3])> =
        skins.iter().flat_map(|skin| &skin.groups).map(|group| (group.part, group.colour)).collect();
    let parts = worn.into_iter().map(|(part, colour)| (worn_name(part, colour), triple(&linear(colour))));
    for (name, colour) in std::iter::once(("ground".into(), String::new())).chain(parts) {
        let (input, reader) = if colour.is_empty() {
            let path = format!("/trample/materials/{name}/colour.outputs:result");
            let reader = "            def Shader \"colour\"\n            {\n                uniform token info:id = \"UsdPrimvarReader_float3\"\n                \
                          string inputs:varname = \"displayColor\"\n                float3 outputs:result\n            }\n";
            (format!("color3f inputs:diffuseColor.connect = <{path}>"), reader)
        } else {
            (format!("color3f inputs:diffuseColor = {colour}"), "")
        };
        let _ = write!(
            out,
            "        def Material \"{name}\"\n        {{\n            token outputs:surface.connect = </trample/materials/{name}/surface.outputs:surface>\n            \
             def Shader \"surface\"\n            {{\n                uniform token info:id = \"UsdPreviewSurface\"\n                {input}\n                \
             float inputs:roughness = 0.9\n                token outputs:surface\n            }}\n{reader}        }}\n"
        );
    }
    *out += "    }\n";
}

/// Name of the material of a part in a colour.
fn worn_name(part: Part, [r, g, b]: [u8; 3]) -> String {
    format!("{}_{r:02x}{g:02x}{b:02x}", part.row().0)
}

/// A mesh of the ground or its plants.
fn mesh(out: &mut String, depth: usize, name: &str, material: &str, land: &Land, more: &str) {
    let pad = "    ".repeat(depth);
    let [mut low, mut high] = [[f32::MAX; 3], [f32::MIN; 3]];
    for point in &land.points {
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(point[k]), high[k].max(point[k]));
        }
    }
    let light = |c: &[u8; 4]| triple(&[c[0], c[1], c[2]].map(|v| f32::from(v) / 255.0));
    let _ = write!(
        out,
        "{pad}def Mesh \"{name}\" (\n{pad}    prepend apiSchemas = [\"MaterialBindingAPI\"]\n{pad})\n{pad}{{\n{more}{pad}    \
         float3[] extent = [{}, {}]\n{pad}    int[] faceVertexCounts = {}\n{pad}    int[] faceVertexIndices = {}\n{pad}    \
         rel material:binding = </trample/materials/{material}>\n{pad}    normal3f[] normals = {} (\n{pad}        interpolation = \"vertex\"\n{pad}    )\n{pad}    \
         point3f[] points = {}\n{pad}    color3f[] primvars:displayColor = {} (\n{pad}        interpolation = \"vertex\"\n{pad}    )\n{pad}    \
         uniform token subdivisionScheme = \"none\"\n{pad}}}\n",
        triple(&low),
        triple(&high),
        list(land.triangles.iter().map(|_| 3)),
        list(land.triangles.iter().flatten()),
        list(land.normals.iter().map(triple)),
        list(land.points.iter().map(triple)),
        list(land.colours.iter().map(light)),
    );
}

fn matrix(m: &Mat4) -> String {
    // Vectors are rows in USD: its matrices are ours turned over, which is how ours lie in memory.
    let c = m.to_cols_array();
    let row = |k: usize| format!("({}, {}, {}, {})", c[4 * k], c[4 * k + 1], c[4 * k + 2], c[4 * k + 3]);
    format!("( {}, {}, {}, {} )", row(0), row(1), row(2), row(3))
}

fn quat(q: Quat) -> String {
    format!("({}, {}, {}, {})", q.w, q.x, q.y, q.z)
}

/// A body: skeleton, motion and skin.
fn body(out: &mut String, n: usize, actor: &Actor<'_>, show: &Show<'_>) -> Result<(), GlbError> {
    let fail = |problem| GlbError::Actor(actor.name.clone(), problem);
    let skin = show.skins.get(actor.skin).ok_or_else(|| fail("no such skin"))?;
    if actor.poses.is_empty() || actor.poses.len() != actor.times.len() {
        return Err(fail("needs one pose for each of its moments, and at least one"));
    }
    if actor.times.windows(2).any(|w| w[1] <= w[0]) {
        return Err(fail("its moments must grow"));
    }
    let name = format!("{}_{n}", identifier(&actor.name));
    let path = |j: usize| {
        let mut names = vec![NAMES[j]];
        let mut at = j;
        while at != 0 {
            at = PARENT[at];
            names.insert(0, NAMES[at]);
        }
        format!("\"{}\"", names.iter().map(|n| identifier(n)).collect::<Vec<_>>().join("/"))
    };
    let joints = list((0..JOINTS).map(path));
    let bind = skin.inverse_bind().map(|m| matrix(&m.inverse()));
    let rest = (0..JOINTS).map(|j| {
        let place = if j == 0 { actor.poses[0].root } else { actor.skeleton.offsets[j] };
        matrix(&Mat4::from_rotation_translation(actor.poses[0].rotations[j].normalize(), place))
    });
    let _ = write!(
        out,
        "    def SkelRoot \"{name}\" (\n        prepend apiSchemas = [\"SkelBindingAPI\"]\n    )\n    {{\n        def Skeleton \"skeleton\" (\n            \
         prepend apiSchemas = [\"SkelBindingAPI\"]\n        )\n        {{\n            uniform matrix4d[] bindTransforms = {}\n            \
         uniform token[] joints = {joints}\n            uniform matrix4d[] restTransforms = {}\n            \
         rel skel:animationSource = </trample/{name}/skeleton/walk>\n\n            def SkelAnimation \"walk\"\n            {{\n                \
         uniform token[] joints = {joints}\n                half3[] scales = {}\n                quatf[] rotations.timeSamples = {{\n",
        list(bind.iter()),
        list(rest),
        list((0..JOINTS).map(|_| "(1, 1, 1)")),
    );
    for (time, pose) in actor.times.iter().zip(actor.poses) {
        let turns = list(pose.rotations.iter().map(|q| quat(q.normalize())));
        let _ = writeln!(out, "                    {}: {turns},", time * RATE);
    }
    *out += "                }\n                float3[] translations.timeSamples = {\n";
    for (time, pose) in actor.times.iter().zip(actor.poses) {
        let places = (0..JOINTS).map(|j| if j == 0 { pose.root } else { actor.skeleton.offsets[j] });
        let _ = writeln!(
            out,
            "                    {}: {},",
            time * RATE,
            list(places.map(|p| triple(&p.to_array())))
        );
    }
    let points = skin.points.iter().map(|p| triple(&p.to_array()));
    let _ = write!(
        out,
        "                }}\n            }}\n        }}\n\n        def Mesh \"body\" (\n            prepend apiSchemas = [\"SkelBindingAPI\", \"MaterialBindingAPI\"]\n        \
         )\n        {{\n            int[] faceVertexCounts = {}\n            int[] faceVertexIndices = {}\n            normal3f[] normals = {} (\n                \
         interpolation = \"vertex\"\n            )\n            point3f[] points = {}\n            \
         matrix4d primvars:skel:geomBindTransform = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) )\n            \
         int[] primvars:skel:jointIndices = {} (\n                elementSize = 4\n                interpolation = \"vertex\"\n            )\n            \
         float[] primvars:skel:jointWeights = {} (\n                elementSize = 4\n                interpolation = \"vertex\"\n            )\n            \
         rel skel:skeleton = </trample/{name}/skeleton>\n            uniform token subdivisionScheme = \"none\"\n            \
         uniform token subsetFamily:materialBind:familyType = \"partition\"\n",
        list(skin.triangles.iter().map(|_| 3)),
        list(skin.triangles.iter().flatten()),
        list(skin.normals.iter().map(|p| triple(&p.to_array()))),
        list(points),
        list(skin.joints.iter().flatten()),
        list(skin.weights.iter().flatten()),
    );
    for group in &skin.groups {
        let (part, material) = (group.part.row().0, worn_name(group.part, group.colour));
        let _ = write!(
            out,
            "\n            def GeomSubset \"{part}\" (\n                prepend apiSchemas = [\"MaterialBindingAPI\"]\n            )\n            {{\n                \
             uniform token elementType = \"face\"\n                uniform token familyName = \"materialBind\"\n                int[] indices = {}\n                \
             rel material:binding = </trample/materials/{material}>\n            }}\n",
            list(group.first..group.first + group.count)
        );
    }
    *out += "        }\n    }\n";
    Ok(())
}
