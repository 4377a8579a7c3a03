//! The chromosome: one gene per delivery. An allele has the components of umda-multistage-networks,
//! section 4.2: source (a choice in broadcasts only), path, and time step.

use super::dice::{Dice, one_of};
use crate::{Gene, Routes, Senders, Use};
use ccsched_model::problem::{Demand, Problem};
use ccsched_model::routing::PathId;
use ccsched_model::schedule::Plan;
use ccsched_network::VertexId;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// The value of a gene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Allele {
    /// First component: the sender, as the pair (sender, destination) in the table of paths.
    pub pair: u32,
    /// Second component: the index of the path among those of the pair.
    pub path: u32,
    /// Third component: the time step; the number of steps or more if over the limit.
    pub step: u32,
}

/// The meaning of alleles for a problem.
#[derive(Debug)]
pub struct Encoding {
    problem: Arc<Problem>,
    senders: Senders,
}

impl Encoding {
    /// The encoding of a problem; senders of a broadcast are at most `radius` channels away from a
    /// receiver.
    pub fn new(problem: Arc<Problem>, radius: Option<u32>, seed: u64) -> Self {
        let senders = if problem.collective().content().is_common() {
            Senders::find(&problem, radius, seed)
        } else {
            let slack = problem.routing().listed_slack();
            Senders {
                routes: Routes::of_demands(&problem, slack, seed),
                of_demand: (0..problem.demands().len() as u32).map(|pair| pair..pair + 1).collect(),
                of_pair: problem.demands().iter().map(|d| d.source).collect(),
            }
        };
        Encoding { problem, senders }
    }

    /// The problem encoded.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The deliveries, one per gene.
    pub fn demands(&self) -> &[Demand] {
        self.problem.demands()
    }

    /// The paths that genes choose from.
    pub fn routes(&self) -> &Routes {
        &self.senders.routes
    }

    /// The pairs that gene `g` chooses from.
    pub fn pairs(&self, g: usize) -> Range<u32> {
        self.senders.of_demand[g].clone()
    }

    /// The sender of a pair.
    pub fn sender(&self, pair: u32) -> VertexId {
        self.senders.of_pair[pair as usize]
    }

    /// Number of paths of a pair.
    pub fn paths(&self, pair: u32) -> u32 {
        self.routes().table().of_pair(pair as usize).len() as u32
    }

    /// The uses of a transfer along the allele's path.
    pub fn uses(&self, allele: Allele) -> &[Use] {
        self.routes().uses(self.path(allele))
    }

    fn path(&self, allele: Allele) -> PathId {
        self.routes().table().of_pair(allele.pair as usize).start + allele.path
    }

    /// A random sender and path for gene `g` in a step.
    pub fn random(&self, g: usize, step: u32, dice: &mut impl Dice) -> Allele {
        let pair = one_of(self.pairs(g), dice);
        Allele { pair, path: one_of(0..self.paths(pair), dice), step }
    }

    /// The allele as a gene of the other engines.
    pub fn gene(&self, allele: Allele) -> Gene {
        Gene { path: self.path(allele), step: allele.step }
    }

    /// The schedule of an individual of fitness 0.
    pub fn plan(&self, genes: &[Gene], steps: u32) -> Plan {
        self.routes().plan(&self.problem, steps, genes)
    }
}
