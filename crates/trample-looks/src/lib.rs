//! # trample-looks
//!
//! How walkers, plants and maps of [`trample`] look, for everything that shows them: pictures drawn without a graphics device,
//! the plugin for Bevy, the simulator and exported files. Numbers and meshes only; nothing here draws or reads files, and nothing
//! here changes a result.
//!
//! - [`Skin`]: a walker as a closed mesh whose underside is the sole that presses, moved by the joints of its skeleton.
//! - [`Person`]: sex, age, hair and clothes of a walker, by lot: no two alike.
//! - [`Figure`] and [`Form`]: the sizes and the kind of a species, for meshes made on a graphics card.
//! - [`Foliage`]: the stems of a species as tapered strokes, for pictures and for files.
//! - [`colour`]: sRGB and linear light, and the colours that mean the same everywhere, such as [`colour::WORN`].
//! - [`Colours`]: the [`Ramp`](trample::Ramp) of a map as colours of even perceived steps.
//! - [`tick`]: round numbers for axes, scale bars and colour bars, with their labels.
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
