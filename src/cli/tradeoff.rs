//! `ccsched tradeoff`: which number of pieces, steps and rounds is the fastest for which length of
//! messages.

use super::problem_args::{Pieces, ProblemArgs};
use super::stdout::stdout;
use super::time_args::StepArgs;
use super::{batch, numbers, sizes};
use crate::experiments::tradeoff::{Point, SizeBook, Tradeoff, best, times};
use crate::islands::Limits;
use crate::schedule::TimeModel;
use crate::show::html;
use crate::{Options, atomic};
use anyhow::{Context, ensure};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Find schedules of few steps, and of few rounds a piece, and say which is the fastest for which
/// length of messages
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// What to schedule on what.
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Lengths of messages: 64K, a list 1K,1M, or a range 1K..64M, which doubles; K is 1024
    #[arg(long, value_name = "SIZES", default_value = "1K..64M", value_parser = sizes::sizes)]
    pub bytes: sizes::Sizes,
    /// The most pieces of a message
    #[arg(long, value_name = "C", default_value_t = 8, value_parser = numbers::count::<u32>)]
    pub most_pieces: u32,
    /// The modelled time.
    #[command(flatten)]
    pub time: StepArgs,
    /// Iterations of the search for each number of pieces
    #[arg(long, value_name = "N", default_value_t = 2000, help_heading = "Search")]
    pub iterations: u64,
    /// Placements of each message in the search at a number of steps and rounds
    #[arg(long, value_name = "N", default_value_t = 200, help_heading = "Search")]
    pub effort: usize,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Search")]
    pub seed: u64,
    /// Save all schedules in FOLDER, with a book.json that maps lengths to schedules
    #[arg(short, long, value_name = "FOLDER", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// With --output: a page for a browser beside each schedule
    #[arg(long, requires = "output", help_heading = "Output")]
    pub html: bool,
    /// Save the table of lengths and schedules as CSV
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub csv: Option<PathBuf>,
    /// Save a picture: PREFIX-tradeoff.svg
    #[arg(long, value_name = "PREFIX", help_heading = "Output")]
    pub svg: Option<PathBuf>,
    /// No progress
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// Runs the subcommand.
///
/// # Errors
/// Wrong input; an output cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let &[collective] = &args.problem.collective.0[..] else {
        anyhow::bail!("--collective: a trade-off is one of a single collective");
    };
    ensure!(
        args.problem.pieces == Pieces::Number(1),
        "--pieces: all numbers up to --most-pieces are tried; give that instead"
    );
    let (network, faults) = args.problem.network()?;
    let request = args.problem.request(collective, &network)?;
    let has_lengths = request.pairs.iter().flatten().any(|pair| pair.bytes.is_some());
    ensure!(!has_lengths, "--bytes: the messages of the traffic have lengths of their own");
    let model = args.time.model(network.rate());
    let mut sizes = args.bytes.0.clone();
    sizes.sort_unstable();
    sizes.dedup();
    let limits = Limits { iterations: args.iterations, ..Limits::default() };
    let options = Options { seed: args.seed, limits, ..Options::default() };
    let about = format!("{collective} of {}, {}", network.name(), request.switching);
    let (most_pieces, effort) = (args.most_pieces, args.effort);
    let tradeoff = Tradeoff { request, network, faults, most_pieces, effort, options };
    let bar =
        batch::bar(most_pieces as usize, "{pos} of {len} pieces, {elapsed_precise}", args.quiet);
    let points = tradeoff.run(&mut |pieces| bar.set_position(u64::from(pieces)))?;
    bar.finish_and_clear();
    if points.is_empty() {
        writeln!(stdout(), "no schedule was found within {} iterations", args.iterations)?;
        return Ok(ExitCode::from(super::NOT_FOUND));
    }
    if let Some(folder) = &args.output {
        let book = SizeBook::of(&points, &sizes, &model, folder);
        book.write(&points).context("--output")?;
        for point in points.iter().filter(|_| args.html) {
            let steps: Vec<usize> = (0..point.file.steps.len()).collect();
            let path = folder.join(format!("{}.html", point.name()));
            atomic::write(&path, html::page(&point.file, &steps)?).context("--html")?;
        }
    }
    if let Some(path) = &args.csv {
        atomic::write(path, csv(&points, &sizes, &model)).context("--csv")?;
    }
    if let Some(prefix) = &args.svg {
        let picture = times(&points, &sizes, &model, &about);
        batch::save_picture(prefix, "tradeoff", picture)?;
    }
    write!(stdout(), "{about}\n{}\n{}", frontier(&points), by_size(&points, &sizes, &model))?;
    Ok(ExitCode::SUCCESS)
}

/// The schedules; those of the frontier have a star.
fn frontier(points: &[Point]) -> String {
    let mut out = "pieces  steps  rounds  bound  rounds/pieces\n".to_string();
    for p in points {
        let ratio = f64::from(p.rounds) / f64::from(p.pieces);
        let star = if p.is_frontier { " *" } else { "" };
        out += &format!(
            "{:>6}  {:>5}  {:>6}  {:>5}  {ratio:>13.3}{star}\n",
            p.pieces, p.steps, p.rounds, p.bound
        );
    }
    out
}

/// By length, the fastest schedule, and the fastest one of whole messages.
fn by_size(points: &[Point], sizes: &[u64], model: &TimeModel) -> String {
    let mut out = "     bytes  pieces  steps  rounds        us  whole messages, us\n".to_string();
    let whole: Vec<Point> = points.iter().filter(|point| point.pieces == 1).cloned().collect();
    for &message_bytes in sizes {
        let model = TimeModel { message_bytes, ..*model };
        let time = |points: &[Point]| best(points, &model).map(|at| points[at].time_us(&model));
        let Some(p) = best(points, &model).map(|place| &points[place]) else { continue };
        let whole = time(&whole).map_or("-".into(), |us| format!("{us:.3}"));
        out += &format!(
            "{message_bytes:>10}  {:>6}  {:>5}  {:>6}  {:>8.3}  {whole:>18}\n",
            p.pieces,
            p.steps,
            p.rounds,
            p.time_us(&model)
        );
    }
    out
}

/// All schedules at all lengths.
fn csv(points: &[Point], sizes: &[u64], model: &TimeModel) -> String {
    let mut out = "bytes,pieces,steps,rounds,bound,time_us,frontier,fastest\n".to_string();
    for &message_bytes in sizes {
        let model = TimeModel { message_bytes, ..*model };
        let fastest = best(points, &model);
        for (place, p) in points.iter().enumerate() {
            out += &format!(
                "{message_bytes},{},{},{},{},{:.6},{},{}\n",
                p.pieces,
                p.steps,
                p.rounds,
                p.bound,
                p.time_us(&model),
                p.is_frontier,
                fastest == Some(place)
            );
        }
    }
    out
}
