//! C interface of trample, for C and every language that calls C. `include/trample.h` is generated from this file and `types.rs`;
//! `examples/walk.c` shows how to use it.
//!
//! Create a world from a scene in TOML or from the library, set the poses of feet, step the world, and query what changed. Lengths are in
//! metres, x to the right, y up, z towards the viewer; times in seconds, forces in newtons. Use a world from one thread at a time; different
//! worlds may be used from different threads. No function unwinds into its caller: a panic is reported as an error, and the world in which
//! it happened can then only be freed.

mod types;

pub use types::{
    TRAMPLE_BY_FORCE, TRAMPLE_BY_POSITION, TRAMPLE_BY_WEIGHT, TRAMPLE_BY_WEIGHT_OR_FORCE, TRAMPLE_FOOT_DOWN,
    TRAMPLE_FOOT_UP, TRAMPLE_QUARANTINED, TRAMPLE_TILE, TrampleContact, TrampleEvent, TrampleFoot,
    TramplePuppet, TrampleSole, TrampleTile,
};

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;
use trample_host::trample::scene::library;
use trample_host::trample::{CellRect, Hold, Map, PuppetSpec, TILE};
use trample_host::{Session, Told, footwear, spec};

/// A world. Opaque: made by `trample_from_toml` or `trample_from_library`, freed by `trample_free`.
pub struct TrampleWorld {
    session: Session,
    /// A call has panicked half-way.
    broken: bool,
}

thread_local! {
    static PROBLEM: RefCell<CString> = RefCell::default();
}

/// Notes what went wrong, for `trample_last_error`.
fn refuse<T>(problem: &str, answer: T) -> T {
    let text = CString::new(problem.replace('\0', " ")).unwrap_or_default();
    PROBLEM.with(|p| *p.borrow_mut() = text);
    answer
}

/// Runs what C must not see panic; `otherwise` is answered when it fails.
fn guarded<T>(otherwise: T, work: impl FnOnce() -> Result<T, String>) -> T {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(answer)) => answer,
        Ok(Err(problem)) => refuse(&problem, otherwise),
        Err(_) => refuse("a panic inside trample; this is a bug", otherwise),
    }
}

/// Looks at a world.
///
/// # Safety
/// `world` must be null or come from one of the functions that make worlds, not be freed, and not be in use by another thread.
unsafe fn look<T>(
    world: *const TrampleWorld,
    otherwise: T,
    work: impl FnOnce(&Session) -> Result<T, String>,
) -> T {
    // SAFETY: null, or a world as the caller promises.
    match unsafe { world.as_ref() } {
        None => refuse("the world is NULL", otherwise),
        Some(world) if world.broken => refuse("an earlier call panicked in this world", otherwise),
        Some(world) => guarded(otherwise, || work(&world.session)),
    }
}

/// Changes a world.
///
/// # Safety
/// As for `look`.
unsafe fn change<T>(
    world: *mut TrampleWorld,
    otherwise: T,
    work: impl FnOnce(&mut Session) -> Result<T, String>,
) -> T {
    // SAFETY: null, or a world as the caller promises.
    match unsafe { world.as_mut() } {
        None => refuse("the world is NULL", otherwise),
        Some(world) if world.broken => refuse("an earlier call panicked in this world", otherwise),
        Some(world) => {
            world.broken = true;
            guarded(otherwise, || {
                let done = work(&mut world.session);
                world.broken = false;
                done
            })
        }
    }
}

/// A text of C's.
///
/// # Safety
/// `text` must be null or end in a zero byte, and live as long as what is returned.
unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<&'a str, String> {
    if text.is_null() {
        return Err(format!("{what} is NULL"));
    }
    // SAFETY: not null, and the caller promises that it ends in a zero byte.
    unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| format!("{what} is not UTF-8"))
}

