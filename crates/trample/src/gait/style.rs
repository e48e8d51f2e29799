//! Style: what makes two walkers at one speed differ.

use super::timing::Pace;

/// Numbers that shape a gait. Every value is allowed; the defaults are an ordinary walker on firm ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Distance between left and right footprints across the path, m.
    pub step_width: f64,
    /// How much higher than needed the swinging foot is lifted, m: vegetation, sinkage.
    pub clearance: f64,
    /// How much of the ordinary roll from heel to toe the foot makes, 0..1.
    pub roll: f64,
    /// Whether the sole bends at the ball.
    pub bends: bool,
    /// Whether it walks or runs, or as its speed says.
    pub pace: Pace,
    /// How far feet point outwards, rad.
    pub toe_out: f64,
    /// Length of a step against the ordinary one at the same speed.
    pub stride: f64,
    /// How much lower than usual the hips are carried, m.
    pub crouch: f64,
    /// How much of the ordinary arm swing is made.
    pub arms: f64,
    /// Forward lean of the trunk, rad.
    pub lean: f64,
    /// Scatter of steps, 1 for that of people: 2 cm in place and 1.5 % in time.
    pub variation: f64,
    /// Seed of the scatter.
    pub seed: u64,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            step_width: 0.11,
            clearance: 0.0,
            roll: 1.0,
            bends: true,
            pace: Pace::Auto,
            // Foot progression of 5–7° outwards in stance (Schwartz 2008).
            toe_out: 0.1,
            stride: 1.0,
            crouch: 0.0,
            arms: 1.0,
            lean: 0.05,
            variation: 0.0,
            seed: 0,
        }
    }
}

impl Style {
    /// On snowshoes: wide, flat and high steps, because the shoes must pass each other and their tips the snow.
    pub fn snowshoe() -> Self {
        Self {
            step_width: 0.26,
            clearance: 0.07,
            roll: 0.22,
            bends: false,
            toe_out: 0.02,
            stride: 0.85,
            crouch: 0.02,
            arms: 1.2,
            lean: 0.12,
            ..Self::default()
        }
    }

    /// Through vegetation: feet are lifted by `clearance` m more.
    pub fn high_steps(clearance: f64) -> Self {
        Self { clearance, ..Self::default() }
    }
}
