//! BVH: a small text format of joints and rows of numbers, written a little differently by every program.
//!
//! In: bytes. Out: a [`Source`]. Any number of joints and roots, channels in any order, six on any joint, names with spaces,
//! end sites, any white space and line ends. Memory follows the size of the file: a number takes at least two bytes of
//! text and four of memory, and what a header promises is compared with what is left of the file before it is believed.

use super::error::{CharacterError, printable};
use super::number;
use super::source::{Channel, Format, Local, Motion, Source, SourceJoint, Take};
use std::path::Path;
use trample::glam::Vec3;

/// Largest number that is believed, either sign: a body a thousand kilometres from the origin in millimetres.
const LARGEST: f32 = 1e9;
/// Most joints: a body with all its fingers, twist bones and clothes has some hundreds.
const MOST_JOINTS: usize = 10_000;
/// Longest time between frames, s: slower than that is no motion.
const SLOWEST: f64 = 0.2;
/// Shortest, s.
const FASTEST: f64 = 1e-4;

/// Reads a BVH file.
pub fn read(path: &Path, bytes: &[u8]) -> Result<Source, CharacterError> {
    let mut reader = Reader { path, bytes, at: 0, line: 1 };
    // A byte order mark is no word.
    if bytes.starts_with(&[0xEF, 0xBB, 0xBF]) {
        reader.at = 3;
    }
    reader.word_is("HIERARCHY")?;
    let mut tree = Tree::default();
    loop {
        let (word, line) = reader.word();
        if is(word, "ROOT") {
            reader.hierarchy(&mut tree)?;
        } else if is(word, "MOTION") && !tree.joints.is_empty() {
            break;
        } else {
            let expected = if tree.joints.is_empty() { "`ROOT`" } else { "`MOTION` or another `ROOT`" };
            return Err(reader.fail(line, word, expected));
        }
    }
    tree.first.push(tree.channels.len());
    let takes = reader.motion(&mut tree)?;
    Ok(Source {
        format: Format::Bvh,
        joints: tree.joints,
        takes,
        humanoid: Vec::new(),
        vertices: Vec::new(),
        triangles: Vec::new(),
        skins: 0,
        rigid: 0,
        place_of: Vec::new(),
    })
}

/// What the hierarchy says.
#[derive(Default)]
struct Tree {
    joints: Vec<SourceJoint>,
    channels: Vec<Channel>,
    first: Vec<usize>,
}

struct Reader<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

fn is(word: &[u8], wanted: &str) -> bool {
    word.eq_ignore_ascii_case(wanted.as_bytes())
}

/// White space, and the zero bytes that some programs end their files with.
fn blank(byte: u8) -> bool {
    byte <= b' '
}

impl<'a> Reader<'a> {
    fn fail(&self, line: usize, found: &[u8], expected: &str) -> CharacterError {
        let found = if found.is_empty() { "the end of the file".into() } else { printable(found) };
        CharacterError::Line { path: self.path.into(), line, found, expected: expected.into() }
    }

