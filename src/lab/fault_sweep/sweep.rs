//! A fault sweep: what it schedules, under which faults, and how long it searches. Each of its cells is one class
//! of equal fault sets under one collective, and becomes one task. Everything that a sweep can refuse is refused
//! before the first search. The open cells are shared out over a group, and what each of them results in is saved.

use super::{Book, Case, Class, FaultSet, Results, Row, Symmetry, classes};
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result};
use ccsched_engines::Engine;
use ccsched_model::problem::{Collective, Request, Roots, Routing};
use ccsched_network::faults::{self, Fault};
use ccsched_network::{Network, VertexId};
use ccsched_run::comm::Communicator;
use ccsched_run::islands::{Job, RankGroup, Search, SearchError, Solved, Task};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What to schedule, under which faults, and how long to search.
#[derive(Clone, Debug)]
pub struct FaultSweep {
    /// The network, without `faults`.
    pub network: Network,
    /// Faults that are there before the sweep.
    pub faults: Vec<Fault>,
    /// The sets of further faults, such as [`fault_sets`](super::fault_sets) lists them.
    pub sets: Vec<FaultSet>,
    /// What to schedule; requests differ in their collectives alone.
    pub requests: Vec<Request>,
    /// The engine; it must have islands.
    pub engine: Engine,
    /// The seed of every search, and of the sampled automorphisms.
    pub seed: u64,
    /// Iterations of the search in a cell.
    pub iterations: u64,
    /// Wall time of the search in a cell.
    pub time_limit: Option<Duration>,
}

impl FaultSweep {
    /// All faults of a set, those before the sweep first, as schedule files hold them.
    pub fn faults_with(&self, set: &FaultSet) -> Vec<Fault> {
        faults::after(&self.faults, set.records(&self.network))
    }

    /// The label of the fault set with index `set`.
    pub fn label(&self, set: usize) -> String {
        self.sets[set].label(&self.network)
    }

    /// The collectives, in the order of the requests.
    pub fn collectives(&self) -> Vec<Collective> {
        self.requests.iter().map(|request| request.collective).collect()
    }
}

/// Legs of a search end after this many iterations. A task has one island, so nothing is exchanged.
const EXCHANGE_EVERY: u64 = 10;

/// Equal fault sets under one collective.
#[derive(Clone)]
pub struct Cell<'n> {
    /// The collective.
    pub collective: Collective,
    /// The fault sets, as indices into [`FaultSweep::sets`].
    pub class: Class,
    /// The search for the first of them.
    pub task: Task,
    /// The automorphisms that make them equal.
    pub symmetry: Rc<Symmetry<'n>>,
}

impl FaultSweep {
    /// All cells, collective by collective.
    ///
    /// # Errors
    /// An engine that cannot sweep, and problems that cannot be posed even without the sweep's faults.
    pub fn cells(&self) -> Result<Vec<Cell<'_>>> {
        self.check_engine()?;
        let mut cells = Vec::new();
        for request in &self.requests {
            request.pose(self.network.clone(), self.faults.clone())?;
            cells.extend(self.cells_of(request)?);
        }
        Ok(cells)
    }

    fn check_engine(&self) -> Result<()> {
        for request in &self.requests {
            self.engine.check(request.switching, 1)?;
        }
        if !self.engine.has_islands() {
            let name = self.engine.name();
            let why =
                format!("{name} has no islands; a sweep needs an engine that has, such as auto");
            return Err(Error::field("engine", why));
        }
        Ok(())
    }

    fn cells_of(&self, request: &Request) -> Result<Vec<Cell<'_>>> {
        let collective = request.collective;
        let symmetry = Rc::new(self.symmetry(request));
        let case = |set: &FaultSet| (set.clone(), self.root(request, set));
        let cases: Vec<Case> = self.sets.iter().map(case).collect();
        let classes = classes(&symmetry, &cases);
        log::info!(
            "{collective}: {} of faults, {} different ones",
            counted(cases.len(), "set"),
            classes.len()
        );
        let cell = |class: Class| {
            let task = self.task(request, &self.sets[class[0].0])?;
            Ok(Cell { collective, class, task, symmetry: symmetry.clone() })
        };
        classes.into_iter().map(cell).collect()
    }

    fn task(&self, request: &Request, set: &FaultSet) -> Result<Task> {
        let job = Job {
            network: set.rest(&self.network)?,
            faults: self.faults_with(set),
            request: request.clone(),
            engine: self.engine,
            search: Search { seed: self.seed, exchange_every: EXCHANGE_EVERY, ..Search::default() },
            table: None,
        };
        Ok(Task { job, iterations: self.iterations, time_limit: self.time_limit })
    }

    /// The root of a collective with one root, as a vertex of the whole network. A default root is the
    /// first terminal that is not in `set`.
    fn root(&self, request: &Request, set: &FaultSet) -> Option<VertexId> {
        if request.collective.roots() != Roots::One {
            return None;
        }
        match &request.source {
            Some(name) => self.network.find(name),
            None => self.network.terminals().find(|v| !set.vertices.contains(v)),
        }
    }

    /// The automorphisms under which fault sets are equal.
    fn symmetry(&self, request: &Request) -> Symmetry<'_> {
        // An automorphism would have to keep lists of senders and receivers, pairs, and routes; none is
        // tested for that.
        let Request { senders, receivers, processes, pairs, .. } = request;
        let is_listed =
            [senders, receivers, processes].into_iter().any(Option::is_some) || pairs.is_some();
        if is_listed || matches!(request.routing, Routing::Static | Routing::Table(_)) {
            return Symmetry::none(&self.network);
        }
        let root = self.root(request, &FaultSet::default());
        Symmetry::sample(&self.network, root, self.seed)
    }

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
