//! The ring of places with their pictures, and what to try.

use crate::app::Play;
use crate::places::{PLACES, Place, TRIES};
use bevy_egui::egui;
use bevy_trample::Trample;

/// A picture of each place in the order of the ring, taken by the simulator itself: `.ci/places` takes them anew.
const PICTURES: [&[u8]; PLACES.len()] = [
    include_bytes!("../../../assets/places/snow-field.png"),
    include_bytes!("../../../assets/places/shore.png"),
    include_bytes!("../../../assets/places/meadow.png"),
    include_bytes!("../../../assets/places/mud-flat.png"),
    include_bytes!("../../../assets/places/hill.png"),
    include_bytes!("../../../assets/places/park.png"),
];

/// A picture from its PNG of three bytes a pixel; an empty one if it is none.
fn read(bytes: &[u8]) -> egui::ColorImage {
    let decode = || -> Option<egui::ColorImage> {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().ok()?;
        let mut rgb = vec![0; reader.output_buffer_size()?];
        let info = reader.next_frame(&mut rgb).ok()?;
        let whole = info.color_type == png::ColorType::Rgb && info.bit_depth == png::BitDepth::Eight;
        let size = [info.width as usize, info.height as usize];
        whole.then(|| egui::ColorImage::from_rgb(size, &rgb[..info.buffer_size()]))
    };
    decode().unwrap_or_else(|| egui::ColorImage::filled([1, 1], egui::Color32::DARK_GRAY))
}

/// Shows the ring; a click goes there.
pub(super) fn show(
    ctx: &egui::Context,
    play: &mut Play,
    trample: &mut Trample,
    pictures: &mut Vec<egui::TextureHandle>,
) {
    if pictures.is_empty() {
        let load = |(place, bytes): (&Place, &&[u8])| {
            ctx.load_texture(place.scene, read(bytes), egui::TextureOptions::LINEAR)
        };
        *pictures = PLACES.iter().zip(&PICTURES).map(load).collect();
    }
    let room = ctx.content_rect().size();
    // Two or three beside each other, as large as the window allows.
    let columns = if room.x > 620.0 { 3 } else { 2 };
    let rows = PLACES.len().div_ceil(columns) as f32;
    let wide =
        ((room.x - 60.0) / columns as f32 - 12.0).min((room.y - 190.0) / rows * 1.5).clamp(90.0, 250.0);
    let mut open = true;
    let mut chosen: Option<Place> = None;
    egui::Window::new("Where to?")
        .open(&mut open)
        .anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0])
        .resizable(false)
        .collapsible(false)
        .show(ctx, |ui| {
            egui::ScrollArea::vertical().max_height(room.y - 90.0).show(ui, |ui| {
                egui::Grid::new("places").num_columns(columns).spacing([10.0, 8.0]).show(ui, |ui| {
                    for (i, (place, picture)) in PLACES.iter().zip(pictures.iter()).enumerate() {
                        if card(ui, place, picture, wide) {
                            chosen = Some(*place);
                        }
                        if (i + 1).is_multiple_of(columns) {
                            ui.end_row();
                        }
                    }
                });
                ui.separator();
                ui.set_max_width((wide + 10.0) * columns as f32);
                ui.strong("What to try");
                ui.horizontal_wrapped(|ui| {
                    for place in &TRIES {
                        if ui.button(place.title).on_hover_text(place.about).clicked() {
                            chosen = Some(*place);
                        }
                    }
                });
            });
        });
    play.places = open;
    if let Some(place) = chosen {
        play.visit(trample, &place);
    }
}

/// One place: its picture, its name and what there is to see; whether it was clicked.
fn card(ui: &mut egui::Ui, place: &Place, picture: &egui::TextureHandle, wide: f32) -> bool {
    ui.vertical(|ui| {
        ui.set_width(wide);
        let size = egui::vec2(wide, wide * 9.0 / 16.0);
        let image = egui::Image::new((picture.id(), size)).corner_radius(4);
        let clicked = ui.add(egui::Button::image(image).frame(false)).clicked();
        ui.strong(place.title);
        ui.label(egui::RichText::new(place.about).size(11.0));
        clicked
    })
    .inner
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_a_picture_of_the_same_shape() {
        for (place, bytes) in PLACES.iter().zip(PICTURES) {
            let picture = read(bytes);
            let [wide, tall] = picture.size;
            assert!(wide >= 160 && wide * 9 == tall * 16, "{}: {wide} x {tall}", place.title);
            assert!(bytes.len() < 65_536, "{}: {} bytes are part of the page", place.title, bytes.len());
        }
    }
}
