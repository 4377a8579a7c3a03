//! The study of the Swiss-T1 cluster in all its allocations (liquid-schedules, sections 2 and 4, annex),
//! repeated by one command: 0 to 4 nodes at each of 8 switches, and their classes, which have the same number
//! of nodes and the same liquid throughput. In an all-to-all exchange, every node to every node and itself,
//! the loads follow from the numbers alone. One allocation of every class is scheduled.

use crate::pictures::{Axis, Drawn, SIZE, chart, colour, curve, picture, stairs, whole};
use anyhow::anyhow;
use ccsched_engines::exact::conflict_graph::Conflicts;
use ccsched_engines::{Engine, exact};
use ccsched_model::problem::{Collective, Problem, Request, Routing};
use ccsched_model::schedule::file::Provenance;
use ccsched_network::families::{SWISS_NODES, SWISS_SWITCHES, swiss_way};
use ccsched_network::spec;
use ccsched_run::islands::{
    Alone, Job, Prepared, Search, SearchError, Solution, StopCondition, StopReason,
};
use ccsched_verify::verify;
use plotters::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The rate of a link in MB/s (section 2).
pub const LINK_RATE: f64 = 86.0;

/// Nodes in front of every switch.
pub type Allocation = [u8; SWISS_SWITCHES];

/// Number of allocations, the empty one included.
pub const ALLOCATIONS: u64 = (SWISS_NODES as u64 + 1).pow(SWISS_SWITCHES as u32);

/// Allocations with the same number of nodes and the same liquid throughput.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Nodes that take part.
    pub nodes: u32,
    /// Load of the bottleneck: nodes squared over this is the liquid throughput, in links.
    pub duration: u32,
    /// Number of allocations in the class.
    pub allocations: u64,
    /// The first allocation.
    pub example: Allocation,
}

impl Class {
    /// Transfers of the exchange.
    pub fn transfers(&self) -> u32 {
        self.nodes * self.nodes
    }

    /// Throughput of a schedule of `steps` over links of `link_rate` MB/s.
    pub fn throughput(&self, steps: u32, link_rate: f64) -> f64 {
        if steps == 0 { 0.0 } else { f64::from(self.transfers()) / f64::from(steps) * link_rate }
    }

    /// The network of the example.
    pub fn spec(&self) -> String {
        let nodes: Vec<String> = self.example.iter().map(u8::to_string).collect();
        format!("swiss-t1:{}", nodes.join(","))
    }
}

/// All classes by nodes, then throughput; the empty allocation is the first.
pub fn classes() -> Vec<Class> {
    let over = pairs_by_channel();
    let mut found: BTreeMap<(u32, u32), (u64, Allocation)> = BTreeMap::new();
    for number in 0..ALLOCATIONS {
        let allocation = allocation(number);
        let nodes = allocation.iter().map(|&n| u32::from(n)).sum();
        let class = found.entry((nodes, duration(&allocation, &over)));
        class.or_insert((0, allocation)).0 += 1;
    }
    let class = |((nodes, duration), (allocations, example))| Class {
        nodes,
        duration,
        allocations,
        example,
    };
    let mut classes: Vec<Class> = found.into_iter().map(class).collect();
    classes.sort_by_key(|c| (c.nodes, std::cmp::Reverse(c.duration)));
    classes
}

fn allocation(mut number: u64) -> Allocation {
    std::array::from_fn(|_| {
        let nodes = number % (u64::from(SWISS_NODES) + 1);
        number /= u64::from(SWISS_NODES) + 1;
        nodes as u8
    })
}

/// For every channel between switches the pairs of switches whose transfers it carries.
fn pairs_by_channel() -> Vec<Vec<(usize, usize)>> {
    let mut over: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
    for a in 0..SWISS_SWITCHES {
        for b in 0..SWISS_SWITCHES {
            for ends in swiss_way(a, b).windows(2) {
                over.entry((ends[0], ends[1])).or_default().push((a, b));
            }
        }
    }
    over.into_values().collect()
}

/// The largest load: of the link of a node, or of a channel between switches.
fn duration(allocation: &Allocation, over: &[Vec<(usize, usize)>]) -> u32 {
    let nodes = |s: usize| u32::from(allocation[s]);
    let load = |pairs: &Vec<(usize, usize)>| pairs.iter().map(|&(a, b)| nodes(a) * nodes(b)).sum();
    let total: u32 = (0..SWISS_SWITCHES).map(nodes).sum();
    over.iter().map(load).fold(total, u32::max)
}

