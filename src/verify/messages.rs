//! The rules about messages, each on all transfers of a message together. Large schedules take long to
//! group by source, so it is done once for all of these rules.

use super::causality::Causality;
use super::completeness::Completeness;
use super::groups::{By, Sorter, each};
use super::plan::Plan;
use super::routing::Routing;
use std::ops::ControlFlow;

/// What the rules found.
pub(super) struct Messages {
    /// Rule "routing".
    pub routing: Routing,
    /// Rules "causality" and "redundant".
    pub causality: Causality,
    /// Rule "completeness".
    pub completeness: Completeness,
}

impl Messages {
    /// Checks all messages, source by source.
    pub fn check(plan: &Plan<'_>) -> Self {
        let mut rules = Messages {
            routing: Routing::default(),
            causality: Causality::new(plan),
            completeness: Completeness::new(plan),
        };
        let mut sorter = Sorter::new(plan);
        each(plan, By::Source, |source, hops| {
            // The transfers of a broadcast are those of one message.
            let hops = if plan.demand.broadcast { hops } else { sorter.sort(hops) };
            rules.routing.check(plan, source, hops);
            rules.causality.check(plan, source, hops);
            rules.completeness.check(plan, source, hops);
            ControlFlow::Continue(())
        });
        rules
    }
}
