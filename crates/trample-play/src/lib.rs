//! # trample-play
//!
//! The interactive simulator: walk, tune and watch what feet leave, in a window. It owns no simulation: it turns
//! what a person does into [`action::Action`]s on a [`trample::World`], and shows the world.
//!
//! Everything that needs no window is plain code with its own tests: the [`table`] of parameters, the [`session`] with its
//! [`tape`] and its [`undo`], [`meters`], [`waypoints`], [`camera`]s, [`thumbs`] on a touch screen, colours and [`legend`]s, [`link`]s, [`dropped`] files, and
//! the [`status`] object that tests read. The window is in `app`, behind the feature of that name.

pub mod action;
pub mod camera;
pub mod choice;
pub mod dropped;
pub mod export;
pub mod inbox;
pub mod keys;
pub mod legend;
pub mod link;
pub mod meters;
pub mod options;
pub mod pack;
pub mod session;
pub mod start;
pub mod status;
pub mod table;
pub mod tape;
pub mod thumbs;
pub mod undo;
pub mod waypoints;

#[cfg(feature = "app")]
pub mod app;
#[cfg(all(feature = "app", not(target_arch = "wasm32")))]
pub mod command;
#[cfg(all(feature = "app", target_arch = "wasm32"))]
pub mod web;
