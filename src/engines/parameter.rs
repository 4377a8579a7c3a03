//! The parameters of engines as tables: the name of each, its values, its default, what it means.
//! Settings, their errors, help and the parameters in schedule files come from the same rows.

use serde_json::Value;

/// The value of a parameter that the problem decides.
const BY_PROBLEM: &str = "auto";

/// A parameter: a row of the table of its engine.
pub struct Parameter<P: 'static> {
    /// The name, as users write it.
    pub(super) name: &'static str,
    /// What it is.
    pub(super) help: &'static str,
    /// The default where no number stands for it.
    pub(super) default: &'static str,
    /// Its values, and where they stand.
    pub(super) field: Field<P>,
    /// Whether it has an effect beside the values of the others.
    pub(super) applies: fn(&P) -> bool,
}

/// Reads a field; none if the problem decides it.
type Get<P, T> = fn(&P) -> Option<T>;
/// Writes a field.
type Set<P, T> = fn(&mut P, T);

/// The values of a parameter, with the functions that read and write its field.
#[derive(Clone, Copy)]
pub(super) enum Field<P: 'static> {
    /// True or false.
    Flag(Get<P, bool>, Set<P, bool>),
    /// A number from 0 to 1.
    Share(Get<P, f64>, Set<P, f64>),
    /// A number above 0.
    Positive(Get<P, f64>, Set<P, f64>),
    /// A whole number from 1 to this one.
    Count(u64, Get<P, u64>, Set<P, u64>),
    /// An even number from 2 to this one.
    Even(u64, Get<P, u64>, Set<P, u64>),
    /// One of these words, by its place.
    Word(&'static [&'static str], Get<P, usize>, Set<P, usize>),
}

impl<P> Parameter<P> {
    /// The parameter of this name in a table.
    pub fn find<'t>(table: &'t [Self], name: &str) -> Option<&'t Self> {
        table.iter().find(|row| row.name == name)
    }

    /// The names and values of the parameters that have an effect.
    pub fn values(table: &[Self], params: &P) -> Vec<(&'static str, Value)> {
        let rows = table.iter().filter(|row| (row.applies)(params));
        rows.map(|row| (row.name, row.get(params).unwrap_or(BY_PROBLEM.into()))).collect()
    }

    /// The value; none if the problem decides it.
    pub fn get(&self, params: &P) -> Option<Value> {
        match self.field {
            Field::Flag(get, _) => get(params).map(Value::from),
            Field::Share(get, _) | Field::Positive(get, _) => get(params).map(Value::from),
            Field::Count(_, get, _) | Field::Even(_, get, _) => get(params).map(Value::from),
            Field::Word(words, get, _) => Some((*words.get(get(params)?)?).into()),
        }
    }

    /// Checks that the present value is one of the parameter's.
    ///
    /// # Errors
    /// What the values are.
    pub fn check(&self, params: &P) -> Result<(), String>
    where
        P: Clone,
    {
        let value = self.get(params).ok_or_else(|| format!("not {}", self.range()))?;
        let text = value.as_str().map_or(value.to_string(), Into::into);
        self.set(&mut params.clone(), &text)
    }

    /// Sets the value that a text gives.
    ///
    /// # Errors
    /// The text is no value of the parameter; the error says what is.
    pub fn set(&self, params: &mut P, text: &str) -> Result<(), String> {
        let wrong = || format!("not {}", self.range());
        let number = |is_right: fn(&f64) -> bool| {
            text.parse().ok().filter(|x: &f64| x.is_finite() && is_right(x)).ok_or_else(wrong)
        };
        let whole = |step: u64, most: u64| {
            let value: Option<u128> = text.parse().ok();
            match value.filter(|&n| n > 0 && n.is_multiple_of(step.into())) {
                Some(n) if n > most.into() => Err(format!("too large: at most {most}")),
                value => value.map(|n| n as u64).ok_or_else(wrong),
            }
        };
        match self.field {
            Field::Flag(_, set) => set(params, text.parse().map_err(|_| wrong())?),
            Field::Share(_, set) => set(params, number(|x| (0.0..=1.0).contains(x))?),
            Field::Positive(_, set) => set(params, number(|&x| x > 0.0)?),
            Field::Count(most, _, set) => set(params, whole(1, most)?),
            Field::Even(most, _, set) => set(params, whole(2, most)?),
            Field::Word(words, _, set) => {
                set(params, words.iter().position(|&word| word == text).ok_or_else(wrong)?);
            }
        }
        Ok(())
    }

    /// The values in words.
    pub fn range(&self) -> String {
        match self.field {
            Field::Flag(..) => "true or false".into(),
            Field::Share(..) => "a number from 0 to 1".into(),
            Field::Positive(..) => "a number above 0".into(),
            Field::Count(..) => "a whole number of at least 1".into(),
            Field::Even(most, ..) => format!("an even number from 2 to {most}"),
            Field::Word(words, ..) => words.join(" or "),
        }
    }
}
