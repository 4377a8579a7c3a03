//! Printed numbers that follow from networks, traffics and formulas, computed anew: sizes of graphs and lower
//! bounds of umda-diameter-degree-networks, the Swiss-T1 of liquid-schedules, and the dependencies of channels of
//! hgsa-store-and-forward (table 1 and figure 2; the routing table of the paper is a drawing, here it is an
//! up*/down* table).

use super::printed::Figure;
use super::report::{Row, of_figure};
use crate::swiss_t1::{self, Level, classes};
use ccsched_base::rng::rng_of;
use ccsched_base::{Error, Result};
use ccsched_engines::Engine;
use ccsched_engines::exact::conflict_graph::Conflicts;
use ccsched_engines::exact::liquid::{Found, LiquidSearch, duration};
use ccsched_model::problem::{Collective, Pair, Problem, Request, Routing};
use ccsched_model::routing::PathTable;
use ccsched_model::schedule::TimeModel;
use ccsched_network::faults::apply;
use ccsched_network::metrics::{Bisection, Spread, bisection, dependency_cycle, spread};
use ccsched_network::tables::up_and_down;
use ccsched_network::{ChannelId, LinkKind, Network, VertexId, spec};
use ccsched_run::islands::CpuClock;
use ccsched_run::{Options, solve};
use std::sync::OnceLock;

/// Nodes of the search for a bisection.
const BISECTION_NODES: u64 = 5_000_000;
/// Nodes of an exact search.
const LIQUID_NODES: u64 = 10_000_000;
/// Transfers that go half the way around a ring of six: each two of them congest.
const THREE: [(usize, usize); 3] = [(0, 3), (2, 5), (4, 1)];

/// Computes figures; what several of them need is computed once.
#[derive(Debug, Default)]
pub struct Computer {
    swiss: OnceLock<Vec<Level>>,
}

impl Computer {
    /// The row of a figure.
    ///
    /// # Errors
    /// A quantity that cannot be computed; a schedule that is not valid.
    pub fn row(&self, figure: &Figure) -> anyhow::Result<Row> {
        let before = CpuClock::Process.now();
        let (value, how) = self.value(figure)?;
        let verdict = of_figure(figure, value);
        let seconds = CpuClock::Process.now().saturating_sub(before).as_secs_f64();
        let why = [how, figure.note.clone().unwrap_or_default()];
        Ok(Row {
            experiment: figure.id.clone(),
            row: figure.row.clone(),
            paper: figure.value.clone(),
            ours: shown(value),
            seconds: Some(seconds),
            verdict: Some(verdict),
            why: why.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; "),
            ..Row::default()
        })
    }

    /// The number, and what the reader must know of it.
    fn value(&self, figure: &Figure) -> anyhow::Result<(f64, String)> {
        let mut words = figure.quantity.split_whitespace();
        let name = words.next().unwrap_or_default();
        let numbers: Vec<f64> = words.clone().filter_map(|word| word.parse().ok()).collect();
        let number = |place: usize| numbers.get(place).copied().unwrap_or(f64::NAN);
        let network = || spec::parse(figure.topology.as_deref().unwrap_or_default());
        let exchange = || exchange(figure.topology.as_deref().unwrap_or_default());
        let plain = |value: f64| (value, String::new());
        Ok(match name {
            "moore" => plain(moore(number(0), number(1))),
            "directed-moore" => plain(directed_moore(number(0), number(1))),
            "even-girth-moore" => plain(even_girth_moore(number(0), number(1))),
            "vertices" => plain(network()?.vertices().len() as f64),
            "channels" => plain(network()?.channels().len() as f64),
            "distances" => plain(spread(&network()?).sum as f64),
            "bisection" => halves(&network()?),
            "bound-5" => plain(bound_5(network()?.vertices().len() as f64, number(0))),
            "bound-6" => plain(bound_6(&network()?, number(0), number(1), number(2))),
            "diameter-after-two-faults" => plain(after_two_faults(&network()?)?.0),
            "cuts-by-two-faults" => plain(after_two_faults(&network()?)?.1),
            "time" => plain(TimeModel::default().step_us(0, None) * number(0)),
            "transfers" => plain(exchange()?.demands().len() as f64),
            "load" => plain(f64::from(exchange()?.static_duration())),
            "throughput" => {
                let problem = exchange()?;
                let load = f64::from(problem.static_duration());
                plain(problem.demands().len() as f64 / load * number(0))
            }
            "conflicts" => plain(Conflicts::new(&exchange()?, "liquid")?.pairs() as f64),
            "steps" => steps(&exchange()?, words.next().unwrap_or_default())?,
            "liquid-schedules" => liquid_schedules(&network()?)?,
            "allocations" => plain(classes().iter().map(|c| c.allocations).sum::<u64>() as f64),
            "cycles" => plain(cycles(&network()?, &routes(&network()?)?)),
            "closing-changes" => plain(closing_changes(&network()?, routes(&network()?)?)),
            "classes" => (classes().len() as f64, "the empty allocation is one of them".into()),
            "round-robin-slow" => plain(self.share(|level| level.slowdown() >= 1.5)?),
            "dsatur-none" => plain(self.share(|level| level.dsatur_loss() <= 0.0)?),
            "dsatur-low" => {
                let is_low = |loss| loss > 0.0 && loss < 0.1;
                plain(self.share(|level| is_low(level.dsatur_loss()))?)
            }
            "dsatur-high" => plain(self.share(|level| level.dsatur_loss() >= 0.1)?),
            other => return Err(Error::problem(format!("there is no quantity '{other}'")).into()),
        })
    }

