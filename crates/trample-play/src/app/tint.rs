//! Colours of bodies: red without balance, blue with it where both walk beside each other.

use crate::action::{is_twin, twin_of};
use bevy::prelude::*;
use bevy_trample::{Trample, WalkerBody};

pub(super) struct TintPlugin;

impl Plugin for TintPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Update, tint);
    }
}

/// The colour that a body is dyed with.
fn dye(world: &trample::World, puppet: usize) -> Color {
    let scene = world.scene();
    match scene.puppets.get(puppet) {
        Some(spec) if is_twin(&spec.name) => Color::srgb(1.0, 0.42, 0.38),
        Some(_) if twin_of(scene, puppet).is_some() => Color::srgb(0.45, 0.62, 1.0),
        _ => Color::WHITE,
    }
}

fn tint(
    trample: Res<Trample>,
    bodies: Query<&WalkerBody>,
    skins: Query<(&ChildOf, &MeshMaterial3d<StandardMaterial>)>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    for (parent, material) in &skins {
        let Ok(body) = bodies.get(parent.parent()) else { continue };
        let colour = dye(trample.world(), body.puppet);
        if materials.get(&material.0).is_some_and(|m| m.base_color != colour)
            && let Some(mut material) = materials.get_mut(&material.0)
        {
            material.base_color = colour;
        }
    }
}
