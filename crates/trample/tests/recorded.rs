//! The whole-body force model on motion that was recorded, not generated: one walking and one running cycle with the forces
//! that were measured under them (OpenSim's gait2392 subject and Hamner 2010). The files lie beside the workspace where they
//! are; without them there is nothing to check here, and the tests say so.

use glam::{Quat, Vec3};
use std::io::Write;
use std::path::PathBuf;
use trample::body::{HIP, Joint, Pose, SEGMENTS, SHOULDER, Skeleton};
use trample::clips::force;
use trample::params::{Body, GRAVITY};

/// The columns of a recorded cycle by their names, if the file is there.
struct Cycle {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Cycle {
    fn read(file: &str) -> Option<Self> {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(file);
        let Ok(text) = std::fs::read_to_string(&path) else {
            // Not by `println`, which the harness keeps to itself while tests pass.
            let _ = writeln!(std::io::stderr(), "SKIPPED: {file} is not here: nothing is checked");
            return None;
        };
        let mut lines = text.lines();
        let names = lines.next()?.split(',').map(String::from).collect();
        let rows = lines.map(|l| l.split(',').filter_map(|x| x.parse().ok()).collect()).collect();
        Some(Self { names, rows })
    }

    /// A column at a row; 0 where the recording has none, as arms in walking.
    fn at(&self, row: usize, name: &str) -> f64 {
        self.names.iter().position(|n| n == name).map_or(0.0, |k| self.rows[row][k])
    }

    fn angle(&self, row: usize, name: &str) -> f32 {
        self.at(row, name).to_radians() as f32
    }

