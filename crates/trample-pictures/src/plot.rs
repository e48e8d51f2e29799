//! Plots of numbers against numbers, as a picture and as a drawing that scales.

use super::sheet::{Key, Layer, Sheet};
use super::{Image, PictureError};
use trample_looks::colour;

/// One plot in both forms.
#[derive(Debug, Clone)]
pub struct Chart {
    /// For files and papers, 1600 pixels wide.
    pub image: Image,
    /// For the web: transparent, its ink in the colour of the text around it.
    pub svg: String,
}

/// A line of a plot. A not-a-number on either side leaves a gap.
#[derive(Debug, Clone, Default)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// Where.
    pub x: Vec<f64>,
    /// What.
    pub y: Vec<f64>,
}

/// Line colours, all of middle lightness so that they show on white and on black.
pub const LINE_COLOURS: [[u8; 3]; 6] =
    [[47, 111, 159], [200, 85, 61], [63, 143, 95], [138, 95, 176], [184, 134, 43], [79, 163, 165]];
const BELOW: [u8; 3] = [96, 146, 190];
const ABOVE: [u8; 3] = [204, 142, 78];

/// A cut through a print: the ground as it was, as it is, what was pressed down and what was piled up.
///
/// `along`, `base` and `surface` are metres and equally long; heights are drawn relative to the base's mean.
pub fn plot_profile(
    title: &str,
    along: &[f64],
    base: &[f64],
    surface: &[f64],
) -> Result<Chart, PictureError> {
    let known: Vec<f64> = base.iter().copied().filter(|v| v.is_finite()).collect();
    let mean = if known.is_empty() { 0.0 } else { known.iter().sum::<f64>() / known.len() as f64 };
    let far = |values: &[f64], from: f64| {
        values.iter().filter(|v| v.is_finite()).map(|v| (v - from).abs()).fold(0.0, f64::max)
    };
    let (x_scale, x_unit) =
        if far(along, along.first().copied().unwrap_or(0.0)) < 2.0 { (100.0, "cm") } else { (1.0, "m") };
    let (y_scale, y_unit) =
        if far(base, mean).max(far(surface, mean)) < 0.5 { (1000.0, "mm") } else { (100.0, "cm") };
    let points = |heights: &[f64]| -> Vec<(f64, f64)> {
        along.iter().zip(heights).map(|(x, y)| (x * x_scale, (y - mean) * y_scale)).collect()
    };
    let (before, after) = (points(base), points(surface));
    let mut layers = Vec::new();
    for (above, points) in between(&before, &after) {
        layers.push(Layer::Area { points, colour: if above { ABOVE } else { BELOW } });
    }
    let (ground, ink) = (colour::SOFT, colour::INK);
    layers.push(Layer::Line { points: before, colour: ground, width: 1.3, dashed: true });
    layers.push(Layer::Line { points: after, colour: ink, width: 2.0, dashed: false });
    Sheet {
        title: title.to_owned(),
        x_label: format!("distance ({x_unit})"),
        y_label: format!("height ({y_unit})"),
        layers,
        legend: vec![
            ("surface".to_owned(), Key::Line(ink)),
            ("before".to_owned(), Key::Dashes(ground)),
            ("pressed down".to_owned(), Key::Area(BELOW)),
            ("piled up".to_owned(), Key::Area(ABOVE)),
        ],
        reach: None,
    }
    .chart()
}

/// Lines over a common axis, such as a force over time.
pub fn plot_lines(
    series: &[Series],
    title: &str,
    x_label: &str,
    y_label: &str,
) -> Result<Chart, PictureError> {
    plot_lines_within(series, title, x_label, y_label, None)
}

