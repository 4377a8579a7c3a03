//! Sizes on the command line, of messages and of memory: 64K, 1K,1M, 1K..64M. K, M, G and T are powers
//! of 1024, as in the benchmarks of MPI libraries.

use ccsched_base::table;

/// Messages of exports are shorter.
const MOST_LENGTH: u64 = 1 << 40;

/// The most lengths that a text can ask for.
const MOST: usize = 1000;

/// One or more lengths in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(pub Vec<u64>);

/// The lengths that are used if none are asked for: 1K..1M.
pub fn default_sizes() -> Vec<u64> {
    (10..=20).map(|power| 1 << power).collect()
}

/// A size: 1000, 64K, 1.5M, 4G, 1T. A part of a byte is left out.
///
/// # Errors
/// Anything else, and less than a byte.
pub fn size(text: &str) -> Result<u64, String> {
    match table::bytes(text)? {
        0 => Err("at least 1 byte".into()),
        bytes => Ok(bytes),
    }
}

/// The length of a message that another program can have.
///
/// # Errors
/// Anything else, and more than a terabyte.
pub fn length(text: &str) -> Result<u64, String> {
    let bytes = size(text)?;
    if bytes <= MOST_LENGTH { Ok(bytes) } else { Err("too large: at most 1T".into()) }
}

/// A length, a list of them, or a range that doubles: 1K..64M.
///
/// # Errors
/// Anything else.
pub fn sizes(text: &str) -> Result<Sizes, String> {
    let mut sizes = Vec::new();
    for item in text.split(',') {
        match item.split_once("..") {
            None => sizes.push(size(item)?),
            Some((from, to)) => {
                let (from, to) = (size(from)?, size(to)?);
                if from > to {
                    return Err(format!("the range '{item}' goes down"));
                }
                let doubled = |&size: &u64| size.checked_mul(2).filter(|&size| size <= to);
                sizes.extend(std::iter::successors(Some(from), doubled));
            }
        }
    }
    sizes.sort_unstable();
    sizes.dedup();
    if sizes.len() > MOST {
        return Err(format!("{} lengths are too many; at most {MOST}", sizes.len()));
    }
    Ok(Sizes(sizes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_lists_and_ranges() {
        assert_eq!(sizes("1K..8K"), Ok(Sizes(vec![1024, 2048, 4096, 8192])));
        assert_eq!(sizes("1M,100,1k"), Ok(Sizes(vec![100, 1024, 1 << 20])));
        assert_eq!(sizes("3..20,6"), Ok(Sizes(vec![3, 6, 12])));
        assert_eq!(
            ["2G", "1T", "1.5M", "0.5k"].map(size),
            [2 << 30, 1 << 40, 3 << 19, 512].map(Ok)
        );
        assert_eq!(["1T", "1025G"].map(|text| length(text).is_ok()), [true, false]);
        assert_eq!(sizes("1K..1M").unwrap().0, default_sizes());
    }

    #[test]
    fn what_is_no_length_is_refused() {
        for text in ["", "K", "-1", "+1", "1.5", "1.M", ".5M", "1KB", "1..", "..2", "0", "0.0001K"]
        {
            assert!(sizes(text).is_err(), "{text}");
        }
        for text in ["99999999999G", "16777216T", "1,,2", "é", "1e99", "NaN", "4 GB", "1.5.2M"] {
            assert!(sizes(text).is_err(), "{text}");
        }
        assert_eq!(sizes("2K..1K"), Err("the range '2K..1K' goes down".into()));
    }
}
