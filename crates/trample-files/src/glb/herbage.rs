//! Plants in a file: every stem a ribbon, one mesh for each species, as they are in the end.

use super::Parts;
use super::buffer::Use;
use serde_json::json;
use trample::glam::Vec3;
use trample::{PlantPatch, World};
use trample_looks::{Bead, Foliage, kept};

/// The plants of one species as a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Herbage {
    /// Name of its node: that of the species, if it is one of ours, else of its first patch.
    pub name: String,
    /// Places, m.
    pub points: Vec<[f32; 3]>,
    /// Unit normals of one side; the other is shown as well.
    pub normals: Vec<[f32; 3]>,
    /// Linear colour, 0 to 255, and 255: green stands, yellow is worn, straw is broken.
    pub colours: Vec<[u8; 4]>,
    /// Corners.
    pub triangles: Vec<[u32; 3]>,
}

/// What grows in a window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Growth {
    /// A mesh for each species.
    pub herbage: Vec<Herbage>,
    /// Plants rooted in the window, and how many of them are shown.
    pub plants: [u64; 2],
    /// Whether leaves were left out for the sake of size.
    pub bare: bool,
}

/// Most points of all plants of a file together: about 70 MB.
pub const MOST: f64 = 1.5e6;

impl Growth {
    /// The plants rooted between two corners, x and z, m, touched or not, with at most about `most` points. Beyond that leaves are
    /// left out, then plants, evenly.
    pub fn new(world: &World, min: [f64; 2], max: [f64; 2], most: f64) -> Self {
        let patches = &world.scene().plants;
        let mut growth = Self::default();
        // Patches of the same species share a mesh.
        let mut slots: Vec<usize> = Vec::new();
        for (i, patch) in patches.iter().enumerate() {
            let same = patches[..i].iter().position(|p| p.species == patch.species);
            let slot = same.map_or(growth.herbage.len(), |k| slots[k]);
            slots.push(slot);
            if slot == growth.herbage.len() {
                growth.herbage.push(Herbage { name: name(patch), ..Herbage::default() });
            }
        }
        let looks: Vec<Foliage> = patches.iter().map(|p| Foliage::new(&p.species)).collect();
        let points = |leaves: bool| -> f64 {
            patches.iter().zip(&looks).map(|(patch, look)| expected(patch, look, min, max, leaves)).sum()
        };
        let leaves = points(true) <= most;
        let share = most / points(leaves).max(1.0);
        growth.bare = !leaves && looks.iter().any(|look| look.leaf > 0.0);
        world.each_stem(min, max, |stem| {
            let shown = kept(stem.root, share);
            if stem.number == 0 {
                growth.plants[0] += 1;
                growth.plants[1] += u64::from(shown);
            }
            if shown {
                let mesh = &mut growth.herbage[slots[stem.patch]];
                // Blades of a plant face different ways.
                let turn = 2.4 * stem.number as f32 + stem.root[0] as f32 * 97.0 + stem.root[1] as f32 * 61.0;
                let across = Vec3::new(libm::cosf(turn), 0.0, libm::sinf(turn));
                looks[stem.patch].each_stroke(&stem, leaves, |beads| mesh.ribbon(beads, across));
            }
        });
        growth.herbage.retain(|mesh| !mesh.triangles.is_empty());
        growth
    }

    /// What is not shown, for people.
    pub fn note(&self) -> Option<String> {
        let [all, shown] = self.plants;
        let leaves = if self.bare { ", without leaves" } else { "" };
        (shown < all || self.bare).then(|| format!("{shown} of {all} plants are in the file{leaves}"))
    }

    /// Adds all of them to a file.
    pub(crate) fn put(&self, parts: &mut Parts) {
        if self.herbage.is_empty() {
            return;
        }
        let material = parts.material("plants", [1.0; 3]);
        parts.materials[material]["doubleSided"] = json!(true);
        for mesh in &self.herbage {
            let buffer = &mut parts.buffer;
            let attributes = json!({
                "POSITION": buffer.floats(&mesh.points, Use::Points, true),
                "NORMAL": buffer.floats(&mesh.normals, Use::Points, false),
                "COLOR_0": buffer.bytes4(&mesh.colours, true),
            });
            let corners = buffer.corners(&mesh.triangles);
            parts.meshes.push(json!({
                "name": mesh.name,
                "primitives": [{ "attributes": attributes, "indices": corners, "material": material }],
            }));
            let node = parts.node(json!({ "name": mesh.name, "mesh": parts.meshes.len() - 1 }));
            parts.roots.push(node);
        }
    }
}

/// About how many points a patch needs between two corners.
fn expected(patch: &PlantPatch, look: &Foliage, min: [f64; 2], max: [f64; 2], leaves: bool) -> f64 {
    let side = |k: usize| (patch.max[k].min(max[k]) - patch.min[k].max(min[k])).max(0.0);
    let share = side(0) * side(1) / patch.area().max(1e-9);
    let rows = patch.species.free_rows();
    let each = 2 * (rows + 1) + 6 * (look.strokes(rows, leaves) - 1);
    patch.expected_plants() * share * (patch.species.stem_count() * each) as f64
}

fn name(patch: &PlantPatch) -> String {
    let known = trample::params::species::PRESETS.iter().find(|preset| preset.species == patch.species);
    known.map_or_else(|| patch.name.clone(), |preset| preset.name.into())
}

impl Herbage {
    /// Adds a stroke as a ribbon whose width lies along `across` as far as that is across the stroke.
    fn ribbon(&mut self, beads: &[Bead], across: Vec3) {
        let first = self.points.len() as u32;
        for (i, bead) in beads.iter().enumerate() {
            let (a, b) = (beads[i.saturating_sub(1)].at, beads[(i + 1).min(beads.len() - 1)].at);
            let along = (b - a).normalize_or(Vec3::Y);
            let side = across - along * across.dot(along);
            let side = if side.length_squared() > 1e-4 {
                side.normalize()
            } else {
                along.cross(Vec3::Y).normalize_or(Vec3::Z)
            };
            let normal = side.cross(along);
            // What lies shows its upper side.
            let normal = if normal.y < 0.0 { -normal } else { normal };
            let [r, g, b] = bead.colour.map(|v| (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8);
            for half in [-0.5, 0.5] {
                self.points.push((bead.at + side * (half * bead.width)).to_array());
                self.normals.push(normal.to_array());
                self.colours.push([r, g, b, 255]);
            }
        }
        for i in 1..beads.len() as u32 {
            let (c, d) = (first + 2 * i, first + 2 * i + 1);
            self.triangles.extend([[c - 2, d - 2, c], [c, d - 2, d]]);
        }
    }
}
