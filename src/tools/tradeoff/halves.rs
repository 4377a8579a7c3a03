//! All-reduces in steps of rounds: a reduce-scatter, then an all-gather, each with every number of steps
//! for which rounds were found.

use super::{Point, Tradeoff, point};
use ccsched_base::Result;
use ccsched_bounds as bounds;
use ccsched_model::problem::{Collective, MessageId, Problem, Request};
use ccsched_model::schedule::{Plan, Step};
use std::time::Instant;

impl Tradeoff {
    /// The schedules of an all-reduce made of those of its halves.
    pub(super) fn of_halves(
        &self,
        whole: &Problem,
        bound: u32,
        until: Option<Instant>,
    ) -> Result<Vec<Point>> {
        if self.is_over(until) {
            return Ok(Vec::new());
        }
        let half = |collective| self.half(whole, collective, until);
        let (scatters, gathers) = (half(Collective::ReduceScatter)?, half(Collective::Aab)?);
        let parts = whole.messages() as MessageId / 2;
        let (mut points, quick) = (Vec::new(), bounds::quick(whole));
        for scatter in &scatters {
            for gather in &gathers {
                let mut plan = scatter.clone();
                for round in gather.steps() {
                    let mut moved = Step::default();
                    round.iter().for_each(|t| moved.push(t.message + parts, t.channels));
                    plan.append(moved);
                }
                let provenance = self.provenance("reduce-scatter, then all-gather");
                let file = plan.record(whole, &quick, provenance);
                points.push(point(whole, bound, file.in_rounds()));
            }
        }
        Ok(points)
    }

    /// The schedules of a half, forwards in time.
    fn half(
        &self,
        whole: &Problem,
        collective: Collective,
        until: Option<Instant>,
    ) -> Result<Vec<Plan>> {
        let request = Request { collective, pieces: whole.pieces(), ..self.request.clone() };
        let problem = request.pose(self.network.clone(), self.faults.clone())?;
        let Some((plans, _)) = self.plans(&problem, until)? else { return Ok(Vec::new()) };
        Ok(plans.iter().map(|(plan, _)| plan.as_asked(&problem).into_owned()).collect())
    }
}
