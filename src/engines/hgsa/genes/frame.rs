//! What the genes of all kinds have: the problem, the paths that they choose from, and their values.

use crate::{Gene, Routes};
use ccsched_model::problem::Problem;
use std::sync::Arc;

/// The genes of a solution under a number of steps.
#[derive(Clone)]
pub struct Frame {
    /// The problem.
    pub problem: Arc<Problem>,
    /// The paths; but for wormhole broadcasts, pair `g` of the table is demand `g`.
    pub routes: Arc<Routes>,
    /// Number of steps allowed.
    pub steps: u32,
    /// The values.
    pub genes: Vec<Gene>,
}

impl Frame {
    /// No genes yet.
    pub fn new(problem: Arc<Problem>, routes: Arc<Routes>) -> Self {
        Frame { problem, routes, steps: 0, genes: Vec::new() }
    }

    /// The same of a problem whose genes take paths of this slack.
    pub fn of_demands(problem: Arc<Problem>, slack: u32, seed: u64) -> Self {
        let routes = Arc::new(Routes::of_demands(&problem, slack, seed));
        Frame::new(problem, routes)
    }
}
