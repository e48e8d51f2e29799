//! The picture of the world: an image at a resolution of its own, which the panel's camera spreads over the window.

use super::Play;
use crate::options::picture_size;
use bevy::asset::RenderAssetUsages;
use bevy::camera::{ClearColorConfig, RenderTarget};
use bevy::image::ImageSampler;
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat, TextureUsages};
use bevy::window::PrimaryWindow;
use bevy_egui::{EguiGlobalSettings, EguiTextureHandle, EguiUserTextures, PrimaryEguiContext, egui};

pub(super) struct CanvasPlugin;

impl Plugin for CanvasPlugin {
    fn build(&self, app: &mut App) {
        let image = app.world_mut().resource_mut::<Assets<Image>>().add(picture([16, 16]));
        app.world_mut().resource_mut::<EguiGlobalSettings>().auto_create_primary_context = false;
        let texture = app
            .world_mut()
            .resource_mut::<EguiUserTextures>()
            .add_image(EguiTextureHandle::Strong(image.clone()));
        app.insert_resource(Canvas { image, texture, size: [16, 16] });
        app.add_systems(Startup, spawn).add_systems(PreUpdate, fit);
    }
}

/// The image that the world is drawn to.
#[derive(Resource)]
pub(super) struct Canvas {
    image: Handle<Image>,
    texture: egui::TextureId,
    /// Its size, pixels.
    pub(super) size: [u32; 2],
}

impl Canvas {
    /// Where the camera of the world draws to.
    pub(super) fn target(&self) -> RenderTarget {
        RenderTarget::Image(self.image.clone().into())
    }

    /// Spreads the picture over the window, behind everything else.
    pub(super) fn paint(&self, ctx: &egui::Context) {
        let whole = egui::Rect::from_min_max(egui::Pos2::ZERO, egui::pos2(1.0, 1.0));
        let painter = ctx.layer_painter(egui::LayerId::background());
        painter.image(self.texture, ctx.viewport_rect(), whole, egui::Color32::WHITE);
    }
}

/// An image that can be drawn to and sampled.
pub(super) fn picture([width, height]: [u32; 2]) -> Image {
    let size = Extent3d { width, height, depth_or_array_layers: 1 };
    let format = TextureFormat::Rgba8UnormSrgb;
    let mut image = Image::new_uninit(size, TextureDimension::D2, format, RenderAssetUsages::RENDER_WORLD);
    image.texture_descriptor.usage |= TextureUsages::RENDER_ATTACHMENT;
    image.sampler = ImageSampler::linear();
    image
}

/// The camera that shows the picture and the panel.
fn spawn(mut commands: Commands) {
    let camera = Camera { order: 1, clear_color: ClearColorConfig::Custom(Color::BLACK), ..default() };
    commands.spawn((Camera2d, camera, Msaa::Off, PrimaryEguiContext));
}

/// Keeps the picture as large as window and resolution ask for.
fn fit(
    play: Res<Play>,
    windows: Query<&Window, With<PrimaryWindow>>,
    mut canvas: ResMut<Canvas>,
    mut images: ResMut<Assets<Image>>,
) {
    let Some(window) = windows.iter().next() else { return };
    let wanted = picture_size([window.physical_width(), window.physical_height()], play.resolution);
    if wanted == canvas.size {
        return;
    }
    // Put in whole: an image that is only in the graphics card cannot be resized.
    if images.insert(&canvas.image, picture(wanted)).is_ok() {
        canvas.size = wanted;
    }
}
