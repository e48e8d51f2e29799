//! A number of ours beside the number it should be: what is expected, within which tolerance, and the verdict.

use serde_json::{Value, json};

/// How far off a number may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Allowed {
    /// A share of the reference.
    Share(f64),
    /// In the finding's own unit.
    Amount(f64),
}

/// What a source says about a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Expect {
    /// A value, and how far off ours may be.
    Near(f64, Allowed),
    /// A range, ends included.
    Between(f64, f64),
    /// Only that it is more: pictures and texts that say which way something goes.
    Above(f64),
    /// Only that it is less.
    Below(f64),
}

/// What kind of evidence a number is. Only the first two can speak for the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A result that a paper prints.
    Printed,
    /// Data that were not used to build the model.
    Measured,
    /// Data that were.
    Fitted,
    /// Our own equation, conservation, or an aim that we set ourselves.
    Identity,
    /// A source that says only which way it goes.
    Direction,
    /// No reference: something to look at.
    Picture,
}

impl Kind {
    /// All, those that speak for the model first.
    pub(crate) const ALL: [Self; 6] =
        [Self::Printed, Self::Measured, Self::Fitted, Self::Identity, Self::Direction, Self::Picture];

    /// As files and reports say it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Printed => "printed",
            Self::Measured => "measured",
            Self::Fitted => "fitted",
            Self::Identity => "identity",
            Self::Direction => "direction",
            Self::Picture => "picture",
        }
    }

    /// Whether agreement says something about the model.
    pub(crate) const fn speaks(self) -> bool {
        matches!(self, Self::Printed | Self::Measured)
    }
}

/// Where a reference comes from, and what it is worth.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Source {
    /// What kind of evidence it is.
    pub(crate) kind: Kind,
    /// Where it stands.
    pub(crate) text: String,
    /// Why the tolerance is what it is.
    pub(crate) tolerance: &'static str,
}

/// A result that a paper prints.
pub(crate) fn printed(text: &str, tolerance: &'static str) -> Source {
    Source { kind: Kind::Printed, text: text.into(), tolerance }
}

/// Data that were not used to build the model.
pub(crate) fn measured(text: &str, tolerance: &'static str) -> Source {
    Source { kind: Kind::Measured, text: text.into(), tolerance }
}

/// Data that were used to build the model.
pub(crate) fn fitted(text: &str, tolerance: &'static str) -> Source {
    Source { kind: Kind::Fitted, text: text.into(), tolerance }
}

/// Our own equation, conservation, or an aim of ours.
pub(crate) fn identity(text: &str, tolerance: &'static str) -> Source {
    Source { kind: Kind::Identity, text: text.into(), tolerance }
}

impl From<&str> for Source {
    /// A source that says only which way something goes.
    fn from(text: &str) -> Self {
        Self {
            kind: Kind::Direction,
            text: text.into(),
            tolerance: "the source gives a direction and no value",
        }
    }
}

/// A reference: what it says and where.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reference {
    /// What it says.
    pub(crate) expect: Expect,
    /// Where it says so.
    pub(crate) source: Source,
}

/// What a comparison came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Within the stated tolerance.
    Agrees,
    /// Outside of it.
    Differs,
    /// Nothing to compare with.
    NoReference,
    /// Our number belongs to one machine and stands in `timings.json`.
    Elsewhere,
    /// What a reading of the papers that we judge wrong would give; shown, not judged.
    Reading,
}

impl Verdict {
    /// As the reports say it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::NoReference => "no reference",
            Self::Elsewhere => "see timings.json",
            Self::Reading => "paper's reading",
        }
    }
}

/// One measured number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    /// What it is.
    pub(crate) what: String,
    /// Its unit; empty for ratios and counts.
    pub(crate) unit: &'static str,
    /// What we measured; none where the number belongs to one machine and stands in `timings.json`.
    pub(crate) ours: Option<f64>,
    /// What it should be.
    pub(crate) reference: Option<Reference>,
    /// Why it differs, where it does; a plain sentence.
    pub(crate) why: String,
    /// Whether it is a reading of the papers that we judge wrong.
    pub(crate) reading: bool,
}

