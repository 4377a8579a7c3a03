//! `ccsched tradeoff`: which number of pieces, steps and rounds is the fastest for which length of
//! messages.

use super::batch;
use crate::problem_args::{Pieces, ProblemArgs};
use crate::signals::{heeded, is_interrupted};
use crate::stdout::stdout;
use crate::time_args::StepArgs;
use crate::{INTERRUPTED, Interrupted, numbers, sizes};
use anyhow::{Context, ensure};
use ccsched_base::atomic;
use ccsched_base::counted::counted;
use ccsched_lab::plots::times;
use ccsched_model::problem::Request;
use ccsched_model::schedule::TimeModel;
use ccsched_run::Options;
use ccsched_run::islands::Limits;
use ccsched_tools::show::html;
use ccsched_tools::tradeoff::{Point, SizeBook, Tradeoff, best};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

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
    /// Stop after this many seconds; what was found by then is the result
    #[arg(long, value_name = "S", value_parser = numbers::seconds, help_heading = "Search")]
    pub time_limit: Option<f64>,
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
    /// Print the schedules and the fastest by length as a line of JSON
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// No progress
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// The line of `--json`. Its keys are a public interface.
#[derive(Serialize)]
struct Line<'a> {
    topology: &'a str,
    collective: String,
    switching: String,
    ports: String,
    routing: String,
    points: Vec<PointLine>,
    fastest: Vec<SizeLine>,
}

/// A schedule in the line of `--json`.
#[derive(Serialize)]
struct PointLine {
    parts: u32,
    pieces: u32,
    steps: u32,
    rounds: u32,
    bound: u32,
    proved: bool,
    frontier: bool,
}

/// The fastest schedule for a length in the line of `--json`, by its place among the points.
#[derive(Serialize)]
struct SizeLine {
    bytes: u64,
    point: usize,
    us: f64,
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
    let time = args.time_limit.map(Duration::from_secs_f64);
    let limits = Limits { iterations: args.iterations, time, ..Limits::default() };
    let options = Options { seed: args.seed, limits, interrupt: heeded(), ..Options::default() };
    let about = format!("{collective} of {}, {}", network.name(), request.switching);
    let (most_pieces, effort) = (args.most_pieces, args.effort);
    let table = None;
    let tradeoff = Tradeoff { request, network, faults, most_pieces, effort, options, table };
    let bar =
        batch::bar(most_pieces as usize, "{pos} of {len} pieces, {elapsed_precise}", args.quiet);
    let points = tradeoff.run(&mut |point| {
        bar.set_position(u64::from(point.pieces));
        bar.suspend(|| log::info!("found {}", described(point)));
    })?;
    bar.finish_and_clear();
    let is_cut = is_interrupted();
    if points.is_empty() && is_cut {
        return Err(Interrupted.into());
    }
    if points.is_empty() {
        writeln!(
            stdout(),
            "no schedule was found within {}{}",
            counted(args.iterations, "iteration"),
            args.time_limit.map_or(String::new(), |limit| format!(" and {limit} s"))
        )?;
        return Ok(ExitCode::from(crate::NOT_FOUND));
    }
    write(args, &points, (&sizes, &model), &about)?;
    if args.json {
        let line = line(&tradeoff.request, tradeoff.network.name(), &points, &sizes, &model);
        writeln!(stdout(), "{}", serde_json::to_string(&line)?)?;
    } else {
        write!(stdout(), "{about}\n{}\n{}", frontier(&points), by_size(&points, &sizes, &model))?;
    }
    if is_cut {
        log::warn!("interrupted: more pieces were not tried");
    }
    Ok(ExitCode::from(if is_cut { INTERRUPTED } else { 0 }))
}

/// Writes the book, the table and the picture that are asked for.
fn write(
    args: &Args,
    points: &[Point],
    (sizes, model): (&[u64], &TimeModel),
    about: &str,
) -> anyhow::Result<()> {
    if let Some(folder) = &args.output {
        let book = SizeBook::of(points, sizes, model, folder);
        book.write(points).context("--output")?;
        for point in points.iter().filter(|_| args.html) {
            let steps: Vec<usize> = (0..point.file.steps.len()).collect();
            let path = folder.join(format!("{}.html", point.name()));
            atomic::write(&path, html::page(&point.file, &steps)?).context("--html")?;
        }
    }
    if let Some(path) = &args.csv {
        atomic::write(path, csv(points, sizes, model)).context("--csv")?;
    }
    if let Some(prefix) = &args.svg {
        batch::save_picture(prefix, "tradeoff", times(points, sizes, model, about))?;
    }
    Ok(())
}

