//! Trees of switches. The file does not say how many cables lead from a switch to the one above
//! it; it is one, or what the user says.

use super::layout::Switch;
use crate::files::lines::short;
use crate::files::mistake::{Wrong, wrong};
use crate::files::{Source, Uplinks};
use crate::{LinkKind, MAX_CAPACITY, Network, NetworkBuilder, VertexId};
use std::collections::HashMap;

/// Names of a cycle or of roots that a message lists.
const LISTED: usize = 8;

/// The network: nodes in the order of the lines, then the switches.
pub fn network(source: &Source, mut switches: Vec<Switch>) -> Result<Network, Wrong> {
    let uplinks = source.how.uplinks;
    lowest(&mut switches);
    let places = places(&switches)?;
    let below = below(&switches, &places)?;
    let order = order(&switches, &below)?;
    let sizes = sizes(&switches, &below, &order);
    let mut net = NetworkBuilder::new(source.name());
    let mut nodes: HashMap<&str, (VertexId, &str)> = HashMap::new();
    for switch in &switches {
        for node in &switch.nodes {
            if places.contains_key(node.as_str()) {
                let why = format!("'{}' is a node here and a switch elsewhere", short(node));
                return wrong(switch.at, why);
            }
            if let Some((_, first)) = nodes.get(node.as_str()) {
                source.notices.add("two leaves", switch.at, || {
                    format!(
                        "'{}' is below '{first}' and below '{}', and has a link to each; usually two \
                         ranges overlap",
                        short(node),
                        switch.name
                    )
                });
                continue;
            }
            nodes.insert(node, (net.terminal(node.as_str()), switch.name.as_str()));
        }
    }
    if let Some((at, roots)) = apart(&switches, &below) {
        source.notices.add("apart", at, || {
            format!(
                "nothing joins the switches {roots}; nodes below different ones exchange no messages: \
                 choose nodes below one of them, or add a switch above: SwitchName=top Switches=.."
            )
        });
    }
    let mut parents = vec![0usize; switches.len()];
    below.iter().flatten().for_each(|&child| parents[child] += 1);
    let ids: Vec<VertexId> =
        switches.iter().map(|switch| net.switch(switch.name.as_str())).collect();
    for (s, switch) in switches.iter().enumerate() {
        for node in &switch.nodes {
            net.duplex(nodes[node.as_str()].0, ids[s]);
        }
        for &child in &below[s] {
            link(&mut net, ids[child], ids[s], width(uplinks, sizes[child], parents[child]));
        }
    }
    net.build().map_err(|e| Wrong { at: 0, why: e.to_string() })
}

/// Where Slurm shows levels, a node stays at the lowest switches that have it.
fn lowest(switches: &mut [Switch]) {
    let level = |switch: &Switch| switch.level.unwrap_or(0);
    let mut of_node: HashMap<String, u32> = HashMap::new();
    for switch in switches.iter().filter(|_| switches.iter().any(|s| s.level.is_some())) {
        for node in &switch.nodes {
            let least = of_node.entry(node.clone()).or_insert(u32::MAX);
            *least = level(switch).min(*least);
        }
    }
    for switch in switches.iter_mut() {
        let level = level(switch);
        switch.nodes.retain(|node| of_node.get(node).is_none_or(|&least| level <= least));
    }
}

/// Every switch by its name.
fn places(switches: &[Switch]) -> Result<HashMap<&str, usize>, Wrong> {
    let mut places = HashMap::new();
    for (s, switch) in switches.iter().enumerate() {
        let Switch { at, name, .. } = switch;
        if places.insert(name.as_str(), s).is_some() {
            return wrong(*at, format!("switch '{name}' has already been defined"));
        }
        match (switch.switches.is_empty(), switch.nodes.is_empty()) {
            (false, false) => {
                return wrong(*at, format!("switch '{name}' has both child switches and nodes"));
            }
            // What Slurm shows may have lost its nodes.
            (true, true) if switch.level.is_none() => {
                return wrong(*at, format!("switch '{name}' has neither child switches nor nodes"));
            }
            _ => (),
        }
    }
    Ok(places)
}

/// By switch, the switches below it.
fn below(switches: &[Switch], places: &HashMap<&str, usize>) -> Result<Vec<Vec<usize>>, Wrong> {
    let child = |switch: &Switch, name: &String| match places.get(name.as_str()) {
        Some(&s) => Ok(s),
        None => wrong(
            switch.at,
            format!("switch '{}' is below '{}', but has no line", short(name), switch.name),
        ),
    };
    let children = |switch: &Switch| {
        let mut all: Vec<usize> =
            switch.switches.iter().map(|name| child(switch, name)).collect::<Result<_, _>>()?;
        let before = all.len();
        all.sort_unstable();
        all.dedup();
        match all.len() == before {
            true => Ok(all),
            false => wrong(switch.at, format!("a switch stands twice below '{}'", switch.name)),
        }
    };
    switches.iter().map(children).collect()
}