    /// Goes on to the next word, counting lines by any kind of line end.
    fn skip(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            if !blank(byte) {
                break;
            }
            let next = self.bytes.get(self.at + 1);
            if byte == b'\n' || (byte == b'\r' && next != Some(&b'\n')) {
                self.line += 1;
            }
            self.at += 1;
        }
    }

    /// The next word and its line; empty at the end. Braces are words, wherever they stand.
    fn word(&mut self) -> (&'a [u8], usize) {
        self.skip();
        let rest = &self.bytes[self.at..];
        let brace = |b: u8| b == b'{' || b == b'}';
        let length = match rest.first() {
            Some(&b) if brace(b) => 1,
            _ => rest.iter().position(|&b| blank(b) || brace(b)).unwrap_or(rest.len()),
        };
        self.at += length;
        (&rest[..length], self.line)
    }

    fn word_is(&mut self, wanted: &str) -> Result<(), CharacterError> {
        let (word, line) = self.word();
        if is(word, wanted) { Ok(()) } else { Err(self.fail(line, word, &format!("`{wanted}`"))) }
    }

    /// The rest of a line up to a brace: names may hold spaces.
    fn name(&mut self) -> String {
        let rest = &self.bytes[self.at..];
        let length = rest
            .iter()
            .position(|&b| b == b'\n' || b == b'\r' || b == b'{' || b == b'}')
            .unwrap_or(rest.len());
        self.at += length;
        String::from_utf8_lossy(&rest[..length]).trim().to_string()
    }

    fn number(&mut self, expected: &str) -> Result<f32, CharacterError> {
        let (word, line) = self.word();
        match number::parse(word) {
            Some(value) if value.abs() <= LARGEST => Ok(value),
            _ => Err(self.fail(line, word, expected)),
        }
    }

    /// From after `ROOT` to its closing brace. Depth is a list, not recursion: a hostile file cannot overflow the stack.
    fn hierarchy(&mut self, tree: &mut Tree) -> Result<(), CharacterError> {
        let mut open: Vec<usize> = Vec::new();
        self.joint(tree, None)?;
        open.push(tree.joints.len() - 1);
        while let Some(&parent) = open.last() {
            let (word, line) = self.word();
            if is(word, "JOINT") {
                self.joint(tree, Some(parent))?;
                open.push(tree.joints.len() - 1);
            } else if is(word, "End") {
                self.word_is("Site")?;
                // Some programs name their end sites.
                self.name();
                self.word_is("{")?;
                self.word_is("OFFSET")?;
                let tip = self.vector()?;
                self.word_is("}")?;
                tree.joints[parent].tip.get_or_insert(tip);
            } else if is(word, "}") {
                open.pop();
            } else {
                return Err(self.fail(line, word, "`JOINT`, `End Site` or `}`"));
            }
        }
        Ok(())
    }

    fn vector(&mut self) -> Result<Vec3, CharacterError> {
        let mut v = Vec3::ZERO;
        for k in 0..3 {
            v[k] = self.number("an offset of three finite numbers")?;
        }
        Ok(v)
    }

    /// A joint's name, offset and channels.
    fn joint(&mut self, tree: &mut Tree, parent: Option<usize>) -> Result<(), CharacterError> {
        let name = self.name();
        self.word_is("{")?;
        self.word_is("OFFSET")?;
        let translation = self.vector()?;
        tree.first.push(tree.channels.len());
        // Channels may be missing: such a joint does not move.
        let (at, line) = (self.at, self.line);
        if is(self.word().0, "CHANNELS") {
            let (word, line) = self.word();
            let count = std::str::from_utf8(word).ok().and_then(|w| w.parse::<usize>().ok());
            let count = count
                .filter(|&c| c <= 9)
                .ok_or_else(|| self.fail(line, word, "a number of channels, 0 to 9"))?;
            for _ in 0..count {
                let (word, line) = self.word();
                let channel = channel(word)
                    .ok_or_else(|| self.fail(line, word, "a channel such as `Xposition` or `Zrotation`"))?;
                tree.channels.push(channel);
            }
        } else {
            (self.at, self.line) = (at, line);
        }
        if tree.joints.len() >= MOST_JOINTS {
            return Err(self.fail(line, b"one more joint", &format!("at most {MOST_JOINTS} joints")));
        }
        let rest = Local { translation, ..Local::default() };
        tree.joints.push(SourceJoint { name, parent, rest, tip: None, is_mesh: false });
        Ok(())
    }

    /// A word like `Frames:`, with or without space before the colon and after it.
    fn label(&mut self, words: &[&str]) -> Result<(), CharacterError> {
        let what = format!("`{}:`", words.join(" "));
        for (i, wanted) in words.iter().enumerate() {
            self.skip();
            let line = self.line;
            let rest = &self.bytes[self.at..];
            let fits = rest.len() >= wanted.len() && is(&rest[..wanted.len()], wanted);
            if !fits {
                let (word, line) = self.word();
                return Err(self.fail(line, word, &what));
            }
            self.at += wanted.len();
            if i + 1 == words.len() {
                self.skip();
                if self.bytes.get(self.at) != Some(&b':') {
                    let (word, _) = self.word();
                    return Err(self.fail(line, word, &what));
                }
                self.at += 1;
            }
        }
        Ok(())
    }

    fn motion(&mut self, tree: &mut Tree) -> Result<Vec<Take>, CharacterError> {
        self.label(&["Frames"])?;
        let (word, line) = self.word();
        let frames = std::str::from_utf8(word).ok().and_then(|w| w.parse::<usize>().ok());
        let frames = frames.ok_or_else(|| self.fail(line, word, "a number of frames"))?;
        self.label(&["Frame", "Time"])?;
        let (word, line) = self.word();
        let text = std::str::from_utf8(word).ok().map(|w| w.replace(',', "."));
        let dt = text.and_then(|w| w.parse::<f64>().ok()).filter(|t| (FASTEST..=SLOWEST).contains(t));
        let dt =
            dt.ok_or_else(|| self.fail(line, word, &format!("seconds a frame, {FASTEST} to {SLOWEST}")))?;
        let width = tree.channels.len();
        let left = self.bytes.len() - self.at;
        // Every number takes a byte and one that parts it from the next.
        let most = left / 2 + 1;
        let wanted = frames.checked_mul(width).filter(|&n| n <= most).ok_or_else(|| {
            let found = format!("{frames} frames of {width} channels");
            let expected = format!("at most {most} numbers, as the rest of the file is {left} bytes");
            CharacterError::Line { path: self.path.into(), line: self.line, found, expected }
        })?;
        if frames == 0 || width == 0 {
            return Ok(Vec::new());
        }
        let numbers = self.rows(wanted, width)?;
        let adds = adding(tree, &numbers, width);
        let motion = Motion::Rows {
            channels: std::mem::take(&mut tree.channels),
            first: tree.first.clone(),
            adds,
            numbers,
        };
        Ok(vec![Take { name: "motion".into(), dt: even(dt), frames, start: 0.0, motion }])
    }

    /// All rows. Where the first row is a line each row must be one: a missing number is found where it is missing.
    fn rows(&mut self, wanted: usize, width: usize) -> Result<Vec<f32>, CharacterError> {
        let mut numbers = Vec::with_capacity(wanted);
        let (mut by_line, mut row_line) = (true, 0);
        while numbers.len() < wanted {
            let (word, line) = self.word();
            let column = numbers.len() % width;
            if column == 0 {
                if by_line && line == row_line {
                    return Err(self.fail(line, word, &format!("the end of a row of {width} numbers")));
                }
                row_line = line;
            } else if line != row_line {
                if numbers.len() >= width && by_line {
                    let expected = format!("{width} numbers a row, {column} are there");
                    return Err(self.fail(row_line, b"the end of the line", &expected));
                }
                by_line = false;
                row_line = line;
            }
            match number::parse(word) {
                Some(value) if value.abs() <= LARGEST => numbers.push(value),
                _ => {
                    let frame = numbers.len() / width + 1;
                    let expected =
                        format!("a finite number (frame {frame}, channel {} of {width})", column + 1);
                    return Err(self.fail(line, word, &expected));
                }
            }
        }
        let (word, line) = self.word();
        if word.is_empty() {
            Ok(numbers)
        } else {
            Err(self.fail(line, word, "the end of the file after the last frame"))
        }
    }
}

