//! The rules about messages, each on all transfers of a message together. Large schedules take long to
//! group by source, so it is done once for all of these rules.

use super::causality::Causality;
use super::completeness::Completeness;
use super::contributions::Contributions;
use super::groups::{Sorter, each};
use super::journeys;
use super::plan::{By, Plan};
use super::routing::Routing;
use std::ops::ControlFlow;

/// What the rules found.
pub(super) struct Messages {
    /// Rule "routing".
    pub routing: Routing,
    /// The rules of reductions.
    pub contributions: Contributions,
    /// Rules "causality" and "redundant".
    pub causality: Causality,
    /// Rule "completeness".
    pub completeness: Completeness,
}

impl Messages {
    /// Checks all messages, source by source, unless a look at their journeys finds nothing wrong.
    pub fn check(plan: &Plan<'_>) -> Self {
        if journeys::are_direct(plan) {
            return Messages::new(plan);
        }
        let begin = || (Messages::new(plan), Sorter::new(plan));
        let found = each(plan, By::Source, begin, |(rules, sorter), source, hops| {
            // The transfers of a broadcast, or of a sum, are those of one message, unless that is cut.
            let is_alone = plan.demand.pieces == 1 && plan.demand.groups.is_none();
            let are_one = plan.demand.broadcast && is_alone;
            let hops = if are_one { hops } else { sorter.sort(hops) };
            if plan.demand.sums {
                rules.contributions.check(plan, source, hops);
                return ControlFlow::Continue(());
            }
            rules.routing.check(plan, source, hops);
            if plan.demand.adds {
                return ControlFlow::Continue(());
            }
            rules.causality.check(plan, source, hops);
            rules.completeness.check(plan, source, hops);
            ControlFlow::Continue(())
        });
        let mut rules = Messages::new(plan);
        found.into_iter().for_each(|(found, _)| rules.absorb(found));
        rules
    }

    /// Nothing is found.
    fn new(plan: &Plan<'_>) -> Self {
        Messages {
            routing: Routing::default(),
            contributions: Contributions::new(plan),
            causality: Causality::new(plan),
            completeness: Completeness::new(plan),
        }
    }

    /// Adds what was found about other sources.
    fn absorb(&mut self, other: Self) {
        self.routing.absorb(other.routing);
        self.contributions.absorb(other.contributions);
        self.causality.absorb(other.causality);
        self.completeness.absorb(other.completeness);
    }
}
