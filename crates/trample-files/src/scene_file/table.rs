//! A table being read: every key is known or refused, every number is checked where it stands.

use super::keys::{Groups, owners};
use super::node::{Node, Place, Value, alike, hint, number, shortened};
use super::{SceneFileError, Source};
use crate::memory;
use std::borrow::Cow;
use std::cell::RefCell;
use std::path::{Component, Path, PathBuf};
use trample::params::degrees;
use trample::params::{Field, Range};

pub(crate) type Result<T> = std::result::Result<T, SceneFileError>;

/// Knows which keys were asked for, so that the others can be refused.
pub(crate) struct Table<'a> {
    pub(crate) node: &'a Node,
    pub(crate) path: String,
    pub(crate) source: &'a Source,
    asked: RefCell<Vec<Cow<'static, str>>>,
}

impl<'a> Table<'a> {
    pub(crate) fn new(node: &'a Node, path: impl Into<String>, source: &'a Source) -> Result<Self> {
        let table = Self { node, path: path.into(), source, asked: RefCell::default() };
        match node.value {
            Value::Table(_) => Ok(table),
            _ => Err(table.error(node, format!("`{}` is {}, must be a table", table.path, node.described()))),
        }
    }

    /// The tables of a list such as `[[puppet]]`.
    pub(crate) fn list(&self, key: &'static str, most: usize) -> Result<Vec<Self>> {
        let Some(list) = self.get(key) else { return Ok(Vec::new()) };
        let Value::Array(items) = &list.value else {
            return Err(self.must_be(list, key, &format!("a list of tables: [[{key}]]")));
        };
        if items.len() > most {
            return Err(self.error(list, format!("`{key}` is there {} times, allowed: {most}", items.len())));
        }
        items
            .iter()
            .enumerate()
            .map(|(i, node)| Self::new(node, format!("{key}[{i}]"), self.source))
            .collect()
    }

    pub(crate) fn error(&self, node: &Node, problem: String) -> SceneFileError {
        SceneFileError { place: self.source.place(&node.place), problem }
    }

    /// An error about `key`, where it stands or where its table does.
    pub(crate) fn error_at(&self, key: &str, problem: String) -> SceneFileError {
        self.error(self.node.get(key).unwrap_or(self.node), problem)
    }

    pub(crate) fn field(&self, key: &str) -> String {
        if self.path.is_empty() { key.into() } else { format!("{}.{key}", self.path) }
    }

    pub(crate) fn get(&self, key: &'static str) -> Option<&'a Node> {
        self.asked.borrow_mut().push(key.into());
        self.node.get(key)
    }

    pub(crate) fn must_be(&self, node: &Node, key: &str, what: &str) -> SceneFileError {
        self.error(node, format!("`{}` is {}, must be {what}", self.field(key), node.described()))
    }

    /// A number within its range, 1 or 0 of a switch; a count is whole, as half a pass is a slip of the pen and not one pass.
    pub(crate) fn number(&self, range: &Range) -> Result<Option<f64>> {
        let Some(node) = self.get(range.name) else { return Ok(None) };
        if let (Value::Bool(on), true) = (&node.value, range.switch) {
            return Ok(Some(f64::from(u8::from(*on))));
        }
        let what = range.kind();
        let what = format!("{what}, allowed: {}", range.allowed());
        let value = plain_number(node).ok_or_else(|| self.must_be(node, range.name, &what))?;
        self.within(node, range, value)?;
        if range.integer && value != value.floor() {
            return Err(self.must_be(node, range.name, &what));
        }
        Ok(Some(value))
    }

    pub(crate) fn within(&self, node: &Node, range: &Range, value: f64) -> Result<()> {
        if range.contains(value) {
            return Ok(());
        }
        let (field, allowed) = (self.field(range.name), range.allowed());
        Err(self.error(node, format!("`{field}` is {}, allowed: {allowed}", number(value))))
    }

    /// Reads all numbers of a table of parameters that are there. An angle may be given in radians too, as `x_rad` for `x_deg`:
    /// that is how one is written that no degrees give exactly.
    pub(crate) fn fields<'f, T: 'static>(
        &self,
        fields: impl IntoIterator<Item = &'f Field<T>>,
        of: &mut T,
    ) -> Result<()> {
        for field in fields {
            if let Some(value) = self.number(&field.range)? {
                field.set(of, value);
            } else if let Some(key) = radians_key(&field.range)
                && let Some(node) = self.node.get(&key)
            {
                let value = plain_number(node).ok_or_else(|| self.must_be(node, &key, "a number"))?;
                self.within(node, &field.range, degrees(value))?;
                self.asked.borrow_mut().push(key.into());
                (field.write)(of, value);
            }
        }
        Ok(())
    }

    pub(crate) fn integer(&self, key: &'static str) -> Result<Option<u64>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let value = match node.value {
            Value::Integer(i) => u64::try_from(i).ok(),
            Value::Float(f) => Some(f as u64).filter(|_| (0.0..=9e15).contains(&f) && f == f.floor()),
            _ => None,
        };
        let what = format!("a whole number, allowed: 0 to {}", u64::MAX);
        value.map(Some).ok_or_else(|| self.must_be(node, key, &what))
    }

