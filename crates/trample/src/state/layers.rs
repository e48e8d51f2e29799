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

/// Copies the first `N` cells, if there are as many; what is left of both.
#[inline(always)]
fn piece<'a, T: Cell, const N: usize>(to: &'a mut [T], from: &'a [T]) -> (&'a mut [T], &'a [T]) {
    if to.len() < N || from.len() < N {
        return (to, from);
    }
    let ((first, to), (same, from)) = (to.split_at_mut(N), from.split_at(N));
    first.copy_from_slice(same);
    (to, from)
}

/// Copies the cells of one row of a tile, in pieces of known size: a call to copy memory would cost more than so few cells, and a loop
/// becomes such a call.
#[inline(always)]
fn lay<T: Cell>(to: &mut [T], from: &[T]) {
    assert!(to.len() == from.len() && to.len() <= TILE, "as many cells there as here, of one tile");
    let (to, from) = piece::<T, TILE>(to, from);
    let (to, from) = piece::<T, 4>(to, from);
    let (to, from) = piece::<T, 2>(to, from);
    piece::<T, 1>(to, from);
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

            /// Copies all layers of the cells `from` of one row of a tile into the cells `to`; untouched ones where there is no tile.
            pub(crate) fn copy<T: Store>(&mut self, to: Range<usize>, other: Option<&Layers<T>>, from: Range<usize>) {
                $({
                    let none = [<$cell>::default(); TILE];
                    let there = other.map_or(&none[..from.len()], |other| &other.$name.as_ref()[from.clone()]);
                    lay(&mut self.$name.as_mut()[to.clone()], there);
                })*
            }

            /// The same of what heaps and slides ask for: the surface, and where soles stand.
            pub(crate) fn copy_surface<T: Store>(&mut self, to: Range<usize>, other: Option<&Layers<T>>, from: Range<usize>) {
                $(if Role::$role != Role::State {
                    let none = [<$cell>::default(); TILE];
                    let there = other.map_or(&none[..from.len()], |other| &other.$name.as_ref()[from.clone()]);
                    lay(&mut self.$name.as_mut()[to.clone()], there);
                })*
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

impl<S: Store> Layers<S> {
    /// Whether anything lies loose on some of the cells.
    pub(crate) fn heaped(&self, cells: Range<usize>) -> bool {
        self.accumulation.as_ref()[cells].iter().any(|&a| a != 0)
    }

    /// Copies what lies loose on the cells `from` onto the cells `to`; whether the surface is another now.
    pub(crate) fn keep_heaps<T: Store>(
        &mut self,
        to: Range<usize>,
        other: &Layers<T>,
        from: Range<usize>,
    ) -> bool {
        let (to, from) = (&mut self.accumulation.as_mut()[to], &other.accumulation.as_ref()[from]);
        let changed = differ(to, from);
        lay(to, from);
        changed
    }
}

impl Default for Layers<InWindow> {
    fn default() -> Self {
        Self::fresh(0)
    }
}
