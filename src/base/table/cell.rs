//! What a cell may hold: a number of bytes, a count, or nothing.

/// Words for a cell without a value, in small letters.
const NOTHING: [&str; 8] = ["", "-", "--", "na", "n/a", "nan", "null", "none"];

/// Whether a cell that is to hold a number has none.
pub fn is_nothing(cell: &str) -> bool {
    NOTHING.iter().any(|word| cell.eq_ignore_ascii_case(word))
}

/// A number of bytes from 0: 1000, 1000.0, 1.6e6, 64K, 1.5MiB. K, M, G, T and their long forms are powers of
/// 1024, as in the benchmarks of MPI libraries; with one of them a part of a byte is left out.
///
/// # Errors
/// Anything else. KB, MB and so on are 1000 for some and 1024 for others.
pub fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || {
        format!("'{}' is not a number of bytes such as 1000, 1.6e6, 64K, 500M, 4GiB", short(text))
    };
    let end = text.rfind(|c: char| c.is_ascii_digit()).map_or(0, |last| last + 1);
    let (number, unit) = (&text[..end], text[end..].trim_start());
    let mut letters = unit.chars();
    let power = match letters.next().map(|c| c.to_ascii_uppercase()) {
        None | Some('B') => 0,
        Some('K') => 10,
        Some('M') => 20,
        Some('G') => 30,
        Some('T') => 40,
        Some(_) => return Err(wrong()),
    };
    match letters.as_str() {
        "" | "iB" | "ib" | "IB" | "i" if power > 0 => (),
        "" => (),
        "B" | "b" if power > 0 => {
            let letter = &unit[..1];
            return Err(format!(
                "'{}': {unit} is a power of 1000 for some and of 1024 for others; {letter} and {letter}iB \
                 are powers of 1024",
                short(text)
            ));
        }
        _ => return Err(wrong()),
    }
    let factor = 1u64 << power;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let too_large = || format!("'{}' is too large", short(text));
    if digits(number) {
        let whole = number.parse::<u64>().ok();
        return whole.and_then(|whole| whole.checked_mul(factor)).ok_or_else(too_large);
    }
    // A sign or a word such as `inf` is no number here.
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    if !digits(whole)
        || !digits(part)
        || !digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))
    {
        return Err(wrong());
    }
    let value = number.parse::<f64>().map_err(|_| wrong())? * factor as f64;
    match value {
        // Up to here reals hold all whole numbers.
        _ if value >= 9e15 => Err(too_large()),
        _ if power == 0 && value.fract() != 0.0 => {
            Err(format!("'{}': bytes have no parts", short(text)))
        }
        _ => Ok(value as u64),
    }
}

/// A whole number from 1 to a most, which programs also write as 3.0.
///
/// # Errors
/// Anything else.
pub fn count(text: &str, most: u32) -> Result<u32, String> {
    let whole = text.split_once('.').filter(|(_, part)| part.bytes().all(|b| b == b'0'));
    let number = whole.map_or(text, |(whole, _)| whole);
    let is_number = number.bytes().all(|b| b.is_ascii_digit());
    let number = number.parse::<u32>().ok().filter(|n| is_number && (1..=most).contains(n));
    number.ok_or_else(|| format!("'{}' is no whole number from 1 to {most}", short(text)))
}

/// A word of a message: a long one is cut.
pub fn short(word: &str) -> String {
    match word.char_indices().nth(60) {
        Some((end, _)) => format!("{}..", &word[..end]),
        None => word.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_bytes_have_units_and_powers() {
        for (text, right) in [
            ("0", 0),
            ("18446744073709551615", u64::MAX),
            ("007", 7),
            ("1024.0", 1024),
            ("1.6e6", 1_600_000),
            ("2E+3", 2000),
            ("1500e-2", 15),
            ("64K", 65_536),
            ("64 k", 65_536),
            ("1.5MiB", 3 << 19),
            ("2Gi", 2 << 30),
            ("1T", 1 << 40),
            ("0.1K", 102),
            ("7B", 7),
        ] {
            assert_eq!(bytes(text), Ok(right), "{text}");
        }
        let none = [
            "", "-1", "+1", "x", "K", "1.", ".5", "1.5.2", "inf", "NaN", "1e", "e3", "0x10", "1K5",
            "é",
        ];
        assert!(
            none.iter().all(|text| bytes(text).is_err_and(|why| why.contains("is not a number")))
        );
        for (text, part) in [
            ("1.5", "no parts"),
            ("1e99", "too large"),
            ("99999999T", "too large"),
            ("4 GB", "of 1024 for others"),
        ] {
            assert!(bytes(text).is_err_and(|why| why.contains(part)), "{text}");
        }
    }

    #[test]
    fn counts_are_whole_and_some_words_are_nothing() {
        assert_eq!(["1", "3.0", "9"].map(|text| count(text, 9)), [1, 3, 9].map(Ok));
        for text in ["0", "10", "-1", "+1", "1.5", "", ".0", "x"] {
            assert!(count(text, 9).is_err(), "{text}");
        }
        assert!(["", "-", "NaN", "N/A"].iter().all(|cell| is_nothing(cell)));
        assert!(!is_nothing("0") && !is_nothing("n1"));
        assert_eq!(short(&"ä".repeat(61)), format!("{}..", "ä".repeat(60)));
    }
}
