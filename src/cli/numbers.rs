//! Numbers of the command line. What is wrong with one is said in words of what would be right;
//! the flag's name stands before it.

use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;
use std::time::Duration;

/// A whole number of at least 1.
///
/// # Errors
/// Anything else.
pub fn count<T>(text: &str) -> Result<T, String>
where
    T: FromStr<Err = ParseIntError> + From<u8> + PartialOrd,
{
    match text.parse::<T>() {
        Ok(n) if n >= T::from(1) => Ok(n),
        Err(e) if *e.kind() == IntErrorKind::PosOverflow => Err("too large".into()),
        _ => Err("not a whole number of at least 1".into()),
    }
}

/// How many islands there may be on the threads of one machine.
///
/// # Errors
/// Anything else.
pub fn islands(text: &str) -> Result<u16, String> {
    let number = count::<u16>(text)?;
    if number <= 1024 { Ok(number) } else { Err("too large: 1024 is the most".into()) }
}

/// An even number from 2 to a million.
///
/// # Errors
/// Anything else.
pub fn even(text: &str) -> Result<u32, String> {
    let number =
        text.parse().ok().filter(|n: &u32| n.is_multiple_of(2) && (2..=1_000_000).contains(n));
    number.ok_or_else(|| "not an even number from 2 to 1000000".into())
}

/// Any whole number that is not negative.
///
/// # Errors
/// Anything else.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("not a whole number from 0 to {}", u64::MAX))
}

/// A finite number above 0.
///
/// # Errors
/// Anything else.
pub fn positive(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| *value > 0.0 && value.is_finite());
    value.ok_or_else(|| "not a number above 0".into())
}

/// A number from 0 to 1.
///
/// # Errors
/// Anything else.
pub fn share(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value| (0.0..=1.0).contains(value));
    value.ok_or_else(|| "not a number from 0 to 1".into())
}

/// A time with its unit: 30s, 10m, 2h; seconds where there is none.
///
/// # Errors
/// Anything else.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.strip_suffix(['s', 'm', 'h']) {
        Some(number) => (number, &text[number.len()..]),
        None => (text, "s"),
    };
    let seconds = match unit {
        "h" => 3600.0,
        "m" => 60.0,
        _ => 1.0,
    };
    let value = number.parse().ok().filter(|n: &f64| *n >= 0.0 && *n < 1e9);
    let value: f64 = value.ok_or("not a time such as 30s, 10m or 2h")?;
    Ok(Duration::from_secs_f64(value * seconds))
}

/// A time, no longer than a `Duration` can be.
///
/// # Errors
/// Anything else.
pub fn seconds(text: &str) -> Result<f64, String> {
    let value = positive(text)?;
    if value < 1e15 { Ok(value) } else { Err("more seconds than anybody has".into()) }
}
