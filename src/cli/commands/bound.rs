//! `ccsched bound`: every lower bound on the number of steps, with the bottleneck it is based on.

use crate::problem_args::ProblemArgs;
use crate::stdout;
use crate::terminal;
use ccsched_base::Result;
use ccsched_base::counted::{counted, form};
use ccsched_base::limits::DELIVERIES;
use ccsched_bounds as bounds;
use ccsched_bounds::{Evidence, Meaning};
use ccsched_model::problem::{Problem, Request, ResourceId};
use ccsched_network::{Network, VertexId};
use std::io::Write;
use std::process::ExitCode;

/// Longer lists of vertices or weights are counted, not listed.
const MOST_LISTED: usize = 40;
/// The same of lists of sets of vertices.
const MOST_SETS: usize = 4;

/// What to schedule on what.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// What to schedule on what
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Print one line of JSON for each collective
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// The line of `--json`. Its keys are a public interface.
#[derive(serde::Serialize)]
struct Bounds<'a> {
    topology: &'a str,
    collective: String,
    switching: String,
    ports: String,
    routing: String,
    /// The largest bound.
    lower_bound: u32,
    bounds: Vec<Row>,
    /// Bounds in bytes, where messages have lengths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    in_bytes: Vec<ByteRow>,
    /// The fewest steps of whole messages, cut into however many pieces.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<Fraction>,
}

/// A bound, by name, with the bottleneck that it is based on.
#[derive(serde::Serialize)]
struct Row {
    name: &'static str,
    steps: u32,
    why: String,
}

/// The same of a bound in bytes.
#[derive(serde::Serialize)]
pub(super) struct ByteRow {
    pub name: &'static str,
    pub bytes: u64,
    pub why: String,
}

/// The bounds in bytes of a problem whose messages have lengths, the largest first.
pub(super) fn in_bytes(problem: &Problem) -> Vec<ByteRow> {
    if problem.lengths().is_none() || !problem.holds_whole_paths() {
        return Vec::new();
    }
    let quick = bounds::bytes::quick(problem, false);
    let row = |bound: bounds::ByteBound| ByteRow {
        name: bound.name,
        bytes: bound.bytes,
        why: match bound.name {
            "longest" => "the longest message".into(),
            "lengths" if bound.evidence == Evidence::Nothing => {
                "steps by falling length, with steps alone".into()
            }
            name => describe(problem, name, &bound.evidence),
        },
    };
    bounds::bytes::all(problem, quick, false, &|| false).into_iter().map(row).collect()
}

/// Steps that a number of pieces takes.
#[derive(serde::Serialize)]
struct Fraction {
    steps: u64,
    pieces: u64,
    why: String,
}

impl Fraction {
    /// The steps of whole messages that no number of pieces undercuts.
    fn text(&self) -> String {
        let Fraction { steps, pieces, .. } = self;
        match pieces {
            1 => counted(steps, "step"),
            _ => format!("{steps}/{pieces} steps of whole messages"),
        }
    }
}

/// The line of a problem.
fn line(problem: &Problem) -> Bounds<'_> {
    let row = |bound: bounds::Bound| Row {
        name: bound.name,
        steps: bound.steps,
        why: describe(problem, bound.name, &bound.evidence),
    };
    let bounds: Vec<Row> = bounds::all(problem).into_iter().map(row).collect();
    let limit = bounds::limit(problem).map(|limit| Fraction {
        steps: limit.steps,
        pieces: limit.pieces,
        why: describe(problem, limit.name, &limit.evidence),
    });
    Bounds {
        topology: problem.network().name(),
        collective: problem.collective().to_string(),
        switching: problem.asked_switching().to_string(),
        ports: problem.ports().to_string(),
        routing: problem.routing().to_string(),
        lower_bound: bounds.first().map_or(0, |bound| bound.steps),
        bounds,
        in_bytes: in_bytes(problem),
        limit,
    }
}

