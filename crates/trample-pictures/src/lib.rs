//! # trample-pictures
//!
//! Pictures of a [`trample`] world, drawn without a graphics device: lit relief, coloured maps, plots, filmstrips of walkers, and
//! pages that hold them.
//!
//! All functions are pure, from numbers to bytes: the same input gives the same bytes on any number of threads,
//! because pixels are independent and mathematics uses `libm`. Fonts are embedded, so results do not depend on installed
//! software.
//!
//! Pictures from above are oriented like the maps: x to the right, z down the page, row 0 on top. y points at the reader, so the
//! view is right-handed and a left boot looks like a left boot.
//!
//! Pictures show a window of cells: [`drawn_window`] selects the touched part of a world and [`Field`] holds a map of that window.
//!
//! ```
//! use trample::{Map, World, scene::library};
//! use trample_pictures::{Field, MapStyle, drawn_window, map_picture};
//!
//! let scene = library::by_name("plate").expect("a library scene");
//! let mut world = World::new(&scene)?;
//! for _ in 0..scene.steps() {
//!     world.step(scene.dt());
//! }
//! let depth = Field::of(&world, Map::Compression, drawn_window(&world, [1.0, 1.0]));
//! let png = map_picture(&depth, &MapStyle::of(&world, Map::Compression), "A plate on soil").to_png();
//! assert!(png.starts_with(b"\x89PNG"));
//! # Ok::<(), trample::SceneError>(())
//! ```
//!
//! - [`preview`] and [`relief_block`]: the ground lit from the side, with its plants ([`Sward`]).
//! - [`map_picture`]: a map in colours, with scale and key; [`inset`] puts a key into an existing picture.
//! - [`plot_lines`], [`plot_profile`] and, for plots of your own, [`Sheet`].
//! - [`filmstrip`]: a walker ([`Looks`]) at several moments over the ground it presses.
//! - [`page()`]: pictures, numbers and tables in one HTML file.

mod body;
mod camera;
mod canvas;
mod field;
mod filmstrip;
mod grain;
mod ground;
mod image;
mod key;
mod light;
mod map;
mod overview;
mod page;
mod palette;
mod pen;
mod plan;
mod plot;
mod relief;
mod sheet;
mod strokes;
mod sward;
mod text;
mod view;
mod walker;
mod window;

pub use field::Field;
pub use filmstrip::{Bone, Film, Frame, Looks, filmstrip, tinted};
pub use image::{Image, PictureError};
pub use key::inset;
pub use map::{MapStyle, map_picture};
pub use overview::overview;
pub use page::{cards, drawing, figure, page, table};
pub use pen::hex;
pub use plot::{Chart, LINE_COLOURS, Series, plot_lines, plot_lines_within, plot_profile};
pub use relief::{MaterialLook, preview, relief_block};
pub use sheet::{Key, Layer, Sheet};
pub use sward::Sward;
pub use text::{Anchor, Style, fitted_text, text_width, wrapped_text};
pub use walker::{ground_along, ground_around};
pub use window::{drawn_window, touched_window};
