//! A book of repairs: for every set of faults a repair of the running schedule, kept as a patch. A system
//! that has the book reacts to faults by a look-up.
//!
//! Sets of faults share a repair if an automorphism of the network carries the running schedule over to
//! itself: then it carries a repair to one with as many changes.

mod book;

use super::fault_sweep::{Case, Class, FaultSet, classes};
use crate::fault_sweep::{Symmetry, carry_over};
use crate::journal::line;
pub use book::{Entry, Header, RepairBook, Repaired, Size, lookup, running};
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result};
use ccsched_model::problem::{MessageId, Problem, Request, Routing};
use ccsched_model::schedule::changes::Changes;
use ccsched_model::schedule::patch::Patch;
use ccsched_model::schedule::{Plan, ScheduleFile, asked, resolve};
use ccsched_network::{ChannelId, Network, VertexId, faults};
use ccsched_run::Options;
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{RankGroup, SearchError};
use ccsched_run::repair::{
    Target, is_rehung, is_repaired, record, repair_until, repaired, without_broken,
};
use ccsched_verify::verify;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// A running schedule, and the sets of faults to repair it for.
pub struct RepairSweep {
    /// The running schedule, which is valid.
    pub old: ScheduleFile,
    /// Its network.
    pub network: Network,
    /// What it was asked for.
    pub request: Request,
    /// The sets of faults, none of them empty.
    pub sets: Vec<FaultSet>,
    /// The numbers of steps.
    pub target: Target,
    /// Seed, islands and limits of each repair.
    pub options: Options,
}

impl RepairSweep {
    /// The sweep of a schedule; `sets` says which sets of faults of its network.
    ///
    /// # Errors
    /// The file contradicts itself, or is a timed schedule; what `sets` says.
    pub fn new(
        old: ScheduleFile,
        sets: impl FnOnce(&Network) -> Result<Vec<FaultSet>>,
        (target, options): (Target, Options),
    ) -> Result<Self> {
        if old.is_timed() {
            let why = "a book has patches of steps, and this is a timed schedule; repair makes one at a \
                       time";
            return Err(Error::problem(why));
        }
        let (network, request) = asked(&old)?;
        let mut sets = sets(&network)?;
        sets.retain(|set| *set != FaultSet::default());
        Ok(RepairSweep { old, network, request, sets, target, options })
    }

    /// What is left to schedule after a set of faults.
    ///
    /// # Errors
    /// Nothing is left, or some message has no path.
    pub fn problem(&self, set: &FaultSet) -> Result<Problem> {
        let rest = set.rest(&self.network)?;
        let mut request = self.request.clone();
        without_broken(&mut request, &rest)?;
        let faults = faults::after(&self.old.faults, set.records(&self.network));
        request.pose(rest, faults)
    }

    /// The entry of a set of faults; none if interrupted.
    ///
    /// # Errors
    /// The search fails.
    pub fn entry(&self, set: usize, stops: &AtomicBool) -> Result<Option<Entry>, SearchError> {
        let set = &self.sets[set];
        let entry = Entry::of(set, &self.network);
        let problem = match self.problem(set) {
            Ok(problem) => problem,
            Err(why) => return Ok(Some(Entry { impossible: Some(why.to_string()), ..entry })),
        };
        let rows = repair_until((&self.old, None), &problem, self.target, &self.options, stops)?;
        if stops.load(Ordering::Relaxed) {
            return Ok(None);
        }
        // As `repair` saves the last row.
        let Some(row) = rows.last() else { return Ok(Some(entry)) };
        let patch = Patch::between(&self.old, &row.schedule).ok_or_else(|| {
            Error::problem("internal error, please report it: a repair has a message of its own")
        })?;
        let at_least = row.least.saturating_sub(row.changes.added.len());
        let lower_bound = row.schedule.bounds.first().map(|bound| bound.steps);
        Ok(Some(entry.with(&row.changes, (at_least, lower_bound), patch)))
    }

    /// The same as a task: the line of the entry.
    ///
    /// # Errors
    /// The search fails.
    pub fn task(&self, set: usize, stops: &AtomicBool) -> Result<Option<String>, SearchError> {
        Ok(self.entry(set, stops)?.as_ref().map(line))
    }

    /// Makes the entries that the book lacks, on all ranks; returns whether there was an interrupt.
    ///
    /// # Errors
    /// A repair fails, a rank is gone, or the book cannot be written.
    pub fn run<C: Communicator>(
        &self,
        (group, interrupted): (&mut RankGroup<'_, C>, &AtomicBool),
        book: &mut RepairBook,
        done: &dyn Fn(&Entry),
    ) -> Result<bool, SearchError> {
        let sharing = Sharing::of(self);
        let cases: Vec<Case> = self.sets.iter().map(|set| (set.clone(), None)).collect();
        let mut classes = classes(sharing.symmetry(), &cases);
        log::info!("{} of faults, {} different ones", counted(cases.len(), "set"), classes.len());
        let labels: Vec<String> = self.sets.iter().map(|set| set.label(&self.network)).collect();
        let solve = |set: &usize, stops: &AtomicBool| self.task(*set, stops);
        // Carries the entry of the first of a class over; what that is not as good for comes next.
        let share = |class: &Class, entry: &Entry, book: &mut RepairBook| -> Result<Vec<Class>> {
            let mut alone = Vec::new();
            let first = class[0].0;
            for (set, way) in &class[1..] {
                if book.get(&labels[*set]).is_some() {
                    continue;
                }
                match sharing.carried(self, (first, entry), (*set, way)) {
                    Some(entry) => {
                        done(&entry);
                        book.add(entry)?;
                    }
                    None => alone.push(vec![(*set, way.clone())]),
                }
            }
            Ok(alone)
        };
        while !classes.is_empty() {
            let (mut open, mut next) = (Vec::new(), Vec::new());
            for class in classes {
                match book.get(&labels[class[0].0]).cloned() {
                    // An interrupt may have left it without the others.
                    Some(entry) => next.extend(share(&class, &entry, book)?),
                    None => open.push(class),
                }
            }
            let tasks: Vec<usize> = open.iter().map(|class| class[0].0).collect();
            let save = &mut |number: usize, line: String| {
                let entry =
                    serde_json::from_str(&line).map_err(|e| Error::problem(e.to_string()))?;
                let entry: Entry = entry;
                done(&entry);
                book.add(entry.clone())?;
                next.extend(share(&open[number], &entry, book)?);
                Ok(())
            };
            if group.share((&tasks, &solve), interrupted, save)? {
                return Ok(true);
            }
            classes = next;
        }
        book.sort(&labels)?;
        Ok(false)
    }
}

// Which sets of faults share a repair. An automorphism of the network carries a repair after one set
// over to a schedule after another; that has as few changes from the running schedule only if the
// automorphism carries the running schedule over to itself. With wormhole switching, messages of one
// destination do not depend on each other, so the steps may be permuted as well, and the steps of the
// repair are permuted in the same way. What is carried over is verified, and its changes are counted: if
// they are more, the set gets a repair of its own.

/// A step as automorphisms map it: its transfers, sorted.
type Image = Vec<(MessageId, Vec<ChannelId>)>;

/// The automorphisms that carry the running schedule over to itself.
struct Sharing<'n> {
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
