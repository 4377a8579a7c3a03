//! Repetitions in a text, for the compressor. Two tables give the last place with the same next twelve
//! bytes, and with the same next five. The repetition that saves more wins, the nearer of equals, unless
//! one that begins a byte later is clearly better. The window is the whole frame, because the lines of a
//! step repeat parts of those of earlier steps.

use ruzstd::encoding::{CompressionLevel, Matcher, Sequence};

/// Bytes of a block of a frame, the most that the format allows.
const BLOCK: usize = 1 << 17;
/// Bytes that the tables look at.
const LONG: usize = 12;
const SHORT: usize = 5;
/// Logarithms of the sizes of the tables.
const LONG_BITS: u32 = 18;
const SHORT_BITS: u32 = 17;
/// One in this many of the places inside a repetition is entered.
const ENTERED: usize = 2;
/// Bits that a byte of a repetition saves in the mean.
const BITS_SAVED: usize = 4;

/// The text of a frame so far, and where its parts stand.
pub struct Repeats {
    text: Vec<u8>,
    /// Where the last block begins.
    begin: usize,
    /// By hash, the last place with it, plus 1.
    long: Vec<u32>,
    short: Vec<u32>,
    frame: usize,
}

/// A repetition: bytes back to the text that it repeats, and its own bytes.
#[derive(Clone, Copy)]
struct Repeat {
    offset: usize,
    length: usize,
}

impl Repeat {
    /// The bits that it saves.
    fn gain(self) -> usize {
        (self.length * BITS_SAVED).saturating_sub(self.offset.ilog2() as usize)
    }
}

impl Repeats {
    /// For frames of at most `frame` bytes.
    pub fn new(frame: usize) -> Self {
        Repeats {
            text: Vec::with_capacity(frame),
            begin: 0,
            long: vec![0; 1 << LONG_BITS],
            short: vec![0; 1 << SHORT_BITS],
            frame,
        }
    }

    /// The eight bytes at a place.
    fn eight(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.text[at..at + 8].try_into().expect("eight bytes"))
    }

    /// Enters a place, [`LONG`] bytes or more before the end, and returns the last places whose next
    /// bytes have the same hash.
    fn enter(&mut self, at: usize) -> [u32; 2] {
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let next = self.eight(at);
        let longer = next.wrapping_mul(SPREAD) ^ self.eight(at + LONG - 8);
        let long = (longer.wrapping_mul(SPREAD) >> (u64::BITS - LONG_BITS)) as usize;
        let short = (next << (u64::BITS as usize - 8 * SHORT)).wrapping_mul(SPREAD);
        let short = (short >> (u64::BITS - SHORT_BITS)) as usize;
        let place = at as u32 + 1;
        [
            std::mem::replace(&mut self.long[long], place),
            std::mem::replace(&mut self.short[short], place),
        ]
    }

    /// The best repetition at a place, which it enters.
    fn find(&mut self, at: usize) -> Option<Repeat> {
        let places = self.enter(at).into_iter().filter_map(|place| place.checked_sub(1));
        let repeats = places.map(|place| Repeat {
            offset: at - place as usize,
            length: self.common(place as usize, at),
        });
        repeats.filter(|repeat| repeat.length >= SHORT).max_by_key(|repeat| repeat.gain())
    }

    /// The number of bytes from `before` on that are the same from `at` on.
    fn common(&self, before: usize, at: usize) -> usize {
        let most = self.text.len() - at;
        let mut same = 0;
        while same + 8 <= most {
            let differs = self.eight(before + same) ^ self.eight(at + same);
            if differs != 0 {
                return same + differs.trailing_zeros() as usize / 8;
            }
            same += 8;
        }
        while same < most && self.text[before + same] == self.text[at + same] {
            same += 1;
        }
        same
    }
}

impl Matcher for Repeats {
    fn get_next_space(&mut self) -> Vec<u8> {
        vec![0; BLOCK]
    }

    fn get_last_space(&mut self) -> &[u8] {
        &self.text[self.begin..]
    }

    fn commit_space(&mut self, block: Vec<u8>) {
        self.begin = self.text.len();
        self.text.extend_from_slice(&block);
    }

    /// Enters nothing: such a block is one byte, repeated.
    fn skip_matching(&mut self) {}

    fn start_matching(&mut self, mut handle_sequence: impl for<'a> FnMut(Sequence<'a>)) {
        let end = self.text.len();
        // Places before this one have LONG bytes left.
        let entered = (end + 1).saturating_sub(LONG);
        // Where the bytes begin that no repetition covers, and the place that is looked at.
        let (mut from, mut at) = (self.begin, self.begin);
        while at < entered {
            let Some(mut best) = self.find(at) else {
                at += 1;
                continue;
            };
            while at + 1 < entered
                && let Some(later) = self.find(at + 1)
                && later.gain() > best.gain() + BITS_SAVED
            {
                best = later;
                at += 1;
            }
            let Repeat { offset, mut length } = best;
            while at > from && at > offset && self.text[at - 1] == self.text[at - 1 - offset] {
                at -= 1;
                length += 1;
            }
            let literals = &self.text[from..at];
            handle_sequence(Sequence::Triple { literals, offset, match_len: length });
            from = at + length;
            for inside in (at + 1..from.min(entered)).step_by(ENTERED) {
                self.enter(inside);
            }
            at = from;
        }
        if from < end {
            handle_sequence(Sequence::Literals { literals: &self.text[from..] });
        }
    }

    fn reset(&mut self, _: CompressionLevel) {
        self.text.clear();
        self.begin = 0;
        self.long.fill(0);
        self.short.fill(0);
    }

    fn window_size(&self) -> u64 {
        self.frame as u64
    }
}
