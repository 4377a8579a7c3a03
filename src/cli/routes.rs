//! `ccsched routes`: what routings make of a network, as a table or as JSON; the best table of routes
//! is saved with the network as a TOML file.

use super::named::ReadingArgs;
use super::own_files::{Inputs, check_distinct};
use super::stdout;
use super::{NOT_FOUND, dash, named, numbers, terminal};
use crate::experiments::fold::{Numbers, table};
use crate::experiments::routings::{self, Row};
use crate::network::files::tables_of;
use crate::network::files::toml::write::to_toml;
use crate::network::{Network, Routes};
use crate::problem::Routing;
use crate::{Error, Options, SEED};
use anyhow::Context;
use std::cmp::Reverse;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Head of the table.
const HEAD: [&str; 6] =
    ["routing", "lower bound", "steps", "longest route", "cycle of channels", "seconds"];

/// Why nothing is saved.
const NO_TABLE: &str = "none of these routings is a table of routes";

/// Compare the routings of a network by their all-to-all scatters, and save the best table of routes
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A family with its parameters or a file, as in the other subcommands
    #[arg(short, long, value_name = "SPEC|FILE", value_parser = dash::topology)]
    pub topology: String,
    /// The routings, separated by commas [default: the network's own routes, all tables that can be
    /// made, and minimal]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub routings: Option<Vec<Routing>>,
    /// The time for the schedule of each routing
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = numbers::seconds)]
    pub time_limit: f64,
    /// Seed of all random numbers
    #[arg(long, default_value_t = SEED, value_parser = numbers::seed)]
    pub seed: u64,
    /// Save the network with the routes of the best table, the one with the fewest steps, as a TOML
    /// file; with - print it instead of the comparison
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Save the best table that depends on switch and destination alone as the forwarding tables of an
    /// InfiniBand fabric, which OpenSM loads (-R file -U FILE); needs --separate-cables or --routes
    #[arg(long, value_name = "FILE")]
    pub lft: Option<PathBuf>,
    /// Print one line of JSON for each routing
    #[arg(long)]
    pub json: bool,
    /// How the network's file is understood.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// Runs the subcommand.
///
/// # Errors
/// The network does not exist, or the file cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let inputs = Inputs::network(&args.topology, &args.reading);
    let outputs = [("--output", &args.output), ("--lft", &args.lft)];
    for (flag, path) in outputs {
        let Some(path) = path else { continue };
        dash::check_writable(path).context(flag)?;
        inputs.refuse(flag, path)?;
    }
    check_distinct(outputs.iter().filter_map(|(flag, path)| Some((*flag, path.as_deref()?))))?;
    let network = named::network(&args.topology, &args.reading)?;
    let mut options = Options { seed: args.seed, ..Options::default() };
    options.limits.time = Some(Duration::from_secs_f64(args.time_limit));
    let is_printed =
        [&args.output, &args.lft].into_iter().flatten().any(|path| dash::is_stdout(path));
    let (mut rows, mut misfits) = (Vec::new(), Vec::new());
    let mut found: Vec<(Row, Routes)> = Vec::new();
    for routing in args.routings.clone().unwrap_or_else(|| routings::all(&network)) {
        match routings::row(&network, routing, &options) {
            Ok((row, routes)) => {
                if args.json && !is_printed {
                    writeln!(stdout::stdout(), "{}", serde_json::to_string(&row)?)?;
                }
                found.extend(routes.map(|routes| (row.clone(), routes)));
                rows.push(row);
            }
            Err(error) => misfits.push(match error {
                Error::Field { why, .. } => why,
                other => format!("{routing}: {other}"),
            }),
        }
    }
    if !args.json && !is_printed {
        let head = HEAD.map(String::from);
        let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
        let mut out = stdout::text();
        writeln!(out, "{}", table(&head, &cells, Numbers::Right, terminal::columns()))?;
        misfits.iter().try_for_each(|why| writeln!(out, "{why}"))?;
    }
    let is_asked = args.routings.is_some();
    if is_asked && let Some(why) = misfits.first() {
        anyhow::bail!("--routings: {why}");
    }
    // Of equal ones the first.
    found.sort_by_key(|(row, _)| Reverse(rank(row)));
    let saved = |path: &Path, row: &Row| {
        log::info!("{} has the routes of {}", path.display(), row.routing);
    };
    if let Some(path) = &args.lft {
        let (row, tables) = forwarding(&args.topology, &network, &found).context("--lft")?;
        dash::write(path, tables).context("--lft")?;
        saved(path, row);
    }
    if let Some(path) = &args.output {
        let (row, routes) = found.into_iter().next().context(format!("--output: {NO_TABLE}"))?;
        dash::write(path, to_toml(&network.with_routes(routes)?)?).context("--output")?;
        saved(path, &row);
    }
    let is_complete = rows.iter().all(|row| row.steps.is_some());
    Ok(ExitCode::from(if is_complete { 0 } else { NOT_FOUND }))
}

/// The forwarding tables of the first routes that such tables hold.
fn forwarding<'f>(
    topology: &str,
    network: &Network,
    found: &'f [(Row, Routes)],
) -> anyhow::Result<(&'f Row, String)> {
    if !Path::new(topology).is_file() {
        anyhow::bail!("'{topology}' is no file of a fabric, as ibnetdiscover prints it");
    }
    let mut first = None;
    for (row, routes) in found {
        let all: Vec<_> = routes.iter().collect();
        match tables_of(Path::new(topology), network, &all) {
            Ok(tables) => return Ok((row, tables)),
            Err(why) => first = first.or(Some(why)),
        }
    }
    Err(first.map_or(anyhow::anyhow!(NO_TABLE), Into::into))
}

/// Fewer steps are better; of as many steps a table without cycles, then shorter routes.
fn rank(row: &Row) -> impl Ord + use<> {
    let steps = row.steps.unwrap_or(usize::MAX);
    let has_cycle = row.cycle.as_ref().is_none_or(|cycle| !cycle.is_empty());
    Reverse((steps, row.lower_bound, has_cycle, row.longest_route))
}

fn cells(row: &Row) -> Vec<String> {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "none found".into());
    vec![
        row.routing.clone(),
        row.lower_bound.to_string(),
        or_none(row.steps.map(|steps| steps.to_string())),
        row.longest_route.map_or("-".into(), |longest| longest.to_string()),
        row.cycle.as_ref().map_or("-".into(), |cycle| match cycle.len() {
            0 => "no".into(),
            length => format!("of {length}"),
        }),
        format!("{:.1}", row.seconds),
    ]
}