    /// Rows of one cycle; the last is the first of the next.
    fn steps(&self) -> usize {
        self.rows.len() - 1
    }
}

/// Turns about z (flexion), x (adduction) and y (rotation), one after the other in the body's own frame.
fn turn(z: f32, x: f32, y: f32) -> Quat {
    Quat::from_rotation_z(z) * Quat::from_rotation_x(x) * Quat::from_rotation_y(y)
}

/// The recorded pose on our skeleton. Height is taken without the drift over the cycle, so that it can be repeated.
fn pose(cycle: &Cycle, row: usize) -> Pose {
    let mut pose = Pose::default();
    let pelvis = turn(
        cycle.angle(row, "pelvis_tilt"),
        cycle.angle(row, "pelvis_list"),
        cycle.angle(row, "pelvis_rotation"),
    );
    let share = row as f64 / cycle.steps() as f64;
    let place = |name: &str| {
        let drift = cycle.at(cycle.steps(), name) - cycle.at(0, name);
        (cycle.at(row, name) - drift * share) as f32
    };
    let origin = Vec3::new(place("pelvis_tx"), place("pelvis_ty"), place("pelvis_tz"));
    // The hip joints of the generic model lie behind and below the origin of its pelvis.
    pose.root = origin + pelvis * Vec3::new(-0.0707, -0.0661, 0.0);
    pose.rotations[0] = pelvis;
    pose.rotations[Joint::Spine as usize] = turn(
        cycle.angle(row, "lumbar_extension"),
        cycle.angle(row, "lumbar_bending"),
        cycle.angle(row, "lumbar_rotation"),
    );
    for (side, s, out) in [(0, "l", -1.0), (1, "r", 1.0)] {
        let angle = |name: &str| cycle.angle(row, &format!("{name}_{s}"));
        let (hip, shoulder) = (HIP[side], SHOULDER[side]);
        pose.rotations[hip] =
            turn(angle("hip_flexion"), out * angle("hip_adduction"), out * angle("hip_rotation"));
        pose.rotations[hip + 1] = Quat::from_rotation_z(angle("knee_angle"));
        pose.rotations[hip + 2] = Quat::from_rotation_z(angle("ankle_angle"));
        pose.rotations[shoulder] = turn(angle("arm_flex"), out * angle("arm_add"), out * angle("arm_rot"));
        pose.rotations[shoulder + 1] = Quat::from_rotation_z(angle("elbow_flex"));
    }
    pose
}

/// Vertical force of both feet, modelled and measured, body weights, for the steps of one cycle in the middle of three.
fn forces(cycle: &Cycle, mass: f64) -> (Vec<[f64; 2]>, Vec<[f64; 2]>) {
    let skeleton = Skeleton::new(&Body::new(1.8, mass));
    let n = cycle.steps();
    let dt = (cycle.at(n, "time_s") - cycle.at(0, "time_s")) / n as f64;
    let masses: [f32; SEGMENTS] = std::array::from_fn(|i| skeleton.masses[i].mass);
    let rows = || (0..3 * n).map(|i| i % n);
    let centres: Vec<Vec3> =
        rows().flat_map(|row| skeleton.centres(&skeleton.place(&pose(cycle, row)))).collect();
    // A foot is down where it was measured to press with more than 3 % of the weight.
    let contacts: Vec<force::Contact> =
        rows().map(|row| ["grf_V_L_BW", "grf_V_R_BW"].map(|name| [cycle.at(row, name) > 0.03; 2])).collect();
    let whole = force::total(&masses, &centres, dt, force::CUTOFF);
    let loads = force::shares(&contacts, dt);
    // Where the feet press does not matter for the vertical force.
    let feet = force::shared(&whole, &loads, &vec![Vec3::ZERO; 3 * n]);
    let weight = mass * GRAVITY;
    let modelled = (n..2 * n).map(|i| [0, 1].map(|side| -f64::from(feet[i][side].y) / weight)).collect();
    let measured = (0..n).map(|i| [cycle.at(i, "grf_V_L_BW"), cycle.at(i, "grf_V_R_BW")]).collect();
    (modelled, measured)
}

fn rms(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (sum, n) = pairs.fold((0.0, 0.0), |(s, n), (a, b)| (s + (a - b) * (a - b), n + 1.0));
    (sum / n).sqrt()
}

#[test]
fn recorded_walking_gives_the_force_that_was_measured_under_it() {
    let Some(cycle) = Cycle::read("cycle_walk_opensim_subject01_right.csv") else { return };
    let (modelled, measured) = forces(&cycle, 72.6);
    let both = |f: &[f64; 2]| f[0] + f[1];
    let whole = rms(modelled.iter().zip(&measured).map(|(a, b)| (both(a), both(b))));
    let right = rms(modelled.iter().zip(&measured).map(|(a, b)| (a[1], b[1])));
    let mean = modelled.iter().map(both).sum::<f64>() / modelled.len() as f64;
    println!("walking: whole force off by {whole:.3} BW RMS, right foot {right:.3}, mean {mean:.4} BW");
    assert!((mean - 1.0).abs() < 0.01, "the mean force of a cycle is the weight: {mean}");
    assert!(whole <= 0.08, "{whole} BW");
    // Feet hand over later in this recording than in the mean of Schwartz 2008, which our sharing follows.
    assert!(right <= 0.12, "{right} BW");
}

#[test]
fn recorded_running_presses_with_what_was_measured() {
    let Some(cycle) = Cycle::read("cycle_run_opensim_hamner_right.csv") else { return };
    let (modelled, measured) = forces(&cycle, 72.8);
    let peak = |f: &[[f64; 2]]| f.iter().map(|x| x[1]).fold(0.0, f64::max);
    let right = rms(modelled.iter().zip(&measured).map(|(a, b)| (a[1], b[1])));
    let (ours, theirs) = (peak(&modelled), peak(&measured));
    println!("running: right foot off by {right:.3} BW RMS, peak {ours:.2} BW, measured {theirs:.2}");
    assert!((ours / theirs - 1.0).abs() < 0.12, "{ours} against {theirs} BW");
    assert!(right <= 0.08, "{right} BW");
}
