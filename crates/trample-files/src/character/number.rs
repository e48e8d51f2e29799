//! Decimal numbers, read fast: a motion of ten minutes holds millions.

/// Powers of ten that a double holds exactly.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// A finite number, or nothing. A comma counts as a point: some programs write as their country does.
///
/// Up to 15 digits and 22 places are read exactly by one division, then rounded to single precision; the rest goes the
/// standard library's way.
pub(super) fn parse(word: &[u8]) -> Option<f32> {
    let mut at = 0;
    let negative = match word.first()? {
        b'-' => {
            at = 1;
            true
        }
        b'+' => {
            at = 1;
            false
        }
        _ => false,
    };
    let (mut digits, mut count, mut places, mut point) = (0u64, 0u32, 0i32, false);
    while let Some(&byte) = word.get(at) {
        match byte {
            b'0'..=b'9' => {
                // Leading zeros are no digits.
                if count > 0 || byte != b'0' {
                    count += 1;
                }
                if count > 15 {
                    return slow(word);
                }
                digits = digits * 10 + u64::from(byte - b'0');
                places += i32::from(point);
            }
            b'.' | b',' if !point => point = true,
            b'e' | b'E' => return slow(word),
            _ => return None,
        }
        at += 1;
    }
    let signs = usize::from(matches!(word[0], b'-' | b'+'));
    // A sign or a point alone is no number.
    if at == signs + usize::from(point) {
        return None;
    }
    if places as usize >= TENS.len() {
        return slow(word);
    }
    let value = digits as f64 / TENS[places as usize];
    Some(if negative { -value } else { value } as f32)
}

fn slow(word: &[u8]) -> Option<f32> {
    let text = std::str::from_utf8(word).ok()?;
    let value: f64 = if text.contains(',') { text.replace(',', ".").parse() } else { text.parse() }.ok()?;
    let value = value as f32;
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::parse;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_number_is_none() {
        for word in ["", "-", "+", ".", "-.", "nan", "inf", "1e", "1.2.3", "1e400", "0x10", "1_0", "--1", "é"]
        {
            assert_eq!(parse(word.as_bytes()), None, "{word}");
        }
        for (word, value) in [
            ("1", 1.0),
            ("-0.5", -0.5),
            ("+.5", 0.5),
            ("5.", 5.0),
            ("1,5", 1.5),
            ("1e-3", 1e-3),
            ("-00012", -12.0),
        ] {
            assert_eq!(parse(word.as_bytes()), Some(value), "{word}");
        }
        let long = format!("0.{}1", "0".repeat(50));
        assert_eq!(parse(long.as_bytes()), Some(0.0));
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_the_standard_library(value in -1e6..1e6f64, digits in 0..12usize) {
            let text = format!("{value:.digits$}");
            let wanted = text.parse::<f64>().expect("a number") as f32;
            prop_assert_eq!(parse(text.as_bytes()), Some(wanted));
        }

        #[test]
        fn exponents_too(value in any::<f32>()) {
            let text = format!("{value:e}");
            prop_assert_eq!(parse(text.as_bytes()), value.is_finite().then_some(value));
        }
    }
}
