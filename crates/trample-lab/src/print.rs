//! What the commands print. Names come from files, so what a terminal would obey is printed escaped; an output that cannot be written, as a full
//! disk, ends the program with an error and not with a panic.

use std::borrow::Cow;
use std::fmt::{Arguments, Write as _};
use std::io::{ErrorKind, Write};

/// `println!`, through [`crate::print::out`].
#[macro_export]
macro_rules! println {
    () => { $crate::print::out(format_args!("\n")) };
    ($($words:tt)*) => { $crate::print::out(format_args!("{}\n", format_args!($($words)*))) };
}

/// `print!`, through [`crate::print::out`].
#[macro_export]
macro_rules! print {
    ($($words:tt)*) => { $crate::print::out(format_args!($($words)*)) };
}

/// `eprintln!`, through [`crate::print::err`].
#[macro_export]
macro_rules! eprintln {
    () => { $crate::print::err(format_args!("\n")) };
    ($($words:tt)*) => { $crate::print::err(format_args!("{}\n", format_args!($($words)*))) };
}

/// A text without characters that a terminal would obey: control characters other than line feed and tab, and those that turn the
/// direction of writing.
pub fn escaped(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\t')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if obeyed(c) {
            let _ = write!(out, "{}", c.escape_default());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Prints to the standard output. If that cannot be, the program ends: quietly where a reader went away, as `head` does.
pub fn out(words: Arguments<'_>) {
    let text = words.to_string();
    let mut to = std::io::stdout().lock();
    if let Err(error) = to.write_all(escaped(&text).as_bytes()).and_then(|()| to.flush()) {
        unwritable(&error);
    }
}

/// Prints to the standard error; what cannot be printed there cannot be told anywhere.
pub fn err(words: Arguments<'_>) {
    let _ = std::io::stderr().lock().write_all(escaped(&words.to_string()).as_bytes());
}

/// Ends the program because its output cannot be written.
pub fn unwritable(error: &std::io::Error) -> ! {
    if error.kind() == ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    err(format_args!("error: the output cannot be written: {error}\n"));
    std::process::exit(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_escaped() {
        assert_eq!(
            escaped("a\x1b[31mred\r\x07 \u{9b}2J \u{202e}txt"),
            r"a\u{1b}[31mred\r\u{7} \u{9b}2J \u{202e}txt"
        );
        let plain = "m² × 3 °\n\tβ";
        assert!(matches!(escaped(plain), Cow::Borrowed(same) if same == plain));
    }
}
