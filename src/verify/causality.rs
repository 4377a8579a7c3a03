//! Rules "causality" and "redundant": no vertex sends a message that it does not have at the
//! beginning of the step, and no broadcast message goes to a vertex that has it.

use super::groups::{Hop, by_message};
use super::plan::Plan;
use super::violation::{InOrder, Report, Rule, Violation};

/// In place of the number of a transfer.
const NONE: usize = usize::MAX;

/// The violations of these rules: told step by step if messages are broadcast, and in a step first what is
/// redundant; else in the order of the file.
pub(super) struct Causality {
    found: InOrder<(u32, bool, usize)>,
    /// By vertex, the first transfer that delivers the present broadcast message to it, and its step.
    receipts: Vec<(usize, u32)>,
}

impl Causality {
    /// Nothing is found.
    pub fn new(plan: &Plan<'_>) -> Self {
        Causality { found: InOrder::default(), receipts: vec![(NONE, 0); plan.graph.len()] }
    }

    /// Checks the messages of a source step by step; transfers are sorted by message.
    pub fn check(&mut self, plan: &Plan<'_>, source: usize, hops: &[Hop]) {
        let is_direct = plan.demand.wormhole && !plan.demand.hosts;
        match (plan.demand.broadcast, is_direct) {
            (true, _) => by_message(hops).for_each(|hops| self.broadcast(plan, source, hops)),
            (false, true) => self.direct(plan, source, hops),
            (false, false) => self.journeys(plan, source, hops),
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

    fn broadcast(&mut self, plan: &Plan<'_>, source: usize, hops: &[Hop]) {
        let Causality { found, receipts } = self;
        for step in hops.chunk_by(|a, b| a.step == b.step) {
            for hop in step {
                let first = &mut receipts[hop.to as usize];
                let again = first.0 != NONE;
                *first = if again { *first } else { (hop.id, hop.step) };
                if hop.to as usize == source || again {
                    let first = first.0;
                    found.add((hop.step, false, hop.id), || {
                        let (m, first) = (plan.at(hop.id), plan.at(first));
                        let why = format!("'{}' already has {}", plan.name(m.to), plan.message(&m));
                        let moves = [m, first];
                        let moves = if again { &moves[..] } else { &moves[..1] };
                        Violation::new(Rule::Redundant, why).by(plan, moves)
                    });
                }
            }
            for hop in step.iter().filter(|hop| hop.from as usize != source) {
                let (receipt, at) = receipts[hop.from as usize];
                if receipt == NONE || at >= hop.step {
                    found.add((hop.step, true, hop.id), || {
                        let m = plan.at(hop.id);
                        let (from, what) = (plan.name(m.from), plan.message(&m));
                        let why = format!("'{from}' does not have {what} yet");
                        let violation = Violation::new(Rule::Causality, why).by(plan, &[m]);
                        if receipt == NONE {
                            violation
                        } else {
                            violation.by(plan, &[plan.at(receipt)])
                        }
                    });
                }
            }
        }
        hops.iter().for_each(|hop| receipts[hop.to as usize] = (NONE, 0));
    }

    /// Wormhole scatters go straight from source to destination.
    fn direct(&mut self, plan: &Plan<'_>, source: usize, hops: &[Hop]) {
        for hop in hops {
            if hop.from as usize != source || hop.to != hop.destination {
                self.add(hop, || {
                    let m = plan.at(hop.id);
                    let what = plan.message(&m);
                    let why = format!("{what} must go straight from source to destination");
                    Violation::new(Rule::Causality, why).by(plan, &[m])
                });
            }
        }
    }

    /// Scatters that are forwarded: a message is at one place and moves once a step.
    fn journeys(&mut self, plan: &Plan<'_>, source: usize, hops: &[Hop]) {
        for hops in by_message(hops) {
            let first = hops[0];
            if first.from as usize != source {
                self.add(&first, || {
                    let first = plan.at(first.id);
                    let why = format!("{} is still at its source", plan.message(&first));
                    Violation::new(Rule::Causality, why).by(plan, &[first])
                });
            }
            for pair in hops.windows(2) {
                let [before, hop] = [pair[0], pair[1]];
                let both = || [before.id, hop.id].map(|id| plan.at(id));
                if before.step == hop.step {
                    self.add(&hop, || {
                        let [before, m] = both();
                        let why = format!("{} moves twice in one step", plan.message(&m));
                        Violation::new(Rule::Causality, why).by(plan, &[before, m])
                    });
                } else if before.to != hop.from {
                    self.add(&hop, || {
                        let [before, m] = both();
                        let why = format!("{} is at '{}'", plan.message(&m), plan.name(before.to));
                        Violation::new(Rule::Causality, why).by(plan, &[m, before])
                    });
                }
            }
        }
    }

    /// Adds a violation by a transfer of a scatter.
    fn add(&mut self, hop: &Hop, violation: impl FnOnce() -> Violation) {
        self.found.add((hop.step, false, hop.id), violation);
    }
}
