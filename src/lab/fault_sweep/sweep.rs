//! The run of a fault sweep: the open cells are shared out over a group, and what each of them results in is
//! saved.

use super::book::Book;
use super::cells::{Cell, FaultSweep};
use super::results::{Results, Row};
use ccsched_base::Result;
use ccsched_base::counted::counted;
use ccsched_model::problem::{Collective, Request};
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{RankGroup, SearchError, Solved, Task};
use std::sync::atomic::AtomicBool;

impl FaultSweep {
    /// The rows of the cells that are done, in the order of collectives and sets.
    pub fn rows<'r>(&self, results: &'r Results) -> Vec<&'r Row> {
        let labels: Vec<String> = (0..self.sets.len()).map(|set| self.label(set)).collect();
        let of = |request: &Request| {
            let collective = request.collective;
            labels.iter().filter_map(move |label| results.of(collective, label))
        };
        self.requests.iter().flat_map(of).collect()
    }

    /// The cells that are not done: a row is missing for one of their sets, or a schedule in the book.
    pub fn open_cells<'c, 'n>(
        &self,
        cells: &'c [Cell<'n>],
        results: &Results,
        book: Option<&Book>,
    ) -> Vec<&'c Cell<'n>> {
        let is_in = |book: &Book, collective: Collective, set: usize| {
            book.has(collective, &self.label(set), &self.faults_with(&self.sets[set]))
        };
        let is_done = |collective: Collective, set: usize| {
            results.of(collective, &self.label(set)).is_some_and(|row| {
                // The book holds schedules alone: it has no entry where none was found.
                row.steps.is_none() || book.is_none_or(|book| is_in(book, collective, set))
            })
        };
        let is_open =
            |cell: &&Cell<'n>| !cell.class.iter().all(|(set, _)| is_done(cell.collective, *set));
        cells.iter().filter(is_open).collect()
    }

    /// Distributes the open cells over the group, and saves each as soon as it is solved; returns
    /// whether an interrupt ended the sweep.
    ///
    /// # Errors
    /// When a search fails, a member of the group is gone, or a file cannot be written.
    pub fn run<C: Communicator>(
        &self,
        cells: &[Cell<'_>],
        (group, interrupted): (&mut RankGroup<'_, C>, &AtomicBool),
        (results, mut book): (&mut Results, Option<&mut Book>),
    ) -> Result<bool, SearchError> {
        let open = self.open_cells(cells, results, book.as_deref());
        let tasks: Vec<Task> = open.iter().map(|cell| cell.task.clone()).collect();
        log::info!("left to do: {} of {}", tasks.len(), counted(cells.len(), "task"));
        group.tasks(&tasks, interrupted, &mut |number, solved| {
            let saved = self.save(open[number], &solved, results, book.as_deref_mut());
            saved.map_err(|why| SearchError::Observer(why.to_string()))
        })
    }

    /// Saves a cell: its schedules first, so that a row in the results means that the book is complete.
    fn save(
        &self,
        cell: &Cell<'_>,
        solved: &Solved,
        results: &mut Results,
        book: Option<&mut Book>,
    ) -> Result<()> {
        let first = cell.class[0].0;
        log::debug!("{}, {}: {}", cell.collective, self.label(first), in_words(solved));
        if let (Some(book), Solved::Searched { plan: Some(found), by_search, .. }) = (book, solved)
        {
            book.add(self, cell, found, *by_search)?;
        }
        for (set, _) in &cell.class {
            let like = (*set != first).then(|| self.label(first));
            results.add(Row::new(cell.collective, &self.label(*set), like, solved))?;
        }
        Ok(())
    }
}

fn in_words(solved: &Solved) -> String {
    match solved {
        Solved::Impossible(why) => why.clone(),
        Solved::Searched { plan: Some((plan, _)), lower_bound, .. } => {
            format!("{}, lower bound {lower_bound}", counted(plan.len(), "step"))
        }
        Solved::Searched { plan: None, .. } => "no schedule found".into(),
    }
}