/// The same on an upright axis that reaches two numbers in any case.
pub fn plot_lines_within(
    series: &[Series],
    title: &str,
    x_label: &str,
    y_label: &str,
    reach: Option<[f64; 2]>,
) -> Result<Chart, PictureError> {
    // A foot has the same colour in every plot, whichever is named first.
    let colour = |i: usize| match series[i].name.as_str() {
        "right foot" => LINE_COLOURS[0],
        "left foot" => LINE_COLOURS[1],
        _ => LINE_COLOURS[i % LINE_COLOURS.len()],
    };
    // When the colours repeat, dashes tell the lines apart.
    let again = |i: usize| i >= LINE_COLOURS.len();
    let key = |i: usize| if again(i) { Key::Dashes(colour(i)) } else { Key::Line(colour(i)) };
    let layers = series.iter().enumerate().map(|(i, one)| {
        let points = one.x.iter().copied().zip(one.y.iter().copied()).collect();
        Layer::Line { points, colour: colour(i), width: 2.0, dashed: again(i) }
    });
    Sheet {
        title: title.to_owned(),
        x_label: x_label.to_owned(),
        y_label: y_label.to_owned(),
        layers: layers.collect(),
        legend: series.iter().enumerate().map(|(i, one)| (one.name.clone(), key(i))).collect(),
        reach,
    }
    .chart()
}

/// The areas between two lines over the same places: whether the second lies above, and the outline.
fn between(before: &[(f64, f64)], after: &[(f64, f64)]) -> Vec<(bool, Vec<(f64, f64)>)> {
    let mut areas = Vec::new();
    let mut low: Vec<(f64, f64)> = Vec::new();
    let mut high: Vec<(f64, f64)> = Vec::new();
    let mut sign = 0.0;
    let mut close = |low: &mut Vec<(f64, f64)>, high: &mut Vec<(f64, f64)>, sign: f64| {
        if sign != 0.0 && low.len() > 1 {
            areas.push((sign > 0.0, high.drain(..).chain(low.drain(..).rev()).collect()));
        }
        low.clear();
        high.clear();
    };
    let mut last: Option<((f64, f64), f64)> = None;
    for (b, a) in before.iter().zip(after) {
        let gap = a.1 - b.1;
        if !(gap.is_finite() && b.0.is_finite()) {
            close(&mut low, &mut high, sign);
            (sign, last) = (0.0, None);
            continue;
        }
        let now = if gap == 0.0 { 0.0 } else { gap.signum() };
        if now != sign {
            // The lines cross between this place and the last one; both areas end in that point.
            let cross = last.map(|(p, g)| {
                let t = if g == gap { 0.0 } else { g / (g - gap) };
                (p.0 + (b.0 - p.0) * t, p.1 + (b.1 - p.1) * t)
            });
            if let Some(cross) = cross {
                low.push(cross);
                high.push(cross);
            }
            close(&mut low, &mut high, sign);
            sign = now;
            if let Some(cross) = cross {
                low.push(cross);
                high.push(cross);
            }
        }
        low.push(*b);
        high.push(*a);
        last = Some((*b, gap));
    }
    close(&mut low, &mut high, sign);
    areas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_split_where_the_lines_cross() {
        let before: Vec<_> = (0..5).map(|i| (f64::from(i), 0.0)).collect();
        let after =
            [0.0, 1.0, -1.0, -1.0, 0.0].iter().enumerate().map(|(i, y)| (i as f64, *y)).collect::<Vec<_>>();
        let areas = between(&before, &after);
        assert_eq!(areas.iter().map(|(above, _)| *above).collect::<Vec<_>>(), [true, false]);
        assert!(areas[0].1.contains(&(1.5, 0.0)) && areas[1].1.contains(&(1.5, 0.0)));
    }

    #[test]
    fn degenerate_plots_are_drawn() {
        let odd =
            Series { name: "ü<&>".into(), x: vec![0.0, f64::NAN, 2.0], y: vec![1e300, 2.0, f64::INFINITY] };
        for series in [vec![], vec![Series::default()], vec![odd.clone()]] {
            let chart = plot_lines(&series, "a < b & c", "t", "F").expect("a chart");
            assert!(chart.svg.contains("a &lt; b &amp; c") && !chart.svg.contains("ü<"));
        }
        assert!(plot_profile("nothing", &[], &[], &[]).is_ok());
    }

    #[test]
    fn a_drawing_takes_the_colour_of_its_page() {
        let series = Series { name: "force".into(), x: vec![0.0, 1.0], y: vec![0.0, 700.0] };
        let svg = plot_lines(&[series], "load", "time (s)", "force (N)").expect("a chart").svg;
        assert!(svg.contains("currentColor") && !svg.contains("#1F242B"));
        assert!(svg.contains("width=\"800\" height=\"450\" viewBox=\"0 0 8000 4500\""));
    }
}
