//! The demands of a problem as broadcasts use them: possible senders, and their paths.

use crate::Senders;
use crate::hgsa::genes::frame::Frame;
use ccsched_model::problem::Problem;
use ccsched_network::VertexId;
use std::ops::Range;
use std::sync::Arc;

/// The data that all genes of a problem share.
pub struct Shape {
    /// `senders[g]` is a range of pairs: the possible senders to gene `g`'s destination.
    pub senders: Vec<Range<u32>>,
    /// Sender of every pair; ascending among the pairs of one receiver.
    pub sender_of_pair: Vec<VertexId>,
    /// Sender of every path.
    pub origin: Vec<VertexId>,
    /// Genes of every message.
    pub of_message: Vec<Range<u32>>,
    pub vertices: usize,
}

impl Shape {
    /// The shape of a problem, and its genes, of which there are none yet. Senders are at most `radius` channels away from a receiver; the
    /// radius is raised where it would cut off a terminal.
    pub fn new(problem: Arc<Problem>, radius: Option<u32>, seed: u64) -> (Self, Frame) {
        let Senders { routes, of_demand, of_pair } = Senders::find(&problem, radius, seed);
        let mut origin = Vec::with_capacity(routes.table().len());
        for (pair, &from) in of_pair.iter().enumerate() {
            origin.extend(routes.table().of_pair(pair).map(|_| from));
        }
        let vertices = problem.network().vertices().len();
        let mut of_message = Vec::new();
        let mut first = 0;
        for demands in problem.demands().chunk_by(|a, b| a.message == b.message) {
            of_message.push(first..first + demands.len() as u32);
            first += demands.len() as u32;
        }
        let shape =
            Shape { senders: of_demand, sender_of_pair: of_pair, origin, of_message, vertices };
        (shape, Frame::new(problem, Arc::new(routes)))
    }
}