/// The line of a problem whose deliveries are counted; none if it is of another kind.
///
/// # Errors
/// As [`Request::pose`].
fn line_of_many<'n>(request: &Request, network: &'n Network) -> Result<Option<Bounds<'n>>> {
    if request.deliveries(network) <= DELIVERIES {
        return Ok(None);
    }
    let Some(many) = bounds::many(request, network)? else { return Ok(None) };
    let (tightest, steps) = many.tightest;
    let why = format!("at {}", network.vertex_name(tightest));
    let row = |bound: &bounds::Bound| Row {
        name: bound.name,
        steps: bound.steps,
        why: format!(
            "by switch with its terminals: {}",
            describe(&many.merged, bound.name, &bound.evidence)
        ),
    };
    let alone = Row { name: "ports", steps, why };
    let mut bounds: Vec<Row> = std::iter::once(alone).chain(many.bounds.iter().map(row)).collect();
    bounds.sort_by_key(|row| std::cmp::Reverse(row.steps));
    Ok(Some(Bounds {
        topology: network.name(),
        collective: request.collective.to_string(),
        switching: request.switching.to_string(),
        ports: request.ports.to_string(),
        routing: request.routing.to_string(),
        lower_bound: bounds.first().map_or(0, |bound| bound.steps),
        bounds,
        in_bytes: Vec::new(),
        limit: None,
    }))
}

/// Prints the bounds of every requested collective on every network, the largest first.
///
/// # Errors
/// Wrong input.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.problem.each().try_for_each(|problem| print(args, &problem))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the bounds on one network.
fn print(args: &Args, asked: &ProblemArgs) -> anyhow::Result<()> {
    let (network, faults) = asked.network()?;
    let mut out = stdout::text();
    for &collective in &asked.collective.0 {
        let request = asked.request(collective, &network)?;
        let problem;
        let line = match line_of_many(&request, &network)? {
            Some(line) => line,
            None => {
                problem = request.pose(network.clone(), faults.clone())?;
                line(&problem)
            }
        };
        if args.json {
            writeln!(stdout::stdout(), "{}", serde_json::to_string(&line)?)?;
            continue;
        }
        writeln!(out, "{} of {}, {}", line.collective, line.topology, line.switching)?;
        let columns = terminal::columns();
        let mut told = |head: String, why: &str| {
            writeln!(out, "{head}{}", terminal::folded(why, head.len(), columns))
        };
        for Row { name, steps, why } in line.bounds {
            told(format!("  {name:<12} {steps:>5} {:<5}  ", form(steps, "step", "steps")), &why)?;
        }
        for ByteRow { name, bytes, why } in line.in_bytes {
            told(format!("  {name:<12} {bytes:>5} {:<5}  ", form(bytes, "byte", "bytes")), &why)?;
        }
        if let Some(limit) = line.limit {
            told(format!("  {:<12} {:>11}  ", "many pieces", limit.text()), &limit.why)?;
        }
    }
    Ok(())
}

/// The bottleneck that a bound is based on.
pub(super) fn describe(problem: &Problem, name: &str, evidence: &Evidence) -> String {
    let network = problem.network();
    match evidence {
        Evidence::Nothing if name == "pipeline" => "all messages, as they leave and arrive".into(),
        Evidence::Nothing => "all messages over all links".into(),
        Evidence::Vertex(v) => format!("at {}", network.vertex_name(*v)),
        Evidence::Side(side) if name == "entries" => {
            format!("all from outside into {}", list(problem, side))
        }
        Evidence::Side(side) => format!("from {} to the rest", list(problem, side)),
        Evidence::Search => "an exhausted search".into(),
        Evidence::Partition(sets) => {
            let sets: Vec<String> = sets.iter().map(|set| list(problem, set)).collect();
            match sets.len() {
                ..=MOST_SETS => format!("among {}", sets.join("; ")),
                number => format!("among {number} sets of vertices"),
            }
        }
        Evidence::Several(several) => {
            let all = several.iter().map(|weights| describe_meaning(problem, weights));
            format!(
                "steps by falling length, with steps alone: {}",
                all.collect::<Vec<_>>().join("; ")
            )
        }
        Evidence::Group(group, alone) => match problem.alone(*group) {
            Ok(of_group) => {
                format!("group {} alone: {}", group + 1, describe(&of_group, name, alone))
            }
            Err(why) => why.to_string(),
        },
        Evidence::Spread { source: None, regions } => {
            let inside = regions.iter().map(|r| list(problem, &r.vertices));
            format!("all from outside into {}", inside.collect::<Vec<_>>().join("; "))
        }
        Evidence::Spread { source: Some(v), regions } => {
            let sizes: Vec<String> =
                regions.iter().map(|region| region.vertices.len().to_string()).collect();
            let source = network.vertex_name(*v);
            format!("from {source} into regions of {} vertices", sizes.join(", "))
        }
        // The links of this one need no list.
        Evidence::Weights(weights) if bounds::meaning(problem, weights) == Meaning::Distance => {
            describe_meaning(problem, weights)
        }
        Evidence::Weights(weights) => {
            format!(
                "{}: {}",
                describe_meaning(problem, weights),
                describe_weights(problem, weights)
            )
        }
    }
}

