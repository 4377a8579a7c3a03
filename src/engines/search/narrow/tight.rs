//! Which resources are the bottlenecks, from planned routes of all messages, and what it costs to take
//! a transfer off them.

use super::super::packing::ground::Ground;
use super::super::packing::routes::{Finder, Routes, Share};
use crate::network::ChannelId;
use crate::rng::Rng;

/// Times that all routes are planned.
const ROUNDS: u32 = 4;
/// Price of a resource from which on it is a bottleneck: it has at most some 1% less to do than
/// the busiest one.
const PRICE: f32 = 0.5;
/// What a transfer costs that is on no bottleneck, for each of its channels.
const FREE: f32 = 0.02;

/// The bottlenecks.
#[derive(Clone, Debug)]
pub struct Tight {
    /// By resource.
    pub is_tight: Vec<bool>,
    /// By channel, the price of its link.
    price: Vec<f32>,
    routes: Routes,
}

impl Tight {
    /// Plans the routes of all messages.
    pub fn new(ground: &Ground, rng: &mut Rng) -> Self {
        let mut routes = Routes::new(ground, Share::default());
        let (mut planning, mut finder) = ((ROUNDS, 0), Finder::default());
        while planning.0 > 0 {
            routes.plan_some(ground, &mut planning, u32::MAX, &mut finder, rng);
        }
        let prices = routes.prices();
        let channels = 0..ground.problem.network().channels().len() as ChannelId;
        let price = channels.map(|c| prices[ground.link(c) as usize]).collect();
        Tight { is_tight: prices.iter().map(|&price| price >= PRICE).collect(), price, routes }
    }

    /// The share of the capacity of all links that is nearly as busy as the busiest resource,
    /// within 4 % and one step, since loads are whole numbers.
    pub fn share(&self, ground: &Ground) -> f64 {
        let resources = ground.problem.resources();
        let near = 0.96 * self.steps(ground) - 1.0;
        let links =
            (0..resources.links() as u32).filter(|&r| self.routes.relative(ground, r) >= near);
        let busy: u64 = links.map(|r| u64::from(resources.capacity(r))).sum();
        busy as f64 / resources.capacity_of_links().max(1) as f64
    }

    /// Steps of the busiest resource of the plan.
    pub fn steps(&self, ground: &Ground) -> f32 {
        self.routes.largest(ground)
    }

    /// What a transfer along a path costs.
    #[inline]
    pub fn cost(&self, path: &[ChannelId]) -> f32 {
        path.iter().map(|&c| FREE + self.price[c as usize]).sum()
    }

    /// What a message along its planned route costs.
    pub fn planned(&self, ground: &Ground, message: (u32, u32)) -> f32 {
        self.cost(self.routes.route(ground, message))
    }
}
