//! A second, independent statement of the model's rules, for networks so small that all simple
//! paths can be listed and all resources fit in the bits of a word.

use ccsched::network::Network;
use ccsched::problem::{Collective, Demand, Problem, Relays, Switching};
use std::collections::HashMap;

/// The uses of every channel and port in a step, a counter of [`FIELD`] bits each. A counter beyond
/// [`MOST`] sets its highest bit.
pub type Taken = u128;

/// Bits of a counter.
const FIELD: usize = 3;
/// The most that a counter holds, and so the largest capacity.
const MOST: u32 = 3;
/// The highest bits of all counters.
const FULL: Taken = {
    let (mut full, mut field) = (0, 0);
    while field < Taken::BITS as usize / FIELD {
        full |= (MOST as Taken + 1) << (FIELD * field);
        field += 1;
    }
    full
};

/// Whether the channels and ports of a network fit in the counters.
pub fn fits(network: &Network) -> bool {
    let fields = network.channels().len() + 2 * network.terminals().count();
    fields <= Taken::BITS as usize / FIELD && network.channels().iter().all(|c| c.capacity <= MOST)
}

/// Whether a step with uses `taken` has room for one more transfer.
pub fn has_room(taken: Taken, mask: Taken) -> bool {
    (taken + mask) & FULL == 0
}

/// A message that several vertices may have, by bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Its source.
    pub source: usize,
    /// Those that must receive it.
    pub goal: u32,
    /// Those that may have it.
    pub may: u32,
}

/// A sum, by bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added {
    /// Those that contribute.
    pub from: u32,
    /// Those that must have all of it.
    pub to: u32,
    /// Those that may have some of it.
    pub may: u32,
}

/// A tiny problem.
pub struct Model {
    /// Number of vertices.
    pub vertices: usize,
    /// Whether each vertex is a terminal.
    pub terminal: Vec<bool>,
    /// Start and end of every channel.
    pub ends: Vec<(usize, usize)>,
    /// Whether messages advance one channel a step (store-and-forward).
    pub stored: bool,
    /// Whether they stop at every terminal, and at no switch (hosts).
    pub hosts: bool,
    /// Source and destination of each message, or piece, of a scatter.
    pub pairs: Vec<(usize, usize)>,
    /// The messages, or pieces, of broadcasts and of groups.
    pub spreads: Vec<Spread>,
    /// The parts of all-reduces, or their pieces, and the sums of groups.
    pub sums: Vec<Added>,
    excludes: Vec<Option<usize>>,
    capacity: Vec<u32>,
    /// The counter of sending at each terminal; that of receiving follows.
    port: Vec<usize>,
    /// The limit on ports, if there is one.
    ports: Option<u32>,
    slack: usize,
    /// The one route of each pair, if routing fixes it.
    routes: Option<HashMap<(usize, usize), Vec<usize>>>,
}

impl Model {
    /// The model of a problem, from its request alone, without derived data. `strangers`: whether
    /// terminals forward messages of wormhole broadcasts that they need not receive.
    pub fn new(problem: &Problem, strangers: bool) -> Self {
        let network = problem.network();
        let channels = network.channels();
        let ports = problem.ports().0;
        assert!(ports.is_none_or(|k| k <= MOST), "too many ports for a counter");
        let hosts = problem.request().switching == Switching::Hosts;
        let stored = !hosts && problem.switching() == Switching::StoreAndForward;
        let relays = (stored || hosts) && problem.request().relays == Relays::All;
        let takes_part: Vec<bool> = (0..)
            .zip(network.vertices())
            .map(|(v, vertex)| relays || !vertex.terminal || takes_part(problem, v, &vertex.name))
            .collect();
        for c in network.channels().iter().filter(|_| stored || hosts) {
            assert!([c.from, c.to].iter().all(|&v| takes_part[v as usize]), "a closed channel");
        }
        let members = network.vertices().iter().zip(&takes_part);
        let terminal: Vec<bool> = members.map(|(v, &is)| v.terminal && is).collect();
        // Those that take no part have no ports, and no counters.
        let before = |v: usize| terminal[..v].iter().filter(|&&is| is).count();
        let model = Model {
            vertices: network.vertices().len(),
            ends: channels.iter().map(|c| (c.from as usize, c.to as usize)).collect(),
            stored,
            hosts,
            pairs: pairs(problem),
            spreads: spreads(problem, stored, strangers),
            sums: sums(problem),
            capacity: channels.iter().map(|c| c.capacity).collect(),
            excludes: channels.iter().map(|c| c.excludes().map(|e| e as usize)).collect(),
            port: (0..network.vertices().len()).map(|v| channels.len() + 2 * before(v)).collect(),
            terminal,
            ports,
            slack: problem.routing().slack() as usize,
            routes: problem.has_fixed_routes().then(|| routes(problem)),
        };
        assert!(fits(network), "too large for one word, or too wide for a counter");
        model
    }

