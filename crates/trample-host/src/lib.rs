//! Common code of the interfaces to C, JavaScript and Python.
//!
//! A [`Session`] is a world owned by an engine; a [`Host`] is a puppet whose feet the engine moves, controlled by weight, force or position.
//!
//! ```
//! use trample_host::{Session, Told};
//!
//! let text = "[terrain]\nsize = [4, 2]\nmaterial = \"mud\"\n[[puppet]]\nmotion = \"host\"\nfeet = 1\nmass = 80\n";
//! let mut session = Session::from_toml(text, "".as_ref())?;
//! for step in 0..30 {
//!     // A pinned sole's y is its clearance above the ground.
//!     let clearance = (0.1 - 0.01 * step as f32).max(0.0);
//!     session.tell(0, 0, &Told { position: [2.0, clearance, 1.0], ..Told::default() })?;
//!     session.step(0.0)?;
//! }
//! assert!(session.world().height(2.0, 1.0) < -0.001, "a print");
//! assert!(session.changed() > 0 && session.events() > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod host;
mod session;

pub use host::{Control, FootState, Host, HostError, Told, footwear, hold, spec};
pub use session::{Session, Whose};
pub use trample;
pub use trample_files::memory;
