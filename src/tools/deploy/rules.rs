//! The rules by which Open MPI takes the algorithms that are predicted to be the fastest: the file of
//! `coll_tuned_dynamic_rules_filename`. A measurement writes it anew.
//!
//! ```text
//! number of collectives
//! for each: its number, the number of sizes of communicators, and for each of these
//!     the size, the number of lines, and the lines: from which length on, algorithm, 0, 0
//! ```
//!
//! Lengths are those of all blocks of a rank; algorithm 0 leaves the choice to Open MPI.

use super::part::Part;
use ccsched_model::problem::Collective;
use std::fmt::Write;

/// Where at least this part of the time is that of bytes over links, a prediction is trusted: start-ups differ
/// more between a model and a machine.
const LEAST_SHARE: f64 = 0.9;

/// The number of the collective in Open MPI, and the blocks of a call.
fn number(part: &Part, ranks: u32) -> (u32, u64) {
    match part.collective {
        Collective::Aas => (3, ranks.into()),
        Collective::Aab => (0, ranks.into()),
        Collective::ReduceScatter => (13, ranks.into()),
        _ => (2, 1),
    }
}

/// The lines of a collective: from which length on which algorithm, ascending.
fn lines(part: &Part, blocks: u64) -> Vec<(u64, u32)> {
    let mut lines = vec![(0, 0)];
    let mut add = |bytes: u64, algorithm: u32| {
        if lines.last().is_some_and(|&(_, last)| last != algorithm) {
            lines.push((bytes * blocks, algorithm));
        }
    };
    for &bytes in part.sizes() {
        let model = part.model(bytes);
        let known = part.rivals.iter().filter(|(a, _)| a.open_mpi > 0);
        let fastest = known.min_by(|a, b| a.1.us(&model).total_cmp(&b.1.us(&model)));
        let is_trusted = |cost: &super::cost::Cost| {
            let moved = cost.blocks * model.message_bytes as f64 * model.byte_ns * 1e-3;
            moved >= LEAST_SHARE * cost.us(&model)
        };
        add(bytes, fastest.filter(|(_, cost)| is_trusted(cost)).map_or(0, |(a, _)| a.open_mpi));
    }
    // Longer calls are no other case for a model.
    lines
}

/// The file; none if no prediction is trusted.
pub(super) fn rules(parts: &[Part], ranks: u32) -> Option<String> {
    let of = |part| {
        let (number, blocks) = number(part, ranks);
        (number, lines(part, blocks))
    };
    let all: Vec<_> = parts.iter().map(of).filter(|(_, lines)| lines.len() > 1).collect();
    if all.is_empty() {
        return None;
    }
    let mut out = format!("{}\n", all.len());
    for (number, lines) in all {
        write!(out, "{number}\n1\n{ranks}\n{}\n", lines.len()).expect("a string takes any text");
        for (bytes, algorithm) in lines {
            writeln!(out, "{bytes} {algorithm} 0 0").expect("a string takes any text");
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deploy::algorithms;
    use crate::deploy::cost::Cost;
    use ccsched_model::schedule::TimeModel;

    #[test]
    fn lengths_that_links_decide_have_the_algorithm_with_the_least_load() {
        let named = |name: &str, starts, blocks| {
            let mut all = algorithms::of(Collective::Aab);
            (all.find(|a| a.name == name).unwrap(), Cost { starts, paths_us: 0.0, blocks })
        };
        // Start-ups take less than a tenth of the time of a ring from 90,000 bytes on.
        let part = Part {
            collective: Collective::Aab,
            points: Vec::new(),
            rivals: vec![named("bruck", 3, 20.0), named("ring", 7, 7.0)],
            against: Vec::new(),
            least_bytes: None,
            ranks: 8,
            model: TimeModel { startup_us: 10.0, byte_ns: 1.0, ..TimeModel::default() },
            sizes: vec![1 << 10, 1 << 16, 1 << 17, 1 << 20],
        };
        assert_eq!(lines(&part, 8), [(0, 0), (8 << 17, 4)]);
        assert_eq!(rules(&[part], 8).unwrap(), "1\n0\n1\n8\n2\n0 0 0 0\n1048576 4 0 0\n");
    }
}
