//! What a character looks like: the meshes of its file with their joints and weights, colours and pictures.
//!
//! In: a file that was understood. Out: everything that is needed to show it again, each number checked. Left out are all
//! textures but the base colour's, and meshes that do not belong to the body. A body without any mesh gets bones.

use super::error::CharacterError;
use super::gltf_data::{Data, part};
use super::source::{Format, Layout, Local};
use super::{Character, Loaded, Part, gltf_file, read_bytes};
use gltf::json;
use json::mesh::{Mode, Semantic};
use json::validation::Checked;
use serde_json::Value;
use trample::glam::{Mat4, Vec3};

/// Joints that move a mesh, and where they were when it was bound.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bind {
    /// Joints of the source, in the order the points name them.
    pub joints: Vec<usize>,
    /// From the mesh's frame to each joint's, column by column.
    pub inverse: Vec<[f32; 16]>,
}

/// A mesh of one colour.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Piece {
    /// Its name.
    pub name: String,
    /// The joint it stands at; one that is bound goes where its joints are.
    pub joint: usize,
    /// Which bind moves it, if any.
    pub bind: Option<usize>,
    /// Places in the mesh's frame, in the file's unit.
    pub points: Vec<[f32; 3]>,
    /// Normals; none if the file has none.
    pub normals: Vec<[f32; 3]>,
    /// Places in the picture; none if the file has none.
    pub texels: Vec<[f32; 2]>,
    /// Colours of the points, linear with opacity; none if the file has none.
    pub colours: Vec<[f32; 4]>,
    /// Which joints of its bind move each point.
    pub joints: Vec<[u16; 4]>,
    /// How much each does.
    pub weights: Vec<[f32; 4]>,
    /// Corners.
    pub triangles: Vec<[u32; 3]>,
    /// Its paint, if it has one.
    pub paint: Option<usize>,
    /// Other shapes of it: a smile, closed eyes.
    pub morphs: Vec<Morph>,
}

/// Another shape of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Morph {
    /// Its name; empty if the file has none.
    pub name: String,
    /// How much of it is shown.
    pub weight: f32,
    /// What is added to each point at a weight of 1.
    pub points: Vec<[f32; 3]>,
    /// What is added to each normal; none if the file has none.
    pub normals: Vec<[f32; 3]>,
}

/// How a surface looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Paint {
    /// Its name.
    pub name: String,
    /// Linear colour and opacity.
    pub colour: [f32; 4],
    /// Its picture, if it has one.
    pub picture: Option<usize>,
    /// How metallic, and how rough, 0 to 1.
    pub metal: [f32; 2],
    /// Whether both sides are shown.
    pub double_sided: bool,
    /// Opacity below which nothing is shown, if that is how it is cut out.
    pub cutoff: Option<f32>,
    /// Whether it lets through what is behind it.
    pub blended: bool,
}

/// A picture as its file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// `image/png` or `image/jpeg`.
    pub kind: &'static str,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// All that is seen of a character.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outfit {
    /// Meshes.
    pub pieces: Vec<Piece>,
    /// What moves them.
    pub binds: Vec<Bind>,
    /// Their paints.
    pub paints: Vec<Paint>,
    /// Their pictures.
    pub pictures: Vec<Picture>,
}

impl Outfit {
    /// The meshes in a character's file, read again; none if it has no skin.
    pub fn of(loaded: &Loaded) -> Result<Option<Self>, CharacterError> {
        if loaded.source.format != Format::Gltf || loaded.source.vertices.is_empty() {
            return Ok(None);
        }
        let bytes = read_bytes(&loaded.path)?;
        Self::from_bytes(loaded, &bytes)
    }