/// The limits of a study.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits<'a> {
    /// The seed of random numbers.
    pub seed: u64,
    /// Time for each engine on each class.
    pub time: Duration,
    /// When raised, no new run starts.
    pub interrupted: &'a AtomicBool,
}

/// The results of all engines on a class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Nodes that take part.
    pub nodes: u32,
    /// Load of the bottleneck.
    pub duration: u32,
    /// Allocations of this class.
    pub allocations: u64,
    /// The scheduled allocation.
    pub network: String,
    /// The largest lower bound.
    pub bound: u32,
    /// Steps of the auto engine's schedule at the bound; none if it found none.
    pub auto_steps: Option<u32>,
    /// Seconds of the auto engine.
    pub auto_seconds: f64,
    /// Whether the exact engine found a liquid schedule; none if its time ran out.
    pub exact_liquid: Option<bool>,
    /// Seconds of the exact engine.
    pub exact_seconds: f64,
    /// Steps of DSATUR's schedule.
    pub dsatur_steps: u32,
    /// Steps of round robin's.
    pub round_robin_steps: u32,
}

/// Schedules a class by all engines, each on one island. None if interrupted.
///
/// # Errors
/// A schedule that is not valid.
pub fn schedule(class: &Class, limits: RunLimits<'_>) -> anyhow::Result<Option<Row>> {
    let network = spec::parse(&class.spec())?;
    let goal = Some(class.duration);
    let search = Search { seed: limits.seed, exchange_every: 1, goal, ..Search::default() };
    let engine = Engine::default();
    let job = Job { network, faults: vec![], request: exchange(), engine, search, table: None };
    let auto = Prepared::new(job, 1)?;
    let run = |prepared: &Prepared| {
        let stop = StopCondition::new(u64::MAX, Some(limits.time), limits.interrupted);
        prepared.run(&mut Alone, stop, &mut (), None)
    };
    let by = |engine: Engine, goal| -> Result<Solution, SearchError> {
        run(&auto.again(engine, Search { goal, ..search }, 1)?)
    };
    let exact = by(Engine::of(&exact::LIQUID), goal)?;
    let steps = |solution: &Solution| solution.steps().map(|steps| steps as u32);
    let dsatur = steps(&by(Engine::of(&exact::DSATUR), None)?);
    let round_robin = steps(&by(Engine::of(&exact::ROUND_ROBIN), None)?);
    let solution = run(&auto)?;
    let reasons = [exact.reason, solution.reason];
    if reasons.contains(&StopReason::Interrupted) {
        return Ok(None);
    }
    Ok(Some(Row {
        nodes: class.nodes,
        duration: class.duration,
        allocations: class.allocations,
        network: class.spec(),
        bound: auto.bounds().first().map_or(0, |b| b.steps),
        auto_steps: steps(&solution),
        auto_seconds: solution.seconds,
        exact_liquid: match exact.reason {
            StopReason::Bound | StopReason::Goal => Some(true),
            StopReason::Exhausted => Some(false),
            _ => None,
        },
        exact_seconds: exact.seconds,
        dsatur_steps: dsatur.unwrap_or(0),
        round_robin_steps: round_robin.unwrap_or(0),
    }))
}

/// The sums over all classes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Classes of allocations, the empty one included.
    pub classes: usize,
    /// Classes scheduled.
    pub scheduled: usize,
    /// Scheduled classes for which the auto engine found a liquid schedule.
    pub liquid: usize,
    /// Seconds of the auto engine for all of them.
    pub auto_seconds: f64,
    /// Classes for which the exact engine found a liquid schedule, and for which it proved that
    /// none exists.
    pub exact: [usize; 2],
    /// Its seconds for these: sum, median, longest.
    pub exact_seconds: [f64; 3],
    /// Share of all classes that it decided in less than 0.1 s, per cent.
    pub exact_fast: f64,
    /// Share of the classes for which DSATUR loses nothing, below 10 %, 10 to 20 %, more; per cent.
    pub dsatur_loss: [f64; 4],
    /// Steps of round robin over steps of a liquid schedule: mean and largest.
    pub round_robin: [f64; 2],
    /// Share of the classes for which round robin takes at least 1.5 times as long, per cent.
    pub round_robin_slow: f64,
}

/// The paper's figures (annex, figure 11).
const PAPER_LOSS: [f64; 3] = [74.0, 18.0, 8.0];

