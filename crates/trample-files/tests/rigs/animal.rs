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

/// A leg of a [`beast`]: where it hangs from the body, along and across, m, and its place in the stride.
pub type Leg = ([f64; 2], f64);

/// A body of one joint with legs of two bones, 0.62 m long, a head ahead and a tail behind, that goes along +x at 0.5 m/s, or on the
/// spot: animals as simple rigs have them, insects, and with two legs birds, whose wings are a pair of limbs that do not walk. Joints are
/// called after `words`: upper, lower and foot of a leg, `~` for its side.
pub fn beast(legs: &[Leg], wings: bool, words: [&str; 3], unit: f64, goes: bool) -> String {
    let (leg, speed, period, rate, frames) = (0.62, 0.5, 0.8, 60.0, 240);
    let mut text = String::from("HIERARCHY\n");
    let mut channels = 6;
    let mut open = |text: &mut String, kind: &str, name: &str, at: [f64; 3]| {
        let at = at.map(|v| v * unit);
        let six = "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation";
        let own = if kind == "ROOT" { six } else { "3 Zrotation Xrotation Yrotation" };
        channels += if kind == "ROOT" { 0 } else { 3 };
        let _ = writeln!(text, "{kind} {name}\n{{\nOFFSET {} {} {}\nCHANNELS {own}", at[0], at[1], at[2]);
    };
    let close = |text: &mut String, tip: f64, joints: usize| {
        let _ = writeln!(text, "End Site\n{{\nOFFSET {} 0 0\n}}\n{}", tip * unit, "}\n".repeat(joints));
    };
    open(&mut text, "ROOT", "Body", [0.0; 3]);
    for (k, ([x, z], _)) in legs.iter().enumerate() {
        let side = if *z < 0.0 { "Left" } else { "Right" };
        let name = |word: &str| format!("{}{}", word.replace('~', side), k / 2 + 1);
        open(&mut text, "JOINT", &name(words[0]), [*x, -0.02, *z]);
        open(&mut text, "JOINT", &name(words[1]), [0.0, -0.5 * leg, 0.0]);
        open(&mut text, "JOINT", &name(words[2]), [0.0, -0.5 * leg + 0.02, 0.0]);
        close(&mut text, 0.05, 3);
    }
    if wings {
        for (side, z) in [("Left", -1.0), ("Right", 1.0)] {
            open(&mut text, "JOINT", &format!("{side}Wing1"), [0.1, 0.05, 0.1 * z]);
            open(&mut text, "JOINT", &format!("{side}Wing2"), [0.0, 0.0, 0.3 * z]);
            open(&mut text, "JOINT", &format!("{side}Wing3"), [0.0, 0.0, 0.3 * z]);
            close(&mut text, 0.05, 3);
        }
    }
    open(&mut text, "JOINT", "Head", [0.65, 0.2, 0.0]);
    close(&mut text, 0.15, 1);
    open(&mut text, "JOINT", "Tail", [-0.5, 0.0, 0.0]);
    close(&mut text, -0.3, 1);
    text += "}\n";
    let _ = writeln!(text, "MOTION\nFrames: {frames}\nFrame Time: {}", 1.0 / rate);
    let share = 0.6;
    for i in 0..frames {
        let t = f64::from(i) / rate;
        let at = if goes { speed * t * unit } else { 0.0 };
        let _ = write!(text, "{at} {} 0 0 0 0", 0.60 * unit);
        for (_, shift) in legs {
            let phase = (t / period + shift).fract();
            let reach = share * period * speed;
            let (x, knee) = if phase < share {
                (0.5 * reach - phase * period * speed, 0.0)
            } else {
                let u = (phase - share) / (1.0 - share);
                let s = u * u * (3.0 - 2.0 * u);
                (-0.5 * reach + reach * s, -50.0 * libm::sin(std::f64::consts::PI * u))
            };
            let hip = libm::asin(x / leg).to_degrees();
            let _ = write!(text, " {} 0 0 {knee} 0 0 0 0 0", hip - 0.5 * knee);
        }
        text += &" 0 0 0".repeat(if wings { 8 } else { 2 });
        text.push('\n');
    }
    assert_eq!(text.lines().last().expect("a row").split(' ').count(), channels);
    text
}
