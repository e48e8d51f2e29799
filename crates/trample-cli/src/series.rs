//! `--series`: what every step gave as tables: forces under feet, footsteps, joints.

use crate::Failure;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use trample::body::NAMES;
use trample::{Event, World};

/// Tables that are written while a world steps.
pub(crate) struct Series {
    contacts: BufWriter<File>,
    footsteps: BufWriter<File>,
    joints: BufWriter<File>,
}

impl Series {
    /// Begins `contacts.csv`, `footsteps.csv` and `joints.csv` in a folder.
    pub(crate) fn new(folder: &Path) -> Result<Self, Failure> {
        let begin = |name: &str, head: &str| -> Result<BufWriter<File>, Failure> {
            let path = folder.join(name);
            let told = |e: std::io::Error| format!("{}: {e}", path.display());
            let mut out = BufWriter::new(File::create(&path).map_err(told)?);
            writeln!(out, "{head}").map_err(told)?;
            Ok(out)
        };
        Ok(Self {
            contacts: begin("contacts.csv", "t,body,foot,fx,fy,fz,cop_x,cop_z,area,depth")?,
            footsteps: begin(
                "footsteps.csv",
                "t_down,t_up,body,foot,x,z,stance,peak_force,impulse,area,depth",
            )?,
            joints: begin("joints.csv", "t,body,joint,x,y,z")?,
        })
    }

    /// Takes the step that a world has just made; it lasted `dt` s.
    pub(crate) fn take(&mut self, world: &World, dt: f64) -> Result<(), Failure> {
        let (report, t) = (world.report(), world.time());
        let foot = |puppet: usize, foot: usize| match (world.walker(puppet), foot) {
            (Some(_), 0) => "right".into(),
            (Some(_), _) => "left".into(),
            (None, foot) => foot.to_string(),
        };
        for c in &report.contacts {
            // The ground's force on the foot, in the mean of the step.
            let force = -c.force * (c.seconds / dt) as f32;
            writeln!(
                self.contacts,
                "{t:.6},{},{},{:.3},{:.3},{:.3},{:.5},{:.5},{:.6},{:.6}",
                c.puppet,
                foot(c.puppet, c.foot),
                force.x,
                force.y,
                force.z,
                c.cop.x,
                c.cop.y,
                c.area,
                c.depth
            )?;
        }
        for event in &report.events {
            if let Event::FootUp {
                puppet,
                foot: which,
                time,
                position,
                force,
                area,
                depth,
                impulse,
                stance,
            } = *event
            {
                writeln!(
                    self.footsteps,
                    "{:.6},{time:.6},{puppet},{},{:.5},{:.5},{stance:.6},{force:.3},{impulse:.4},{area:.6},{depth:.6}",
                    time - stance,
                    foot(puppet, which),
                    position.x,
                    position.z
                )?;
            }
        }
        for body in 0..world.puppets() {
            let Some((walker, skeleton)) = world.walker(body) else { continue };
            let placed = skeleton.place(&walker.pose);
            for (joint, p) in NAMES.iter().zip(placed.positions) {
                writeln!(self.joints, "{t:.6},{body},{joint},{:.5},{:.5},{:.5}", p.x, p.y, p.z)?;
            }
        }
        Ok(())
    }

    /// Writes what is left.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        for table in [&mut self.contacts, &mut self.footsteps, &mut self.joints] {
            table.flush()?;
        }
        Ok(())
    }
}
