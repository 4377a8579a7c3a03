//! A planned route for every message, balanced so that the most loaded resource has little to
//! carry: the congestion program, solved approximately in integers. Messages choose their route
//! repeatedly, at prices that grow exponentially with the load. The plan is not the schedule: it
//! shows the bottleneck of the remaining messages.

use super::ground::Ground;
use ccsched_base::rng::Rng;
use ccsched_model::problem::ResourceId;
use ccsched_network::{ChannelId, Cheapest, VertexId};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// How sharply the price of a resource grows with its load: relative to the largest load at first,
/// then more so from round to round, up to this for each step of load. The sharper, the lower the
/// largest load; but prices that are sharp at once lead into a bad plan.
const SHARPNESS: f32 = 60.0;
const GROWTH: f32 = 1.1;
const SHARPEST: f32 = 0.3;

/// The search for the route of a message.
pub type Finder = Cheapest<f32>;

/// The planned routes of the messages left, and the loads.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Routes {
    share: Share,
    /// The channels of all routes; a demand has as many as its pair's distance.
    channels: Vec<ChannelId>,
    /// By pair, where the routes of its messages begin.
    firsts: Vec<u64>,
    /// By pair, the messages left; their routes are the first ones of the pair.
    left: Vec<u32>,
    /// By resource: the messages left that need it.
    load: Vec<u32>,
    /// By resource: the messages of other shares that need it; empty if they are not known.
    others: Vec<u32>,
    /// By resource: the price at its load.
    price: Vec<f32>,
    /// The load, relative to capacity, at which the price is 1.
    level: f32,
    /// What [`Routes::sharpness`] is; none if it follows the level.
    sharpness: Option<f32>,
}

impl Routes {
    /// No routes yet; every pair of the share must be planned.
    pub fn new(ground: &Ground, share: Share) -> Self {
        let mut firsts = Vec::with_capacity(ground.pairs.len());
        let mut end = 0;
        let resources = ground.problem.resources();
        let mut load = vec![0; resources.capacities().len()];
        let mut left = ground.messages();
        for (p, pair) in (0..).zip(&ground.pairs) {
            firsts.push(end);
            if share.has(p) {
                end += u64::from(pair.messages) * ground.distance(p) as u64;
                let ports = ground.ports(p).into_iter().flatten();
                ports.for_each(|r| load[r as usize] += pair.messages);
            } else {
                left[p as usize] = 0;
            }
        }
        let links = ground.problem.resources().capacity_of_links().max(1);
        let level = end as f32 / links as f32;
        let channels = vec![ChannelId::MAX; end as usize];
        let price = vec![0.0; load.len()];
        let (others, sharpness) = (Vec::new(), None);
        let mut routes =
            Routes { share, channels, firsts, left, load, others, price, level, sharpness };
        routes.reprice(ground);
        routes
    }

    /// Whether these are routes of the same pairs and resources.
    pub fn is_like(&self, other: &Routes) -> bool {
        let sizes = |r: &Routes| [r.channels.len(), r.firsts.len(), r.load.len(), r.price.len()];
        let others = self.others.is_empty() || self.others.len() == self.load.len();
        others && sizes(self) == sizes(other)
    }

    /// The largest load relative to capacity.
    pub fn largest(&self, ground: &Ground) -> f32 {
        let loads = (0..).zip(&self.load).map(|(r, _)| self.relative(ground, r));
        loads.fold(0.0, f32::max)
    }

    /// By resource, its price.
    pub fn prices(&self) -> &[f32] {
        &self.price
    }

    /// Sets the level of prices to the largest load.
    pub fn set_level(&mut self, ground: &Ground) {
        self.level = self.largest(ground).max(1.0);
        self.reprice(ground);
    }

    /// Makes prices sharper, if that makes them less smooth than they may be at most.
    pub fn sharpen(&mut self, ground: &Ground) {
        self.sharpness = Some((GROWTH * self.sharpness()).min(SHARPEST));
        self.reprice(ground);
    }

