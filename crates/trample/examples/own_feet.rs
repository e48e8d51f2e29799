//! A host's own feet: an engine that animates its own figures sets the poses of the soles and gets prints, forces and footfall events.
//!
//! ```text
//! cargo run -p trample --example own_feet
//! ```

use trample::glam::{Quat, Vec3};
use trample::{Event, Pose, PuppetSpec, Scene, Script, SolePose, World};

/// Duration of a stance and of half a stride, s.
const STANCE: f32 = 0.6;

/// Two feet that step along x, 0.6 m per step; `height` is the height of the ground.
fn pose(time: f32, height: impl Fn(f32, f32) -> f64) -> Pose {
    let sole = |side: f32| {
        let phase = time / (2.0 * STANCE) + 0.25 * (1.0 + side);
        let (stride, swing) = (phase.floor(), (2.0 * phase.fract() - 1.0).max(0.0));
        let (x, z) = (0.5 + 0.6 * (2.0 * (stride + swing) + 0.5 * side), 1.0 + 0.1 * side);
        // A standing sole rests on the ground, which yields below it; a swinging sole is lifted.
        let position = Vec3::new(x, height(x, z) as f32 + 0.4 * swing * (1.0 - swing), z);
        let velocity = Vec3::new(0.0, if swing > 0.5 { -0.4 } else { 0.0 }, 0.0);
        SolePose { position, velocity, rotation: Quat::IDENTITY, ..SolePose::default() }
    };
    let soles = vec![sole(-1.0), sole(1.0)];
    let center_of_mass = 0.5 * (soles[0].position + soles[1].position) + Vec3::Y;
    Pose { soles, center_of_mass, ..Pose::default() }
}

fn main() -> Result<(), trample::SceneError> {
    let puppet = PuppetSpec { script: Script::Host { feet: 2 }, ..PuppetSpec::default() };
    let mut world = World::new(&Scene { puppets: vec![puppet], ..Scene::default() })?;
    let (mut falls, dt) = (0, 1.0 / 60.0);
    for frame in 0..240 {
        let pose = pose(frame as f32 * dt as f32, |x, z| world.height(f64::from(x), f64::from(z)));
        world.set_pose(0, &pose);
        for event in &world.step(dt).events {
            if let Event::FootUp { time, foot, force, depth, .. } = event {
                falls += 1;
                println!("{time:.2} s: foot {foot} pressed with {force:.0} N and left {:.0} mm", 1e3 * depth);
            }
        }
    }
    assert!(falls >= 3, "{falls} footfalls");
    Ok(())
}
