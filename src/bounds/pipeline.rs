//! Pipeline: with store-and-forward switching a message of distance h that leaves its source in step i
//! arrives in step i + h - 1 or later. Terminals send, and receive, a limited number of messages in a
//! step; so the sum of all first steps is at least A, and the sum of the steps that are left after the
//! arrivals, of T, at least B. With N messages of total distance H follows N T >= A + B + H. This counts
//! the steps in which receivers wait for the first messages and senders for the last.

use super::lengths::Lengths;
use super::{Bound, Evidence, load};
use ccsched_model::problem::Problem;

pub fn bound(problem: &Problem, lengths: &Lengths) -> Option<Bound> {
    if problem.switching().holds_paths() || problem.collective().content().is_common() {
        return None;
    }
    let n = problem.network().vertices().len();
    let (mut out, mut into) = (vec![0u64; n], vec![0u64; n]);
    for d in problem.demands() {
        out[d.source as usize] += 1;
        into[d.destination as usize] += 1;
    }
    let mut work = lengths.total();
    for v in 0..n {
        work += waits(out[v], problem.sends_at_once(v as u32));
        work += waits(into[v], problem.receives_at_once(v as u32));
    }
    let steps = load::steps(work, problem.demands().len());
    Some(Bound { name: "pipeline", steps, evidence: Evidence::Nothing })
}

/// The sum of the steps that these messages wait for their turn, at this rate.
fn waits(messages: u64, rate: usize) -> u64 {
    if rate == 0 {
        return 0;
    }
    let (full, rest) = (messages / rate as u64, messages % rate as u64);
    rate as u64 * (full * full.saturating_sub(1) / 2) + rest * full
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_wait_in_turn() {
        for messages in 0..20 {
            for rate in 1..6 {
                let sum: u64 = (0..messages).map(|k| k / rate).sum();
                assert_eq!(waits(messages, rate as usize), sum, "{messages} at {rate}");
            }
        }
    }
}