    /// The factor to which the price grows with one more step of load, as a logarithm.
    fn sharpness(&self) -> f32 {
        self.sharpness.unwrap_or(SHARPNESS / (self.share.of as f32 * self.level))
    }

    fn reprice(&mut self, ground: &Ground) {
        (0..self.load.len() as ResourceId).for_each(|r| self.price_one(ground, r));
    }

    /// The load of a resource relative to its capacity, with that of other shares.
    pub fn relative(&self, ground: &Ground, r: ResourceId) -> f32 {
        let others = self.others.get(r as usize).copied().unwrap_or(0);
        (self.load[r as usize] + others) as f32 / ground.problem.resources().capacity(r) as f32
    }

    fn price_one(&mut self, ground: &Ground, r: ResourceId) {
        let above = self.relative(ground, r) - self.level;
        self.price[r as usize] = libm::expf((self.sharpness() * above).min(SHARPNESS));
    }

    fn range(&self, ground: &Ground, pair: u32, copy: u32) -> std::ops::Range<usize> {
        let length = ground.distance(pair);
        let first = self.firsts[pair as usize] as usize + copy as usize * length;
        first..first + length
    }

    /// The planned route of a message of a pair.
    #[inline]
    pub fn route(&self, ground: &Ground, (pair, copy): (u32, u32)) -> &[ChannelId] {
        &self.channels[self.range(ground, pair, copy)]
    }

    /// Plans the route of a message of a pair anew: its fixed route, or the cheapest shortest path.
    pub fn plan(
        &mut self,
        ground: &Ground,
        (pair, copy): (u32, u32),
        finder: &mut Finder,
        rng: &mut Rng,
    ) {
        let range = self.range(ground, pair, copy);
        self.charge(ground, range.clone(), false);
        if let Some(route) = ground.fixed(pair) {
            self.channels[range.clone()].copy_from_slice(route);
        } else {
            let ends = ground.pairs[pair as usize];
            let (to, price) = (ground.to(ends.destination), &self.price);
            let nearer = |u: VertexId| {
                let nearer = to[u as usize].checked_sub(1);
                let ways = ground.ways(u).iter();
                let ways = ways.filter(move |way| Some(to[way.to as usize]) == nearer);
                ways.map(|way| (way.channel, way.to, price[way.link as usize]))
            };
            finder.search((ends.source, ground.vertices()), nearer, |_| rng.random());
            let channels = self.channels[range.clone()].iter_mut().rev();
            channels.zip(finder.back(ends.destination)).for_each(|(channel, c)| *channel = c);
        }
        self.charge(ground, range, true);
    }

    /// Plans all messages of the next pairs anew, about `most`; `planning` is the rounds over all
    /// pairs that are left, and the next pair. After a round, prices have the level of its largest
    /// load; a round that changes nothing in it halves those left. Returns the number of messages.
    pub fn plan_some(
        &mut self,
        ground: &Ground,
        planning: &mut (u32, u32),
        most: u32,
        finder: &mut Finder,
        rng: &mut Rng,
    ) -> u64 {
        let mut planned = 0;
        while planned < most && (planning.1 as usize) < ground.pairs.len() {
            for copy in 0..self.left[planning.1 as usize] {
                self.plan(ground, (planning.1, copy), finder, rng);
                planned += 1;
            }
            planning.1 += 1;
        }
        if planning.1 as usize == ground.pairs.len() {
            let before = self.level;
            self.set_level(ground);
            let left = if self.level == before { planning.0 / 2 } else { planning.0 - 1 };
            *planning = (left, 0);
        }
        u64::from(planned)
    }

    /// Takes a message of a pair out of the plan.
    pub fn remove(&mut self, ground: &Ground, pair: u32) {
        self.left[pair as usize] -= 1;
        self.count(ground, (pair, self.left[pair as usize]), false);
    }

    /// Puts all messages back into the plan.
    pub fn restore(&mut self, ground: &Ground) {
        let share = self.share;
        for (p, pair) in (0..).zip(&ground.pairs).filter(|&(p, _)| share.has(p)) {
            for copy in self.left[p as usize]..pair.messages {
                self.count(ground, (p, copy), true);
            }
            self.left[p as usize] = pair.messages;
        }
    }

