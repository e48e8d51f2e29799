//! A TOML tree whose nodes know where they came from.

use toml::de::{DeTable, DeValue};

/// Where a value was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Line of the file, from 1.
    Line(usize),
    /// A `key=value` on the command line.
    Set(String),
    /// The library scene that the file starts from.
    Library(String),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Table(Vec<(String, Node)>),
    Array(Vec<Node>),
    Text(String),
    /// Wider than a seed, so that every 64-bit seed can be written.
    Integer(i128),
    Float(f64),
    Bool(bool),
    /// Kept only to be refused by name.
    Date(String),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) place: Place,
}

/// Deepest nesting of tables and lists that is read. A scene needs five levels; without a bound a few kilobytes of
/// dotted keys in nested tables would use up the stack.
const DEEPEST: usize = 32;

/// Finds the line of a byte. Counting from the start each time would make a long file take its length squared.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i).collect())
    }

    fn of(&self, byte: usize) -> usize {
        self.0.partition_point(|&end| end < byte) + 1
    }
}

type Parsed<T> = Result<T, (usize, String)>;

impl Node {
    /// Parses a document; errors carry the line.
    pub(crate) fn parse(text: &str) -> Parsed<Self> {
        let lines = Lines::new(text);
        let table = DeTable::parse(text).map_err(|e| {
            let line = lines.of(e.span().map_or(0, |s| s.start));
            (line, e.message().replace('\n', " "))
        })?;
        table_node(table.get_ref(), 1, &lines, 0)
    }

    /// A value given on the command line: TOML if it reads as TOML, else a text.
    pub(crate) fn from_setting(text: &str, setting: &str) -> Self {
        let place = Place::Set(setting.into());
        let parsed = DeValue::parse(text).ok();
        let parsed = parsed.and_then(|v| value_node(v.get_ref(), 1, &Lines::new(text), 0).ok());
        let mut node = parsed.unwrap_or(Self { value: Value::Text(text.into()), place: place.clone() });
        node.mark(&place);
        node
    }

    /// Says that this and all below came from `place`.
    pub(crate) fn mark(&mut self, place: &Place) {
        self.place = place.clone();
        match &mut self.value {
            Value::Table(rows) => rows.iter_mut().for_each(|(_, n)| n.mark(place)),
            Value::Array(items) => items.iter_mut().for_each(|n| n.mark(place)),
            _ => {}
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Table(rows) => rows.iter().find(|(k, _)| k == key).map(|(_, n)| n),
            _ => None,
        }
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        match &mut self.value {
            Value::Table(rows) => rows.iter_mut().find(|(k, _)| k == key).map(|(_, n)| n),
            _ => None,
        }
    }

    pub(crate) fn take(&mut self, key: &str) -> Option<Self> {
        match &mut self.value {
            Value::Table(rows) => {
                let i = rows.iter().position(|(k, _)| k == key)?;
                Some(rows.remove(i).1)
            }
            _ => None,
        }
    }

    /// Puts `node` at `key` of a table.
    pub(crate) fn put(&mut self, key: &str, node: Self) {
        if let Value::Table(rows) = &mut self.value {
            match rows.iter_mut().find(|(k, _)| k == key) {
                Some((_, old)) => *old = node,
                None => rows.push((key.into(), node)),
            }
        }
    }

    /// Lays another tree over this one: tables merge, anything else is replaced. A base of another kind is replaced
    /// whole, because the fields of one kind mean nothing to another.
    pub(crate) fn overlay(&mut self, other: Self) {
        let replaces = other.base_kind().is_some() && other.base_kind() != self.base_kind();
        match (&mut self.value, other.value) {
            (Value::Table(rows), Value::Table(over)) if !replaces => {
                for (key, node) in over {
                    match rows.iter_mut().find(|(k, _)| *k == key) {
                        Some((_, old)) => old.overlay(node),
                        None => rows.push((key, node)),
                    }
                }
            }
            (_, value) => *self = Self { value, place: other.place },
        }
    }

