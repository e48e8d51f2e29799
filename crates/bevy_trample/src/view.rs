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

/// Marks the camera whose position selects the level of detail. The first one is used.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[require(Transform)]
pub struct TrampleEye;

/// Display settings of all terrains. All values may change at any time.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct TrampleLook {
    /// A map drawn over the ground.
    pub overlay: Option<Overlay>,
    /// Patches closer than this many times their size are split into finer ones.
    pub ground_detail: f32,
    /// The same for clumps of plants.
    pub grass_detail: f32,
    /// Distance up to which plants are drawn as blades, m; beyond it they only colour the ground.
    pub grass_reach: f32,
    /// Maximum number of clumps in view, of up to 256 stems each; 0 draws none. Takes effect with the next world.
    pub most_clumps: usize,
    /// Maximum number of plant vertices without shadows: it determines the distance up to which plants have all their leaves.
    pub grass_vertices: usize,
    /// Maximum number of plant vertices that cast shadows, nearest first.
    pub shadow_vertices: usize,
    /// Amplitude of plant tips in the wind, as a share of their height; 0 for no wind.
    pub wind: f32,
    /// Maximum number of ground patches filled per frame while the camera moves.
    pub patches_per_frame: usize,
    /// Maximum number of plant cells, of 0.4 m, filled per frame.
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

    /// For a laptop: the whole picture stays below 1.5 million vertices, including shadows.
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

/// The parts of the ground and plants of a terrain in view; the resource is [`PerTerrain`] of it.
#[derive(Debug, Default)]
pub struct TrampleView {
    /// The ground.
    pub atlas: Option<Atlas>,
    /// The plants.
    pub field: Option<Field>,
    /// Generation of the world, see [`Trample::generation`].
    pub generation: u64,
    /// Whether the shown patches differ from the last frame.
    pub patches_changed: bool,
    /// Whether the shown clumps differ, or any started or stopped moving.
    pub clumps_changed: bool,
    overlay: Option<Overlay>,
    clumps: usize,
}

/// Updates the [`TrampleView`] of every terrain in `PostUpdate`; the drawing plugin adds it.
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

/// The system set that updates [`TrampleView`].
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
