//! The values of a gene (path, step): the paths of its pair that fit into the number of steps, and
//! the steps in which each can start.

use super::Routes;
use crate::engines::Gene;
use crate::rng::Rng;
use rand::RngExt;

/// The values of every gene; gene `g` is pair `g` of the table of paths.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    steps: u32,
    /// First path of every gene's pair, and the number of its paths that fit.
    paths: Vec<(u32, u32)>,
}

impl Choices {
    /// The choices of `genes` genes under a number of steps.
    pub fn new(routes: &Routes, genes: usize, steps: u32) -> Self {
        let of_pair = |pair| (routes.table().of_pair(pair).start, routes.fitting(pair, steps));
        Choices { steps, paths: (0..genes).map(of_pair).collect() }
    }

    /// Number of paths that gene `g` can take.
    pub fn paths(&self, g: usize) -> u32 {
        self.paths[g].1
    }

    /// The first path that gene `g` can take, and their number.
    pub fn range(&self, g: usize) -> (u32, u32) {
        self.paths[g]
    }

    /// A random path of gene `g`.
    pub fn path(&self, g: usize, rng: &mut Rng) -> u32 {
        let (first, count) = self.paths[g];
        first + rng.random_range(0..count)
    }

    /// A random step in which a transfer along `path` can start.
    pub fn step(&self, routes: &Routes, path: u32, rng: &mut Rng) -> u32 {
        rng.random_range(0..=self.steps - routes.duration(path))
    }

    /// A random value of gene `g`.
    pub fn gene(&self, routes: &Routes, g: usize, rng: &mut Rng) -> Gene {
        let path = self.path(g, rng);
        Gene { path, step: self.step(routes, path, rng) }
    }
}