    pub(crate) fn text(&self, key: &'static str) -> Result<Option<&'a str>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let text = match (&node.value, &node.place) {
            (Value::Text(text), _) => Some(text.as_str()),
            // On a command line names are not quoted: `name=7` means the text.
            (Value::Integer(_) | Value::Float(_) | Value::Bool(_) | Value::Date(_), Place::Set(setting)) => {
                setting.split_once('=').map(|(_, value)| value.trim())
            }
            _ => None,
        };
        text.map(Some).ok_or_else(|| self.must_be(node, key, "a text in quotes"))
    }

    pub(crate) fn flag(&self, key: &'static str) -> Result<Option<bool>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        match node.value {
            Value::Bool(b) => Ok(Some(b)),
            _ => Err(self.must_be(node, key, "true or false")),
        }
    }

    /// One of several words.
    pub(crate) fn word<T: Copy>(&self, key: &'static str, known: &[(&'static str, T)]) -> Result<Option<T>> {
        let names: Vec<&str> = known.iter().map(|(n, _)| *n).collect();
        let Some(node) = self.get(key) else { return Ok(None) };
        let Some(text) = node.text() else {
            return Err(self.must_be(node, key, &format!("one of \"{}\"", names.join("\", \""))));
        };
        let found = known.iter().find(|(n, _)| *n == text).map(|(_, t)| *t);
        found.map(Some).ok_or_else(|| {
            let problem = format!(
                "`{}` is `{}`{}Allowed: {}",
                self.field(key),
                shortened(text),
                hint(text, &names),
                names.join(", ")
            );
            self.error(node, problem)
        })
    }

    pub(crate) fn colour(&self) -> Result<Option<[u8; 3]>> {
        let Some(node) = self.get("colour") else { return Ok(None) };
        let part = |n: &Node| plain_number(n).filter(|v| (0.0..=255.0).contains(v) && *v == v.floor());
        let parts: Option<Vec<u8>> = node.items().iter().map(|n| part(n).map(|v| v as u8)).collect();
        let what = "three whole numbers from 0 to 255: [red, green, blue]";
        let colour = parts.and_then(|parts| parts.try_into().ok());
        colour.map(Some).ok_or_else(|| self.must_be(node, "colour", what))
    }

    pub(crate) fn pair(&self, key: &'static str) -> Result<Option<[f64; 2]>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        pair(node).map(Some).ok_or_else(|| self.must_be(node, key, "a list of two finite numbers"))
    }

    /// A list of places; an error names the first that is none.
    pub(crate) fn points(
        &self,
        key: &'static str,
        least: usize,
        most: usize,
    ) -> Result<Option<Vec<[f64; 2]>>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let what = format!("a list of {least} to {most} pairs, as in [[1.0, 2.0], [3.0, 4.0]]");
        let fits = matches!(node.value, Value::Array(_)) && (least..=most).contains(&node.items().len());
        if !fits {
            return Err(self.must_be(node, key, &what));
        }
        let one = |(i, item): (usize, &Node)| {
            pair(item)
                .ok_or_else(|| self.must_be(item, &format!("{key}[{i}]"), "a list of two finite numbers"))
        };
        node.items().iter().enumerate().map(one).collect::<Result<_>>().map(Some)
    }

    /// A file named in a scene: beside the scene, or anywhere by an absolute path. A path may not climb with `..`, so
    /// that a scene's folder can be moved as a whole.
    pub(crate) fn file(&self, key: &'static str) -> Result<Option<PathBuf>> {
        let Some(name) = self.text(key)? else { return Ok(None) };
        let node = self.node.get(key).unwrap_or(self.node);
        self.path_of(node, key, name).map(Some)
    }

    /// The file that `name` means, which stands at `node`.
    pub(crate) fn path_of(&self, node: &Node, key: &str, name: &str) -> Result<PathBuf> {
        let path = Path::new(name);
        if name.is_empty() || path.components().any(|c| matches!(c, Component::ParentDir)) {
            let problem = format!("`{}` is `{}`: give a path without `..`", self.field(key), shortened(name));
            return Err(self.error(node, problem));
        }
        // What is in memory is named whole, as an absolute path is.
        Ok(if memory::is_memory(path) { path.to_path_buf() } else { self.source.folder.join(path) })
    }

    /// Refuses every key that was not read.
    pub(crate) fn done(&self) -> Result<()> {
        self.done_with("", "", &[])
    }

    /// The same in a table where `choice` was `chosen`: a key of another choice is told so.
    pub(crate) fn done_with(&self, choice: &str, chosen: &str, groups: &Groups) -> Result<()> {
        let Value::Table(rows) = &self.node.value else { return Ok(()) };
        let asked = self.asked.borrow();
        let Some((key, node)) = rows.iter().find(|(key, _)| !asked.iter().any(|a| a == key)) else {
            return Ok(());
        };
        let field = self.field(&shortened(key));
        let owners = owners(groups, key);
        if !owners.is_empty() {
            let owners = owners.join("\" or \"");
            let problem = format!("`{field}` goes with {choice} = \"{owners}\", here it is \"{chosen}\"");
            return Err(self.error(node, problem));
        }
        let mut known: Vec<&str> = asked.iter().map(AsRef::as_ref).collect();
        known.sort_unstable();
        known.dedup();
        // A misspelled setting is answered with the right one; in a terminal a hundred others would bury it.
        let alike = alike(key, &known);
        let problem = match (&node.place, &alike[..]) {
            (Place::Set(_), [first, ..]) => format!("unknown key `{field}` — did you mean `{first}`?"),
            _ => format!("unknown key `{field}`{}Allowed here: {}", hint(key, &known), known.join(", ")),
        };
        Err(self.error(node, problem))
    }
}

/// What an angle is called that is given in radians.
pub(crate) fn radians_key(range: &Range) -> Option<String> {
    Some(format!("{}_rad", range.name.strip_suffix("_deg")?))
}

pub(crate) fn plain_number(node: &Node) -> Option<f64> {
    match node.value {
        Value::Integer(i) => Some(i as f64),
        Value::Float(f) => Some(f),
        _ => None,
    }
}

pub(crate) fn pair(node: &Node) -> Option<[f64; 2]> {
    match node.items() {
        [a, b] => Some([plain_number(a)?, plain_number(b)?]).filter(|p| p.iter().all(|x| x.is_finite())),
        _ => None,
    }
}
