//! A TOML tree whose nodes know where they came from.

use toml::Spanned;
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
    Integer(i64),
    Float(f64),
    Bool(bool),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) place: Place,
}

impl Node {
    /// Parses a document; errors carry the line.
    pub(crate) fn parse(text: &str) -> Result<Self, (usize, String)> {
        let line = |at: usize| text.as_bytes()[..at.min(text.len())].iter().filter(|&&b| b == b'\n').count() + 1;
        let table = DeTable::parse(text)
            .map_err(|e| (line(e.span().map_or(0, |s| s.start)), e.message().replace('\n', " ")))?;
        table_node(table.get_ref(), &Place::Line(1), &line)
    }

    /// A value given on the command line: TOML if it reads as TOML, else a text.
    pub(crate) fn from_setting(text: &str, setting: &str) -> Self {
        let place = Place::Set(setting.into());
        let parsed = DeValue::parse(text).ok().and_then(|v| value_node(v.get_ref(), &place, &|_| 1).ok());
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

    /// Lays another tree over this one: tables merge, anything else is replaced. A base of another kind is replaced whole.
    pub(crate) fn overlay(&mut self, other: Self) {
        let replaces = other.get("kind").is_some() && other.get("kind").map(Self::text) != self.get("kind").map(Self::text);
        if let (Value::Table(rows), false) = (&mut self.value, replaces) {
            if let Value::Table(over) = other.value {
                for (key, node) in over {
                    match rows.iter_mut().find(|(k, _)| *k == key) {
                        Some((_, old)) => old.overlay(node),
                        None => rows.push((key, node)),
                    }
                }
                return;
            }
        }
        *self = other;
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

    /// What it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self.value {
            Value::Table(_) => "a table",
            Value::Array(_) => "a list",
            Value::Text(_) => "a text",
            Value::Integer(_) => "a whole number",
            Value::Float(_) => "a number",
            Value::Bool(_) => "true or false",
        }
    }
}

fn table_node(table: &DeTable<'_>, place: &Place, line: &impl Fn(usize) -> usize) -> Result<Node, (usize, String)> {
    let mut rows = Vec::with_capacity(table.len());
    for (key, value) in table {
        let at = Place::Line(line(key.span().start));
        rows.push((key.get_ref().to_string(), spanned(value, &at, line)?));
    }
    // TOML keeps no order of keys; the order of lines is the author's.
    rows.sort_by_key(|(_, n)| if let Place::Line(l) = n.place { l } else { 0 });
    Ok(Node { value: Value::Table(rows), place: place.clone() })
}

fn spanned(
    value: &Spanned<DeValue<'_>>,
    place: &Place,
    line: &impl Fn(usize) -> usize,
) -> Result<Node, (usize, String)> {
    let own = Place::Line(line(value.span().start));
    // A table's header line says more than the first of its keys.
    let place = if matches!(value.get_ref(), DeValue::Table(_)) { place.clone() } else { own };
    value_node(value.get_ref(), &place, line)
}

fn value_node(value: &DeValue<'_>, place: &Place, line: &impl Fn(usize) -> usize) -> Result<Node, (usize, String)> {
    let at = if let Place::Line(l) = place { *l } else { 1 };
    let value = match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(i) => Value::Integer(
            i64::from_str_radix(i.as_str(), i.radix()).map_err(|_| (at, format!("`{}` is too large", i.as_str())))?,
        ),
        DeValue::Float(f) => {
            Value::Float(f.as_str().parse().map_err(|_| (at, format!("`{}` is not a number", f.as_str())))?)
        }
        DeValue::Boolean(b) => Value::Bool(*b),
        DeValue::Datetime(_) => return Err((at, "a date has no meaning in a scene".into())),
        DeValue::Array(items) => {
            Value::Array(items.iter().map(|v| spanned(v, place, line)).collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => return table_node(table, place, line),
    };
    Ok(Node { value, place: place.clone() })
}

/// The known name closest to a misspelled one, if any is close.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
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
    known.iter().copied().map(|k| (distance(k), k)).min().filter(|(d, k)| *d <= 1 + k.len() / 4).map(|(_, k)| k)
}
