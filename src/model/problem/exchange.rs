//! Total exchanges: each of some terminals has a message for every other one. Messages are numbered by source, then
//! destination, so their numbers follow from their ends, and their ends from their numbers.

use super::{MessageId, Problem};
use ccsched_network::VertexId;

impl Problem {
    /// Whether each member has a message for every other one, and these are all. Members are the senders.
    pub fn is_exchange(&self) -> bool {
        self.rows.are_exchanged()
    }

    /// By vertex, its place in the list of senders, as [`exchanged`](Self::exchanged) needs it; 0 if it is in none.
    pub fn places_of_senders(&self) -> Vec<usize> {
        let mut places = vec![0; self.network.vertices().len()];
        (0..).zip(&self.senders).for_each(|(place, &v)| places[v as usize] = place);
        places
    }

    /// The message of a total exchange between two different members, given by their places in the list of senders.
    #[inline]
    pub fn exchanged(&self, from: usize, to: usize) -> MessageId {
        let others = self.senders.len() - 1;
        (from * others + to - usize::from(to > from)) as MessageId
    }

    /// The source and the destination of a message of a total exchange.
    #[inline]
    pub fn ends_of_exchanged(&self, message: MessageId) -> (VertexId, VertexId) {
        let others = self.senders.len() as u32 - 1;
        let (from, to) = ((message / others) as usize, (message % others) as usize);
        (self.senders[from], self.senders[to + usize::from(to >= from)])
    }
}

#[cfg(test)]
mod tests {
    use crate::problem::{Collective, Request};
    use ccsched_network::spec;

    #[test]
    fn numbers_and_ends_are_those_of_the_demands() {
        let aas = Request::new(Collective::Aas);
        let problem = aas.pose(spec::parse("fat-tree:8").unwrap(), vec![]).unwrap();
        assert!(problem.is_exchange());
        let places = problem.places_of_senders();
        for d in &problem.demands {
            assert_eq!(problem.ends_of_exchanged(d.message), (d.source, d.destination));
            let place = |v| problem.senders.iter().position(|&s| s == v).unwrap();
            assert_eq!(places[d.source as usize], place(d.source));
            assert_eq!(problem.exchanged(place(d.source), place(d.destination)), d.message);
        }
        let oas = Request::new(Collective::Oas);
        assert!(!oas.pose(spec::parse("fat-tree:8").unwrap(), vec![]).unwrap().is_exchange());
    }
}
