//! What joins in a replay: the vectors of an all-reduce of one part, each in a block of its own, and the
//! signals of a barrier, which have none.

use super::script::{Script, Transfer};
use crate::problem::Joining;
use crate::schedule::vectors::{Act, Acts, Sum, of_ranks};

/// A segment and an operation of it.
pub(super) type Made = (usize, usize);

/// The vectors of all ranks, and what has become of them so far.
#[derive(Default)]
pub(super) struct Vectors {
    pub ranks: Vec<Rank>,
    /// By transfer, the vector that is sent, and the vector that is received.
    pub ends: Vec<[usize; 2]>,
    /// By rank, the signals of earlier steps, and those of this step.
    pub heard: Vec<Vec<Made>>,
    pub arrived: Vec<(usize, Made)>,
}

/// The vectors of a rank.
pub(super) struct Rank {
    pub result: usize,
    /// By vector that is a sum, what it is the sum of.
    pub sums: Vec<Option<[usize; 2]>>,
    /// By vector, what has made it.
    pub made: Vec<Option<Made>>,
}

impl Vectors {
    /// Those of a script; none where nothing joins.
    pub fn of(script: &Script) -> Self {
        let mut all = Vectors::default();
        match script.joining {
            Joining::Apart => (),
            Joining::Signal => all.heard = vec![Vec::new(); script.ranks()],
            Joining::Sum => {
                let sum = |t: &Transfer| Sum { from: t.from, to: t.to, of: t.of.clone() };
                let steps = script.steps.iter().map(|step| step.iter().map(sum).collect());
                all.ends = vec![[0; 2]; script.steps.iter().map(Vec::len).sum()];
                for acts in of_ranks(script.ranks(), steps) {
                    all.add(&acts);
                }
            }
        }
        all
    }

    fn add(&mut self, acts: &Acts) {
        let vectors = acts.newest.len();
        let (mut sums, made) = (vec![None; vectors], vec![None; vectors]);
        for (_, act) in &acts.acts {
            match *act {
                Act::Add { of, into } => sums[into] = Some(of),
                Act::Send { vector, transfer, .. } => self.ends[transfer][0] = vector,
                Act::Receive { into, transfer, .. } => self.ends[transfer][1] = into,
            }
        }
        self.ranks.push(Rank { result: acts.result, sums, made });
    }

    /// By rank, the number of its vectors.
    pub fn numbers(&self) -> Vec<usize> {
        self.ranks.iter().map(|rank| rank.sums.len()).collect()
    }

    /// The signals of the step that ends have been heard.
    pub fn end_step(&mut self) {
        for (rank, made) in self.arrived.drain(..) {
            self.heard[rank].push(made);
        }
    }
}
