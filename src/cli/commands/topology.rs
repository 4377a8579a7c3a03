//! `ccsched topology`: describes a network, in words or as JSON, draws it, and saves it as a TOML file.

use super::resilience::{self, Compare};
use crate::own_files::{Inputs, check_distinct};
use crate::stdout;
use crate::{dash, named, named::ReadingArgs};
use anyhow::{Context, Result};
use ccsched_model::problem::{Collective, Request, Routing};
use ccsched_network::files::toml;
use ccsched_network::metrics::{Bisection, Degrees, Dependencies, Spread};
use ccsched_network::{Delay, LinkKind, Network, Rate, families, files, metrics};
use ccsched_tools::show::{DependencyGraph, svg};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Metrics whose searches would visit more vertices and channels than this are omitted.
const MOST_STEPS: u64 = 1_000_000_000;
/// The bisection of larger networks is omitted.
const MOST_HALVED: usize = 512;
/// Channels that the search for a bisection looks at: some tenths of a second.
const MOST_LOOKS: u64 = 40_000_000;

/// Describe a network, draw it, or save it as a TOML file; compare several networks: what they are made
/// of, and their steps in collectives
#[derive(clap::Args, Debug)]
#[command(after_help = "ccsched topology --help lists families and formats.",
          after_long_help = format!("{}\n\n{}", files::help(), families::help()))]
pub struct Args {
    /// A family with its parameters (ring:8, torus:4x4, ring:8,half, hypercube:4,width=2) or a file
    /// of any format that is listed below; - is the standard input
    #[arg(value_name = "SPEC|FILE", value_parser = dash::topology,
          required_unless_present = "topology")]
    pub spec: Vec<String>,
    /// The same, as in the other subcommands
    #[arg(short, long, value_name = "SPEC|FILE", value_parser = dash::topology,
          conflicts_with = "spec")]
    pub topology: Vec<String>,
    /// Save the network as a TOML file; with - print it instead of the description
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draw the network; with - print the picture instead of the description. Of several networks, their
    /// steps over their links, with the Pareto set: a name that ends in .svg, or PREFIX-networks.svg
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the dependencies of channels as a graph (DOT), and say whether they have a cycle; with -
    /// print the graph instead of the description
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub dependencies: Option<PathBuf>,
    /// The routes that channels depend on each other by [default: the network's own routes, else
    /// all shortest paths]
    #[arg(long, requires = "dependencies")]
    pub routing: Option<Routing>,
    /// Print one line of JSON; of several networks, one for each network and collective
    #[arg(long)]
    pub json: bool,
    /// How a file is understood.
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// What is compared, mostly of several networks.
    #[command(flatten)]
    pub compare: Compare,
}

