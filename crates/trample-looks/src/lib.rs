//! # trample-looks
//!
//! Appearance of walkers, plants and maps of [`trample`], shared by the CPU renderer, the Bevy plugin, the simulator and
//! exported files. This crate computes numbers and meshes only: it does not draw or read files, and it does not
//! affect the simulation.
//!
//! - [`Skin`]: a walker as a closed skinned mesh whose underside is the pressing sole.
//! - [`Person`]: sex, age, hair and clothes of a walker, chosen at random.
//! - [`Figure`] and [`Form`]: the dimensions and the kind of a species, for meshes made on a graphics card.
//! - [`Foliage`]: the stems of a species as tapered strokes, for pictures and files.
//! - [`colour`]: sRGB and linear light, and colours with a fixed meaning, such as [`colour::WORN`].
//! - [`Colours`]: the [`Ramp`](trample::Ramp) of a map as perceptually uniform colours.
//! - [`tick`]: round tick values for axes, scale bars and colour bars, with their labels.
//! - [`legend()`]: the title, the range and the ticks of a map.
//!
//! ```
//! use trample::{World, scene::library};
//! use trample_looks::{Skin, colour};
//!
//! let world = World::new(&library::by_name("walk-soil").expect("a library scene"))?;
//! let skin = Skin::of(&world, 0).expect("a walker");
//! let (walker, skeleton) = world.walker(0).expect("a walker");
//! let (mut points, mut normals) = (Vec::new(), Vec::new());
//! skin.pose(&skeleton.place(&walker.pose), &mut points, &mut normals);
//! assert_eq!(points.len(), skin.points.len());
//! // Colours are sRGB bytes; a renderer wants linear light.
//! let shirt: [f32; 3] = colour::linear(skin.groups[2].colour);
//! assert!(shirt.iter().all(|c| (0.0..=1.0).contains(c)));
//! # Ok::<(), trample::SceneError>(())
//! ```

pub mod colour;
mod foliage;
mod form;
mod legend;
mod person;
mod ramp;
mod skin;
pub mod tick;

pub use foliage::{Bead, Foliage, kept};
pub use form::{Figure, Form};
pub use legend::{Legend, legend, range};
pub use person::{Hair, Person};
pub use ramp::Colours;
pub use skin::{DENSITY, Group, Part, Skin};
