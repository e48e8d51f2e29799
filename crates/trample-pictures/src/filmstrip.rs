//! A walker at several moments side by side, over the ground it presses, and the prints it leaves below.

use super::Image;
use super::body::{Layer, Mesh};
use super::text::{self, Anchor, Style};
use trample_looks::colour::{INK, PAPER, SOFT, linear};
use trample_looks::tick;

/// A line with its thickness, m, and which of `INKS`.
pub type Bone = ([f64; 2], [f64; 2], f64, usize);

/// How a body is drawn.
pub enum Looks {
    /// As a lit mesh: points, normals, and a linear colour per triangle.
    Mesh {
        /// Places, m.
        points: Vec<[f32; 3]>,
        /// Unit normals.
        normals: Vec<[f32; 3]>,
        /// Corners.
        triangles: Vec<[u32; 3]>,
        /// Linear colour of each triangle.
        colours: Vec<[f32; 3]>,
    },
    /// As thick lines; tinted in one colour where there is one.
    Bones(Vec<Bone>, Option<[u8; 3]>),
}

/// One moment.
pub struct Frame {
    /// When, s.
    pub time: f64,
    /// Where in the stride, as people say it.
    pub label: String,
    /// Place along the walk of the frame's middle, m, and how far to the reader that is.
    pub middle: [f64; 2],
    /// Bodies, the first one lowest.
    pub bodies: Vec<Looks>,
    /// Ground at that moment: along, surface, original surface, m.
    pub ground: Vec<[f64; 3]>,
}

/// All that is shown.
pub struct Film {
    /// The line above.
    pub title: String,
    /// What a reader should know.
    pub lines: Vec<String>,
    /// Names and colours of the bodies, if there are several.
    pub legend: Vec<(String, [u8; 3])>,
    /// The moments.
    pub frames: Vec<Frame>,
    /// Half the width of a frame, m.
    pub half: f64,
    /// Height of a frame above the ground below its middle, m.
    pub tall: f64,
    /// The ground at the end: along, height above the original ground, m.
    pub prints: Vec<[f64; 2]>,
    /// Which foot landed where along the walk, m.
    pub steps: Vec<(char, f64)>,
    /// Colour of the ground.
    pub colour: [u8; 3],
}

/// Far side, trunk and head, near side.
const INKS: [[u8; 3]; 3] = [[196, 124, 96], [92, 98, 106], [64, 106, 158]];
/// How much larger it is drawn than shown.
const FINE: f32 = 3.0;
const WIDTH: f64 = 2400.0;
const MARGIN: f64 = 48.0;
const HEAD: f64 = 128.0;
/// Pixels for the prints' profile, and below it.
const PRINTS: f64 = 120.0;
const FOOT: f64 = 74.0;

/// Draws the film.
pub fn filmstrip(film: &Film) -> Image {
    // A short film keeps its frames moderate.
    let n = film.frames.len().max(6);
    let wide = (WIDTH - 2.0 * MARGIN) / n as f64;
    let scale = wide / (2.0 * film.half);
    // The deepest ground that a frame shows, so that no frame loses its floor.
    let below = film
        .frames
        .iter()
        .flat_map(|f| f.ground.iter().map(|g| floor(f) - g[1].min(g[2])))
        .fold(0.0, f64::max);
    let below = below + 0.07;
    let tall = if film.frames.is_empty() { 0.0 } else { (film.tall + below) * scale };
    let height = HEAD + tall + 76.0 + PRINTS + FOOT;
    let size = |v: f64| (v * f64::from(FINE)) as usize;
    let mut image = Image::new(size(WIDTH), size(height.clamp(400.0, 2400.0)), PAPER);
    let px = |v: f64| v as f32 * FINE;
    let room = px(WIDTH - 2.0 * MARGIN);
    let title = Style::new(40.0 * FINE, INK).bold();
    image.text(px(MARGIN), px(56.0), &text::fitted_text(&film.title, 40.0 * FINE, room), title);
    for (i, line) in film.lines.iter().take(1).enumerate() {
        let line = text::fitted_text(line, 23.0 * FINE, room);
        image.text(px(MARGIN), px(94.0 + 30.0 * i as f64), &line, Style::new(23.0 * FINE, SOFT));
    }
    let mut right = px(WIDTH - MARGIN);
    for (name, ink) in film.legend.iter().rev() {
        let style = Style::new(26.0 * FINE, INK).anchored(Anchor::End);
        image.text(right, px(56.0), name, style);
        right -= text::text_width(name, 26.0 * FINE) + px(34.0);
        image.swatch([right, px(36.0)], px(22.0), *ink);
        right -= px(30.0);
    }
    for (i, frame) in film.frames.iter().enumerate() {
        let at = [MARGIN + wide * i as f64, HEAD];
        draw_frame(&mut image, film, frame, at, [wide, tall], scale);
    }
    draw_prints(&mut image, film, HEAD + tall + 76.0);
    image.shrunk(FINE as usize)
}

