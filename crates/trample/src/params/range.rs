//! Ranges: what a value may be, in which unit, and who says so. They feed the scene checker, the panels and the tests.

/// The allowed values of one field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The field as it is spelled in a scene file.
    pub field: &'static str,
    /// Its unit, `""` for a pure number.
    pub unit: &'static str,
    /// The smallest allowed value.
    pub min: f64,
    /// The largest allowed value.
    pub max: f64,
    /// What the field is, in a few words.
    pub what: &'static str,
}

impl Range {
    /// A range, written as one row of a table.
    pub const fn new(
        field: &'static str,
        unit: &'static str,
        min: f64,
        max: f64,
        what: &'static str,
    ) -> Self {
        Self { field, unit, min, max, what }
    }

    /// Whether `x` is allowed; NaN never is.
    pub fn contains(&self, x: f64) -> bool {
        x >= self.min && x <= self.max
    }

    /// The allowed values as a reader wants them: `0.0025 to 0.1 m`.
    pub fn allowed(&self) -> String {
        let gap = if self.unit.is_empty() { "" } else { " " };
        format!("{} to {}{gap}{}", self.min, self.max, self.unit)
    }
}
