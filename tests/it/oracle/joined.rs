//! Barriers and all-reduces of one part on random tiny networks against an exact search: bound <= exact
//! <= found. The search is written from the rules alone (docs/model.md).

use super::{ends, found};
use crate::support::tiny;
use ccsched::network::Network;
use ccsched::problem::{Collective, Request, Switching};
use ccsched::rng::rng_of;
use std::collections::HashSet;
use std::sync::Arc;

/// Networks drawn.
const NETWORKS: usize = 120;
/// Choices of a search until a network counts as too large.
const CHOICES: usize = 100_000;
const MOST_STEPS: u32 = 8;

/// By vertex, the sums that it has, as bits of their contributions.
type State = Vec<Vec<u8>>;

struct Tiny {
    /// Start, end and link of every channel.
    channels: Vec<(usize, usize, usize)>,
    all: u8,
    adds: bool,
    seen: HashSet<(State, u32)>,
    choices: usize,
}

fn joined(sums: &[u8]) -> u8 {
    sums.iter().fold(0, |all, sum| all | sum)
}

impl Tiny {
    fn ends_within(&mut self, mut state: State, steps: u32) -> Option<bool> {
        state.iter_mut().for_each(|sums| sums.sort_unstable());
        let has_all = |v: usize| joined(&state[v]) == self.all;
        if (0..state.len()).all(|v| self.all >> v & 1 == 0 || has_all(v)) {
            return Some(true);
        }
        if steps == 0 || !self.seen.insert((state.clone(), steps)) {
            return Some(false);
        }
        let nothing = vec![Vec::new(); state.len()];
        self.step(&state, nothing, 0, 0, steps)
    }

    /// Chooses what the channels from one on carry; `used` has the links in use.
    fn step(
        &mut self,
        state: &State,
        arriving: State,
        channel: usize,
        used: u32,
        steps: u32,
    ) -> Option<bool> {
        self.choices += 1;
        if self.choices > CHOICES {
            return None;
        }
        let Some(&(from, to, link)) = self.channels.get(channel) else {
            let after = |(sums, new): (&Vec<u8>, Vec<u8>)| match new.contains(&self.all) {
                true => new,
                false => [&sums[..], &new].concat(),
            };
            return self.ends_within(state.iter().zip(arriving).map(after).collect(), steps - 1);
        };
        if used >> link & 1 == 0 {
            for sum in self.sums(&state[from], joined(&state[to]), &arriving[to]) {
                let mut with = arriving.clone();
                with[to].push(sum);
                let found = self.step(state, with, channel + 1, used | 1 << link, steps);
                if found != Some(false) {
                    return found;
                }
            }
        }
        self.step(state, arriving, channel + 1, used, steps)
    }

    /// What can be sent of some sums to a vertex that has `there`, and gets `arriving`.
    fn sums(&self, sums: &[u8], there: u8, arriving: &[u8]) -> Vec<u8> {
        let taken = there | joined(arriving);
        if !self.adds {
            return Some(joined(sums) & !taken).filter(|&new| new != 0).into_iter().collect();
        }
        let of = |choice: u32| {
            let chosen = (0..sums.len()).filter(|i| choice >> i & 1 == 1);
            chosen.fold(0, |sum, i| sum | sums[i])
        };
        let mut all: Vec<u8> = (1..1 << sums.len()).map(of).collect();
        let is_all = |sum: u8| sum == self.all && there != self.all && arriving.is_empty();
        all.retain(|&sum| sum & taken == 0 || is_all(sum));
        all.sort_unstable_by_key(|sum| std::cmp::Reverse(sum.count_ones()));
        all
    }

    fn solve(network: &Network, adds: bool) -> Option<u32> {
        let channels = ends(network);
        let all = network.terminals().fold(0, |all, v| all | 1 << v);
        let own = |v| if network.is_terminal(v) { vec![1 << v] } else { vec![] };
        let state: State = (0..network.vertices().len() as u32).map(own).collect();
        let mut tiny = Tiny { channels, all, adds, seen: HashSet::new(), choices: 0 };
        for steps in 1..=MOST_STEPS {
            tiny.seen.clear();
            if tiny.ends_within(state.clone(), steps)? {
                return Some(steps);
            }
        }
        None
    }
}

#[test]
fn barriers_and_sums_of_whole_vectors() {
    for collective in [Collective::Barrier, Collective::AllReduceWhole] {
        let mut rng = rng_of(43, 0, 0);
        let (mut decided, mut equal) = (0, 0);
        for _ in 0..NETWORKS {
            let network = tiny::network(&mut rng);
            if network.vertices().len() > 6 {
                continue;
            }
            let switching = Switching::StoreAndForward;
            let request = Request { switching, ..Request::new(collective) };
            let Ok(problem) = request.pose(network, vec![]).map(Arc::new) else { continue };
            let adds = collective == Collective::AllReduceWhole;
            let Some(exact) = Tiny::solve(problem.network(), adds) else { continue };
            let exact = exact as usize;
            decided += 1;
            equal += usize::from(found(&problem, &problem, exact, 500) == exact);
        }
        println!("{collective}: {decided} decided, {equal} equal");
        assert!(decided >= 60 && equal * 100 >= decided * 95, "{equal} of {decided}");
    }
}
