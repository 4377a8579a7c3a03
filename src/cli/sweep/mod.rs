//! `sweep`: the collectives on what every set of faults of a size leaves of a network, as in tables 3
//! to 5 of umda-fault-tolerance.

mod book;
mod results;
mod table;

use super::engine_args::EngineArgs;
use super::problem_args::ProblemArgs;
use super::signals::{heed_interrupts, interrupted};
use super::{INTERRUPTED, NOT_FOUND, numbers};
use crate::comm::Communicator;
use crate::experiments::fault_sweep::{
    Class, FaultSet, Symmetry, classes, link_sets, links, number_of_sets, vertex_sets,
};
use crate::islands::{Job, RankGroup, Search, SearchError, Solved, Task};
use crate::network::faults::Fault;
use crate::network::{Network, VertexId};
use crate::problem::{Collective, Request, Roots, Routing};
use crate::{Error, Result};
use anyhow::Context;
use book::Book;
use results::{Head, Results, Row, Swept};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// What to break, and what to schedule on what is left.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// What to schedule on what
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Break every set of so many links, in both directions [default: 1, unless nodes are broken]
    #[arg(long, value_name = "K", value_parser = numbers::count::<u8>, help_heading = "Faults")]
    pub fail_links: Option<u8>,
    /// Break every set of so many vertices
    #[arg(long, value_name = "K", value_parser = numbers::count::<u8>, help_heading = "Faults")]
    pub fail_nodes: Option<u8>,
    /// Where all random numbers come from
    #[arg(long, default_value_t = 1, value_parser = numbers::seed, help_heading = "Search")]
    pub seed: u64,
    /// Give a set of faults up after so many iterations
    #[arg(long, default_value_t = 10_000, value_parser = numbers::count::<u64>, help_heading = "Search")]
    pub iterations: u64,
    /// Give a set of faults up after so long: 90s, 10m [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = numbers::seconds, help_heading = "Search")]
    pub time_limit: Option<f64>,
    /// Save what each set of faults has come to, a line of JSON each; go on where FILE ends
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub results: Option<PathBuf>,
    /// Save the schedules in FOLDER, and in its book.json which is for which faults
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub book: Option<PathBuf>,
    /// Print a line of JSON for each set of faults instead of the table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// No progress: the table alone
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
    /// More log lines; twice for even more
    #[arg(short, long, action = clap::ArgAction::Count, help_heading = "Output")]
    pub verbose: u8,
    /// Which engine
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// More sets of faults than these are not swept: they are all held at once.
const MOST_SETS: u64 = 1_000_000;

/// Equal sets of faults under one collective.
struct Cell {
    collective: Collective,
    class: Class,
    task: Task,
}

/// Runs the sweep that `args` ask for on all members of the group.
///
/// # Errors
/// Wrong input, or members that fail.
pub fn run<C: Communicator>(args: &Args, group: &mut RankGroup<'_, C>) -> anyhow::Result<ExitCode> {
    heed_interrupts();
    let (network, faults, sets) = args.cases()?;
    let engine = args.engine.engine()?;
    engine.check(args.problem.switching, 1)?;
    if !engine.has_islands() {
        let name = engine.name();
        anyhow::bail!("--engine {name}: a sweep takes engines that have islands, for example auto");
    }
    let collectives = &args.problem.collective.0;
    let request = |&collective| args.problem.request(collective, &network);
    let requests = collectives.iter().map(request).collect::<Result<Vec<_>>>()?;
    let symmetries: Vec<_> =
        requests.iter().map(|request| args.symmetry(&network, request)).collect();
    let mut cells = Vec::new();
    for (request, symmetry) in requests.iter().zip(&symmetries) {
        let collective = request.collective;
        // What is wrong whatever the faults is told before anything is searched.
        request.pose(network.clone(), faults.clone())?;
        let roots = sets.iter().map(|set| root(&network, request, set));
        let cases: Vec<_> = sets.iter().cloned().zip(roots).collect();
        let classes = classes(symmetry, &cases);
        log::info!("{collective}: {} sets of faults, {} different ones", sets.len(), classes.len());
        for class in classes {
            let set = &sets[class.members[0].0];
            let search = Search { seed: args.seed, exchange_every: 10, goal: None };
            let job = Job {
                network: set.rest(&network)?,
                faults: [&faults[..], &set.records(&network)].concat(),
                request: request.clone(),
                engine,
                search,
            };
            let time_limit = args.time_limit.map(Duration::from_secs_f64);
            let task = Task { job, iterations: args.iterations, time_limit };
            cells.push(Cell { collective, class, task });
        }
    }
    let swept = Swept::new(&args.problem, (&network, &faults), &requests[0]);
    let open_book = |folder| Book::open(folder, &swept);
    let mut book = args.book.as_deref().map(open_book).transpose().context("--book")?;
    let head = Head::new(args, swept.clone(), &engine);
    let mut results = Results::open(args.results.as_deref(), &head).context("--results")?;
    let labels: Vec<String> = sets.iter().map(|set| set.label(&network)).collect();
    let open: Vec<usize> = (0..cells.len())
        .filter(|&i| {
            let Cell { collective, class, .. } = &cells[i];
            let in_book = |book: &Book, set: usize| {
                let faults = [&faults[..], &sets[set].records(&network)].concat();
                book.has(*collective, &labels[set], &faults)
            };
            // Where nothing was found there is nothing for the book.
            let is_done = |set: usize| {
                results.of(*collective, &labels[set]).is_some_and(|row| {
                    row.steps.is_none() || book.as_ref().is_none_or(|book| in_book(book, set))
                })
            };
            !class.members.iter().all(|(set, _)| is_done(*set))
        })
        .collect();
    let tasks: Vec<Task> = open.iter().map(|&i| cells[i].task.clone()).collect();
    log::info!("{} of {} tasks are left to do", tasks.len(), cells.len());
    let of = |c: Collective| args.problem.collective.0.iter().position(|&d| d == c).unwrap_or(0);
    let is_interrupted = group.tasks(&tasks, interrupted(), &mut |number, solved| {
        let Cell { collective, class, task } = &cells[open[number]];
        let first = class.members[0].0;
        log::debug!("{collective}, {}: {}", labels[first], said(&solved));
        if let (Some(book), Solved::Searched { plan: Some(plan), by_search, .. }) =
            (&mut book, &solved)
        {
            let symmetry = &symmetries[of(*collective)];
            let cases = (&network, &faults[..], &sets[..], &labels[..]);
            let (plan, method) = plan;
            let shown = (plan, method, *by_search);
            book.add(symmetry, cases, class, &task.job, shown).map_err(SearchError::Observer)?;
        }
        for (set, _) in &class.members {
            let like = (*set != first).then(|| labels[first].clone());
            if let Some(row) = Row::new(*collective, &labels[*set], like, &solved) {
                results.add(row).map_err(|e| SearchError::Observer(format!("--results: {e}")))?;
            }
        }
        Ok(())
    })?;
    let rows = results.in_order(&args.problem.collective.0, &labels);
    table::print(&rows, &args.problem.collective.0, args.json)?;
    let missing = rows.iter().any(|row| row.steps.is_none() && row.impossible.is_none());
    Ok(ExitCode::from(match is_interrupted {
        true => INTERRUPTED,
        false if missing => NOT_FOUND,
        false => 0,
    }))
}