fn channel(word: &[u8]) -> Option<Channel> {
    let axis = match word.first()?.to_ascii_lowercase() {
        b'x' => 0,
        b'y' => 1,
        b'z' => 2,
        _ => return None,
    };
    let rest = &word[1..];
    if is(rest, "position") || is(rest, "translation") {
        Some(Channel::Place(axis))
    } else if is(rest, "rotation") {
        Some(Channel::Turn(axis))
    } else if is(rest, "scale") {
        Some(Channel::Other)
    } else {
        None
    }
}

/// Frame times are printed with few digits: 0.033333 is a thirtieth.
fn even(dt: f64) -> f64 {
    let rate = (1.0 / dt).round();
    if rate >= 1.0 && (rate * dt - 1.0).abs() < 2e-3 { 1.0 / rate } else { dt }
}

/// Joints below the root whose position channels hold what is added to the offset: nearer to zero than to the offset.
fn adding(tree: &Tree, numbers: &[f32], width: usize) -> Vec<bool> {
    let frames = numbers.len() / width;
    let every = (frames / 16).max(1);
    (0..tree.joints.len())
        .map(|j| {
            let offset = tree.joints[j].rest.translation;
            if tree.joints[j].parent.is_none() {
                return false;
            }
            let (mut zero, mut whole) = (0.0, 0.0);
            for frame in (0..frames).step_by(every) {
                for k in tree.first[j]..tree.first[j + 1] {
                    if let Channel::Place(axis) = tree.channels[k] {
                        let value = numbers[frame * width + k];
                        zero += value.abs();
                        whole += (value - offset[axis as usize]).abs();
                    }
                }
            }
            zero < whole
        })
        .collect()
}
