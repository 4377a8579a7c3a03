//! Scatters, exactly: for K = 1, 2, ... steps, every delivery takes one of its journeys, such that
//! no resource exceeds its capacity. Backtracking over the delivery with the fewest journeys left.

use super::model::{Model, Taken, has_room};
use super::{Exact, Undecided};

/// A way to deliver a message: the transfers in ascending steps, each with its path.
struct Journey {
    hops: Vec<(usize, Vec<usize>)>,
    /// The resources that it takes in those steps.
    masks: Vec<(usize, Taken)>,
}

/// The shortest schedule, as (step, source, destination, path).
pub fn solve(model: &Model, most_steps: usize, mut nodes: u64) -> Result<Exact, Undecided> {
    let pairs = &model.pairs;
    for steps in 1..=most_steps {
        let journeys: Vec<Vec<Journey>> =
            pairs.iter().map(|&(s, r)| journeys(model, s, r, steps)).collect();
        let mut search = Search {
            model,
            journeys: &journeys,
            used: vec![model.nothing(); steps],
            chosen: vec![None; pairs.len()],
            nodes: &mut nodes,
        };
        if search.place(0)? {
            let mut transfers = Vec::new();
            for ((&(s, r), list), chosen) in pairs.iter().zip(&journeys).zip(&search.chosen) {
                let journey = &list[chosen.expect("every delivery is placed")];
                transfers
                    .extend(journey.hops.iter().map(|(t, path)| (*t, s, Some(r), path.clone())));
            }
            return Ok(Exact { steps, transfers });
        }
    }
    Err(Undecided)
}

fn journeys(model: &Model, source: usize, destination: usize, steps: usize) -> Vec<Journey> {
    let mut all = Vec::new();
    for path in model.paths(source, destination) {
        let mut timed = Vec::new();
        times(&model.hops(&path), 0, steps, &mut Vec::new(), &mut timed);
        all.extend(timed.into_iter().map(|hops| Journey {
            masks: hops.iter().map(|(t, part)| (*t, model.mask(part))).collect(),
            hops,
        }));
    }
    all
}

/// All ways to traverse the parts of a path in order, with waits anywhere.
fn times(
    parts: &[Vec<usize>],
    from: usize,
    steps: usize,
    gone: &mut Vec<(usize, Vec<usize>)>,
    all: &mut Vec<Vec<(usize, Vec<usize>)>>,
) {
    let Some((part, rest)) = parts.split_first() else {
        all.push(gone.clone());
        return;
    };
    for t in from..steps.saturating_sub(rest.len()) {
        gone.push((t, part.clone()));
        times(rest, t + 1, steps, gone, all);
        gone.pop();
    }
}

struct Search<'a> {
    model: &'a Model,
    journeys: &'a [Vec<Journey>],
    /// The resources taken in each step.
    used: Vec<Taken>,
    chosen: Vec<Option<usize>>,
    nodes: &'a mut u64,
}

impl Search<'_> {
    /// Places the remaining deliveries; steps from `open` on are still empty.
    fn place(&mut self, open: usize) -> Result<bool, Undecided> {
        *self.nodes = self.nodes.checked_sub(1).ok_or(Undecided)?;
        let free = |search: &Self, j: &Journey| {
            // Wormhole steps are interchangeable: of the empty ones only the first is tried.
            let canonical = search.model.stored || search.model.hosts || j.masks[0].0 <= open;
            canonical && j.masks.iter().all(|&(t, mask)| has_room(search.used[t], mask))
        };
        let left = (0..self.chosen.len()).filter(|&d| self.chosen[d].is_none());
        let choices = |d: usize| -> Vec<usize> {
            let list = &self.journeys[d];
            (0..list.len()).filter(|&j| free(self, &list[j])).collect()
        };
        let tightest = left.map(|d| (d, choices(d))).min_by_key(|(_, list)| list.len());
        let Some((d, choices)) = tightest else { return Ok(true) };
        for j in choices {
            let masks = &self.journeys[d][j].masks;
            masks.iter().for_each(|&(t, mask)| self.used[t] += mask);
            self.chosen[d] = Some(j);
            if self.place(open.max(masks[0].0 + 1))? {
                return Ok(true);
            }
            self.chosen[d] = None;
            masks.iter().for_each(|&(t, mask)| self.used[t] -= mask);
        }
        Ok(false)
    }
}