/// Writes what is there into C's array, at most `capacity`; how many were written.
///
/// # Safety
/// `out` must be null or have room for `capacity` of them.
unsafe fn fill<T>(out: *mut T, capacity: usize, mut next: impl FnMut() -> Option<T>) -> usize {
    if out.is_null() {
        return 0;
    }
    let mut written = 0;
    while written < capacity
        && let Some(one) = next()
    {
        // SAFETY: below the capacity that the caller promises.
        unsafe { out.add(written).write(one) };
        written += 1;
    }
    written
}

/// The version of the library, such as "0.1.0". It is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn trample_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The message of the last failed call of this thread; empty if none has failed. Never NULL; it is valid until the next call of this
/// thread fails, and is not freed.
#[unsafe(no_mangle)]
pub extern "C" fn trample_last_error() -> *const c_char {
    PROBLEM.with(|p| p.borrow().as_ptr())
}

/// The names of the library's scenes, one per line. It is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn trample_library_scenes() -> *const c_char {
    static NAMES: OnceLock<CString> = OnceLock::new();
    let names = || library::ENTRIES.iter().map(|e| e.name).collect::<Vec<_>>().join("\n");
    NAMES.get_or_init(|| CString::new(names()).unwrap_or_default()).as_ptr()
}

/// The names of the maps that `trample_map` reads, one per line. It is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn trample_map_names() -> *const c_char {
    static NAMES: OnceLock<CString> = OnceLock::new();
    let names = || Map::ALL.map(Map::name).join("\n");
    NAMES.get_or_init(|| CString::new(names()).unwrap_or_default()).as_ptr()
}

/// Creates a world from a scene in TOML. Relative file names refer to `folder`; NULL is the current folder. Returns NULL if `toml` is NULL or
/// not UTF-8 or the scene is invalid; `trample_last_error` then gives the line, the field and the allowed values.
///
/// # Safety
/// `toml` and `folder` must each be NULL or end in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_from_toml(toml: *const c_char, folder: *const c_char) -> *mut TrampleWorld {
    guarded(ptr::null_mut(), || {
        // SAFETY: the caller's promise.
        let toml = unsafe { text(toml, "the scene") }?;
        // SAFETY: the caller's promise.
        let folder = if folder.is_null() { "" } else { unsafe { text(folder, "the folder") }? };
        Session::from_toml(toml, Path::new(folder)).map(boxed)
    })
}

/// Creates a world from a scene of the library. Returns NULL if `name` is NULL or not UTF-8 or there is no such scene; `trample_last_error` then
/// lists the scenes.
///
/// # Safety
/// `name` must be NULL or end in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_from_library(name: *const c_char) -> *mut TrampleWorld {
    // SAFETY: the caller's promise.
    guarded(ptr::null_mut(), || Session::from_library(unsafe { text(name, "the name") }?).map(boxed))
}

fn boxed(session: Session) -> *mut TrampleWorld {
    Box::into_raw(Box::new(TrampleWorld { session, broken: false }))
}

/// Frees a world. NULL is ignored.
///
/// # Safety
/// `world` must be NULL or come from `trample_from_toml` or `trample_from_library`, and must not be used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_free(world: *mut TrampleWorld) {
    if !world.is_null() {
        // SAFETY: it came from a box, and the caller gives it back.
        let world = unsafe { Box::from_raw(world) };
        guarded((), || {
            drop(world);
            Ok(())
        });
    }
}

/// Advances by `dt` seconds, at most 0.25; by the scene's own time step if `dt` is 0. Returns false without a step if `world` is NULL or `dt` is
/// negative, too large or NaN.
///
/// # Safety
/// `world` must be NULL or a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_step(world: *mut TrampleWorld, dt: f64) -> bool {
    // SAFETY: the caller's promise.
    unsafe { change(world, false, |s| s.step(dt).map(|()| true)) }
}

/// Lets loose material slide to rest without advancing time, as if all feet were lifted, as `trample run` does at its end. Returns false if
/// `world` is NULL.
///
/// # Safety
/// `world` must be NULL or a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_settle(world: *mut TrampleWorld) -> bool {
    let settle = |s: &mut Session| {
        s.settle();
        Ok(true)
    };
    // SAFETY: the caller's promise.
    unsafe { change(world, false, settle) }
}

