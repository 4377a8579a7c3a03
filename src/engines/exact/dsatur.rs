//! DSATUR: the greedy colouring of the conflict graph (liquid-schedules, annex; Brélaz 1979). The
//! next transfer is the one whose neighbours have the most colours; ties go to the most uncoloured
//! neighbours. It gets the lowest free colour.
//!
//! The neighbours of a transfer are listed link by link, so that no memory grows with the square of
//! the number of transfers; transfers without a colour are kept by the number of colours they have met.

use crate::ground::conflict_graph::Conflicts;

/// A vertex of the graph that has no colour yet.
#[derive(Clone, Default)]
struct Waiting {
    /// Colours of its neighbours, in bits, and their number.
    met: Vec<u64>,
    saturation: u32,
    /// Neighbours without a colour.
    degree: u32,
    done: bool,
}

impl Waiting {
    /// The lowest colour that no neighbour has.
    fn lowest(&self) -> u32 {
        let word = self.met.iter().position(|&word| word != u64::MAX);
        let ones = |word: usize| self.met[word].trailing_ones();
        word.map_or(64 * self.met.len() as u32, |word| 64 * word as u32 + ones(word))
    }

    /// Notes the colour of a neighbour. Returns whether it is new.
    fn meet(&mut self, colour: u32) -> bool {
        let (word, bit) = (colour as usize / 64, 1 << (colour % 64));
        if self.met.len() <= word {
            self.met.resize(word + 1, 0);
        }
        let is_new = self.met[word] & bit == 0;
        self.met[word] |= bit;
        self.saturation += u32::from(is_new);
        is_new
    }
}

/// The neighbours of a transfer, each once.
struct Neighbours<'c> {
    conflicts: &'c Conflicts,
    /// By transfer, the last one whose neighbours it was among, plus 1.
    seen: Vec<u32>,
}

impl Neighbours<'_> {
    fn each(&mut self, i: u32, mut act: impl FnMut(u32)) {
        let stamp = i + 1;
        self.seen[i as usize] = stamp;
        for &link in self.conflicts.links(i) {
            for &j in self.conflicts.over(link) {
                if std::mem::replace(&mut self.seen[j as usize], stamp) != stamp {
                    act(j);
                }
            }
        }
    }
}

/// The transfers without a colour, by saturation.
struct Shelves {
    shelves: Vec<Vec<u32>>,
    /// By transfer, its place on its shelf.
    place: Vec<u32>,
    highest: usize,
}

impl Shelves {
    fn remove(&mut self, i: u32, saturation: u32) {
        let shelf = &mut self.shelves[saturation as usize];
        shelf.swap_remove(self.place[i as usize] as usize);
        if let Some(&moved) = shelf.get(self.place[i as usize] as usize) {
            self.place[moved as usize] = self.place[i as usize];
        }
    }

    fn add(&mut self, i: u32, saturation: u32) {
        let saturation = saturation as usize;
        if self.shelves.len() <= saturation {
            self.shelves.resize(saturation + 1, Vec::new());
        }
        self.place[i as usize] = self.shelves[saturation].len() as u32;
        self.shelves[saturation].push(i);
        self.highest = self.highest.max(saturation);
    }

    /// The highest shelf with a transfer.
    fn top(&mut self) -> &[u32] {
        while self.highest > 0 && self.shelves[self.highest].is_empty() {
            self.highest -= 1;
        }
        &self.shelves[self.highest]
    }
}

/// The transfers of every colour.
pub fn colour(conflicts: &Conflicts) -> Vec<Vec<u32>> {
    let n = conflicts.transfers();
    let mut neighbours = Neighbours { conflicts, seen: vec![0; n] };
    let mut waiting = vec![Waiting::default(); n];
    for (i, waiting) in (0..).zip(&mut waiting) {
        neighbours.each(i, |_| waiting.degree += 1);
    }
    neighbours.seen.fill(0);
    let place = (0..n as u32).collect();
    let mut shelves = Shelves { shelves: vec![(0..n as u32).collect()], place, highest: 0 };
    let mut classes: Vec<Vec<u32>> = Vec::new();
    for _ in 0..n {
        // Ties go to the first transfer.
        let order = |&&i: &&u32| (waiting[i as usize].degree, std::cmp::Reverse(i));
        let Some(&i) = shelves.top().iter().max_by_key(order) else { break };
        let colour = waiting[i as usize].lowest();
        shelves.remove(i, waiting[i as usize].saturation);
        waiting[i as usize] = Waiting { done: true, ..Waiting::default() };
        classes.resize(classes.len().max(colour as usize + 1), Vec::new());
        classes[colour as usize].push(i);
        neighbours.each(i, |j| {
            let neighbour = &mut waiting[j as usize];
            if neighbour.done {
                return;
            }
            neighbour.degree -= 1;
            let before = neighbour.saturation;
            if neighbour.meet(colour) {
                shelves.remove(j, before);
                shelves.add(j, before + 1);
            }
        });
    }
    classes
}