impl Summary {
    /// Summarises rows.
    pub fn new(classes: usize, rows: &[Row]) -> Self {
        let count = |is: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count();
        let share = |is: &dyn Fn(&Row) -> bool| 100.0 * count(is) as f64 / rows.len().max(1) as f64;
        let known = |row: &&Row| row.exact_liquid.is_some();
        let mut exact: Vec<f64> = rows.iter().filter(known).map(|r| r.exact_seconds).collect();
        exact.sort_by(f64::total_cmp);
        let slowdown = |row: &Row| Level::from(row).slowdown();
        let loss = |row: &Row| Level::from(row).dsatur_loss();
        Summary {
            classes,
            scheduled: rows.len(),
            liquid: count(&|row| row.auto_steps == Some(row.duration)),
            auto_seconds: rows.iter().map(|row| row.auto_seconds).sum(),
            exact: [true, false].map(|found| count(&|row| row.exact_liquid == Some(found))),
            exact_seconds: [
                exact.iter().sum(),
                exact.get(exact.len() / 2).copied().unwrap_or(0.0),
                exact.last().copied().unwrap_or(0.0),
            ],
            exact_fast: share(&|row| row.exact_liquid.is_some() && row.exact_seconds < 0.1),
            dsatur_loss: [
                share(&|row| loss(row) <= 0.0),
                share(&|row| loss(row) > 0.0 && loss(row) < 0.1),
                share(&|row| (0.1..=0.2).contains(&loss(row))),
                share(&|row| loss(row) > 0.2),
            ],
            round_robin: [
                rows.iter().map(slowdown).sum::<f64>() / rows.len().max(1) as f64,
                rows.iter().map(slowdown).fold(0.0, f64::max),
            ],
            round_robin_slow: share(&|row| slowdown(row) >= 1.5),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [total, median, longest] = self.exact_seconds;
        let [found, none] = self.exact;
        let open = self.scheduled - found - none;
        let [zero, low, high, more] = self.dsatur_loss;
        let [paper_zero, paper_low, paper_high] = PAPER_LOSS;
        let [mean, largest] = self.round_robin;
        let Summary { classes, scheduled, liquid, .. } = self;
        writeln!(f, "Swiss-T1: {ALLOCATIONS} allocations, {classes} classes of nodes and liquid")?;
        writeln!(f, "throughput (paper: 363), the empty one included; {scheduled} scheduled, all")?;
        writeln!(f, "schedules verified")?;
        writeln!(f, "  auto         liquid {liquid} of {scheduled}, {:.3} s", self.auto_seconds)?;
        write!(f, "  exact        liquid {found}, none exists {none}, not known {open}; ")?;
        writeln!(f, "{total:.3} s for those known,")?;
        write!(f, "               median {median:.4} s, longest {longest:.3} s, ")?;
        writeln!(f, "{:.1} % below 0.1 s (paper: 97 %)", self.exact_fast)?;
        write!(f, "  DSATUR       no loss {zero:.1} %, below 10 % {low:.1} %, ")?;
        writeln!(f, "10 to 20 % {high:.1} %, more {more:.1} %")?;
        write!(f, "               (paper: {paper_zero} %, {paper_low} %, ")?;
        writeln!(f, "{paper_high} %)")?;
        write!(f, "  round robin  {mean:.2} times the steps of a liquid schedule on the mean, ")?;
        writeln!(f, "{largest:.2} at most;")?;
        write!(f, "               at least 1.5 times for {:.1} %", self.round_robin_slow)
    }
}

/// What the pictures show of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Nodes that take part.
    pub nodes: u32,
    /// Load of the bottleneck.
    pub duration: u32,
    /// Steps of DSATUR's schedule.
    pub dsatur: u32,
    /// Steps of round robin's.
    pub round_robin: u32,
}

impl From<&Row> for Level {
    fn from(row: &Row) -> Self {
        let Row { nodes, duration, dsatur_steps: dsatur, round_robin_steps: round_robin, .. } =
            *row;
        Level { nodes, duration, dsatur, round_robin }
    }
}

impl Level {
    /// The throughput of a schedule of this length over links of this rate.
    fn rate(&self, steps: u32, link_rate: f64) -> f64 {
        f64::from(self.nodes * self.nodes) / f64::from(steps.max(1)) * link_rate
    }

    /// The share of the liquid throughput that DSATUR's schedule loses.
    pub fn dsatur_loss(&self) -> f64 {
        1.0 - f64::from(self.duration) / f64::from(self.dsatur.max(1))
    }

    /// Steps of round robin over those of a liquid schedule.
    pub fn slowdown(&self) -> f64 {
        f64::from(self.round_robin) / f64::from(self.duration.max(1))
    }
}

