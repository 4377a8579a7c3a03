//! The all-to-all scatter of a network under one routing after the other: the largest load, the
//! steps found, the longest route, and whether the dependencies of channels have a cycle.

use crate::network::metrics::dependency_cycle;
use crate::network::tables::Table;
use crate::network::{ChannelId, Dragonfly, Network, Routes};
use crate::problem::{Collective, Problem, Request, Routing};
use crate::{Options, Result, Solution, solve};
use serde::Serialize;

/// One routing of a network.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its name.
    pub routing: String,
    /// The lower bound on the number of steps; with one route a pair, at least the largest load.
    pub lower_bound: u32,
    /// Steps of the schedule, if one was found.
    pub steps: Option<usize>,
    /// Channels of the longest route. Without a table, routes are those of the schedule.
    pub longest_route: Option<usize>,
    /// A cycle of dependent channels, each by the names of its ends; empty if there is none.
    pub cycle: Option<Vec<[String; 2]>>,
    /// Wall time of table, bounds and search, in seconds.
    pub seconds: f64,
}

/// The routings that a table of a network has: its own, those that are made, and free shortest
/// paths.
pub fn all(network: &Network) -> Vec<Routing> {
    let own = (!network.routes().is_empty()).then_some(Routing::Static);
    let lgl = Dragonfly::find(network).is_ok().then_some(Routing::Lgl);
    let tables = Table::all().map(Routing::Table);
    own.into_iter().chain(tables).chain(lgl).chain([Routing::Minimal]).collect()
}

/// The row of a routing, and its routes if it has one for every pair.
///
/// # Errors
/// The routing does not fit the network.
pub fn row(
    network: &Network,
    routing: Routing,
    options: &Options,
) -> Result<(Row, Option<Routes>)> {
    let begin = std::time::Instant::now();
    let request = Request { routing, ..Request::new(Collective::Aas) };
    let problem = request.pose(network.clone(), vec![])?;
    let solution =
        solve(&problem, options).map_err(|error| crate::Error::problem(error.to_string()))?;
    let routes = routing.is_fixed().then(|| table(&problem));
    let used = match &routes {
        Some(routes) => Some(routes.iter().map(|(.., route)| route).collect::<Vec<_>>()),
        None => solution.plan.as_ref().map(|p| p.transfers().map(|t| t.channels).collect()),
    };
    let row = measured(&solution, used.as_deref(), begin.elapsed().as_secs_f64());
    Ok((row, routes))
}

/// The route of every pair.
fn table(problem: &Problem) -> Routes {
    let route = |d: &crate::problem::Demand| {
        let route = problem.fixed_route(d.source, d.destination)?;
        Some(((d.source, d.destination), route.to_vec()))
    };
    problem.demands().iter().filter_map(route).collect()
}

fn measured(solution: &Solution, used: Option<&[&[ChannelId]]>, seconds: f64) -> Row {
    let network = solution.problem.network();
    let name = |v| network.vertex_name(v).to_string();
    let ends = |c: ChannelId| [network.channel(c).from, network.channel(c).to].map(name);
    let cycle = |routes: &[&[ChannelId]]| {
        let cycle = dependency_cycle(network.channels().len(), routes.iter().copied());
        cycle.unwrap_or_default().into_iter().map(ends).collect()
    };
    Row {
        routing: solution.problem.routing().to_string(),
        lower_bound: solution.lower_bound(),
        steps: solution.steps(),
        longest_route: used.map(|routes| routes.iter().map(|r| r.len()).max().unwrap_or(0)),
        cycle: used.map(cycle),
        seconds,
    }
}
