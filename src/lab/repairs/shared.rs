//! Which sets of faults share a repair. An automorphism of the network carries a repair after one set
//! over to a schedule after another; that has as few changes from the running schedule only if the
//! automorphism carries the running schedule over to itself. With wormhole switching, messages of one
//! destination do not depend on each other, so the steps may be permuted as well, and the steps of the
//! repair are permuted in the same way. What is carried over is verified, and its changes are counted: if
//! they are more, the set gets a repair of its own.

use super::{Entry, RepairSweep};
use crate::fault_sweep::{Symmetry, carry_over};
use ccsched_model::problem::{MessageId, Problem, Routing};
use ccsched_model::schedule::changes::Changes;
use ccsched_model::schedule::patch::Patch;
use ccsched_model::schedule::{Plan, resolve};
use ccsched_network::{ChannelId, VertexId};
use ccsched_run::repair::{is_rehung, is_repaired, record, repaired};
use ccsched_verify::verify;
use std::collections::{HashMap, HashSet};

/// A step as automorphisms map it: its transfers, sorted.
type Image = Vec<(MessageId, Vec<ChannelId>)>;

/// The automorphisms that carry the running schedule over to itself.
pub(super) struct Sharing<'n> {
    symmetry: Symmetry<'n>,
    running: Option<Running>,
}

/// The running schedule.
struct Running {
    problem: Problem,
    plan: Plan,
    /// Its steps by what is in them.
    steps: HashMap<Image, usize>,
}

impl<'n> Sharing<'n> {
    pub fn of(sweep: &'n RepairSweep) -> Self {
        let network = &sweep.network;
        let Some(running) = Running::of(sweep) else {
            return Sharing { symmetry: Symmetry::none(network), running: None };
        };
        let symmetry = Symmetry::keeping(network, sweep.options.seed, |symmetry, p| {
            running.turn(symmetry, p).is_some()
        });
        Sharing { symmetry, running: Some(running) }
    }

    pub fn symmetry(&self) -> &Symmetry<'n> {
        &self.symmetry
    }

    /// The entry of a set of faults, carried over from that of another; none if that is not as good.
    pub fn carried(
        &self,
        sweep: &RepairSweep,
        (from, first): (usize, &Entry),
        (set, way): (usize, &[VertexId]),
    ) -> Option<Entry> {
        let (from, set) = (&sweep.sets[from], &sweep.sets[set]);
        let like = Some(first.fault.clone());
        let entry = Entry { like, ..Entry::of(set, &sweep.network) };
        let problem = sweep.problem(set);
        let Some(repair) = &first.repaired else {
            // There is nothing to carry: the one is as impossible as the other.
            let why = problem.err()?.to_string();
            return first.impossible.is_some().then_some(Entry { impossible: Some(why), ..entry });
        };
        let (problem, running) = (problem.ok()?, self.running.as_ref()?);
        let of_first = sweep.problem(from).ok()?;
        let plan = repaired(&sweep.old, &of_first, &repair.patch).ok()?;
        let there = (from, &plan, &of_first);
        let moved = carry_over(&self.symmetry, &sweep.network, there, way, (set, &problem))?;
        let plan = permuted(&moved, &running.turn(&self.symmetry, way)?)?;
        let file = record(&problem, &plan, &[], &sweep.options);
        let changes = Changes::between(&sweep.old, &file);
        let is_as_good = changes.changed.len() == repair.changed
            && changes.transfers() == repair.patch.come.len()
            && verify(&file).is_empty();
        let patch = Patch::between(&sweep.old, &file).filter(|_| is_as_good)?;
        Some(entry.with(&changes, (repair.at_least, repair.lower_bound), patch))
    }
}

impl Running {
    /// The running schedule, where its steps can be compared: it is repaired and no reduction, and
    /// routes are not listed, which may differ where the network looks the same.
    fn of(sweep: &RepairSweep) -> Option<Self> {
        let (problem, plan) = resolve(&sweep.old).ok()?;
        let collective = problem.collective();
        let is_repaired = is_repaired(&problem) || is_rehung(&problem);
        let is_whole = is_repaired && !collective.is_reduction() && problem.is_plain();
        let is_listed = matches!(sweep.request.routing, Routing::Static | Routing::Table(_));
        let mut steps = HashMap::new();
        for (number, step) in plan.steps().enumerate() {
            let mut image: Image = step.iter().map(|t| (t.message, t.channels.to_vec())).collect();
            image.sort_unstable();
            steps.insert(image, number);
        }
        // No two steps are equal.
        let is_clear = is_whole && !is_listed && steps.len() == plan.len();
        is_clear.then_some(Running { problem, plan, steps })
    }

    /// By step, the step that an automorphism carries it to; none if one has no image, or another place
    /// where steps depend on each other.
    fn turn(&self, symmetry: &Symmetry<'_>, p: &[VertexId]) -> Option<Vec<usize>> {
        let Running { problem, plan, steps } = self;
        let is_personal = problem.collective().content().is_personal();
        let is_free = is_personal && problem.switching().holds_paths();
        let vertex = |v: VertexId| p.get(v as usize).copied();
        let message = |id| problem.find_message(&problem.message(id).mapped(vertex)?);
        let mut turn = Vec::with_capacity(plan.len());
        for (number, step) in plan.steps().enumerate() {
            let mut image = Image::with_capacity(step.len());
            for t in step {
                let channels = t.channels.iter().map(|&c| symmetry.channel(c, p)).collect();
                image.push((message(t.message)?, channels));
            }
            image.sort_unstable();
            let there = *steps.get(&image)?;
            if !is_free && there != number {
                return None;
            }
            turn.push(there);
        }
        let all: HashSet<usize> = turn.iter().copied().collect();
        (all.len() == turn.len()).then_some(turn)
    }
}

/// The plan with its steps in another order. Steps beyond those of the running schedule stay; none if
/// the plan has too few.
fn permuted(plan: &Plan, turn: &[usize]) -> Option<Plan> {
    let mut turned = Plan::new(plan.len() as u32);
    for (number, step) in plan.steps().enumerate() {
        let there = turn.get(number).copied().unwrap_or(number);
        if there >= plan.len() {
            return None;
        }
        for t in step {
            turned.push(there, t.message, t.channels.iter().copied());
        }
    }
    Some(turned)
}
