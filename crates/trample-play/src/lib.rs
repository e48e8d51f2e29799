//! # trample-play
//!
//! The interactive simulator in a window. It contains no simulation code: it turns user input into
//! [`action::Action`]s on a [`trample::World`] and displays the world.
//!
//! Code that needs no window has its own tests: the [`parameter`] table, the [`session`] with its [`tape`] and [`undo`], [`places`] to go to,
//! everyday [`words`] for parameters, [`meters`], [`waypoints`], [`camera`]s, touch input ([`thumbs`]), [`link`]s, [`dropped`] files, and
//! the [`status`] object that tests read. The window is in `app`, behind the feature of that name.

pub mod action;
pub mod camera;
pub mod controls;
pub mod dropped;
pub mod export;
pub mod inbox;
pub mod link;
pub mod lists;
pub mod meters;
pub mod options;
pub mod parameter;
pub mod places;
pub mod season;
pub mod session;
pub mod sound;
pub mod start;
pub mod status;
pub mod steering;
pub mod tape;
pub mod thumbs;
pub mod undo;
pub mod waypoints;
pub mod words;

#[cfg(feature = "app")]
pub mod app;
#[cfg(all(feature = "app", not(target_arch = "wasm32")))]
pub mod command;
#[cfg(all(feature = "app", target_arch = "wasm32"))]
pub mod web;
