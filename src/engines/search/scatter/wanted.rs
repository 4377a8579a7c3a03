//! The input of a search for a place: the transfer, its walks and the board.

use super::board::Board;

use super::places;
use super::places::Crossing;
use ccsched_model::problem::{Demand, Problem, ResourceId, Switching};
use ccsched_model::routing::WalkGraph;
use ccsched_network::ChannelId;

/// A request for a place of one transfer. (Passed by reference: copies cost time in the innermost
/// loops of the search.)
pub struct Wanted<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// The partial schedule.
    pub board: &'a Board,
    /// The demand that the transfer serves.
    pub demand: &'a Demand,
    /// The walks that the transfer may take.
    pub walks: WalkGraph<'a>,
}

impl<'a> Wanted<'a> {
    /// For the transfer of a demand, by its index.
    pub fn new(
        problem: &'a Problem,
        board: &'a Board,
        demand: usize,
        walks: WalkGraph<'a>,
    ) -> Self {
        Wanted { problem, board, demand: &problem.demands()[demand], walks }
    }

    /// The link of a channel.
    pub fn link(&self, channel: ChannelId) -> ResourceId {
        self.problem.resources().of_channel(channel)
    }

    /// The send port of the transfer's source, where it is limited.
    pub fn send_port(&self) -> Option<ResourceId> {
        self.problem.resources().send_port(self.demand.source)
    }

    /// The receive port of its destination, where it is limited.
    pub fn receive_port(&self) -> Option<ResourceId> {
        self.problem.resources().receive_port(self.demand.destination)
    }

    /// The ports that a store-and-forward hop occupies besides its link, where they are limited:
    /// the send port and the receive port.
    pub fn ports_of_hop(&self, channel: ChannelId) -> (Option<ResourceId>, Option<ResourceId>) {
        let (network, resources) = (self.problem.network(), self.problem.resources());
        let (_, [send, receive]) = resources.of_hop(network, Switching::StoreAndForward, channel);
        (send, receive)
    }

    /// Cuts the loops out of a place, where the routing allows walks with loops.
    pub fn cut_loops(&self, place: &mut Vec<Crossing>) {
        if self.problem.routing().slack() > 1 {
            places::cut_loops(self.problem, place);
        }
    }
}
