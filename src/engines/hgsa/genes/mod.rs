//! The genes of the papers' engines: each gene has a path and a step, and conflicts are counted.
//!
//! A move changes one gene; only the cells of the old and the new path determine its effect.
//! The meaning of a gene differs between scatters, broadcasts in wormhole networks and broadcasts
//! in store-and-forward networks, so each has its own implementation.

mod ejecting;
mod flood;
mod forest;
mod scatter;

use crate::{Gene, Routes, WAITS};
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
pub use ejecting::Ejecting;
pub use flood::Flood;
pub use forest::{Forest, LATE};
use rand::RngExt;
pub use scatter::Scatter;
use std::sync::Arc;

/// Draws in search of a transfer in conflict. When few are left, the last draw is often one without
/// a conflict: such moves, which seldom raise the cost, keep the search from standing still.
const DRAWS: usize = 32;

/// All genes of a solution under a number of steps.
pub trait Genes: Clone + Send {
    /// The problem, the paths, and the values.
    fn frame(&self) -> &Frame;

    /// Number of steps allowed.
    fn steps(&self) -> u32 {
        self.frame().steps
    }

    /// The paths that genes choose from.
    fn routes(&self) -> &Routes {
        &self.frame().routes
    }

    /// Empties everything and allows `steps` steps; [`Genes::load`] must follow.
    fn resize(&mut self, steps: u32);

    /// Adopts a solution and counts its cost from scratch.
    fn load(&mut self, genes: &[Gene]);

    /// State beside the genes on which the search depends; none by default.
    fn memory(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Restores the result of [`Genes::memory`], after the genes.
    ///
    /// # Errors
    /// The memory does not fit these genes.
    fn remember(&mut self, memory: &[u32]) -> Result<(), CommError> {
        if memory.is_empty() { Ok(()) } else { Err(CommError::Unfit("lists")) }
    }

    /// Number of genes: one per delivery.
    fn gene_count(&self) -> usize {
        self.frame().problem.demands().len()
    }

    /// The genes.
    fn genes(&self) -> &[Gene] {
        &self.frame().genes
    }

    /// Weighted conflicts, or transfers without a place; 0 for a valid schedule.
    fn cost(&self) -> u64;

    /// A random value for gene `g`, independent of the others.
    fn random(&self, g: usize, rng: &mut Rng) -> Gene;

    /// A solution to start from: random, or better where the papers have a heuristic for it.
    /// [`Genes::load`] must follow.
    fn start(&mut self, rng: &mut Rng) -> Vec<Gene> {
        (0..self.gene_count()).map(|g| self.random(g, rng)).collect()
    }

    /// A random neighbour of gene `g`: where genes know such values, one that fits the others better than
    /// chance.
    fn propose(&self, g: usize, rng: &mut Rng) -> Gene {
        self.random(g, rng)
    }

    /// The first heuristic (hgsa-store-and-forward, section 3.3), where it is not part of the
    /// meaning of the genes: genes take over what others of their message arrive by earlier.
    fn shorten(&mut self) {}

    /// Whether the transfer of gene `g` has a share in the cost.
    fn is_in_conflict(&self, g: usize) -> bool;

    /// A random gene for a focused move: one in conflict, if a few draws find one.
    fn draw(&self, rng: &mut Rng) -> usize {
        let genes = self.gene_count();
        let mut draws = (0..DRAWS).map(|_| rng.random_range(0..genes));
        let g = draws.find(|&g| self.is_in_conflict(g));
        g.unwrap_or_else(|| rng.random_range(0..genes))
    }

    /// Moves transfers that are not in conflict to other places without conflict, where the genes
    /// do so after each focused move. Returns the number of attempts.
    fn relocate(&mut self, _rng: &mut Rng) -> u64 {
        0
    }

    /// The value of gene `g` other than the present one that costs least, one of several at random,
    /// and the number of values priced. Of very many values a random part is priced. The present
    /// value if there is no other.
    fn cheapest(&mut self, g: usize, rng: &mut Rng) -> (Gene, u64);

    /// Swaps the places of two random transfers: appends the genes to change with their new values
    /// (time-slot swap: umda-multistage-networks, section 4.4). Appends nothing if that is
    /// impossible.
    fn propose_swap(&self, _rng: &mut Rng, _changes: &mut Vec<(usize, Gene)>) {}

    /// Gives gene `g` a new value if the cost rises by at most `budget`. Returns whether it did.
    fn attempt(&mut self, g: usize, gene: Gene, budget: i64) -> bool;

    /// Whether a saved value of gene `g` is one that it can have: one of its paths, in steps that
    /// are allowed.
    fn can_be(&self, g: usize, gene: Gene) -> bool {
        let is_own = self.routes().table().of_pair(g).contains(&gene.path);
        is_own && gene.step < self.steps() && self.fits(gene)
    }

    /// Whether a gene's value fits into the number of steps.
    fn fits(&self, gene: Gene) -> bool {
        gene.step + self.routes().duration(gene.path) <= self.steps()
    }

    /// The step after the last one in which gene `g`'s transfer is under way.
    fn end(&self, g: usize) -> u32 {
        let gene = self.genes()[g];
        gene.step + self.routes().duration(gene.path)
    }

    /// Channels on the path of gene `g`.
    fn length(&self, g: usize) -> usize {
        self.routes().table().channels(self.genes()[g].path).len()
    }

    /// The schedule of a solution of cost 0: the transfers that have a place.
    fn plan(&self, genes: &[Gene]) -> Plan {
        let Frame { problem, routes, steps, .. } = self.frame();
        routes.plan(problem, *steps, genes)
    }
}

// The values of a gene (path, step): the paths of its pair that fit into the number of steps, and
// the steps in which each can start.

/// The values of every gene; gene `g` is pair `g` of the table of paths.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    steps: u32,
    /// First path of every gene's pair, and the number of its paths that fit.
    paths: Vec<(u32, u32)>,
    /// The same of paths with waits.
    waiting: Vec<(u32, u32)>,
}

