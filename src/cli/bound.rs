//! `ccsched bound`: every lower bound on the number of steps, and what its argument is about.

use super::problem_args::ProblemArgs;
use crate::bounds::{self, Bound, Evidence};
use crate::problem::Problem;
use std::io::Write;
use std::process::ExitCode;

/// More vertices or weights than these are counted, not listed.
const MOST_LISTED: usize = 40;

/// What to schedule on what.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// What to schedule on what
    #[command(flatten)]
    pub problem: ProblemArgs,
}

/// Prints the bounds of every collective asked for, the largest first.
///
/// # Errors
/// Wrong input.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (network, faults) = args.problem.network()?;
    let mut out = std::io::stdout().lock();
    for &collective in &args.problem.collective.0 {
        let problem = args.problem.request(collective).pose(network.clone(), faults.clone())?;
        writeln!(out, "{collective} of {}, {}", problem.network.name(), problem.switching)?;
        for bound in bounds::all(&problem) {
            let about = describe(&problem, &bound);
            writeln!(out, "  {:<12} {:>5} steps  {about}", bound.name, bound.steps)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The bottleneck that a bound is about.
fn describe(problem: &Problem, bound: &Bound) -> String {
    let network = &problem.network;
    match &bound.evidence {
        Evidence::Nothing => "all messages over all links".into(),
        Evidence::Vertex(v) => format!("at {}", network.vertex_name(*v)),
        Evidence::Side(side) if side.len() > MOST_LISTED => {
            format!("from {} vertices to the rest", side.len())
        }
        Evidence::Side(side) => format!("from {} to the rest", network.names(side)),
        Evidence::Weights(weights) => describe_weights(problem, weights),
    }
}

/// The links that have weight, heaviest first, as `from-to:weight`.
fn describe_weights(problem: &Problem, weights: &[u64]) -> String {
    let weight = |c: u32| weights[problem.resources.of_channel(c) as usize];
    let mut heavy: Vec<u32> =
        (0..problem.network.channels().len() as u32).filter(|&c| weight(c) > 0).collect();
    heavy.sort_by_key(|&c| std::cmp::Reverse(weight(c)));
    let ports = weights[problem.resources.links()..].iter().filter(|&&w| w > 0).count();
    let mut text = format!("weights on {} channels", heavy.len());
    if ports > 0 {
        text += &format!(" and {ports} ports");
    }
    let listed = heavy.iter().take(MOST_LISTED).map(|&c| {
        let ends = problem.network.channel(c);
        let [from, to] = [ends.from, ends.to].map(|v| problem.network.vertex_name(v));
        format!(" {from}-{to}:{}", weight(c))
    });
    text + ":" + &listed.collect::<String>() + if heavy.len() > MOST_LISTED { " ..." } else { "" }
}