    /// The kind of a base: what it says, or `raster` if it only names a file.
    pub(crate) fn base_kind(&self) -> Option<&str> {
        match self.get("kind") {
            Some(kind) => kind.text(),
            None => self.get("file").map(|_| "raster"),
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn items(&self) -> &[Self] {
        match &self.value {
            Value::Array(items) => items,
            _ => &[],
        }
    }

    /// What it is and what it says, for messages.
    pub(crate) fn described(&self) -> String {
        match &self.value {
            Value::Table(_) => "a table".into(),
            Value::Array(items) => format!("a list of {}", items.len()),
            Value::Text(text) => format!("the text `{}`", shortened(text)),
            Value::Integer(i) => i.to_string(),
            Value::Float(f) => number(*f),
            Value::Bool(b) => b.to_string(),
            Value::Date(date) => format!("the date {date}"),
        }
    }
}

/// A number as a person would write it: no row of three hundred zeros.
pub(crate) fn number(x: f64) -> String {
    let plain = x == 0.0 || !x.is_finite() || (1e-4..1e15).contains(&x.abs());
    if plain { format!("{x}") } else { format!("{x:e}") }
}

/// A text cut to what fits a message, on one line: what is not to be seen in it is escaped.
pub(crate) fn shortened(text: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    let cut: String = text.chars().take(60).map(shown).collect();
    if text.chars().nth(60).is_some() { cut + "…" } else { cut }
}

fn table_node(table: &DeTable<'_>, at: usize, lines: &Lines, depth: usize) -> Parsed<Node> {
    let mut rows = Vec::with_capacity(table.len());
    for (key, value) in table {
        // The line of a table is that of its header, which is where its key stands.
        let own = match value.get_ref() {
            DeValue::Table(_) => lines.of(key.span().start),
            _ => lines.of(value.span().start),
        };
        rows.push((
            key.span().start,
            key.get_ref().to_string(),
            value_node(value.get_ref(), own, lines, depth + 1)?,
        ));
    }
    // TOML keeps no order of keys; the order in the file is the author's.
    rows.sort_by_key(|(start, ..)| *start);
    let rows = rows.into_iter().map(|(_, key, node)| (key, node)).collect();
    Ok(Node { value: Value::Table(rows), place: Place::Line(at) })
}

fn value_node(value: &DeValue<'_>, at: usize, lines: &Lines, depth: usize) -> Parsed<Node> {
    if depth > DEEPEST {
        return Err((at, format!("nested deeper than {DEEPEST} levels; a scene needs five")));
    }
    let value = match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(i) => {
            // What no integer holds is still a number, which its field can refuse by name.
            i128::from_str_radix(i.as_str(), i.radix())
                .map_or_else(|_| Value::Float(about(i.as_str(), i.radix())), Value::Integer)
        }
        DeValue::Float(f) => Value::Float(
            f.as_str().parse().map_err(|_| (at, format!("`{}` is not a number", shortened(f.as_str()))))?,
        ),
        DeValue::Boolean(b) => Value::Bool(*b),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(items) => {
            let items =
                items.iter().map(|v| value_node(v.get_ref(), lines.of(v.span().start), lines, depth + 1));
            Value::Array(items.collect::<Parsed<_>>()?)
        }
        DeValue::Table(table) => return table_node(table, at, lines, depth),
    };
    Ok(Node { value, place: Place::Line(at) })
}

/// Roughly the value of an integer of any length.
fn about(digits: &str, radix: u32) -> f64 {
    if radix == 10 {
        return digits.parse().unwrap_or(f64::INFINITY);
    }
    // Only decimal numbers have a sign.
    let digits = digits.chars().filter_map(|c| c.to_digit(radix));
    digits.fold(0.0, |sum, digit| sum * f64::from(radix) + f64::from(digit))
}

/// What follows an unknown name: the known one it may stand for, or nothing but the end of the sentence.
pub(crate) fn hint(word: &str, known: &[&str]) -> String {
    alike(word, known).first().map_or(". ".into(), |n| format!(" — did you mean `{n}`? "))
}

/// Up to three known names that are spelled like a misspelled one, the nearest first: the fewest letters to add, drop or change.
pub(crate) fn alike<'a>(word: &str, known: &[&'a str]) -> Vec<&'a str> {
    let distance = |other: &str| {
        let (a, b): (Vec<char>, Vec<char>) = (word.chars().take(64).collect(), other.chars().collect());
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let cost = diagonal + usize::from(x != y);
                diagonal = row[j + 1];
                row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
            }
        }
        row[b.len()]
    };
    let near = known.iter().map(|k| (distance(k), *k)).filter(|(d, k)| *d <= 1 + k.len() / 4);
    let mut near: Vec<(usize, &str)> = near.collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}