    /// The Swiss-T1 in all its classes.
    ///
    /// # Errors
    /// A schedule that is not valid.
    pub fn levels(&self) -> anyhow::Result<&[Level]> {
        if let Some(known) = self.swiss.get() {
            return Ok(known);
        }
        let made = swiss_t1::levels()?;
        Ok(self.swiss.get_or_init(|| made))
    }

    /// Per cent of the classes that are as asked.
    fn share(&self, is: impl Fn(&Level) -> bool) -> anyhow::Result<f64> {
        let levels = self.levels()?;
        let count = levels.iter().filter(|level| is(level)).count();
        Ok(100.0 * count as f64 / levels.len() as f64)
    }
}

/// With as many digits as matter.
fn shown(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.2}") }
}

/// Column B_c: the channels of both directions between two halves; the two channels of a half-duplex
/// link are one.
fn halves(network: &Network) -> (f64, String) {
    let shared = network.channels().iter().any(|c| c.kind() == LinkKind::HalfDuplex);
    let links = |channels: u32| f64::from(channels) / if shared { 2.0 } else { 1.0 };
    match bisection(network, BISECTION_NODES) {
        Bisection::Exact(channels) => (links(channels), String::new()),
        Bisection::AtMost(channels) => (links(channels), "at most".into()),
    }
}

/// The longest diameter without two arcs, and the number of pairs of arcs that cut the network.
fn after_two_faults(network: &Network) -> Result<(f64, f64)> {
    let channels = network.channels().len() as ChannelId;
    let (mut longest, mut cuts) = (0, 0u32);
    for a in 0..channels {
        for b in a + 1..channels {
            let Spread { diameter, unreachable, .. } = spread(&apply(network, &[a, b], &[])?);
            longest = longest.max(diameter);
            cuts += u32::from(unreachable > 0);
        }
    }
    Ok((f64::from(longest), f64::from(cuts)))
}

/// The exchange of every node with every node along the network's routes.
fn exchange(topology: &str) -> Result<Problem> {
    let request = Request { routing: Routing::Static, ..Request::new(Collective::Aas) };
    request.pose(spec::parse(topology)?, vec![])
}

/// The steps of the schedule of an engine, which is verified.
fn steps(problem: &Problem, engine: &str) -> anyhow::Result<(f64, String)> {
    let engine = Engine::named(engine).unwrap_or_default();
    let found = solve(problem, &Options { engine, ..Options::default() })?;
    let steps = found.steps().map_or(f64::NAN, |steps| steps as f64);
    let proof = found.bounds.first().map_or("", |bound| bound.name);
    let optimal =
        if found.is_optimal() { format!("optimal: {proof} bound") } else { String::new() };
    Ok((steps, optimal))
}

