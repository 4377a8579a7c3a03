//! What joins in a replay: the vectors of an all-reduce of one part, each in a block of its own, and the
//! signals of a barrier, which have none.

use super::script::{Script, Transfer};
use ccsched_model::problem::Joining;
use ccsched_model::schedule::vectors::{Act, Acts, Sum, of_ranks};

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

/// The vectors of a rank, those of a piece after those of the piece before.
#[derive(Default)]
pub(super) struct Rank {
    /// By piece.
    pub results: Vec<usize>,
    /// By vector, its piece.
    pub pieces: Vec<usize>,
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
                all.ends = vec![[0; 2]; script.steps.iter().map(Vec::len).sum()];
                all.ranks.resize_with(script.ranks(), Rank::default);
                for piece in 0..script.pieces as usize {
                    all.add_piece(script, piece);
                }
            }
        }
        all
    }

    fn add_piece(&mut self, script: &Script, piece: usize) {
        let is_of = |t: &&Transfer| t.piece == piece;
        let numbers: Vec<usize> =
            script.steps.iter().flatten().filter(is_of).map(|t| t.message).collect();
        let sum = |t: &Transfer| Sum { from: t.from, to: t.to, of: t.of.clone() };
        let steps = script.steps.iter().map(|step| step.iter().filter(is_of).map(sum).collect());
        for (rank, acts) in of_ranks(script.ranks(), steps).into_iter().enumerate() {
            self.add(rank, piece, &acts, &numbers);
        }
    }

    /// Adds what a rank does with a piece, whose transfers have these numbers.
    fn add(&mut self, rank: usize, piece: usize, acts: &Acts, numbers: &[usize]) {
        let of = &mut self.ranks[rank];
        let (first, vectors) = (of.sums.len(), acts.newest.len());
        of.sums.resize(first + vectors, None);
        of.made.resize(first + vectors, None);
        of.pieces.resize(first + vectors, piece);
        of.results.push(first + acts.result);
        for (_, act) in &acts.acts {
            match *act {
                Act::Add { of: both, into } => {
                    of.sums[first + into] = Some(both.map(|v| first + v))
                }
                Act::Send { vector, transfer, .. } => {
                    self.ends[numbers[transfer]][0] = first + vector;
                }
                Act::Receive { into, transfer, .. } => {
                    self.ends[numbers[transfer]][1] = first + into;
                }
            }
        }
    }

    /// By rank, the pieces of its vectors.
    pub fn pieces(&self) -> Vec<Vec<usize>> {
        self.ranks.iter().map(|rank| rank.pieces.clone()).collect()
    }

    /// The signals of the step that ends have been heard.
    pub fn end_step(&mut self) {
        for (rank, made) in self.arrived.drain(..) {
            self.heard[rank].push(made);
        }
    }
}