/// Whether the scene is over: its duration has passed or, if it has none, all walkers have arrived. A world can be stepped further after
/// that. True if `world` is NULL, so that a loop ends.
///
/// # Safety
/// `world` must be NULL or a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_is_over(world: *const TrampleWorld) -> bool {
    // SAFETY: the caller's promise.
    unsafe { look(world, true, |s| Ok(s.is_over())) }
}

/// Time since the start, s. NaN if `world` is NULL.
///
/// # Safety
/// `world` must be NULL or a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_time(world: *const TrampleWorld) -> f64 {
    // SAFETY: the caller's promise.
    unsafe { look(world, f64::NAN, |s| Ok(s.world().time())) }
}

/// The scene's own time step, s. NaN if `world` is NULL.
///
/// # Safety
/// `world` must be NULL or a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_step_length(world: *const TrampleWorld) -> f64 {
    // SAFETY: the caller's promise.
    unsafe { look(world, f64::NAN, |s| Ok(s.world().scene().dt())) }
}

/// 64-bit hash of the whole state, the same on every machine after the same steps. 0 if `world` is NULL.
///
/// # Safety
/// `world` must be NULL or a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_hash(world: *const TrampleWorld) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { look(world, 0, |s| Ok(s.world().hash())) }
}

/// The side of a cell, m, and the number of columns (along x) and rows (along z) of cells. Each of `cell`, `columns` and `rows` may be
/// NULL. Returns false and writes nothing if `world` is NULL.
///
/// # Safety
/// `world` must be NULL or a world; the others must each be NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_size(
    world: *const TrampleWorld,
    cell: *mut f64,
    columns: *mut u32,
    rows: *mut u32,
) -> bool {
    let size = |s: &Session| {
        let ground = s.world().ground();
        let [x, z] = ground.size.map(|n| n as u32);
        // SAFETY: null, or writable as the caller promises.
        unsafe {
            fill(cell, 1, || Some(ground.cell));
            fill(columns, 1, || Some(x));
            fill(rows, 1, || Some(z));
        }
        Ok(true)
    };
    // SAFETY: the caller's promise.
    unsafe { look(world, false, size) }
}

/// Height of the surface at a point, m, interpolated between cells; beyond the terrain that of its edge. NaN if `world` is NULL or a
/// coordinate is NaN.
///
/// # Safety
/// `world` must be NULL or a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_height(world: *const TrampleWorld, x: f64, z: f64) -> f64 {
    let height = |s: &Session| match x.is_finite() && z.is_finite() {
        true => Ok(s.world().height(x, z)),
        false => Err("a coordinate is not a number".into()),
    };
    // SAFETY: the caller's promise.
    unsafe { look(world, f64::NAN, height) }
}

/// Reads a map, such as "height" or "delta", over a rectangle of cells, row by row from the smallest z. Returns false and writes nothing if
/// `world`, `map` or `out` is NULL, if there is no such map, if the rectangle is empty or reaches beyond the terrain, or if `capacity`, the
/// numbers that `out` has room for, is less than `columns` times `rows`.
///
/// # Safety
/// `world` must be NULL or a world, `map` NULL or end in a zero byte, and `out` NULL or have room for `capacity` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_map(
    world: *const TrampleWorld,
    map: *const c_char,
    x: i32,
    z: i32,
    columns: u32,
    rows: u32,
    out: *mut f32,
    capacity: usize,
) -> bool {
    let (width, height) = (columns as usize, rows as usize);
    let read = |s: &Session| {
        if out.is_null() {
            return Err("out is NULL".into());
        }
        if (capacity as u64) < u64::from(columns) * u64::from(rows) {
            return Err(format!("out has room for {capacity} numbers, {columns} × {rows} are wanted"));
        }
        // SAFETY: the caller's promise.
        let values = s.map(unsafe { text(map, "the map") }?, CellRect { x, z, width, height })?;
        // SAFETY: there are columns × rows of them, for which there is room.
        unsafe { ptr::copy_nonoverlapping(values.as_ptr(), out, values.len()) };
        Ok(true)
    };
    // SAFETY: the caller's promise.
    unsafe { look(world, false, read) }
}

