//! Parsers for numbers on the command line. Errors say what is allowed; clap adds the flag's name.

use ccsched_network::bits;
use ccsched_run::islands::Gap;
use jiff::SignedDuration;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;
use std::time::Duration;

/// Longer times are refused.
const MOST_SECONDS: f64 = 1e15;

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

/// A number of islands on the threads of one machine.
///
/// # Errors
/// Anything else.
pub fn islands(text: &str) -> Result<u16, String> {
    let number = count::<u16>(text)?;
    if number <= 1024 { Ok(number) } else { Err("too large: at most 1024".into()) }
}

/// A number of ranks or masters, where 0 has a meaning of its own.
///
/// # Errors
/// Anything else.
pub fn fan_out(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "not a whole number of at least 0".into())
}

/// Islands of an exchange group.
///
/// # Errors
/// Anything else.
pub fn group(text: &str) -> Result<usize, String> {
    count::<u32>(text).map(|number| number as usize)
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

/// A throughput in MB/s: a number of them, or one with its unit.
///
/// # Errors
/// Anything else.
pub fn rate(text: &str) -> Result<f64, String> {
    let word: String = text.split_whitespace().collect();
    let with_unit = || bits(&word).or_else(|| bits(&format!("{word}/s")));
    let rate = positive(&word).ok().or_else(|| Some(with_unit()? as f64 / 8e6));
    rate.ok_or_else(|| {
        "neither a number of MB/s above 0 nor a rate with its unit, such as 100Gbit/s, 12.5GB/s"
            .into()
    })
}

/// A finite number of at least 0.
///
/// # Errors
/// Anything else.
pub fn not_negative(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| *value >= 0.0 && value.is_finite());
    value.ok_or_else(|| "not a number of at least 0".into())
}

/// A gap above a bound: 1%, 0.5%.
///
/// # Errors
/// Anything else.
pub fn gap(text: &str) -> Result<Gap, String> {
    let wrong = "not a percentage from 0% to 100%, such as 1% or 0.5%";
    let number = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let percent = number.filter(|percent| (0.0..=100.0).contains(percent)).ok_or(wrong)?;
    Ok(Gap((percent * 10_000.0).round() as u32))
}

/// A time: 90s, 10m, 1h30m, 500ms; a plain number is in seconds.
///
/// # Errors
/// Anything else.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = "not a time such as 90s, 10m, 1h30m, or a number of seconds";
    if let Ok(seconds) = text.parse::<f64>() {
        let is_right = seconds >= 0.0 && seconds.is_finite();
        return if is_right { limited(seconds) } else { Err(wrong.into()) };
    }
    let time: SignedDuration = text.parse().map_err(|_| wrong)?;
    limited(Duration::try_from(time).map_err(|_| wrong)?.as_secs_f64())
}

/// A time above 0, in seconds.
///
/// # Errors
/// Anything else.
pub fn seconds(text: &str) -> Result<f64, String> {
    let seconds = duration(text)?.as_secs_f64();
    if seconds > 0.0 { Ok(seconds) } else { Err("not a time above 0".into()) }
}

/// The time, if the clock can represent it from now.
fn limited(seconds: f64) -> Result<Duration, String> {
    if seconds >= MOST_SECONDS {
        return Err(format!("too long: at most {MOST_SECONDS:e} seconds"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let times = ["90s", "10m", "1h30m", "1.5h", "500ms", "2", "0.25", "1h 5s", "0"];
        let seconds = [90.0, 600.0, 5400.0, 5400.0, 0.5, 2.0, 0.25, 3605.0, 0.0];
        let read = times.map(|text| duration(text).map(|time| time.as_secs_f64()));
        assert_eq!(read, seconds.map(Ok));
        assert_eq!(super::seconds("10m"), Ok(600.0));
    }

    #[test]
    fn gaps_are_percentages() {
        let gaps = ["1%", "0.5%", "2 %", "0%", "100%"].map(gap);
        assert_eq!(gaps, [10_000, 5_000, 20_000, 0, 1_000_000].map(|gap| Ok(Gap(gap))));
        for text in ["1", "0.01", "-1%", "101%", "NaN%", "%", "one%"] {
            assert!(gap(text).is_err(), "{text}");
        }
    }

    #[test]
    fn rates_are_megabytes_or_have_a_unit() {
        for (text, rate) in [
            ("250", 250.0),
            ("100Gbit", 12_500.0),
            ("100Gbit/s", 12_500.0),
            ("100Gbps", 12_500.0),
            ("25 GB/s", 25_000.0),
            ("400MB", 400.0),
        ] {
            assert_eq!(super::rate(text), Ok(rate), "{text}");
        }
        for text in ["", "0", "-1", "100G", "fast", "NaN", "inf", "Gbit/s", "1e400"] {
            assert!(super::rate(text).unwrap_err().contains("100Gbit/s"), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "-1", "-3s", "3s ago", "NaN", "inf", "ten", "5x", "1e15", "1e300", "m"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert_eq!(super::seconds("0s"), Err("not a time above 0".into()));
    }
}
