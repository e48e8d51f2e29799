//! A figure of the report: pictures and plots side by side under one title, as PNG and as SVG.

use base64::Engine as _;
use std::fmt::Write as _;
use trample_looks::colour::{self, INK, PAPER};
use trample_pictures::{
    Chart, Image, Key, LINE_COLOURS, Layer, PictureError, Sheet, Style, fitted_text, hex,
};

/// Pixels across a figure.
pub(crate) const WIDTH: usize = 1600;
const MARGIN: usize = 28;
const GAP: usize = 24;
const HEAD: usize = 70;
/// Pixels for a caption above each panel.
const CAPTION: usize = 38;

/// Line colours of plots, as of all plots of the program.
pub(crate) const INKS: [[u8; 3]; 6] = LINE_COLOURS;
/// The ink of measured and published numbers in every plot.
pub(crate) const THEIRS: [u8; 3] = INK;

/// What a panel shows.
pub(crate) enum Content {
    /// Pixels.
    Picture(Image),
    /// A plot.
    Plot(Chart),
}

/// A part of a figure.
pub(crate) struct Panel {
    /// The line above it; none if empty.
    pub(crate) caption: String,
    /// What it shows.
    pub(crate) content: Content,
}

/// Panels in rows under a title.
pub(crate) struct Figure {
    /// The line above all.
    pub(crate) title: String,
    /// The panels, row by row; those of a row are equally wide.
    pub(crate) rows: Vec<Vec<Panel>>,
}

impl Figure {
    /// A figure without panels yet.
    pub(crate) fn new(title: &str) -> Self {
        Self { title: title.into(), rows: vec![Vec::new()] }
    }

    /// Begins a row.
    pub(crate) fn row(&mut self) {
        if self.rows.last().is_some_and(|row| !row.is_empty()) {
            self.rows.push(Vec::new());
        }
    }

    /// Adds a plot, two to a row: in a page the words of four beside each other are too small to read.
    pub(crate) fn plot_in_pairs(&mut self, plot: &Drawing) -> Result<(), PictureError> {
        if self.rows.last().is_some_and(|row| row.len() == 2) {
            self.row();
        }
        self.plot("", plot)
    }

    fn add(&mut self, caption: String, content: Content) {
        if let Some(row) = self.rows.last_mut() {
            row.push(Panel { caption, content });
        }
    }

    fn panels(&self) -> impl Iterator<Item = &Panel> {
        self.rows.iter().flatten()
    }

    /// Pixels across a panel of a figure with that many columns.
    pub(crate) fn across(columns: usize) -> usize {
        (WIDTH - 2 * MARGIN - (columns - 1) * GAP) / columns
    }

    /// Adds a picture.
    pub(crate) fn picture(&mut self, caption: impl Into<String>, image: Image) {
        self.add(caption.into(), Content::Picture(image));
    }

    /// Adds a plot.
    pub(crate) fn plot(&mut self, caption: impl Into<String>, drawing: &Drawing) -> Result<(), PictureError> {
        let chart = drawing.chart()?;
        self.add(caption.into(), Content::Plot(chart));
        Ok(())
    }

    /// Where each panel lies: corner and size of its content; and the height of the whole.
    fn layout(&self) -> (Vec<[usize; 4]>, usize) {
        let mut places = Vec::new();
        let mut top = HEAD;
        for row in self.rows.iter().filter(|row| !row.is_empty()) {
            // A plot alone would be taller than what it has to say.
            let alone = row.len() == 1 && matches!(row[0].content, Content::Plot(_));
            let wide = if alone { Self::across(1) * 5 / 8 } else { Self::across(row.len()) };
            let named = if row.iter().any(|p| !p.caption.is_empty()) { CAPTION } else { 0 };
            let mut tall = 0;
            for (i, panel) in row.iter().enumerate() {
                let (w, h) = match &panel.content {
                    Content::Picture(image) => (image.width, image.height),
                    Content::Plot(chart) => (chart.image.width, chart.image.height),
                };
                let height = h * wide / w.max(1);
                places.push([MARGIN + i * (wide + GAP), top + named, wide, height]);
                tall = tall.max(height);
            }
            top += named + tall + GAP;
        }
        (places, top)
    }

    /// The caption of a panel with its letter, where there are several.
    fn caption(&self, i: usize, own: &str) -> String {
        if self.panels().count() < 2 || own.is_empty() {
            return own.into();
        }
        format!("{}  {own}", char::from(b'a' + (i % 26) as u8))
    }

