//! Random free places: placed transfers move to them between ejections, so that the free places
//! move around until a waiting transfer can use them.

use super::places::Crossing;
use super::wanted::Wanted;
use ccsched_base::bits;
use ccsched_base::rng::Rng;
use ccsched_model::problem::Switching;
use ccsched_model::routing::{Hop, WalkGraph};
use rand::RngExt;

/// Random steps tried where the board has no bits of the free steps of every resource.
const GUESSES: usize = 8;

/// Finds random free places; reused.
#[derive(Clone, Debug, Default)]
pub struct Wander {
    /// The steps in which the whole path so far is free.
    free: Vec<u64>,
    /// The place found, in the order of its hops.
    pub place: Vec<Crossing>,
}

impl Wander {
    /// Finds a random free place along a random path. Returns whether there is one.
    pub fn find(&mut self, wanted: &Wanted<'_>, rng: &mut Rng) -> bool {
        let found = match wanted.problem.switching() {
            Switching::Wormhole | Switching::Hosts => self.wormhole(wanted, rng),
            Switching::StoreAndForward => self.store_and_forward(wanted, rng),
        };
        wanted.cut_loops(&mut self.place);
        found
    }

    fn wormhole(&mut self, wanted: &Wanted<'_>, rng: &mut Rng) -> bool {
        let &Wanted { board, walks, .. } = wanted;
        let ports = [wanted.send_port(), wanted.receive_port()];
        self.place.clear();
        let mut slot = walks.slots() - 1;
        while slot > 0 {
            let hop = random_hop(walks, slot, rng);
            if let Some(free) = board.free(wanted.link(hop.channel))
                && !self.narrow(free)
            {
                return false;
            }
            self.place.push((hop.channel, 0));
            slot = hop.from as usize;
        }
        let step = if board.is_quotient() {
            let links = self.place.iter().map(|crossing| wanted.link(crossing.0));
            let all = links.chain(ports.into_iter().flatten());
            let mut guesses = (0..GUESSES).map(|_| rng.random_range(0..board.steps() as u32));
            guesses.find(|&step| all.clone().all(|r| board.is_free(r, step)))
        } else {
            let mut ports = ports.into_iter().flatten().filter_map(|port| board.free(port));
            let has_steps = ports.all(|free| self.narrow(free));
            let nth = has_steps.then(|| rng.random_range(0..bits::count(&self.free)));
            nth.and_then(|nth| bits::nth(&self.free, nth))
        };
        let Some(step) = step else { return false };
        self.place.iter_mut().for_each(|crossing| crossing.1 = step);
        self.place.reverse();
        true
    }

    /// Intersects the free steps with those of one more hop; before the first hop, all steps are
    /// free. Returns whether any is left.
    fn narrow(&mut self, free: &[u64]) -> bool {
        if self.place.is_empty() {
            self.free.clear();
            self.free.extend_from_slice(free);
        } else {
            self.free.iter_mut().zip(free).for_each(|(all, free)| *all &= free);
        }
        self.free.iter().any(|&word| word != 0)
    }

    /// A random path from a random step on; the message waits where the next hop is not free.
    fn store_and_forward(&mut self, wanted: &Wanted<'_>, rng: &mut Rng) -> bool {
        let &Wanted { board, walks, .. } = wanted;
        self.place.clear();
        let mut slot = walks.slots() - 1;
        while slot > 0 {
            let hop = random_hop(walks, slot, rng);
            self.place.push((hop.channel, 0));
            slot = hop.from as usize;
        }
        self.place.reverse();
        let Some(latest) = board.steps().checked_sub(self.place.len()) else { return false };
        let mut step = rng.random_range(0..=latest as u32);
        let end = board.steps() as u32;
        for crossing in &mut self.place {
            let (link, (send, receive)) =
                (wanted.link(crossing.0), wanted.ports_of_hop(crossing.0));
            let is_free = |&step: &u32| {
                let mut all = [Some(link), send, receive].into_iter().flatten();
                all.all(|resource| board.is_free(resource, step))
            };
            let Some(next) = (step..end).find(is_free) else { return false };
            crossing.1 = next;
            step = next + 1;
        }
        true
    }
}

fn random_hop(walks: WalkGraph<'_>, slot: usize, rng: &mut Rng) -> Hop {
    match walks.into_slot(slot) {
        [only] => *only,
        hops => hops[rng.random_range(0..hops.len())],
    }
}
