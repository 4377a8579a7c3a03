//! Rule "routing", for messages that are forwarded and for fixed routes: a message goes no farther than the
//! routing allows, and by its route if that is fixed. (With wormhole switching and free routes it is a rule
//! about single transfers, and stands beside the rule "path".)

use super::graph::FAR;
use super::groups::{Hop, by_message};
use super::plan::Plan;
use super::traffic::Fixed;
use super::violation::{InOrder, Report, Rule, Violation};

/// The violations of this rule, by source and first transfer of the message.
#[derive(Default)]
pub(super) struct Routing {
    found: InOrder<(usize, u32, u32)>,
}

impl Routing {
    /// Checks the messages of a source, whose transfers are sorted by message.
    pub fn check(&mut self, plan: &Plan<'_>, source: usize, hops: &[Hop]) {
        let demand = &plan.demand;
        match &demand.fixed {
            Some(fixed) => self.follow(plan, fixed, source, hops),
            None if (!demand.wormhole || demand.hosts) && !demand.broadcast => {
                self.journeys(plan, source, hops);
            }
            None => {}
        }
    }

    /// Adds what was found about other sources.
    pub fn absorb(&mut self, other: Self) {
        self.found.absorb(other.found);
    }

    /// Tells what was found.
    pub fn tell(self, report: &mut Report) {
        self.found.tell(report);
    }

    /// Scatters that are forwarded: all hops of a message against the distance it has to go.
    fn journeys(&mut self, plan: &Plan<'_>, source: usize, hops: &[Hop]) {
        if hops.is_empty() {
            return;
        }
        let distance = plan.graph.distances_from(source);
        for hops in by_message(hops) {
            let (first, last) = (hops[0], hops[hops.len() - 1]);
            let distance = distance[first.destination as usize];
            // A message to an unreachable destination violates another rule.
            if distance == FAR {
                continue;
            }
            let length = hops.iter().map(|hop| u64::from(hop.length)).sum();
            if let Some(why) = too_long(plan, "the journey", length, distance) {
                self.found.add((source, first.destination, first.copy), || {
                    let why = format!("{}: {why}", plan.message(&plan.at(first.id)));
                    Violation::new(Rule::Routing, why).by(plan, &[plan.at(last.id)])
                });
            }
        }
    }

    /// Fixed routes: every message takes the route of its pair, channel by channel.
    fn follow(&mut self, plan: &Plan<'_>, fixed: &Fixed, source: usize, hops: &[Hop]) {
        for hops in by_message(hops) {
            // In wormhole networks a transfer is the whole path, even if there are too many
            // transfers.
            let is_one = plan.demand.wormhole && !plan.demand.hosts;
            let hops = if is_one { &hops[..1] } else { hops };
            let first = hops[0];
            let taken = hops.iter().flat_map(|hop| plan.path(hop.id));
            let route = fixed.route(&plan.graph, source, first.destination as usize);
            let route = route.unwrap_or_default();
            if !taken.clone().map(|&c| c as usize).eq(route.iter().copied()) {
                self.found.add((source, first.destination, first.copy), || {
                    let (name, taken) = (fixed.name(), taken.collect::<Vec<_>>());
                    let why = format!("the {name} route of this pair is {route:?}, not {taken:?}");
                    Violation::new(Rule::Routing, why).by(plan, &[plan.at(first.id)])
                });
            }
        }
    }
}

/// What is wrong with a length, if it is more than the routing allows.
pub(super) fn too_long(plan: &Plan<'_>, what: &str, length: u64, distance: u64) -> Option<String> {
    let most = distance.saturating_add(plan.demand.slack);
    (length > most).then(|| match plan.demand.slack {
        0 => format!("{what} has {length} channels, the shortest {distance}"),
        s => format!("{what} has {length} channels, more than the shortest, {distance}, plus {s}"),
    })
}
