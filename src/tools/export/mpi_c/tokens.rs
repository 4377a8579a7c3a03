//! Empty messages that keep the steps of an exported schedule apart: a transfer waits for the transfers
//! of the latest earlier step on each of its links. The receiver of such a one tells the sender of the
//! next, unless that rank knows it already by what it got before: a message or a token of a rank says
//! that this rank has ended its earlier steps, and what it knew itself.

use crate::export::ranks::Ranks;
use crate::export::{Subject, Transfer};
use ccsched_network::ChannelId;
use std::collections::HashMap;

/// A token of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// The step, from 0, before whose sends it is received, or after whose receives it is sent.
    pub step: usize,
    pub peer: usize,
    pub receives: bool,
}

/// By rank, its tokens in their order: of a step those that it receives come first. Where one rank sends
/// several to another, they arrive in the order in which they are waited for.
pub(super) fn tokens(subject: &Subject, ranks: &Ranks) -> Vec<Vec<Token>> {
    let n = ranks.len();
    let mut all: Vec<Vec<Token>> = vec![Vec::new(); n];
    // By rank and other rank: the number of steps that the other is known to have ended. What was known
    // at the end of the step before, and what is known when sends of this step begin.
    let mut known: Vec<Vec<usize>> = vec![vec![0; n]; n];
    // By link: the latest step with transfers over it, from 1, and their ends.
    let mut latest: HashMap<ChannelId, (usize, Vec<[usize; 2]>)> = HashMap::new();
    let link = |&c: &ChannelId| c.min(subject.network().channel(c).excludes().unwrap_or(c));
    for step in 0..subject.steps() {
        let before = known.clone();
        let ends = |t: &Transfer| [t.from, t.to].map(|v| ranks.of_vertex(v));
        // By sender, whom it waits for, the latest step first: it tells most.
        let mut waits: Vec<(usize, usize, usize)> = Vec::new();
        for t in subject.step(step) {
            let pair = ends(&t);
            for (ended, others) in t.channels.iter().filter_map(|c| latest.get(&link(c))) {
                // Messages of one pair are in order.
                let others = others.iter().filter(|other| **other != pair);
                waits.extend(others.map(|[_, to]| (pair[0], usize::MAX - ended, *to)));
            }
        }
        waits.sort_unstable();
        waits.dedup();
        for (from, ended, rank) in waits.into_iter().map(|(f, e, r)| (f, usize::MAX - e, r)) {
            if rank == from || known[from][rank] >= ended {
                continue;
            }
            all[from].push(Token { step, peer: rank, receives: true });
            all[rank].push(Token { step: ended - 1, peer: from, receives: false });
            if ended == step {
                learn(&mut known[from], &before[rank]);
            }
            known[from][rank] = known[from][rank].max(ended);
        }
        let sent = known.clone();
        (0..n).for_each(|rank| known[rank][rank] = step + 1);
        let mut used: HashMap<ChannelId, Vec<[usize; 2]>> = HashMap::new();
        for t in subject.step(step) {
            let [from, to] = ends(&t);
            learn(&mut known[to], &sent[from]);
            t.channels.iter().for_each(|c| used.entry(link(c)).or_default().push([from, to]));
        }
        latest.extend(used.into_iter().map(|(link, pairs)| (link, (step + 1, pairs))));
    }
    for list in &mut all {
        list.sort_by_key(|t| (t.step, !t.receives));
    }
    all
}

fn learn(own: &mut [usize], other: &[usize]) {
    own.iter_mut().zip(other).for_each(|(own, other)| *own = (*own).max(*other));
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_network::spec;
    use ccsched_run::{Options, solve};

    fn subject(topology: &str) -> Subject {
        let problem = Request::new(Collective::Aas).pose(spec::parse(topology).unwrap(), vec![]);
        let solution = solve(&problem.unwrap(), &Options::default()).unwrap();
        Subject::of(&solution.schedule().unwrap()).unwrap()
    }

    /// By event, the events that follow it at once. Events of a rank in a step: its sends begin, its receives end.
    fn follows(subject: &Subject, ranks: &Ranks, tokens: &[Vec<Token>]) -> Vec<Vec<usize>> {
        let (n, steps) = (ranks.len(), subject.steps());
        let event =
            |rank: usize, step: usize, ends: bool| (step * n + rank) * 2 + usize::from(ends);
        let mut after = vec![Vec::new(); 2 * n * steps];
        for step in 0..steps {
            for rank in 0..n {
                after[event(rank, step, false)].push(event(rank, step, true));
                if step > 0 {
                    after[event(rank, step - 1, true)].push(event(rank, step, false));
                }
            }
            for t in subject.step(step) {
                let [from, to] = [t.from, t.to].map(|v| ranks.of_vertex(v));
                after[event(from, step, false)].push(event(to, step, true));
            }
        }
        // Tokens arrive in the order in which they are sent.
        for (rank, list) in tokens.iter().enumerate() {
            for (peer, of_peer) in tokens.iter().enumerate() {
                let sent = list.iter().filter(|t| !t.receives && t.peer == peer);
                let awaited = of_peer.iter().filter(|t| t.receives && t.peer == rank);
                assert_eq!(sent.clone().count(), awaited.clone().count());
                for (s, r) in sent.zip(awaited) {
                    after[event(rank, s.step, true)].push(event(peer, r.step, false));
                }
            }
        }
        after
    }

    #[test]
    fn a_transfer_begins_after_those_that_held_its_links() {
        for topology in ["fat-tree:16", "swiss-t1:2,0,1,2,0,2,1,2", "mesh:3x3"] {
            let subject = subject(topology);
            let ranks = Ranks::of_processes(&subject, "mpi-c").unwrap();
            let tokens = tokens(&subject, &ranks);
            let after = follows(&subject, &ranks, &tokens);
            let n = ranks.len();
            let reached = |from: usize| {
                let (mut is_reached, mut stack) = (vec![false; after.len()], vec![from]);
                while let Some(e) = stack.pop() {
                    if !std::mem::replace(&mut is_reached[e], true) {
                        stack.extend(&after[e]);
                    }
                }
                is_reached
            };
            let all = |step: usize| {
                subject.step(step).map(|t| ([t.from, t.to].map(|v| ranks.of_vertex(v)), t.channels))
            };
            let (mut conflicts, mut awaited) = (0, 0);
            for step in 0..subject.steps() {
                for (pair, channels) in all(step) {
                    let reached = reached((step * n + pair[1]) * 2 + 1);
                    for later in step + 1..subject.steps() {
                        for (other, its) in all(later) {
                            if other != pair && its.iter().any(|c| channels.contains(c)) {
                                conflicts += 1;
                                awaited += usize::from(reached[(later * n + other[0]) * 2]);
                            }
                        }
                    }
                }
            }
            let sent = tokens.iter().flatten().filter(|t| t.receives).count();
            println!("{topology}: {sent} tokens for {conflicts} conflicts");
            assert!(conflicts > 0 && awaited == conflicts, "{topology}: {awaited} of {conflicts}");
            assert!(sent > 0 && sent < conflicts, "{topology}: {sent}");
        }
    }
}
