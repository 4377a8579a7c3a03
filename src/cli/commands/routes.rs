//! `ccsched routes`: what routings make of a network, as a table and in words, or as JSON; the best table of routes
//! is saved with the network as a TOML file, as forwarding tables, with its service levels.

use crate::own_files::{Inputs, check_distinct};
use crate::problem_args::ProblemArgs;
use crate::signals::{heeded, is_interrupted};
use crate::stdout;
use crate::{INTERRUPTED, Interrupted, NOT_FOUND, dash, numbers, terminal};
use anyhow::Context;
use ccsched_base::Error;
use ccsched_base::counted::counted;
use ccsched_lab::routings::{self, Routed, Row, advice};
use ccsched_model::problem::{Request, Routing};
use ccsched_model::schedule::cells::cell;
use ccsched_network::Network;
use ccsched_network::faults::Fault;
use ccsched_network::files::tables_of;
use ccsched_network::files::toml::write::to_toml;
use ccsched_run::islands::Limits;
use ccsched_run::{Options, SEED};
use ccsched_tools::fold::{Numbers, table};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Head of the table.
const HEAD: [&str; 8] = [
    "routing",
    "load",
    "lower bound",
    "steps",
    "longest route",
    "cycle of channels",
    "layers",
    "seconds",
];

/// Why nothing is saved.
const NO_TABLE: &str = "none of these routings is a table of routes";

/// Compare the routings of a network by a collective, and save the best table of routes
#[derive(clap::Args, Debug)]
pub struct Args {
    /// What to schedule on what; --routing names one routing
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// The routings, separated by commas [default: --routing, or the network's own routes, all
    /// tables that can be made, and minimal]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub routings: Option<Vec<Routing>>,
    /// The time for each routing: half of it for its table, the rest for the schedule
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
    /// Save the service level of each route of that table, or of the one that --output saves: a CSV file of
    /// from,to,level. Routes of one level have no cycle of channels
    #[arg(long, value_name = "FILE")]
    pub service_levels: Option<PathBuf>,
    /// Print one line of JSON for each routing
    #[arg(long)]
    pub json: bool,
}

/// Runs the subcommand.
///
/// # Errors
/// The network does not exist, or the file cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.check_outputs()?;
    let [collective] = args.problem.collective.0[..] else {
        anyhow::bail!("--collective: name one");
    };
    let (network, faults) = args.problem.network()?;
    if args.lft.is_some() {
        // What no table can have is said before all are made.
        check_fabric(&args.problem, (&network, &faults)).context("--lft")?;
    }
    let request = args.problem.request(collective, &network)?;
    let asked = args.routings.clone().or_else(|| Some(vec![args.problem.routing?]));
    let routings = asked.clone().unwrap_or_else(|| routings::all(&network));
    let mut compared = args.compare(&request, (&network, &faults), routings)?;
    if !args.json && !args.prints_a_file() {
        compared.print()?;
    }
    if asked.is_some()
        && let Some(why) = compared.misfits.first()
    {
        anyhow::bail!("--routings: {why}");
    }
    let is_cut = is_interrupted();
    if is_cut && compared.found.is_empty() {
        return Err(Interrupted.into());
    }
    let is_complete = compared.rows.iter().all(|row| row.steps.is_some());
    let number = compared.rows.len();
    // Of equal ones the first.
    compared.found.sort_by_key(|(row, _)| row.rank());
    args.save(compared.found, (&network, &faults))?;
    if is_cut {
        log::warn!("interrupted: {} compared", counted(number, "routing"));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(ExitCode::from(if is_complete { 0 } else { NOT_FOUND }))
}

/// What routings give.
#[derive(Default)]
struct Compared {
    rows: Vec<Row>,
    /// Why other routings do not fit the problem.
    misfits: Vec<String>,
    /// Those with a table of routes.
    found: Vec<(Row, Routed)>,
}

impl Compared {
    /// Prints the rows as a table.
    fn print(&self) -> anyhow::Result<()> {
        let head = HEAD.map(String::from);
        let cells: Vec<Vec<String>> = self.rows.iter().map(cells).collect();
        let mut out = stdout::text();
        writeln!(out, "{}", table(&head, &cells, Numbers::Right, terminal::columns()))?;
        self.misfits.iter().try_for_each(|why| writeln!(out, "{why}"))?;
        for line in advice(&self.rows) {
            writeln!(out, "{}", terminal::folded(&line, 0, terminal::columns()))?;
        }
        Ok(())
    }
}

