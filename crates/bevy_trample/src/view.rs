//! What is in view: the patches of the ground and the clumps of plants around an eye, kept up to date. Everything of drawing that
//! needs no graphics card.

use crate::grass::Field;
use crate::ground::{Atlas, Overlay, Shape};
use crate::lod::Eye;
use crate::spent::{Lap, Spent};
use crate::terrains::{PerTerrain, Terrains};
use crate::tiles::TilesChanged;
use crate::uploads::Uploads;
use crate::world::Trample;
use bevy::prelude::*;
use std::collections::BTreeSet;
use trample::TileKey;

/// Where somebody looks from; goes on a camera. The first one counts.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[require(Transform)]
pub struct TrampleEye;

/// How each terrain is shown. Every value may change at any time.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct TrampleLook {
    /// A map over the ground.
    pub overlay: Option<Overlay>,
    /// Patches nearer than this many times their size are split into finer ones.
    pub ground_detail: f32,
    /// The same for clumps of plants.
    pub grass_detail: f32,
    /// How far plants are drawn as blades, m; beyond, they colour the ground.
    pub grass_reach: f32,
    /// Most clumps of up to 256 stems each in view; 0 draws none. Takes effect with the next world.
    pub most_clumps: usize,
    /// Most vertices of plants that a picture takes, shadows not counted: how far they have all their leaves follows from it.
    pub grass_vertices: usize,
    /// Most vertices of plants that throw a shadow, the nearest first.
    pub shadow_vertices: usize,
    /// How far wind moves the tips of plants, as a share of their height; 0 for none.
    pub wind: f32,
    /// Most patches of ground that a frame fills while the eye moves.
    pub patches_per_frame: usize,
    /// Most plant cells, of 0.4 m, that a frame fills.
    pub cells_per_frame: usize,
}

impl Default for TrampleLook {
    fn default() -> Self {
        Self {
            overlay: None,
            ground_detail: 3.0,
            grass_detail: 4.0,
            grass_reach: 16.0,
            most_clumps: 1024,
            grass_vertices: 2_000_000,
            shadow_vertices: 700_000,
            wind: 0.0,
            patches_per_frame: 4,
            cells_per_frame: 32,
        }
    }
}

impl TrampleLook {
    /// For software rendering and weak machines.
    pub fn low() -> Self {
        Self {
            ground_detail: 1.5,
            grass_detail: 2.0,
            grass_reach: 6.0,
            most_clumps: 256,
            grass_vertices: 200_000,
            shadow_vertices: 0,
            ..Self::default()
        }
    }

    /// For a laptop: with everything else in view a picture stays below 1.5 million vertices, shadows included.
    pub fn medium() -> Self {
        Self {
            grass_reach: 10.0,
            most_clumps: 512,
            grass_vertices: 600_000,
            shadow_vertices: 160_000,
            ..Self::default()
        }
    }
}

/// What of a terrain is in view now; a resource for all of them is [`PerTerrain`] of it.
#[derive(Debug, Default)]
pub struct TrampleView {
    /// The ground.
    pub atlas: Option<Atlas>,
    /// The plants.
    pub field: Option<Field>,
    /// Of which world, see [`Trample::generation`].
    pub generation: u64,
    /// Whether other patches are shown than in the last frame.
    pub patches_changed: bool,
    /// Whether other clumps are, or some move that rested, or the other way round.
    pub clumps_changed: bool,
    overlay: Option<Overlay>,
    clumps: usize,
}

/// Keeps what is in view of every terrain up to date, in `PostUpdate`; the drawing plugin brings it along.
pub struct TrampleViewPlugin;

impl Plugin for TrampleViewPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Spent>();
        app.init_resource::<TrampleLook>()
            .init_resource::<PerTerrain<TrampleView>>()
            .init_resource::<Uploads>();
        app.add_systems(PostUpdate, (crate::notice, refresh).chain().in_set(UpdateView));
    }
}

/// When [`TrampleView`]s are brought up to date.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct UpdateView;

fn refresh(
    terrains: Terrains,
    look: Res<TrampleLook>,
    mut views: ResMut<PerTerrain<TrampleView>>,
    mut uploads: ResMut<Uploads>,
    mut messages: MessageReader<TilesChanged>,
    mut spent: ResMut<Spent>,
    eyes: Query<&GlobalTransform, With<TrampleEye>>,
) {
    uploads.begin();
    drop(views.left(&terrains));
    let eye = eyes.iter().next().map(GlobalTransform::translation).filter(|p| p.is_finite());
    let told: Vec<&TilesChanged> = messages.read().collect();
    for (id, trample, origin) in terrains.iter() {
        let of_this = |m: &&&TilesChanged| (m.terrain, m.generation) == (id, trample.generation());
        let tiles: BTreeSet<TileKey> =
            told.iter().filter(of_this).flat_map(|m| m.tiles.iter().copied()).collect();
        let tiles: Vec<TileKey> = tiles.into_iter().collect();
        views.of(id).refresh(trample, &look, &tiles, eye.map(|eye| eye - origin), &mut uploads, &mut spent);
    }
}

impl TrampleView {
    /// Brings it up to date, after these tiles changed, for an eye in the terrain's own space.
    fn refresh(
        &mut self,
        trample: &Trample,
        look: &TrampleLook,
        tiles: &[TileKey],
        eye: Option<Vec3>,
        uploads: &mut Uploads,
        spent: &mut Spent,
    ) {
        let lap = Lap::of(&mut spent.ground);
        let world = trample.world();
        let generation = trample.generation();
        let [wide, deep] = world.scene().terrain.size.map(|m| m as f32);
        let eye = Eye::at(world, eye.unwrap_or(Vec3::new(0.5 * wide, 5.0, 0.5 * deep)).to_array());

        let view = self;
        if view.generation != generation || view.clumps != look.most_clumps {
            view.atlas = Some(Atlas::new(Shape::default(), world));
            view.field = Some(Field::new(look.most_clumps));
            (view.generation, view.clumps, view.overlay) = (generation, look.most_clumps, look.overlay);
        }
        let (Some(atlas), Some(field)) = (&mut view.atlas, &mut view.field) else { return };
        let overlay = look.overlay.as_ref();
        if view.overlay != look.overlay {
            // Strength is the card's business: only values and range are in the texels.
            let values = |o: Option<Overlay>| o.map(|o| (o.map, o.range));
            if values(view.overlay) != values(look.overlay) {
                atlas.rewrite(world, overlay, uploads);
            }
            view.overlay = look.overlay;
        }
        atlas.update(world, tiles, overlay, uploads);
        view.patches_changed =
            atlas.follow(world, eye, look.ground_detail, overlay, look.patches_per_frame, uploads);
        drop(lap);
        let _lap = Lap::of(&mut spent.grass);
        let told = field.update(world, tiles, look.cells_per_frame, uploads);
        let range = [look.grass_detail, look.grass_reach];
        view.clumps_changed = field.follow(world, eye, range, look.cells_per_frame, uploads) || told;
    }
}
