//! The conflict graph of a traffic whose transfers have one path each (liquid-schedules, annex): an
//! edge joins two transfers that congest, and the vertices of one colour form a time frame.

use crate::Routes;
use ccsched_base::{Error, Result, bits};
use ccsched_model::problem::{Problem, ResourceId};
use ccsched_model::schedule::Plan;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The bit matrix of more transfers would not fit into memory.
pub const MOST_IN_MATRIX: usize = 16_384;

/// The transfers of a traffic, the links they use, and the transfers over every link: two of them
/// congest. Transfer `i` serves demand `i`. A port of a terminal that serves one transfer per step
/// is a link like any other. A link that carries all its transfers in one step causes no conflict and
/// is left out.
#[derive(Debug)]
pub struct Conflicts {
    routes: Routes,
    links: Vec<Vec<ResourceId>>,
    lists: HashMap<ResourceId, Vec<u32>>,
    /// Made when the exact search first asks for it.
    matrix: OnceLock<Matrix>,
}

/// The transfers of every step.
pub type Frames = Vec<Vec<u32>>;

/// The conflicts in rows of bits, one bit per transfer.
#[derive(Debug)]
struct Matrix {
    /// One row per transfer: the transfers that congest with it.
    rows: Vec<u64>,
    /// The transfers over every link.
    users: HashMap<ResourceId, Vec<u64>>,
}

impl Conflicts {
    /// The conflict graph of a problem; `engine` is its name in error texts.
    ///
    /// # Errors
    /// The problem has no such graph: broadcasts, store-and-forward switching, pairs with a choice
    /// of paths, ports for several transfers, links of capacity 2 or more that carry even more
    /// transfers (their conflicts are not between pairs).
    pub fn new(problem: &Problem, engine: &str) -> Result<Self> {
        let n = problem.demands().len();
        let routes = routes(problem, engine)?;
        let mut lists: HashMap<ResourceId, Vec<u32>> = HashMap::new();
        let mut links = vec![Vec::new(); n];
        for (i, links) in (0..).zip(&mut links) {
            let path = routes.table().of_pair(i as usize).start;
            links.extend(routes.uses(path).iter().map(|used| used.resource));
            for &r in links.iter() {
                let users = lists.entry(r).or_default();
                if users.last() != Some(&i) {
                    users.push(i);
                }
            }
        }
        keep_narrow(problem, engine, &mut lists, &mut links)?;
        Ok(Conflicts { routes, links, lists, matrix: OnceLock::new() })
    }

    /// Checks that the graph fits into memory as a matrix, which the exact search needs.
    ///
    /// # Errors
    /// Too many transfers.
    pub fn check_matrix(&self, engine: &str) -> Result<()> {
        let n = self.transfers();
        if n <= MOST_IN_MATRIX {
            return Ok(());
        }
        let why = format!(
            "{engine}: {n} transfers are too many; the limit is {MOST_IN_MATRIX}. The engines auto and \
             dsatur take more"
        );
        Err(Error::field("engine", why))
    }

    /// Number of transfers.
    pub fn transfers(&self) -> usize {
        self.links.len()
    }

    /// Words of a row of bits, one bit per transfer.
    pub fn words(&self) -> usize {
        bits::words(self.transfers())
    }

    fn matrix(&self) -> &Matrix {
        self.matrix.get_or_init(|| {
            let words = self.words();
            let row = |list: &Vec<u32>| {
                let mut row = vec![0; words];
                list.iter().for_each(|&i| bits::insert(&mut row, i));
                row
            };
            let users: HashMap<_, _> = self.lists.iter().map(|(&r, list)| (r, row(list))).collect();
            let mut rows = vec![0; self.transfers() * words];
            for (i, links) in self.links.iter().enumerate() {
                let row = &mut rows[i * words..][..words];
                for r in links {
                    row.iter_mut().zip(&users[r]).for_each(|(row, users)| *row |= users);
                }
                bits::remove(row, i as u32);
            }
            Matrix { rows, users }
        })
    }

