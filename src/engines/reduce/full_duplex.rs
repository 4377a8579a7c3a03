//! Full-duplex links for half-duplex ones, in all-to-all scatters by wormhole switching: each step becomes two, and
//! transfers that use a link in opposite directions go in different ones.
//!
//! That is a colouring of a graph with two colours. On a ring, transfers forward meet those backward only. Of the
//! circuits of rows and columns (construct/grid/circuits.rs), the message from (x, y) to (x', y') and the opposite one
//! use each side of their rectangle once, and the other two that share it use each in the other direction. So twice
//! the steps with full-duplex links are as near to the bound. Where the graph has odd cycles, some messages are left.

use super::Reduction;
use crate::Method;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::{Plan, Step};
use ccsched_network::{ChannelId, Network};
use std::sync::Arc;

/// The name of its schedules.
pub const NAME: &str = "all-to-all construction: half duplex";
/// No transfer.
const NONE: usize = usize::MAX;
/// If more than one of this many messages is left, other constructors need fewer steps.
const LEAST_SHARE: usize = 50;

/// A problem, and the same problem with full-duplex links.
#[derive(Debug)]
pub struct FullDuplex {
    outer: Arc<Problem>,
    inner: Arc<Problem>,
}

impl FullDuplex {
    /// None unless all links are half duplex, of capacity 1.
    pub fn of(problem: &Arc<Problem>) -> Option<Self> {
        let network = problem.network();
        let applies = network.is_half_duplex()
            && network.uniform_capacity() == Some(1)
            && !problem.has_fixed_routes()
            && problem.switching().holds_paths()
            && problem.is_exchange();
        let inner = || Arc::new(problem.at_full_duplex());
        applies.then(|| FullDuplex { outer: problem.clone(), inner: inner() })
    }
}

impl Reduction for FullDuplex {
    fn inner(&self) -> &Arc<Problem> {
        &self.inner
    }

    fn plan(&self, inner: Plan) -> Plan {
        inner.divided(2, || {
            let mut meetings = Meetings::new(self.outer.network());
            move |step: &Step| meetings.turns(step)
        })
    }

    fn may_leave(&self) -> usize {
        self.outer.demands().len() / LEAST_SHARE
    }

    fn method(&self, _: Method) -> Method {
        Method::Construction(NAME.into())
    }
}

/// Which transfers of a step meet.
struct Meetings<'p> {
    network: &'p Network,
    /// By channel, the transfer of the step that uses it; reused.
    user: Vec<usize>,
}

impl<'p> Meetings<'p> {
    fn new(network: &'p Network) -> Self {
        Meetings { network, user: vec![NONE; network.channels().len()] }
    }

    /// By transfer of a step, its turn; none if it is left. Those of a turn use every link in one direction.
    fn turns(&mut self, step: &Step) -> Vec<Option<usize>> {
        self.tell(step, |t| t);
        let mut turns: Vec<Option<usize>> = vec![None; step.len()];
        let mut is_seen = vec![false; step.len()];
        let mut waiting = Vec::new();
        for first in 0..step.len() {
            if !std::mem::replace(&mut is_seen[first], true) {
                waiting.push(first);
            }
            // From each to those that it meets, which get the other turn.
            while let Some(t) = waiting.pop() {
                let mut is_open = [true; 2];
                for other in self.met(step.transfer(t).channels) {
                    match turns[other] {
                        Some(turn) => is_open[turn] = false,
                        None if !std::mem::replace(&mut is_seen[other], true) => {
                            waiting.push(other)
                        }
                        None => {}
                    }
                }
                turns[t] = is_open.iter().position(|&is_open| is_open);
            }
        }
        self.tell(step, |_| NONE);
        turns
    }

    /// Sets the user of every channel that the transfers of a step use.
    fn tell(&mut self, step: &Step, user: impl Fn(usize) -> usize) {
        for (t, transfer) in step.iter().enumerate() {
            transfer.channels.iter().for_each(|&c| self.user[c as usize] = user(t));
        }
    }

    /// The transfers that use links of a path in the other direction.
    fn met(&self, path: &[ChannelId]) -> impl Iterator<Item = usize> {
        let opposite = |&c: &ChannelId| self.network.channel(c).excludes();
        path.iter().filter_map(opposite).map(|c| self.user[c as usize]).filter(|&t| t != NONE)
    }
}

#[cfg(test)]
mod tests {
    use crate::construct::through;
    use crate::reduce::FULL_DUPLEX;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_model::schedule::file::Provenance;
    use ccsched_network::spec;
    use ccsched_verify::verify;
    use std::sync::Arc;

    /// Steps of the schedule, which is verified.
    fn steps(topology: &str) -> Option<usize> {
        let request = Request::new(Collective::Aas);
        let problem = Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap());
        let (plan, _) = through(&FULL_DUPLEX, &problem, &rng_of(1, 0, 0))?;
        let file = plan.record(&problem, &[], Provenance::default());
        assert!(verify(&file).is_empty(), "{topology} {:?}", verify(&file));
        Some(plan.len())
    }

    #[test]
    fn a_step_with_full_duplex_links_becomes_two() {
        for (topology, bound, most) in [
            ("mesh:12,half", 72, 72),
            ("ring:16,half", 64, 64),
            ("mesh:12x12,half", 864, 864),
            ("torus:12x12,half", 432, 432),
            ("hypercube:6,half", 64, 64),
            ("mesh:13x14,half", 1274, 1274),
            ("mesh:4x4x4,half", 128, 128),
        ] {
            let steps = steps(topology).unwrap();
            assert!((bound..=most).contains(&steps), "{topology}: {steps}");
        }
    }

    #[test]
    fn other_links_are_left_to_others() {
        for topology in ["mesh:12x12", "mesh:12x12,half,width=2", "torus:11x11,half"] {
            assert_eq!(steps(topology), None, "{topology}");
        }
    }
}