impl Finding {
    /// A number that nothing is known about.
    pub(crate) fn new(what: impl Into<String>, unit: &'static str, ours: f64) -> Self {
        Self {
            what: what.into(),
            unit,
            ours: Some(ours),
            reference: None,
            why: String::new(),
            reading: false,
        }
    }

    /// The same with a reference.
    pub(crate) fn against(self, expect: Expect, source: impl Into<Source>) -> Self {
        Self { reference: Some(Reference { expect, source: source.into() }), ..self }
    }

    /// The same against a value, within a share of it.
    pub(crate) fn near(self, value: f64, share: f64, source: Source) -> Self {
        self.against(Expect::Near(value, Allowed::Share(share)), source)
    }

    /// The same against a value, within an amount.
    pub(crate) fn within(self, value: f64, amount: f64, source: Source) -> Self {
        self.against(Expect::Near(value, Allowed::Amount(amount)), source)
    }

    /// The same, and why it differs if it does.
    pub(crate) fn because(self, why: &str) -> Self {
        Self { why: why.into(), ..self }
    }

    /// The same as a reading of the papers that we judge wrong.
    pub(crate) fn printed_reading(self, why: &str) -> Self {
        Self { reading: true, why: why.into(), ..self }
    }

    /// What kind of evidence it is.
    pub(crate) fn kind(&self) -> Kind {
        self.reference.as_ref().map_or(Kind::Picture, |r| r.source.kind)
    }

    /// What the comparison comes to. A number that is none agrees with nothing.
    pub(crate) fn verdict(&self) -> Verdict {
        if self.reading {
            return Verdict::Reading;
        }
        let Some(ours) = self.ours else { return Verdict::Elsewhere };
        let Some(reference) = &self.reference else { return Verdict::NoReference };
        let holds = match reference.expect {
            Expect::Near(value, Allowed::Share(share)) => (ours - value).abs() <= share * value.abs(),
            Expect::Near(value, Allowed::Amount(amount)) => (ours - value).abs() <= amount,
            Expect::Between(low, high) => (low..=high).contains(&ours),
            Expect::Above(value) => ours > value,
            Expect::Below(value) => ours < value,
        };
        if holds { Verdict::Agrees } else { Verdict::Differs }
    }

    /// Our number as people read it.
    pub(crate) fn value_text(&self) -> String {
        self.ours.map_or_else(|| "–".into(), number)
    }

    /// The reference as people read it: value and tolerance.
    pub(crate) fn expected(&self) -> String {
        let Some(reference) = &self.reference else { return "–".into() };
        match reference.expect {
            Expect::Near(value, Allowed::Share(share)) => {
                format!("{} ±\u{a0}{}\u{a0}%", number(value), number(100.0 * share))
            }
            Expect::Near(value, Allowed::Amount(amount)) => {
                format!("{} ±\u{a0}{}", number(value), number(amount))
            }
            Expect::Between(low, high) => format!("{} to {}", number(low), number(high)),
            Expect::Above(value) => format!("above {}", number(value)),
            Expect::Below(value) => format!("below {}", number(value)),
        }
    }

    /// As an object of `numbers.json`.
    pub(crate) fn to_json(&self) -> Value {
        let (value, tolerance) = match self.reference.as_ref().map(|r| r.expect) {
            Some(Expect::Near(value, Allowed::Share(share))) => (json!(value), json!({ "share": share })),
            Some(Expect::Near(value, Allowed::Amount(amount))) => (json!(value), json!({ "amount": amount })),
            Some(Expect::Between(low, high)) => (json!([low, high]), json!("range")),
            Some(Expect::Above(value)) => (json!(value), json!("above")),
            Some(Expect::Below(value)) => (json!(value), json!("below")),
            None => (Value::Null, Value::Null),
        };
        let source = self.reference.as_ref().map(|r| &r.source);
        json!({
            "what": self.what,
            "unit": self.unit,
            "ours": self.ours,
            "kind": self.kind().word(),
            "reference": value,
            "source": source.map(|s| s.text.as_str()),
            "tolerance": tolerance,
            "why_this_tolerance": source.map(|s| s.tolerance),
            "verdict": self.verdict().word(),
            "why": if self.told() { Value::from(self.why.as_str()) } else { Value::Null },
        })
    }

