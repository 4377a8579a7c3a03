//! Reading the parameters of a family. All parameters are checked before anything is built, so that
//! a typo cannot exhaust the memory.

use ccsched_base::counted::counted;

/// The largest number of channels of a family's member.
pub use ccsched_base::limits::FAMILY as MAX_CHANNELS;

/// One parameter, which messages call `what`: a whole number from 1.
pub fn count(text: &str, what: &str) -> Result<u64, String> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    // Digits fail to parse only if there are too many of them.
    let value = if digits { text.parse::<u64>().unwrap_or(u64::MAX) } else { 0 };
    if value == 0 {
        return Err(format!("{what} must be a whole number from 1, not '{text}'"));
    }
    if value > MAX_CHANNELS {
        return Err(format!("{what} = {text} is too large; the maximum is {MAX_CHANNELS}"));
    }
    Ok(value)
}

/// One parameter for each name, separated by commas.
pub fn counts<const K: usize>(text: &str, names: [&str; K]) -> Result<[u64; K], String> {
    let given: Vec<&str> = if text.is_empty() { Vec::new() } else { text.split(',').collect() };
    if given.len() != K {
        let names = names.join(",");
        return Err(format!("it takes {} ({names}), not {}", counted(K, "parameter"), given.len()));
    }
    let mut values = [0; K];
    for i in 0..K {
        values[i] = count(given[i], names[i])?;
    }
    Ok(values)
}

/// No parameters.
pub fn none(text: &str) -> Result<(), String> {
    if text.is_empty() { Ok(()) } else { Err(format!("it takes no parameters, not '{text}'")) }
}

/// Sizes of any number of dimensions, separated by `x`.
pub fn sizes(text: &str) -> Result<Vec<u64>, String> {
    if text.is_empty() {
        return Err("it takes the size of every dimension, separated by x: 4x4".into());
    }
    text.split('x').map(|size| count(size, "a size")).collect()
}

/// The logarithm of a parameter that must be a power of 2, at least 2.
pub fn power_of_two(n: u64, what: &str) -> Result<u32, String> {
    if n >= 2 && n.is_power_of_two() {
        return Ok(n.trailing_zeros());
    }
    let (below, above) = (n.next_power_of_two() / 2, n.next_power_of_two().max(2));
    let near = if below >= 2 { format!("{below} or {above}") } else { above.to_string() };
    Err(format!("{what} must be a power of 2 of at least 2, such as {near}, not {n}"))
}

/// Checks that a parameter is at least `least`.
pub fn at_least(n: u64, least: u64, what: &str) -> Result<(), String> {
    if n >= least { Ok(()) } else { Err(format!("{what} must be at least {least}, not {n}")) }
}

/// Refuses networks with too many channels; `None` stands for a number beyond `u64`.
pub fn fits(channels: Option<u64>) -> Result<(), String> {
    match channels {
        Some(n) if n <= MAX_CHANNELS => Ok(()),
        Some(n) => Err(format!("it would have {n} channels; the maximum is {MAX_CHANNELS}")),
        None => Err(format!("it would have far more than {MAX_CHANNELS} channels, the maximum")),
    }
}

/// The product; none if it is beyond `u64`.
pub fn product(factors: &[u64]) -> Option<u64> {
    factors.iter().try_fold(1u64, |p, &f| p.checked_mul(f))
}