    /// The figure as pixels.
    pub(crate) fn image(&self) -> Image {
        let (places, height) = self.layout();
        let mut page = Image::new(WIDTH, height, PAPER);
        let room = (WIDTH - 2 * MARGIN) as f32;
        page.text(MARGIN as f32, 46.0, &fitted_text(&self.title, 32.0, room), Style::new(32.0, INK).bold());
        for (i, ([x, y, w, h], panel)) in places.into_iter().zip(self.panels()).enumerate() {
            let caption = fitted_text(&self.caption(i, &panel.caption), 23.0, w as f32);
            page.text(x as f32, y as f32 - 12.0, &caption, Style::new(23.0, INK));
            let small = match &panel.content {
                Content::Picture(image) => resized(image, w, h),
                Content::Plot(chart) => resized(&chart.image, w, h),
            };
            for row in 0..h {
                let to = ((y + row) * WIDTH + x) * 3;
                page.rgb[to..to + 3 * w].copy_from_slice(&small.rgb[row * w * 3..(row + 1) * w * 3]);
            }
        }
        page
    }

    /// The figure as a drawing: plots and words scale, pictures are part of the file.
    pub(crate) fn svg(&self) -> String {
        let (places, height) = self.layout();
        let paper = hex(PAPER);
        let ink = hex(INK);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" color=\"{ink}\" font-family=\"Ubuntu,sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"{paper}\"/>\n"
        );
        // Writing to a String cannot fail, so the results below carry nothing.
        let _ = writeln!(
            out,
            "<text x=\"{MARGIN}\" y=\"46\" font-size=\"32\" font-weight=\"600\" fill=\"{ink}\">{}</text>",
            escaped(&self.title)
        );
        for (i, ([x, y, w, h], panel)) in places.into_iter().zip(self.panels()).enumerate() {
            let _ = writeln!(
                out,
                "<text x=\"{x}\" y=\"{}\" font-size=\"23\" fill=\"{ink}\">{}</text>",
                y - 12,
                escaped(&self.caption(i, &panel.caption))
            );
            match &panel.content {
                Content::Picture(image) => {
                    let _ = write!(
                        out,
                        "<image x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" href=\"data:image/png;base64,"
                    );
                    let png = resized(image, w, h).to_palette_png(256);
                    base64::engine::general_purpose::STANDARD.encode_string(png, &mut out);
                    out.push_str("\"/>\n");
                }
                Content::Plot(chart) => {
                    let size = "width=\"800\" height=\"450\"";
                    let placed = format!("x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"");
                    out.push_str(&chart.svg.replacen(size, &placed, 1));
                    out.push('\n');
                }
            }
        }
        out.push_str("</svg>\n");
        out
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A picture at another size, by the mean of what each pixel covers, in linear light.
pub(crate) fn resized(image: &Image, width: usize, height: usize) -> Image {
    if (image.width, image.height) == (width, height) {
        return image.clone();
    }
    let mut out = Image::new(width, height, PAPER);
    let linear = colour::linear_table();
    let spans = |from: usize, to: usize| -> Vec<Vec<(usize, f32)>> {
        let step = from as f64 / to as f64;
        (0..to)
            .map(|i| {
                // A picture that grows is read at the middle of its new pixels.
                let (mut a, mut b) = (i as f64 * step, (i + 1) as f64 * step);
                if step < 1.0 {
                    let middle = f64::midpoint(a, b);
                    (a, b) = ((middle - 0.5).max(0.0), (middle + 0.5).min(from as f64));
                }
                let last = (libm::ceil(b - 1e-9) as usize).clamp(a as usize + 1, from);
                let parts = (a as usize..last)
                    .map(|k| (k, (((k + 1) as f64).min(b) - (k as f64).max(a)) as f32))
                    .collect::<Vec<_>>();
                let sum: f32 = parts.iter().map(|p| p.1).sum();
                parts.into_iter().map(|(k, w)| (k, w / sum)).collect()
            })
            .collect()
    };
    let (columns, rows) = (spans(image.width, out.width), spans(image.height, out.height));
    // Across first, then down: each pixel is read once.
    let mut lines = vec![[0.0f32; 3]; out.width * image.height];
    for y in 0..image.height {
        for (x, parts) in columns.iter().enumerate() {
            let mut sum = [0.0f32; 3];
            for &(k, w) in parts {
                let at = (y * image.width + k) * 3;
                for c in 0..3 {
                    sum[c] += w * linear[image.rgb[at + c] as usize];
                }
            }
            lines[y * out.width + x] = sum;
        }
    }
    for (y, parts) in rows.iter().enumerate() {
        for x in 0..out.width {
            let mut sum = [0.0f32; 3];
            for &(k, w) in parts {
                let line = lines[k * out.width + x];
                for c in 0..3 {
                    sum[c] += w * line[c];
                }
            }
            let at = (y * out.width + x) * 3;
            out.rgb[at..at + 3].copy_from_slice(&colour::encode(sum));
        }
    }
    out
}

/// A plot under way: lines, dots, bands and their names.
pub(crate) struct Drawing {
    sheet: Sheet,
}

impl Drawing {
    /// Empty axes.
    pub(crate) fn new(title: &str, x_label: &str, y_label: &str) -> Self {
        Self {
            sheet: Sheet {
                title: title.into(),
                x_label: x_label.into(),
                y_label: y_label.into(),
                layers: Vec::new(),
                legend: Vec::new(),
                reach: None,
            },
        }
    }

    /// A line in one of our inks.
    pub(crate) fn line(&mut self, name: &str, ink: usize, points: Vec<(f64, f64)>) {
        self.inked(name, INKS[ink % INKS.len()], points);
    }

    /// A line in any ink.
    pub(crate) fn inked(&mut self, name: &str, colour: [u8; 3], points: Vec<(f64, f64)>) {
        self.sheet.layers.push(Layer::Line { points, colour, width: 2.2, dashed: false });
        self.sheet.legend.push((name.into(), Key::Line(colour)));
    }

    /// A dashed line.
    pub(crate) fn dashes(&mut self, name: &str, colour: [u8; 3], points: Vec<(f64, f64)>) {
        self.sheet.layers.push(Layer::Line { points, colour, width: 1.6, dashed: true });
        self.sheet.legend.push((name.into(), Key::Dashes(colour)));
    }

    /// Dots.
    pub(crate) fn dots(&mut self, name: &str, colour: [u8; 3], points: Vec<(f64, f64)>) {
        self.sheet.layers.push(Layer::Dots { points, colour, radius: 4.5 });
        self.sheet.legend.push((name.into(), Key::Dots(colour)));
    }

    /// A line with a dot at each of its points.
    pub(crate) fn marked(&mut self, name: &str, ink: usize, points: Vec<(f64, f64)>) {
        let colour = INKS[ink % INKS.len()];
        self.sheet.layers.push(Layer::Dots { points: points.clone(), colour, radius: 3.6 });
        self.inked(name, colour, points);
    }

    /// A band between two heights, from `x0` to `x1`.
    pub(crate) fn band(&mut self, name: &str, colour: [u8; 3], x: [f64; 2], y: [f64; 2]) {
        let points = vec![(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])];
        self.sheet.layers.insert(0, Layer::Area { points, colour });
        self.sheet.legend.push((name.into(), Key::Area(colour)));
    }

    fn chart(&self) -> Result<Chart, PictureError> {
        self.sheet.chart()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_fill_the_width_and_do_not_overlap() {
        let mut figure = Figure::new("a < b");
        for size in [[300, 200], [600, 100], [50, 50]] {
            if size[0] == 50 {
                figure.row();
            }
            figure.picture("part", Image::new(size[0], size[1], [9; 3]));
        }
        let (places, height) = figure.layout();
        assert_eq!(places.len(), 3);
        assert_eq!(places[1][0] + places[1][2], WIDTH - MARGIN);
        assert!(places[0][0] + places[0][2] < places[1][0]);
        assert!(places[2][1] > places[0][1] + places[0][3], "the next row lies below the taller panel");
        assert!(places[2][1] + places[2][3] <= height);
        let image = figure.image();
        assert_eq!((image.width, image.height), (WIDTH, height));
        let svg = figure.svg();
        assert!(svg.contains("a &lt; b") && svg.matches("data:image/png").count() == 3);
    }

    #[test]
    fn resizing_keeps_a_flat_colour_and_a_mean() {
        assert_eq!(resized(&Image::new(7, 5, [90, 120, 7]), 13, 3), Image::new(13, 3, [90, 120, 7]));
        let mut split = Image::new(2, 1, [0; 3]);
        split.rgb[3..].copy_from_slice(&[255; 3]);
        let half = resized(&split, 1, 1).rgb[0];
        assert!((186..=189).contains(&half), "half of the light is {half} in sRGB");
    }
}
