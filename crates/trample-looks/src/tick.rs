//! Round numbers for axes, scale bars and colour bars.

/// 1, 2, 5 or 10 times a power of ten: as many of the bounds as the leading digits reach say which. 1 where there is nothing to round.
fn rounded(x: f64, bounds: [f64; 3]) -> f64 {
    if !x.is_finite() || x <= 0.0 {
        return 1.0;
    }
    let decade = libm::pow(10.0, libm::floor(libm::log10(x) + 1e-9));
    decade * [1.0, 2.0, 5.0, 10.0][bounds.iter().filter(|bound| x / decade >= **bound).count()]
}

/// The round step that cuts `span` into about `count` parts; bounds are the geometric middles between 1, 2, 5 and 10.
pub fn step(span: f64, count: usize) -> f64 {
    rounded(span / count.max(1) as f64, [1.5, 3.2, 7.1])
}

/// The largest round length that is not longer than `limit`.
pub fn round_length(limit: f64) -> f64 {
    rounded(limit, [2.0, 5.0, 10.0].map(|bound| bound * (1.0 - 1e-9)))
}

/// The smallest round number that is not less than `x`.
pub fn round_up(x: f64) -> f64 {
    rounded(x, [1.0, 2.0, 5.0].map(|bound| bound * (1.0 + 1e-9)))
}

/// Round positions inside `[low, high]` with their labels. An axis without length still gets its one label.
pub fn ticks(low: f64, high: f64, count: usize) -> Vec<(f64, String)> {
    if !(low.is_finite() && high.is_finite()) {
        return Vec::new();
    }
    let (low, high) = if low <= high { (low, high) } else { (high, low) };
    let span = high - low;
    // Where the span is lost in the digits of the ends, more ticks would all read the same.
    if !span.is_finite() || span <= 1e-9 * low.abs().max(high.abs()) {
        return vec![(low, label(low, low.abs() / 100.0))];
    }
    let step = step(span, count);
    let first = libm::ceil(low / step - 1e-6);
    let last = libm::floor(high / step + 1e-6);
    (0..=((last - first).clamp(0.0, 1000.0) as usize))
        .map(|i| (first + i as f64) * step)
        .filter(|v| *v >= low - 1e-6 * step && *v <= high + 1e-6 * step)
        .map(|v| (v.clamp(low, high), label(v, step)))
        .collect()
}

/// A number with as many decimals as `step` needs, and a real minus sign.
pub fn label(value: f64, step: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let size = value.abs();
    let text = if size >= 1e6 || (step > 0.0 && step < 1e-5) {
        if size == 0.0 { "0".to_owned() } else { format!("{value:.1e}").replace(".0e", "e") }
    } else {
        let decimals =
            if step > 0.0 { (-libm::floor(libm::log10(step) + 1e-9)).clamp(0.0, 6.0) } else { 0.0 };
        format!("{value:.*}", decimals as usize)
    };
    // "-0.0" is a rounding remainder, not a direction.
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().any(|c| ('1'..='9').contains(&c)) => format!("−{rest}"),
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

/// A length in metres, in the unit a person would say it in.
pub fn length(metres: f64) -> String {
    let (value, unit) = match metres.abs() {
        m if m >= 1000.0 => (metres / 1000.0, "km"),
        m if m >= 0.995 || m == 0.0 => (metres, "m"),
        m if m >= 0.00995 => (metres * 100.0, "cm"),
        _ => (metres * 1000.0, "mm"),
    };
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{}\u{a0}{unit}", text.replace('-', "−"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let found = ticks(-0.013, 0.0271, 5);
        assert!(found.iter().all(|(v, _)| (-0.0131..=0.0272).contains(v)));
        let labels: Vec<&str> = found.iter().map(|(_, l)| l.as_str()).collect();
        assert_eq!(labels, ["−0.01", "0.00", "0.01", "0.02"]);
    }

    #[test]
    fn an_axis_without_length_has_one_tick() {
        assert_eq!(ticks(2.5, 2.5, 6).len(), 1);
        assert_eq!(ticks(0.0, 0.0, 6).len(), 1);
        assert!(ticks(f64::NAN, 1.0, 5).is_empty());
    }

    #[test]
    fn huge_and_tiny_axes_stay_short() {
        for (low, high) in [(-3e38, 3e38), (0.0, 1e-30), (1e12, 1e12 + 1.0)] {
            let found = ticks(low, high, 6);
            assert!((1..=12).contains(&found.len()), "{low} {high} {found:?}");
            assert!(found.iter().all(|(_, l)| l.chars().count() < 12));
        }
    }

    #[test]
    fn lengths_are_said_in_a_fitting_unit() {
        assert_eq!(length(0.5), "50\u{a0}cm");
        assert_eq!(length(0.002), "2\u{a0}mm");
        assert_eq!(length(2000.0), "2\u{a0}km");
        assert_eq!(round_length(0.73), 0.5);
        assert_eq!(round_length(1.0), 1.0);
    }

    #[test]
    fn ranges_are_round_numbers() {
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
        assert!(
            close(round_up(0.0031), 0.005) && close(round_up(0.05), 0.05) && close(round_up(130.0), 200.0)
        );
    }
}
