//! The rules of sums. A transfer that reduces hands over all that its start holds of the sum at the
//! beginning of the step: its own contribution, and what reached it in earlier steps. Afterwards the
//! start holds nothing of it, so nothing is added twice. In a reduction every contribution must end at
//! the root. In an all-reduce the sum may be complete at any vertex, or at two that exchange their
//! parts in one step, or where switches add up at more that do; from there transfers that gather copy it,
//! until every receiver has it.

use super::communicators::Groups;
use super::groups::Hop;
use super::plan::Plan;
use super::trees::members;
use super::violation::{InOrder, Report, Rule, Violation};

/// In place of the number of a transfer.
const NONE: usize = usize::MAX;

/// A sum.
struct Sum<'s> {
    root: usize,
    /// In which order it is told what it lacks.
    place: usize,
    contributors: &'s [usize],
    /// Those that must have all of it.
    receivers: &'s [usize],
}

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
    /// By vertex, whether it has the complete sum.
    has_all: Vec<bool>,
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
        let has_all = vec![false; vertices];
        Contributions { wrong, missing, place, holds, handed, has_all }
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

    /// Checks the pieces of the sum of a root; transfers are sorted by piece.
    pub fn check(&mut self, plan: &Plan<'_>, root: usize, hops: &[Hop]) {
        if let Some(groups) = &plan.demand.groups {
            return self.grouped(plan, groups, root, hops);
        }
        let Some(place) = self.place[root] else {
            return self.not_asked(plan, root, hops.iter());
        };
        let senders = &plan.demand.senders;
        let sum = Sum { root, place, contributors: senders, receivers: senders };
        (1..=plan.demand.pieces).for_each(|piece| self.follow(plan, &sum, of_copy(hops, piece)));
    }

    /// Transfers of sums that nobody asks for.
    fn not_asked<'h>(&mut self, plan: &Plan<'_>, root: usize, hops: impl Iterator<Item = &'h Hop>) {
        for hop in hops {
            let why = || format!("the model asks for no sum at '{}'", plan.name(root));
            self.add(plan, Rule::Completeness, &[hop.id], why);
        }
    }

    /// Checks the sums of a root in all of its groups, each of which stays where it may be.
    fn grouped(&mut self, plan: &Plan<'_>, groups: &Groups, root: usize, hops: &[Hop]) {
        let pieces = plan.demand.pieces;
        let asked = groups.of_source(root);
        let all = asked.len() as u64 * pieces;
        let nowhere = plan.graph.len();
        let is_none = |hop: &&Hop| hop.destination as usize != nowhere || u64::from(hop.copy) > all;
        self.not_asked(plan, root, hops.iter().filter(is_none));
        for asked in &asked {
            let contributors = &groups.contributors(root, asked);
            let receivers = &groups.with_sum(root, asked);
            let sum = Sum { root, place: root, contributors, receivers };
            for piece in 1..=pieces {
                let hops = of_copy(hops, asked.copy * pieces + piece);
                for hop in hops {
                    // Backwards in time, what starts a transfer of a sum gets a message.
                    for v in [hop.from as usize, hop.to as usize] {
                        let is_free = !plan.graph.terminal[v] || plan.demand.relays;
                        if !is_free && !groups.may_hold(root, asked, v, false) {
                            self.add(plan, Rule::Completeness, &[hop.id], || {
                                let sum = plan.message(&plan.at(hop.id));
                                format!("'{}' gets {sum}, which is not for it", plan.name(v))
                            });
                        }
                    }
                }
                self.follow(plan, &sum, hops);
            }
        }
    }

    /// Follows the contributions to a piece of a sum step by step.
    fn follow(&mut self, plan: &Plan<'_>, sum: &Sum<'_>, hops: &[Hop]) {
        self.holds.iter_mut().for_each(Vec::clear);
        self.handed.fill(NONE);
        self.has_all.fill(false);
        sum.contributors.iter().for_each(|&s| self.holds[s].push(s));
        if sum.contributors.len() == 1 {
            self.has_all[sum.contributors[0]] = true;
        }
        for step in hops.chunk_by(|a, b| a.step == b.step) {
            self.gather(plan, step);
            self.reduce(plan, sum, step);
            for hop in step {
                let to = hop.to as usize;
                self.has_all[to] |= plan.gathers(hop.id) || self.is_complete(sum, to);
            }
        }
        self.tell_missing(plan, sum);
    }

    /// The receivers, or contributions, that are missing in the end.
    fn tell_missing(&mut self, plan: &Plan<'_>, sum: &Sum<'_>) {
        let (root, place) = (sum.root, sum.place);
        let mut has = vec![false; plan.graph.len()];
        let wanted = match plan.demand.gathers {
            true => {
                has.copy_from_slice(&self.has_all);
                sum.receivers
            }
            false => {
                self.holds[root].iter().for_each(|&s| has[s] = true);
                sum.contributors
            }
        };
        for (at, &v) in wanted.iter().enumerate().filter(|&(_, &v)| !has[v]) {
            self.missing.add((place, at), || {
                let (v, root) = (plan.name(v), plan.name(root));
                let why = match plan.demand.gathers {
                    true => format!("'{v}' never gets the complete sum for '{root}'"),
                    false => format!("the contribution of '{v}' never reaches '{root}'"),
                };
                Violation::new(Rule::Completeness, why)
            });
        }
    }

    /// Whether a vertex holds all contributions.
    fn is_complete(&self, sum: &Sum<'_>, v: usize) -> bool {
        self.holds[v].len() == sum.contributors.len()
    }

    /// The transfers of a step that copy the complete sum.
    fn gather(&mut self, plan: &Plan<'_>, step: &[Hop]) {
        let mut served: Vec<(usize, usize)> = Vec::new();
        for hop in step.iter().filter(|hop| plan.gathers(hop.id)) {
            let (from, to) = (hop.from as usize, hop.to as usize);
            let sum = || plan.message(&plan.at(hop.id));
            if !self.has_all[from] {
                let why = || format!("'{}' does not have all of {} yet", plan.name(from), sum());
                self.add(plan, Rule::Causality, &[hop.id], why);
            }
            let before = served.iter().find(|(v, _)| *v == to).map(|&(_, id)| id);
            if self.has_all[to] || before.is_some() {
                let ids: Vec<usize> = std::iter::once(hop.id).chain(before).collect();
                let why = || format!("'{}' already has all of {}", plan.name(to), sum());
                self.add(plan, Rule::Redundant, &ids, why);
            }
            served.push((to, hop.id));
        }
    }

    /// The transfers of a step that hand partial sums over.
    fn reduce(&mut self, plan: &Plan<'_>, of: &Sum<'_>, step: &[Hop]) {
        let hops = step.iter().filter(|hop| !plan.gathers(hop.id));
        let hops = self.exchange(plan, of, hops.collect());
        let arriving: Vec<(&Hop, Vec<usize>)> =
            hops.into_iter().map(|hop| (hop, self.hand_over(plan, of.root, hop))).collect();
        for (hop, part) in &arriving {
            let (from, to) = (hop.from as usize, hop.to as usize);
            let gone = self.handed[to];
            // Two neighbours may exchange what they hold, if that completes the sum at both.
            let back = |(other, _): &&(&Hop, _)| (other.from, other.to) == (hop.to, hop.from);
            if let Some((other, its)) = arriving.iter().find(back).filter(|_| plan.demand.gathers) {
                if part.len() + its.len() != of.contributors.len() {
                    self.add(plan, Rule::Completeness, &[hop.id, other.id], || {
                        let [from, to] = [from, to].map(|v| plan.name(v));
                        let sum = plan.message(&plan.at(hop.id));
                        format!(
                            "'{from}' and '{to}' exchange parts of {sum} that are not all of it"
                        )
                    });
                }
                // What it has handed over it keeps as well.
                self.holds[from].extend(part);
            } else if gone != NONE && !part.is_empty() {
                self.add(plan, Rule::Completeness, &[hop.id, gone], || {
                    let (name, sum) = (plan.name(to), plan.message(&plan.at(hop.id)));
                    format!("'{name}' has already handed over its part of {sum}")
                });
            }
            self.holds[to].extend(part);
        }
    }

    /// Three vertices or more exchange all of the sum, if switches copy and add up: each sends its part to each
    /// other one, and all have the sum. Returns the other transfers.
    fn exchange<'h>(&mut self, plan: &Plan<'_>, of: &Sum<'_>, hops: Vec<&'h Hop>) -> Vec<&'h Hop> {
        let pairs: Vec<[usize; 2]> =
            hops.iter().map(|hop| [hop.from as usize, hop.to as usize]).collect();
        if !plan.demand.multicast || !plan.demand.gathers {
            return hops;
        }
        let members = members(&pairs);
        if members.len() < 3 {
            return hops;
        }
        let is_inside = |hop: &&Hop| {
            members.contains(&(hop.from as usize)) && members.contains(&(hop.to as usize))
        };
        let (inside, outside): (Vec<&Hop>, Vec<&Hop>) = hops.into_iter().partition(is_inside);
        let (mut all, mut done) = (Vec::new(), Vec::new());
        for hop in &inside {
            if !done.contains(&hop.from) {
                done.push(hop.from);
                all.extend(self.hand_over(plan, of.root, hop));
            }
        }
        if all.len() != of.contributors.len() {
            let ids: Vec<usize> = inside.iter().map(|hop| hop.id).take(4).collect();
            self.add(plan, Rule::Completeness, &ids, || {
                let sum = plan.message(&plan.at(ids[0]));
                format!("{} vertices exchange parts of {sum} that are not all of it", done.len())
            });
        }
        done.iter().for_each(|&v| self.holds[v as usize].clone_from(&all));
        outside
    }

    /// What a transfer takes from its start.
    fn hand_over(&mut self, plan: &Plan<'_>, root: usize, hop: &Hop) -> Vec<usize> {
        let from = hop.from as usize;
        let name = plan.name(from);
        let sum = || plan.message(&plan.at(hop.id));
        let before = self.handed[from];
        let keeps = if plan.demand.gathers { self.has_all[from] } else { from == root };
        if keeps {
            let why = || format!("'{name}' has all of {}, or is its root, and keeps it", sum());
            self.add(plan, Rule::Redundant, &[hop.id], why);
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

/// The transfers of this copy, from 1, which are sorted by copy.
fn of_copy(hops: &[Hop], copy: u64) -> &[Hop] {
    let first = hops.partition_point(|hop| u64::from(hop.copy) < copy);
    let end = hops.partition_point(|hop| u64::from(hop.copy) <= copy);
    &hops[first..end]
}
