//! The trade-off of pieces, steps and rounds: fewer steps start less often, more pieces leave fewer
//! channels idle. A schedule of S steps and R rounds with C pieces a message takes S t0 + R t1 m / C
//! for messages of m bytes, so short messages want few steps, long ones few rounds a piece.

mod book;
mod halves;
mod plot;

pub use book::SizeBook;
pub use plot::times;

use crate::bounds;
use crate::engines::search::rounds;
use crate::network::Network;
use crate::network::faults::Fault;
use crate::problem::{Problem, Request};
use crate::rng::{Rng, rng_of};
use crate::schedule::file::Provenance;
use crate::schedule::{Plan, ScheduleFile, TimeModel};
use crate::{Error, Options, Result, solve};
use rand::RngExt;
use std::borrow::Borrow;

/// The purpose of the random generator; islands, master and constructions have others.
const PURPOSE: usize = 5;
/// Divisions of the rounds among the steps that are tried.
const MOST_DIVISIONS: usize = 32;
/// Rounds above those of a plain schedule that are tried to save a step, in percent of them.
const MORE_ROUNDS: u32 = 100;

/// A schedule of the trade-off.
#[derive(Clone, Debug)]
pub struct Point {
    /// Pieces of a message.
    pub pieces: u32,
    /// Steps.
    pub steps: u32,
    /// Rounds of all steps.
    pub rounds: u32,
    /// No schedule of these pieces has fewer rounds.
    pub bound: u32,
    /// Whether no other one has as few steps and as few rounds a piece.
    pub is_frontier: bool,
    /// The messages of the model that one of its messages holds: 1, but all parts of the vector for an
    /// all-reduce of one part beside those of many.
    pub parts: u32,
    /// The schedule.
    pub file: ScheduleFile,
}

impl Point {
    /// Microseconds for messages of the model's length.
    pub fn time_us(&self, model: &TimeModel) -> f64 {
        let message_bytes = model.message_bytes.saturating_mul(self.parts.into());
        self.file.time_us(&TimeModel { message_bytes, ..*model })
    }

    /// The name of its files.
    pub fn name(&self) -> String {
        let whole = if self.parts > 1 { "whole-" } else { "" };
        format!("{whole}pieces{}-steps{}-rounds{}", self.pieces, self.steps, self.rounds)
    }

    /// Whether another one has as few steps and as few rounds a piece, and fewer of one of them, or
    /// fewer pieces.
    fn is_beaten_by(&self, other: &Point) -> bool {
        // The rounds of as many pieces; of equal schedules that with fewer pieces is simpler.
        let rank = |point: &Point, pieces: u32| (point.steps, point.rounds * pieces, point.pieces);
        let (own, its) = (rank(self, other.pieces), rank(other, self.pieces));
        its.0 <= own.0 && its.1 <= own.1 && its < own
    }
}

/// What is tried.
#[derive(Clone, Debug)]
pub struct Tradeoff {
    /// The request, whose pieces are set here.
    pub request: Request,
    /// Its network.
    pub network: Network,
    /// The faults that were taken out of the network.
    pub faults: Vec<Fault>,
    /// The most pieces of a message.
    pub most_pieces: u32,
    /// Placements of each message at a number of steps and rounds; 0 for plain schedules alone.
    pub effort: usize,
    /// How plain schedules are found.
    pub options: Options,
}

impl Tradeoff {
    /// The schedules of least rounds for each number of pieces and of steps that are found, by pieces, then
    /// steps; `told` hears how many pieces are next.
    ///
    /// # Errors
    /// As [`Request::pose`] and [`solve`].
    pub fn run(&self, told: &mut dyn FnMut(u32)) -> Result<Vec<Point>> {
        let mut points: Vec<Point> = Vec::new();
        for pieces in 1..=self.most_pieces {
            told(pieces);
            points.extend(self.of_pieces(&self.posed(pieces)?)?);
        }
        for i in 0..points.len() {
            points[i].is_frontier = !points.iter().any(|other| points[i].is_beaten_by(other));
        }
        Ok(points)
    }

    /// The problem with this number of pieces.
    ///
    /// # Errors
    /// As [`Request::pose`].
    pub fn posed(&self, pieces: u32) -> Result<Problem> {
        let request = Request { pieces, ..self.request.clone() };
        request.pose(self.network.clone(), self.faults.clone())
    }