    /// All simple paths from `a` to `b` that the routing allows.
    pub fn paths(&self, a: usize, b: usize) -> Vec<Vec<usize>> {
        if let Some(routes) = &self.routes {
            return routes.get(&(a, b)).into_iter().cloned().collect();
        }
        let mut all = Vec::new();
        self.walk(b, &mut vec![a], &mut Vec::new(), &mut all);
        let shortest = all.iter().map(Vec::len).min().unwrap_or(0);
        all.retain(|path| path.len() <= shortest + self.slack);
        all
    }

    /// The other channel of a half-duplex link.
    pub fn excluded(&self, c: usize) -> Option<usize> {
        self.excludes[c]
    }

    /// All simple paths from `a` to `b`.
    pub fn simple(&self, a: usize, b: usize) -> Vec<Vec<usize>> {
        let mut all = Vec::new();
        self.walk(b, &mut vec![a], &mut Vec::new(), &mut all);
        all
    }

    /// The parts of a path, each of which is a transfer.
    pub fn hops(&self, path: &[usize]) -> Vec<Vec<usize>> {
        let stops = |&c: &usize| self.stored || (self.hosts && self.terminal[self.ends[c].1]);
        path.split_inclusive(stops).map(<[usize]>::to_vec).collect()
    }

    /// The paths that one transfer can take: start, end, channels.
    pub fn transfers(&self) -> Vec<(usize, usize, Vec<usize>)> {
        if self.stored {
            let hop = |(c, &(from, to)): (usize, &(usize, usize))| (from, to, vec![c]);
            return self.ends.iter().enumerate().map(hop).collect();
        }
        let mut all = Vec::new();
        let terminals = || (0..self.vertices).filter(|&v| self.terminal[v]);
        for a in terminals() {
            for b in terminals().filter(|&b| b != a) {
                let paths = self.paths(a, b).into_iter();
                all.extend(
                    paths.filter(|path| self.hops(path).len() == 1).map(|path| (a, b, path)),
                );
            }
        }
        all
    }

    fn walk(
        &self,
        to: usize,
        been: &mut Vec<usize>,
        path: &mut Vec<usize>,
        all: &mut Vec<Vec<usize>>,
    ) {
        let at = been[been.len() - 1];
        if at == to {
            all.push(path.clone());
            return;
        }
        for (c, &(from, next)) in self.ends.iter().enumerate() {
            if from == at && !been.contains(&next) {
                been.push(next);
                path.push(c);
                self.walk(to, been, path, all);
                path.pop();
                been.pop();
            }
        }
    }

    /// The counters of an empty step: each starts at [`MOST`] minus the capacity.
    pub fn nothing(&self) -> Taken {
        let used = |limit: u32, field: usize| Taken::from(MOST - limit) << (FIELD * field);
        let links = (0..).zip(&self.capacity).map(|(c, &capacity)| used(capacity, c));
        let ports = (0..self.vertices).filter(|&v| self.terminal[v]);
        let ports = ports.flat_map(|v| [self.port[v], self.port[v] + 1]);
        let limit = self.ports.unwrap_or(MOST);
        links.sum::<Taken>() + ports.map(|port| used(limit, port)).sum::<Taken>()
    }

    /// What the channels of which `counts` says so carry in a step together.
    pub fn capacity_of(&self, counts: impl Fn((usize, usize)) -> bool) -> u32 {
        let is_first =
            |c: usize| self.excludes[c].is_none_or(|other| other > c || !counts(self.ends[other]));
        let counted = (0..self.ends.len()).filter(|&c| counts(self.ends[c]) && is_first(c));
        counted.map(|c| self.capacity[c]).sum()
    }

    /// The resources that a transfer over `path` takes in its step, one unit each: its channels,
    /// the opposite channels of half-duplex links, and with limited ports those of its ends, if they
    /// are terminals.
    pub fn mask(&self, path: &[usize]) -> Taken {
        let (from, to) = (self.ends[path[0]].0, self.ends[path[path.len() - 1]].1);
        self.taken(path, Some(from), Some(to))
    }

    /// The resources of some channels, of a start and of an end.
    pub fn taken(&self, channels: &[usize], from: Option<usize>, to: Option<usize>) -> Taken {
        let mut mask = 0;
        let one = |field: usize| 1 << (FIELD * field);
        for &c in channels {
            mask += one(c) + self.excludes[c].map_or(0, one);
        }
        if let Some(from) = from.filter(|&v| self.ports.is_some() && self.terminal[v]) {
            mask |= one(self.port[from]);
        }
        if let Some(to) = to.filter(|&v| self.ports.is_some() && self.terminal[v]) {
            mask |= one(self.port[to] + 1);
        }
        mask
    }
}

/// The one route of every pair that has a message. How a table is made is no rule of the model.
fn routes(problem: &Problem) -> HashMap<(usize, usize), Vec<usize>> {
    let route = |d: &Demand| {
        let route = problem.fixed_route(d.source, d.destination).expect("every pair has a route");
        let channels = route.iter().map(|&c| c as usize).collect();
        ((d.source as usize, d.destination as usize), channels)
    };
    problem.demands().iter().map(route).collect()
}

