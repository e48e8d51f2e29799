//! Loops that the feature `parallel` shares out over the threads of the caller's rayon pool; without it they run one item after the
//! other. Items do not depend on each other, so both give the same bits.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Calls `f` for every item, at least `least` of them in a row on one thread.
pub(crate) fn each<T: Send>(items: &mut [T], least: usize, f: impl Fn(&mut T) + Sync + Send) {
    #[cfg(feature = "parallel")]
    items.par_iter_mut().with_min_len(least).for_each(f);
    #[cfg(not(feature = "parallel"))]
    let _ = (items.iter_mut().for_each(f), least);
}

/// The same on one thread if not `split`.
pub(crate) fn each_if<T: Send>(split: bool, items: &mut [T], least: usize, f: impl Fn(&mut T) + Sync + Send) {
    if split { each(items, least, f) } else { items.iter_mut().for_each(f) }
}

/// Calls `f` for every item with its number and its room, at least `least` of them in a row on one thread.
pub(crate) fn each_in<T: Send, R: Send>(
    items: &mut [T],
    rooms: &mut [R],
    least: usize,
    f: impl Fn(usize, &mut T, &mut R) + Sync + Send,
) {
    #[cfg(feature = "parallel")]
    items
        .par_iter_mut()
        .zip(rooms)
        .enumerate()
        .with_min_len(least)
        .for_each(|(i, (item, room))| f(i, item, room));
    #[cfg(not(feature = "parallel"))]
    let _ = (items.iter_mut().zip(rooms).enumerate().for_each(|(i, (item, room))| f(i, item, room)), least);
}
