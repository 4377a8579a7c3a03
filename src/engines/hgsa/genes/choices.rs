//! The values of a gene (path, step): the paths of its pair that fit into the number of steps, and
//! the steps in which each can start.

use crate::{Gene, Routes, WAITS};
use ccsched_base::rng::Rng;
use rand::RngExt;

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