impl Args {
    /// The files to write, by their options.
    fn outputs(&self) -> [(&'static str, Option<&Path>); 3] {
        [
            ("--output", self.output.as_deref()),
            ("--lft", self.lft.as_deref()),
            ("--service-levels", self.service_levels.as_deref()),
        ]
    }

    /// Checks before the work that the files can be written.
    fn check_outputs(&self) -> anyhow::Result<()> {
        let inputs = Inputs::problem(&self.problem);
        let outputs = self.outputs();
        for (flag, path) in outputs {
            let Some(path) = path else { continue };
            dash::check_writable(path).context(flag)?;
            inputs.refuse(flag, path)?;
        }
        check_distinct(outputs.iter().filter_map(|&(flag, path)| Some((flag, path?))))
    }

    /// Whether a file goes to the standard output.
    fn prints_a_file(&self) -> bool {
        self.outputs().iter().filter_map(|(_, path)| *path).any(dash::is_stdout)
    }

    /// Makes the table and the schedule of each routing, until an interrupt.
    fn compare(
        &self,
        request: &Request,
        (network, faults): (&Network, &[Fault]),
        routings: Vec<Routing>,
    ) -> anyhow::Result<Compared> {
        let time = Some(Duration::from_secs_f64(self.time_limit));
        let limits = Limits { time, ..Limits::default() };
        let interrupt = heeded();
        let options = Options { seed: self.seed, limits, interrupt, ..Options::default() };
        let mut compared = Compared::default();
        for routing in routings {
            let begin = Instant::now();
            // Half of the time for the table, the rest for its schedule.
            let left = || match is_interrupted() {
                true => 0.0,
                false => 1.0 - 2.0 * begin.elapsed().as_secs_f64() / self.time_limit,
            };
            let request = Request { routing, ..request.clone() };
            let problem = request.pose_within(network.clone(), faults.to_vec(), &left);
            let row = problem.and_then(|problem| routings::row(&problem, &options, begin));
            // What the interrupt has cut short says little of its routing.
            if is_interrupted() {
                break;
            }
            match row {
                Ok((row, routed)) => {
                    if self.json && !self.prints_a_file() {
                        writeln!(stdout::stdout(), "{}", serde_json::to_string(&row)?)?;
                    }
                    compared.found.extend(routed.map(|routed| (row.clone(), routed)));
                    compared.rows.push(row);
                }
                Err(error) => compared.misfits.push(match error {
                    Error::Field { why, .. } => why,
                    other => format!("{routing}: {other}"),
                }),
            }
        }
        Ok(compared)
    }

    /// Writes the files of the best routing; forwarding tables may be those of a later one.
    fn save(
        &self,
        found: Vec<(Row, Routed)>,
        (network, faults): (&Network, &[Fault]),
    ) -> anyhow::Result<()> {
        let saved = |path: &Path, row: &Row| {
            log::info!("{} has the routes of {}", path.display(), row.routing);
        };
        let mut best = 0;
        if let Some(path) = &self.lft {
            let (number, tables) =
                forwarding(self.problem.name(), (network, faults), &found).context("--lft")?;
            dash::write(path, tables).context("--lft")?;
            saved(path, &found[number].0);
            best = number;
        }
        if let Some(path) = &self.service_levels {
            let (row, routed) = found.get(best).context(format!("--service-levels: {NO_TABLE}"))?;
            dash::write(path, levels(network, routed)?).context("--service-levels")?;
            saved(path, row);
        }
        if let Some(path) = &self.output {
            let (row, routed) =
                found.into_iter().next().context(format!("--output: {NO_TABLE}"))?;
            let text = to_toml(&network.with_routes(routed.routes)?)?;
            dash::write(path, text).context("--output")?;
            saved(path, &row);
        }
        Ok(())
    }
}

/// The service level of every route, as CSV.
fn levels(network: &Network, routed: &Routed) -> anyhow::Result<String> {
    // There may have been no time for them.
    let found = || routed.levels.clone().or_else(|| routed.layers(network, || false));
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(["from", "to", "level"])?;
    for ((from, to, _), level) in routed.routes.iter().zip(found().unwrap_or_default()) {
        let [from, to] = [from, to].map(|v| cell(network.vertex_name(v)));
        out.write_record([&*from, &*to, &level.to_string()])?;
    }
    Ok(String::from_utf8(out.into_inner()?)?)
}

/// Refuses a network that no forwarding tables are for: of no fabric, or whose links are several cables each.
fn check_fabric(problem: &ProblemArgs, network: (&Network, &[Fault])) -> anyhow::Result<()> {
    let topology = problem.name();
    if !Path::new(topology).is_file() {
        anyhow::bail!("'{topology}' is no file of a fabric, as ibnetdiscover prints it");
    }
    let hint = if problem.reading.separate_cables { "" } else { " (--separate-cables)" };
    let tables = tables_of(Path::new(topology), network, &[]);
    tables.map(drop).map_err(|why| anyhow::anyhow!("{why}{hint}"))
}

/// The forwarding tables of the first routes that such tables hold.
fn forwarding(
    topology: &str,
    (network, faults): (&Network, &[Fault]),
    found: &[(Row, Routed)],
) -> anyhow::Result<(usize, String)> {
    let mut first = None;
    for (number, (_, routed)) in found.iter().enumerate() {
        let all: Vec<_> = routed.routes.iter().collect();
        match tables_of(Path::new(topology), (network, faults), &all) {
            Ok(tables) => return Ok((number, tables)),
            Err(why) => first = first.or(Some(why)),
        }
    }
    Err(first.map_or(anyhow::anyhow!(NO_TABLE), Into::into))
}

fn cells(row: &Row) -> Vec<String> {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "none found".into());
    vec![
        row.routing.clone(),
        row.load.map_or("-".into(), |load| load.to_string()),
        row.lower_bound.to_string(),
        or_none(row.steps.map(|steps| steps.to_string())),
        row.longest_route.map_or("-".into(), |longest| longest.to_string()),
        row.cycle.as_ref().map_or("-".into(), |cycle| match cycle.len() {
            0 => "no".into(),
            length => format!("of {length}"),
        }),
        match (row.layers, row.load) {
            (Some(layers), _) => layers.to_string(),
            (None, Some(_)) => "no time".into(),
            (None, None) => "-".into(),
        },
        format!("{:.1}", row.seconds),
    ]
}
