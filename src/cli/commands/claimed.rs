//! Whether the network of a schedule file is the one that its name claims. The name of a family's
//! member says what the network is; any file can have it.

use ccsched_base::counted::{counted, form};
use ccsched_model::schedule::ScheduleFile;
use ccsched_network::faults::Fault;
use ccsched_network::{Channel, Network, spec};
use std::collections::{BTreeMap, BTreeSet};

/// From, to, capacity, and whether the opposite channel shares it; with how many there are.
type Channels<'a> = BTreeMap<(&'a str, &'a str, u32, bool), i64>;

/// How the network of a file differs from the member of a family whose name it has; none if it does
/// not, or has a name of its own. Faults, processes that were put on hosts, and channels of terminals
/// that nothing passes are no difference.
pub fn difference(file: &ScheduleFile) -> Option<String> {
    let named = spec::parse(&file.network.name).ok()?;
    let gone = Gone::of(&file.faults);
    let hosts = hosts(file);
    let given: BTreeSet<&str> = file.network.vertices.iter().map(|v| v.name.as_str()).collect();
    let given: BTreeSet<&str> = given.into_iter().filter(|v| !is_process(v, &hosts)).collect();
    let right = named.vertices().iter().map(|v| &*v.name);
    let right: BTreeSet<&str> = right.filter(|v| !gone.vertices.contains(v)).collect();
    if given != right {
        let vertices = given.symmetric_difference(&right).count();
        return Some(format!(
            "{} {}",
            counted(vertices, "vertex"),
            form(vertices, "differs", "differ")
        ));
    }
    let others = file.network.vertices.iter().filter(|v| hosts.is_empty() && !gone.has(&v.name));
    let terminals = others.filter(|v| is_terminal(&named, &v.name) != v.terminal).count();
    if terminals > 0 {
        return Some(format!(
            "terminals in one, switches in the other: {}",
            counted(terminals, "vertex")
        ));
    }
    let left_out = left_out(file);
    let mut channels = of_family(&named, &gone);
    channels.retain(|(from, to, ..), _| !left_out.contains(from) && !left_out.contains(to));
    for c in &file.network.channels {
        let ends = [c.from.as_str(), c.to.as_str()];
        if !ends.iter().any(|end| is_process(end, &hosts) || left_out.contains(end)) {
            *channels.entry((&c.from, &c.to, c.capacity, c.excludes.is_some())).or_default() -= 1;
        }
    }
    // One of parallel channels is gone, or one is narrower.
    let width = |pair: (&str, &str)| {
        let of = channels.iter().filter(|((from, to, ..), _)| (*from, *to) == pair);
        of.map(|((.., capacity, _), left)| i64::from(*capacity) * left).sum::<i64>()
    };
    let excused = |&(from, to, ..): &(&str, &str, u32, bool)| {
        gone.parallel.contains(&(from, to)) && width((from, to)) > 0
    };
    let wrong = channels.iter().filter(|&(key, &left)| left != 0 && !excused(key)).count();
    (wrong > 0)
        .then(|| format!("{} {}", counted(wrong, "channel"), form(wrong, "differs", "differ")))
}

/// The terminals that nothing passes, since they take no part; the file may lack their channels.
fn left_out(file: &ScheduleFile) -> BTreeSet<&str> {
    let model = &file.model;
    if model.switching == "wormhole" || model.relays.as_deref() == Some("all") {
        return BTreeSet::new();
    }
    let processes: BTreeSet<&str> = file.processes().into_iter().collect();
    let terminals = file.network.vertices.iter().filter(|v| v.terminal).map(|v| v.name.as_str());
    terminals.filter(|name| !processes.contains(name)).collect()
}

/// What the faults of a file have removed, by name.
#[derive(Default)]
struct Gone<'a> {
    vertices: BTreeSet<&'a str>,
    links: BTreeSet<(&'a str, &'a str)>,
    parallel: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> Gone<'a> {
    fn of(faults: &'a [Fault]) -> Self {
        let mut gone = Gone::default();
        for fault in faults {
            match fault {
                Fault::Vertex(v) => drop(gone.vertices.insert(v)),
                Fault::Link(from, to) => drop(gone.links.insert((from, to))),
                Fault::Parallel(from, to, _) => drop(gone.parallel.insert((from, to))),
            }
        }
        gone
    }

    fn has(&self, vertex: &str) -> bool {
        self.vertices.contains(vertex)
    }
}

/// The channels that the family's member has without the faults. A channel that has lost the one
/// opposite to it no longer shares its capacity.
fn of_family<'n>(named: &'n Network, gone: &Gone<'_>) -> Channels<'n> {
    let ends = |c: &Channel| (named.vertex_name(c.from), named.vertex_name(c.to));
    let mut channels = Channels::new();
    for c in named.channels() {
        let (from, to) = ends(c);
        if gone.has(from) || gone.has(to) || gone.links.contains(&(from, to)) {
            continue;
        }
        let shares = c.excludes().is_some() && !gone.links.contains(&(to, from));
        *channels.entry((from, to, c.capacity, shares)).or_default() += 1;
    }
    channels
}

fn is_terminal(named: &Network, name: &str) -> bool {
    named.find(name).is_some_and(|v| named.is_terminal(v))
}

/// The switches that processes are attached to: those with a terminal `name/1`.
fn hosts(file: &ScheduleFile) -> BTreeSet<&str> {
    let terminals = file.network.vertices.iter().filter(|v| v.terminal);
    terminals.filter_map(|v| v.name.strip_suffix("/1")).collect()
}

fn is_process(name: &str, hosts: &BTreeSet<&str>) -> bool {
    let of = name.rsplit_once('/').filter(|(_, n)| n.bytes().all(|b| b.is_ascii_digit()));
    of.is_some_and(|(host, _)| hosts.contains(host))
}
