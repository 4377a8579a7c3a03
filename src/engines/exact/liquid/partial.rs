//! The state of the search: the closed frames, the remaining traffic, and the sets of the open
//! frame. Every change can be undone.

use crate::exact::conflict_graph::Conflicts;
use ccsched_base::bits;
use ccsched_model::problem::ResourceId;

/// The closed frames and the open frame.
pub struct PartialSchedule<'c> {
    /// The traffic.
    pub conflicts: &'c Conflicts,
    /// Steps left, including that of the open frame.
    pub left: u32,
    /// Transfers in no closed frame.
    pub remaining: Vec<u64>,
    /// Of these, transfers that the open frame can still include.
    pub open: Vec<u64>,
    /// Excluded transfers that congest with none of the frame's transfers yet: it is not full.
    pub unmet: Vec<u64>,
    /// The bottlenecks of the remaining traffic.
    pub bottlenecks: Vec<ResourceId>,
    /// All frames; the last is open.
    frames: Vec<Vec<u32>>,
    load: Vec<u32>,
    used: Vec<bool>,
}

impl<'c> PartialSchedule<'c> {
    /// The empty state with a number of steps.
    pub fn new(conflicts: &'c Conflicts, steps: u32) -> Self {
        let most = conflicts.users().keys().max().map_or(0, |&r| r as usize + 1);
        let mut load = vec![0; most];
        for (&r, users) in conflicts.users() {
            load[r as usize] = users.iter().map(|word| word.count_ones()).sum();
        }
        let mut remaining = vec![0; conflicts.words()];
        (0..conflicts.transfers() as u32).for_each(|i| bits::insert(&mut remaining, i));
        let mut partial = PartialSchedule {
            left: steps,
            open: remaining.clone(),
            unmet: vec![0; conflicts.words()],
            remaining,
            bottlenecks: Vec::new(),
            frames: vec![Vec::new()],
            used: vec![false; most],
            load,
            conflicts,
        };
        partial.find_bottlenecks();
        partial
    }

    /// The open frame.
    pub fn frame(&self) -> &[u32] {
        &self.frames[self.frames.len() - 1]
    }

    /// Whether the open frame uses a link.
    pub fn is_used(&self, r: ResourceId) -> bool {
        self.used[r as usize]
    }

    /// How near a link is to being a bottleneck: 1 for a bottleneck.
    pub fn urgency(&self, r: ResourceId) -> f64 {
        let slack = f64::from(self.left.saturating_sub(self.load[r as usize]));
        1.0 / ((1.0 + slack) * (1.0 + slack))
    }

    /// Whether some link has more remaining transfers than steps are left.
    pub fn is_overloaded(&self) -> bool {
        self.load.iter().any(|&load| load > self.left)
    }

    /// The largest load.
    pub fn duration(&self) -> u32 {
        self.load.iter().copied().max().unwrap_or(0)
    }

    /// Puts a transfer into the frame.
    pub fn include(&mut self, i: u32) {
        let conflicts = self.conflicts;
        bits::remove(&mut self.open, i);
        bits::subtract(&mut self.open, conflicts.of(i));
        bits::subtract(&mut self.unmet, conflicts.of(i));
        let last = self.frames.len() - 1;
        self.frames[last].push(i);
        conflicts.links(i).iter().for_each(|&r| self.used[r as usize] = true);
    }

    /// Removes the last transfer from the frame; the caller restores `open` and `unmet`.
    pub fn take_back(&mut self) {
        let last = self.frames.len() - 1;
        if let Some(i) = self.frames[last].pop() {
            self.conflicts.links(i).iter().for_each(|&r| self.used[r as usize] = false);
        }
    }

    /// Excludes a transfer from the frame, together with all others over the same links: they are
    /// interchangeable.
    pub fn exclude(&mut self, i: u32) {
        let conflicts = self.conflicts;
        let links = conflicts.links(i);
        bits::remove(&mut self.open, i);
        bits::insert(&mut self.unmet, i);
        let alike: Vec<u32> = bits::both(conflicts.of(i), &self.open)
            .filter(|&j| conflicts.links(j) == links)
            .collect();
        for j in alike {
            bits::remove(&mut self.open, j);
            bits::insert(&mut self.unmet, j);
        }
    }

    /// Whether every excluded transfer can still congest with one of the frame.
    pub fn can_be_full(&self) -> bool {
        bits::all(&self.unmet).all(|i| bits::meet(self.conflicts.of(i), &self.open))
    }

    /// Closes the frame and begins the next.
    pub fn close(&mut self) {
        let frame = std::mem::take(self.frames.last_mut().expect("there is a frame"));
        for &i in &frame {
            bits::remove(&mut self.remaining, i);
            for &r in self.conflicts.links(i) {
                self.load[r as usize] -= 1;
                self.used[r as usize] = false;
            }
        }
        let last = self.frames.len() - 1;
        self.frames[last] = frame;
        self.frames.push(Vec::new());
        self.left -= 1;
        self.open.copy_from_slice(&self.remaining);
        self.unmet.fill(0);
        self.find_bottlenecks();
    }

    /// Reopens the frame before; the caller restores `open` and `unmet`.
    pub fn reopen(&mut self) {
        self.frames.pop();
        self.left += 1;
        let last = self.frames.len() - 1;
        for &i in &self.frames[last] {
            bits::insert(&mut self.remaining, i);
            for &r in self.conflicts.links(i) {
                self.load[r as usize] += 1;
                self.used[r as usize] = true;
            }
        }
        self.find_bottlenecks();
    }

    /// All frames, if nothing remains.
    pub fn solution(&self) -> Option<Vec<Vec<u32>>> {
        bits::is_empty(&self.remaining).then(|| self.frames.clone())
    }

    fn find_bottlenecks(&mut self) {
        self.bottlenecks.clear();
        let bottlenecks = (0..).zip(&self.load).filter(|&(_, &load)| load > 0 && load == self.left);
        self.bottlenecks.extend(bottlenecks.map(|(r, _)| r));
    }
}
