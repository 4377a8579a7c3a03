//! What `ccsched` comes to on networks of the papers, and how fast: steps, bounds, seconds, moves and
//! memory of several seeds each, as the Markdown tables of `BENCHMARKS.md`.
//!
//! Runs go one after the other, each in a process of its own. `cargo bench --bench steps -- --help`
//! lists the options that make a part of them, or shorter ones.

mod cells;
mod child;
mod machine;
mod table;

use ccsched::cli::numbers;
use cells::{SECTIONS, Section};
use clap::Parser;
use clap::builder::PossibleValuesParser;

/// Steps, seconds and memory of searches
#[derive(Parser)]
struct Args {
    /// Make this table alone; may be given several times
    #[arg(long, value_parser = PossibleValuesParser::new(SECTIONS.iter().map(|s| s.name)))]
    section: Vec<String>,
    /// Make runs with the seeds 1 to N, fewer of large networks
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = numbers::count::<u64>)]
    seeds: u64,
    /// What a run may take
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0, value_parser = numbers::seconds)]
    time_limit: f64,
    /// Islands of a run
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = numbers::count::<u16>)]
    islands: u16,
    /// Cargo says so
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> anyhow::Result<()> {
    let mut words = std::env::args().skip(1).peekable();
    if words.next_if(|word| word == child::WORD).is_some() {
        return child::main(words);
    }
    let args = Args::parse();
    print!("{}", head(&args));
    let wanted = |s: &&Section| args.section.is_empty() || args.section.iter().any(|n| n == s.name);
    for section in SECTIONS.iter().filter(wanted) {
        let mut rows = Vec::new();
        let seeds = args.seeds.min(section.seeds);
        for cell in section.cells {
            eprintln!("{}: {cell}", section.name);
            let run = |seed| child::spawn(cell, seed, args.time_limit, args.islands.into());
            rows.push((*cell, (1..=seeds).map(run).collect::<anyhow::Result<_>>()?));
        }
        println!("\n## {}\n", section.title);
        if seeds < args.seeds {
            println!("Seeds up to {seeds} only.\n");
        }
        println!("{}", table::markdown(&rows));
    }
    Ok(())
}

/// How the figures were made.
fn head(args: &Args) -> String {
    format!(
        "# Benchmarks\n\n\
         ccsched {}, {}.\n\n\
         `make bench` writes this page. Every row: {} with {}, at most {} s a run; the engine \
         is `auto`. A run ends when\n\
         a schedule is as short as the bound (optimal), or its time is over. Steps: fewest-most of all \
         seeds. Seconds: median\n\
         (least-most). Peak memory: the most of all seeds, each run being a process of its own.\n",
        env!("CARGO_PKG_VERSION"),
        machine::describe(),
        if args.islands == 1 { "1 island".into() } else { format!("{} islands", args.islands) },
        if args.seeds == 1 { "seed 1".into() } else { format!("seeds 1 to {}", args.seeds) },
        args.time_limit,
    )
}
