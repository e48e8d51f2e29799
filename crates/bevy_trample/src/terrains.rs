//! Several terrains in one game: the main one is the resource [`Trample`], others are components of entities. Each has its own cell
//! size, materials, plants and time step.

use crate::body::Seen;
use crate::world::Trample;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use std::collections::BTreeMap;

/// An additional terrain. Its origin, the corner x = z = 0 at height 0, is at the translation of its entity; rotation and scale are
/// ignored.
///
/// [`crate::Puppet::terrain`] names the terrain of a puppet. A [`crate::WalkerBody`] or [`crate::SoleBody`] belongs to the terrain
/// that is its parent, and to the main terrain, the resource [`Trample`], if its parent is not a terrain.
#[derive(Component, Debug, Deref, DerefMut)]
#[require(Transform, Seen)]
pub struct TrampleTerrain(pub Trample);

impl TrampleTerrain {
    /// The terrain of a scene, at its beginning.
    pub fn new(scene: &trample::Scene) -> Result<Self, trample::SceneError> {
        Trample::new(scene).map(Self)
    }
}

/// Read access to all terrains: first the main one, with entity `None`, then the others, each with the position of its origin.
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

    /// A terrain and the position of its origin; `None` if it no longer exists.
    pub fn get(&self, terrain: Option<Entity>) -> Option<(&Trample, Vec3)> {
        let Some(terrain) = terrain else { return Some((&self.first, Vec3::ZERO)) };
        self.others.get(terrain).ok().map(|(_, terrain, at)| (&terrain.0, at.translation()))
    }

    /// The terrain that is the parent, else the main terrain.
    pub fn above(&self, parent: Option<&ChildOf>) -> &Trample {
        let own = parent.and_then(|parent| self.others.get(parent.parent()).ok());
        own.map_or(&self.first, |(_, terrain, _)| &terrain.0)
    }
}

/// Write access to all terrains.
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

    /// Lets all of them check whether they were changed by more than steering; the check itself does not count as a change.
    pub(crate) fn notice(&mut self) {
        self.first.bypass_change_detection().notice();
        for (_, mut terrain, _) in &mut self.others {
            terrain.bypass_change_detection().0.notice();
        }
    }

    /// A terrain and the position of its origin; `None` if it no longer exists.
    pub(crate) fn get(&mut self, terrain: Option<Entity>) -> Option<(&mut Trample, Vec3)> {
        let Some(terrain) = terrain else { return Some((&mut self.first, Vec3::ZERO)) };
        let (_, terrain, at) = self.others.get_mut(terrain).ok()?;
        Some((&mut terrain.into_inner().0, at.translation()))
    }
}

/// A value per terrain. Dereferences to the value of the main terrain.
#[derive(Resource, Debug, Default, Deref, DerefMut)]
pub struct PerTerrain<T: Send + Sync + 'static> {
    #[deref]
    first: T,
    others: BTreeMap<Entity, T>,
}

impl<T: Default + Send + Sync + 'static> PerTerrain<T> {
    /// The value of a terrain; `None` if it has none yet.
    pub fn get(&self, terrain: Option<Entity>) -> Option<&T> {
        terrain.map_or(Some(&self.first), |terrain| self.others.get(&terrain))
    }

    /// The value of a terrain, created on demand.
    pub(crate) fn of(&mut self, terrain: Option<Entity>) -> &mut T {
        match terrain {
            Some(terrain) => self.others.entry(terrain).or_default(),
            None => &mut self.first,
        }
    }

    /// Removes and returns the values of terrains that no longer exist.
    pub(crate) fn left(&mut self, terrains: &Terrains<'_, '_>) -> impl Iterator<Item = T> + use<T> {
        self.others
            .extract_if(.., |id, _| terrains.get(Some(*id)).is_none())
            .map(|(_, kept)| kept)
            .collect::<Vec<_>>()
            .into_iter()
    }
}
