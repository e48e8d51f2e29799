//! Text on pictures, with the embedded Ubuntu Light and, for characters it lacks, Hack.

use super::Image;
use ab_glyph::{Font, FontRef, Glyph, GlyphId, PxScale, point};
use std::sync::OnceLock;

/// How heavy the strokes are. The embedded face is a light one; it is thickened by drawing it slightly apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// For labels.
    Regular,
    /// For titles.
    Bold,
}

/// Which end of the text stands at the given place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins there.
    Start,
    /// The text is centred there.
    Middle,
    /// The text ends there.
    End,
}

/// How a piece of text looks.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Pixels per em.
    pub size: f32,
    /// sRGB.
    pub colour: [u8; 3],
    /// Stroke weight.
    pub weight: Weight,
    /// Which end is placed.
    pub anchor: Anchor,
}

impl Style {
    /// Regular text that starts where it is put.
    pub fn new(size: f32, colour: [u8; 3]) -> Self {
        Self { size, colour, weight: Weight::Regular, anchor: Anchor::Start }
    }

    /// The same, heavier.
    pub fn bold(self) -> Self {
        Self { weight: Weight::Bold, ..self }
    }

    /// The same, placed by another end.
    pub fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }
}

/// The embedded faces in the order they are asked for a character.
fn faces() -> &'static [FontRef<'static>] {
    static FACES: OnceLock<Vec<FontRef<'static>>> = OnceLock::new();
    FACES.get_or_init(|| {
        [epaint_default_fonts::UBUNTU_LIGHT, epaint_default_fonts::HACK_REGULAR]
            .into_iter()
            .filter_map(|bytes| FontRef::try_from_slice(bytes).ok())
            .collect()
    })
}

/// The face and glyph for a character; a character no face has becomes a hollow box, so that it is not lost.
fn glyph(c: char) -> Option<(usize, GlyphId)> {
    let c = if c.is_control() || c == '\u{a0}' || c == '\u{202f}' { ' ' } else { c };
    let find = |c: char| {
        faces().iter().enumerate().find_map(|(face, font)| {
            let id = font.glyph_id(c);
            (id.0 != 0).then_some((face, id))
        })
    };
    find(c).or_else(|| find('\u{25a1}')).or_else(|| find('?'))
}

/// A scale that makes one em `size` pixels high.
fn scale(font: &FontRef<'_>, size: f32) -> PxScale {
    let em = font.units_per_em().unwrap_or(1000.0);
    PxScale::from(size * font.height_unscaled() / em)
}

/// The glyphs of a line that starts at the origin, and the line's width.
fn layout(text: &str, size: f32) -> (Vec<(usize, Glyph)>, f32) {
    let mut glyphs = Vec::new();
    let mut pen = 0.0;
    let mut last: Option<(usize, GlyphId)> = None;
    for c in text.chars() {
        let Some((face, id)) = glyph(c) else { continue };
        let font = &faces()[face];
        let per_unit = size / font.units_per_em().unwrap_or(1000.0);
        if let Some((_, before)) = last.filter(|(before_face, _)| *before_face == face) {
            pen += font.kern_unscaled(before, id) * per_unit;
        }
        glyphs.push((face, id.with_scale_and_position(scale(font, size), point(pen, 0.0))));
        pen += font.h_advance_unscaled(id) * per_unit;
        last = Some((face, id));
    }
    (glyphs, pen)
}

/// How many pixels wide a line is.
pub fn text_width(text: &str, size: f32) -> f32 {
    layout(text, size).1
}

/// The line, cut with an ellipsis where it would be wider than `limit` pixels.
pub fn fitted_text(text: &str, size: f32, limit: f32) -> String {
    if text_width(text, size) <= limit {
        return text.to_owned();
    }
    let chars: Vec<char> = text.chars().take(2000).collect();
    let cut = |n: usize| {
        let kept: String = chars[..n].iter().collect();
        format!("{}…", kept.trim_end())
    };
    // Width grows with length, so bisection finds the longest beginning that fits.
    let (mut fits, mut long) = (0, chars.len());
    while long - fits > 1 {
        let middle = usize::midpoint(fits, long);
        if text_width(&cut(middle), size) <= limit { fits = middle } else { long = middle }
    }
    cut(fits)
}

