//! Pictures with few colours: a third of the size of full ones, for pages that hold many.

use super::Image;

/// Bits kept of each channel while colours are counted.
const BITS: u32 = 5;
const SIDE: usize = 1 << BITS;

/// Colours that fall together: how many pixels, and the sum of each channel.
#[derive(Clone, Copy, Default)]
struct Bin {
    count: u64,
    sum: [u64; 3],
}

/// Bins that become one colour.
struct Group {
    bins: Vec<usize>,
    /// Squared deviation of its most scattered channel, and which that is.
    scatter: (f64, usize),
}

fn place(rgb: &[u8]) -> usize {
    let at = |c: usize| (rgb[c] >> (8 - BITS)) as usize;
    (at(0) * SIDE + at(1)) * SIDE + at(2)
}

/// How much a bin counts: less than its pixels, or thin lines would lose their colours to wide skies.
fn weight(bin: &Bin) -> f64 {
    (bin.count as f64).sqrt()
}

/// Mean of a channel over some bins, by their weights.
fn mean(bins: &[usize], all: &[Bin], c: usize) -> f64 {
    let (sum, n) = bins.iter().fold((0.0, 0.0), |(s, n), &b| {
        let w = weight(&all[b]);
        (s + w * all[b].sum[c] as f64 / all[b].count as f64, n + w)
    });
    sum / n.max(1e-9)
}

fn group(bins: Vec<usize>, all: &[Bin]) -> Group {
    let mut scatter = (-1.0, 0);
    for c in 0..3 {
        let middle = mean(&bins, all, c);
        let off = |&b: &usize| {
            let d = all[b].sum[c] as f64 / all[b].count as f64 - middle;
            d * d * weight(&all[b])
        };
        let off: f64 = bins.iter().map(off).sum();
        if off > scatter.0 {
            scatter = (off, c);
        }
    }
    Group { bins, scatter }
}

/// At most `most` colours that stand for the picture's own: the group that scatters most is cut at its mean until there are
/// enough.
fn palette(image: &Image, most: usize) -> (Vec<[u8; 3]>, Vec<u8>) {
    let mut all = vec![Bin::default(); SIDE * SIDE * SIDE];
    for pixel in image.rgb.chunks_exact(3) {
        let bin = &mut all[place(pixel)];
        bin.count += 1;
        for c in 0..3 {
            bin.sum[c] += u64::from(pixel[c]);
        }
    }
    let used: Vec<usize> = (0..all.len()).filter(|&b| all[b].count > 0).collect();
    let mut groups = vec![group(used, &all)];
    while groups.len() < most {
        let Some((worst, _)) = groups
            .iter()
            .enumerate()
            .filter(|(_, g)| g.bins.len() > 1 && g.scatter.0 > 0.0)
            .max_by(|a, b| a.1.scatter.0.total_cmp(&b.1.scatter.0).then(b.0.cmp(&a.0)))
        else {
            break;
        };
        let Group { bins, scatter: (_, c) } = groups.swap_remove(worst);
        let middle = mean(&bins, &all, c);
        let below = |b: &usize| all[*b].sum[c] as f64 / (all[*b].count as f64) <= middle;
        let (low, high): (Vec<usize>, Vec<usize>) = bins.into_iter().partition(below);
        for part in [low, high].into_iter().filter(|p| !p.is_empty()) {
            groups.push(group(part, &all));
        }
    }
    let mut colours = Vec::new();
    let mut index = vec![0u8; all.len()];
    for (i, g) in groups.iter().enumerate() {
        let n: u64 = g.bins.iter().map(|&b| all[b].count).sum();
        let mean = |c: usize| (g.bins.iter().map(|&b| all[b].sum[c]).sum::<u64>() + n / 2) / n.max(1);
        colours.push([mean(0) as u8, mean(1) as u8, mean(2) as u8]);
        for &b in &g.bins {
            index[b] = i as u8;
        }
    }
    (colours, index)
}

impl Image {
    /// The picture as a PNG of at most `most` colours, up to 256.
    pub fn to_palette_png(&self, most: usize) -> Vec<u8> {
        let (colours, index) = palette(self, most.clamp(2, 256));
        let pixels: Vec<u8> = self.rgb.chunks_exact(3).map(|pixel| index[place(pixel)]).collect();
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(colours.concat());
        encoder.set_compression(png::Compression::High);
        encoder.set_filter(png::Filter::NoFilter);
        let written = encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&pixels).and_then(|()| writer.finish()));
        // As in `to_png`: a caller who broke the size gets no bytes.
        if written.is_err() {
            bytes.clear();
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_of_few_colours_keeps_them_and_one_of_many_comes_close() {
        let mut few = Image::new(4, 4, [200, 30, 30]);
        few.rgb[0..3].copy_from_slice(&[10, 200, 90]);
        let (colours, index) = palette(&few, 256);
        assert_eq!(colours.len(), 2);
        assert_eq!(colours[index[place(&few.rgb[0..3])] as usize], [10, 200, 90]);
        let mut many = Image::new(64, 64, [0; 3]);
        for (i, pixel) in many.rgb.chunks_exact_mut(3).enumerate() {
            pixel.copy_from_slice(&[(i % 64 * 4) as u8, (i / 64 * 4) as u8, 128]);
        }
        let (colours, index) = palette(&many, 128);
        assert!(colours.len() <= 128);
        for pixel in many.rgb.chunks_exact(3) {
            let near = colours[index[place(pixel)] as usize];
            let off = (0..3).map(|c| pixel[c].abs_diff(near[c])).max().unwrap_or(0);
            assert!(off < 30, "{pixel:?} became {near:?}");
        }
        assert!(
            many.to_palette_png(64).len() < many.to_png().len() * 4 && !many.to_palette_png(64).is_empty()
        );
    }
}