    /// The same from the bytes of the file.
    pub fn from_bytes(loaded: &Loaded, bytes: &[u8]) -> Result<Option<Self>, CharacterError> {
        let path = &*loaded.path;
        let mut data = Data::new(path, bytes)?;
        let (order, _) = gltf_file::ordered(path, &data.root)?;
        if order.len() != loaded.source.joints.len() {
            return Err(part(path, "nodes", "the file has changed since it was read"));
        }
        let mut place_of = vec![0; order.len()];
        for (at, &node) in order.iter().enumerate() {
            place_of[node] = loaded.source.place_of.get(at).copied().unwrap_or(at);
        }
        let mut outfit = Self::default();
        outfit.paint(&mut data)?;
        for node in 0..data.root.nodes.len() {
            outfit.add(&mut data, loaded, &place_of, node)?;
        }
        Ok(outfit.pieces.iter().any(|p| p.bind.is_some()).then_some(outfit))
    }

    /// Adds the meshes of a node.
    fn add(
        &mut self,
        data: &mut Data<'_>,
        loaded: &Loaded,
        place_of: &[usize],
        node: usize,
    ) -> Result<(), CharacterError> {
        let json = &data.root.nodes[node];
        let (mesh, skin) = (json.mesh.map(|m| m.value()), json.skin.map(|s| s.value()));
        let Some(mesh) = mesh else { return Ok(()) };
        let joint = place_of[node];
        // What hangs on a bone, a hat, belongs to the body; furniture beside it does not.
        if skin.is_none() && !root_of(loaded).is_some_and(|root| loaded.source.hangs_from(joint, root)) {
            return Ok(());
        }
        let bind = match skin {
            Some(skin) => Some(self.bind(data, place_of, skin)?),
            None => None,
        };
        let name = json_name(data, node, mesh);
        let Some(json_mesh) = data.root.meshes.get(mesh) else {
            return Err(part(data.path, format!("nodes[{node}]"), "its mesh does not exist"));
        };
        let primitives: Vec<Primitive> = json_mesh.primitives.iter().filter_map(Primitive::of).collect();
        // Where programs write how shapes are called.
        let extras = json_mesh.extras.as_ref().and_then(|e| serde_json::from_str::<Value>(e.get()).ok());
        let names = extras.unwrap_or_default()["targetNames"].take();
        let weights = data.root.nodes[node].weights.clone().or_else(|| json_mesh.weights.clone());
        let weights = weights.unwrap_or_default();
        for primitive in primitives {
            let mut piece = Piece { name: name.clone(), joint, bind, ..Piece::default() };
            piece.paint = primitive.paint.filter(|&p| p < self.paints.len());
            if piece.fill(data, &primitive, bind.map(|b| self.binds[b].joints.len()), mesh)? {
                for (k, morph) in piece.morphs.iter_mut().enumerate() {
                    morph.name = names[k].as_str().unwrap_or_default().into();
                    morph.weight = weights.get(k).copied().filter(|w| w.is_finite()).unwrap_or(0.0);
                }
                self.pieces.push(piece);
            }
        }
        Ok(())
    }

    /// The bind of a skin; equal ones are kept once.
    fn bind(
        &mut self,
        data: &mut Data<'_>,
        place_of: &[usize],
        skin: usize,
    ) -> Result<usize, CharacterError> {
        let place = format!("skins[{skin}]");
        let Some(json) = data.root.skins.get(skin) else {
            return Err(part(data.path, place, "there is no such skin"));
        };
        let nodes: Vec<usize> = json.joints.iter().map(json::Index::value).collect();
        let matrices = json.inverse_bind_matrices.map(|b| b.value());
        let Some(joints) = nodes.iter().map(|&n| place_of.get(n).copied()).collect::<Option<Vec<_>>>() else {
            return Err(part(data.path, place, "one of its joints does not exist"));
        };
        let numbers = match matrices {
            Some(index) => data.floats(index)?.0,
            None => Vec::new().into(),
        };
        let inverse = (0..joints.len())
            .map(|i| {
                let own = numbers.get(16 * i..16 * i + 16).and_then(|m| m.try_into().ok());
                own.unwrap_or(Mat4::IDENTITY.to_cols_array())
            })
            .collect();
        let bind = Bind { joints, inverse };
        if let Some(known) = self.binds.iter().position(|b| *b == bind) {
            return Ok(known);
        }
        self.binds.push(bind);
        Ok(self.binds.len() - 1)
    }

