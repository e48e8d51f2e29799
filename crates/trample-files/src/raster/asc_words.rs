//! The words of a text file with their lines.

use super::RasterError;
use super::input::Input;
use std::fmt::Display;
use std::io::{BufRead, Seek};

/// Longest word looked at. Real numbers have a few dozen characters; a binary file may have no space at all.
const LONGEST_WORD: usize = 128;

/// The words of the file one by one, so that a map needs no second copy of its text in memory.
pub(super) struct Words {
    /// The line of the current word, counted from 1.
    pub(super) line: u32,
    pub(super) word: Vec<u8>,
}

impl Words {
    pub(super) fn new() -> Words {
        Words { line: 1, word: Vec::new() }
    }

    /// Goes to the next word; false at the end of the file.
    pub(super) fn next<R: BufRead + Seek>(&mut self, input: &mut Input<'_, R>) -> Result<bool, RasterError> {
        self.word.clear();
        loop {
            let bytes = match input.reader.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(RasterError::io(input.path, "read the file")(error)),
            };
            if bytes.is_empty() {
                return Ok(!self.word.is_empty());
            }
            let mut used = 0;
            for &byte in bytes {
                if byte.is_ascii_whitespace() && !self.word.is_empty() {
                    // The space stays in the buffer, so that its line end is counted with the next word.
                    input.reader.consume(used);
                    return Ok(true);
                }
                used += 1;
                if byte == b'\n' {
                    self.line = self.line.saturating_add(1);
                } else if !byte.is_ascii_whitespace() {
                    self.word.push(byte);
                }
                if self.word.len() > LONGEST_WORD {
                    let value = format!("\"{}…\"", self.text());
                    let allowed = format!("words of at most {LONGEST_WORD} characters");
                    return Err(bad(
                        input,
                        self.line,
                        "text",
                        &value,
                        &allowed,
                        "separate the numbers by spaces",
                    ));
                }
            }
            input.reader.consume(used);
        }
    }

    /// The word as a number, if it is one.
    pub(super) fn number(&self) -> Option<f64> {
        std::str::from_utf8(&self.word).ok()?.parse().ok()
    }

    /// The word as it may be shown in a message.
    pub(super) fn text(&self) -> String {
        self.word.get(..24).unwrap_or(&self.word).escape_ascii().to_string()
    }
}

/// A bad field on a line of a text file.
pub(super) fn bad<R>(
    input: &Input<'_, R>,
    line: u32,
    field: &'static str,
    value: &dyn Display,
    allowed: &dyn Display,
    advice: &'static str,
) -> RasterError {
    RasterError::Field {
        path: input.path.to_path_buf(),
        line: Some(line),
        field,
        value: value.to_string(),
        allowed: allowed.to_string(),
        advice,
    }
}
