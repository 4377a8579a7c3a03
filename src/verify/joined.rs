//! The rules of an all-reduce of one part. The contributions that take one path in one step are one
//! sum. A vertex keeps what it receives, each sum as a whole, and passes on sums of what it has. A
//! contribution that a vertex has does not reach it again, unless in the complete sum, which takes
//! the place of everything that the vertex has. In the end every process has all contributions. If the
//! part is cut, each piece is an all-reduce of its own: a sum is of one piece.

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
    /// Its piece, from 0.
    piece: usize,
    from: usize,
    to: usize,
    contributors: Vec<usize>,
}

/// What all vertices have of all pieces.
struct All {
    vertices: usize,
    held: Vec<Held>,
}

impl All {
    fn of(&mut self, piece: usize, v: usize) -> &mut Held {
        &mut self.held[piece * self.vertices + v]
    }
}

/// By transfer of a step that is the first of its piece over its path, or the only one, those of this piece
/// over this path.
pub(super) fn together(plan: &Plan<'_>, step: Range<usize>) -> Vec<Vec<usize>> {
    let mut ids: Vec<usize> = step.collect();
    let key = |&id: &usize| (plan.stops(id), plan.path(id), plan.at(id).copy);
    ids.sort_by(|a, b| key(a).cmp(&key(b)).then(a.cmp(b)));
    let mut together: Vec<Vec<usize>> =
        ids.chunk_by(|a, b| key(a) == key(b)).map(<[usize]>::to_vec).collect();
    together.sort_unstable();
    together
}

/// Checks all transfers step by step.
pub(super) fn check(plan: &Plan<'_>, report: &mut Report) {
    let demand = &plan.demand;
    let (vertices, pieces) = (plan.graph.len(), demand.pieces as usize);
    let mut all = All { vertices, held: Vec::new() };
    all.held.resize_with(vertices * pieces, Held::default);
    for piece in 0..pieces {
        for &s in &demand.senders {
            let own = Sum { id: OWN, piece, from: s, to: s, contributors: vec![s] };
            all.of(piece, s).add(&own);
        }
    }
    // What the rounds of a step bring is there after the step.
    let step_of = |round: usize| demand.step_of.as_ref().map_or(round as u32, |of| of[round]);
    let mut sums = Vec::new();
    for (round, ids) in plan.by_step().enumerate() {
        for ids in together(plan, ids) {
            let sum = read(plan, &ids, report);
            leaves(plan, &sum, all.of(sum.piece, sum.from), report);
            sums.push(sum);
        }
        if round + 1 == plan.steps || step_of(round + 1) != step_of(round) {
            arrive(plan, &sums, &mut all, report);
            sums.clear();
        }
        if report.full() {
            return;
        }
    }
    for piece in 0..pieces {
        for &r in &demand.receivers {
            let held = all.of(piece, r);
            for &s in demand.senders.iter().filter(|s| !held.came.contains_key(s)) {
                let (to, from, of) = (plan.name(r), plan.name(s), of_piece(plan, piece));
                let why = format!("'{to}' never gets the contribution of '{from}'{of}");
                report.add(Violation::new(Rule::Completeness, why));
                if report.full() {
                    return;
                }
            }
        }
    }
}

/// Which piece something is about, if there are several.
fn of_piece(plan: &Plan<'_>, piece: usize) -> String {
    if plan.demand.pieces > 1 { format!(" to piece {piece}") } else { String::new() }
}

/// The sum of some transfers of one piece over one path.
fn read(plan: &Plan<'_>, ids: &[usize], report: &mut Report) -> Sum {
    let [from, to] = plan.stops(ids[0]);
    let piece = plan.at(ids[0]).copy as usize - 1;
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
    Sum { id: ids[0], piece, from, to, contributors }
}

/// Checks that a vertex can make the sum that it sends: of whole sums that it has.
fn leaves(plan: &Plan<'_>, sum: &Sum, held: &Held, report: &mut Report) {
    let (from, of) = (plan.name(sum.from), of_piece(plan, sum.piece));
    let mut parts: HashMap<usize, usize> = HashMap::new();
    for &s in &sum.contributors {
        match held.came.get(&s) {
            Some(&first) => *parts.entry(first).or_default() += 1,
            None => {
                let contributor = plan.name(s);
                let why =
                    format!("'{from}' does not have the contribution of '{contributor}'{of} yet");
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
fn arrive(plan: &Plan<'_>, sums: &[Sum], held: &mut All, report: &mut Report) {
    let all = plan.demand.senders.len();
    let mut now: HashMap<(usize, usize), Vec<&Sum>> = HashMap::new();
    sums.iter().for_each(|sum| now.entry((sum.piece, sum.to)).or_default().push(sum));
    for sum in sums {
        let (to, others) = (held.of(sum.piece, sum.to), &now[&(sum.piece, sum.to)]);
        let again = |ids: &[usize], what: String, report: &mut Report| {
            let (to, of) = (plan.name(sum.to), of_piece(plan, sum.piece));
            let why = format!("'{to}' already has {what}{of}");
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
        to.add(sum);
    }
}
