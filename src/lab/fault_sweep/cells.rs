//! A fault sweep: what it schedules, under which faults, and how long it searches. Each of its cells is one class
//! of equal fault sets under one collective, and becomes one task. Everything that a sweep can refuse is refused
//! before the first search.

use super::orbits::{Case, Class, Symmetry, classes};
use super::sets::FaultSet;
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result};
use ccsched_engines::Engine;
use ccsched_model::problem::{Collective, Request, Roots, Routing};
use ccsched_network::faults::{self, Fault};
use ccsched_network::{Network, VertexId};
use ccsched_run::islands::{Job, Search, Task};
use std::rc::Rc;
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
}
