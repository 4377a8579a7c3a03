//! Rule "structure", the parts of the model for an arbitrary traffic and for fixed routes: the
//! pairs, and the route of every pair.

use super::graph::Graph;
use super::lgl::Lgl;
use ccsched_base::cores;
use ccsched_model::schedule::file::{ModelRecord, Timing};
use ccsched_model::schedule::{NameId, RouteRecords, RouteRef};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// The pairs of a traffic.
pub(super) struct Pairs {
    counts: BTreeMap<(usize, usize), u64>,
    sent: HashMap<usize, u64>,
    received: HashMap<usize, u64>,
    /// By pair, the lengths of its messages, or of their pieces, if they have lengths.
    lengths: Option<BTreeMap<(usize, usize), Vec<u64>>>,
}

impl Pairs {
    /// Messages from one vertex to another.
    pub fn count(&self, from: usize, to: usize) -> u64 {
        self.counts.get(&(from, to)).copied().unwrap_or(0)
    }

    /// Messages that start at a vertex.
    pub fn sent(&self, v: usize) -> u64 {
        self.sent.get(&v).copied().unwrap_or(0)
    }

    /// Messages that end at a vertex.
    pub fn received(&self, v: usize) -> u64 {
        self.received.get(&v).copied().unwrap_or(0)
    }

    /// Messages of all pairs that `crosses` selects.
    pub fn crossing(&self, crosses: impl Fn(usize, usize) -> bool) -> u64 {
        let crossing = self.counts.iter().filter(|&(&(from, to), _)| crosses(from, to));
        crossing.map(|(_, count)| count).sum()
    }

    /// The lengths of the messages from one vertex to another, if they have lengths.
    pub fn lengths(&self, from: usize, to: usize) -> Option<&[u64]> {
        Some(self.lengths.as_ref()?.get(&(from, to))?)
    }

    /// Whether messages have lengths.
    pub fn have_lengths(&self) -> bool {
        self.lengths.is_some()
    }

    /// The lengths of all messages, by pair.
    pub fn all_lengths(&self) -> impl Iterator<Item = (&(usize, usize), &Vec<u64>)> {
        self.lengths.iter().flatten()
    }

    /// The same pairs with the bytes of their messages in place of the numbers of these; none without
    /// lengths.
    pub fn into_bytes(self) -> Option<Self> {
        let lengths = self.lengths?;
        let (mut sent, mut received) = (HashMap::new(), HashMap::new());
        let sum = |(&(from, to), lengths): (&(usize, usize), &Vec<u64>)| {
            let bytes = lengths.iter().fold(0, |sum: u64, &length| sum.saturating_add(length));
            for (ends, v) in [(&mut sent, from), (&mut received, to)] {
                let all: &mut u64 = ends.entry(v).or_default();
                *all = all.saturating_add(bytes);
            }
            ((from, to), bytes)
        };
        let counts = lengths.iter().map(sum).collect();
        Some(Pairs { counts, sent, received, lengths: Some(lengths) })
    }
}

/// The pairs of the model, which only a traffic has; its senders and receivers must be those of the
/// pairs.
pub(super) fn pairs(m: &ModelRecord, graph: &Graph<'_>) -> Result<Option<Pairs>, String> {
    let list = match (&m.pairs, m.collective.as_str()) {
        (Some(list), "traffic") => list,
        (None, "traffic") => return Err("a traffic needs `pairs`".into()),
        (Some(_), other) => return Err(format!("`pairs` are for a traffic, not {other}")),
        (None, _) => return Ok(None),
    };
    let find = |name: &String| {
        graph.find(name).ok_or_else(|| format!("'{name}' of `pairs` is no vertex of the network"))
    };
    let mut pairs = Pairs {
        counts: BTreeMap::new(),
        sent: HashMap::new(),
        received: HashMap::new(),
        lengths: m.lengths.as_ref().map(|_| BTreeMap::new()),
    };
    for (place, (source, destination)) in list.iter().enumerate() {
        let (from, to) = (find(source)?, find(destination)?);
        if from == to {
            return Err(format!("`pairs`: '{source}' sends to itself"));
        }
        *pairs.counts.entry((from, to)).or_default() += 1;
        *pairs.sent.entry(from).or_default() += 1;
        *pairs.received.entry(to).or_default() += 1;
        let length = m.lengths.as_ref().and_then(|lengths| lengths.get(place));
        if let (Some(all), Some(&length)) = (&mut pairs.lengths, length) {
            all.entry((from, to)).or_default().push(length);
        }
    }
    let same = |names: &[String], ends: &HashMap<usize, u64>| {
        let names: BTreeSet<_> = names.iter().map(|name| graph.find(name)).collect();
        names == ends.keys().map(|&v| Some(v)).collect()
    };
    if !same(&m.senders, &pairs.sent) || !same(&m.receivers, &pairs.received) {
        return Err("senders and receivers are not those of `pairs`".into());
    }
    Ok(Some(pairs))
}

