//! Who follows others through deep snow treads in their prints, and has it easier; on firm ground nobody looks for prints.

use trample::params::material;
use trample::scene::{Control, Script, library};
use trample::{Event, PuppetSpec, Scene, World};

/// What one walker did on the middle of its way.
#[derive(Clone, Debug, Default)]
struct Way {
    /// Metres, seconds and joules.
    sums: [f64; 3],
    /// Foot, and where it came down, m.
    landings: Vec<(usize, [f64; 2])>,
    /// Whether it ever aimed at a print.
    aimed: bool,
}

impl Way {
    fn speed(&self) -> f64 {
        self.sums[0] / self.sums[1]
    }

    fn per_metre(&self) -> f64 {
        self.sums[2] / self.sums[0]
    }
}

/// Watches everybody between two places along the way, m.
fn watch(scene: &Scene, [from, to]: [f64; 2]) -> Vec<Way> {
    let mut world = World::new(scene).expect("world");
    let mut ways = vec![Way::default(); scene.puppets.len()];
    while !world.is_over() {
        let report = world.step(scene.dt());
        for event in &report.events {
            if let Event::FootDown { puppet, foot, position, .. } = *event {
                ways[puppet].landings.push((foot, [f64::from(position.x), f64::from(position.z)]));
            }
        }
        for (id, way) in ways.iter_mut().enumerate() {
            let (walker, _) = world.walker(id).expect("a walker");
            way.aimed |= walker.locks.iter().any(|lock| !lock.aims.is_nan());
            if (from..to).contains(&walker.root.x) && walker.velocity.length() > 0.1 {
                let power = world.metabolic_power(id).expect("a walker");
                let rates = [f64::from(walker.velocity.length()), 1.0, power];
                way.sums.iter_mut().zip(rates).for_each(|(sum, rate)| *sum += rate * scene.dt());
            }
        }
    }
    ways.iter_mut().for_each(|way| way.landings.retain(|(_, at)| (from..to).contains(&at[0])));
    ways
}

fn script(spec: &mut PuppetSpec) -> (&mut f64, &mut trample::scene::Path) {
    let Script::Walker(walker) = &mut spec.script else { panic!("a walker") };
    let Control::Route(route) = &mut walker.control else { panic!("a route") };
    (&mut walker.step_variation, &mut route.path)
}

#[test]
fn a_follower_treads_in_the_prints_of_its_leader_faster_and_with_less_energy() {
    let ways = watch(&library::by_name("follow-my-track").expect("a scene"), [3.5, 7.8]);
    let [leader, follower] = &ways[..] else { panic!("two walk") };
    let into = |(foot, at): &(usize, [f64; 2])| {
        let off = |p: &[f64; 2]| (p[0] - at[0]).abs().max((p[1] - at[1]).abs());
        leader.landings.iter().filter(|(f, _)| f == foot).map(|(_, p)| off(p)).fold(f64::MAX, f64::min)
    };
    let off: Vec<f64> = follower.landings.iter().map(into).collect();
    println!(
        "leader {:.3} m/s, {:.0} J/m; follower {:.3} m/s, {:.0} J/m; beside the prints by {off:.3?} m",
        leader.speed(),
        leader.per_metre(),
        follower.speed(),
        follower.per_metre()
    );
    assert!(follower.speed() > 1.25 * leader.speed() && follower.per_metre() < 0.8 * leader.per_metre());
    assert!(off.len() >= 6 && off.iter().all(|off| *off < 0.05), "{off:?}");
}

#[test]
fn a_track_that_a_few_people_broke_is_faster_whatever_their_steps() {
    let mut scene = library::by_name("follow-my-track").expect("a scene");
    let first = scene.puppets.remove(0);
    scene.puppets = (0..4)
        .map(|i| {
            let mut one = first.clone();
            let (variation, path) = script(&mut one);
            (*variation, path.start) = (1.0, 9.0 * f64::from(i));
            path.waypoints[0] = [1.0, 1.2];
            path.waypoints[1][0] -= 0.5 * f64::from(i);
            one
        })
        .collect();
    // One after the other, not held up where the first have stopped.
    scene.avoid = false;
    let ways = watch(&scene, [3.0, 7.5]);
    let told = |of: fn(&Way) -> f64| ways.iter().map(of).collect::<Vec<_>>();
    let (speeds, energies) = (told(Way::speed), told(Way::per_metre));
    println!("{speeds:.3?} m/s, {energies:.0?} J/m");
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    assert!(mean(&speeds[1..]) > 1.2 * speeds[0] && mean(&energies[1..]) < 0.85 * energies[0]);
    assert!(speeds[1..].iter().all(|v| *v > speeds[0]), "{speeds:?}");
}

#[test]
fn nobody_looks_for_prints_on_firm_ground() {
    let mut scene = library::by_name("follow-my-track").expect("a scene");
    scene.terrain.materials[0].material = material::by_name("loam").expect("a preset");
    let ways = watch(&scene, [3.0, 8.0]);
    assert!(ways.iter().all(|way| !way.aimed && way.landings.len() > 4), "{ways:?}");
}
