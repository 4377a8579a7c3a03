//! Rule "routing" with local-global-local routes: the groups of a dragonfly, and the only route
//! between two terminals, are found in the file's network alone.

use super::graph::Graph;
use std::collections::HashMap;

/// The parts of the routes.
pub(super) struct Lgl {
    /// By terminal: its switch, the channel up to it and the channel down from it.
    hangs: HashMap<usize, (usize, usize, usize)>,
    /// The group of every switch.
    group: HashMap<usize, usize>,
    /// The channel between two switches of a group, and between two groups.
    local: HashMap<(usize, usize), usize>,
    global: HashMap<(usize, usize), usize>,
}

impl Lgl {
    /// Finds the groups: of equal size, in the order of the file.
    pub fn build(graph: &Graph<'_>) -> Result<Self, String> {
        let mut hangs = HashMap::new();
        let is_joined = |v: usize| !graph.outgoing[v].is_empty() || !graph.incoming[v].is_empty();
        for v in (0..graph.len()).filter(|&v| graph.terminal[v] && is_joined(v)) {
            let (&[up], &[down]) = (&graph.outgoing[v][..], &graph.incoming[v][..]) else {
                return Err(format!("terminal '{}' is not on exactly one switch", graph.names[v]));
            };
            let switch = graph.ends[up].1;
            if graph.ends[down].0 != switch || graph.terminal[switch] {
                return Err(format!("terminal '{}' is not on exactly one switch", graph.names[v]));
            }
            hangs.insert(v, (switch, up, down));
        }
        let switches: Vec<usize> = (0..graph.len()).filter(|&v| !graph.terminal[v]).collect();
        let sizes = (1..=switches.len() / 2).filter(|a| switches.len().is_multiple_of(*a));
        for size in sizes {
            let groups = switches.chunks(size).enumerate();
            let group: HashMap<usize, usize> =
                groups.flat_map(|(g, all)| all.iter().map(move |&v| (v, g))).collect();
            if let Some((local, global)) = links(graph, &group, size) {
                return Ok(Lgl { hangs, group, local, global });
            }
        }
        Err("its switches do not form complete groups with one link between every two".into())
    }

    /// The route between two terminals.
    pub fn route(&self, graph: &Graph<'_>, from: usize, to: usize) -> Option<Vec<usize>> {
        let (&(a, up, _), &(b, _, down)) = (self.hangs.get(&from)?, self.hangs.get(&to)?);
        let mut route = vec![up];
        let mut at = a;
        let (g, h) = (self.group[&a], self.group[&b]);
        if g != h {
            let bridge = self.global[&(g, h)];
            let (out, into) = graph.ends[bridge];
            route.extend(self.local.get(&(at, out)));
            route.push(bridge);
            at = into;
        }
        route.extend(self.local.get(&(at, b)));
        route.push(down);
        Some(route)
    }
}

type Links = HashMap<(usize, usize), usize>;

/// Channels within and between these groups, if they are as in a dragonfly.
fn links(graph: &Graph<'_>, group: &HashMap<usize, usize>, size: usize) -> Option<(Links, Links)> {
    let (mut local, mut global) = (Links::new(), Links::new());
    for (c, (a, b)) in graph.ends.iter().enumerate() {
        let (Some(g), Some(h)) = (group.get(a), group.get(b)) else { continue };
        let before = if g == h { local.insert((*a, *b), c) } else { global.insert((*g, *h), c) };
        if before.is_some() {
            return None;
        }
    }
    let groups = group.len() / size;
    let complete = local.len() == group.len() * (size - 1);
    (complete && global.len() == groups * (groups - 1)).then_some((local, global))
}
