//! A collective of a network under one routing after the other: the largest load, the steps found, the longest route,
//! and whether the dependencies of channels have a cycle. In words, which routing to take and what it costs.

use ccsched_base::Result;
use ccsched_base::counted::counted;
use ccsched_model::problem::{Problem, Routing};
use ccsched_network::metrics::dependency_cycle;
use ccsched_network::tables::Table;
use ccsched_network::turns::layers;
use ccsched_network::{ChannelId, Dragonfly, Network, Routes};
use ccsched_run::islands::Limits;
use ccsched_run::{Options, Solution, solve};
use serde::Serialize;
use std::time::Instant;

/// One routing of a network.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its name.
    pub routing: String,
    /// The largest load of a link: its messages over its capacity, rounded up. None without a table.
    pub load: Option<u32>,
    /// The lower bound on the number of steps; with one route a pair, at least the largest load.
    pub lower_bound: u32,
    /// Steps of the schedule, if one was found.
    pub steps: Option<usize>,
    /// Channels of the longest route. Without a table, routes are those of the schedule.
    pub longest_route: Option<usize>,
    /// A cycle of dependent channels, each by the names of its ends; empty if there is none.
    pub cycle: Option<Vec<[String; 2]>>,
    /// Layers of routes without a cycle each: the virtual channels that keep messages from deadlock. None without a
    /// table, and if there was no time for them.
    pub layers: Option<u32>,
    /// Wall time of table, bounds and search, in seconds.
    pub seconds: f64,
}

/// A table of routes.
pub struct Routed {
    /// The route of every pair.
    pub routes: Routes,
    /// The layer of each, in their order: a service level of its own. None if there was no time for them.
    pub levels: Option<Vec<u32>>,
}

impl Routed {
    /// The table of a problem, with its layers if time is left.
    fn of(problem: &Problem, is_over: impl Fn() -> bool) -> Self {
        let mut routed = Routed { routes: table(problem), levels: None };
        routed.levels = routed.layers(problem.network(), is_over);
        routed
    }

    /// The layer of each route; none if time is over before.
    pub fn layers(&self, network: &Network, is_over: impl Fn() -> bool) -> Option<Vec<u32>> {
        layers(network, self.routes.iter().map(|(.., route)| route), is_over)
    }
}

/// The routings that a table of a network has: its own, those that are made, and free shortest
/// paths.
pub fn all(network: &Network) -> Vec<Routing> {
    let own = (!network.routes().is_empty()).then_some(Routing::Static);
    let lgl = Dragonfly::find(network).is_ok().then_some(Routing::Lgl);
    let tables = Table::all().map(Routing::Table);
    own.into_iter().chain(tables).chain(lgl).chain([Routing::Minimal]).collect()
}

/// The row of a problem with a routing, and its table if it has a route for every pair. The time limit of the options counts
/// from `begin` on, when the problem began to be posed: the schedule has what is left of it.
///
/// # Errors
/// The options do not fit the problem.
pub fn row(problem: &Problem, options: &Options, begin: Instant) -> Result<(Row, Option<Routed>)> {
    let time = options.limits.time;
    // One quarter of the time is for the schedule.
    let is_over = || time.is_some_and(|time| begin.elapsed() >= time * 3 / 4);
    let routed = problem.routing().is_fixed().then(|| Routed::of(problem, is_over));
    let time = time.map(|time| time.saturating_sub(begin.elapsed()));
    let options = Options { limits: Limits { time, ..options.limits }, ..options.clone() };
    let solution = solve(problem, &options)
        .map_err(|error| ccsched_base::Error::problem(error.to_string()))?;
    let used = match &routed {
        Some(routed) => Some(routed.routes.iter().map(|(.., route)| route).collect::<Vec<_>>()),
        None => solution.plan.as_ref().map(|p| p.transfers().map(|t| t.channels).collect()),
    };
    let mut row = measured(&solution, used.as_deref());
    if let Some(Routed { levels, .. }) = &routed {
        row.load = Some(problem.static_duration());
        row.layers = levels.as_ref().map(|levels| levels.iter().max().map_or(1, |last| last + 1));
    }
    row.seconds = begin.elapsed().as_secs_f64();
    Ok((row, routed))
}