    /// Whether its sentence is to be told: where it differs, or is a reading.
    pub(crate) fn told(&self) -> bool {
        !self.why.is_empty() && matches!(self.verdict(), Verdict::Differs | Verdict::Reading)
    }
}

/// A number with about four digits and a real minus, as people write it.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let size = value.abs();
    let text = if !(1e-4..1e6).contains(&size) {
        format!("{value:.1e}")
    } else {
        let decimals = (3.0 - libm::floor(libm::log10(size))).clamp(0.0, 6.0) as usize;
        let text = format!("{value:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours_own() -> Source {
        identity("s", "t")
    }

    #[test]
    fn a_number_says_what_kind_of_evidence_it_is() {
        let ours = || Finding::new("depth", "mm", 10.0);
        assert_eq!(ours().kind(), Kind::Picture);
        assert_eq!(ours().against(Expect::Above(1.0), "s").kind(), Kind::Direction);
        let object = ours().near(11.0, 0.2, measured("a plot", "its spread")).to_json();
        for (field, wanted) in [
            ("kind", json!("measured")),
            ("reference", json!(11.0)),
            ("source", json!("a plot")),
            ("tolerance", json!({ "share": 0.2 })),
            ("why_this_tolerance", json!("its spread")),
        ] {
            assert_eq!(object[field], wanted, "{field}");
        }
        assert_eq!(Kind::ALL.map(Kind::speaks), [true, true, false, false, false, false]);
    }

    #[test]
    fn a_verdict_says_whether_a_number_lies_within_its_tolerance() {
        let ours = |x: f64| Finding::new("depth", "mm", x);
        assert_eq!(ours(10.0).verdict(), Verdict::NoReference);
        assert_eq!(Finding { ours: None, ..ours(1.0) }.verdict(), Verdict::Elsewhere);
        assert_eq!(ours(10.9).near(10.0, 0.1, ours_own()).verdict(), Verdict::Agrees);
        assert_eq!(ours(11.1).near(10.0, 0.1, ours_own()).verdict(), Verdict::Differs);
        assert_eq!(ours(-11.1).near(-10.0, 0.1, ours_own()).verdict(), Verdict::Differs);
        assert_eq!(ours(0.2).within(0.0, 0.2, ours_own()).verdict(), Verdict::Agrees);
        assert_eq!(ours(0.3).within(0.0, 0.2, ours_own()).verdict(), Verdict::Differs);
        assert_eq!(ours(2.5).against(Expect::Between(2.5, 3.0), "s").verdict(), Verdict::Agrees);
        assert_eq!(ours(2.4).against(Expect::Between(2.5, 3.0), "s").verdict(), Verdict::Differs);
        assert_eq!(ours(0.0).against(Expect::Above(0.0), "s").verdict(), Verdict::Differs);
        assert_eq!(ours(-1.0).against(Expect::Below(0.0), "s").verdict(), Verdict::Agrees);
    }

    #[test]
    fn a_number_that_is_none_never_agrees() {
        for expect in [
            Expect::Near(1.0, Allowed::Share(1e9)),
            Expect::Near(1.0, Allowed::Amount(1e9)),
            Expect::Between(-1e9, 1e9),
            Expect::Above(-1e9),
            Expect::Below(1e9),
        ] {
            let finding = Finding::new("x", "", f64::NAN).against(expect, "s");
            assert_eq!(finding.verdict(), Verdict::Differs, "{expect:?}");
        }
    }

    #[test]
    fn a_wrong_reading_is_shown_and_not_judged() {
        let reading = Finding::new("x", "", 5.0).near(5.0, 0.1, ours_own()).printed_reading("printed so");
        assert_eq!(reading.verdict(), Verdict::Reading);
        assert!(reading.told() && reading.to_json()["why"] == "printed so");
        assert!(!Finding::new("x", "", 5.0).near(5.0, 0.1, ours_own()).because("never").told(), "it agrees");
    }

    #[test]
    fn numbers_are_short_and_have_a_real_minus() {
        let all = [0.0, 11.1, -0.25, 1234.5, 0.012345, 2e-7, 100.0].map(number);
        assert_eq!(all, ["0", "11.1", "−0.25", "1234", "0.01235", "2.0e−7", "100"]);
    }
}