/// Number of changed tiles that have not been taken yet. 0 if `world` is NULL.
///
/// # Safety
/// `world` must be NULL or a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_changed_count(world: *const TrampleWorld) -> usize {
    // SAFETY: the caller's promise.
    unsafe { look(world, 0, |s| Ok(s.changed())) }
}

/// Takes tiles whose surface has changed, at most `capacity`; the rest stays queued. Returns the number written: 0 if `world` or `out` is NULL.
///
/// # Safety
/// `world` must be NULL or a world, and `out` NULL or have room for `capacity` tiles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_take_changed(
    world: *mut TrampleWorld,
    out: *mut TrampleTile,
    capacity: usize,
) -> usize {
    let take = |s: &mut Session| {
        let [columns, rows] = s.world().ground().size;
        // SAFETY: the caller's promise.
        Ok(unsafe { fill(out, capacity, || s.take_changed().map(|key| TrampleTile::of(key, columns, rows))) })
    };
    // SAFETY: the caller's promise.
    unsafe { change(world, 0, take) }
}

/// Number of events that have not been taken yet. 0 if `world` is NULL. At most 65,536 are kept; then the oldest are dropped.
///
/// # Safety
/// `world` must be NULL or a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_event_count(world: *const TrampleWorld) -> usize {
    // SAFETY: the caller's promise.
    unsafe { look(world, 0, |s| Ok(s.events())) }
}

/// Takes events, oldest first, at most `capacity`; the rest stays queued. Returns the number written: 0 if `world` or `out` is NULL.
///
/// # Safety
/// `world` must be NULL or a world, and `out` NULL or have room for `capacity` events.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_take_events(
    world: *mut TrampleWorld,
    out: *mut TrampleEvent,
    capacity: usize,
) -> usize {
    let take = |s: &mut Session| {
        let next = || {
            let event = s.take_event()?;
            Some(TrampleEvent::of(s, &event))
        };
        // SAFETY: the caller's promise.
        Ok(unsafe { fill(out, capacity, next) })
    };
    // SAFETY: the caller's promise.
    unsafe { change(world, 0, take) }
}

/// Number of feet that were on the ground during the last step. 0 if `world` is NULL.
///
/// # Safety
/// `world` must be NULL or a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_contact_count(world: *const TrampleWorld) -> usize {
    // SAFETY: the caller's promise.
    unsafe { look(world, 0, |s| Ok(s.world().report().contacts.len())) }
}

/// Reads the feet that were on the ground during the last step, at most `capacity`. Returns the number written: 0 if `world` or `out` is NULL.
///
/// # Safety
/// `world` must be NULL or a world, and `out` NULL or have room for `capacity` contacts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_contacts(
    world: *const TrampleWorld,
    out: *mut TrampleContact,
    capacity: usize,
) -> usize {
    let read = |s: &Session| {
        let mut all = s.world().report().contacts.iter();
        // SAFETY: the caller's promise.
        Ok(unsafe { fill(out, capacity, || all.next().map(|contact| TrampleContact::of(s, contact))) })
    };
    // SAFETY: the caller's promise.
    unsafe { look(world, 0, read) }
}

/// Writes the whole state as bytes if `capacity` is enough. Returns its size in bytes: call it with `out` NULL first. 0 if `world` is NULL.
///
/// # Safety
/// `world` must be NULL or a world, and `out` NULL or have room for `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_snapshot(
    world: *const TrampleWorld,
    out: *mut u8,
    capacity: usize,
) -> usize {
    let save = |s: &Session| {
        let bytes = s.world().snapshot();
        if !out.is_null() && bytes.len() <= capacity {
            // SAFETY: there is room, as the caller promises.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), out, bytes.len()) };
        }
        Ok(bytes.len())
    };
    // SAFETY: the caller's promise.
    unsafe { look(world, 0, save) }
}

