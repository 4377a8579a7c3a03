//! Decides which edges of a file are two-way links. Many files that call their edges directed list
//! every cable once, others list it at both ends. A file that does some of each is ambiguous and
//! refused, unless nearly all links stand in both directions: then lines were lost.

use super::Source;
use super::mistake::{Wrong, wrong};
use crate::{Delay, VertexId};

/// How an edge of a file is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// A two-way link.
    Both,
    /// A two-way link, unless the file lists every edge in both directions: then each two of them
    /// are one.
    #[default]
    Listed,
    /// A one-way channel, unless the file lists every edge in both directions.
    One,
}

/// The edges of a line.
pub(super) struct Edge {
    pub from: VertexId,
    pub to: VertexId,
    pub capacity: u32,
    /// The delay of each direction.
    pub delays: [Option<Delay>; 2],
    pub count: u32,
    pub way: Way,
    /// The place of the line; a text has at most 4 GiB.
    pub at: u32,
}

/// At most one link in this number may stand in one direction only, as a lost line.
const LOST: usize = 5;
/// Links that a message names.
const NAMED: usize = 3;

/// Edges of which each is one link: two-way, or one-way if its `way` is [`Way::One`]. `said` is the word
/// of the file for directed edges, and its place.
///
/// # Errors
/// Some links stand in one direction, others in both.
pub(super) fn two_way<'n>(
    mut edges: Vec<Edge>,
    source: &Source,
    said: Option<(usize, String)>,
    name: impl Fn(VertexId) -> &'n str,
) -> Result<Vec<Edge>, Wrong> {
    let set = |edges: &mut [Edge], from: Way, to: Way| {
        edges.iter_mut().filter(|edge| edge.way == from).for_each(|edge| edge.way = to);
    };
    if source.how.one_way || source.how.two_way {
        let way = if source.how.one_way { Way::One } else { Way::Both };
        set(&mut edges, Way::Listed, way);
        return Ok(edges);
    }
    let ends = |edge: &Edge| (edge.from.min(edge.to), edge.from.max(edge.to));
    // Open edges by ends, direction and capacity.
    let mut order: Vec<u32> =
        (0..edges.len() as u32).filter(|&e| edges[e as usize].way != Way::Both).collect();
    order.sort_by_key(|&e| {
        let edge = &edges[e as usize];
        (ends(edge), edge.from > edge.to, edge.capacity)
    });
    let links = || order.chunk_by(|&a, &b| ends(&edges[a as usize]) == ends(&edges[b as usize]));
    let directions = |link: &[u32]| {
        let split = link.partition_point(|&e| edges[e as usize].from < edges[e as usize].to);
        let number =
            |part: &[u32]| part.iter().map(|&e| u64::from(edges[e as usize].count)).sum::<u64>();
        (number(&link[..split]), number(&link[split..]), split)
    };
    let is_both = |link: &&[u32]| matches!(directions(link), (a, b, _) if a == b);
    let both = links().filter(is_both).count();
    let mut odd: Vec<u32> = links().filter(|link| !is_both(link)).map(|link| link[0]).collect();
    odd.sort_by_key(|&e| edges[e as usize].at);
    let means_it = edges.iter().any(|edge| edge.way == Way::One);
    if both == 0 {
        // Each edge stands once.
        if let Some((at, word)) = said.filter(|_| !means_it && !odd.is_empty()) {
            source.notices.add("directed", at, || {
                format!("{word}, but links are listed once: they are read as two-way; `one_way` reads channels")
            });
        }
        set(&mut edges, Way::Listed, Way::Both);
        return Ok(edges);
    }
    let lost = odd.len() * LOST <= both;
    if !odd.is_empty() && (!means_it || lost) {
        let first = edges[odd[0] as usize].at as usize;
        let named = odd.iter().take(NAMED).map(|&e| {
            let Edge { from, to, .. } = edges[e as usize];
            format!("{}-{}", name(from), name(to))
        });
        let dots = if odd.len() > NAMED {
            format!(" and {} more", odd.len() - NAMED)
        } else {
            String::new()
        };
        let (named, verb) =
            (named.collect::<Vec<_>>().join(", "), if odd.len() == 1 { "is" } else { "are" });
        let why =
            format!("{named}{dots} {verb} listed in one direction only, the other {both} in both");
        match (means_it, lost) {
            (true, _) => source.notices.add("one direction", first, || {
                format!("{why}: all edges are one-way channels, as the file says")
            }),
            (false, true) => source.notices.add("one direction", first, || {
                format!(
                    "{why}: all are read as two-way links, as if lines were lost; `one_way` reads them as listed"
                )
            }),
            (false, false) => {
                return wrong(
                    first,
                    format!(
                        "{why}; list every link once, or every link in both directions, or say that \
                         each line is a channel (`one_way`) or a two-way link of its own (`two_way`)"
                    ),
                );
            }
        }
    }
    if means_it && !odd.is_empty() {
        set(&mut edges, Way::Listed, Way::Both);
        return Ok(edges);
    }
    // The direction with more edges stays, each with the capacity of its way back.
    let mut kept = vec![false; edges.len()];
    let mut narrower: Vec<(u32, u32)> = Vec::new();
    let mut delayed: Vec<(u32, Option<Delay>)> = Vec::new();
    for link in links() {
        let (forth, back, split) = directions(link);
        let (stay, other) = link.split_at(split);
        let (stay, other) = if back > forth { (other, stay) } else { (stay, other) };
        stay.iter().for_each(|&e| kept[e as usize] = true);
        if forth != back {
            continue;
        }
        let mut behind = other.iter().flat_map(|&e| {
            let Edge { capacity, count, delays, .. } = edges[e as usize];
            std::iter::repeat_n((capacity, delays[0]), count as usize)
        });
        for &e in stay {
            let Edge { from, to, capacity, count, at, .. } = edges[e as usize];
            let (mut width, mut delay) = (None, None);
            for (its, back) in behind.by_ref().take(count as usize) {
                (width, delay) =
                    (Some(width.map_or(its, |width: u32| width.min(its))), delay.max(back));
            }
            let width = width.unwrap_or(capacity);
            delayed.push((e, delay));
            if width != capacity {
                narrower.push((e, width.min(capacity)));
                source.notices.add("ways differ", at as usize, || {
                    let (a, b) = (name(from), name(to));
                    format!("{a}-{b} has capacity {capacity}, {b}-{a} has {width}: the smaller one is taken")
                });
            }
        }
    }
    narrower.into_iter().for_each(|(e, width)| edges[e as usize].capacity = width);
    for (e, back) in delayed {
        let delays = &mut edges[e as usize].delays;
        *delays = [delays[0].or(back), back.or(delays[0])];
    }
    let mut kept = kept.into_iter();
    edges.retain(|edge| kept.next() == Some(true) || edge.way == Way::Both);
    edges.iter_mut().for_each(|edge| edge.way = Way::Both);
    Ok(edges)
}
