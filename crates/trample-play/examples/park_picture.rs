//! Takes the picture of the park for the ring of places: some weeks of its season from above.
//! `cargo run --release -p trample-play --no-default-features --example park_picture -- park.png 30`

use std::error::Error;
use trample_play::season::SeasonView;
use trample_play::start;

/// Pixels of the picture.
const SIZE: [usize; 2] = [256, 144];

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let (path, days) = (words.next().unwrap_or("park.png".into()), words.next().unwrap_or("30".into()));
    let mut source = start::find("park")?;
    source.settings = vec![format!("days={days}")];
    let mut view = SeasonView::new(&source.scene()?)?;
    while view.known() < view.length() {
        view.tick(1.0);
        if let Some(problem) = &view.problem {
            return Err(problem.clone().into());
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    view.at = view.length() as f64;
    // The middle of the map at the picture's proportions, each pixel the mean of those it covers.
    let ([width, height], map) = (view.size(), view.map());
    let tall = (width * SIZE[1] / SIZE[0]).min(height);
    let top = (height - tall) / 2;
    let mut rgb = Vec::with_capacity(3 * SIZE[0] * SIZE[1]);
    for y in 0..SIZE[1] {
        for x in 0..SIZE[0] {
            let span = |i: usize, n: usize, of: usize| i * of / n..((i + 1) * of / n).max(i * of / n + 1);
            let (mut sum, mut n) = ([0u32; 3], 0);
            for j in span(y, SIZE[1], tall) {
                for i in span(x, SIZE[0], width) {
                    let at = 3 * ((top + j) * width + i);
                    (0..3).for_each(|k| sum[k] += u32::from(map[at + k]));
                    n += 1;
                }
            }
            rgb.extend(sum.map(|s| (s / n) as u8));
        }
    }
    let mut encoder = png::Encoder::new(std::fs::File::create(&path)?, SIZE[0] as u32, SIZE[1] as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&rgb)?;
    println!("{path}");
    Ok(())
}
