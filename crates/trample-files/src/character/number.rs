//! Decimal numbers of motion files.

/// A finite number, or nothing. A comma counts as a point: some programs write as their country does.
///
/// Read in double precision, then rounded to single.
pub(super) fn parse(word: &[u8]) -> Option<f32> {
    let text = std::str::from_utf8(word).ok()?;
    let value = match text.parse::<f64>() {
        Ok(value) => value,
        Err(_) if text.contains(',') => text.replace(',', ".").parse().ok()?,
        Err(_) => return None,
    } as f32;
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
