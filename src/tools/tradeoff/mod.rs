//! The trade-off of pieces, steps and rounds: fewer steps start less often, more pieces leave fewer
//! channels idle. A schedule of S steps and R rounds with C pieces a message takes S t0 + R t1 m / C
//! for messages of m bytes, so short messages want few steps, long ones few rounds a piece.

mod book;
mod levels;

pub use book::SizeBook;
use ccsched_base::rng::{Rng, rng_of};
use ccsched_base::{Error, Result};
use ccsched_bounds as bounds;
use ccsched_engines::construct::over_ranks::in_few_steps;
use ccsched_engines::search::rounds;
use ccsched_model::problem::{Collective, MessageId, Problem, Request};
use ccsched_model::schedule::file::Provenance;
use ccsched_model::schedule::{Plan, ScheduleFile, Step, TimeModel};
use ccsched_network::faults::Fault;
use ccsched_network::{Network, Routes};
use ccsched_run::{Options, solve};
use ccsched_verify::verify;
use levels::Levels;
use rand::RngExt;
use std::borrow::Borrow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The purpose of the random generator; islands, master and constructions have others.
const PURPOSE: usize = 5;
/// Divisions of the rounds among the steps that are tried.
const MOST_DIVISIONS: usize = 32;
/// Rounds above those of a plain schedule that are tried to save a step, in percent of them.
const MORE_ROUNDS: u32 = 100;
/// Placements at a number of steps, for all rounds and divisions together.
const MOST_PLACEMENTS: usize = 2_000_000;
/// The part of the time of a number of pieces that its plain schedule takes at most.
const PLAIN: u32 = 3;

/// Schedules with their methods.
type Plans = Vec<(Plan, String)>;

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
    /// Whether no other one of those found has as few steps and as few rounds a piece.
    pub is_frontier: bool,
    /// Whether it is proved that no schedule with these pieces has fewer steps and no more rounds, or fewer
    /// rounds and no more steps.
    pub is_proved: bool,
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
        let rank = |point: &Point, pieces: u32| {
            (point.steps, u64::from(point.rounds * point.parts) * u64::from(pieces), point.pieces)
        };
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
    /// The table of routes, if it is made already.
    pub table: Option<Routes>,
}