    /// The transfers that congest with a transfer, as a row of the matrix.
    pub fn of(&self, i: u32) -> &[u64] {
        let words = self.words();
        &self.matrix().rows[i as usize * words..][..words]
    }

    /// The links that a transfer uses.
    pub fn links(&self, i: u32) -> &[ResourceId] {
        &self.links[i as usize]
    }

    /// The transfers over a link, ascending.
    pub fn over(&self, link: ResourceId) -> &[u32] {
        &self.lists[&link]
    }

    /// All links in use, each with the transfers over it, as rows of bits.
    pub fn users(&self) -> &HashMap<ResourceId, Vec<u64>> {
        &self.matrix().users
    }

    /// Number of pairs of transfers that congest.
    pub fn pairs(&self) -> usize {
        self.matrix().rows.iter().map(|word| word.count_ones() as usize).sum::<usize>() / 2
    }

    /// The schedule with these time frames.
    pub fn plan(&self, problem: &Problem, frames: &[Vec<u32>]) -> Plan {
        let paths = self.routes.table();
        let mut plan = Plan::new(frames.len() as u32);
        for (step, frame) in frames.iter().enumerate() {
            for &i in frame {
                let path = paths.of_pair(i as usize).start;
                plan.push(step, problem.demands()[i as usize].message, paths.channels(path));
            }
        }
        plan.tidy();
        plan
    }
}

/// Leaves out the links that carry all their transfers in one step.
fn keep_narrow(
    problem: &Problem,
    engine: &str,
    users: &mut HashMap<ResourceId, Vec<u32>>,
    links: &mut [Vec<ResourceId>],
) -> Result<()> {
    let capacity = |r: ResourceId| problem.resources().capacity(r);
    let numbers = users.iter().map(|(&r, users)| (r, users.len() as u32));
    let is_shared = |&(r, number): &(ResourceId, u32)| (2..number).contains(&capacity(r));
    if let Some((r, number)) = numbers.filter(is_shared).min() {
        let network = problem.network();
        let channels = (0..).zip(network.channels());
        let mut of_link = channels.filter(|&(c, _)| problem.resources().of_channel(c) == r);
        let [from, to] = of_link
            .next()
            .map_or(["", ""], |(_, c)| [c.from, c.to].map(|v| network.vertex_name(v)));
        let why = format!(
            "{engine}: conflicts must be between pairs of transfers, and {number} transfers use \
             the link {from}-{to} of capacity {}; take links of capacity 1, or the engine auto",
            capacity(r)
        );
        return Err(Error::field("engine", why));
    }
    let is_narrow = |r: &ResourceId| capacity(*r) == 1;
    users.retain(|r, _| is_narrow(r));
    links.iter_mut().for_each(|links| links.retain(is_narrow));
    Ok(())
}

/// The one path of every demand.
fn routes(problem: &Problem, engine: &str) -> Result<Routes> {
    let wrong = |why: String| Err(Error::field("engine", format!("{engine}: {why}")));
    if problem.collective().content().is_common() {
        return wrong(format!(
            "it schedules aas, oas, aog and traffic only, where messages go straight to their \
             destinations; {} is a broadcast",
            problem.collective()
        ));
    }
    if problem.switching().stores() {
        return wrong("it schedules wormhole networks only".into());
    }
    let resources = problem.resources();
    if resources.capacities()[resources.links()..].iter().any(|&capacity| capacity > 1) {
        return wrong(format!("ports must be all or 1, not {}", problem.ports()));
    }
    let n = problem.demands().len();
    let routes = Routes::of_demands(problem, problem.routing().listed_slack(), 0);
    let paths = |i| routes.table().of_pair(i).len();
    match (0..n).find(|&i| paths(i) != 1) {
        None => Ok(routes),
        Some(i) => wrong(format!(
            "every pair needs one fixed route, and '{}' has {} paths to '{}'; take a network with \
             static routes, or the engine auto",
            problem.network().vertex_name(problem.demands()[i].source),
            paths(i),
            problem.network().vertex_name(problem.demands()[i].destination)
        )),
    }
}
