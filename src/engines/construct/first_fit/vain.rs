//! Skips blocks of steps that recently had no free step for paths of this length: most steps of a
//! long schedule are too full for a long path. Used where a schedule would take seconds; a sample
//! of the messages still tries every block. The loss is a few steps.

/// Failures in a row after which a block is skipped.
const ENOUGH: u8 = 32;
/// One message in this number tries every block.
const PROBED: u32 = 16;
/// Looks at channels for all messages (between.rs), from which on blocks are passed over.
const MANY_LOOKS: usize = 200_000_000;

/// The blocks.
#[derive(Clone, Debug, Default)]
pub struct Vain {
    /// Whether blocks are passed over.
    is_hurried: bool,
    /// Hops of the present messages.
    length: usize,
    /// Messages so far.
    messages: u32,
    /// By block, the failures of messages of this length since the last success.
    misses: Vec<u8>,
}

impl Vain {
    /// Skips blocks where all messages together take many looks at channels.
    pub fn hurry(&mut self, looks: usize) {
        self.is_hurried = looks >= MANY_LOOKS;
    }

    /// Announces a message of `length` hops.
    pub fn next(&mut self, length: usize) {
        self.messages += 1;
        if self.length != length {
            self.length = length;
            self.misses.clear();
        }
    }

    /// Whether the message passes over a block.
    pub fn passes(&self, block: usize) -> bool {
        self.is_hurried
            && self.misses.get(block).is_some_and(|&misses| misses >= ENOUGH)
            && !self.messages.is_multiple_of(PROBED)
    }

    /// Whether a step was found for the message in a block.
    pub fn tell(&mut self, block: usize, is_found: bool) {
        if block >= self.misses.len() {
            self.misses.resize(block + 1, 0);
        }
        let misses = &mut self.misses[block];
        *misses = if is_found { 0 } else { misses.saturating_add(1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_passed_over_until_a_message_finds_a_step_there() {
        let mut vain = Vain::default();
        let miss = |vain: &mut Vain, length| {
            vain.next(length);
            vain.tell(3, false);
        };
        (0..100).for_each(|_| miss(&mut vain, 5));
        assert!(!vain.passes(3), "few looks: nothing is passed over");
        vain.hurry(MANY_LOOKS);
        assert!(vain.passes(3) && !vain.passes(2) && !vain.passes(9));
        let probes = (0..10 * PROBED).filter(|_| {
            vain.next(5);
            !vain.passes(3)
        });
        assert_eq!(probes.count(), 10);
        vain.tell(3, true);
        assert!(!vain.passes(3));
        (0..100).for_each(|_| miss(&mut vain, 5));
        vain.next(4);
        assert!(!vain.passes(3), "shorter paths are sought everywhere again");
    }
}
