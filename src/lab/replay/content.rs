//! The content of messages: the rank that wrote it, the message, the repetition, then the numbers of
//! a generator with these three as its seed. A message that is lost, misled, cut, or left from an
//! earlier repetition is noticed.

use ccsched_base::rng::Rng;
use rand::{Rng as _, SeedableRng};

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The rank that wrote it.
    pub source: usize,
    /// The message.
    pub message: usize,
    /// The repetition, counted over the whole run.
    pub lap: u64,
}

/// Bytes of a label at the begin of a block.
const HEAD: usize = 24;
/// Bytes that are compared at once, a multiple of 8.
const PIECE: usize = 1 << 16;

impl Label {
    fn head(&self) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        let numbers = [self.source as u64, self.message as u64, self.lap];
        for (place, number) in head.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        head
    }

    /// The generator of what follows the head. Odd factors keep labels that differ apart.
    fn generator(&self) -> Rng {
        let mixed = (self.source as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ (self.message as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
            ^ self.lap.wrapping_mul(0x1656_67b1_9e37_79f9);
        Rng::seed_from_u64(mixed)
    }

    /// Writes the content. A block shorter than the head holds its begin.
    pub fn fill(&self, block: &mut [u8]) {
        let (head, rest) = block.split_at_mut(block.len().min(HEAD));
        head.copy_from_slice(&self.head()[..head.len()]);
        self.generator().fill_bytes(rest);
    }

    /// Whether the block holds this content; else what is wrong.
    pub fn check(&self, block: &[u8]) -> Result<(), String> {
        let (head, rest) = block.split_at(block.len().min(HEAD));
        if *head != self.head()[..head.len()] {
            return Err(match head.len() {
                HEAD => format!("it holds {}", said(head)),
                _ => "it holds other bytes".into(),
            });
        }
        let mut generator = self.generator();
        let mut right = vec![0; PIECE.min(rest.len())];
        for (i, piece) in rest.chunks(PIECE).enumerate() {
            let right = &mut right[..piece.len()];
            generator.fill_bytes(right);
            if piece != right {
                let at = piece.iter().zip(&*right).position(|(a, b)| a != b).unwrap_or(0);
                return Err(format!("byte {} is wrong", HEAD + i * PIECE + at));
            }
        }
        Ok(())
    }
}

/// The label that a head holds.
fn said(head: &[u8]) -> String {
    let number = |i: usize| {
        let bytes = head[8 * i..8 * i + 8].try_into().unwrap_or_default();
        u64::from_le_bytes(bytes)
    };
    format!("message {} of rank {}, repetition {}", number(1), number(0), number(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABEL: Label = Label { source: 3, message: 17, lap: 2 };

    #[test]
    fn content_of_any_length_is_recognised() {
        for length in [0, 1, 23, 24, 25, 1000, PIECE + HEAD, 3 * PIECE + 5] {
            let mut block = vec![0xaa; length];
            LABEL.fill(&mut block);
            assert_eq!(LABEL.check(&block), Ok(()), "{length}");
        }
    }

    #[test]
    fn every_change_is_noticed() {
        let mut block = vec![0; 2 * PIECE];
        LABEL.fill(&mut block);
        for at in [0, 9, 23, 24, PIECE + 23, PIECE + 24, 2 * PIECE - 1] {
            block[at] ^= 0x10;
            let why = LABEL.check(&block).unwrap_err();
            assert!(at < HEAD || why == format!("byte {at} is wrong"), "{why}");
            block[at] ^= 0x10;
        }
        for other in [
            Label { source: 4, ..LABEL },
            Label { message: 16, ..LABEL },
            Label { lap: 1, ..LABEL },
        ] {
            let why = other.check(&block).unwrap_err();
            assert_eq!(why, "it holds message 17 of rank 3, repetition 2");
        }
        assert_eq!(LABEL.check(&[9]), Err("it holds other bytes".into()));
    }
}
