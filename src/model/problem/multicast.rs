//! Copies and sums in switches: what the rule is for, and which transfers are one (docs/model.md,
//! "Copies and sums in switches").
//!
//! A tree is written as the paths from its root to its ends, each a transfer of the same message in the
//! same step. They are one transfer if no vertex is entered over two channels of theirs, so that each
//! channel of theirs counts once. Of a sum it is the same backwards: no vertex is left over two.

use super::{Joining, Multicast, Problem, Switching};
use ccsched_base::{Error, Result};

impl Problem {
    /// Whether switches copy messages, and add up sums, on their way.
    #[inline]
    pub fn is_multicast(&self) -> bool {
        self.request.multicast == Multicast::Switch
    }

    /// Whether a terminal whose message leaves over several channels sends it once, and its router
    /// makes the copies; with hosts switching it sends a copy over each channel.
    pub fn copies_at_start(&self) -> bool {
        match self.asked_switching() {
            Switching::Wormhole => true,
            Switching::Hosts | Switching::StoreAndForward => false,
        }
    }

    /// The problem under the rule that terminals alone copy and add up.
    ///
    /// # Errors
    /// As [`super::Request::pose`].
    pub fn without_multicast(&self) -> Result<Problem> {
        let request = super::Request { multicast: Multicast::None, ..self.request.clone() };
        let network = self.asked_network().into_owned();
        request.pose_again(network, self.faults.clone(), self.table.as_deref().cloned())
    }

    /// Refuses a problem in which switches copy and add up, for programs that know transfers from one terminal
    /// to another alone.
    ///
    /// # Errors
    /// It is such a problem; `what` is the program.
    pub fn refuse_multicast(&self, what: &str) -> Result<()> {
        if !self.is_multicast() {
            return Ok(());
        }
        let why = format!(
            "{what} knows transfers from one terminal to another, and none that switches copy or add \
             up; take a schedule without them"
        );
        Err(Error::field("multicast", why))
    }

    /// Refuses copies in switches where they cannot make a difference, or are not modelled.
    pub(super) fn check_multicast(&self) -> Result<()> {
        if !self.is_multicast() {
            return Ok(());
        }
        let collective = self.collective;
        let why = if self.groups.is_some() {
            "groups side by side are scheduled without copies in switches; solve each group alone"
                .to_string()
        } else if collective.content().is_personal() {
            format!("{collective} has nothing to copy: each of its messages has one destination")
        } else if collective.joining() != Joining::Apart {
            format!(
                "{collective} is scheduled without sums in switches; all-reduce, reduce and \
                 reduce-scatter may have them"
            )
        } else if self.asked_switching().stores() {
            "with store-and-forward switching every vertex stores a message and sends each copy \
             itself; copies on the way are for wormhole and hosts switching"
                .into()
        } else if self.switching.stores() {
            "no switch takes part, so each path is one channel, and hosts make all copies; with \
             wormhole switching the routers of terminals copy"
                .into()
        } else {
            return Ok(());
        };
        Err(Error::field("multicast", why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Collective, Request};
    use ccsched_network::spec;

    fn refusal(topology: &str, collective: Collective, switching: Switching) -> Option<String> {
        let multicast = Multicast::Switch;
        let request = Request { switching, multicast, ..Request::new(collective) };
        let posed = request.pose(spec::parse(topology).unwrap(), vec![]);
        posed.err().map(|why| why.to_string())
    }

    #[test]
    fn what_copies_cannot_change_is_refused_with_the_reason() {
        use Collective::{Aab, Aas, AllReduce, AllReduceWhole, Barrier, Oab, Reduce};
        use Switching::{Hosts, StoreAndForward, Wormhole};
        for (topology, collective, switching) in [
            ("dgx-a100:1", Aab, Hosts),
            ("dgx1:2", AllReduce, Hosts),
            ("mesh:4x4", Oab, Wormhole),
            ("mesh:4x4", Reduce, Wormhole),
        ] {
            assert_eq!(refusal(topology, collective, switching), None, "{topology}");
        }
        for (topology, collective, switching, why) in [
            ("dgx-a100:1", Aas, Hosts, "has one destination"),
            ("dgx-a100:1", Aab, StoreAndForward, "stores a message"),
            ("ring:5", Aab, Hosts, "no switch takes part"),
            ("dgx-a100:1", Barrier, Hosts, "without sums in switches"),
            ("dgx-a100:1", AllReduceWhole, Hosts, "without sums in switches"),
        ] {
            let told = refusal(topology, collective, switching).expect("it is refused");
            assert!(told.starts_with("multicast: ") && told.contains(why), "{told}");
        }
    }

    #[test]
    fn the_problem_without_copies_differs_in_nothing_else() {
        let multicast = Multicast::Switch;
        let request = Request { multicast, ..Request::new(Collective::ReduceScatter) };
        let problem = request.pose(spec::parse("dgx-a100:1").unwrap(), vec![]).unwrap();
        let plain = problem.without_multicast().unwrap();
        assert!(problem.is_multicast() && !plain.is_multicast());
        assert!(!problem.is_plain() && plain.is_plain());
        assert_eq!(problem.network(), plain.network());
        assert_eq!(problem.demands(), plain.demands());
    }
}
