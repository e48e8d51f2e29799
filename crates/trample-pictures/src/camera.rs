//! The camera of the preview, and the little vector arithmetic it needs.

/// A camera at a fixed angle whose distance and shift frame a block.
#[derive(Debug)]
pub struct Camera {
    /// Where it stands.
    pub eye: [f32; 3],
    forward: [f32; 3],
    right: [f32; 3],
    up: [f32; 3],
    /// Pixels per unit of slope.
    pub focal: f32,
    /// The pixel the camera looks at.
    centre: [f32; 2],
}

impl Camera {
    /// Stands at `azimuth` (0 looks along -z) and looks down by `elevation`, both in radians, just far enough that
    /// all `corners` fit into a picture of `size` pixels with `margin` (left, top, right, bottom) around them.
    pub fn framing(
        corners: &[[f32; 3]],
        azimuth: f32,
        elevation: f32,
        size: [f32; 2],
        margin: [f32; 4],
    ) -> Self {
        let (sin, cos) = (libm::sinf(azimuth), libm::cosf(azimuth));
        let (down, level) = (libm::sinf(elevation), libm::cosf(elevation));
        let back = [sin * level, down, cos * level];
        let right = [cos, 0.0, -sin];
        let up = [-sin * down, level, -cos * down];
        let middle: [f32; 3] =
            std::array::from_fn(|c| corners.iter().map(|p| p[c]).sum::<f32>() / corners.len().max(1) as f32);
        let reach = corners.iter().map(|p| length(sub(*p, middle))).fold(1e-6, f32::max);
        let room = [size[0] - margin[0] - margin[2], size[1] - margin[1] - margin[3]];
        let focal = 1.3 * size[0].max(size[1]);
        let (mut near, mut far) = (1.05 * reach, 400.0 * reach);
        let mut camera = Self { eye: middle, forward: back.map(|v| -v), right, up, focal, centre: [0.0; 2] };
        for _ in 0..40 {
            let distance = (near * far).sqrt();
            camera.eye = std::array::from_fn(|c| middle[c] + back[c] * distance);
            camera.centre = [0.0; 2];
            let [low, high] = camera.bounds(corners);
            let span = [high[0] - low[0], high[1] - low[1]];
            camera.centre = [
                margin[0] + (room[0] - span[0]) / 2.0 - low[0],
                margin[1] + (room[1] - span[1]) / 2.0 - low[1],
            ];
            if span[0] <= room[0] && span[1] <= room[1] { far = distance } else { near = distance }
        }
        camera
    }

    /// Where a point appears, in pixels.
    pub fn project(&self, p: [f32; 3]) -> [f32; 2] {
        let v = sub(p, self.eye);
        let depth = dot(v, self.forward).max(1e-6);
        [
            self.centre[0] + self.focal * dot(v, self.right) / depth,
            self.centre[1] - self.focal * dot(v, self.up) / depth,
        ]
    }

    /// How far a point is along the line of sight.
    pub fn depth(&self, p: [f32; 3]) -> f32 {
        dot(sub(p, self.eye), self.forward).max(1e-6)
    }

    /// The box around the images of some points.
    fn bounds(&self, points: &[[f32; 3]]) -> [[f32; 2]; 2] {
        let mut found = [[f32::INFINITY; 2], [f32::NEG_INFINITY; 2]];
        for p in points {
            let q = self.project(*p);
            for c in 0..2 {
                found[0][c] = found[0][c].min(q[c]);
                found[1][c] = found[1][c].max(q[c]);
            }
        }
        found
    }

    /// The direction through a pixel; its length is one along the line of sight, so ray parameters are depths.
    pub fn ray(&self, x: f32, y: f32) -> [f32; 3] {
        let (u, v) = ((x - self.centre[0]) / self.focal, (self.centre[1] - y) / self.focal);
        std::array::from_fn(|c| self.forward[c] + u * self.right[c] + v * self.up[c])
    }

    /// The level direction towards a side of the picture: `turn` 0 is away from the reader, positive to the left.
    pub fn heading(&self, turn: f32) -> [f32; 2] {
        let away = [-self.right[2], self.right[0]].map(|v| -v);
        let (sin, cos) = (libm::sinf(turn), libm::cosf(turn));
        [away[0] * cos - self.right[0] * sin, away[1] * cos - self.right[2] * sin]
    }
}

/// The vector from `b` to `a`.
pub(crate) fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The product of lengths and the cosine between two vectors.
pub(crate) fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn length(a: [f32; 3]) -> f32 {
    dot(a, a).sqrt()
}

/// The vector with length one.
pub(crate) fn unit(a: [f32; 3]) -> [f32; 3] {
    let inverse = 1.0 / length(a).max(1e-12);
    a.map(|v| v * inverse)
}

/// The place a ray reaches.
pub(crate) fn point(from: [f32; 3], along: [f32; 3], t: f32) -> [f32; 3] {
    std::array::from_fn(|c| from[c] + along[c] * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_fits_the_picture_and_fills_one_direction() {
        let corners: Vec<[f32; 3]> =
            (0..8).map(|i| [4.0 * (i & 1) as f32, -0.2 * (i >> 1 & 1) as f32, (i >> 2 & 1) as f32]).collect();
        let camera = Camera::framing(&corners, -0.4, 0.66, [800.0, 400.0], [20.0; 4]);
        let [low, high] = camera.bounds(&corners);
        assert!(low[0] >= 19.0 && low[1] >= 19.0 && high[0] <= 781.0 && high[1] <= 381.0);
        assert!(high[0] - low[0] > 740.0 || high[1] - low[1] > 340.0);
    }

    #[test]
    fn a_ray_through_an_image_meets_its_point() {
        let camera = Camera::framing(&[[0.0; 3], [1.0, 0.0, 1.0]], 0.3, 0.7, [300.0, 200.0], [10.0; 4]);
        let p = [0.3, 0.1, 0.8];
        let [x, y] = camera.project(p);
        let ray = camera.ray(x, y);
        let depth = dot(sub(p, camera.eye), camera.forward);
        assert!(length(sub(point(camera.eye, ray, depth), p)) < 1e-3);
    }
}
