//! The rounds of a step: usually receivers and direct hops first, then relays and long hops.

use super::hops::Hops;
use super::settings::{Rank, Settings};

/// A round of choices.
#[derive(Clone, Copy)]
pub struct Round {
    /// Whether long hops are used, too.
    pub long: bool,
    /// Whether receivers choose.
    pub receivers: bool,
    /// Whether relays choose.
    pub relays: bool,
}

/// The rounds of one step.
pub fn rounds(hops: &Hops, Settings { relays, long, .. }: Settings) -> impl Iterator<Item = Round> {
    let long = if hops.any_long() { long } else { Rank::No };
    let first = Round { long: long == Rank::Equal, receivers: true, relays: relays == Rank::Equal };
    let then = Round { receivers: false, relays: true, ..first };
    let rest = Round { long: true, receivers: true, relays: relays != Rank::No };
    let all = [(true, first), (relays == Rank::After, then), (long == Rank::After, rest)];
    all.into_iter().filter(|(wanted, _)| *wanted).map(|(_, round)| round)
}
