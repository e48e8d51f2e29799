//! The layers of the ground: the one list of what is known of each touched cell.
//!
//! A tile holds its layers in arrays, a window that stages work in holds them in vectors; both are [`Layers`]. From the list come
//! the copies between the two, snapshots, hashes, and whether a cell was touched. A new layer is one line here.

use super::tile::{TILE, TILE_CELLS};
use crate::persist::{Persist, Reader, Sink, SnapshotError};
use std::fmt::Debug;
use std::ops::Range;

/// What a layer can hold per cell. The default is the value of untouched ground.
pub trait Cell: Copy + Debug + Default + PartialEq {}
impl<T: Copy + Debug + Default + PartialEq> Cell for T {}

/// Where the cells of a layer are held.
pub trait Store: Clone + Debug + PartialEq {
    /// The cells of one layer, row-major along x.
    type Of<T: Cell>: Clone + Debug + PartialEq + AsRef<[T]> + AsMut<[T]>;
    /// A layer of `cells` untouched cells.
    fn fresh<T: Cell>(cells: usize) -> Self::Of<T>;
}

/// Arrays of the cells of one tile.
#[derive(Clone, Debug, PartialEq)]
pub struct InTile;

impl Store for InTile {
    type Of<T: Cell> = [T; TILE_CELLS];
    fn fresh<T: Cell>(_: usize) -> [T; TILE_CELLS] {
        [T::default(); TILE_CELLS]
    }
}

/// Vectors of the cells of a rectangle.
#[derive(Clone, Debug, PartialEq)]
pub struct InWindow;

impl Store for InWindow {
    type Of<T: Cell> = Vec<T>;
    fn fresh<T: Cell>(cells: usize) -> Vec<T> {
        vec![T::default(); cells]
    }
}

/// What becomes of a layer.
#[derive(PartialEq)]
enum Role {
    /// State that the surface consists of: hosts are told of the tiles in which it changes.
    Surface,
    /// State.
    State,
    /// Known during a step only, in no snapshot and no hash; a window does not write it back.
    Derived,
}

/// Copies cells of one row. Rows of a tile are short: calls to copy memory would cost more than the copying.
#[inline(always)]
fn lay<T: Cell>(to: &mut [T], from: &[T]) {
    assert_eq!(to.len(), from.len(), "as many cells there as here");
    let (whole, rest) = from.as_chunks::<TILE>();
    let (to_whole, to_rest) = to.as_chunks_mut::<TILE>();
    to_whole.iter_mut().zip(whole).for_each(|(to, from)| *to = *from);
    let (fours, rest) = rest.as_chunks::<4>();
    let (to_fours, to_rest) = to_rest.as_chunks_mut::<4>();
    to_fours.iter_mut().zip(fours).for_each(|(to, from)| *to = *from);
    let (twos, rest) = rest.as_chunks::<2>();
    let (to_twos, to_rest) = to_rest.as_chunks_mut::<2>();
    to_twos.iter_mut().zip(twos).for_each(|(to, from)| *to = *from);
    if let ([to], [from]) = (to_rest, rest) {
        *to = *from;
    }
}

/// Whether any of some cells are not the same.
#[inline(always)]
fn differ<T: Cell>(a: &[T], b: &[T]) -> bool {
    a.iter().zip(b).fold(false, |any, (a, b)| any | (a != b))
}

macro_rules! layers {
    ($($(#[$about:meta])* $role:ident $name:ident: $cell:ty,)*) => {
        /// Everything known of some cells, one list per layer.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Layers<S: Store> {
            $($(#[$about])* pub $name: S::Of<$cell>,)*
        }

        impl<S: Store> Layers<S> {
            /// Untouched cells.
            pub(crate) fn fresh(cells: usize) -> Self {
                Self { $($name: S::fresh(cells),)* }
            }

            /// Whether anything has been done to some of the cells.
            pub(crate) fn touched(&self, cells: Range<usize>) -> bool {
                $((Role::$role != Role::Derived
                    && self.$name.as_ref()[cells.clone()].iter().any(|&x| x != <$cell>::default())))||*
            }

            /// Makes cells untouched.
            pub(crate) fn clear(&mut self, cells: Range<usize>) {
                $(self.$name.as_mut()[cells.clone()].fill(<$cell>::default());)*
            }

            /// Copies all layers of the cells `from` into the cells `to`.
            pub(crate) fn copy<T: Store>(&mut self, to: Range<usize>, other: &Layers<T>, from: Range<usize>) {
                $(lay(&mut self.$name.as_mut()[to.clone()], &other.$name.as_ref()[from.clone()]);)*
            }

            /// Copies the state of the cells `from` into the cells `to`; whether the surface is another now.
            pub(crate) fn keep<T: Store>(&mut self, to: Range<usize>, other: &Layers<T>, from: Range<usize>) -> bool {
                let mut changed = false;
                $(if Role::$role != Role::Derived {
                    let (to, from) = (&mut self.$name.as_mut()[to.clone()], &other.$name.as_ref()[from.clone()]);
                    changed |= Role::$role == Role::Surface && differ(to, from);
                    lay(to, from);
                })*
                changed
            }
        }

        impl Persist for Layers<InTile> {
            fn write(&self, to: &mut impl Sink) {
                $(if Role::$role != Role::Derived {
                    to.field(concat!("Layers.", stringify!($name)));
                    self.$name.write(to);
                })*
            }

            fn read(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
                $(if Role::$role != Role::Derived {
                    self.$name.read(from)?;
                })*
                Ok(())
            }
        }

        impl Layers<InWindow> {
            /// Makes room for so many cells; their values are to be set.
            pub(crate) fn resize(&mut self, cells: usize) {
                $(self.$name.resize(cells, <$cell>::default());)*
            }
        }
    };
}

layers! {
    /// Plastic compression (`c_acc` DF-11, `h_c` TR-17), nm.
    Surface compression: i32,
    /// Loose material on top (`h_a` TR-17), nm.
    Surface accumulation: i32,
    /// ∫σ dt (TR-17), Pa·s.
    State pressure_time: f32,
    /// Share of the cell that soles have covered while they pressed, in 1/255: under the natural law of all together, else the largest.
    State pressed: u8,
    /// Which sixteenths of it, under the natural law.
    State part: u16,
    /// Footfalls, each counted with the share of the cell that it covered.
    State passes: f32,
    /// Share of the cell that the sole standing on it has covered so far, in 1/255.
    State trodden: u8,
    /// Whether a sole stands on the cell now; loose material cannot slide in there.
    Derived occupied: bool,
}

impl Default for Layers<InWindow> {
    fn default() -> Self {
        Self::fresh(0)
    }
}
