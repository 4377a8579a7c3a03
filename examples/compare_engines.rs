//! Compares two engines on one problem: the annealer of the paper, and `auto`, which chooses the
//! best engine for the problem.
//!
//! `cargo run --release --example compare_engines`

use ccsched::engines::{Engine, hgsa};
use ccsched::islands::Limits;
use ccsched::network::spec;
use ccsched::problem::{Collective, Request};
use ccsched::{Options, solve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let problem = Request::new(Collective::Aas).pose(spec::parse("heawood")?, vec![])?;
    let limits = Limits { iterations: 2000, ..Limits::default() };
    for engine in [Engine::from(hgsa::Params::default()), Engine::default()] {
        let solution = solve(&problem, &Options { engine, limits, ..Options::default() })?;
        println!(
            "{}: {:?} steps, bound {}, {} evaluations in {:.3} s",
            engine.name(),
            solution.steps(),
            solution.lower_bound(),
            solution.progress.evaluations,
            solution.seconds
        );
    }
    Ok(())
}
