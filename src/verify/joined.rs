//! The rules of an all-reduce of one part. The contributions that take one path in one step are one
//! sum. A vertex keeps what it receives, each sum as a whole, and passes on sums of what it has. A
//! contribution that a vertex has does not reach it again, unless in the complete sum, which takes
//! the place of everything that the vertex has. In the end every process has all contributions.

use super::plan::Plan;
use super::violation::{Report, Rule, Violation};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// In place of the transfer that brought a contribution: that of the vertex itself.
const OWN: usize = usize::MAX;

/// What a vertex has.
#[derive(Default)]
struct Held {
    /// By contributor, the first transfer of the sum in which its contribution came.
    came: HashMap<usize, usize>,
    /// By the first transfer of a sum, the contributions in it.
    sizes: HashMap<usize, usize>,
}

impl Held {
    fn add(&mut self, sum: &Sum) {
        self.came.extend(sum.contributors.iter().map(|&s| (s, sum.id)));
        self.sizes.insert(sum.id, sum.contributors.len());
    }
}

/// The transfers of a step that share a path.
struct Sum {
    /// The first of them.
    id: usize,
    from: usize,
    to: usize,
    contributors: Vec<usize>,
}

/// By transfer of a step that is the first over its path, or the only one, those over this path.
pub(super) fn together(plan: &Plan<'_>, step: Range<usize>) -> Vec<Vec<usize>> {
    let mut ids: Vec<usize> = step.collect();
    let key = |&id: &usize| (plan.stops(id), plan.path(id));
    ids.sort_by(|a, b| key(a).cmp(&key(b)).then(a.cmp(b)));
    let mut together: Vec<Vec<usize>> =
        ids.chunk_by(|a, b| key(a) == key(b)).map(<[usize]>::to_vec).collect();
    together.sort_unstable();
    together
}

/// Checks all transfers step by step.
pub(super) fn check(plan: &Plan<'_>, report: &mut Report) {
    let demand = &plan.demand;
    let mut held: Vec<Held> = Vec::new();
    held.resize_with(plan.graph.len(), Held::default);
    for &s in &demand.senders {
        held[s].add(&Sum { id: OWN, from: s, to: s, contributors: vec![s] });
    }
    for step in plan.by_step() {
        let mut sums = Vec::new();
        for ids in together(plan, step) {
            let sum = read(plan, &ids, report);
            leaves(plan, &sum, &held[sum.from], report);
            sums.push(sum);
        }
        arrive(plan, &sums, &mut held, report);
        if report.full() {
            return;
        }
    }
    for &r in &demand.receivers {
        for &s in demand.senders.iter().filter(|s| !held[r].came.contains_key(s)) {
            let (to, from) = (plan.name(r), plan.name(s));
            let why = format!("'{to}' never gets the contribution of '{from}'");
            report.add(Violation::new(Rule::Completeness, why));
            if report.full() {
                return;
            }
        }
    }
}

/// The sum of some transfers over one path.
fn read(plan: &Plan<'_>, ids: &[usize], report: &mut Report) -> Sum {
    let [from, to] = plan.stops(ids[0]);
    let mut contributors = Vec::with_capacity(ids.len());
    let mut seen = HashSet::new();
    for m in ids.iter().map(|&id| plan.at(id)) {
        let name = plan.name(m.source);
        let wrong = if !plan.demand.sends[m.source] {
            Some((Rule::Completeness, format!("the model asks for no contribution of '{name}'")))
        } else if !seen.insert(m.source) {
            Some((Rule::Redundant, format!("the contribution of '{name}' is added twice")))
        } else {
            contributors.push(m.source);
            None
        };
        if let Some((rule, why)) = wrong {
            report.add(Violation::new(rule, why).by(plan, &[m]));
        }
    }
    Sum { id: ids[0], from, to, contributors }
}

/// Checks that a vertex can make the sum that it sends: of whole sums that it has.
fn leaves(plan: &Plan<'_>, sum: &Sum, held: &Held, report: &mut Report) {
    let from = plan.name(sum.from);
    let mut parts: HashMap<usize, usize> = HashMap::new();
    for &s in &sum.contributors {
        match held.came.get(&s) {
            Some(&first) => *parts.entry(first).or_default() += 1,
            None => {
                let why =
                    format!("'{from}' does not have the contribution of '{}' yet", plan.name(s));
                report.add(Violation::new(Rule::Causality, why).by(plan, &[plan.at(sum.id)]));
            }
        }
    }
    let mut split: Vec<usize> = parts
        .into_iter()
        .filter(|(first, number)| held.sizes[first] != *number)
        .map(|p| p.0)
        .collect();
    split.sort_unstable();
    for first in split {
        let why = format!("'{from}' passes on a part of a sum that it got as a whole");
        let moves = [plan.at(sum.id), plan.at(first)];
        report.add(Violation::new(Rule::Causality, why).by(plan, &moves));
    }
}

/// The sums of a step arrive.
fn arrive(plan: &Plan<'_>, sums: &[Sum], held: &mut [Held], report: &mut Report) {
    let all = plan.demand.senders.len();
    let mut now: HashMap<usize, Vec<&Sum>> = HashMap::new();
    sums.iter().for_each(|sum| now.entry(sum.to).or_default().push(sum));
    for sum in sums {
        let (to, others) = (&mut held[sum.to], &now[&sum.to]);
        let again = |ids: &[usize], what: String, report: &mut Report| {
            let why = format!("'{}' already has {what}", plan.name(sum.to));
            let moves: Vec<_> = ids.iter().map(|&id| plan.at(id)).collect();
            report.add(Violation::new(Rule::Redundant, why).by(plan, &moves));
        };
        if sum.contributors.len() == all {
            let other = others.iter().find(|other| other.id != sum.id);
            if to.came.len() == all || other.is_some() {
                let ids: Vec<usize> =
                    std::iter::once(sum.id).chain(other.map(|other| other.id)).collect();
                again(&ids, "the complete sum, or gets it in this step".into(), report);
            }
            *to = Held::default();
        } else if let Some(&s) = sum.contributors.iter().find(|s| to.came.contains_key(s)) {
            let first = Some(to.came[&s]).filter(|&first| first != OWN);
            let ids: Vec<usize> = std::iter::once(sum.id).chain(first).collect();
            again(&ids, format!("the contribution of '{}'", plan.name(s)), report);
        }
        held[sum.to].add(sum);
    }
}
