//! A book of repairs: for every set of faults a repair of the running schedule, kept as a patch. A system
//! that has the book reacts to faults by a look-up.
//!
//! Sets of faults share a repair if an automorphism of the network carries the running schedule over to
//! itself: then it carries a repair to one with as many changes.

mod book;
mod shared;

pub use book::{Entry, Header, RepairBook, Repaired, Size, lookup, running};

use super::fault_sweep::{Case, Class, FaultSet, classes};
use crate::journal::line;
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result};
use ccsched_model::problem::{Problem, Request};
use ccsched_model::schedule::patch::Patch;
use ccsched_model::schedule::{ScheduleFile, asked};
use ccsched_network::{Network, faults};
use ccsched_run::Options;
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{RankGroup, SearchError};
use ccsched_run::repair::{Target, repair_until, without_broken};
use shared::Sharing;
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
