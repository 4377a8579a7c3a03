//! The argument "leaving": routes by destination take one channel from a vertex to a destination. The routes of the file
//! must do so at that vertex. Then w messages there, to each of n destinations, load some channel at least so much that
//! the channels have room for n groups of w.

use super::arguments::Fault;
use super::plan::Plan;

/// The least load over the channels that leave a vertex.
pub(super) fn leaving(plan: &Plan<'_>, v: usize) -> Result<u64, Fault> {
    let (g, demand) = (&plan.graph, &plan.demand);
    let Some(fixed) = demand.fixed.as_ref().filter(|_| !demand.broadcast) else {
        let why = "leaving is about one route a pair, by destination, and the routes are free";
        return Err(Fault::Certificate(why.into()));
    };
    // Terminals whose one channel leads here, and into which one channel leads from here; if this
    // vertex has a channel to others too.
    let hangs = |u: usize| {
        let ends = (&g.outgoing[u][..], &g.incoming[u][..]);
        let leads = matches!(ends, (&[a], &[b]) if g.ends[a].1 == v && g.ends[b].0 == v);
        leads && g.terminal[u] && g.outgoing[v].len() > 1
    };
    let inside: Vec<bool> = (0..g.len()).map(|u| u == v || hangs(u)).collect();
    let channels: Vec<usize> =
        g.outgoing[v].iter().copied().filter(|&c| !inside[g.ends[c].1]).collect();
    let here: Vec<usize> = (0..g.len()).filter(|&u| inside[u]).collect();
    let mut groups = Vec::new();
    for to in (0..g.len()).filter(|&to| !inside[to]) {
        let (mut messages, mut taken) = (0, None);
        for &from in here.iter().filter(|&&from| demand.asks(from, to)) {
            messages += demand.messages(from, to);
            let route = fixed.route(g, from, to).unwrap_or_default();
            let mut leaves = route.into_iter().filter(|c| g.ends[*c].0 == v);
            let next = leaves.next();
            if *taken.get_or_insert(next) != next {
                let [here, to] = [v, to].map(|v| plan.name(v));
                let why = format!("the routes from '{here}' to '{to}' part there");
                return Err(Fault::Certificate(why));
            }
        }
        groups.push(messages);
    }
    groups.retain(|&messages| messages > 0);
    groups.sort_unstable();
    // The larger groups alone, each as if it had no more messages than the smallest of them.
    let capacity: u64 = channels.iter().map(|&c| g.capacity[c]).sum();
    let mut least = 0;
    for (first, &size) in groups.iter().enumerate() {
        let count = (groups.len() - first) as u64;
        let room = |load: u64| {
            channels.iter().map(|&c| load.saturating_mul(g.capacity[c]) / size).sum::<u64>()
        };
        while room(least) < count {
            if capacity == 0 {
                return Err(Fault::Endless(format!("no channel leaves '{}'", plan.name(v))));
            }
            // A channel gains at most one group more than its share, so this is not too much.
            let lacking = (count - room(least)).saturating_sub(channels.len() as u64 + 1);
            least += (lacking.saturating_mul(size) / capacity).max(1);
        }
    }
    Ok(least)
}