/// Height of the original ground below a frame's middle, m.
fn floor(frame: &Frame) -> f64 {
    let near = |g: &&[f64; 3]| (1e6 * (g[0] - frame.middle[0]).abs()) as i64;
    frame.ground.iter().min_by_key(near).map_or(0.0, |g| g[2])
}

fn draw_frame(image: &mut Image, film: &Film, frame: &Frame, at: [f64; 2], size: [f64; 2], scale: f64) {
    let fine = f64::from(FINE);
    let gap = 5.0;
    let floor = floor(frame);
    let corner = [((at[0] + gap) * fine) as usize, (at[1] * fine) as usize];
    let extent = [((size[0] - 2.0 * gap) * fine) as usize, (size[1] * fine) as usize];
    let sky = [216, 223, 228];
    image.fill(corner.map(|v| v as f32), extent.map(|v| v as f32), sky, 1.0);
    // Pixels within the frame.
    let inside = |x: f64, y: f64| {
        let across = 0.5 * extent[0] as f64 + (x - frame.middle[0]) * scale * fine;
        [across as f32, ((film.tall - (y - floor)) * scale * fine) as f32]
    };
    let edge = |p: [f32; 2]| [p[0] + corner[0] as f32, p[1] + corner[1] as f32];
    for x in 0..extent[0] {
        let along = frame.middle[0] + (x as f64 + 0.5 - 0.5 * extent[0] as f64) / (scale * fine);
        let Some([now, before]) = level(&frame.ground, along) else { continue };
        let top = inside(along, now)[1].clamp(0.0, extent[1] as f32);
        let column = [(corner[0] + x) as f32, corner[1] as f32 + top];
        image.fill(column, [1.0, extent[1] as f32 - top], film.colour, 1.0);
        // The surface as it is, and dashes where it was.
        image.fill([column[0], column[1] - 1.5], [1.0, 4.0], INK, 0.75);
        let was = inside(along, before)[1];
        if (x / 14) % 2 == 0 && (was - top).abs() > 4.0 && was > 0.0 && was < extent[1] as f32 {
            image.fill([column[0], corner[1] as f32 + was - 1.0], [1.0, 2.5], INK, 0.8);
        }
    }
    let mut below: Option<Layer> = None;
    for body in &frame.bodies {
        match body {
            Looks::Mesh { points, normals, triangles, colours } => {
                let mut layer = Layer::new(extent[0], extent[1]);
                let mesh = Mesh { points, normals, triangles, colours };
                let place = |p: [f32; 3]| inside(f64::from(p[0]), f64::from(p[1]));
                layer.draw(&mesh, place, frame.middle[1] as f32, 0.9);
                layer.onto(image, corner, below.as_ref());
                below = Some(layer);
            }
            Looks::Bones(bones, tint) => {
                for layer in 0..3 {
                    for (from, to, thick, ink) in bones.iter().filter(|b| b.3 == layer) {
                        let (a, b) = (inside(from[0], from[1]), inside(to[0], to[1]));
                        let ink = tint.unwrap_or(INKS[*ink]);
                        image.line(edge(a), edge(b), (thick * scale * fine) as f32, ink);
                    }
                }
            }
        }
    }
    let middle = (at[0] + 0.5 * size[0]) as f32 * FINE;
    let under = (at[1] + size[1]) as f32 * FINE;
    let label = Style::new(24.0 * FINE, INK).anchored(Anchor::Middle);
    image.text(middle, under + 28.0 * FINE, &frame.label, label);
    let time = Style::new(20.0 * FINE, SOFT).anchored(Anchor::Middle);
    image.text(middle, under + 52.0 * FINE, &format!("{:.2} s", frame.time), time);
}

/// Surface and original surface at a place, between the samples.
fn level(ground: &[[f64; 3]], along: f64) -> Option<[f64; 2]> {
    let k = ground.partition_point(|g| g[0] < along).clamp(1, ground.len().max(2) - 1);
    let (a, b) = (ground.get(k - 1)?, ground.get(k)?);
    let t = ((along - a[0]) / (b[0] - a[0]).max(1e-9)).clamp(0.0, 1.0);
    Some([1, 2].map(|c| a[c] + (b[c] - a[c]) * t))
}

