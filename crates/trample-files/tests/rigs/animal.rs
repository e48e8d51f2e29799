//! An animal on four legs.

use std::fmt::Write;

/// A walking animal as BVH: a level back, four legs of two bones, a tail and a head. Its legs swing in the order of a walk,
/// hind left, fore left, hind right, fore right, each on the ground for 0.7 of the stride.
pub fn animal(unit: f64, names: bool, spine: usize) -> String {
    let leg = 0.62;
    let mut text = String::from("HIERARCHY\n");
    let name = |words: &str, i: usize| if names { words.to_string() } else { format!("b{i}") };
    let line = |text: &mut String, kind: &str, name: &str, at: [f64; 3], channels: &str| {
        let at = at.map(|v| v * unit);
        let _ =
            writeln!(text, "{kind} {name}\n{{\nOFFSET {} {} {}\nCHANNELS {channels}", at[0], at[1], at[2]);
    };
    let six = "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation";
    let three = "3 Zrotation Xrotation Yrotation";
    let mut channels = 6;
    line(&mut text, "ROOT", &name("Pelvis", 0), [0.0; 3], six);
    let limb = |text: &mut String, which: &str, k: usize, z: f64, channels: &mut usize| {
        line(text, "JOINT", &name(&format!("{which}Upper"), 10 * k), [0.0, -0.02, z], three);
        line(text, "JOINT", &name(&format!("{which}Lower"), 10 * k + 1), [0.0, -0.5 * leg, 0.0], three);
        line(text, "JOINT", &name(&format!("{which}Paw"), 10 * k + 2), [0.0, -0.5 * leg + 0.02, 0.0], three);
        let _ = writeln!(text, "End Site\n{{\nOFFSET 0 0 0\n}}\n}}\n}}\n}}");
        *channels += 9;
    };
    limb(&mut text, "HindLeft", 1, -0.11, &mut channels);
    limb(&mut text, "HindRight", 2, 0.11, &mut channels);
    line(&mut text, "JOINT", &name("Tail", 5), [-0.08, 0.0, 0.0], three);
    let _ = writeln!(text, "End Site\n{{\nOFFSET {} 0 0\n}}\n}}", -0.3 * unit);
    channels += 3;
    for i in 0..spine {
        line(&mut text, "JOINT", &name(&format!("Back{i}"), 50 + i), [0.75 / spine as f64, 0.0, 0.0], three);
        channels += 3;
    }
    limb(&mut text, "ForeLeft", 3, -0.12, &mut channels);
    limb(&mut text, "ForeRight", 4, 0.12, &mut channels);
    line(&mut text, "JOINT", &name("Head", 70), [0.2, 0.15, 0.0], three);
    let _ = writeln!(text, "End Site\n{{\nOFFSET {} 0 0\n}}\n}}", 0.2 * unit);
    channels += 3;
    text += &"}\n".repeat(spine + 1);
    let (rate, frames, speed, period) = (60.0, 300, 0.5, 0.8);
    let _ = writeln!(text, "MOTION\nFrames: {frames}\nFrame Time: {}", 1.0 / rate);
    // Angle of a leg whose foot stands for 0.7 of the stride and swings for the rest, with the knee lifting it.
    let swing = |t: f64, shift: f64| {
        let phase = (t / period + shift).fract();
        let reach = 0.7 * period * speed;
        if phase < 0.7 {
            let x = 0.5 * reach - phase * period * speed;
            (libm::asin(x / leg).to_degrees(), 0.0)
        } else {
            let u = (phase - 0.7) / 0.3;
            let s = u * u * (3.0 - 2.0 * u);
            let x = -0.5 * reach + reach * s;
            (libm::asin(x / leg).to_degrees(), -50.0 * libm::sin(std::f64::consts::PI * u))
        }
    };
    for i in 0..frames {
        let t = f64::from(i) / rate;
        // The back rides at a height at which straight legs reach the ground in the middle of their stance.
        let _ = write!(text, "{} {} 0 0 0 0", speed * t * unit, 0.60 * unit);
        let leg_row = |text: &mut String, shift: f64| {
            let (hip, knee) = swing(t, shift);
            let _ = write!(text, " {} 0 0 {knee} 0 0 0 0 0", hip - 0.5 * knee);
        };
        leg_row(&mut text, 0.0);
        leg_row(&mut text, 0.5);
        text += " 0 0 0";
        text += &" 0 0 0".repeat(spine);
        leg_row(&mut text, 0.75);
        leg_row(&mut text, 0.25);
        text += " 0 0 0\n";
    }
    assert_eq!(text.lines().last().expect("a row").split(' ').count(), channels);
    text
}
