//! The walks of the transfers of a search, kept in memory if they fit in a limit.

use ccsched_model::problem::Problem;
use ccsched_model::routing::{Hop, WalkFinder, WalkGraph};
use ccsched_model::symmetry::Images;
use ccsched_network::metrics::distances_to;
use ccsched_network::{ChannelId, VertexId};
use std::sync::Arc;

/// The hops of all transfers are kept if they are at most this many; else they are found anew
/// whenever they are needed.
const MOST_KEPT: usize = 6_000_000;

/// Finds the walks of all transfers.
#[derive(Debug)]
pub struct Hops {
    problem: Arc<Problem>,
    slack: u32,
    /// By vertex: its row in `distances`, if it is a destination.
    rows: Vec<Option<usize>>,
    /// Distances to the destinations, by row and vertex.
    distances: Vec<u32>,
    /// By demand, the only walk that its transfers may take; empty if they may take all.
    planned: Vec<Vec<ChannelId>>,
}

/// The walks of some transfers, one after the other.
#[derive(Debug, Default)]
pub struct Kept {
    /// First end of each transfer in `ends`, and first hop in `hops`.
    firsts: Vec<(usize, usize)>,
    ends: Vec<u32>,
    hops: Vec<Hop>,
}

impl Kept {
    fn of(&self, transfer: u32) -> WalkGraph<'_> {
        let t = transfer as usize;
        let (first, last) = (self.firsts[t], self.firsts[t + 1]);
        WalkGraph::of_parts(&self.ends[first.0..last.0], &self.hops[first.1..last.1])
    }
}

impl Hops {
    /// The walks of all demands, at most `slack` channels longer than a shortest path.
    pub fn new(problem: Arc<Problem>, slack: u32) -> Self {
        let vertices = problem.network().vertices().len();
        let mut rows = vec![None; vertices];
        let mut distances = Vec::new();
        for d in problem.demands() {
            rows[d.destination as usize].get_or_insert_with(|| {
                distances.extend(distances_to(problem.network(), d.destination));
                distances.len() / vertices - 1
            });
        }
        Hops { problem, slack, rows, distances, planned: Vec::new() }
    }

    /// One walk for each demand: its planned route.
    pub fn along(problem: Arc<Problem>, planned: Vec<Vec<ChannelId>>) -> Self {
        Hops { planned, ..Hops::new(problem, 0) }
    }

    /// The walks of a transfer that serves a demand; under a group it may have to follow a route.
    pub fn of<'a>(
        &self,
        (transfer, demand): (u32, usize),
        images: Option<&Images>,
        kept: Option<&'a Kept>,
        finder: &'a mut WalkFinder,
    ) -> WalkGraph<'a> {
        match kept {
            Some(kept) => kept.of(transfer),
            None => self.find((demand, self.route(images, (transfer, demand))), self.slack, finder),
        }
    }

    /// The shortest walks of a demand.
    pub fn shortest<'a>(&self, demand: usize, finder: &'a mut WalkFinder) -> WalkGraph<'a> {
        self.find((demand, None), 0, finder)
    }

    /// Channels on a shortest path of a demand, or on its fixed route.
    pub fn distance(&self, demand: usize) -> u32 {
        let d = &self.problem.demands()[demand];
        if let Some(route) = self.problem.fixed_route(d.source, d.destination) {
            return route.len() as u32;
        }
        self.distances_to(d.destination)[d.source as usize]
    }

    /// Channels on the longest walk that a transfer of a demand may take; a path visits no vertex
    /// twice.
    pub fn longest(&self, demand: usize) -> u32 {
        match self.planned.get(demand) {
            Some(route) => route.len() as u32,
            None => self.longest_within(demand, self.slack),
        }
    }

    fn longest_within(&self, demand: usize, slack: u32) -> u32 {
        let most = self.problem.network().vertices().len() as u32 - 1;
        self.distance(demand).saturating_add(slack).min(most)
    }

    fn distances_to(&self, v: VertexId) -> &[u32] {
        let vertices = self.problem.network().vertices().len();
        let row = self.rows[v as usize].expect("it is a destination");
        &self.distances[row * vertices..][..vertices]
    }

    /// The walks of all transfers, which serve these demands; none if they exceed the limit.
    pub fn keep(
        &self,
        demands: impl Iterator<Item = usize>,
        images: Option<&Images>,
    ) -> Option<Kept> {
        let mut kept = Kept { firsts: vec![(0, 0)], ..Kept::default() };
        let mut finder = WalkFinder::default();
        for (transfer, demand) in (0..).zip(demands) {
            let transfer = (demand, self.route(images, (transfer, demand)));
            let (ends, hops) = self.find(transfer, self.slack, &mut finder).parts();
            kept.ends.extend_from_slice(ends);
            kept.hops.extend_from_slice(hops);
            if kept.hops.len() > MOST_KEPT {
                return None;
            }
            kept.firsts.push((kept.ends.len(), kept.hops.len()));
        }
        Some(kept)
    }

    fn find<'a>(
        &self,
        (demand, route): (usize, Option<&[ChannelId]>),
        slack: u32,
        finder: &'a mut WalkFinder,
    ) -> WalkGraph<'a> {
        let d = &self.problem.demands()[demand];
        if let Some(route) = route.or_else(|| self.problem.fixed_route(d.source, d.destination)) {
            return finder.follow(route);
        }
        let distance = self.distances_to(d.destination);
        let longest = self.longest_within(demand, slack);
        finder.find(self.problem.network(), (d.source, d.destination), distance, longest)
    }

    /// The route that a transfer of a demand must follow: that under a group, or a planned one.
    fn route<'r>(
        &'r self,
        images: Option<&'r Images>,
        (transfer, demand): (u32, usize),
    ) -> Option<&'r [ChannelId]> {
        let planned = || self.planned.get(demand).map(Vec::as_slice);
        images.and_then(|images| images.orbits().route(transfer)).or_else(planned)
    }
}