/// What is wrong with the words of the model about lengths and time, if anything.
pub(super) fn timing(m: &ModelRecord, steps: usize) -> Result<(), String> {
    let (lengths, pairs) = (m.lengths.as_ref(), m.pairs.as_ref());
    if let Some(lengths) = lengths {
        let Some(pairs) = pairs else {
            return Err("`lengths` are those of `pairs`, and there are none".into());
        };
        if lengths.len() != pairs.len() {
            return Err(format!("{} `lengths` for {} `pairs`", lengths.len(), pairs.len()));
        }
    }
    if m.timing != Some(Timing::Timed) {
        return Ok(());
    }
    let holds_paths = m.switching == "wormhole" || m.switching == "hosts";
    let sound = [
        (lengths.is_some(), "a timed schedule needs `lengths`"),
        (holds_paths, "a timed transfer holds its whole path: wormhole switching"),
        (m.rounds.is_none(), "a timed schedule has no `rounds`"),
        (steps == 1, "the transfers of a timed schedule are one list, the only entry of `steps`"),
    ];
    sound.into_iter().find(|(is_so, _)| !is_so).map_or(Ok(()), |(_, why)| Err(why.into()))
}

/// One route for every pair.
pub(super) enum Fixed<'m> {
    /// Local-global-local routing: what the routes are made of.
    Lgl(Lgl),
    /// Static routing, and tables: the routes in the file.
    Static(Routes<'m>),
}

impl Fixed<'_> {
    /// The route of a pair.
    pub fn route(&self, graph: &Graph<'_>, from: usize, to: usize) -> Option<Vec<usize>> {
        match self {
            Fixed::Lgl(lgl) => lgl.route(graph, from, to),
            Fixed::Static(routes) => {
                let route = routes.get(from, to)?;
                Some(route.iter().map(|&c| c as usize).collect())
            }
        }
    }

    /// Adds the route of a pair to a list; none if there is no route.
    pub fn add_route(
        &self,
        graph: &Graph<'_>,
        (from, to): (usize, usize),
        list: &mut Vec<u32>,
    ) -> Option<()> {
        match self {
            Fixed::Lgl(lgl) => list.extend(lgl.route(graph, from, to)?.iter().map(|&c| c as u32)),
            Fixed::Static(routes) => list.extend_from_slice(routes.get(from, to)?),
        }
        Some(())
    }

    /// The name of the routes.
    pub fn name(&self) -> &'static str {
        match self {
            Fixed::Lgl(_) => "local-global-local",
            Fixed::Static(_) => "static",
        }
    }
}

/// The fixed routes of the model, if its routing fixes them.
pub(super) fn fixed<'m>(
    m: &'m ModelRecord,
    graph: &Graph<'_>,
    broadcast: bool,
) -> Result<Option<Fixed<'m>>, String> {
    let routes = routes(m, graph)?;
    let is_lgl = m.routing == "lgl";
    if broadcast && (is_lgl || routes.is_some()) {
        let routing = &m.routing;
        return Err(format!(
            "routing '{routing}' is for messages that go straight to their destinations"
        ));
    }
    if is_lgl {
        let lgl = Lgl::build(graph);
        let wrong = |why| format!("routing 'lgl', but the network is no dragonfly: {why}");
        return lgl.map(|lgl| Some(Fixed::Lgl(lgl))).map_err(wrong);
    }
    Ok(routes.map(Fixed::Static))
}

