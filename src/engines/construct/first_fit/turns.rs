//! Where the search for a free step may begin, by turn: two channels that follow each other on a path.
//! Up to there no step is free in both. Steps are taken, never given back, so that this moves only
//! forwards. It helps where two long rows have many free steps, but none in common: in a tree, the
//! messages from one subtree to another fill the steps in which both channels are free, and leave the
//! others to messages from and to elsewhere.

use crate::ground::free_steps::FreeSteps;
use ccsched_model::problem::Problem;
use ccsched_network::ChannelId;

/// More turns do not fit into memory.
const MOST_TURNS: usize = 20_000_000;

/// By turn, a word of both rows.
#[derive(Clone, Debug)]
pub struct Turns {
    /// By channel, its place among those that lead to its end.
    place: Vec<u32>,
    /// By channel, the first of the turns into it.
    start: Vec<usize>,
    /// By turn, a word before which no step is free in both channels; empty if there are too many turns.
    word: Vec<u32>,
}

impl Turns {
    /// All steps are free.
    pub fn new(problem: &Problem) -> Self {
        let network = problem.network();
        let channels = network.channels();
        let mut place = vec![0; channels.len()];
        for v in 0..network.vertices().len() as u32 {
            (0..).zip(network.incoming(v)).for_each(|(i, &c)| place[c as usize] = i);
        }
        let mut turns = 0;
        let mut start = Vec::with_capacity(channels.len());
        for c in channels {
            start.push(turns);
            turns += network.incoming(c.from).len();
        }
        Turns { place, start, word: vec![0; if turns > MOST_TURNS { 0 } else { turns }] }
    }

    /// A word before which no step is free in all channels of a path.
    pub fn begin(&mut self, problem: &Problem, free: &FreeSteps, path: &[ChannelId]) -> usize {
        if self.word.is_empty() {
            return 0;
        }
        let turn = |pair: &[ChannelId]| {
            let [a, b] = [pair[0], pair[1]];
            let word = &mut self.word[self.start[b as usize] + self.place[a as usize] as usize];
            let [a, b] = [a, b].map(|c| free.row(problem.resources().of_channel(c)));
            let passed = a.iter().zip(b).skip(*word as usize).take_while(|(a, b)| *a & *b == 0);
            *word += passed.count() as u32;
            *word as usize
        };
        path.windows(2).map(turn).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_network::spec;
    use rand::RngExt;

    #[test]
    fn no_step_before_it_is_free_in_both_channels() {
        let rng = &mut rng_of(4, 0, 0);
        let network = spec::parse("full-binary-tree:3").unwrap();
        let problem = Request::new(Collective::Aas).pose(network, vec![]).unwrap();
        let path = |a, b| {
            let lead = |from, to| {
                let leads = |c: &&ChannelId| problem.network().channel(**c).to == to;
                *problem.network().outgoing(from).iter().find(leads).unwrap()
            };
            [lead(a, 0), lead(0, b)]
        };
        let (mut free, mut turns) = (FreeSteps::new(problem.resources()), Turns::new(&problem));
        let mut moved = 0;
        for _ in 0..8000 {
            let path = if rng.random() { path(1, 2) } else { path(2, 1) };
            free.take(path[rng.random_range(0..2)], rng.random_range(0..400));
            let begin = turns.begin(&problem, &free, &path);
            let both = |word: usize| free.word(path[0], word) & free.word(path[1], word);
            assert!((0..begin).all(|word| both(word) == 0));
            assert!(begin == free.words() || both(begin) != 0);
            moved = moved.max(begin);
        }
        assert!(moved > 2, "rows were full up to word {moved}");
    }
}