/// The switches, those below before those above; a cycle is named.
fn order(switches: &[Switch], below: &[Vec<usize>]) -> Result<Vec<usize>, Wrong> {
    // 0 not met, 1 on the way, 2 done.
    let (mut state, mut order) = (vec![0u8; switches.len()], Vec::new());
    for root in 0..switches.len() {
        let mut path: Vec<(usize, usize)> = Vec::new();
        if state[root] == 0 {
            path.push((root, 0));
            state[root] = 1;
        }
        while let Some((s, next)) = path.last_mut() {
            let (s, child) = (*s, below[*s].get(*next).copied());
            *next += 1;
            match child {
                None => {
                    state[s] = 2;
                    order.push(s);
                    path.pop();
                }
                Some(child) if state[child] == 0 => {
                    state[child] = 1;
                    path.push((child, 0));
                }
                Some(child) if state[child] == 1 => {
                    let from = path.iter().position(|(s, _)| *s == child).unwrap_or(0);
                    let cycle = path[from..].iter().map(|(s, _)| *s).chain([child]);
                    let why = format!(
                        "the switches are no tree: each of {} is below the one before it",
                        names(switches, cycle)
                    );
                    return wrong(switches[s].at, why);
                }
                Some(_) => (),
            }
        }
    }
    Ok(order)
}

/// By switch, the nodes below it.
fn sizes(switches: &[Switch], below: &[Vec<usize>], order: &[usize]) -> Vec<usize> {
    let mut sizes: Vec<usize> = switches.iter().map(|switch| switch.nodes.len()).collect();
    for &s in order {
        let children: usize =
            below[s].iter().fold(0, |sum, &child| sum.saturating_add(sizes[child]));
        sizes[s] = sizes[s].saturating_add(children);
    }
    sizes
}

/// The topmost switches, if no link joins them, and the place of the second one: several clusters may
/// share a file.
fn apart(switches: &[Switch], below: &[Vec<usize>]) -> Option<(usize, String)> {
    let mut part: Vec<usize> = (0..switches.len()).collect();
    fn find(part: &mut [usize], mut s: usize) -> usize {
        while part[s] != s {
            part[s] = part[part[s]];
            s = part[s];
        }
        s
    }
    let mut of_node: HashMap<&str, usize> = HashMap::new();
    for (s, switch) in switches.iter().enumerate() {
        let nodes = switch.nodes.iter().map(|node| *of_node.entry(node).or_insert(s));
        for other in nodes.chain(below[s].iter().copied()) {
            let (a, b) = (find(&mut part, s), find(&mut part, other));
            part[a] = b;
        }
    }
    let mut is_child = vec![false; switches.len()];
    below.iter().flatten().for_each(|&child| is_child[child] = true);
    let mut roots: HashMap<usize, usize> = HashMap::new();
    for s in (0..switches.len()).filter(|&s| !is_child[s]) {
        roots.entry(find(&mut part, s)).or_insert(s);
    }
    let mut roots: Vec<usize> = roots.into_values().collect();
    roots.sort_unstable();
    let &[_, second, ..] = &roots[..] else { return None };
    Some((switches[second].at, names(switches, roots.into_iter())))
}

/// Names for a message.
fn names(switches: &[Switch], all: impl Iterator<Item = usize>) -> String {
    let mut names: Vec<&str> = all.map(|s| switches[s].name.as_str()).collect();
    let more = names.len() > LISTED;
    names.truncate(LISTED);
    format!("{}{}", names.join(", "), if more { ", .." } else { "" })
}

/// The width of the links from a switch to the `parents` above it.
pub fn width(uplinks: Option<Uplinks>, nodes: usize, parents: usize) -> usize {
    match uplinks {
        None => 1,
        Some(Uplinks::Cables(number)) => number as usize,
        Some(Uplinks::Full) => nodes.div_ceil(parents.max(1)).max(1),
    }
}

/// Adds a link; one that is wider than a link can be becomes several.
pub fn link(net: &mut NetworkBuilder, a: VertexId, b: VertexId, mut width: usize) {
    while width > 0 {
        let part = width.min(MAX_CAPACITY as usize);
        net.wide_link(a, b, LinkKind::FullDuplex, part as u32);
        width -= part;
    }
}
