//! An all-reduce of one part in C: the vectors of a rank take turns in few blocks of memory. A vector
//! leaves its block when it is added for the last time, or after the step that sends it for the last
//! time.

use ccsched_model::schedule::vectors::{self, Acts};

/// What a rank does in a step: send, receive and add, receive in place, copy a block, join another block
/// to a block. The other operand is the first of a sum, but of `Append` the second.
#[derive(Clone, Copy)]
pub(super) enum Act {
    Send,
    Add,
    Append,
    Put,
    Copy,
    Join,
}

/// A step, the other rank (or the other block), what is done, and the block.
pub(super) type Operation = (usize, usize, Act, usize);

/// What one rank does.
pub(super) struct Turns {
    pub operations: Vec<Operation>,
    /// The number of blocks. The first has the own contribution at the beginning.
    pub blocks: usize,
    /// The block of the result.
    pub result: usize,
}

impl Turns {
    /// The operations of a rank.
    pub fn of(acts: &Acts) -> Self {
        // By vector, how often it is read from now on.
        let mut left = vec![0; acts.newest.len()];
        left[acts.result] += 1;
        for (_, act) in &acts.acts {
            match *act {
                vectors::Act::Add { of, .. } => of.iter().for_each(|&v| left[v] += 1),
                vectors::Act::Send { vector, .. } => left[vector] += 1,
                vectors::Act::Receive { .. } => (),
            }
        }
        let mut turns = Turns { operations: Vec::new(), blocks: 1, result: 0 };
        let (mut block_of, mut free) = (vec![0; left.len()], Vec::new());
        for of_step in acts.acts.chunk_by(|a, b| a.0 == b.0) {
            let mut freed = Vec::new();
            for &(step, act) in of_step {
                match act {
                    vectors::Act::Add { of: [a, b], into } => {
                        [a, b].iter().for_each(|&v| left[v] -= 1);
                        // All ranks that make this sum take its operands in one order.
                        let is_in_order = acts.first[a] < acts.first[b];
                        let [first, second] = if is_in_order { [a, b] } else { [b, a] };
                        let [from, mut block] = [first, second].map(|v| block_of[v]);
                        if left[second] > 0 {
                            let copied = block;
                            block = turns.take(&mut free);
                            turns.operations.push((step, copied, Act::Copy, block));
                        }
                        turns.operations.push((step, from, Act::Join, block));
                        if left[first] == 0 {
                            free.push(from);
                        }
                        block_of[into] = block;
                    }
                    vectors::Act::Send { to, vector, .. } => {
                        left[vector] -= 1;
                        turns.operations.push((step, to, Act::Send, block_of[vector]));
                        if left[vector] == 0 {
                            freed.push(block_of[vector]);
                        }
                    }
                    vectors::Act::Receive { from, into, .. } => {
                        let block = turns.take(&mut free);
                        turns.operations.push((step, from, Act::Put, block));
                        block_of[into] = block;
                        if left[into] == 0 {
                            freed.push(block);
                        }
                    }
                }
            }
            free.append(&mut freed);
        }
        turns.result = block_of[acts.result];
        turns
    }

    /// The operations of all pieces, whose blocks stand side by side; after the last step the pieces of the
    /// result are moved beside that of the first.
    pub fn of_pieces(pieces: Vec<Turns>, steps: usize) -> Turns {
        let number = pieces.len();
        let blocks = number * pieces.iter().map(|of| of.blocks).max().unwrap_or(1);
        let result = pieces.first().map_or(0, |of| of.result);
        let mut operations = Vec::new();
        for (piece, of) in pieces.into_iter().enumerate() {
            let block = |block: usize| block * number + piece;
            operations.extend(of.operations.into_iter().map(|(step, other, act, own)| match act {
                Act::Copy | Act::Join => (step, block(other), act, block(own)),
                Act::Send | Act::Add | Act::Append | Act::Put => (step, other, act, block(own)),
            }));
            if of.result != result {
                operations.push((steps, block(of.result), Act::Copy, block(result)));
            }
        }
        operations.sort_by_key(|operation| operation.0);
        Turns { operations, blocks, result: result * number }
    }

    /// A block that is free.
    fn take(&mut self, free: &mut Vec<usize>) -> usize {
        free.pop().unwrap_or_else(|| {
            self.blocks += 1;
            self.blocks - 1
        })
    }
}