/// The ground at the end, stretched until prints can be seen.
fn draw_prints(image: &mut Image, film: &Film, top: f64) {
    let (Some(first), Some(last)) = (film.prints.first(), film.prints.last()) else { return };
    let (x0, x1) = (first[0], last[0]);
    let left = MARGIN + 5.0;
    let scale = (WIDTH - 2.0 * left) / (x1 - x0).max(0.1);
    let (low, high) = film.prints.iter().fold((0.0f64, 0.0f64), |(a, b), p| (a.min(p[1]), b.max(p[1])));
    let range = (high - low).max(1e-4);
    let stretch = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];
    let stretch = stretch.into_iter().rev().find(|s| range * s * scale < 0.62 * PRINTS).unwrap_or(1.0);
    let zero = top + 22.0 + high * stretch * scale;
    let fine = f64::from(FINE);
    let place = |x: f64, h: f64| {
        [((left + (x - x0) * scale) * fine) as f32, ((zero - h * stretch * scale) * fine) as f32]
    };
    let bottom = ((top + PRINTS) * fine) as f32;
    for pair in film.prints.windows(2) {
        let (a, b) = (place(pair[0][0], pair[0][1]), place(pair[1][0], pair[1][1]));
        let y = 0.5 * (a[1] + b[1]);
        image.fill([a[0], y], [b[0] - a[0] + 1.0, bottom - y], film.colour, 1.0);
        image.line(a, b, 4.0, INK);
    }
    for (i, pair) in film.prints.windows(2).enumerate() {
        if (i / 6) % 2 == 0 {
            image.line(place(pair[0][0], 0.0), place(pair[1][0], 0.0), 2.5, SOFT);
        }
    }
    for &(foot, x) in film.steps.iter().filter(|s| (x0 + 0.05..x1 - 0.05).contains(&s.1)) {
        let [across, _] = place(x, 0.0);
        let style = Style::new(20.0 * FINE, INK).anchored(Anchor::Middle);
        image.text(across, (top + 8.0) as f32 * FINE, &foot.to_string(), style);
    }
    let length = tick::round_length(0.2 * (x1 - x0));
    let ruler = top + PRINTS + 18.0;
    let (a, b) = ((left * fine) as f32, ((left + length * scale) * fine) as f32);
    let y = (ruler * fine) as f32;
    image.line([a, y], [b, y], 9.0, INK);
    image.text(b + 12.0 * FINE, y + 7.0 * FINE, &tick::length(length), Style::new(22.0 * FINE, INK));
    let words = format!(
        "The prints at the end, L left and R right, heights ×{stretch}: down to {:.1} cm below and up to {:.1} cm above the ground before",
        -100.0 * low,
        100.0 * high
    );
    let style = Style::new(22.0 * FINE, SOFT).anchored(Anchor::End);
    image.text(((WIDTH - left) * fine) as f32, y + 7.0 * FINE, &words, style);
}

/// A colour of one hue, as bright as `like` asks between a lighter and a darker shade of it.
pub fn tinted(hue: [u8; 3], like: [u8; 3]) -> [f32; 3] {
    let bright = trample_looks::colour::luminance(linear(like)).sqrt();
    linear(hue).map(|v| v * (0.62 + 0.9 * bright))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn film(frames: usize) -> Film {
        let frame = |i: usize| Frame {
            time: i as f64,
            label: "0 %".into(),
            middle: [i as f64, 0.0],
            bodies: vec![Looks::Bones(vec![([i as f64, 0.0], [i as f64, 1.6], 0.2, 1)], None)],
            ground: (0..20).map(|k| [i as f64 + 0.1 * f64::from(k) - 1.0, -0.01, 0.0]).collect(),
        };
        Film {
            title: "a walk".into(),
            lines: vec!["one line".into()],
            legend: vec![("balance off".into(), [200, 0, 0])],
            frames: (0..frames).map(frame).collect(),
            half: 0.6,
            tall: 2.0,
            prints: vec![[0.0, 0.0], [1.0, -0.02], [2.0, 0.01]],
            steps: vec![('L', 1.0)],
            colour: [120, 90, 60],
        }
    }

    #[test]
    fn a_film_of_any_length_is_drawn_and_an_empty_one_too() {
        for n in [0, 1, 8] {
            let image = filmstrip(&film(n));
            assert_eq!(image.width, WIDTH as usize);
            assert!(image.rgb.chunks(3).any(|p| p == [120, 90, 60]), "{n} frames: no ground");
        }
        let nothing = Film { prints: vec![], frames: vec![], ..film(0) };
        assert!(filmstrip(&nothing).height >= 400);
    }
}