/// Whether a terminal takes part: one of those that are named, else a sender or a receiver, and in a
/// traffic without such lists every terminal.
fn takes_part(problem: &Problem, v: u32, name: &str) -> bool {
    let request = problem.request();
    match &request.processes {
        Some(names) => names.iter().any(|of| of == name),
        None if request.pairs.is_some() => true,
        None => problem.senders().contains(&v) || problem.receivers().contains(&v),
    }
}

/// The messages for several vertices, those of a group by the rules of groups.
fn spreads(problem: &Problem, stored: bool, strangers: bool) -> Vec<Spread> {
    let bits = |all: &[u32]| all.iter().fold(0, |bits, v| bits | 1u32 << v);
    let network = problem.network();
    let all = (1u32 << network.vertices().len()) - 1;
    let pieces = problem.request().pieces as usize;
    let Some(groups) = &problem.request().groups else {
        let goal = bits(problem.receivers());
        // A sender whose only receiver is itself sends nothing.
        let sources = problem.senders().iter().filter(|&s| goal & !bits(&[*s]) != 0);
        let hosts = problem.request().switching == Switching::Hosts;
        let may = if stored || hosts || strangers { all } else { goal };
        let spread = |&s: &u32| Spread { source: s as usize, goal, may };
        return sources.map(spread).flat_map(|one| std::iter::repeat_n(one, pieces)).collect();
    };
    let relays = problem.request().relays == Relays::All;
    let switches = (0..).zip(network.vertices()).filter(|(_, v)| !v.terminal).map(|(v, _)| v);
    let switches = bits(&switches.collect::<Vec<u32>>());
    let mut spreads = Vec::new();
    for group in groups {
        let find = |name: &String| network.find(name).expect("a member is a vertex");
        let members: Vec<u32> = group.members.iter().map(find).collect();
        let root: Vec<u32> = group.root.iter().map(find).collect();
        let (sources, goal) = match group.collective {
            Collective::Oab | Collective::Oas | Collective::Reduce => (&root, &members),
            Collective::Aog => (&members, &root),
            _ => (&members, &members),
        };
        // A reduction is posed as the broadcast that it is backwards.
        let personal = [Collective::Oas, Collective::Aog, Collective::Aas];
        let common = !personal.contains(&group.collective);
        let near = if relays { all } else { bits(&members) | switches };
        for &s in sources {
            let others: Vec<u32> = goal.iter().copied().filter(|&v| v != s).collect();
            let source = s as usize;
            match common {
                true => spreads.push(Spread { source, goal: bits(&others), may: near }),
                false => spreads.extend(others.iter().map(|&r| {
                    let may = if stored { near } else { bits(&[s, r]) };
                    Spread { source, goal: bits(&[r]), may }
                })),
            }
        }
    }
    spreads.into_iter().flat_map(|one| std::iter::repeat_n(one, pieces)).collect()
}

/// The sums that are asked for: by root the contributions of all, for all or for the root alone.
fn sums(problem: &Problem) -> Vec<Added> {
    let bits = |all: &[u32]| all.iter().fold(0, |bits, v| bits | 1u32 << v);
    let network = problem.network();
    let pieces = problem.request().pieces as usize;
    let all = (1u32 << network.vertices().len()) - 1;
    let Some(groups) = &problem.request().groups else {
        let ends = bits(problem.receivers());
        let one = Added { from: ends, to: ends, may: all };
        return vec![one; problem.receivers().len() * pieces];
    };
    let switches = (0..).zip(network.vertices()).filter(|(_, v)| !v.terminal).map(|(v, _)| v);
    let switches = bits(&switches.collect::<Vec<u32>>());
    let relays = problem.request().relays == Relays::All;
    let mut sums = Vec::new();
    for group in groups {
        let find = |name: &String| network.find(name).expect("a member is a vertex");
        let members: Vec<u32> = group.members.iter().map(find).collect();
        let roots = group.root.iter().map(find).collect::<Vec<u32>>();
        let roots = if group.root.is_some() { roots } else { members.clone() };
        let reduces = [Collective::Reduce, Collective::ReduceScatter];
        let spreads = [Collective::Oab, Collective::Aab];
        for root in roots {
            let ends =
                |is_one: bool| bits(if is_one { std::slice::from_ref(&root) } else { &members });
            let from = ends(spreads.contains(&group.collective));
            let to = ends(reduces.contains(&group.collective));
            let may = if relays { all } else { bits(&members) | switches };
            sums.extend(std::iter::repeat_n(Added { from, to, may }, pieces));
        }
    }
    sums
}

/// The requested pairs, or those of every sender and every receiver.
fn pairs(problem: &Problem) -> Vec<(usize, usize)> {
    if problem.collective() == Collective::Traffic {
        let ends = |d: &Demand| (d.source as usize, d.destination as usize);
        return problem.demands().iter().map(ends).collect();
    }
    let all =
        problem.senders().iter().flat_map(|&s| problem.receivers().iter().map(move |&r| (s, r)));
    let ends = all.filter(|(s, r)| s != r).map(|(s, r)| (s as usize, r as usize));
    ends.flat_map(|ends| std::iter::repeat_n(ends, problem.request().pieces as usize)).collect()
}