    /// Takes over paints and the pictures they use; a picture that cannot be read is left out.
    fn paint(&mut self, data: &mut Data<'_>) -> Result<(), CharacterError> {
        let mut known: Vec<(usize, Option<usize>)> = Vec::new();
        for i in 0..data.root.materials.len() {
            let material = &data.root.materials[i];
            let own = &material.pbr_metallic_roughness;
            let image = own
                .base_color_texture
                .as_ref()
                .filter(|t| t.tex_coord == 0)
                .and_then(|t| data.root.textures.get(t.index.value()))
                .map(|t| t.source.value());
            let share = |v: f32| if v.is_finite() { v.clamp(0.0, 1.0) } else { 1.0 };
            let (blended, cut) = match material.alpha_mode {
                Checked::Valid(json::material::AlphaMode::Blend) => (true, false),
                Checked::Valid(json::material::AlphaMode::Mask) => (false, true),
                _ => (false, false),
            };
            let cutoff = material.alpha_cutoff.map_or(0.5, |c| share(c.0));
            let mut paint = Paint {
                name: material.name.clone().unwrap_or_else(|| format!("material {i}")),
                colour: own.base_color_factor.0.map(share),
                picture: None,
                // The factors of a texture that is left out mean nothing without it.
                metal: match own.metallic_roughness_texture {
                    Some(_) => [0.0, 0.9],
                    None => [share(own.metallic_factor.0), share(own.roughness_factor.0)],
                },
                double_sided: material.double_sided,
                cutoff: cut.then_some(cutoff),
                blended,
            };
            if let Some(image) = image {
                paint.picture = match known.iter().find(|(k, _)| *k == image) {
                    Some((_, picture)) => *picture,
                    None => {
                        let picture = data.picture(image).map(|(kind, bytes)| {
                            self.pictures.push(Picture { kind, bytes });
                            self.pictures.len() - 1
                        });
                        known.push((image, picture));
                        picture
                    }
                };
            }
            self.paints.push(paint);
        }
        Ok(())
    }

    /// Bones to look at, where a file has nothing else: a slim double pyramid from every joint to each of its children.
    pub fn bones(loaded: &Loaded) -> Option<Self> {
        let source = &loaded.source;
        let root = root_of(loaded)?;
        let joints: Vec<usize> = (0..source.joints.len()).filter(|&j| source.hangs_from(j, root)).collect();
        let (mut locals, mut layout): (Vec<Local>, Layout) = (Vec::new(), Layout::default());
        source.rest(&mut locals);
        source.lay(&locals, &mut layout);
        let inverse = |j: usize| {
            Mat4::from_scale_rotation_translation(layout.scales[j], layout.turns[j], layout.places[j])
                .inverse()
        };
        let binds = joints.iter().map(|&j| inverse(j)).filter(Mat4::is_finite);
        let binds: Vec<[f32; 16]> = binds.map(|m| m.to_cols_array()).collect();
        if binds.len() != joints.len() {
            return None;
        }
        let mut piece = Piece { name: "bones".into(), joint: root, bind: Some(0), ..Piece::default() };
        let children = source.children();
        for &j in &joints {
            let ends = children[j].iter().map(|&c| layout.places[c]).chain(source.tip(j, &layout));
            let slot = joints.binary_search(&j).unwrap_or_default() as u16;
            for end in ends.collect::<Vec<_>>() {
                piece.bone(layout.places[j], end, slot);
            }
        }
        let paint = Paint {
            name: "bone".into(),
            colour: [0.72, 0.66, 0.55, 1.0],
            picture: None,
            metal: [0.0, 0.9],
            double_sided: false,
            cutoff: None,
            blended: false,
        };
        piece.paint = Some(0);
        (!piece.triangles.is_empty()).then(|| Self {
            pieces: vec![piece],
            binds: vec![Bind { joints, inverse: binds }],
            paints: vec![paint],
            pictures: Vec::new(),
        })
    }
}