/// The names of vertices, or their number above [`MOST_LISTED`].
fn list(problem: &Problem, vertices: &[VertexId]) -> String {
    if vertices.len() > MOST_LISTED {
        return counted(vertices.len(), "vertex");
    }
    problem.network().names(vertices)
}

/// The cut or port that the weights are equivalent to.
fn describe_meaning(problem: &Problem, weights: &[u64]) -> String {
    let name = |v: VertexId| problem.network().vertex_name(v);
    match bounds::meaning(problem, weights) {
        Meaning::Distance => "the distance bound (all links alike)".into(),
        Meaning::SendPort(v) => format!("the sending port of {}", name(v)),
        Meaning::ReceivePort(v) => format!("the receiving port of {}", name(v)),
        Meaning::LinksOut(v) => format!("the links out of {}", name(v)),
        Meaning::LinksInto(v) => format!("the links into {}", name(v)),
        Meaning::LinksOf(v) => format!("the links of {}", name(v)),
        Meaning::CutFrom(side) => format!("the cut from {} to the rest", list(problem, &side)),
        Meaning::CutInto(side) => format!("the cut from the rest to {}", list(problem, &side)),
        Meaning::CutAround(side) => {
            format!("the cut between {} and the rest", list(problem, &side))
        }
        Meaning::Combined => "no single cut".into(),
    }
}

/// Links, as `from-to:weight`, and ports of positive weight, heaviest first.
fn describe_weights(problem: &Problem, weights: &[u64]) -> String {
    let (network, resources) = (problem.network(), problem.resources());
    let channels = (0..).zip(network.channels()).map(|(id, c)| {
        let [from, to] = [c.from, c.to].map(|v| network.vertex_name(v));
        (weights[resources.of_channel(id) as usize], format!("{from}-{to}"))
    });
    let ports = network.terminals().flat_map(|v| {
        let of = |word: &str, port: Option<ResourceId>| {
            port.map(|p| (weights[p as usize], format!("{word}({})", network.vertex_name(v))))
        };
        let both = [of("send", resources.send_port(v)), of("receive", resources.receive_port(v))];
        both.into_iter().flatten()
    });
    let heavy = |items: &mut dyn Iterator<Item = (u64, String)>| {
        items.filter(|(weight, _)| *weight > 0).collect::<Vec<_>>()
    };
    let (mut all, ports) = (heavy(&mut { channels }), heavy(&mut { ports }));
    let count = |number: usize, word: &str| (number > 0).then(|| counted(number, word));
    let counts = [count(all.len(), "channel"), count(ports.len(), "port")];
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    all.extend(ports);
    all.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    let listed: String =
        all.iter().take(MOST_LISTED).map(|(weight, name)| format!(" {name}:{weight}")).collect();
    let more = if all.len() > MOST_LISTED { " ..." } else { "" };
    format!("weights on {}:{listed}{more}", counts.join(" and "))
}
