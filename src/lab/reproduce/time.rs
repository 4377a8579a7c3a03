//! Times as the papers print them.

use std::str::FromStr;

/// A printed time.
#[derive(Clone, Debug, PartialEq)]
pub struct Time {
    /// As printed, `1h20m` or `<1s`.
    pub text: String,
    /// The same in seconds.
    pub seconds: f64,
}

impl FromStr for Time {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = "a time is parts like 2d, 5h, 20m, 7s, or <1s";
        let mut seconds = 0.0;
        let parts = text.trim_start_matches('<').split_inclusive(|c: char| c.is_alphabetic());
        for part in parts {
            let unit = match part.chars().last() {
                Some('d') => 86_400.0,
                Some('h') => 3600.0,
                Some('m') => 60.0,
                Some('s') => 1.0,
                _ => return Err(wrong),
            };
            let count: u32 = part[..part.len() - 1].parse().map_err(|_| wrong)?;
            seconds += unit * f64::from(count);
        }
        if seconds > 0.0 { Ok(Time { text: text.into(), seconds }) } else { Err(wrong) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_printed() {
        let seconds = |text: &str| text.parse::<Time>().map(|time| time.seconds);
        assert_eq!(seconds("52h4m"), Ok(187_440.0));
        assert_eq!(seconds("6d8h"), Ok(547_200.0));
        assert_eq!(seconds("<1s"), Ok(1.0));
        assert!(["", "7", "m", "5x", "-1s"].iter().all(|text| seconds(text).is_err()));
    }
}