impl Tradeoff {
    /// The schedules of least rounds for each number of pieces and of steps that are found, by pieces, then
    /// steps; those of an all-reduce of one part come first. `told` hears of each once it is found. An
    /// interrupt, or the end of the time, leaves the schedules before it.
    ///
    /// # Errors
    /// As [`Request::pose`] and [`solve`].
    pub fn run(&self, told: &mut dyn FnMut(&Point)) -> Result<Vec<Point>> {
        let mut points: Vec<Point> = Vec::new();
        let begin = Instant::now();
        self.request
            .pose(self.network.clone(), self.faults.clone())?
            .refuse_multicast("a trade-off")?;
        let is_all_reduce = self.request.collective == Collective::AllReduce;
        let of_one_part: &[bool] = if is_all_reduce { &[true, false] } else { &[false] };
        let pieces = |&is_one: &bool| (1..=self.most_pieces).map(move |pieces| (is_one, pieces));
        let all: Vec<(bool, u32)> = of_one_part.iter().flat_map(pieces).collect();
        for (number, &(is_one, pieces)) in all.iter().enumerate() {
            let time = self.options.limits.time.map(|time| time.saturating_sub(begin.elapsed()));
            let is_over = self.options.is_interrupted() || time == Some(Duration::ZERO);
            if is_over && !points.is_empty() {
                break;
            }
            let mut own = self.clone();
            own.options.limits.time = time.map(|time| time / (all.len() - number) as u32);
            if is_one {
                own.request.collective = own.request.collective.of_parts(Some(1));
            }
            let problem = own.posed(pieces)?;
            let mut found = own.of_pieces(&problem)?;
            if is_one {
                let parts = problem.senders().len() as u32;
                found.iter_mut().for_each(|point| point.parts = parts);
            }
            found.iter().for_each(&mut *told);
            points.extend(found);
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
        let (network, faults) = (self.network.clone(), self.faults.clone());
        match &self.table {
            Some(table) => request.pose_along(network, faults, table.clone()),
            None => request.pose(network, faults),
        }
    }

    /// The schedules of the problem with a number of pieces, by steps; without effort the plain one alone.
    ///
    /// # Errors
    /// As [`solve`].
    pub fn of_pieces(&self, problem: &Problem) -> Result<Vec<Point>> {
        let mut own = Vec::new();
        let until = self.options.limits.time.map(|time| Instant::now() + time);
        let Some((plans, bound)) = self.plans(problem, until)? else { return Ok(own) };
        let quick = bounds::quick(problem);
        for (plan, method) in &plans {
            let file = plan.record(problem, &quick, self.provenance(method));
            own.push(point(problem, bound, file.in_rounds()));
        }
        let has_halves = problem.collective().is_all_reduce() && problem.groups().is_none();
        if self.effort > 0 && has_halves {
            own.extend(self.of_halves(problem, bound, until)?);
        }
        // One that was found with fewer steps than asked for may stand twice, or be beaten.
        let mut points: Vec<Point> = Vec::new();
        let same = |a: &Point, b: &Point| (a.steps, a.rounds) == (b.steps, b.rounds);
        for (i, point) in own.iter().enumerate() {
            let is_beaten = own.iter().any(|other| point.is_beaten_by(other));
            if !is_beaten && !own[..i].iter().any(|before| same(before, point)) {
                points.push(point.clone());
            }
        }
        for point in &points {
            if let Some(violation) = verify(&point.file).first() {
                let why = format!("a schedule of the trade-off, {}: {violation}", point.name());
                return Err(Error::problem(why));
            }
        }
        points.sort_by_key(|point| point.steps);
        self.prove(problem, &mut points);
        Ok(points)
    }

    /// Marks those that no schedule with as many pieces beats, by the bounds on steps and on rounds.
    fn prove(&self, problem: &Problem, points: &mut [Point]) {
        let of_one_step = match self.effort {
            0 => None,
            _ => self.rounds_of_one_step(problem),
        };
        let fewest = bounds::eccentricity::least(problem);
        for point in points {
            let least = |steps: u32| match of_one_step {
                Some(rounds) if steps == 1 => rounds.max(point.bound),
                _ => point.bound,
            };
            let has_least_rounds = point.rounds == least(point.steps);
            let has_least_steps = point.steps <= fewest || least(point.steps - 1) > point.rounds;
            point.is_proved = has_least_rounds && has_least_steps;
        }
    }

    /// Schedules, one entry of a plan a round, with their methods, the plain one first; and the bound on rounds.
    fn plans(&self, problem: &Problem, until: Option<Instant>) -> Result<Option<(Plans, u32)>> {
        let share = if self.effort > 0 { PLAIN } else { 1 };
        let solution = solve(problem, &self.share_of_what_is_left(until, share));
        let solution = solution.map_err(|error| Error::problem(error.to_string()))?;
        let bound = solution.bounds.first().map_or(1, |bound| bound.steps);
        let method = solution.schedule().map(|file| file.provenance.method);
        let Some((plain, method)) = solution.plan.zip(method) else { return Ok(None) };
        let mut plans = vec![(Plan::clone(&plain), method)];
        if self.effort == 0 {
            return Ok(Some((plans, bound)));
        }
        if let Some(direct) = self.direct(problem, until)? {
            plans.push((direct, "one step".into()));
        }
        let mut rng = rng_of(self.options.seed, problem.pieces() as usize, PURPOSE);
        let over_ranks = in_few_steps(problem, &mut rng);
        plans.extend(over_ranks.into_iter().map(|plan| (plan, "phases over ranks".into())));
        let plain_steps =
            plain.record(problem, &[], self.provenance("")).in_rounds().steps_of_rounds();
        if let Some(levels) = Levels::of(problem, &plain) {
            for steps in levels.depth()..plain_steps {
                plans.push((levels.in_steps(steps), "fewer steps over the same paths".into()));
            }
        }
        let is_over = || self.is_over(until);
        if rounds::applies(problem) {
            let size = |(plan, _): &(Plan, String)| {
                let file = plan.record(problem, &[], self.provenance("")).in_rounds();
                (file.steps_of_rounds() as u32, file.steps.len() as u32)
            };
            let known: Vec<(u32, u32)> = plans.iter().map(size).collect();
            self.fewer_steps((problem, bound), &known, &is_over, &mut rng, |plan| {
                plans.push((plan, "ejection over steps of rounds".into()));
            });
        }
        Ok(Some((plans, bound)))
    }

    /// Passes the schedules with fewer steps than the plain one, or fewer rounds than those of as many steps,
    /// where they are found. The steps and rounds of some are known, first those of the plain one.
    fn fewer_steps(
        &self,
        (problem, bound): (&Problem, u32),
        known: &[(u32, u32)],
        is_over: &dyn Fn() -> bool,
        rng: &mut Rng,
        mut found: impl FnMut(Plan),
    ) {
        let plain = known[0];
        // Fewer steps never take fewer rounds.
        let mut fewest = bound;
        for steps in (bounds::eccentricity::least(problem)..plain.0).rev() {
            let in_as_many = known.iter().filter(|known| known.0 <= steps);
            let best = in_as_many.map(|known| known.1).min();
            let most = best.map_or(plain.1 + plain.1 * MORE_ROUNDS / 100, |best| best - 1);
            let mut left = MOST_PLACEMENTS;
            let plan = (fewest.max(steps)..=most).find_map(|rounds| {
                self.grouped(problem, [steps, rounds], (&mut left, is_over), rng)
            });
            if let Some(plan) = plan {
                fewest = plan.len() as u32;
                found(plan);
            } else if best.is_none() {
                break;
            }
        }
    }

    /// A schedule with this number of steps and rounds, by at most this many placements, which it takes off.
    fn grouped(
        &self,
        problem: &Problem,
        [steps, rounds]: [u32; 2],
        (left, is_over): (&mut usize, &dyn Fn() -> bool),
        rng: &mut Rng,
    ) -> Option<Plan> {
        let placements = self.effort.saturating_mul(problem.messages());
        divisions(steps, rounds, &mut rng_of(self.options.seed, rounds as usize, PURPOSE))
            .into_iter()
            .find_map(|rounds| {
                let effort = self.effort.min(*left / problem.messages().max(1));
                *left = left.saturating_sub(placements);
                let effort = if is_over() { 0 } else { effort };
                (effort > 0).then(|| rounds::search(problem, &rounds, effort, is_over, rng))?
            })
    }

    /// How a schedule is found in a part of the time that is left: one `share`-th of it.
    fn share_of_what_is_left(&self, until: Option<Instant>, share: u32) -> Options {
        let mut options = self.options.clone();
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        options.limits.time = until.map(|until| left(until) / share);
        options
    }

    fn is_over(&self, until: Option<Instant>) -> bool {
        until.is_some_and(|until| Instant::now() >= until) || self.options.is_interrupted()
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
        is_proved: false,
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

/// Times that differ by less than this part are equal: they differ by rounding alone.
const EQUAL: f64 = 1e-9;

/// The best of some schedules for messages of the model's length, by place: the fastest; of equally fast
/// ones that of the fewest pieces, then of the fewest rounds.
pub fn best<P: Borrow<Point>>(points: &[P], model: &TimeModel) -> Option<usize> {
    let times: Vec<f64> = points.iter().map(|point| point.borrow().time_us(model)).collect();
    let least = times.iter().copied().min_by(f64::total_cmp)?;
    let is_fastest = |&place: &usize| times[place] <= least * (1.0 + EQUAL);
    let size = |&place: &usize| {
        let point = points[place].borrow();
        (point.pieces, point.rounds, place)
    };
    (0..points.len()).filter(is_fastest).min_by_key(size)
}

// The short end of a trade-off: every message goes straight to each of its receivers, in one step. The
// schedule is that of the collective with separate messages; its bound is one of all schedules of one step.

/// More separate messages than this are neither scheduled nor bounded.
const MOST_MESSAGES: usize = 300_000;

impl Tradeoff {
    /// The collective in which every receiver gets messages of its own from all of those that it hears of; those
    /// of an all-reduce are one for each part.
    fn apart(&self, problem: &Problem) -> Option<Arc<Problem>> {
        let (ranks, pieces) = (problem.senders().len(), problem.pieces());
        let (collective, pieces) = match problem.collective() {
            Collective::Oab => (Collective::Oas, pieces),
            Collective::Aab | Collective::ReduceScatter => (Collective::Aas, pieces),
            Collective::AllReduceWhole | Collective::Barrier => (Collective::Aas, pieces),
            Collective::AllReduce => (Collective::Aas, pieces * ranks as u32),
            _ => return None,
        };
        let messages = ranks * problem.receivers().len() * pieces as usize;
        if messages > MOST_MESSAGES || self.table.is_some() {
            return None;
        }
        let request = Request { collective, pieces, ..self.request.clone() };
        request.pose(self.network.clone(), self.faults.clone()).ok().map(Arc::new)
    }

    /// The least rounds of a schedule of one step, if a bound is known.
    fn rounds_of_one_step(&self, problem: &Problem) -> Option<u32> {
        let apart = self.apart(problem)?;
        bounds::quick(&apart).first().map(|bound| bound.steps)
    }

    /// The schedule of one step, where paths lead straight from source to receiver.
    ///
    /// # Errors
    /// As [`solve`].
    fn direct(&self, problem: &Problem, until: Option<Instant>) -> Result<Option<Plan>> {
        let collective = problem.collective();
        // Parts of an all-reduce are added up before they are spread.
        if !problem.switching().holds_paths() || collective.is_all_reduce() || self.is_over(until) {
            return Ok(None);
        }
        let Some(apart) = self.apart(problem) else { return Ok(None) };
        let solution = solve(&apart, &self.share_of_what_is_left(until, PLAIN));
        let solution = solution.map_err(|error| Error::problem(error.to_string()))?;
        let Some(plan) = solution.plan.filter(|p| p.transfers().count() == apart.demands().len())
        else {
            return Ok(None);
        };
        let pieces = problem.pieces();
        let of = |m: MessageId| ((problem.message(m).origin, m % pieces), m);
        let own: HashMap<_, MessageId> = (0..problem.messages() as MessageId).map(of).collect();
        // On the reversed network the messages of a reduce-scatter come from its roots.
        let is_reduction = collective.is_reduction();
        let mut message = vec![None; apart.messages()];
        for d in apart.demands() {
            let origin = if is_reduction { d.destination } else { d.source };
            message[d.message as usize] = own.get(&(origin, d.message % pieces)).copied();
        }
        let plan = if is_reduction { plan.reversed() } else { Plan::clone(&plan) };
        let mut direct = Plan::new(plan.len() as u32);
        for (number, step) in plan.steps().enumerate() {
            for t in step.iter() {
                let Some(message) = message[t.message as usize] else { return Ok(None) };
                direct.push(number, message, t.channels);
            }
        }
        direct.tidy();
        Ok(Some(direct))
    }
}

// All-reduces in steps of rounds: a reduce-scatter, then an all-gather, each with every number of steps
// for which rounds were found.

impl Tradeoff {
    /// The schedules of an all-reduce made of those of its halves.
    fn of_halves(&self, whole: &Problem, bound: u32, until: Option<Instant>) -> Result<Vec<Point>> {
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