impl Choices {
    /// The choices of `genes` genes under a number of steps.
    pub fn new(routes: &Routes, genes: usize, steps: u32) -> Self {
        let paths = (0..genes).map(|pair| routes.fitting(pair, steps)).collect();
        let waiting = (0..genes).map(|pair| routes.waiting(pair, steps)).collect();
        Choices { steps, paths, waiting }
    }

    /// Number of paths that gene `g` can take.
    pub fn paths(&self, g: usize) -> u32 {
        self.paths[g].1
    }

    /// The first path that gene `g` can take, and their number.
    pub fn range(&self, g: usize) -> (u32, u32) {
        self.paths[g]
    }

    /// The first path with waits that gene `g` can take, and their number.
    pub fn waiting(&self, g: usize) -> (u32, u32) {
        self.waiting[g]
    }

    /// A random path of gene `g`, which must have one that fits.
    pub fn path(&self, g: usize, rng: &mut Rng) -> u32 {
        let (first, count) = self.paths[g];
        first + rng.random_range(0..count)
    }

    /// A random step in which a transfer along `path` can start.
    pub fn step(&self, routes: &Routes, path: u32, rng: &mut Rng) -> u32 {
        rng.random_range(0..=self.steps - routes.duration(path))
    }

    /// A random value of gene `g`; where no path fits into the steps, its first one, without a step.
    pub fn gene(&self, routes: &Routes, g: usize, rng: &mut Rng) -> Gene {
        if let (path, 0) = self.paths[g] {
            return Gene { path, step: WAITS };
        }
        let path = self.path(g, rng);
        Gene { path, step: self.step(routes, path, rng) }
    }
}

// What the genes of all kinds have: the problem, the paths that they choose from, and their values.

