use std::time::Instant;
use trample::*;
fn main() {
    for e in &scene::library::ENTRIES {
        let s = e.scene();
        let mut w = World::new(&s).unwrap();
        let t = Instant::now();
        let (mut a, mut tt, mut p, mut sw, mut down) = (0.0, 0.0, 0.0, 0, 0);
        let mut stage = [0.0f64; 4];
        for _ in 0..s.steps() {
            let mut last = Instant::now();
            let r = w.step_observed(s.dt(), |st, _| { let n = Instant::now(); stage[st as usize] += (n - last).as_secs_f64(); last = n; });
            sw += r.sweeps;
            for c in &r.contacts { a += c.area * c.seconds; tt += c.seconds; p += c.pressure * c.seconds; down += 1; }
        }
        let el = t.elapsed().as_secs_f64();
        w.settle();
        let v = w.volume();
        println!("{:16} {:6} steps {:7.3}s {:8.0}x  depth {:6.2}mm bump {:6.2}mm area {:5.1}cm2 p {:5.1}kPa err {:.1e} sweeps/contact {:.2} us/contact {:.2} stages {:?} tiles {} cells {} B/cell {:.1} hash {:016x}", e.name, s.steps(), el, s.seconds()/el,
            w.map(Map::Compression).max()*1e3, w.map(Map::Accumulation).max()*1e3, a/tt*1e4, p/tt/1e3, v.relative_error, sw as f64/down as f64, el*1e6/down as f64, stage.map(|x| (x/down as f64*1e7).round()/10.0), w.ground().tiles.len(), w.touched_cells(), w.ground().tiles.bytes() as f64 / w.touched_cells() as f64, w.hash());
    }
}
