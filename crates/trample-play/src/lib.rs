//! # trample-play
//!
//! The interactive simulator: walk, tune and watch what feet leave, in a window. It owns no simulation: it turns
//! what a person does into [`action::Action`]s on a [`trample::World`], and shows the world.
//!
//! Everything that needs no window is plain code with its own tests: the table of every [`parameter`], the [`session`] with its
//! [`tape`] and its [`undo`], [`places`] to jump to, [`words`] for people, [`meters`], [`waypoints`], [`camera`]s, [`thumbs`] on a touch screen, [`link`]s, [`dropped`] files, and
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