/// One allocation of every class but the empty one under DSATUR and round robin; every schedule is
/// verified.
///
/// # Errors
/// A schedule that is not valid.
pub fn levels() -> anyhow::Result<Vec<Level>> {
    let schedule = |class: &Class| {
        let problem = exchange().pose(spec::parse(&class.spec())?, vec![])?;
        let conflicts = Conflicts::new(&problem, "dsatur")?;
        let verified = |frames: Vec<Vec<u32>>| checked(&problem, &conflicts, &frames);
        Ok(Level {
            nodes: class.nodes,
            duration: class.duration,
            dsatur: verified(exact::dsatur(&conflicts))?,
            round_robin: verified(exact::round_robin(&problem, &conflicts))?,
        })
    };
    classes().iter().filter(|class| class.nodes > 0).map(schedule).collect()
}

/// The exchange of every node with every node along the routes of the cluster.
fn exchange() -> Request {
    Request { routing: Routing::Static, ..Request::new(Collective::Aas) }
}

/// The number of frames, whose schedule is valid.
fn checked(problem: &Problem, conflicts: &Conflicts, frames: &[Vec<u32>]) -> anyhow::Result<u32> {
    let plan = conflicts.plan(problem, frames);
    match verify(&plan.record(problem, &[], Provenance::default())).first() {
        None => Ok(plan.len() as u32),
        Some(violation) => Err(anyhow!("{}: {violation}", problem.network().name())),
    }
}

/// The liquid throughput of the classes by their nodes: figure 5 of liquid-schedules.
///
/// # Errors
/// The drawing library's.
pub fn by_nodes(levels: &[Level], link_rate: f64) -> Drawn<String> {
    let point = |level: &Level| (f64::from(level.nodes), level.rate(level.duration, link_rate));
    let points: Vec<(f64, f64)> = levels.iter().map(point).collect();
    let most = points.iter().map(|point| point.0).fold(1.0, f64::max);
    let highest = points.iter().map(|point| point.1).fold(1.0, f64::max);
    picture(SIZE, |sheet| {
        let x = Axis::new(0.0..most + 1.0, "nodes").written(&whole);
        let y = Axis::new(0.0..highest * 1.05, "MB/s").written(&whole);
        let caption = "Swiss-T1: liquid throughput of the classes";
        let mut chart = chart(&sheet.area, caption, x, y)?;
        chart.draw_series(points.iter().map(|&at| Circle::new(at, 2, colour(0).filled())))?;
        Ok(())
    })
}

/// Throughput of liquid schedules, DSATUR's and round robin's: figure 6. Classes are ordered by nodes, then
/// by liquid throughput.
///
/// # Errors
/// The drawing library's.
pub fn throughput(levels: &[Level], link_rate: f64) -> Drawn<String> {
    let values: [(&str, Value<'_>); 3] = [
        ("liquid", &|level| level.rate(level.duration, link_rate)),
        ("DSATUR", &|level| level.rate(level.dsatur, link_rate)),
        ("round robin", &|level| level.rate(level.round_robin, link_rate)),
    ];
    curves(levels, ("Swiss-T1: all-to-all throughput", "MB/s"), &values)
}

/// The share of the liquid throughput that DSATUR loses: figure 11.
///
/// # Errors
/// The drawing library's.
pub fn loss(levels: &[Level]) -> Drawn<String> {
    let titles = ("Swiss-T1: loss of DSATUR", "% of the liquid throughput");
    curves(levels, titles, &[("DSATUR", &|level| 100.0 * level.dsatur_loss())])
}

/// A value of every class.
type Value<'a> = &'a dyn Fn(&Level) -> f64;

/// A step curve for every value.
fn curves(
    levels: &[Level],
    (caption, unit): (&str, &str),
    values: &[(&str, Value<'_>)],
) -> Drawn<String> {
    let all = values.iter().flat_map(|(_, value)| levels.iter().map(value));
    let highest = all.fold(1.0, f64::max);
    let nodes = |x: &f64| levels.get(*x as usize).map_or(String::new(), |l| l.nodes.to_string());
    picture(SIZE, |sheet| {
        let title = "nodes (classes by nodes, then liquid throughput)";
        let x = Axis::new(0.0..levels.len().max(1) as f64, title).written(&nodes);
        let y = Axis::new(0.0..highest * 1.05, unit).written(&whole);
        let mut chart = chart(&sheet.area, caption, x, y)?;
        for (c, (name, value)) in values.iter().enumerate() {
            // A pale broad line is seen below others that cover most of it.
            let style = match values.len() {
                2.. if c == 0 => colour(c).mix(0.45).stroke_width(7),
                _ => colour(c).stroke_width(2),
            };
            curve(sheet, &mut chart, name, style, stairs(levels.iter().map(value)))?;
        }
        Ok(())
    })
}
