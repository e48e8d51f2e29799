//! Several terrains in one game: the resource [`Trample`], and further ones on entities, each with its own cells, materials, plants
//! and pace.

use crate::body::Seen;
use crate::world::Trample;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use std::collections::BTreeMap;

/// A further terrain. It lies where its entity is: its corner x = z = 0 at the entity's place, its height 0 at the entity's height.
/// Only that place counts; terrains are not turned or scaled.
///
/// A [`crate::Puppet`] says on which terrain it stands; a [`crate::WalkerBody`] or [`crate::SoleBody`] belongs to the terrain whose
/// child it is, and to the resource [`Trample`] where its parent is none.
#[derive(Component, Debug, Deref, DerefMut)]
#[require(Transform, Seen)]
pub struct TrampleTerrain(pub Trample);

impl TrampleTerrain {
    /// The terrain of a scene, at its beginning.
    pub fn new(scene: &trample::Scene) -> Result<Self, trample::SceneError> {
        Trample::new(scene).map(Self)
    }
}

/// Every terrain, to look at: first the resource, whose entity is none, then the others, each with where it lies.
#[derive(SystemParam)]
pub struct Terrains<'w, 's> {
    first: Res<'w, Trample>,
    others: Query<'w, 's, (Entity, &'static TrampleTerrain, &'static GlobalTransform)>,
}

impl Terrains<'_, '_> {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (Option<Entity>, &Trample, Vec3)> {
        let others = self.others.iter().map(|(id, terrain, at)| (Some(id), &terrain.0, at.translation()));
        std::iter::once((None, &*self.first, Vec3::ZERO)).chain(others)
    }

    /// One of them, and where it lies; nothing if it is gone.
    pub fn get(&self, terrain: Option<Entity>) -> Option<(&Trample, Vec3)> {
        let Some(terrain) = terrain else { return Some((&self.first, Vec3::ZERO)) };
        self.others.get(terrain).ok().map(|(_, terrain, at)| (&terrain.0, at.translation()))
    }

    /// That which something is a child of, else the resource.
    pub fn above(&self, parent: Option<&ChildOf>) -> &Trample {
        let own = parent.and_then(|parent| self.others.get(parent.parent()).ok());
        own.map_or(&self.first, |(_, terrain, _)| &terrain.0)
    }
}

/// Every terrain, to change.
#[derive(SystemParam)]
pub(crate) struct TerrainsMut<'w, 's> {
    first: ResMut<'w, Trample>,
    others: Query<'w, 's, (Entity, &'static mut TrampleTerrain, &'static GlobalTransform)>,
}

impl TerrainsMut<'_, '_> {
    /// Calls `act` for all of them.
    pub(crate) fn each(&mut self, mut act: impl FnMut(Option<Entity>, &mut Trample)) {
        act(None, &mut self.first);
        for (id, mut terrain, _) in &mut self.others {
            act(Some(id), &mut terrain);
        }
    }

    /// Lets all of them find out whether they were changed by more than steering, which is no change by itself.
    pub(crate) fn notice(&mut self) {
        self.first.bypass_change_detection().notice();
        for (_, mut terrain, _) in &mut self.others {
            terrain.bypass_change_detection().0.notice();
        }
    }

    /// One of them, and where it lies; nothing if it is gone.
    pub(crate) fn get(&mut self, terrain: Option<Entity>) -> Option<(&mut Trample, Vec3)> {
        let Some(terrain) = terrain else { return Some((&mut self.first, Vec3::ZERO)) };
        let (_, terrain, at) = self.others.get_mut(terrain).ok()?;
        Some((&mut terrain.into_inner().0, at.translation()))
    }
}

/// What a part of the plugin keeps for every terrain; stands for that of the resource.
#[derive(Resource, Debug, Default, Deref, DerefMut)]
pub struct PerTerrain<T: Send + Sync + 'static> {
    #[deref]
    first: T,
    others: BTreeMap<Entity, T>,
}

impl<T: Default + Send + Sync + 'static> PerTerrain<T> {
    /// What is kept for a terrain; nothing if it was never seen.
    pub fn get(&self, terrain: Option<Entity>) -> Option<&T> {
        terrain.map_or(Some(&self.first), |terrain| self.others.get(&terrain))
    }

    /// What is kept for a terrain, made if need be.
    pub(crate) fn of(&mut self, terrain: Option<Entity>) -> &mut T {
        match terrain {
            Some(terrain) => self.others.entry(terrain).or_default(),
            None => &mut self.first,
        }
    }

    /// Gives back what was kept for terrains that are gone.
    pub(crate) fn left(&mut self, terrains: &Terrains<'_, '_>) -> impl Iterator<Item = T> + use<T> {
        self.others
            .extract_if(.., |id, _| terrains.get(Some(*id)).is_none())
            .map(|(_, kept)| kept)
            .collect::<Vec<_>>()
            .into_iter()
    }
}