/// The static routes, all of them paths.
pub(super) struct Routes<'m> {
    records: &'m RouteRecords,
    /// By source, its destinations in order, each with the number of its route.
    by_source: Vec<Vec<(u32, u32)>>,
}

impl Routes<'_> {
    /// The route of a pair.
    pub fn get(&self, from: usize, to: usize) -> Option<&[u32]> {
        let of = self.by_source.get(from)?;
        let place = of.binary_search_by_key(&(to as u32), |&(to, _)| to).ok()?;
        Some(self.records.entry(of[place].1 as usize).1)
    }
}

/// The routes of the model: those of static routing or of a table, whose name may be any other.
fn routes<'m>(m: &'m ModelRecord, graph: &Graph<'_>) -> Result<Option<Routes<'m>>, String> {
    let list = match (&m.routes, m.routing.as_str()) {
        (None, "static") => return Err("static routing needs `routes`".into()),
        (None, _) => return Ok(None),
        (Some(_), other)
            if matches!(other, "minimal" | "lgl" | "any") || other.starts_with("slack:") =>
        {
            return Err(format!("`routes` are for static routing and tables, not {other}"));
        }
        (Some(list), _) => list,
    };
    let count = list.len();
    let parts = cores::parts(count, |route| route + 1);
    let mut by_source: Vec<Vec<(u32, u32)>> = vec![Vec::new(); graph.len()];
    let mut numbers = 0..count as u32;
    for part in cores::each(parts, |part| ends_of(list, graph, part)) {
        for ((from, to), number) in part?.into_iter().zip(numbers.by_ref()) {
            by_source[from as usize].push((to, number));
        }
    }
    for of in &mut by_source {
        of.sort_unstable();
        if let Some(twice) = of.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let RouteRef { from, to, .. } = list.route(twice[1].1 as usize);
            return Err(format!("'{from}' has two routes to '{to}'"));
        }
    }
    Ok(Some(Routes { records: list, by_source }))
}

/// The ends of some routes.
fn ends_of(
    list: &RouteRecords,
    graph: &Graph<'_>,
    part: Range<usize>,
) -> Result<Vec<(u32, u32)>, String> {
    let vertices: Vec<Option<usize>> = list.names().iter().map(|name| graph.find(name)).collect();
    // By vertex, the last route that comes there, from 1.
    let mut met = vec![0; graph.len()];
    let ends = |number: usize| {
        ends((list, number), &vertices, graph, &mut met).map_err(|why| {
            let route = list.route(number);
            format!("the route from '{}' to '{}': {why}", route.from, route.to)
        })
    };
    part.map(ends).collect()
}

/// The ends of a route, whose channels must join them. `vertices` are those of the names in the list. The route marks the
/// vertices that it comes to.
fn ends(
    (list, number): (&RouteRecords, usize),
    vertices: &[Option<usize>],
    graph: &Graph<'_>,
    met: &mut [u32],
) -> Result<(u32, u32), String> {
    let find = |name: NameId| {
        let unknown = || format!("'{}' is no vertex of the network", list.names()[name as usize]);
        vertices[name as usize].ok_or_else(unknown)
    };
    let ((from, to), channels) = list.entry(number);
    let (from, to, mark) = (find(from)?, find(to)?, number as u32 + 1);
    met[from] = mark;
    let mut at = from;
    for c in channels.iter().map(|&c| c as usize) {
        let Some(&(start, end)) = graph.ends.get(c) else {
            return Err(format!("there is no channel {c}"));
        };
        if start != at || std::mem::replace(&mut met[end], mark) == mark {
            return Err(format!("its channels up to {c} are no path"));
        }
        at = end;
    }
    if at == to { Ok((from as u32, to as u32)) } else { Err("it does not end there".into()) }
}
