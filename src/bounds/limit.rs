//! The limit for many pieces: the steps of whole messages that no schedule undercuts, into however
//! many equal pieces messages are cut. Broadcasts: the worst cut. Scatters: the weights of the
//! congestion bound, whose ratio is then not rounded up.

use super::cut::worst;
use super::{About, Evidence, congestion};
use ccsched_model::problem::Problem;

/// The limit, as a fraction in lowest terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Which argument.
    pub name: &'static str,
    /// The numerator: at least this number of steps for [`pieces`](Self::pieces) pieces.
    pub steps: u64,
    /// The denominator. Only multiples of it can reach the limit.
    pub pieces: u64,
    /// The bottleneck.
    pub evidence: Evidence,
}

impl Limit {
    /// The fewest steps of messages in this number of pieces.
    pub fn steps_of(&self, pieces: u32) -> u64 {
        (u128::from(self.steps) * u128::from(pieces)).div_ceil(u128::from(self.pieces)) as u64
    }
}

/// The limit of a problem; none of an all-reduce, of groups, where messages join, and of networks that are
/// too large.
pub fn limit(problem: &Problem) -> Option<Limit> {
    if !matches!(About::of(problem), About::Messages | About::Copied) {
        return None;
    }
    if problem.collective().content().is_common() {
        let worst = worst(problem)?;
        let evidence = Evidence::Side(worst.side.vertices().collect());
        return Some(reduced("cut", [worst.messages.into(), worst.capacity.into()], evidence));
    }
    let whole = (problem.pieces() > 1).then(|| problem.of_whole_messages());
    let (fraction, weights) = congestion::limit(whole.as_ref().unwrap_or(problem))?;
    Some(reduced("congestion", fraction, Evidence::Weights(weights)))
}

fn reduced(name: &'static str, [steps, pieces]: [u128; 2], evidence: Evidence) -> Limit {
    let (mut a, mut b) = (steps, pieces);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    let divisor = a.max(1);
    Limit { name, steps: (steps / divisor) as u64, pieces: (pieces / divisor) as u64, evidence }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::{Collective, Request, Routing, Switching};
    use ccsched_network::spec;

    fn fraction(topology: &str, collective: Collective) -> (u64, u64) {
        let switching = Switching::StoreAndForward;
        let is_common = collective.content().is_common();
        let routing = if is_common { Routing::Minimal } else { Routing::Any };
        let request = Request { switching, routing, ..Request::new(collective) };
        let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
        let limit = limit(&problem).unwrap();
        (limit.steps, limit.pieces)
    }

    /// Fractions by linear programs and minimum cuts of other programs.
    #[test]
    fn fractions_are_those_of_other_programs() {
        for (topology, gather, scatter) in [
            ("ring:8", (7, 2), (8, 1)),
            ("hypercube:3", (7, 3), (4, 1)),
            ("torus:4x4", (15, 4), (8, 1)),
            ("mesh:4x4", (15, 2), (16, 1)),
            ("petersen", (3, 1), (5, 1)),
            ("heawood", (13, 3), (9, 1)),
            ("kautz:2,2", (5, 2), (13, 3)),
            ("dgx1", (7, 6), (8, 3)),
            ("mesh:3x3", (4, 1), (6, 1)),
        ] {
            assert_eq!(fraction(topology, Collective::Aab), gather, "{topology}");
            assert_eq!(fraction(topology, Collective::Aas), scatter, "{topology}");
        }
        assert_eq!(fraction("ring:6", Collective::Oab), (1, 2));
        assert_eq!(fraction("kautz:2,2", Collective::ReduceScatter), (5, 2));
    }
}
