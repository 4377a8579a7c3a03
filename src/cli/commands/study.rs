//! `ccsched reproduce swiss-t1`: repeats a study of the literature.

use super::batch;
use crate::own_files::Inputs;
use crate::signals::{INTERRUPT, heed_interrupts};
use crate::stdout::stdout;
use crate::{INTERRUPTED, NOT_FOUND, dash, numbers};
use anyhow::Context;
use ccsched_lab::rows::csv;
use ccsched_lab::swiss_t1;
use ccsched_lab::swiss_t1::{Class, LINK_RATE, Level, Row, RunLimits, Summary};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// A study of the literature.
#[derive(clap::Subcommand, Clone, Debug)]
pub enum Study {
    /// All 390625 allocations of the Swiss-T1 cluster: classes of liquid throughput, and schedules of one
    /// allocation of each by the auto engine, the exact engine, DSATUR and round robin
    SwissT1(Args),
}

/// The limits and outputs of the study.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Time for each engine on each class: 10s, 1m
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = numbers::seconds)]
    pub time_limit: f64,
    /// Seed of all random numbers
    #[arg(long, default_value_t = 1, value_parser = numbers::seed)]
    pub seed: u64,
    /// Throughput of a link in MB/s, for the picture
    #[arg(long, value_name = "MB/S", default_value_t = LINK_RATE, value_parser = numbers::positive)]
    pub link_rate: f64,
    /// Save every class as a line of CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Save pictures: `PREFIX-nodes.svg`, `PREFIX-throughput.svg` and `PREFIX-loss.svg`
    #[arg(long, value_name = "PREFIX")]
    pub svg: Option<PathBuf>,
    /// Print the summary as one line of JSON
    #[arg(long)]
    pub json: bool,
    /// No progress
    #[arg(short, long)]
    pub quiet: bool,
}

/// The names of the pictures.
const PICTURES: [&str; 3] = ["nodes", "throughput", "loss"];

/// Runs the study; exit status 1 if a class was not scheduled at its bound.
///
/// # Errors
/// Files that cannot be written; a schedule that is not valid.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    heed_interrupts();
    batch::check(&Inputs::default(), args.csv.as_deref(), args.svg.as_deref(), PICTURES)?;
    let classes = swiss_t1::classes();
    let (rows, is_interrupted) = schedule(args, &classes)?;
    save(args, &rows)?;
    if is_interrupted {
        log::warn!("interrupted: {} of {} classes are done", rows.len(), classes.len());
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let summary = Summary::new(classes.len(), &rows);
    let mut out = stdout();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string(&summary)?)?,
        false => writeln!(out, "{summary}")?,
    }
    Ok(if summary.liquid == summary.scheduled {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(NOT_FOUND)
    })
}

/// One allocation of every class but the empty one, and whether an interrupt has left some out.
fn schedule(args: &Args, classes: &[Class]) -> anyhow::Result<(Vec<Row>, bool)> {
    let time = Duration::from_secs_f64(args.time_limit);
    let limits = RunLimits { seed: args.seed, time, interrupted: &INTERRUPT };
    let template = "class {pos} of {len}, {elapsed_precise}, {wide_msg}";
    let bar = batch::bar(classes.len(), template, args.quiet || args.json);
    let mut rows = Vec::new();
    for class in classes {
        bar.set_message(class.spec());
        bar.inc(1);
        if class.nodes == 0 {
            continue;
        }
        let Some(row) = swiss_t1::schedule(class, limits)? else { return Ok((rows, true)) };
        rows.push(row);
    }
    bar.finish_and_clear();
    Ok((rows, false))
}

fn save(args: &Args, rows: &[Row]) -> anyhow::Result<()> {
    if let Some(path) = &args.csv {
        dash::write(path, &csv(rows)?).context("--csv")?;
    }
    let Some(prefix) = &args.svg else { return Ok(()) };
    let levels: Vec<Level> = rows.iter().map(Level::from).collect();
    let [by_nodes, throughput, loss] = PICTURES;
    batch::save_picture(prefix, by_nodes, swiss_t1::by_nodes(&levels, args.link_rate))?;
    batch::save_picture(prefix, throughput, swiss_t1::throughput(&levels, args.link_rate))?;
    batch::save_picture(prefix, loss, swiss_t1::loss(&levels))
}