/// The liquid schedules of three transfers that congest in pairs, each of them over links that only
/// one other uses: the exact search finds none.
fn liquid_schedules(network: &Network) -> Result<(f64, String)> {
    let name = |i: usize| i.to_string();
    let pair = |&(a, b): &(usize, usize)| Pair {
        source: name(a),
        destination: name(b),
        bytes: None,
        count: 1,
    };
    let pairs = Some(THREE.iter().map(pair).collect());
    let request = Request { pairs, ..Request::new(Collective::Traffic) };
    let conflicts = Conflicts::new(&request.pose(network.clone(), vec![])?, "liquid")?;
    let load = duration(&conflicts);
    let mut search = LiquidSearch::new(&conflicts, load);
    Ok(match search.advance(LIQUID_NODES, &mut rng_of(1, 0, 0)) {
        Found::Schedule(_) => (1.0, String::new()),
        Found::Nothing => (0.0, format!("load {load}; the exact search is exhausted")),
        Found::Open => (f64::NAN, "the search did not end".into()),
    })
}

/// Equation 1: vertices of degree d and diameter D.
fn moore(d: f64, diameter: f64) -> f64 {
    (d * (d - 1.0).powf(diameter) - 2.0) / (d - 2.0)
}

/// Equation 2: the same in a digraph.
fn directed_moore(d: f64, diameter: f64) -> f64 {
    (d.powf(diameter + 1.0) - 1.0) / (d - 1.0)
}

/// Equation 3: the same with even girth.
fn even_girth_moore(d: f64, diameter: f64) -> f64 {
    2.0 * (0..diameter as i32).map(|i| (d - 1.0).powi(i)).sum::<f64>()
}

/// Equation 5, with the printed bisection.
fn bound_5(vertices: f64, bisection: f64) -> f64 {
    (vertices * vertices / (2.0 * bisection)).ceil()
}

/// Equation 6, with the printed bisection and 2 delta. The text has P^2/(2 + 2 delta), the numbers
/// are those of P^2/2 + 2 delta.
fn bound_6(network: &Network, bisection: f64, two_delta: f64, degree: f64) -> f64 {
    let vertices = network.vertices().len() as f64;
    let by_cut = ((vertices * vertices / 2.0 + two_delta) / bisection).ceil();
    by_cut.max((spread(network).sum as f64 / (vertices * degree)).ceil())
}

/// A pair with its route.
type Routed = ((VertexId, VertexId), Vec<ChannelId>);

/// The up*/down* routes of all pairs.
fn routes(network: &Network) -> Result<Vec<Routed>> {
    let terminals: Vec<VertexId> = network.terminals().collect();
    let others = |&from: &VertexId| terminals.iter().map(move |&to| (from, to));
    let pairs = terminals.iter().flat_map(others).filter(|(from, to)| from != to);
    let routes = up_and_down(network, pairs).map_err(Error::problem)?;
    Ok(routes.iter().map(|(from, to, route)| ((from, to), route.to_vec())).collect())
}

/// 1 if the dependencies of channels have a cycle, else 0.
fn cycles(network: &Network, routes: &[Routed]) -> f64 {
    let routes = routes.iter().map(|(_, route)| route.as_slice());
    f64::from(u8::from(dependency_cycle(network.channels().len(), routes).is_some()))
}

/// The number of other shortest routes of one pair that close a cycle.
fn closing_changes(network: &Network, mut routes: Vec<Routed>) -> f64 {
    let pairs: Vec<(VertexId, VertexId)> = routes.iter().map(|(pair, _)| *pair).collect();
    let paths = PathTable::find(network, &pairs, 0, 1);
    let mut closing = 0.0;
    for pair in 0..pairs.len() {
        let own = routes[pair].1.clone();
        for path in paths.of_pair(pair) {
            routes[pair].1 = paths.channels(path).to_vec();
            closing += cycles(network, &routes);
        }
        routes[pair].1 = own;
    }
    closing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_give_known_sizes() {
        assert_eq!((moore(7.0, 2.0), moore(3.0, 2.0)), (50.0, 10.0));
        assert_eq!((directed_moore(3.0, 2.0), even_girth_moore(3.0, 4.0)), (13.0, 30.0));
        assert_eq!(bound_5(14.0, 14.0), 7.0);
    }
}
