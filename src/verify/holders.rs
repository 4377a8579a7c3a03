//! Vertices that can pass a broadcast message on, for the arguments of growth and spread. A copy is
//! of use if its channel leads to a receiver other than its sender, and only vertices that the
//! message of another sender can reach have something to pass on.

use super::plan::Plan;

/// By vertex, the first and the last, by number, of the vertices of a set that are joined to it.
struct Extremes([Vec<Option<usize>>; 2]);

impl Extremes {
    /// Over channels in their direction, or against it.
    fn of(plan: &Plan<'_>, set: &[bool], forwards: bool) -> Self {
        let g = &plan.graph;
        let up: Vec<usize> = (0..set.len()).filter(|&v| set[v]).collect();
        let down = up.iter().rev().copied().collect();
        Extremes([up, down].map(|order: Vec<usize>| {
            let mut first = vec![None; g.len()];
            for start in order {
                let mut stack = vec![start];
                while let Some(v) = stack.pop() {
                    if first[v].is_some() {
                        continue;
                    }
                    first[v] = Some(start);
                    let channels = if forwards { &g.outgoing[v] } else { &g.incoming[v] };
                    let end = |&c: &usize| if forwards { g.ends[c].1 } else { g.ends[c].0 };
                    stack.extend(channels.iter().map(end));
                }
            }
            first
        }))
    }

    /// Whether one that is not `but` is joined to `v`.
    fn has(&self, v: usize, but: usize) -> bool {
        self.0.iter().any(|first| first[v].is_some_and(|first| first != but))
    }
}

/// What vertices can do for a broadcast in a step.
pub(super) struct Holders<'a> {
    pub plan: &'a Plan<'a>,
    /// By vertex, copies that it sends of its own message.
    pub own: Vec<u64>,
    /// By vertex, copies that it sends of the messages of others.
    pub others: Vec<u64>,
    /// By vertex, copies that end there.
    pub taken: Vec<u64>,
    /// By channel, whether a message can come to it and from it to a receiver.
    pub used: Vec<bool>,
}

impl<'a> Holders<'a> {
    pub fn of(plan: &'a Plan<'a>) -> Self {
        let (g, demand) = (&plan.graph, &plan.demand);
        let behind = Extremes::of(plan, &demand.sends, true);
        let ahead = Extremes::of(plan, &demand.receives, false);
        let used = |&(from, to): &(usize, usize)| {
            behind.has(from, usize::MAX) && ahead.has(to, usize::MAX)
        };
        let mut holders = Holders {
            plan,
            own: vec![0; g.len()],
            others: vec![0; g.len()],
            taken: vec![0; g.len()],
            used: g.ends.iter().map(used).collect(),
        };
        for v in (0..g.len()).filter(|&v| g.terminal[v] || !demand.wormhole) {
            let ports = demand.ports.filter(|_| g.terminal[v]).unwrap_or(u64::MAX);
            let carried = |list: &[usize], leads: &dyn Fn(usize) -> bool| {
                let channels = list.iter().filter(|&&c| leads(c));
                ports.min(channels.map(|&c| g.capacity[c]).sum())
            };
            holders.own[v] = carried(&g.outgoing[v], &|c| ahead.has(g.ends[c].1, v));
            if behind.has(v, v) {
                holders.others[v] = holders.own[v];
            }
            if demand.receives[v] || holders.others[v] > 0 {
                holders.taken[v] = carried(&g.incoming[v], &|c| behind.has(g.ends[c].0, v));
            }
        }
        holders
    }

    /// Copies that the vertices of a set send of messages from elsewhere, each in a step, most first.
    pub fn rates(&self, inside: impl Fn(usize) -> bool) -> Vec<u64> {
        let mut rates: Vec<u64> =
            (0..self.others.len()).filter(|&v| inside(v)).map(|v| self.others[v]).collect();
        rates.sort_unstable_by(|a, b| b.cmp(a));
        rates
    }
}
