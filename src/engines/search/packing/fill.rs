//! Filling a step: first the best transfers from every source in turn, then repair. A repair
//! removes a few transfers around an idle resource and grows others in their place; it is kept if
//! the step is worth no less.

use super::ground::Ground;
use super::step::Step;
use super::values::Values;
use ccsched_base::rng::Rng;
use ccsched_network::VertexId;
use rand::RngExt;
use rand::seq::SliceRandom;

/// Most transfers that a repair removes.
const MOST_REMOVED: u32 = 3;
/// Idle resources drawn for a repair, of which it takes the most expensive.
const DRAWS: usize = 2;
/// Variation of the values in a repair, so that it tries others.
const NOISE: f32 = 0.3;
/// Tolerance for sums of values.
const SLACK: f32 = 1e-5;
/// Repairs go on while a batch of them takes more than this share off the value that is idle, and more
/// than this share of all.
const GAIN: (f32, f32) = (0.02, 1e-5);

/// Memory of the filling; reused.
#[derive(Clone, Debug, Default)]
pub struct Filler {
    sources: Vec<VertexId>,
    removed: Vec<u32>,
    grown: Vec<u32>,
    starts: Vec<VertexId>,
}

impl Filler {
    /// Fills an empty step. Returns the number of transfers tried.
    pub fn begin(
        &mut self,
        ground: &Ground,
        step: &mut Step,
        left: &mut [u32],
        values: &Values,
        rng: &mut Rng,
    ) -> u64 {
        self.sources.clear();
        let vertices = 0..ground.vertices() as VertexId;
        self.sources.extend(vertices.filter(|&v| ground.is_source(v)));
        self.sources.shuffle(rng);
        let mut tried = 0;
        // A source from which nothing grows stays so: channels only get busy.
        while !self.sources.is_empty() {
            self.sources.retain(|&v| {
                tried += 1;
                step.grow(ground, (v, 0.0), left, values, rng).is_some()
            });
        }
        tried
    }

    /// Repairs in batches of this size while they gain something, at most `most`. Returns their
    /// number.
    pub fn repair_all(
        &mut self,
        ground: &Ground,
        step: &mut Step,
        left: &mut [u32],
        (values, batch, most): (&Values, u64, u64),
        rng: &mut Rng,
    ) -> u64 {
        let idle = |step: &Step| step.idle().iter().map(|&r| values.price(r)).sum::<f32>();
        let least = GAIN.1 * values.total();
        let (mut before, mut made) = (idle(step), 0);
        while made < most {
            (0..batch).for_each(|_| self.repair(ground, step, left, values, rng));
            made += batch;
            let now = idle(step);
            if before - now <= GAIN.0 * before + least {
                break;
            }
            before = now;
        }
        made
    }

    /// One repair around a random idle resource.
    fn repair(
        &mut self,
        ground: &Ground,
        step: &mut Step,
        left: &mut [u32],
        values: &Values,
        rng: &mut Rng,
    ) {
        let idle = step.idle();
        if idle.is_empty() {
            return;
        }
        // Mostly where room is wanted.
        let draws = (0..DRAWS).map(|_| idle[rng.random_range(0..idle.len())]);
        let most_priced = |a: u32, b: u32| if values.price(b) > values.price(a) { b } else { a };
        let Some(resource) = draws.reduce(most_priced) else { return };
        let old = self.remove(ground, step, left, resource, rng);
        if self.removed.is_empty() {
            return;
        }
        let mut new = 0.0;
        self.grown.clear();
        self.starts.shuffle(rng);
        while !self.starts.is_empty() {
            self.starts.retain(|&v| {
                let slot = step.grow(ground, (v, NOISE), left, values, rng);
                self.grown.extend(slot);
                new += slot.map_or(0.0, |slot| step.slot(slot).value);
                slot.is_some()
            });
        }
        if new + SLACK >= old {
            self.removed.iter().for_each(|&slot| step.discard(slot));
            return;
        }
        for &slot in &self.grown {
            left[step.slot(slot).pair as usize] += 1;
            step.release(ground, slot);
            step.discard(slot);
        }
        for &slot in &self.removed {
            left[step.slot(slot).pair as usize] -= 1;
            step.occupy(ground, slot);
        }
    }

    /// Removes some transfers at the ends of a resource; `starts` are the vertices from which
    /// others may grow. Returns the value removed.
    fn remove(
        &mut self,
        ground: &Ground,
        step: &mut Step,
        left: &mut [u32],
        resource: u32,
        rng: &mut Rng,
    ) -> f32 {
        let network = ground.problem.network();
        let ends = ground.ends(resource);
        self.removed.clear();
        self.starts.clear();
        self.starts.push(ends[0]);
        let mut value = 0.0;
        for _ in 0..rng.random_range(1..=MOST_REMOVED) {
            let v = ends[usize::from(rng.random::<bool>())];
            let near = if rng.random() { network.outgoing(v) } else { network.incoming(v) };
            if near.is_empty() {
                continue;
            }
            let link = ground.link(near[rng.random_range(0..near.len())]);
            let Some(slot) = step.owner(link, rng).filter(|s| !self.removed.contains(s)) else {
                continue;
            };
            let pair = step.slot(slot).pair;
            value += step.slot(slot).value;
            left[pair as usize] += 1;
            step.release(ground, slot);
            self.removed.push(slot);
            let ends = ground.pairs[pair as usize];
            self.starts.extend([ends.source, ends.destination]);
        }
        value
    }
}
