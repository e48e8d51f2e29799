//! A plot being drawn: axes, legend and layers, on whatever plotters draws on.

use super::pen::{Pen, dashes, thinned};
use super::plot::Chart;
use super::{Image, PictureError, text};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;
use plotters::style::text_anchor::HPos;
use std::sync::Once;
use trample_looks::{colour, tick};

pub(crate) use super::pen::hex;

/// Size of a plot in the units its text is set in.
const SIZE: [f64; 2] = [800.0, 450.0];
/// A part of the drawing, in the plot's own numbers.
pub enum Layer {
    /// A filled outline.
    Area {
        /// The outline.
        points: Vec<(f64, f64)>,
        /// The filling.
        colour: [u8; 3],
    },
    /// A line; a point that is not a number leaves a gap.
    Line {
        /// Its points in order.
        points: Vec<(f64, f64)>,
        /// The ink.
        colour: [u8; 3],
        /// How thick.
        width: f64,
        /// Whether it is dashed.
        dashed: bool,
    },
    /// Dots, as of measured numbers; points that are not numbers are left out.
    Dots {
        /// Where.
        points: Vec<(f64, f64)>,
        /// The ink.
        colour: [u8; 3],
        /// Half as wide as a dot, in the plot's own units of length.
        radius: f64,
    },
}

/// What stands beside a name in the legend.
#[derive(Clone, Copy)]
pub enum Key {
    /// A line.
    Line([u8; 3]),
    /// A dashed line.
    Dashes([u8; 3]),
    /// A filled area.
    Area([u8; 3]),
    /// A dot.
    Dots([u8; 3]),
}

/// A dot as an outline.
fn dot((x, y): (f64, f64), radius: f64) -> Vec<(f64, f64)> {
    let turn = |i: u32| f64::from(i) * std::f64::consts::TAU / 16.0;
    (0..16).map(|i| (x + radius * libm::cos(turn(i)), y + radius * libm::sin(turn(i)))).collect()
}

/// Everything a plot shows.
pub struct Sheet {
    /// The line above.
    pub title: String,
    /// What runs to the right.
    pub x_label: String,
    /// What runs up.
    pub y_label: String,
    /// What is drawn, first things lowest.
    pub layers: Vec<Layer>,
    /// Names and what they stand for; empty names are left out.
    pub legend: Vec<(String, Key)>,
    /// Numbers that the upright axis reaches in any case.
    pub reach: Option<[f64; 2]>,
}