/// The joint that carries the body.
fn root_of(loaded: &Loaded) -> Option<usize> {
    match &loaded.character {
        Character::Upright(upright) => upright.mapping.joint(Part::Pelvis),
        Character::FourFooted(animal) => {
            // Pelvis and chest hang from each other, or both from something above.
            let mut at = animal.pelvis;
            while !loaded.source.hangs_from(animal.chest, at) {
                at = loaded.source.joints[at].parent?;
            }
            Some(at)
        }
    }
}

fn json_name(data: &Data<'_>, node: usize, mesh: usize) -> String {
    let own = data.root.nodes[node].name.clone();
    own.or_else(|| data.root.meshes.get(mesh)?.name.clone()).unwrap_or_else(|| format!("mesh {mesh}"))
}

/// Where the numbers of a primitive are.
struct Primitive {
    places: usize,
    normals: Option<usize>,
    texels: Option<usize>,
    colours: Option<usize>,
    joints: Option<usize>,
    weights: Option<usize>,
    corners: Option<usize>,
    paint: Option<usize>,
    /// Places and normals of its other shapes.
    morphs: Vec<[Option<usize>; 2]>,
}

impl Primitive {
    fn of(json: &json::mesh::Primitive) -> Option<Self> {
        let get = |s: Semantic| json.attributes.get(&Checked::Valid(s)).map(json::Index::value);
        matches!(json.mode, Checked::Valid(Mode::Triangles)).then_some(())?;
        Some(Self {
            places: get(Semantic::Positions)?,
            normals: get(Semantic::Normals),
            texels: get(Semantic::TexCoords(0)),
            colours: get(Semantic::Colors(0)),
            joints: get(Semantic::Joints(0)),
            weights: get(Semantic::Weights(0)),
            corners: json.indices.map(|i| i.value()),
            paint: json.material.map(|m| m.value()),
            morphs: json
                .targets
                .iter()
                .flatten()
                .map(|t| [t.positions, t.normals].map(|i| i.map(|i| i.value())))
                .collect(),
        })
    }
}

