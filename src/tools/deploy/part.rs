//! The schedules of one collective of a job: with messages in as many pieces as may gain, by length of
//! call the fastest, and from which length on it is predicted to be faster than the algorithms of MPI
//! libraries.

use super::Asked;
use super::algorithms::{self, Algorithm, MPICH, OPEN_MPI};
use super::along::along;
use super::cost::{Cost, Roads};
use super::threshold::threshold;
use crate::tradeoff::{Point, Tradeoff, best};
use ccsched_base::{Error, Result};
use ccsched_bounds as bounds;
use ccsched_model::problem::{Collective, Problem, Request, Routing};
use ccsched_model::schedule::TimeModel;
use ccsched_network::Routes;
use ccsched_run::Options;
use ccsched_run::islands::Limits;
use ccsched_verify::verify;
use std::time::{Duration, Instant};

/// Predictions that differ by less are equal.
const LEAST_GAIN: f64 = 1e-6;

/// The time of an all-reduce over that for the one of one part.
const ONE_PART: u32 = 8;

/// The collective of a job.
pub struct Part {
    /// The collective.
    pub collective: Collective,
    /// Its schedules, by pieces.
    pub points: Vec<Point>,
    /// The algorithms of MPI libraries for it, with what they cost.
    pub rivals: Vec<(&'static Algorithm, Cost)>,
    /// The names of those that the schedule must be faster than; all if none are named.
    pub(super) against: Vec<String>,
    /// The least length of a call for which a schedule is used; none if MPI's own function always is.
    pub least_bytes: Option<u64>,
    pub(super) ranks: u32,
    pub(super) model: TimeModel,
    pub(super) sizes: Vec<u64>,
}

impl Part {
    /// Schedules a collective within some time, and predicts it.
    pub(super) fn of(
        asked: &Asked,
        collective: Collective,
        roads: &Roads,
        time: Option<Duration>,
    ) -> Result<Self> {
        let points = points(asked, collective, roads, time)?;
        let ranks = roads.ranks();
        let costs =
            |a: &'static Algorithm| Some((a, roads.cost(&(a.steps)(ranks)?, asked.model.hop_us)));
        let rivals: Vec<_> = algorithms::of(collective).filter_map(costs).collect();
        let is_own = |name: &&String| {
            [MPICH, OPEN_MPI].contains(&name.as_str())
                || rivals.iter().any(|(a, _)| a.name == **name)
        };
        let against = asked.against.iter().filter(is_own).cloned().collect();
        let (model, sizes) = (asked.model, asked.sizes.clone());
        let mut part =
            Part { collective, points, rivals, against, least_bytes: None, ranks, model, sizes };
        let gains = |bytes, us: f64| part.us(bytes) < us * (1.0 - LEAST_GAIN);
        let is_faster = |bytes| part.best_rival(bytes).is_none_or(|(_, us)| gains(bytes, us));
        let least = asked.least_bytes.or_else(|| threshold(&part.sizes, is_faster));
        part.least_bytes = least;
        Ok(part)
    }

    /// The model of calls of this length: that of a block, or the vector of an all-reduce.
    pub fn model(&self, bytes: u64) -> TimeModel {
        let message_bytes = match self.collective {
            Collective::AllReduce => bytes.div_ceil(self.ranks.into()),
            _ => bytes,
        };
        TimeModel { message_bytes, ..self.model }
    }

    /// The fastest schedule for calls of this length.
    pub fn schedule(&self, bytes: u64) -> &Point {
        &self.points[best(&self.points, &self.model(bytes)).unwrap_or(0)]
    }

    /// What it takes, in microseconds.
    pub fn us(&self, bytes: u64) -> f64 {
        self.schedule(bytes).time_us(&self.model(bytes))
    }

    /// The fastest of the algorithms that the schedule must be faster than, and what it takes.
    pub fn best_rival(&self, bytes: u64) -> Option<(&'static str, f64)> {
        let chosen = self.chosen(bytes);
        let is_met = |a: &Algorithm| {
            let is_it = |other: &String| match other.as_str() {
                MPICH => a.name == chosen,
                OPEN_MPI => a.open_mpi > 0,
                name => a.name == name,
            };
            self.against.is_empty() || self.against.iter().any(is_it)
        };
        let met = self.rivals.iter().filter(|(a, _)| is_met(a));
        let times = met.map(|(a, cost)| (a.name, cost.us(&self.model(bytes))));
        times.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The algorithm that MPICH takes for calls of this length.
    pub fn chosen(&self, bytes: u64) -> &'static str {
        algorithms::of_mpich(self.collective, self.ranks, bytes)
    }

    /// The schedules that are used, each with the least length of a call.
    pub fn used(&self) -> Vec<(u64, &Point)> {
        self.from(self.least_bytes)
    }

    /// The schedules that are the fastest for some of the lengths, each with the least of them.
    pub fn fastest(&self) -> Vec<(u64, &Point)> {
        self.from(self.sizes.first().copied())
    }