/// The text broken at spaces into at most `most` lines of `limit` pixels; the last one is cut if need be.
pub fn wrapped_text(text: &str, size: f32, limit: f32, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.peek() {
        let longer = if line.is_empty() { (*word).to_owned() } else { format!("{line} {word}") };
        if line.is_empty() || text_width(&longer, size) <= limit {
            line = longer;
            words.next();
        } else if lines.len() + 1 < most {
            lines.push(std::mem::take(&mut line));
        } else {
            // No further line: let the rest run on and be cut.
            line =
                std::iter::once(line).chain(words.by_ref().map(str::to_owned)).collect::<Vec<_>>().join(" ");
        }
    }
    if !line.is_empty() && most > 0 {
        lines.push(line);
    }
    lines.iter().map(|line| fitted_text(line, size, limit)).collect()
}

impl Image {
    /// Writes one line with its baseline at `y`.
    pub fn text(&mut self, x: f32, y: f32, text: &str, style: Style) {
        self.write(text, style, x, |px, py| (px, py + libm::roundf(y) as i64));
    }

    /// Writes one line upwards (turned a quarter to the left) with its baseline at `x`; `y` is where it is anchored.
    pub fn text_up(&mut self, x: f32, y: f32, text: &str, style: Style) {
        self.write(text, style, 0.0, |px, py| (py + libm::roundf(x) as i64, libm::roundf(y) as i64 - px));
    }

    /// Draws the glyphs' coverage and lets `place` move each pixel.
    fn write(&mut self, text: &str, style: Style, x: f32, place: impl Fn(i64, i64) -> (i64, i64)) {
        let (glyphs, wide) = layout(text, style.size);
        let start = x - match style.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => wide / 2.0,
            Anchor::End => wide,
        };
        let apart = style.size * if style.weight == Weight::Bold { 0.024 } else { 0.008 };
        for (face, glyph) in glyphs {
            for shift in [-apart, apart] {
                let mut moved = glyph.clone();
                moved.position.x += start + shift;
                let Some(outline) = faces()[face].outline_glyph(moved) else { continue };
                let corner = outline.px_bounds().min;
                outline.draw(|gx, gy, coverage| {
                    let (px, py) = place(corner.x as i64 + i64::from(gx), corner.y as i64 + i64::from(gy));
                    self.blend(px, py, style.colour, coverage);
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_titles_end_in_an_ellipsis() {
        let cut = fitted_text(&"Wanderung über die Düne ".repeat(50), 20.0, 300.0);
        assert!(cut.ends_with('…') && text_width(&cut, 20.0) <= 300.0);
        assert_eq!(fitted_text("short", 20.0, 300.0), "short");
        assert_eq!(fitted_text("anything", 20.0, 0.0), "…");
    }

    #[test]
    fn characters_no_face_has_are_still_seen() {
        let mut image = Image::new(80, 40, [255; 3]);
        image.text(5.0, 30.0, "雪", Style::new(24.0, [0; 3]));
        assert!(image.rgb.iter().any(|v| *v < 128));
        assert!(text_width("雪地\u{0}\n", 20.0) > 0.0);
    }

    #[test]
    fn wrapped_lines_fit_and_stop() {
        let lines =
            wrapped_text("a walk of twelve steps over fresh snow on a slope of ten degrees", 16.0, 150.0, 3);
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| text_width(line, 16.0) <= 150.0));
        assert!(wrapped_text("", 16.0, 100.0, 3).is_empty());
    }

    #[test]
    fn text_outside_the_picture_is_harmless() {
        let mut image = Image::new(10, 10, [255; 3]);
        image.text(-500.0, 1e6, "away", Style::new(12.0, [0; 3]));
        image.text_up(5.0, -80.0, "up", Style::new(12.0, [0; 3]));
    }
}
