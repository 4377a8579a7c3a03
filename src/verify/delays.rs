//! Delays of channels in a timed schedule. A transfer holds a channel of its path from its start plus the delays
//! of the channels before it, and ends when its last byte has come through the last one. Delays count in bytes
//! (graph.rs). All numbers are integers.

use super::plan::{Move, Plan};
use ccsched_model::schedule::file::BoundRecord;
use std::collections::BTreeMap;

impl Plan<'_> {
    /// The delay of a channel.
    fn delay(&self, c: usize) -> u64 {
        self.graph.delay.get(c).copied().unwrap_or(0)
    }

    /// The delays of a path up to the first channel of which a condition holds, or of all.
    pub fn delay_until(&self, path: &[u32], is_at: impl Fn(usize) -> bool) -> u64 {
        if self.graph.delay.is_empty() {
            return 0;
        }
        let before = path.iter().map(|&c| c as usize).take_while(|&c| !is_at(c));
        before.fold(0, |sum, c| sum.saturating_add(self.delay(c)))
    }

    /// When this transfer of a timed schedule is over.
    pub fn over(&self, m: &Move<'_>) -> u64 {
        self.held_from_to(m.id).1.saturating_add(self.delay_until(m.channels, |_| false))
    }

    /// The least delays from a vertex to all others, over walks that are no longer than paths may be. By the number
    /// of channels: the least of walks with as many or fewer, while that changes.
    fn delays_from(&self, v: usize) -> Vec<u64> {
        let far = self.graph.distances_from(v);
        let allowed = |v: usize, hops: u64| hops <= far[v].saturating_add(self.demand.slack);
        let mut walks = vec![u64::MAX; self.graph.len()];
        walks[v] = 0;
        let mut least = walks.clone();
        for hops in 1.. {
            let before = walks.clone();
            for (c, &(from, to)) in self.graph.ends.iter().enumerate() {
                let is_open = self.graph.closed.get(c) != Some(&true);
                if is_open && before[from] < u64::MAX {
                    walks[to] = walks[to].min(before[from].saturating_add(self.delay(c)));
                }
            }
            if walks == before {
                break;
            }
            for v in (0..walks.len()).filter(|&v| allowed(v, hops)) {
                least[v] = walks[v];
            }
        }
        least
    }

    /// By pair with a message of a condition, the least delay of its paths.
    fn least_delays(&self, asks: impl Fn(usize, usize) -> bool) -> BTreeMap<(usize, usize), u64> {
        let mut by_source: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let all = self.demand.pairs.iter().flat_map(|pairs| pairs.all_lengths());
        for (&(from, to), _) in all.filter(|&(&(from, to), _)| asks(from, to)) {
            by_source.entry(from).or_default().push(to);
        }
        let mut delays = BTreeMap::new();
        for (from, ends) in by_source {
            let least = self.delays_from(from);
            for to in ends {
                let fixed = self.demand.fixed.as_ref().and_then(|f| f.route(&self.graph, from, to));
                let delay = match fixed {
                    Some(route) => {
                        route.iter().fold(0, |sum: u64, &c| sum.saturating_add(self.delay(c)))
                    }
                    None => least[to],
                };
                delays.insert((from, to), delay);
            }
        }
        delays
    }
}

/// What a message takes at least: its bytes after the least delay of its paths.
pub(super) fn longest(plan: &Plan<'_>) -> u64 {
    let delays = plan.least_delays(|_, _| true);
    let all = plan.demand.pairs.iter().flat_map(|pairs| pairs.all_lengths());
    let with = |(pair, lengths): (&(usize, usize), &Vec<u64>)| {
        let longest = lengths.iter().copied().max().unwrap_or(0);
        longest.saturating_add(delays.get(pair).copied().unwrap_or(0))
    };
    all.map(with).max().unwrap_or(0)
}

/// What a bound in bytes on a timed schedule gains by delays: bytes that a terminal sends, or receives, travel the
/// least delay of its messages; those that cross a cut come through one of its channels. Not where both
/// directions share a link: what is sent first and what is received last have other ways before and behind.
pub(super) fn gain(plan: &Plan<'_>, b: &BoundRecord) -> u64 {
    if !plan.demand.timed || plan.graph.delay.is_empty() {
        return 0;
    }
    let g = &plan.graph;
    let find = |name: &String| g.find(name);
    match b.name.as_str() {
        "ports" => {
            let Some(v) = b.certificate.vertex.as_ref().and_then(find) else { return 0 };
            let shares = |&c: &usize| g.excludes[c].is_some();
            if g.outgoing[v].iter().chain(&g.incoming[v]).any(shares) {
                return 0;
            }
            let of_vertex = plan.least_delays(|from, to| from == v || to == v);
            of_vertex.into_values().min().unwrap_or(0)
        }
        "cut" => {
            let mut inside = vec![false; g.len()];
            let side = b.certificate.side.iter().flatten().filter_map(find);
            side.for_each(|v| inside[v] = true);
            let crosses = |c: &usize| inside[g.ends[*c].0] != inside[g.ends[*c].1];
            let across = (0..g.ends.len()).filter(crosses);
            across.map(|c| plan.delay(c)).min().unwrap_or(0)
        }
        _ => 0,
    }
}
