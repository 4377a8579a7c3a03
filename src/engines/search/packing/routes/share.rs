//! Routes of a share of the messages: what an island of a team plans, beside the loads of the others.

use super::Routes;
use crate::search::packing::ground::Ground;
use ccsched_base::rng::Rng;
use ccsched_network::ChannelId;
use rand::RngExt;
use serde::{Deserialize, Serialize};

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
