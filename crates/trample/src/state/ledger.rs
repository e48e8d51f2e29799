//! The ledger of volumes.

use crate::persist::state;

/// Running totals in stored units: nanometres over one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Ledger {
    pub(crate) carved: i128,
    pub(crate) owed: f64,
    pub(crate) loose: i128,
    pub(crate) deposited: i128,
    /// Ground that a sliding sole has swept aside instead of packing it.
    pub(crate) swept: f64,
}

state! { Ledger { carved, owed, loose, deposited, swept } }
