//! Boxes: sets of terminals with a fast inside, which slower links join, and their *lanes*: the first terminals of all
//! boxes, the second ones, and so on, such that those of a lane are near each other from box to box.

use ccsched_bounds::boxes;
use ccsched_model::problem::Problem;
use ccsched_network::VertexId;
use ccsched_network::metrics::distances_over_switches;

/// Terminals below which there are no two boxes of two.
const LEAST_MEMBERS: usize = 4;
/// The channels of the members of a box together carry at least this many times what leaves it.
const NARROW: usize = 4;

/// The boxes of a problem.
#[derive(Debug)]
pub struct Boxes {
    /// By box, then lane, the terminal.
    pub members: Vec<Vec<VertexId>>,
    /// By vertex, its box, if it is in one.
    pub of: Vec<Option<usize>>,
}

impl Boxes {
    /// None unless all terminals of the collective both send and receive, and are in boxes of as many each.
    pub fn of(problem: &Problem) -> Option<Self> {
        let (network, terminals) = (problem.network(), problem.receivers());
        let all = 0..network.vertices().len() as VertexId;
        let may_apply = terminals.len() >= LEAST_MEMBERS
            && terminals == problem.senders()
            && all.clone().any(|v| !network.is_terminal(v));
        let sets = may_apply.then(|| boxes(problem))??;
        let mut of = vec![None; all.len()];
        for (number, set) in sets.iter().enumerate() {
            set.iter().for_each(|&v| of[v as usize] = Some(number));
        }
        let is_member = |v: &VertexId| terminals.binary_search(v).is_ok();
        let members: Vec<Vec<VertexId>> =
            sets.iter().map(|set| set.iter().copied().filter(is_member).collect()).collect();
        let is_outward = |c: &u32| {
            let channel = network.channel(*c);
            let [from, to] = [channel.from, channel.to].map(|v| of[v as usize]);
            from.is_some() && from != to
        };
        let outward = (0..network.channels().len() as u32).filter(is_outward);
        let outward: usize = outward.map(|c| network.channel(c).capacity as usize).sum();
        let own: usize = terminals.iter().map(|&v| network.capacity_out(v)).sum();
        (NARROW * outward <= own).then(|| Boxes { members: in_lanes(problem, members), of })
    }

    /// By vertex, its box and lane; of no use for other vertices.
    pub fn places(&self) -> Vec<(usize, usize)> {
        let mut places = vec![(0, 0); self.of.len()];
        for (number, members) in self.members.iter().enumerate() {
            for (lane, &v) in members.iter().enumerate() {
                places[v as usize] = (number, lane);
            }
        }
        places
    }

    /// All pairs of different terminals of a lane, ascending.
    pub fn pairs(&self) -> Vec<(VertexId, VertexId)> {
        let lanes = 0..self.members[0].len();
        let of_lane = |lane: usize| {
            let at = move |members: &Vec<VertexId>| members[lane];
            let from = self.members.iter().map(at);
            from.flat_map(move |from| self.members.iter().map(move |to| (from, at(to))))
        };
        let all = lanes.flat_map(of_lane);
        let mut pairs: Vec<(VertexId, VertexId)> = all.filter(|(from, to)| from != to).collect();
        pairs.sort_unstable();
        pairs
    }
}

/// The same members, of each box but the first in the order of lanes: one after the other, the terminals of the first
/// box get the nearest one of those that are left, and of equally near ones the next.
fn in_lanes(problem: &Problem, mut members: Vec<Vec<VertexId>>) -> Vec<Vec<VertexId>> {
    let first = members[0].clone();
    let to_first = |&v: &VertexId| distances_over_switches(problem.network(), v);
    let to_first: Vec<Vec<u32>> = first.iter().map(to_first).collect();
    for members in &mut members[1..] {
        for lane in 0..members.len() {
            let rest = lane..members.len();
            let nearest = rest.min_by_key(|&i| to_first[lane][members[i] as usize]);
            members[lane..=nearest.unwrap_or(lane)].rotate_right(1);
        }
    }
    members
}
