//! All-reduces in steps of rounds: a reduce-scatter, then an all-gather, each with every number of steps
//! for which rounds were found.

use super::{Point, Tradeoff, point};
use crate::problem::{Collective, MessageId, Problem, Request};
use crate::rng::{Rng, rng_of};
use crate::schedule::{Plan, Step};
use crate::{Error, Result, bounds, solve};

impl Tradeoff {
    /// The schedules of an all-reduce made of those of its halves.
    pub(super) fn of_halves(&self, whole: &Problem, bound: u32) -> Result<Vec<Point>> {
        let half = |collective| self.half(whole, collective);
        let (scatters, gathers) = (half(Collective::ReduceScatter)?, half(Collective::Aab)?);
        let parts = whole.messages() as MessageId / 2;
        let mut points = Vec::new();
        for scatter in &scatters {
            for gather in &gathers {
                let mut plan = scatter.clone();
                for round in gather.steps() {
                    let mut moved = Step::default();
                    round.iter().for_each(|t| moved.push(t.message + parts, t.channels));
                    plan.append(moved);
                }
                let provenance = self.provenance("reduce-scatter, then all-gather");
                let file = plan.record(whole, &bounds::quick(whole), provenance);
                points.push(point(whole, bound, file.in_rounds()));
            }
        }
        Ok(points)
    }

    /// The schedules of a half, forwards in time: the plain one, and those of fewer steps.
    fn half(&self, whole: &Problem, collective: Collective) -> Result<Vec<Plan>> {
        let request = Request { collective, pieces: whole.pieces(), ..self.request.clone() };
        let problem = request.pose(self.network.clone(), self.faults.clone())?;
        let solution = solve(&problem, &self.options);
        let solution = solution.map_err(|error| Error::problem(error.to_string()))?;
        let bound = solution.bounds.first().map_or(1, |bound| bound.steps);
        let (Some(plan), Some(file)) = (solution.plan.clone(), solution.schedule()) else {
            return Ok(Vec::new());
        };
        let plain = point(&problem, bound, file.in_rounds());
        let mut plans = vec![plan.as_asked(&problem).into_owned()];
        let mut rng: Rng = rng_of(self.options.seed, problem.pieces() as usize, super::PURPOSE);
        self.fewer_steps(&problem, &plain, &mut rng, |plan| {
            plans.push(plan.as_asked(&problem).into_owned());
        });
        Ok(plans)
    }
}
