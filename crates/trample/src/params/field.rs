//! Tables of parameters. A struct of numbers has one table, `FIELDS`, with a row for each number: name, unit, range, meaning,
//! source, and how it is read and written. Scene files, `--set`, the simulator's panel and links, `trample presets`, the check of
//! a scene and the tables of `docs/formats.md` are made from these rows.

/// Description of a parameter: name, unit, allowed range, meaning and source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The name in scene files. Names of angles end in `_deg`.
    pub name: &'static str,
    /// Its unit in a scene file, `""` for a pure number.
    pub unit: &'static str,
    /// The smallest allowed value.
    pub min: f64,
    /// The largest allowed value.
    pub max: f64,
    /// Meaning, in a few words.
    pub what: &'static str,
    /// Equation or section that defines it, `""` for our own parameters.
    pub source: &'static str,
    /// Whether only whole numbers are allowed.
    pub integer: bool,
    /// Whether it is a switch, `true` or `false` in a scene file: 1 or 0 as a number.
    pub switch: bool,
}

impl Range {
    /// A range of our own, written as one row of a table.
    pub const fn new(name: &'static str, unit: &'static str, min: f64, max: f64, what: &'static str) -> Self {
        Self { name, unit, min, max, what, source: "", integer: false, switch: false }
    }

    /// The same with the equation or section that defines it.
    pub const fn of(self, source: &'static str) -> Self {
        Self { source, ..self }
    }

    /// Whether `x` is allowed; NaN never is.
    pub fn contains(&self, x: f64) -> bool {
        x >= self.min && x <= self.max
    }

    /// The allowed values as text: `0.0025 to 0.1 m`.
    pub fn allowed(&self) -> String {
        if self.switch {
            return "true, false".into();
        }
        if self.min == f64::MIN && self.max == f64::MAX {
            return "any number".into();
        }
        let gap = if self.unit.is_empty() { "" } else { " " };
        format!("{} to {}{gap}{}", self.min, self.max, self.unit)
    }

    /// The kind of value, as text.
    pub fn kind(&self) -> &'static str {
        match (self.switch, self.integer) {
            (true, _) => "true or false",
            (_, true) => "a whole number",
            _ => "a number",
        }
    }

    /// Whether it is an angle: degrees in files and panels, radians in the struct.
    pub fn is_angle(&self) -> bool {
        self.name.ends_with("_deg")
    }
}

/// A parameter of a struct `T`.
pub struct Field<T: 'static> {
    /// Its name, unit, range, meaning and source.
    pub range: Range,
    /// Returns the stored value, angles in radians; `None` if this `T` does not have the parameter.
    pub read: fn(&T) -> Option<f64>,
    /// Stores the value, angles in radians. No effect if this `T` does not have the parameter.
    pub write: fn(&mut T, f64),
}

impl<T> Field<T> {
    /// The value in the unit of the range.
    pub fn get(&self, of: &T) -> Option<f64> {
        (self.read)(of).map(|x| if self.range.is_angle() { degrees(x) } else { x })
    }

    /// Stores a value given in the unit of the range.
    pub fn set(&self, of: &mut T, value: f64) {
        (self.write)(of, if self.range.is_angle() { value.to_radians() } else { value });
    }

    /// The row of that name.
    pub fn find(fields: &'static [Self], name: &str) -> Option<&'static Self> {
        fields.iter().find(|f| f.range.name == name)
    }

    /// The names of all rows.
    pub fn names(fields: &'static [Self]) -> impl Iterator<Item = &'static str> {
        fields.iter().map(|f| f.range.name)
    }

    /// The first number outside its range, if any.
    pub fn out_of_range(fields: &'static [Self], of: &T) -> Option<(Range, f64)> {
        let value = |f: &Self| f.get(of).map(|x| (f.range, x));
        fields.iter().filter_map(value).find(|(range, x)| !range.contains(*x))
    }
}

/// A row for a field of a struct, `count` for one of whole numbers, `switch` for one that is on or off, `maybe` for an optional
/// one, and for a field of an enum's variant.
macro_rules! field {
    ($range:expr, count $($path:ident).+) => {
        $crate::params::Field {
            range: $crate::params::Range { integer: true, ..$range },
            read: |t| Some(t.$($path).+ as f64),
            write: |t, x| t.$($path).+ = x as _,
        }
    };
    ($range:expr, switch $($path:ident).+) => {
        $crate::params::Field {
            range: $crate::params::Range { integer: true, switch: true, ..$range },
            read: |t| Some(f64::from(u8::from(t.$($path).+))),
            write: |t, x| t.$($path).+ = x != 0.0,
        }
    };
    ($range:expr, maybe $($path:ident).+) => {
        $crate::params::Field { range: $range, read: |t| t.$($path).+, write: |t, x| t.$($path).+ = Some(x) }
    };
    ($range:expr, $choice:ident :: $variant:ident . $path:ident) => {
        $crate::params::Field {
            range: $range,
            read: |t| if let $choice::$variant { $path, .. } = t { Some(*$path) } else { None },
            write: |t, x| if let $choice::$variant { $path, .. } = t { *$path = x },
        }
    };
    ($range:expr, $($path:ident).+) => {
        $crate::params::Field { range: $range, read: |t| Some(t.$($path).+), write: |t, x| t.$($path).+ = x }
    };
}
pub(crate) use field;

/// The degrees that give exactly this angle, the shortest first: 22°, not 21.999999999999996°. About one angle in ten has none;
/// then the nearest.
pub fn degrees(radians: f64) -> f64 {
    let raw = radians.to_degrees();
    let tidy = (raw * 1e9).round() / 1e9;
    [tidy, raw, raw.next_up(), raw.next_down()].into_iter().find(|d| d.to_radians() == radians).unwrap_or(raw)
}