    fn count(&mut self, ground: &Ground, (pair, copy): (u32, u32), adds: bool) {
        for port in ground.ports(pair).into_iter().flatten() {
            self.add(ground, port, adds);
        }
        self.charge(ground, self.range(ground, pair, copy), adds);
    }

    fn charge(&mut self, ground: &Ground, range: std::ops::Range<usize>, adds: bool) {
        if self.channels.get(range.start).is_none_or(|&c| c == ChannelId::MAX) {
            // Not planned yet.
            return;
        }
        for place in range {
            self.add(ground, ground.link(self.channels[place]), adds);
        }
    }

    fn add(&mut self, ground: &Ground, r: ResourceId, adds: bool) {
        let load = &mut self.load[r as usize];
        *load = if adds { *load + 1 } else { *load - 1 };
        self.price_one(ground, r);
    }
}

// Routes of a share of the messages: what an island of a team plans, beside the loads of the others.

/// The messages whose routes one island plans: of all pairs whose numbers have this remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    pub index: u32,
    pub of: u32,
}

impl Default for Share {
    /// All messages.
    fn default() -> Self {
        Share { index: 0, of: 1 }
    }
}

impl Share {
    /// Whether a pair is of this share.
    #[inline]
    pub fn has(self, pair: u32) -> bool {
        self.of == 1 || pair % self.of == self.index
    }
}

impl Routes {
    /// The routes of a share of these routes of all messages, of which `left` are left by pair.
    pub fn of_share(&self, ground: &Ground, share: Share, left: &[u32]) -> Self {
        let mut routes =
            Routes { level: self.level, sharpness: self.sharpness, ..Self::new(ground, share) };
        for p in (0..ground.pairs.len() as u32).filter(|&p| share.has(p)) {
            for copy in 0..ground.pairs[p as usize].messages {
                let range = routes.range(ground, p, copy);
                routes.channels[range.clone()].copy_from_slice(self.route(ground, (p, copy)));
                routes.charge(ground, range, true);
            }
            (left[p as usize]..ground.pairs[p as usize].messages)
                .for_each(|_| routes.remove(ground, p));
        }
        routes.reprice(ground);
        routes
    }

    /// By resource, the load of a share, which is this one or part of it; `left` are its messages left by
    /// pair.
    pub fn loads(&self, ground: &Ground, share: Share, left: &[u32]) -> Vec<u32> {
        if self.share == share {
            return self.load.clone();
        }
        let mut load = vec![0; self.load.len()];
        for p in (0..ground.pairs.len() as u32).filter(|&p| share.has(p)) {
            let left = left[p as usize];
            ground.ports(p).into_iter().flatten().for_each(|r| load[r as usize] += left);
            for copy in 0..left {
                let route = self.route(ground, (p, copy)).iter();
                let planned = route.filter(|&&c| c != ChannelId::MAX);
                planned.for_each(|&c| load[ground.link(c) as usize] += 1);
            }
        }
        load
    }

    /// Takes notice of the loads of the other shares together.
    pub fn set_others(&mut self, ground: &Ground, others: Vec<u32>) {
        self.others = others;
        self.set_level(ground);
    }

    /// Plans this share as if there were no other: together, shares with even loads have even loads.
    pub fn forget_others(&mut self, ground: &Ground) {
        self.others.clear();
        self.set_level(ground);
    }

    /// The share whose routes these are.
    pub fn share(&self) -> Share {
        self.share
    }

    /// Whether a pair is of the share that is planned here.
    pub fn has(&self, pair: u32) -> bool {
        self.share.has(pair)
    }

    /// A random pair of the share.
    pub fn random_pair(&self, ground: &Ground, rng: &mut Rng) -> Option<u32> {
        let Share { index, of } = self.share;
        let pairs = (ground.pairs.len() as u32).saturating_sub(index).div_ceil(of);
        (pairs > 0).then(|| index + of * rng.random_range(0..pairs))
    }
}