/// The root in the whole network of a collective that has one.
fn root(network: &Network, request: &Request, set: &FaultSet) -> Option<VertexId> {
    if request.collective.roots() != Roots::One {
        return None;
    }
    match &request.source {
        Some(name) => network.find(name),
        None => network.terminals().find(|v| !set.vertices.contains(v)),
    }
}

fn said(solved: &Solved) -> String {
    match solved {
        Solved::Impossible(why) => why.clone(),
        Solved::Interrupted => "interrupted".into(),
        Solved::Searched { plan: Some((plan, _)), lower_bound, .. } => {
            format!("{} steps, lower bound {lower_bound}", plan.steps.len())
        }
        Solved::Searched { plan: None, .. } => "no schedule found".into(),
    }
}

impl Args {
    /// The network that is swept, what is broken in it from the beginning, and all sets of faults that
    /// may come on top, none first.
    fn cases(&self) -> Result<(Network, Vec<Fault>, Vec<FaultSet>)> {
        let (network, faults) = self.problem.network()?;
        let of_links = self.fail_links.or(self.fail_nodes.is_none().then_some(1));
        let terminals = network.terminals().count();
        // Somebody must be left.
        if let Some(size) = self.fail_nodes.filter(|&size| usize::from(size) + 2 > terminals) {
            return Err(Error::problem(format!(
                "--fail-nodes {size}: {} has {terminals} terminals, of which two must be left",
                network.name(),
            )));
        }
        let kinds = [
            ("links", of_links, links(&network).len()),
            ("nodes", self.fail_nodes, network.vertices().len()),
        ];
        for (what, size, things) in kinds {
            let Some(size) = size else { continue };
            let number = number_of_sets(things, size.into());
            if number.is_none_or(|number| !(1..=MOST_SETS).contains(&number)) {
                let number = number.map_or("more than anybody can count".into(), |n| n.to_string());
                return Err(Error::problem(format!(
                    "--fail-{what} {size}: {} has {things} {what}, and sets of {size} of them there \
                     are {number}; a sweep takes from 1 to {MOST_SETS}",
                    network.name(),
                )));
            }
        }
        let mut sets = vec![FaultSet::default()];
        sets.extend(of_links.iter().flat_map(|&size| link_sets(&network, size.into())));
        sets.extend(self.fail_nodes.iter().flat_map(|&k| vertex_sets(&network, k.into())));
        Ok((network, faults, sets))
    }

    /// The automorphisms under which sets of faults are equal.
    fn symmetry<'n>(&self, network: &'n Network, request: &Request) -> Symmetry<'n> {
        // Lists of senders and receivers would have to be kept, too, and so would pairs and routes.
        let Request { senders, receivers, pairs, .. } = request;
        let is_listed = senders.is_some() || receivers.is_some() || pairs.is_some();
        if is_listed || request.routing == Routing::Static {
            return Symmetry::none(network);
        }
        Symmetry::sample(network, root(network, request, &FaultSet::default()), self.seed)
    }
}
