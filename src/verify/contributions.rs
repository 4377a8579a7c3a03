//! The rules of reductions. A transfer of a sum hands over all that its start holds of it at the
//! beginning of the step: its own contribution, and what reached it in earlier steps. Afterwards the
//! start holds nothing of it, so nothing is added twice; every contribution must end at the root.

use super::groups::Hop;
use super::plan::Plan;
use super::violation::{InOrder, Report, Rule, Violation};

/// In place of the number of a transfer.
const NONE: usize = usize::MAX;

/// The violations of these rules: those by transfers in the order of the file, then the contributions
/// that are missing, in the order of roots and senders.
pub(super) struct Contributions {
    wrong: InOrder<usize>,
    missing: InOrder<(usize, usize)>,
    /// By vertex, its place among the receivers.
    place: Vec<Option<usize>>,
    /// By vertex, the senders whose contributions to the present sum it holds.
    holds: Vec<Vec<usize>>,
    /// By vertex, the transfer that handed its part of the present sum over.
    handed: Vec<usize>,
}

impl Contributions {
    /// Nothing is found.
    pub fn new(plan: &Plan<'_>) -> Self {
        let vertices = if plan.demand.sums { plan.graph.len() } else { 0 };
        let mut place = vec![None; vertices];
        if plan.demand.sums {
            plan.demand.receivers.iter().enumerate().for_each(|(i, &r)| place[r] = Some(i));
        }
        let (wrong, missing) = (InOrder::default(), InOrder::default());
        let (holds, handed) = (vec![Vec::new(); vertices], vec![NONE; vertices]);
        Contributions { wrong, missing, place, holds, handed }
    }

    /// Adds what was found about other roots.
    pub fn absorb(&mut self, other: Self) {
        self.wrong.absorb(other.wrong);
        self.missing.absorb(other.missing);
    }

    /// Tells what was found.
    pub fn tell(self, report: &mut Report) {
        self.wrong.tell(report);
        self.missing.tell(report);
    }

    /// Follows the contributions to the sum of a root step by step.
    pub fn check(&mut self, plan: &Plan<'_>, root: usize, hops: &[Hop]) {
        let Some(place) = self.place[root] else {
            for hop in hops {
                let why = || format!("the model asks for no sum at '{}'", plan.name(root));
                self.add(plan, Rule::Completeness, &[hop.id], why);
            }
            return;
        };
        self.holds.iter_mut().for_each(Vec::clear);
        self.handed.fill(NONE);
        plan.demand.senders.iter().for_each(|&s| self.holds[s].push(s));
        for step in hops.chunk_by(|a, b| a.step == b.step) {
            let mut arriving = Vec::with_capacity(step.len());
            for hop in step {
                arriving.push((hop, self.hand_over(plan, root, hop)));
            }
            for (hop, part) in arriving {
                let to = hop.to as usize;
                let gone = self.handed[to];
                if gone != NONE && !part.is_empty() {
                    self.add(plan, Rule::Completeness, &[hop.id, gone], || {
                        let (name, sum) = (plan.name(to), plan.message(&plan.at(hop.id)));
                        format!("'{name}' has already handed over its part of {sum}")
                    });
                }
                self.holds[to].extend(part);
            }
        }
        let mut has = vec![false; plan.graph.len()];
        self.holds[root].iter().for_each(|&s| has[s] = true);
        for (at, &s) in plan.demand.senders.iter().enumerate().filter(|&(_, &s)| !has[s]) {
            self.missing.add((place, at), || {
                let (s, root) = (plan.name(s), plan.name(root));
                let why = format!("the contribution of '{s}' never reaches '{root}'");
                Violation::new(Rule::Completeness, why)
            });
        }
    }

    /// What a transfer takes from its start.
    fn hand_over(&mut self, plan: &Plan<'_>, root: usize, hop: &Hop) -> Vec<usize> {
        let from = hop.from as usize;
        let name = plan.name(from);
        let sum = || plan.message(&plan.at(hop.id));
        let before = self.handed[from];
        if from == root {
            let why = || format!("'{name}' is the root of {}, and keeps it", sum());
            self.add(plan, Rule::Causality, &[hop.id], why);
        } else if before != NONE {
            let why = || format!("'{name}' hands over its part of {} twice", sum());
            self.add(plan, Rule::Redundant, &[hop.id, before], why);
        } else if self.holds[from].is_empty() {
            let why = || format!("'{name}' holds no part of {} yet", sum());
            self.add(plan, Rule::Causality, &[hop.id], why);
        }
        self.handed[from] = hop.id;
        std::mem::take(&mut self.holds[from])
    }

    /// Adds a violation by some transfers, the first of which is at fault.
    fn add(&mut self, plan: &Plan<'_>, rule: Rule, ids: &[usize], why: impl FnOnce() -> String) {
        self.wrong.add(ids[0], || {
            let moves: Vec<_> = ids.iter().map(|&id| plan.at(id)).collect();
            Violation::new(rule, why()).by(plan, &moves)
        });
    }
}