/// The description of a network; `None` for what does not exist or would take too long.
#[derive(Debug, Serialize)]
struct Description {
    name: String,
    vertices: usize,
    terminals: usize,
    switches: usize,
    channels: usize,
    links: &'static str,
    /// Least and most transfers that a channel carries in one step.
    capacity: [u32; 2],
    /// The least and the greatest delay of a channel that has one, in nanoseconds; absent if none has.
    #[serde(skip_serializing_if = "Option::is_none")]
    delay_ns: Option<[u64; 2]>,
    /// What capacity 1 stands for, if the speeds are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<Rate>,
    /// Least and most channels that leave, and that enter, a terminal.
    terminal_degree: [usize; 4],
    /// The same for a switch.
    switch_degree: Option<[usize; 4]>,
    diameter: Option<u32>,
    mean_distance: Option<f64>,
    sum_of_distances: Option<u64>,
    unreachable_pairs: Option<u64>,
    girth: Option<u32>,
    #[serde(skip)]
    girth_known: bool,
    bisection: Option<u32>,
    bisection_exact: Option<bool>,
    #[serde(skip)]
    halves: bool,
    /// What the reader did not use or had to guess.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// Runs the subcommand.
///
/// # Errors
/// The network does not exist, or the file cannot be written.
pub fn run(args: &Args) -> Result<ExitCode> {
    let spec = match args.specs() {
        [spec] if args.compare.given().is_none() => spec,
        several => return args.compare(several),
    };
    let is_drawn = args.svg.is_some() && args.json;
    anyhow::ensure!(!is_drawn, "--json: it cannot be used with --svg of one network");
    let inputs = Inputs::network(spec, &args.reading);
    let outputs =
        [("--output", &args.output), ("--svg", &args.svg), ("--dependencies", &args.dependencies)];
    for (option, path) in outputs {
        if let Some(path) = path {
            dash::check_writable(path).context(option)?;
            inputs.refuse(option, path)?;
        }
    }
    check_distinct(outputs.iter().filter_map(|(option, path)| Some((*option, path.as_deref()?))))?;
    let net = named::network(spec, &args.reading)?;
    if let Some(path) = &args.output {
        dash::write(path, toml::write::to_toml(&net)?).context("--output")?;
        if dash::is_stdout(path) {
            anyhow::ensure!(!args.json, "--json: with --output - the network itself is printed");
            return Ok(ExitCode::SUCCESS);
        }
    }
    if let Some(path) = &args.svg {
        dash::write(path, svg::network(&net)).context("--svg")?;
        if dash::is_stdout(path) {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let mut verdict = None;
    if let Some(path) = &args.dependencies {
        let graph = DependencyGraph::of_network(&net, dependencies(&net, args.routing)?);
        dash::write(path, graph.dot()).context("--dependencies")?;
        if dash::is_stdout(path) {
            return Ok(ExitCode::SUCCESS);
        }
        verdict = Some(graph.verdict());
    }
    let about = Description::new(&net, args.output.is_none());
    let about = Description { warnings: args.reading.notices(), ..about };
    match args.json {
        true => writeln!(stdout::stdout(), "{}", serde_json::to_string(&about)?)?,
        false => writeln!(stdout::text(), "{}", about.lines())?,
    }
    if let Some(verdict) = verdict {
        writeln!(stdout::text(), "{verdict}")?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// The networks.
    fn specs(&self) -> &[String] {
        if self.topology.is_empty() { &self.spec } else { &self.topology }
    }

    /// Compares several networks.
    fn compare(&self, specs: &[String]) -> Result<ExitCode> {
        let of_one =
            [("--output", self.output.is_some()), ("--dependencies", self.dependencies.is_some())];
        if let Some((option, _)) = of_one.into_iter().find(|(_, is)| *is) {
            let why = match self.compare.given() {
                Some(other) if specs.len() == 1 => {
                    format!("it is not for a comparison, as {other} is")
                }
                _ => format!("name one network, not {}", specs.len()),
            };
            anyhow::bail!("{option}: {why}");
        }
        resilience::compare(specs, &self.reading, &self.compare, (self.svg.as_deref(), self.json))
    }

    /// The network, and what its reader did not use or had to guess.
    ///
    /// # Errors
    /// None is named, or it does not exist.
    pub(super) fn network(&self) -> Result<(Network, Vec<String>)> {
        let [spec] = self.specs() else { anyhow::bail!("name one topology") };
        let network = named::network(spec, &self.reading)?;
        Ok((network, self.reading.notices()))
    }
}

/// The dependencies of channels under a routing.
fn dependencies(net: &Network, routing: Option<Routing>) -> Result<Dependencies> {
    let own = if net.routes().is_empty() { Routing::Minimal } else { Routing::Static };
    let routing = routing.unwrap_or(own);
    if routing == Routing::Minimal {
        return Ok(Dependencies::of_shortest_paths(net));
    }
    let request = Request { routing, ..Request::new(Collective::Aas) };
    let problem = request.pose(net.clone(), vec![]).context("--routing")?;
    anyhow::ensure!(
        problem.has_fixed_routes(),
        "--routing {routing}: it fixes no routes; take minimal, static, or one that `ccsched routes` lists"
    );
    let routes = problem.demands().iter();
    let routes = routes.filter_map(|d| problem.fixed_route(d.source, d.destination));
    Ok(Dependencies::of(net.channels().len(), routes))
}

impl Description {
    /// Of a network; the search for its bisection is left out unless it is wanted.
    fn new(net: &Network, halves: bool) -> Self {
        let vertices = net.vertices().len();
        let terminals = net.terminals().count();
        let channels = net.channels().len();
        let steps = |from: usize| from as u64 * (vertices + channels) as u64;
        let spread = (steps(terminals) <= MOST_STEPS).then(|| metrics::spread(net));
        let spread = spread.filter(|s| s.pairs > 0 || s.unreachable > 0);
        let girth_known = steps(channels) <= MOST_STEPS;
        let girth = girth_known.then(|| metrics::girth(net)).flatten();
        let nodes = MOST_LOOKS / (channels / vertices.max(1)).max(1) as u64;
        let bisection = (halves && vertices <= MOST_HALVED).then(|| metrics::bisection(net, nodes));
        let switches = (0..vertices as u32).filter(|&v| !net.is_terminal(v));
        let row = |d: Degrees| [d.out.0, d.out.1, d.into.0, d.into.1];
        Description {
            name: net.name().to_string(),
            vertices,
            terminals,
            switches: vertices - terminals,
            channels,
            links: match toml::write::kind(net) {
                Some(LinkKind::FullDuplex) => "full-duplex",
                Some(LinkKind::HalfDuplex) => "half-duplex",
                Some(LinkKind::OneWay) => "one-way",
                None => "mixed",
            },
            capacity: capacities(net),
            delay_ns: delays(net).map(|all| all.map(Delay::ns)),
            rate: net.rate().cloned(),
            terminal_degree: metrics::degrees(net, net.terminals()).map_or([0; 4], row),
            switch_degree: metrics::degrees(net, switches).map(row),
            diameter: spread.map(|s| s.diameter),
            mean_distance: spread.as_ref().and_then(Spread::mean),
            sum_of_distances: spread.map(|s| s.sum),
            unreachable_pairs: spread.map(|s| s.unreachable),
            girth,
            girth_known,
            bisection: bisection.map(|b| match b {
                Bisection::Exact(n) | Bisection::AtMost(n) => n,
            }),
            bisection_exact: bisection.map(|b| matches!(b, Bisection::Exact(_))),
            halves,
            warnings: Vec::new(),
        }
    }

    /// One aligned line for each known value.
    fn lines(&self) -> String {
        let mut rows = vec![
            ("network", self.name.clone()),
            ("vertices", self.vertices.to_string()),
            ("terminals", self.terminals.to_string()),
            ("switches", self.switches.to_string()),
            ("channels", self.channels.to_string()),
            ("links", self.links.to_string()),
        ];
        let is_wide = self.capacity != [1, 1];
        if is_wide {
            rows.push(("capacity of links", range(self.capacity)));
        }
        let delays = self.delay_ns.map(|all| all.map(Delay::of_ns));
        if let Some([Some(least), Some(most)]) = delays {
            rows.push(("delay of links", range([least, most])));
        }
        let unknown = || "-".to_string();
        let too_large = || "not computed for a network of this size".to_string();
        let number = |n: Option<u64>| n.map_or_else(unknown, |n| n.to_string());
        rows.extend(self.rate.as_ref().map(|rate| ("capacity 1", rate.to_string())));
        rows.push(("degree of terminals", degree(self.terminal_degree)));
        rows.extend(self.switch_degree.map(|d| ("degree of switches", degree(d))));
        rows.push(("diameter", number(self.diameter.map(u64::from))));
        rows.push((
            "mean distance",
            self.mean_distance.map_or_else(unknown, |m| format!("{m:.4}")),
        ));
        rows.push(("sum of distances", number(self.sum_of_distances)));
        if let Some(pairs) = self.unreachable_pairs.filter(|&n| n > 0) {
            rows.push(("pairs without a path", pairs.to_string()));
        }
        rows.push((
            "girth",
            match self.girth {
                Some(girth) => girth.to_string(),
                None if self.girth_known => "no cycle".into(),
                None => too_large(),
            },
        ));
        let at_most = if self.bisection_exact == Some(false) { "at most " } else { "" };
        let counted = if is_wide { "transfers a step" } else { "channels" };
        let channels = |n| format!("{at_most}{n} {counted}, both directions");
        let without =
            || if self.halves { too_large() } else { "not computed with --output".into() };
        rows.push(("bisection", self.bisection.map_or_else(without, channels)));
        let width = rows.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
        let line = |(key, value): &(&str, String)| format!("{key:width$}  {value}");
        rows.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// The least and the greatest capacity of a channel.
fn capacities(net: &Network) -> [u32; 2] {
    let all = || net.channels().iter().map(|c| c.capacity);
    [all().min().unwrap_or(1), all().max().unwrap_or(1)]
}

/// The least and the greatest delay of a channel that has one.
fn delays(net: &Network) -> Option<[Delay; 2]> {
    let all = || net.channels().iter().filter_map(|c| c.delay);
    Some([all().min()?, all().max()?])
}

/// A range in words; one number if both limits are equal.
fn range<T: PartialEq + ToString>([a, b]: [T; 2]) -> String {
    if a == b { a.to_string() } else { format!("{} to {}", a.to_string(), b.to_string()) }
}

/// Degrees in words; one number if all are equal.
fn degree([out_min, out_max, in_min, in_max]: [usize; 4]) -> String {
    let (out, into) = (range([out_min, out_max]), range([in_min, in_max]));
    if out == into { out } else { format!("{out} out, {into} in") }
}
