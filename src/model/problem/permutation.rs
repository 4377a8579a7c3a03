//! Permutations as traffic: the i-th sender has a message for the p(i)-th receiver. A sender whose
//! receiver is itself sends nothing.

use super::Pair;
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A permutation by rule, or from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permutation {
    /// The bits of the index in reverse order.
    BitReverse,
    /// Row and column of a square exchanged.
    Transpose,
    /// A cyclic shift by this number of places.
    Shift(u64),
    /// Pairs of a CSV file; no source and no destination may appear twice.
    File(PathBuf),
}

impl FromStr for Permutation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if let Some(places) = text.strip_prefix("shift:") {
            return places.parse().map(Permutation::Shift).map_err(|_| {
                Error::problem(format!("shift:K needs a whole number K from 0, not '{places}'"))
            });
        }
        Ok(match text {
            "bit-reverse" => Permutation::BitReverse,
            "transpose" => Permutation::Transpose,
            path if Path::new(path).is_file() => Permutation::File(path.into()),
            _ => {
                return Err(Error::problem(format!(
                    "'{text}' is neither a permutation (bit-reverse, transpose, shift:K) nor a file"
                )));
            }
        })
    }
}

impl Permutation {
    /// The pairs of senders and receivers, in the order of the senders; `read` reads a file of pairs.
    ///
    /// # Errors
    /// Numbers of senders and receivers that differ, or that are no power of 2 or no square where
    /// the permutation needs one; a file with a source or destination twice.
    pub fn pairs(
        &self,
        senders: &[String],
        receivers: &[String],
        read: impl Fn(&Path) -> Result<Vec<Pair>>,
    ) -> Result<Vec<Pair>> {
        if let Permutation::File(path) = self {
            return once_each(path, read(path)?);
        }
        let wrong = |why: String| Err(Error::field("permutation", why));
        let n = senders.len();
        if n != receivers.len() {
            return wrong(format!(
                "{n}, but {}",
                counted(receivers.len(), "receiver"),
                n = counted(n, "sender")
            ));
        }
        let side = n.isqrt();
        if *self == Permutation::BitReverse && !n.is_power_of_two() {
            return wrong(format!("bit-reverse needs a power of 2 of senders, not {n}"));
        }
        if *self == Permutation::Transpose && side * side != n {
            return wrong(format!("transpose needs a square number of senders, not {n}"));
        }
        let image = |i: usize| match self {
            Permutation::BitReverse if n > 1 => i.reverse_bits() >> (usize::BITS - n.ilog2()),
            Permutation::Transpose => i % side * side + i / side,
            Permutation::Shift(k) => (i as u64 + k % n as u64) as usize % n,
            _ => i,
        };
        let pair = |(i, source): (usize, &String)| {
            let destination = receivers[image(i)].clone();
            Pair { source: source.clone(), destination, bytes: None, count: 1 }
        };
        let pairs = senders.iter().enumerate().map(pair);
        Ok(pairs.filter(|pair| pair.source != pair.destination).collect())
    }
}

/// The pairs of a file, if each sends and receives once.
fn once_each(path: &Path, pairs: Vec<Pair>) -> Result<Vec<Pair>> {
    let (mut sources, mut destinations) = (HashSet::new(), HashSet::new());
    for pair in &pairs {
        let twice = |name: &str, verb: &str| {
            let path = path.display();
            Err(Error::problem(format!(
                "{path}: '{name}' {verb} twice; a permutation has every source and destination \
                 once (for other traffic give a file of pairs)"
            )))
        };
        if pair.count > 1 || !sources.insert(&pair.source) {
            return twice(&pair.source, "sends");
        }
        if !destinations.insert(&pair.destination) {
            return twice(&pair.destination, "receives");
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The images of 0..n; a dash where nothing is sent.
    fn images(text: &str, n: usize) -> String {
        let names: Vec<String> = (0..n).map(|i| i.to_string()).collect();
        let pairs =
            text.parse::<Permutation>().unwrap().pairs(&names, &names, |_| Ok(vec![])).unwrap();
        let image = |name: &String| {
            let pair = pairs.iter().find(|pair| pair.source == *name);
            pair.map_or("-", |pair| pair.destination.as_str())
        };
        names.iter().map(image).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_known_ones() {
        assert_eq!(images("bit-reverse", 8), "- 4 - 6 1 - 3 -");
        assert_eq!(images("bit-reverse", 1), "-");
        assert_eq!(images("transpose", 9), "- 3 6 1 - 7 2 5 -");
        assert_eq!(images("shift:2", 5), "2 3 4 0 1");
        assert_eq!(images("shift:18446744073709551615", 5), "- - - - -");
    }

    #[test]
    fn others_are_refused() {
        let names = ["a", "b", "c"].map(String::from);
        for text in ["bit-reverse", "transpose"] {
            assert!(
                text.parse::<Permutation>().unwrap().pairs(&names, &names, |_| Ok(vec![])).is_err()
            );
        }
        assert!(Permutation::Shift(1).pairs(&names, &names[..2], |_| Ok(vec![])).is_err());
        assert!("shift:x".parse::<Permutation>().is_err());
        assert!("no such file".parse::<Permutation>().is_err());
    }
}
