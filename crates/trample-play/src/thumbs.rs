//! A touch screen: where the buttons for the right thumb are, and what the left thumb means. Lengths are logical pixels.

use crate::controls::{self, Order};

/// Radius of the stick under the left thumb: a push of that far is all of it.
pub const STICK: f32 = 60.0;
/// A push this many times as far runs.
const RUNS: f32 = 1.6;
/// A finger that moves less than this taps.
pub const TAP: f32 = 10.0;

/// The touch buttons of the table of controls: order, what is written on it, and its place in steps from the lower right corner.
pub fn buttons() -> impl Iterator<Item = (Order, &'static str, [u8; 2])> {
    controls::all().filter_map(|c| c.touch.map(|(label, place)| (c.order, label, place)))
}

/// Radius of the buttons in a window of this size.
pub fn radius(window: [f32; 2]) -> f32 {
    (0.07 * window[0].min(window[1])).clamp(18.0, 42.0)
}

/// Middle of the button at a place in a window of this size, from the window's upper left corner.
pub fn centre(place: [u8; 2], window: [f32; 2]) -> [f32; 2] {
    let r = radius(window);
    let [left, up] = place.map(f32::from);
    [window[0] - r * (1.5 + 2.4 * left), window[1] - r * (1.5 + 2.4 * up)]
}

/// What the button at a position of the window orders.
pub fn hit(at: [f32; 2], window: [f32; 2]) -> Option<Order> {
    let near = |place: [u8; 2]| {
        let [x, y] = centre(place, window);
        (at[0] - x) * (at[0] - x) + (at[1] - y) * (at[1] - y) <= radius(window) * radius(window)
    };
    buttons().find(|b| near(b.2)).map(|b| b.0)
}

/// What a thumb on the left half wants: to the right, ahead (both −1..1), and whether to run.
pub fn stick(start: [f32; 2], now: [f32; 2]) -> (f32, f32, bool) {
    let push = [(now[0] - start[0]) / STICK, (start[1] - now[1]) / STICK];
    let far = libm::hypotf(push[0], push[1]);
    (push[0].clamp(-1.0, 1.0), push[1].clamp(-1.0, 1.0), far > RUNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_button_is_on_the_screen_and_apart_from_the_others() {
        for window in [[360.0, 640.0], [667.0, 375.0], [1280.0, 720.0], [3840.0, 2160.0]] {
            assert_eq!(buttons().count(), 5);
            for (order, _, place) in buttons() {
                let at = centre(place, window);
                let r = radius(window);
                assert!(
                    (0..2).all(|k| at[k] >= r && at[k] <= window[k] - r),
                    "{order:?} in {window:?}: {at:?}"
                );
                assert_eq!(hit(at, window), Some(order));
                assert_eq!(
                    hit([at[0] + 1.2 * r, at[1]], window),
                    None,
                    "{order:?} is no larger than it looks"
                );
            }
            assert_eq!(
                hit([0.25 * window[0], 0.8 * window[1]], window),
                None,
                "the left half is the stick's"
            );
        }
    }

    #[test]
    fn a_thumb_pushes_as_far_as_it_goes_and_runs_beyond() {
        assert_eq!(stick([100.0, 300.0], [100.0, 240.0]), (0.0, 1.0, false));
        assert_eq!(stick([100.0, 300.0], [130.0, 300.0]), (0.5, 0.0, false));
        assert_eq!(stick([100.0, 300.0], [100.0, 100.0]), (0.0, 1.0, true));
    }
}
