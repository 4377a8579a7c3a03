//! The vertices between two terminals on shortest paths, and the hops there. Where they are many, some: those that
//! are reached by channels with free steps at the beginning, and of these by the channels used least.

use crate::ground::free_steps::FreeSteps;
use ccsched_model::problem::{Demand, Problem, Way, Ways};
use ccsched_model::routing::DistanceTable;
use ccsched_network::VertexId;

/// Vertices at one distance that are followed, and channels of a vertex: at most.
const WIDEST: usize = 24;
/// Looks at channels for all messages: where one vertex at each distance takes many, fewer are followed.
const LOOKS: usize = 3_000_000_000;
/// What following a channel takes beside a look at it.
const OF_HOP: usize = 16;

/// Hops of all messages of an order, about.
pub fn hops(distances: &DistanceTable, order: &[Demand]) -> usize {
    let sample = order.iter().step_by(order.len() / 1000 + 1);
    let length = |d: &Demand| usize::from(distances.row(d.destination)[d.source as usize]);
    let lengths: usize = sample.clone().map(length).sum();
    order.len() / sample.len().max(1) * lengths
}

/// Looks at channels for all messages of an order, were one vertex followed at each distance.
pub fn looks(problem: &Problem, distances: &DistanceTable, order: &[Demand]) -> usize {
    let degree = problem.network().channels().len() / problem.network().vertices().len().max(1);
    hops(distances, order) * (degree + OF_HOP)
}

/// The hops between two terminals.
#[derive(Clone, Debug)]
pub struct Between {
    /// The hops, nearest to the source first, each with its start.
    pub hops: Vec<(VertexId, Way)>,
    /// The vertices that are followed, nearest to the source first.
    pub vertices: Vec<VertexId>,
    /// Vertices at one distance that are followed, and channels of a vertex.
    widest: usize,
    outgoing: Ways,
    incoming: Ways,
    visits: Vec<Visit>,
    present: u32,
}

/// The last visit of a vertex.
#[derive(Clone, Copy, Debug, Default)]
struct Visit {
    /// The pair of terminals, by the value of `present`.
    at: u32,
    /// The first word in which the vertex may be reached, and how often the last channel there is used.
    rank: (u32, u32),
}

impl Between {
    /// Between the terminals of a problem.
    pub fn new(problem: &Problem) -> Self {
        Between {
            hops: Vec::new(),
            vertices: Vec::new(),
            widest: WIDEST,
            outgoing: Ways::outgoing(problem.network(), problem.resources()),
            incoming: Ways::incoming(problem.network(), problem.resources()),
            visits: vec![Visit::default(); problem.network().vertices().len()],
            present: 0,
        }
    }

    /// Follows fewer vertices where all would take long.
    pub fn hurry(&mut self, looks: usize) {
        self.widest = (LOOKS / looks.max(1)).clamp(1, WIDEST);
    }

    /// Lists the hops. Returns a word before which no path has a free step: along every path, some channel is
    /// full up to there. (Long schedules are full for most of their length.) `to` is the distance to
    /// the destination, by vertex.
    pub fn list(
        &mut self,
        (free, used): (&FreeSteps, &[u32]),
        (source, destination): (VertexId, VertexId),
        to: &[u16],
    ) -> usize {
        self.present += 1;
        self.visits[source as usize] = Visit { at: self.present, rank: (0, 0) };
        self.hops.clear();
        self.vertices.clear();
        self.vertices.push(source);
        let mut layer = 0..1;
        while to[self.vertices[layer.start] as usize] > 1 {
            for at in layer.clone() {
                self.follow((free, used), self.vertices[at], to);
            }
            layer = layer.end..self.vertices.len();
            if layer.len() > self.widest {
                let (visits, widest) = (&self.visits, self.widest);
                let rank = |&v: &VertexId| (visits[v as usize].rank, v);
                self.vertices[layer.start..].select_nth_unstable_by_key(widest, rank);
                layer.end = layer.start + widest;
                // Hops to the others stay, but lead no farther.
                self.vertices.drain(layer.end..).for_each(|v| self.visits[v as usize].at = 0);
            }
        }
        self.finish((free, used), destination, to);
        self.visits[destination as usize].rank.0 as usize
    }

    /// Adds the hops of a vertex to nearer ones.
    fn follow(&mut self, (free, used): (&FreeSteps, &[u32]), u: VertexId, to: &[u16]) {
        let (nearer, before) = (to[u as usize] - 1, self.visits[u as usize].rank.0);
        let own = self.hops.len();
        let ways = self.outgoing.of(u).iter().filter(|way| to[way.to as usize] == nearer);
        self.hops.extend(ways.map(|&way| (u, way)));
        if self.hops.len() > own + self.widest {
            let key = |(_, way): &(VertexId, Way)| (rank((free, used), way), way.channel);
            self.hops[own..].select_nth_unstable_by_key(self.widest, key);
            self.hops.truncate(own + self.widest);
        }
        for (_, way) in &self.hops[own..] {
            let (first, uses) = rank((free, used), way);
            let rank = (before.max(first), uses);
            let visit = &mut self.visits[way.to as usize];
            if visit.at != self.present {
                *visit = Visit { at: self.present, rank };
                self.vertices.push(way.to);
            } else {
                visit.rank = visit.rank.min(rank);
            }
        }
    }

    /// Adds the hops to the destination: it has fewer channels than the vertices next to it together.
    fn finish(&mut self, (free, used): (&FreeSteps, &[u32]), destination: VertexId, to: &[u16]) {
        let mut last = Visit { at: self.present, rank: (u32::MAX, u32::MAX) };
        for way in self.incoming.of(destination).iter().filter(|way| to[way.to as usize] == 1) {
            let (from, visit) = (way.to, &self.visits[way.to as usize]);
            if visit.at == self.present {
                let (first, uses) = rank((free, used), way);
                last.rank = last.rank.min((visit.rank.0.max(first), uses));
                self.hops.push((from, Way { to: destination, ..*way }));
            }
        }
        self.visits[destination as usize] = last;
        self.vertices.push(destination);
    }
}

/// The first word in which a channel may be free, and how often it is used.
fn rank((free, used): (&FreeSteps, &[u32]), way: &Way) -> (u32, u32) {
    (free.first(way.link) as u32, used[way.channel as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_network::spec;

    #[test]
    fn a_hurry_follows_fewer_vertices_all_the_way() {
        let request = Request::new(Collective::Aas);
        let problem = request.pose(spec::parse("mesh:9x9").unwrap(), vec![]).unwrap();
        let distances = DistanceTable::to(problem.network(), [80].into_iter());
        let (free, mut used) =
            (FreeSteps::new(problem.resources()), vec![0; problem.network().channels().len()]);
        let mut between = Between::new(&problem);
        let mut vertices = |looks, used: &[u32]| {
            between.hurry(looks);
            assert_eq!(between.list((&free, used), (0, 80), distances.row(80)), 0);
            between.vertices.clone()
        };
        assert_eq!(vertices(1, &used).len(), 81);
        assert_eq!(vertices(LOOKS / 3, &used).len(), 1 + 2 + 13 * 3 + 2 + 1);
        let one_path = vertices(LOOKS, &used);
        assert_eq!(one_path.len(), 17);
        // The other way round, once its channels are used.
        let busy = |c: &ccsched_network::Channel| c.from == 0 && c.to == one_path[1];
        let busy = problem.network().channels().iter().position(busy).unwrap();
        used[busy] = 1;
        assert_ne!(vertices(LOOKS, &used)[1], one_path[1]);
    }
}