/// The genes of a solution under a number of steps.
#[derive(Clone)]
pub struct Frame {
    /// The problem.
    problem: Arc<Problem>,
    /// The paths; but for wormhole broadcasts, pair `g` of the table is demand `g`.
    routes: Arc<Routes>,
    /// Number of steps allowed.
    steps: u32,
    /// The values.
    genes: Vec<Gene>,
}

impl Frame {
    /// No genes yet.
    fn new(problem: Arc<Problem>, routes: Arc<Routes>) -> Self {
        Frame { problem, routes, steps: 0, genes: Vec::new() }
    }

    /// The same of a problem whose genes take paths of this slack.
    fn of_demands(problem: Arc<Problem>, slack: u32, seed: u64) -> Self {
        let routes = Arc::new(Routes::of_demands(&problem, slack, seed));
        Frame::new(problem, routes)
    }
}

// The cheapest of the values of a gene. Every examined path has a row of prices, one a step, so
// that prices are added up and compared in rows.

/// Most paths of a gene whose prices are compared; where there are more, as many neighbours in the
/// table are drawn.
const MOST_PATHS: u32 = 32;
/// The price of a value that is not to be taken.
const NEVER: u32 = u32::MAX;

/// Some of the paths of a gene: consecutive ones in its range of the table, which is a ring here.
#[derive(Clone, Copy, Debug)]
struct Window {
    first: u32,
    count: u32,
    begin: u32,
    /// Number of paths in the window.
    len: u32,
}

impl Window {
    /// A window on `count` paths from `first` on.
    fn draw((first, count): (u32, u32), rng: &mut Rng) -> Self {
        let len = count.min(MOST_PATHS);
        let begin = if len < count { rng.random_range(0..count) } else { 0 };
        Window { first, count, begin, len }
    }

    /// The path at an index of the window.
    fn path(&self, index: u32) -> u32 {
        self.first + (self.begin + index) % self.count
    }
}

/// Prices of values: a row of steps for each path. Kept to avoid allocation.
#[derive(Clone, Debug, Default)]
pub struct Prices {
    steps: usize,
    rows: Vec<u32>,
    /// Values that have a price.
    priced: u64,
}

impl Prices {
    /// Forgets all prices; rows have `steps` steps from now on.
    pub fn clear(&mut self, steps: u32) {
        self.steps = steps as usize;
        self.rows.clear();
        self.priced = 0;
    }

    /// Adds the row of a path that takes `duration` steps, filled by `price`; `present` is the step
    /// that is not to be taken. Returns the prices of the steps in which the path can start.
    pub fn add(
        &mut self,
        duration: u32,
        present: Option<u32>,
        price: impl FnOnce(&mut [u32]),
    ) -> &mut [u32] {
        let first = self.rows.len();
        let starts = (self.steps + 1).saturating_sub(duration as usize);
        self.rows.resize(first + starts, 0);
        self.rows.resize(first + self.steps, NEVER);
        self.priced += starts as u64;
        let row = &mut self.rows[first..first + starts];
        price(row);
        if let Some(step) = present {
            row[step as usize] = NEVER;
        }
        row
    }

    /// Raises the prices of this and all later steps.
    fn raise_from(&mut self, step: u32, by: u32) {
        for row in self.rows.chunks_exact_mut(self.steps) {
            row[step as usize..].iter_mut().for_each(|price| *price = price.saturating_add(by));
        }
    }

    /// A random one of the least prices, as row and step, and the number of values priced.
    pub fn least(&self, rng: &mut Rng) -> (Option<(u32, u32)>, u64) {
        let least = self.rows.iter().copied().min().unwrap_or(NEVER);
        if least == NEVER {
            return (None, self.priced);
        }
        let equal = self.rows.iter().filter(|&&price| price == least).count();
        let chosen = if equal > 1 { rng.random_range(0..equal) } else { 0 };
        let mut places = (0..self.rows.len()).filter(|&place| self.rows[place] == least);
        let place = places.nth(chosen).map(|p| ((p / self.steps) as u32, (p % self.steps) as u32));
        (place, self.priced)
    }
}
