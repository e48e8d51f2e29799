//! Footsteps are heard: what `crate::sound` computes, sent to the machine's loudspeaker.

use super::Play;
use super::spray::underfoot;
use crate::sound::{Footfall, RATE};
use bevy::prelude::*;
use bevy_trample::{Happened, Trample};
use trample::params::GRAVITY;
use trample::scene::SoleShape;
use trample::{Event, Footwear, Map};

/// Most footfalls that are heard in one frame; our choice.
const MOST: usize = 6;
/// Distance at which a footfall is as loud as it is computed, and beyond which none is heard, m; our choice.
const NEAR: f32 = 2.5;
const FAR: f32 = 40.0;
/// Time may run so many times faster before footsteps are left out: beyond it they would be a drone. Our choice.
const FASTEST: f64 = 2.5;

pub(super) struct SoundPlugin;

impl Plugin for SoundPlugin {
    fn build(&self, app: &mut App) {
        app.init_non_send::<Loudspeaker>().add_systems(PostUpdate, tread);
    }
}

/// Where sound goes: opened at the first footfall. Without one there is silence, and it is not asked for again.
#[derive(Default)]
struct Loudspeaker {
    #[cfg(feature = "sound")]
    open: Option<Option<rodio::MixerDeviceSink>>,
}

impl Loudspeaker {
    #[cfg(feature = "sound")]
    fn play(&mut self, samples: Vec<f32>) {
        let open = self.open.get_or_insert_with(|| {
            rodio::DeviceSinkBuilder::open_default_sink()
                .inspect_err(|problem| info!("no sound: {problem}"))
                .map(|mut sink| {
                    sink.log_on_drop(false);
                    sink
                })
                .ok()
        });
        if let (Some(sink), Some(rate)) = (open, std::num::NonZero::new(RATE)) {
            sink.mixer().add(rodio::buffer::SamplesBuffer::new(std::num::NonZero::<u16>::MIN, rate, samples));
        }
    }

    #[cfg(not(feature = "sound"))]
    fn play(&mut self, _: Vec<f32>) {
        let _ = RATE;
    }
}

/// Footfalls of this frame, as loud as they are near.
fn tread(
    trample: Res<Trample>,
    mut play: ResMut<Play>,
    mut happened: MessageReader<Happened>,
    eyes: Query<&Transform, With<Camera3d>>,
    mut loudspeaker: NonSendMut<Loudspeaker>,
) {
    // A page may make no sound before somebody has touched it.
    let silent = !play.sound || play.winding.is_some() || cfg!(target_arch = "wasm32") && play.opening;
    if silent || trample.time_scale > FASTEST {
        happened.clear();
        return;
    }
    let Some(eye) = eyes.iter().next().map(|eye| eye.translation) else { return };
    let world = trample.world();
    for Happened { event, .. } in happened.read().take(MOST) {
        let (puppet, position, force, lift) = match *event {
            Event::FootDown { puppet, position, force, .. } => (puppet, position, force, false),
            Event::FootUp { puppet, position, force, .. } => (puppet, position, force, true),
            _ => continue,
        };
        let Some((ground, [x, z])) = underfoot(world, position) else { continue };
        let height = world.height(position.x.into(), position.z.into()) as f32;
        let distance = eye.distance(position.with_y(height));
        if distance > FAR {
            continue;
        }
        let footwear = match world.scene().puppets.get(puppet).map(|p| &p.sole) {
            Some(SoleShape::Footwear(footwear)) => *footwear,
            _ => Footwear::Shoe,
        };
        play.heard += 1;
        let footfall = Footfall {
            ground,
            footwear,
            force: (force / (world.puppet(puppet).mass * GRAVITY)) as f32,
            plants: world.map(Map::Vegetation).at(x, z) as f32,
            lift,
            count: play.heard,
        };
        let gain = NEAR / distance.max(NEAR);
        loudspeaker.play(footfall.samples().into_iter().map(|x| gain * x).collect());
    }
}
