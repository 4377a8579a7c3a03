//! The time line of a resource: how many transfers hold it, as a step function of time.

/// Instants at which the number of holders changes; the last number is 0. Neighbouring numbers differ, so
/// that a resource without gaps has a short list.
#[derive(Clone, Debug)]
pub struct Line {
    /// Instants, the first 0, and the holders from each on.
    changes: Vec<(u64, u32)>,
}

impl Default for Line {
    fn default() -> Self {
        Line { changes: vec![(0, 0)] }
    }
}

impl Line {
    /// Frees the resource.
    pub fn clear(&mut self) {
        self.changes.clear();
        self.changes.push((0, 0));
    }

    /// The earliest instant from `from` on at which fewer than `capacity` transfers hold it for `bytes`.
    #[inline]
    pub fn earliest(&self, from: u64, bytes: u64, capacity: u32) -> u64 {
        let mut at = self.changes.partition_point(|change| change.0 <= from) - 1;
        let mut start = from;
        loop {
            // The last number is 0, so there is an end.
            while self.changes[at].1 >= capacity {
                at += 1;
                start = self.changes[at].0;
            }
            loop {
                match self.changes.get(at + 1) {
                    Some(&(next, holders)) if next < start + bytes => {
                        at += 1;
                        if holders >= capacity {
                            break;
                        }
                    }
                    _ => return start,
                }
            }
        }
    }

    /// One transfer more holds it from `start` to `end`.
    pub fn hold(&mut self, start: u64, end: u64) {
        if start == end {
            return;
        }
        let first = self.split(start);
        let last = self.split(end);
        self.changes[first..last].iter_mut().for_each(|change| change.1 += 1);
        self.join(last);
        self.join(first);
    }

    /// One transfer less holds it from `start` to `end`.
    pub fn release(&mut self, start: u64, end: u64) {
        if start == end {
            return;
        }
        let first = self.split(start);
        let last = self.split(end);
        self.changes[first..last].iter_mut().for_each(|change| change.1 -= 1);
        self.join(last);
        self.join(first);
    }

    /// The place of the change at this instant, which is made if there is none.
    fn split(&mut self, at: u64) -> usize {
        let place = self.changes.partition_point(|change| change.0 < at);
        if self.changes.get(place).is_none_or(|change| change.0 != at) {
            let holders = self.changes[place - 1].1;
            self.changes.insert(place, (at, holders));
        }
        place
    }

    /// Drops the change at this place if it changes nothing.
    fn join(&mut self, place: usize) {
        if place > 0 && self.changes[place].1 == self.changes[place - 1].1 {
            self.changes.remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use rand::RngExt as _;

    #[test]
    fn it_counts_as_an_array_does() {
        let mut rng = rng_of(1, 0, 0);
        for capacity in 1..4 {
            let (mut line, mut counts) = (Line::default(), [0u32; 200]);
            let mut held = Vec::new();
            for _ in 0..200 {
                let (from, bytes) = (rng.random_range(0..60), rng.random_range(1..9));
                let is_free =
                    |s: u64| counts[s as usize..(s + bytes) as usize].iter().all(|&c| c < capacity);
                let start = (from..).find(|&s| is_free(s)).unwrap();
                assert_eq!(line.earliest(from, bytes, capacity), start);
                if start + bytes < 100 {
                    line.hold(start, start + bytes);
                    counts[start as usize..(start + bytes) as usize]
                        .iter_mut()
                        .for_each(|c| *c += 1);
                    held.push((start, start + bytes));
                }
                if held.len() > 12 {
                    let (s, e) = held.swap_remove(rng.random_range(0..held.len()));
                    line.release(s, e);
                    counts[s as usize..e as usize].iter_mut().for_each(|c| *c -= 1);
                }
            }
            held.iter().for_each(|&(s, e)| line.release(s, e));
            assert_eq!(line.changes, [(0, 0)]);
        }
    }
}