/// Which routing to take, and what it costs; nothing if none has a schedule.
pub fn advice(rows: &[Row]) -> Vec<String> {
    let has_table = |row: &&Row| row.load.is_some() && row.steps.is_some();
    let Some(best) = rows.iter().filter(has_table).min_by_key(|row| row.rank()) else {
        return Vec::new();
    };
    let more = |steps: usize, than: usize| 100.0 * (steps as f64 / than.max(1) as f64 - 1.0);
    let steps = best.steps.unwrap_or(0);
    let mut said = format!("Take {}: {steps}", best.routing, steps = counted(steps, "step"));
    let free = rows.iter().filter(|row| row.load.is_none()).filter_map(|row| row.steps).min();
    match free {
        Some(free) if free < steps => {
            said += &format!(", {:.1} % more than over free paths", more(steps, free));
        }
        Some(_) => said += ", as few as over free paths",
        None => {}
    }
    let mut all = match best.has_cycle() {
        true => {
            let layers = best.layers.map_or("several".into(), |layers| layers.to_string());
            let needs = format!(
                "{said}. Its channels depend on each other in a cycle: without barriers it needs {layers} \
                 virtual channels (service levels) against deadlock."
            );
            vec![needs]
        }
        false => vec![format!("{said}. It has no cycle of channels, and so no deadlock.")],
    };
    let is_free = |row: &&Row| has_table(row) && !row.has_cycle();
    let safe = rows.iter().filter(is_free).min_by_key(|row| row.rank());
    if let (true, Some(safe)) = (best.has_cycle(), safe) {
        let other = safe.steps.unwrap_or(0);
        all.push(format!(
            "Without virtual channels take {}: {other}, {:.1} % more, and no deadlock.",
            safe.routing,
            more(other, steps),
            other = counted(other, "step")
        ));
    }
    all
}

impl Row {
    /// Fewer steps are better; of as many steps a table without cycles, then shorter routes.
    pub fn rank(&self) -> impl Ord + use<> {
        let steps = self.steps.unwrap_or(usize::MAX);
        (steps, self.load.unwrap_or(self.lower_bound), self.has_cycle(), self.longest_route)
    }

    /// Whether channels depend on each other in a cycle, as far as that is known.
    fn has_cycle(&self) -> bool {
        self.cycle.as_ref().is_none_or(|cycle| !cycle.is_empty())
    }
}

/// The route of every pair.
fn table(problem: &Problem) -> Routes {
    let route = |d: &ccsched_model::problem::Demand| {
        let route = problem.fixed_route(d.source, d.destination)?;
        Some(((d.source, d.destination), route.to_vec()))
    };
    problem.demands().iter().filter_map(route).collect()
}

fn measured(solution: &Solution, used: Option<&[&[ChannelId]]>) -> Row {
    let network = solution.problem.network();
    let name = |v| network.vertex_name(v).to_string();
    let ends = |c: ChannelId| [network.channel(c).from, network.channel(c).to].map(name);
    let cycle = |routes: &[&[ChannelId]]| {
        let cycle = dependency_cycle(network.channels().len(), routes.iter().copied());
        cycle.unwrap_or_default().into_iter().map(ends).collect()
    };
    Row {
        routing: solution.problem.routing().to_string(),
        load: None,
        lower_bound: solution.lower_bound(),
        steps: solution.steps(),
        longest_route: used.map(|routes| routes.iter().map(|r| r.len()).max().unwrap_or(0)),
        cycle: used.map(cycle),
        layers: None,
        seconds: 0.0,
    }
}