    /// Those that are the fastest for some of the lengths, and used at none, each with the least of them.
    pub fn unused(&self) -> Vec<(u64, &Point)> {
        let used: Vec<String> = self.used().iter().map(|(_, point)| point.name()).collect();
        let mut unused: Vec<(u64, &Point)> = Vec::new();
        for (bytes, point) in self.fastest() {
            let is_new = unused.iter().all(|(_, other)| other.name() != point.name());
            if is_new && !used.contains(&point.name()) {
                unused.push((bytes, point));
            }
        }
        unused
    }

    fn from(&self, least: Option<u64>) -> Vec<(u64, &Point)> {
        let Some(least) = least else { return Vec::new() };
        let mut used = vec![(least, self.schedule(least))];
        for &bytes in self.sizes.iter().filter(|&&bytes| bytes > least) {
            let point = self.schedule(bytes);
            if used.last().is_some_and(|(_, last)| last.name() != point.name()) {
                used.push((bytes, point));
            }
        }
        used
    }

    /// The longest calls that are predicted.
    pub fn longest(&self) -> u64 {
        self.sizes.last().copied().unwrap_or(0)
    }

    /// The lengths of calls that are predicted, ascending.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }
}

/// The schedules of a collective. More pieces are tried only where their bound leaves room for a gain.
fn points(
    asked: &Asked,
    collective: Collective,
    roads: &Roads,
    time: Option<Duration>,
) -> Result<Vec<Point>> {
    let begin = Instant::now();
    let is_common = collective.content().is_common();
    let goes_along = is_common && asked.request.routing.is_fixed();
    let routing = if goes_along { Routing::Minimal } else { asked.request.routing };
    let deployed = |problem: &Problem, mut point: Point| {
        if goes_along && problem.switching().holds_paths() {
            point.file = along(roads, &point.file)?;
            if let Some(violation) = verify(&point.file).first() {
                let why = format!("{collective} along the routes: {violation}");
                return Err(Error::problem(why));
            }
        }
        Ok(plain(point))
    };
    let mut points: Vec<Point> = Vec::new();
    let tradeoff = |collective, most_pieces, time| {
        let limits = Limits { time, ..asked.options.limits };
        Tradeoff {
            request: Request { collective, routing, ..asked.request.clone() },
            network: asked.network.clone(),
            faults: asked.faults.clone(),
            most_pieces,
            effort: 0,
            table: table(asked, collective, roads),
            options: Options { limits, ..asked.options.clone() },
        }
    };
    // Short calls take the whole vector in one message: fewer steps, and more bytes in each.
    if collective == Collective::AllReduce {
        let time = time.map(|time| time / ONE_PART);
        let whole = tradeoff(Collective::AllReduceWhole, 1, time);
        let problem = whole.posed(1)?;
        for point in whole.of_pieces(&problem)? {
            points.push(Point { parts: roads.ranks(), ..deployed(&problem, point)? });
        }
    }
    for pieces in 1..=asked.most_pieces {
        // Whole messages get half of the time, pieces share the rest.
        let shares =
            if pieces == 1 { 2.min(asked.most_pieces) } else { asked.most_pieces + 1 - pieces };
        let left = time.map(|time| time.saturating_sub(begin.elapsed()));
        if pieces > 1 && left == Some(Duration::ZERO) {
            break;
        }
        let tradeoff = tradeoff(collective, pieces, left.map(|left| left / shares));
        let problem = match tradeoff.posed(pieces) {
            // Too many messages.
            Err(_) if pieces > 1 => break,
            posed => posed?,
        };
        if pieces > 1 && !may_gain(&problem, &points) {
            continue;
        }
        for point in tradeoff.of_pieces(&problem)? {
            points.push(deployed(&problem, point)?);
        }
    }
    if points.iter().all(|point| point.parts > 1) {
        let why = format!("no schedule of {collective} was found in its share of this time");
        return Err(Error::field("time_limit", why));
    }
    Ok(points)
}

/// The table of routes of all ranks, where a collective keeps to it: it is made once, and is that of the files.
fn table(asked: &Asked, collective: Collective, roads: &Roads) -> Option<Routes> {
    let is_along = !collective.content().is_common() && asked.request.routing.is_fixed();
    roads.problem().table().filter(|_| is_along).map(|table| (**table).clone())
}

/// The schedule without rounds: programs start each of them on its own.
fn plain(mut point: Point) -> Point {
    point.file.model.rounds = None;
    let steps = point.file.steps.len() as u32;
    Point { steps, rounds: steps, ..point }
}

/// Whether a schedule with more pieces could take fewer rounds for each of them.
fn may_gain(problem: &Problem, points: &[Point]) -> bool {
    let quick = bounds::quick(problem).first().map_or(0, |bound| bound.steps);
    let (least, pieces) = (quick.max(problem.static_duration()), problem.pieces());
    let rounds = |point: &Point| u64::from(point.rounds) * u64::from(pieces);
    points
        .iter()
        .filter(|point| point.parts == 1)
        .all(|point| u64::from(least) * u64::from(point.pieces) < rounds(point))
}
