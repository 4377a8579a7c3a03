//! Values of a TOML file, with their positions.

use crate::files::mistake::{Wrong, wrong};
use std::borrow::Cow;
use toml::Spanned;
use toml::de::{DeArray, DeValue};

/// A value with its position.
pub type Value<'t> = Spanned<DeValue<'t>>;

/// Every vertex with its list of neighbours.
pub type Lists<'t> = Vec<(&'t Spanned<Cow<'t, str>>, &'t DeArray<'t>)>;

/// A finite number.
pub fn number(value: &Value) -> Option<f64> {
    let number = match value.get_ref() {
        DeValue::Integer(i) => i64::from_str_radix(i.as_str(), i.radix()).ok()? as f64,
        DeValue::Float(f) => f.as_str().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// A string that is not empty and has no control characters.
pub fn word<'t>(value: &'t Value, what: &str) -> Result<&'t str, Wrong> {
    match value.get_ref().as_str() {
        Some(text) if !text.is_empty() && !text.contains(char::is_control) => Ok(text),
        _ => wrong(value.span().start, format!("{what} must be a string, \"like this\"")),
    }
}