impl Piece {
    /// Takes over what the triangles of a primitive use. Whether there is anything.
    fn fill(
        &mut self,
        data: &mut Data<'_>,
        primitive: &Primitive,
        slots: Option<usize>,
        mesh: usize,
    ) -> Result<bool, CharacterError> {
        let (places, three) = data.floats(primitive.places)?;
        let count = places.len() / 3;
        if three != 3 || count == 0 || slots == Some(0) {
            return Ok(false);
        }
        let corners: Vec<u32> = match primitive.corners {
            Some(index) => data.floats(index)?.0.iter().map(|&i| i as u32).collect(),
            None => (0..count as u32).collect(),
        };
        // Primitives may share all points of a body and show a part of them: each keeps what it shows.
        let (mut number, mut used) = (vec![u32::MAX; count], Vec::new());
        for triangle in corners.chunks_exact(3).filter(|t| t.iter().all(|&c| (c as usize) < count)) {
            let corner = |&c: &u32| {
                let slot = &mut number[c as usize];
                if *slot == u32::MAX {
                    *slot = used.len() as u32;
                    used.push(c as usize);
                }
                *slot
            };
            let [a, b, c]: [u32; 3] = std::array::from_fn(|i| triangle[i]);
            let mut corner = corner;
            self.triangles.push([corner(&a), corner(&b), corner(&c)]);
        }
        data.charge(format!("meshes[{mesh}]"), (20 + 6 * primitive.morphs.len()) * used.len())?;
        self.points = rows(&places, &used);
        // An attribute that is not as it should be is left out; points without one are still a mesh.
        let mut read = |index: Option<usize>, width: usize| -> Option<_> {
            let (numbers, own) = data.floats(index?).ok()?;
            (own == width && numbers.len() == width * count).then_some(numbers)
        };
        if let Some(normals) = read(primitive.normals, 3) {
            self.normals = rows(&normals, &used);
            let unit = |n: [f32; 3]| Vec3::from(n).normalize_or(Vec3::Y).to_array();
            self.normals.iter_mut().for_each(|n| *n = unit(*n));
        }
        if let Some(texels) = read(primitive.texels, 2) {
            self.texels = rows(&texels, &used);
        }
        if let Some(colours) = read(primitive.colours, 4) {
            self.colours = rows(&colours, &used);
        } else if let Some(colours) = read(primitive.colours, 3) {
            self.colours = rows::<3>(&colours, &used).into_iter().map(|[r, g, b]| [r, g, b, 1.0]).collect();
        }
        self.colours.iter_mut().flatten().for_each(|v| *v = v.clamp(0.0, 1.0));
        // All shapes of a mesh are numbered alike: one that cannot be read keeps its number and changes nothing.
        for &[points, normals] in &primitive.morphs {
            let none = || vec![[0.0; 3]; used.len()];
            let points = read(points, 3).map_or_else(none, |numbers| rows(&numbers, &used));
            let normals = read(normals, 3).map_or(Vec::new(), |numbers| rows(&numbers, &used));
            self.morphs.push(Morph { points, normals, ..Morph::default() });
        }
        // And all have normals, or none.
        if self.morphs.iter().any(|m| m.normals.is_empty()) {
            self.morphs.iter_mut().for_each(|m| m.normals.clear());
        }
        if let Some(slots) = slots {
            let (Some(joints), Some(weights)) = (read(primitive.joints, 4), read(primitive.weights, 4))
            else {
                return Ok(false);
            };
            let weights: Vec<[f32; 4]> = rows(&weights, &used);
            for (joints, weights) in rows::<4>(&joints, &used).into_iter().zip(weights) {
                let fits = |k: usize| (joints[k] as usize) < slots && weights[k] > 0.0;
                let kept: [f32; 4] = std::array::from_fn(|k| if fits(k) { weights[k] } else { 0.0 });
                let sum: f32 = kept.iter().sum();
                self.joints.push(std::array::from_fn(|k| if fits(k) { joints[k] as u16 } else { 0 }));
                self.weights.push(if sum > 1e-6 { kept.map(|w| w / sum) } else { [1.0, 0.0, 0.0, 0.0] });
            }
        }
        Ok(!self.triangles.is_empty())
    }

    /// Adds a double pyramid from `from` to `to` that moves with a joint.
    fn bone(&mut self, from: Vec3, to: Vec3, slot: u16) {
        let along = to - from;
        let length = along.length();
        if !(length > 1e-6 && length.is_finite()) {
            return;
        }
        let side = along.any_orthogonal_vector().normalize();
        let other = (along / length).cross(side);
        let waist = from + 0.2 * along;
        let thick = 0.09 * length;
        let ring = [side, other, -side, -other].map(|s| waist + s * thick);
        let sharp = |corners: [Vec3; 3], mesh: &mut Self| {
            let first = mesh.points.len() as u32;
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or(Vec3::Y);
            for corner in corners {
                mesh.points.push(corner.to_array());
                mesh.normals.push(normal.to_array());
                mesh.joints.push([slot, 0, 0, 0]);
                mesh.weights.push([1.0, 0.0, 0.0, 0.0]);
            }
            mesh.triangles.push([first, first + 1, first + 2]);
        };
        for k in 0..4 {
            let (a, b) = (ring[k], ring[(k + 1) % 4]);
            sharp([a, b, to], self);
            sharp([b, a, from], self);
        }
    }
}

/// The rows of width N that are used.
fn rows<const N: usize>(numbers: &[f32], used: &[usize]) -> Vec<[f32; N]> {
    used.iter().map(|&i| std::array::from_fn(|k| numbers[N * i + k])).collect()
}
