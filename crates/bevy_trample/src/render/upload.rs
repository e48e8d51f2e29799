//! Texels to the graphics card: rectangles written into textures that stay there.
//!
//! An image asset that changes is sent whole. So these are made once without content, and only what changed is written, in the
//! render world.

use bevy::asset::{AssetId, RenderAssetUsages};
use bevy::prelude::*;
use bevy::render::render_asset::RenderAssets;
use bevy::render::render_resource::{
    Extent3d, Origin3d, TexelCopyBufferLayout, TexelCopyTextureInfo, TextureAspect, TextureDimension,
    TextureFormat,
};
use bevy::render::renderer::RenderQueue;
use bevy::render::texture::GpuImage;
use bevy::render::{ExtractSchedule, MainWorld, Render, RenderApp, RenderSystems};

/// A rectangle of a texture.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) image: AssetId<Image>,
    pub(crate) corner: [u32; 2],
    pub(crate) size: [u32; 2],
    pub(crate) bytes: Vec<u8>,
}

/// What waits to be written: in the main world until it is extracted, in the render world until its texture is there.
#[derive(Resource, Default, Debug)]
pub(crate) struct Writes {
    pub(crate) waiting: Vec<Write>,
}

pub(crate) struct UploadPlugin;

impl Plugin for UploadPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Writes>();
        if let Some(render) = app.get_sub_app_mut(RenderApp) {
            render.init_resource::<Writes>().add_systems(ExtractSchedule, extract);
            let write = write.after(RenderSystems::PrepareAssets).before(RenderSystems::Render);
            render.add_systems(Render, write);
        }
    }
}

fn extract(mut main: ResMut<MainWorld>, mut writes: ResMut<Writes>) {
    if let Some(mut main) = main.get_resource_mut::<Writes>() {
        writes.waiting.append(&mut main.waiting);
    }
}

fn write(mut writes: ResMut<Writes>, images: Res<RenderAssets<GpuImage>>, queue: Res<RenderQueue>) {
    writes.waiting.retain(|write| {
        let Some(image) = images.get(write.image) else { return true };
        let [width, height] = write.size;
        queue.write_texture(
            TexelCopyTextureInfo {
                texture: &image.texture,
                mip_level: 0,
                origin: Origin3d { x: write.corner[0], y: write.corner[1], z: 0 },
                aspect: TextureAspect::All,
            },
            &write.bytes,
            TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(write.bytes.len() as u32 / height.max(1)),
                rows_per_image: None,
            },
            Extent3d { width, height, depth_or_array_layers: 1 },
        );
        false
    });
}

/// A texture with nothing in it yet.
pub(crate) fn texture(
    images: &mut Assets<Image>,
    [width, height]: [u32; 2],
    format: TextureFormat,
) -> Handle<Image> {
    let size = Extent3d { width, height, depth_or_array_layers: 1 };
    images.add(Image::new_uninit(size, TextureDimension::D2, format, RenderAssetUsages::RENDER_WORLD))
}
