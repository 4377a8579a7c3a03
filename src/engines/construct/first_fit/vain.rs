//! Blocks of steps in which messages of the present length have been sought in vain: most of the steps of a long
//! schedule are too full for a long path. Where a schedule would take seconds, such a block is passed over, but for
//! one message in some; that costs a few steps.

/// Messages sought in vain after which a block is passed over.
const ENOUGH: u8 = 32;
/// Of so many messages, one looks everywhere.
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
    /// By block, the messages of this length that were sought in vain since the last that was not.
    misses: Vec<u8>,
}

impl Vain {
    /// Passes over blocks where all messages take so many looks at channels.
    pub fn hurry(&mut self, looks: usize) {
        self.is_hurried = looks >= MANY_LOOKS;
    }

    /// A message of so many hops is next.
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
