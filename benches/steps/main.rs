//! Results and speed of `ccsched` on networks of the papers: steps, bounds, seconds, moves and
//! memory over several seeds, and two islands against one, as the Markdown tables of
//! `docs/benchmarks.md`.
//!
//! Runs are sequential, each in a process of its own. `cargo bench --bench steps -- --help` lists
//! options for fewer or shorter runs.

mod cells;
mod child;
mod machine;
mod ranks;
mod table;

use ccsched::cli::numbers;
use cells::SECTIONS;
use clap::Parser;
use clap::builder::PossibleValuesParser;

/// Steps, seconds and memory of searches
#[derive(Parser)]
struct Args {
    /// Make only this table; may be repeated
    #[arg(long, value_parser = PossibleValuesParser::new(names()))]
    section: Vec<String>,
    /// Make runs with the seeds 1 to N, fewer of large networks [default: 5, for ranks 30]
    #[arg(long, value_name = "N", value_parser = numbers::count::<u64>)]
    seeds: Option<u64>,
    /// Time limit of a run
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0, value_parser = numbers::seconds)]
    time_limit: f64,
    /// Islands of a run; the section ranks always has 1 and 2
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = numbers::count::<u16>)]
    islands: u16,
    /// Passed by cargo bench; ignored
    #[arg(long, hide = true)]
    bench: bool,
}

/// Default number of seeds.
const SEEDS: u64 = 5;

/// The values of `--section`.
fn names() -> impl Iterator<Item = &'static str> {
    SECTIONS.iter().map(|section| section.name).chain([ranks::NAME])
}

fn main() -> anyhow::Result<()> {
    let mut words = std::env::args().skip(1).peekable();
    if words.next_if(|word| word == child::WORD).is_some() {
        return child::main(words);
    }
    let args = Args::parse();
    let most = args.seeds.unwrap_or(SEEDS);
    print!("{}", head(&args, most));
    let wanted = |name: &str| args.section.is_empty() || args.section.iter().any(|n| n == name);
    for section in SECTIONS.iter().filter(|section| wanted(section.name)) {
        let mut rows = Vec::new();
        let seeds = most.min(section.seeds);
        for cell in section.cells {
            eprintln!("{}: {cell}", section.name);
            let limit = args.time_limit.max(section.seconds);
            let run = |seed| child::spawn(cell, seed, limit, args.islands.into());
            rows.push((*cell, (1..=seeds).map(run).collect::<anyhow::Result<_>>()?));
        }
        println!("\n## {}\n", section.title);
        if seeds < most {
            println!("Seeds up to {seeds} only.\n");
        }
        if section.seconds > args.time_limit {
            println!("At most {} s a run.\n", section.seconds);
        }
        println!("{}", table::markdown(&rows));
    }
    if wanted(ranks::NAME) {
        let seeds = args.seeds.unwrap_or(ranks::SEEDS).min(ranks::SEEDS);
        println!("\n## Two ranks against one\n\n{}", ranks::section(seeds, args.time_limit)?);
    }
    Ok(())
}

/// How the figures were measured.
fn head(args: &Args, seeds: u64) -> String {
    format!(
        "# Benchmarks\n\n\
         ccsched {}, {}.\n\n\
         `make bench` writes this page. Every row, unless noted: {} with {}, at most {} s a \
         run; the engine is `auto`. A run ends when\n\
         its schedule reaches the lower bound (optimal), or at the time limit. Steps: fewest-most of all \
         seeds. Seconds: median\n\
         (least-most). Peak memory: the largest over all seeds; each run is a process of its own.\n",
        env!("CARGO_PKG_VERSION"),
        machine::describe(),
        if args.islands == 1 { "1 island".into() } else { format!("{} islands", args.islands) },
        seeds_to(seeds),
        args.time_limit,
    )
}

/// The seeds in words.
fn seeds_to(last: u64) -> String {
    if last == 1 { "seed 1".into() } else { format!("seeds 1 to {last}") }
}