impl Sheet {
    /// Draws both forms.
    pub fn chart(&self) -> Result<Chart, PictureError> {
        static FONTS: Once = Once::new();
        FONTS.call_once(|| {
            // A font that does not load would surface as an error of the first text drawn.
            let _ = register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
        });
        // The picture is drawn four times too large and shrunk by two, because plotters draws hard edges.
        let pixels = SIZE.map(|v| v as u32 * 4);
        let mut image = Image::new(pixels[0] as usize, pixels[1] as usize, colour::PAPER);
        {
            let root = BitMapBackend::with_buffer(&mut image.rgb, (pixels[0], pixels[1])).into_drawing_area();
            // Its text stands a little above the middle it is asked for.
            self.draw(&root, 4.0, 0.19)?;
        }
        // plotters knows whole units only; tenths of a unit make the curves smooth.
        let units = SIZE.map(|v| v as u32 * 10);
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, (units[0], units[1])).into_drawing_area();
            self.draw(&root, 10.0, 0.0)?;
        }
        let size = format!("width=\"{}\" height=\"{}\"", units[0], units[1]);
        let shown = format!("width=\"{}\" height=\"{}\"", SIZE[0], SIZE[1]);
        let svg = svg
            .replacen(&size, &shown, 1)
            .replace(&hex(colour::INK), "currentColor")
            .replace(&hex(colour::SOFT), "currentColor");
        Ok(Chart { image: image.shrunk(2), svg })
    }

    /// The numbers at the ends of the axes, with some air above and below.
    fn range(&self) -> [(f64, f64); 2] {
        let mut ends = [(f64::INFINITY, f64::NEG_INFINITY); 2];
        for layer in &self.layers {
            let (Layer::Area { points, .. } | Layer::Line { points, .. } | Layer::Dots { points, .. }) =
                layer;
            for (x, y) in points.iter().filter(|(x, y)| x.is_finite() && y.is_finite()) {
                ends[0] = (ends[0].0.min(*x), ends[0].1.max(*x));
                ends[1] = (ends[1].0.min(*y), ends[1].1.max(*y));
            }
        }
        if let Some([low, high]) = self.reach {
            ends[1] = (ends[1].0.min(low), ends[1].1.max(high));
        }
        for (axis, end) in ends.iter_mut().enumerate() {
            if end.0 > end.1 {
                *end = (0.0, 1.0);
            }
            let size = end.0.abs().max(end.1.abs());
            if end.1 - end.0 <= 1e-9 * size || end.1 == end.0 {
                let air = if size > 0.0 { 0.1 * size } else { 1.0 };
                *end = (end.0 - air, end.1 + air);
            } else if axis == 1 {
                let air = 0.07 * (end.1 - end.0);
                // A quantity that starts at nothing keeps nothing on the axis.
                *end = (if end.0 == 0.0 { 0.0 } else { end.0 - air }, end.1 + air);
            }
        }
        ends
    }

    /// Draws the plot, `k` pixels to the unit, with text lowered by `drop` of its size.
    fn draw<B: DrawingBackend>(
        &self,
        root: &DrawingArea<B, Shift>,
        k: f64,
        drop: f64,
    ) -> Result<(), PictureError> {
        let [(x0, x1), (y0, y1)] = self.range();
        let columns = tick::ticks(x0, x1, 8);
        let rows = tick::ticks(y0, y1, 6);
        let widest = rows.iter().map(|(_, l)| f64::from(text::text_width(l, 14.0))).fold(0.0, f64::max);
        let (left, right) = ((widest + 52.0).min(200.0), SIZE[0] - 24.0);
        let mut pen = Pen { root, k, drop };
        let title = text::fitted_text(&self.title, 19.0, (SIZE[0] - 40.0) as f32);
        pen.text((left, 26.0), &title, 19.0, colour::INK, HPos::Left)?;
        let (top, bottom) = (self.keys(&mut pen, left, right)? + 16.0, SIZE[1] - 58.0);
        let px = |x: f64| left + (x / 2.0 - x0 / 2.0) / (x1 / 2.0 - x0 / 2.0) * (right - left);
        let py = |y: f64| bottom - (y / 2.0 - y0 / 2.0) / (y1 / 2.0 - y0 / 2.0) * (bottom - top);
        let mut shown = f64::NEG_INFINITY;
        for (v, label) in &columns {
            let x = px(*v);
            pen.line(&[(x, top), (x, bottom)], colour::SOFT, 0.16, 1.0)?;
            let half = f64::from(text::text_width(label, 14.0)) / 2.0;
            // A label that would touch its neighbour is left out; its grid line stays.
            if x - half > shown + 6.0 && x + half < SIZE[0] - 2.0 {
                pen.text((x, bottom + 16.0), label, 14.0, colour::SOFT, HPos::Center)?;
                shown = x + half;
            }
        }
        for (v, label) in &rows {
            let y = py(*v);
            let strong = if *v == 0.0 { 0.45 } else { 0.16 };
            pen.line(&[(left, y), (right, y)], colour::SOFT, strong, 1.0)?;
            pen.text((left - 8.0, y), label, 14.0, colour::SOFT, HPos::Right)?;
        }
        for layer in &self.layers {
            match layer {
                Layer::Area { points, colour } => {
                    let outline: Vec<_> = points.iter().map(|(x, y)| (px(*x), py(*y))).collect();
                    pen.area(&outline, *colour, 0.6)?;
                }
                Layer::Line { points, colour, width, dashed } => {
                    for run in points.split(|(x, y)| !(x.is_finite() && y.is_finite())) {
                        let path = thinned(run.iter().map(|(x, y)| (px(*x), py(*y))).collect());
                        let dashes = if *dashed { dashes(&path) } else { vec![path] };
                        for piece in dashes.iter().filter(|piece| piece.len() > 1) {
                            pen.line(piece, *colour, 1.0, *width)?;
                        }
                    }
                }
                Layer::Dots { points, colour, radius } => {
                    for (x, y) in points.iter().filter(|(x, y)| x.is_finite() && y.is_finite()) {
                        pen.area(&dot((px(*x), py(*y)), *radius), *colour, 1.0)?;
                    }
                }
            }
        }
        let middle = f64::midpoint(left, right);
        let x_label = text::fitted_text(&self.x_label, 15.0, (right - left) as f32);
        pen.text((middle, SIZE[1] - 20.0), &x_label, 15.0, colour::INK, HPos::Center)?;
        let y_label = text::fitted_text(&self.y_label, 15.0, (bottom - top) as f32);
        pen.text_up((20.0, f64::midpoint(top, bottom)), &y_label, 15.0, colour::INK)?;
        root.present().map_err(|e| PictureError::Plot(e.to_string()))
    }

    /// The legend in rows under the title; returns where it ends.
    fn keys<B: DrawingBackend>(
        &self,
        pen: &mut Pen<'_, B>,
        left: f64,
        right: f64,
    ) -> Result<f64, PictureError> {
        let (mut x, mut y) = (left, 54.0);
        for (name, key) in self.legend.iter().filter(|(name, _)| !name.is_empty()).take(24) {
            let name = text::fitted_text(name, 14.0, 260.0);
            let wide = 30.0 + f64::from(text::text_width(&name, 14.0));
            if x > left && x + wide > right {
                (x, y) = (left, y + 20.0);
            }
            match *key {
                Key::Area(colour) => {
                    let (a, b) = (y - 6.0, y + 6.0);
                    pen.area(&[(x, a), (x + 22.0, a), (x + 22.0, b), (x, b)], colour, 0.6)?;
                }
                Key::Dots(colour) => pen.area(&dot((x + 11.0, y), 4.5), colour, 1.0)?,
                Key::Line(colour) => pen.line(&[(x, y), (x + 22.0, y)], colour, 1.0, 2.4)?,
                Key::Dashes(colour) => {
                    pen.line(&[(x, y), (x + 8.5, y)], colour, 1.0, 1.6)?;
                    pen.line(&[(x + 13.5, y), (x + 22.0, y)], colour, 1.0, 1.6)?;
                }
            }
            pen.text((x + 29.0, y), &name, 14.0, colour::INK, HPos::Left)?;
            x += wide + 22.0;
        }
        Ok(y)
    }
}