/// Restores a state of the same scene. Queued events are cleared, and every tile touched in either state counts as changed. Returns false and
/// changes nothing if `world` or `bytes` is NULL or the bytes are not a state of this scene.
///
/// # Safety
/// `world` must be NULL or a world, and `bytes` NULL or have `count` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_restore(world: *mut TrampleWorld, bytes: *const u8, count: usize) -> bool {
    let restore = |s: &mut Session| {
        if bytes.is_null() {
            return Err("bytes is NULL".into());
        }
        // SAFETY: not null, and there are as many as the caller promises.
        s.restore(unsafe { std::slice::from_raw_parts(bytes, count) }).map(|()| true)
    };
    // SAFETY: the caller's promise.
    unsafe { change(world, false, restore) }
}

/// Number of puppets that you move: those of the scene with `motion = "host"`, in its order, then the added ones. 0 if `world` is NULL.
///
/// # Safety
/// `world` must be NULL or a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_hosts(world: *const TrampleWorld) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { look(world, 0, |s| Ok(s.hosts().len() as u32)) }
}

/// Number of feet of a puppet that you move. 0 if `world` is NULL or there is no such puppet.
///
/// # Safety
/// `world` must be NULL or a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_feet(world: *const TrampleWorld, host: u32) -> u32 {
    let feet = |s: &Session| match s.hosts().get(host as usize) {
        Some(of) => Ok(of.feet() as u32),
        None => Err(format!("host {host} of {}", s.hosts().len())),
    };
    // SAFETY: the caller's promise.
    unsafe { look(world, 0, feet) }
}

/// Adds a puppet that you move; returns its index among them. Returns −1 and changes nothing if `world` or `puppet` is NULL, or if it is not
/// valid: a mass out of range, an unknown footwear or control, more than eight feet by weight, position control if the terrain's law is not
/// `natural`.
///
/// # Safety
/// `world` must be NULL or a world, `puppet` NULL or a puppet whose `footwear` is NULL or ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_add_puppet(world: *mut TrampleWorld, puppet: *const TramplePuppet) -> i32 {
    let add = |s: &mut Session| {
        // SAFETY: null, or readable as the caller promises.
        let puppet = unsafe { puppet.as_ref() }.ok_or("the puppet is NULL")?;
        let sole = if puppet.footwear.is_null() {
            PuppetSpec::default().sole
        } else {
            // SAFETY: the caller's promise.
            let name = unsafe { text(puppet.footwear, "the footwear") }?;
            footwear(name).map_err(|e| e.to_string())?
        };
        let own = |x: f64| (x != 0.0).then_some(x);
        let hold = if puppet.pinned { Hold::Pinned } else { Hold::Free };
        let size = [own(puppet.foot_length), own(puppet.foot_width)];
        let spec = spec("host", puppet.feet as usize, own(puppet.mass), sole, size, hold);
        let number = s.join(spec, types::control(puppet.control)?).map_err(|e| e.to_string())?;
        Ok(number as i32)
    };
    // SAFETY: the caller's promise.
    unsafe { change(world, -1, add) }
}

/// Sets the control of a puppet of the scene before its first step: one of `TRAMPLE_BY_…`. Returns false and changes nothing if `world` is
/// NULL, there is no such puppet or control, it has stepped or was given forces, or the control is not possible for it.
///
/// # Safety
/// `world` must be NULL or a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_set_control(world: *mut TrampleWorld, host: u32, control: u32) -> bool {
    let set = |s: &mut Session| {
        s.set_control(host as usize, types::control(control)?).map(|()| true).map_err(|e| e.to_string())
    };
    // SAFETY: the caller's promise.
    unsafe { change(world, false, set) }
}

