//! The parameters of engines as tables: the name of each, its values, its default, what it means.
//! Settings, their errors, help and the parameters in schedule files come from the same rows.

use ccsched_model::problem::Problem;
use serde_json::Value;

/// The values of the parameters of an engine, in the order of its table.
pub type Values = [f64; MOST];

/// No engine has more parameters.
pub const MOST: usize = 16;

/// The value of a parameter that the problem decides.
pub const OPEN: f64 = -1.0;

/// What stands for such a value in schedule files.
const BY_PROBLEM: &str = "auto";

/// The largest count that a value holds exactly.
pub const MOST_COUNTED: u64 = 1 << 53;

/// A parameter: a row of the table of its engine.
#[derive(Clone, Copy)]
pub struct Parameter {
    /// The name, as users write it.
    pub name: &'static str,
    /// What it is.
    pub help: &'static str,
    /// Its values.
    pub range: Range,
    /// The default in words, where no number stands for it.
    pub default: &'static str,
    /// Whether it has an effect beside the values of the others.
    pub applies: fn(&Values) -> bool,
    /// Whether a search for the fewest steps of a problem reads it.
    pub serves: fn(&Problem) -> bool,
    /// Sets the others that depend on it, after it has changed.
    pub then: fn(&mut Values),
}

/// The values that a parameter can have.
#[derive(Clone, Copy)]
pub enum Range {
    /// True or false, as 1 or 0.
    Flag,
    /// A number from 0 to 1.
    Share,
    /// A number above 0.
    Positive,
    /// A whole number from 1 to this one.
    Count(u64),
    /// An even number from 2 to this one.
    Even(u64),
    /// One of these words, by its place.
    Word(&'static [&'static str]),
}

/// The values of the first parameters; there are no others.
pub const fn values<const N: usize>(first: [f64; N]) -> Values {
    const { assert!(N <= MOST, "an engine has at most 16 parameters") };
    let mut values = [0.0; MOST];
    let mut i = 0;
    while i < N {
        values[i] = first[i];
        i += 1;
    }
    values
}

impl Parameter {
    /// A parameter with these values.
    pub const fn new(name: &'static str, help: &'static str, range: Range) -> Self {
        Parameter {
            name,
            help,
            range,
            default: "",
            applies: |_| true,
            serves: |_| true,
            then: |_| {},
        }
    }

    /// True or false, as 1 or 0.
    pub const fn flag(name: &'static str, help: &'static str) -> Self {
        Self::new(name, help, Range::Flag)
    }

    /// A number from 0 to 1.
    pub const fn share(name: &'static str, help: &'static str) -> Self {
        Self::new(name, help, Range::Share)
    }

    /// A number above 0.
    pub const fn positive(name: &'static str, help: &'static str) -> Self {
        Self::new(name, help, Range::Positive)
    }

    /// A whole number of at least 1.
    pub const fn count(name: &'static str, help: &'static str) -> Self {
        Self::new(name, help, Range::Count(MOST_COUNTED))
    }

    /// One of some words, by its place.
    pub const fn word(
        name: &'static str,
        help: &'static str,
        words: &'static [&'static str],
    ) -> Self {
        Self::new(name, help, Range::Word(words))
    }

    /// The same, if the problem decides its value ([`OPEN`]), as these words say.
    pub const fn open(self, default: &'static str) -> Self {
        Parameter { default, ..self }
    }

    /// The same, for the problems that have a use for it.
    pub const fn serving(self, serves: fn(&Problem) -> bool) -> Self {
        Parameter { serves, ..self }
    }

    /// A value as users see it; none if the problem decides it.
    pub(super) fn shown(&self, value: f64) -> Option<Value> {
        if value == OPEN {
            return None;
        }
        match self.range {
            Range::Flag => Some((value != 0.0).into()),
            Range::Share | Range::Positive => Some(value.into()),
            Range::Count(_) | Range::Even(_) => Some((value as u64).into()),
            Range::Word(words) => Some((*words.get(value as usize)?).into()),
        }
    }

    /// The default, or what stands for a value that the problem decides, in words.
    pub(super) fn told(&self, value: f64) -> String {
        let shown = self.shown(value).filter(|_| self.default.is_empty());
        shown.map_or(self.default.into(), |value| text(&value))
    }

    /// Checks that a value is one of the parameter's.
    ///
    /// # Errors
    /// What the values are.
    pub(super) fn check(&self, value: f64) -> Result<(), String> {
        if value == OPEN && !self.default.is_empty() {
            return Ok(());
        }
        let shown = self.shown(value).ok_or_else(|| self.wrong())?;
        let read = self.read(&text(&shown))?;
        if read == value { Ok(()) } else { Err(self.wrong()) }
    }

    /// The value that a text gives.
    ///
    /// # Errors
    /// The text is no value of the parameter; the error says what is.
    pub(super) fn read(&self, text: &str) -> Result<f64, String> {
        let number = |is_right: fn(&f64) -> bool| {
            let value = text.parse().ok().filter(|x: &f64| x.is_finite() && is_right(x));
            value.ok_or_else(|| self.wrong())
        };
        let whole = |step: u64, most: u64| {
            let value: Option<u128> = text.parse().ok();
            match value.filter(|&n| n > 0 && n.is_multiple_of(step.into())) {
                Some(n) if n > most.into() => Err(format!("too large: at most {most}")),
                value => value.map(|n| n as f64).ok_or_else(|| self.wrong()),
            }
        };
        match self.range {
            Range::Flag => text.parse().map(|is: bool| is as u8 as f64).map_err(|_| self.wrong()),
            Range::Share => number(|x| (0.0..=1.0).contains(x)),
            Range::Positive => number(|&x| x > 0.0),
            Range::Count(most) => whole(1, most),
            Range::Even(most) => whole(2, most),
            Range::Word(words) => {
                let place = words.iter().position(|&word| word == text);
                place.map(|place| place as f64).ok_or_else(|| self.wrong())
            }
        }
    }

    fn wrong(&self) -> String {
        format!("not {}", self.values())
    }

    /// The values in words.
    pub(super) fn values(&self) -> String {
        match self.range {
            Range::Flag => "true or false".into(),
            Range::Share => "a number from 0 to 1".into(),
            Range::Positive => "a number above 0".into(),
            Range::Count(_) => "a whole number of at least 1".into(),
            Range::Even(most) => format!("an even number from 2 to {most}"),
            Range::Word(words) => words.join(" or "),
        }
    }

    /// The names and values of the parameters of a table that have an effect.
    pub(super) fn of_table(table: &[Self], values: &Values) -> Vec<(&'static str, Value)> {
        let rows = table.iter().zip(values).filter(|(row, _)| (row.applies)(values));
        rows.map(|(row, &value)| (row.name, row.shown(value).unwrap_or(BY_PROBLEM.into())))
            .collect()
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or(value.to_string(), Into::into)
}