/// A schedule in words.
fn described(point: &Point) -> String {
    let of = match point.parts {
        1 => counted(point.pieces, "piece"),
        parts if point.pieces == 1 => format!("one message of {}", counted(parts, "part")),
        parts => {
            let (parts, pieces) = (counted(parts, "part"), counted(point.pieces, "piece"));
            format!("one message of {parts} in {pieces}")
        }
    };
    let [steps, rounds] =
        [(point.steps, "step"), (point.rounds, "round")].map(|(n, of)| counted(n, of));
    format!("{of}: {steps}, {rounds}")
}

/// What the marks of the table say.
const MARKS: &str =
    "* proved: with as many pieces none has fewer steps or rounds and no more of the other
+ none was found that has as few steps and as few rounds a piece
";

/// The schedules with their marks.
fn frontier(points: &[Point]) -> String {
    let has_parts = points.iter().any(|point| point.parts > 1);
    let parts = if has_parts { "parts  " } else { "" };
    let mut out = format!("{parts}pieces  steps  rounds  bound  rounds/pieces\n");
    for p in points {
        let ratio = f64::from(p.rounds) * f64::from(p.parts) / f64::from(p.pieces);
        let parts = if has_parts { format!("{:>5}  ", p.parts) } else { String::new() };
        let marks = [(p.is_proved, "*"), (p.is_frontier, "+")];
        let marks: String = marks.iter().filter(|mark| mark.0).map(|mark| mark.1).collect();
        let row = format!(
            "{parts}{:>6}  {:>5}  {:>6}  {:>5}  {ratio:>13.3} {marks}",
            p.pieces, p.steps, p.rounds, p.bound
        );
        out += row.trim_end();
        out.push('\n');
    }
    out + MARKS
}

/// The line of `--json`.
fn line<'a>(
    request: &Request,
    topology: &'a str,
    points: &[Point],
    sizes: &[u64],
    model: &TimeModel,
) -> Line<'a> {
    let of_point = |p: &Point| PointLine {
        parts: p.parts,
        pieces: p.pieces,
        steps: p.steps,
        rounds: p.rounds,
        bound: p.bound,
        proved: p.is_proved,
        frontier: p.is_frontier,
    };
    let of_size = |&bytes: &u64| {
        let model = TimeModel { message_bytes: bytes, ..*model };
        let point = best(points, &model)?;
        Some(SizeLine { bytes, point, us: points[point].time_us(&model) })
    };
    Line {
        topology,
        collective: request.collective.to_string(),
        switching: request.switching.to_string(),
        ports: request.ports.to_string(),
        routing: request.routing.to_string(),
        points: points.iter().map(of_point).collect(),
        fastest: sizes.iter().filter_map(of_size).collect(),
    }
}

/// By length, the fastest schedule, and the fastest one of whole messages.
fn by_size(points: &[Point], sizes: &[u64], model: &TimeModel) -> String {
    let mut out = "     bytes  pieces  steps  rounds        us  whole messages, us\n".to_string();
    let is_whole = |point: &&Point| point.pieces == 1 && point.parts == 1;
    let whole: Vec<Point> = points.iter().filter(is_whole).cloned().collect();
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
    let mut out =
        "bytes,parts,pieces,steps,rounds,bound,time_us,frontier,proved,fastest\n".to_string();
    for &message_bytes in sizes {
        let model = TimeModel { message_bytes, ..*model };
        let fastest = best(points, &model);
        for (place, p) in points.iter().enumerate() {
            out += &format!(
                "{message_bytes},{},{},{},{},{},{:.6},{},{},{}\n",
                p.parts,
                p.pieces,
                p.steps,
                p.rounds,
                p.bound,
                p.time_us(&model),
                p.is_frontier,
                p.is_proved,
                fastest == Some(place)
            );
        }
    }
    out
}