/// Sets the pose of a foot at the end of the next step and, unless `force` is NULL, its force on the ground: three numbers, N, down is
/// negative y. A puppet whose feet get forces before its first step is force-controlled, with 0 until set; a force stays until it is
/// changed. Returns false and changes nothing if `world` or `sole` is NULL, there is no such puppet or foot, a number is not finite, the rotation is
/// 0, or a force comes too late or is not expected.
///
/// # Safety
/// `world` must be NULL or a world, `sole` NULL or readable, `force` NULL or three numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_set_foot(
    world: *mut TrampleWorld,
    host: u32,
    foot: u32,
    sole: *const TrampleSole,
    force: *const f32,
) -> bool {
    let set = |s: &mut Session| {
        // SAFETY: null, or readable as the caller promises.
        let sole = unsafe { sole.as_ref() }.ok_or("the sole is NULL")?;
        let told = Told {
            position: sole.position,
            quaternion: sole.rotation,
            velocity: sole.velocity,
            spin: sole.spin,
            toe_bend: sole.toe_bend,
            // SAFETY: null, or three numbers as the caller promises; they need not be aligned more than a number is.
            force: unsafe { force.cast::<[f32; 3]>().as_ref() }.copied(),
        };
        s.tell(host as usize, foot as usize, &told).map(|()| true).map_err(|e| e.to_string())
    };
    // SAFETY: the caller's promise.
    unsafe { change(world, false, set) }
}

/// Sets the centre of mass of a puppet that you move: three numbers, m. It determines the weight share of the feet; until it is
/// set, it is in the middle between them. Returns false and changes nothing if `world` or `centre` is NULL, there is no such puppet, or a
/// number is not finite.
///
/// # Safety
/// `world` must be NULL or a world, `centre` NULL or three numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_set_centre(world: *mut TrampleWorld, host: u32, centre: *const f32) -> bool {
    let set = |s: &mut Session| {
        // SAFETY: null, or three numbers as the caller promises.
        let centre = unsafe { centre.cast::<[f32; 3]>().as_ref() }.ok_or("the centre is NULL")?;
        s.tell_centre(host as usize, *centre).map(|()| true).map_err(|e| e.to_string())
    };
    // SAFETY: the caller's promise.
    unsafe { change(world, false, set) }
}

/// Reads the state of a foot that you move after the last step. Returns false and writes nothing if `world` or `out` is NULL or there is no such foot.
///
/// # Safety
/// `world` must be NULL or a world, `out` NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trample_foot(
    world: *const TrampleWorld,
    host: u32,
    foot: u32,
    out: *mut TrampleFoot,
) -> bool {
    let read = |s: &Session| {
        let found = s.hosts().get(host as usize).and_then(|of| of.foot(s.world(), foot as usize));
        let found = found.ok_or_else(|| format!("host {host} has no foot {foot}"))?;
        // SAFETY: null, or writable as the caller promises.
        match unsafe { fill(out, 1, || Some(TrampleFoot::of(&found))) } {
            1 => Ok(true),
            _ => Err("out is NULL".into()),
        }
    };
    // SAFETY: the caller's promise.
    unsafe { look(world, false, read) }
}

const _: () = assert!(TRAMPLE_TILE as usize == TILE);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_and_its_world_refuses_what_comes_after() {
        // SAFETY: a name, then a world until it is freed.
        unsafe {
            let world = trample_from_library(c"plate".as_ptr());
            assert!(trample_step(world, 0.0));
            assert!(!change(world, false, |_| panic!("on purpose")));
            assert!(CStr::from_ptr(trample_last_error()).to_string_lossy().contains("panic"));
            assert!(!trample_step(world, 0.0) && trample_hash(world) == 0);
            assert!(CStr::from_ptr(trample_last_error()).to_string_lossy().contains("an earlier call"));
            trample_free(world);
        }
        assert_eq!(guarded(7, || panic!("on purpose")), 7);
    }
}
