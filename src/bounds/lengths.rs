//! How far all messages go: by their route if that is fixed, at least their distance if not, with one search from every
//! source. Several bounds read this.

use ccsched_base::cores;
use ccsched_model::problem::{Demand, Problem};
use ccsched_network::VertexId;
use ccsched_network::metrics::distances_from;

/// The numbers of messages by distance, which is the place in a list.
#[derive(Default)]
pub struct Lengths {
    /// By vertex, of the messages that it sends.
    sent: Vec<Vec<u32>>,
    /// By vertex, of the messages that it receives.
    received: Vec<Vec<u32>>,
}

impl Lengths {
    /// Searches from all sources, on all cores.
    pub fn of(problem: &Problem) -> Self {
        let network = problem.network();
        let sources: Vec<&[Demand]> =
            problem.demands().chunk_by(|a, b| a.source == b.source).collect();
        let size = network.vertices().len() + network.channels().len();
        let parts = cores::parts(sources.len(), |source| (source + 1) * size);
        let work = |part| Lengths::of_sources(problem, &sources[part]);
        let mut parts = cores::each(parts, work).into_iter();
        let mut all = parts.next().expect("there is a part, even if it is empty");
        parts.for_each(|part| all.add(part));
        all
    }

    /// Of the messages of some sources.
    fn of_sources(problem: &Problem, sources: &[&[Demand]]) -> Self {
        let vertices = problem.network().vertices().len();
        let [sent, received] = [0, 1].map(|_| vec![Vec::new(); vertices]);
        let mut lengths = Lengths { sent, received };
        for demands in sources {
            let source = demands[0].source;
            let free = || distances_from(problem.network(), source);
            let distances = if problem.has_fixed_routes() { Vec::new() } else { free() };
            for d in *demands {
                let distance = match problem.fixed_route(source, d.destination) {
                    Some(route) => route.len(),
                    None => distances[d.destination as usize] as usize,
                };
                increase(&mut lengths.sent[source as usize], distance, 1);
                increase(&mut lengths.received[d.destination as usize], distance, 1);
            }
        }
        lengths
    }

    /// Adds those of other sources.
    fn add(&mut self, other: Lengths) {
        let lists = self.sent.iter_mut().chain(&mut self.received);
        for (list, more) in lists.zip(other.sent.into_iter().chain(other.received)) {
            (0..).zip(more).for_each(|(distance, count)| increase(list, distance, count));
        }
    }

    /// By distance, the messages that a vertex sends.
    pub fn sent(&self, v: VertexId) -> &[u32] {
        &self.sent[v as usize]
    }

    /// By distance, the messages that a vertex receives.
    pub fn received(&self, v: VertexId) -> &[u32] {
        &self.received[v as usize]
    }

    /// The distance of the message that goes farthest; 0 if there is none.
    pub fn longest(&self) -> u32 {
        self.sent.iter().map(|list| list.len().saturating_sub(1)).max().unwrap_or(0) as u32
    }

    /// The sum of the distances of all messages.
    pub fn total(&self) -> u64 {
        let of_list = |list: &Vec<u32>| {
            (0..)
                .zip(list)
                .map(|(distance, &count): (u64, _)| distance * u64::from(count))
                .sum::<u64>()
        };
        self.sent.iter().map(of_list).sum()
    }
}

fn increase(list: &mut Vec<u32>, distance: usize, count: u32) {
    if count > 0 {
        list.resize(list.len().max(distance + 1), 0);
        list[distance] += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_network::metrics::Distances;
    use ccsched_network::spec;

    #[test]
    fn messages_are_counted_at_both_ends() {
        for name in ["kautz:2,3", "fat-tree:16", "mesh:3x4", "torus:20x20"] {
            let network = spec::parse(name).unwrap();
            let problem = Request::new(Collective::Aas).pose(network, vec![]).unwrap();
            let (lengths, distances) = (Lengths::of(&problem), Distances::new(problem.network()));
            let far = |d: &Demand| distances.get(d.source, d.destination);
            assert_eq!(
                lengths.longest(),
                problem.demands().iter().map(far).max().unwrap(),
                "{name}"
            );
            let total = problem.demands().iter().map(|d| u64::from(far(d))).sum::<u64>();
            assert_eq!(lengths.total(), total, "{name}");
            let count = |own: &dyn Fn(&Demand) -> bool, distance: usize| {
                let all = problem.demands().iter();
                all.filter(|d| own(d) && far(d) == distance as u32).count() as u32
            };
            for v in problem.network().terminals().step_by(37) {
                let (sent, received) = (lengths.sent(v), lengths.received(v));
                for (distance, &number) in sent.iter().enumerate() {
                    assert_eq!(number, count(&|d| d.source == v, distance), "{name} {v}");
                }
                for (distance, &number) in received.iter().enumerate() {
                    assert_eq!(number, count(&|d| d.destination == v, distance), "{name} {v}");
                }
            }
        }
    }
}