    /// The schedules of the problem with a number of pieces, by steps; without effort the plain one alone.
    ///
    /// # Errors
    /// As [`solve`].
    pub fn of_pieces(&self, problem: &Problem) -> Result<Vec<Point>> {
        let mut own = Vec::new();
        let solution = solve(problem, &self.options);
        let solution = solution.map_err(|error| Error::problem(error.to_string()))?;
        let bound = solution.bounds.first().map_or(1, |bound| bound.steps);
        let Some(file) = solution.schedule() else { return Ok(own) };
        let plain = point(problem, bound, file.in_rounds());
        if self.effort > 0 && problem.collective().is_all_reduce() {
            own.extend(self.of_halves(problem, bound)?);
        }
        let mut rng = rng_of(self.options.seed, problem.pieces() as usize, PURPOSE);
        self.fewer_steps(problem, &plain, &mut rng, |plan| {
            let provenance = self.provenance("ejection over steps of rounds");
            let file = plan.record(problem, &bounds::quick(problem), provenance);
            own.push(point(problem, bound, file.in_rounds()));
        });
        own.push(plain);
        // One that was found with fewer steps than asked for may stand twice, or be beaten.
        let mut points: Vec<Point> = Vec::new();
        let same = |a: &Point, b: &Point| (a.steps, a.rounds) == (b.steps, b.rounds);
        for (i, point) in own.iter().enumerate() {
            let is_beaten = own.iter().any(|other| point.is_beaten_by(other));
            if !is_beaten && !own[..i].iter().any(|before| same(before, point)) {
                points.push(point.clone());
            }
        }
        points.sort_by_key(|point| point.steps);
        Ok(points)
    }

    /// Passes the schedules with fewer steps than the plain one, where they are found.
    fn fewer_steps(
        &self,
        problem: &Problem,
        plain: &Point,
        rng: &mut Rng,
        mut found: impl FnMut(Plan),
    ) {
        if self.effort == 0 || !rounds::applies(problem) {
            return;
        }
        // Fewer steps never take fewer rounds.
        let mut fewest = plain.bound;
        for steps in (bounds::eccentricity::least(problem)..plain.steps).rev() {
            let most = plain.rounds + plain.rounds * MORE_ROUNDS / 100;
            let plan = (fewest.max(steps)..=most)
                .find_map(|rounds| self.grouped(problem, [steps, rounds], rng));
            let Some(plan) = plan else { break };
            fewest = plan.len() as u32;
            found(plan);
        }
    }

    /// A schedule with this number of steps and rounds.
    fn grouped(&self, problem: &Problem, [steps, rounds]: [u32; 2], rng: &mut Rng) -> Option<Plan> {
        divisions(steps, rounds, &mut rng_of(self.options.seed, rounds as usize, PURPOSE))
            .into_iter()
            .find_map(|rounds| rounds::search(problem, &rounds, self.effort, rng))
    }

    /// Where a schedule comes from that was found here.
    fn provenance(&self, method: &str) -> Provenance {
        Provenance {
            program: "ccsched".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            engine: "auto".into(),
            method: method.into(),
            seed: self.options.seed,
            ranks: 1,
            ..Provenance::default()
        }
    }
}

fn point(problem: &Problem, bound: u32, file: ScheduleFile) -> Point {
    Point {
        pieces: problem.pieces(),
        steps: file.steps_of_rounds() as u32,
        rounds: file.steps.len() as u32,
        bound,
        is_frontier: false,
        parts: 1,
        file,
    }
}

/// Ways to divide rounds among steps, each of which has one at least: all if they are few, else the even
/// one and random ones.
fn divisions(steps: u32, rounds: u32, rng: &mut Rng) -> Vec<Vec<u32>> {
    let even = (0..steps).map(|step| (step + 1) * rounds / steps - step * rounds / steps);
    let mut all = vec![even.collect::<Vec<u32>>()];
    let mut listed = Vec::new();
    list(steps, rounds, &mut Vec::new(), &mut listed);
    if listed.len() <= MOST_DIVISIONS {
        listed.retain(|division| *division != all[0]);
        all.extend(listed);
        return all;
    }
    while all.len() < MOST_DIVISIONS {
        let mut division = vec![1; steps as usize];
        for _ in steps..rounds {
            division[rng.random_range(0..steps as usize)] += 1;
        }
        all.push(division);
    }
    all
}

/// All divisions, as long as they are few.
fn list(steps: u32, rounds: u32, before: &mut Vec<u32>, listed: &mut Vec<Vec<u32>>) {
    if listed.len() > MOST_DIVISIONS || rounds < steps {
        return;
    }
    if steps <= 1 {
        listed.push(before.iter().copied().chain([rounds]).collect());
        return;
    }
    for first in (1..=rounds - (steps - 1)).rev() {
        before.push(first);
        list(steps - 1, rounds - first, before, listed);
        before.pop();
    }
}

/// The best of some schedules for messages of the model's length, by place.
pub fn best<P: Borrow<Point>>(points: &[P], model: &TimeModel) -> Option<usize> {
    let times = points.iter().map(|point| point.borrow().time_us(model));
    (0..).zip(times).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_have_all_rounds_and_no_empty_step() {
        for (steps, rounds) in [(1, 5), (3, 7), (4, 4), (5, 40)] {
            let all = divisions(steps, rounds, &mut rng_of(1, 0, 0));
            assert!(!all.is_empty() && all.len() <= MOST_DIVISIONS + 1);
            for division in &all {
                assert_eq!(division.len(), steps as usize);
                assert_eq!(division.iter().sum::<u32>(), rounds);
                assert!(division.iter().all(|&rounds| rounds > 0));
            }
        }
        assert_eq!(divisions(3, 7, &mut rng_of(1, 0, 0)).len(), 15);
    }
}
