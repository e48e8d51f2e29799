//! Figures as BVH, in every way it is written.

use super::{Figure, angles};
use std::fmt::Write;
use trample::glam::Vec3;

/// How a program writes BVH.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// Axes of the rotations, as multiplied.
    pub order: [usize; 3],
    /// Six channels on every joint, or three on all but the root.
    pub six: bool,
    /// Positions of joints below the root are added to their offsets.
    pub adds: bool,
    /// Line end.
    pub line: &'static str,
}

impl Default for Manner {
    fn default() -> Self {
        Self { order: [2, 0, 1], six: false, adds: false, line: "\n" }
    }
}

const AXES: [&str; 3] = ["X", "Y", "Z"];

/// The text of a BVH file.
pub fn write(figure: &Figure, manner: &Manner) -> String {
    let mut text = format!("HIERARCHY{}", manner.line);
    let roots: Vec<usize> = (0..figure.rows.len()).filter(|&i| figure.rows[i].parent.is_none()).collect();
    let mut order = Vec::new();
    for root in roots {
        joint(&mut text, figure, manner, root, 0, &mut order);
    }
    let frames = figure.frames();
    let n = manner.line;
    let _ = write!(text, "MOTION{n}Frames: {}{n}Frame Time: {:.6}{n}", frames.len(), figure.clip.dt);
    for (place, locals) in frames {
        let mut row = String::new();
        for &i in &order {
            let root = figure.rows[i].parent.is_none();
            if root || manner.six {
                let at = if root {
                    place
                } else if manner.adds {
                    Vec3::ZERO
                } else {
                    figure.offset(i)
                };
                let _ = write!(row, "{:.5} {:.5} {:.5} ", at.x, at.y, at.z);
            }
            for a in angles(locals[i], manner.order) {
                let _ = write!(row, "{a:.5} ");
            }
        }
        text += row.trim_end();
        text += n;
    }
    text
}

fn joint(
    text: &mut String,
    figure: &Figure,
    manner: &Manner,
    at: usize,
    depth: usize,
    order: &mut Vec<usize>,
) {
    order.push(at);
    let (tab, n) = ("  ".repeat(depth), manner.line);
    let root = figure.rows[at].parent.is_none();
    let kind = if root { "ROOT" } else { "JOINT" };
    let offset = if root { Vec3::ZERO } else { figure.offset(at) };
    let turns: Vec<String> = manner.order.iter().map(|&a| format!("{}rotation", AXES[a])).collect();
    let channels = if root || manner.six {
        format!("6 Xposition Yposition Zposition {}", turns.join(" "))
    } else {
        format!("3 {}", turns.join(" "))
    };
    let name = &figure.rows[at].name;
    let _ = write!(
        text,
        "{tab}{kind} {name}{n}{tab}{{{n}{tab}  OFFSET {:.6} {:.6} {:.6}{n}{tab}  CHANNELS {channels}{n}",
        offset.x, offset.y, offset.z
    );
    let children: Vec<usize> =
        (0..figure.rows.len()).filter(|&c| figure.rows[c].parent == Some(at)).collect();
    for &child in &children {
        joint(text, figure, manner, child, depth + 1, order);
    }
    if children.is_empty() {
        let tip = figure.tip(at).unwrap_or(Vec3::ZERO);
        let _ = write!(
            text,
            "{tab}  End Site{n}{tab}  {{{n}{tab}    OFFSET {:.6} {:.6} {:.6}{n}{tab}  }}{n}",
            tip.x, tip.y, tip.z
        );
    }
    let _ = write!(text, "{tab}}}{n}");
}
