//! The table of messages: a row says what a transfer carries. Schedule files, exports, errors and
//! tables name a message by its row, and readers of files find it by the row.

use super::{Collective, Content, Demand, Groups, MessageId, Phase, Problem, Roots};
use ccsched_network::{Network, VertexId};

/// A message, as a row of the table of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// The vertex that names it: its source; of a sum, its root.
    pub origin: VertexId,
    /// Its one destination; none if all receivers get it.
    pub destination: Option<VertexId>,
    /// Which piece of the content between these ends it is, from 0.
    pub piece: u32,
    /// Which of several messages with these ends it is, from 1; none if there is one.
    pub copy: Option<u32>,
    /// What is done with a sum, where a collective does both.
    pub phase: Option<Phase>,
}

impl Message {
    /// The one message from a vertex, to one destination or to all receivers.
    pub fn new(origin: VertexId, destination: Option<VertexId>) -> Self {
        Message { origin, destination, piece: 0, copy: None, phase: None }
    }

    /// The message with other vertices; none where one has no counterpart.
    pub fn mapped(self, vertex: impl Fn(VertexId) -> Option<VertexId>) -> Option<Self> {
        let origin = vertex(self.origin)?;
        let destination = match self.destination {
            Some(destination) => Some(vertex(destination)?),
            None => None,
        };
        Some(Message { origin, destination, ..self })
    }

    /// `01>23`, the second of several messages with these ends `01>23#2`, a message for all `01`, parts of
    /// a sum of an all-reduce `+01`. Pieces but the first have their number: `01>23/1`.
    pub fn name(&self, network: &Network) -> String {
        let to = |v| format!(">{}", network.vertex_name(v));
        let destination = self.destination.map_or(String::new(), to);
        let copy = self.copy.map_or(String::new(), |copy| format!("#{copy}"));
        let phase = if self.phase == Some(Phase::Reduce) { "+" } else { "" };
        let piece = if self.piece > 0 { format!("/{}", self.piece) } else { String::new() };
        format!("{phase}{}{destination}{copy}{piece}", network.vertex_name(self.origin))
    }
}

/// How the row of a message follows from its number. The pieces of a message stand side by side.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// The pieces of each message.
    pub pieces: u32,
    /// The rows of messages that are not cut.
    whole: Whole,
}

/// The same of messages that are not cut.
#[derive(Clone, Debug)]
enum Whole {
    /// A total exchange of one piece a message: by arithmetic.
    Exchange,
    /// A demand is a piece of a message. By message, its copy, 0 for an only one; empty if all are.
    Personal { copies: Vec<u32> },
    /// A piece has several demands, which stand side by side. By message, the first.
    Common { firsts: Vec<u32> },
    /// Every sum is a message twice: first it is reduced, then it is gathered. The roots are the
    /// receivers.
    Sums,
    /// The rows are listed with the groups.
    Grouped,
}

impl Rows {
    /// The rows of a collective between senders and receivers.
    pub fn of(
        (collective, pieces): (Collective, u32),
        [senders, receivers]: [&[VertexId]; 2],
        demands: &[Demand],
    ) -> Self {
        let members = senders.len();
        let whole = match collective.content() {
            Content::Common if collective.is_of_groups() => Whole::Grouped,
            Content::Common if collective.is_all_reduce() => Whole::Sums,
            Content::Common => {
                let mut first = 0;
                let of_message = demands.chunk_by(|a, b| a.message == b.message);
                let firsts = of_message.map(|all| {
                    first += all.len() as u32;
                    first - all.len() as u32
                });
                Whole::Common { firsts: firsts.step_by(pieces as usize).collect() }
            }
            Content::Personal
                if collective.roots() != Roots::Listed
                    && senders == receivers
                    && pieces == 1
                    && demands.len() == members * members.saturating_sub(1) =>
            {
                Whole::Exchange
            }
            Content::Personal if pieces == 1 => Whole::Personal { copies: copies(demands) },
            Content::Personal => {
                let firsts: Vec<Demand> =
                    demands.iter().step_by(pieces as usize).copied().collect();
                Whole::Personal { copies: copies(&firsts) }
            }
        };
        Rows { pieces, whole }
    }

    /// Whether a message is that of a total exchange of the same number.
    pub fn are_exchanged(&self) -> bool {
        matches!(self.whole, Whole::Exchange)
    }
}

/// By demand, its number among those with the same ends, which stand side by side; 0 for an only one.
fn copies(demands: &[Demand]) -> Vec<u32> {
    let has_ends_of =
        |a: &Demand, b: &Demand| (a.source, a.destination) == (b.source, b.destination);
    if demands.windows(2).all(|two| !has_ends_of(&two[0], &two[1])) {
        return Vec::new();
    }
    let numbered = |all: &[Demand]| {
        let count = all.len() as u32;
        if count == 1 { 0..1 } else { 1..count + 1 }
    };
    demands.chunk_by(has_ends_of).flat_map(numbered).collect()
}

impl Problem {
    /// The pieces of each message; 1 if messages are not cut.
    #[inline]
    pub fn pieces(&self) -> u32 {
        self.rows.pieces
    }

    /// The row of a message.
    pub fn message(&self, id: MessageId) -> Message {
        let demand = |place: u32| &self.demands[place as usize];
        let pieces = self.rows.pieces;
        let (whole, piece) = if pieces == 1 { (id, 0) } else { (id / pieces, id % pieces) };
        let row = match &self.rows.whole {
            Whole::Exchange => {
                let (origin, destination) = self.ends_of_exchanged(id);
                Message::new(origin, Some(destination))
            }
            Whole::Personal { copies } => {
                let Demand { source, destination, .. } = *demand(id);
                let copy = copies.get(whole as usize).copied().filter(|&copy| copy > 0);
                Message { copy, ..Message::new(source, Some(destination)) }
            }
            Whole::Common { firsts } => Message::new(demand(firsts[whole as usize]).source, None),
            Whole::Sums => {
                let roots = &self.receivers;
                let (phase, root) = match (whole as usize).checked_sub(roots.len()) {
                    None => (Phase::Reduce, roots[whole as usize]),
                    Some(place) => (Phase::Gather, roots[place]),
                };
                Message { phase: Some(phase), ..Message::new(root, None) }
            }
            Whole::Grouped => {
                let ((source, destination, copy), _) = self.grouped().row(whole);
                let phase = self.grouped().phase(whole);
                Message { copy, phase, ..Message::new(source, destination) }
            }
        };
        Message { piece, ..row }
    }

    /// Whether some messages have the same ends, apart from pieces of one.
    pub fn has_copies(&self) -> bool {
        match &self.rows.whole {
            Whole::Personal { copies } => !copies.is_empty(),
            Whole::Grouped => self.grouped().have_copies(),
            Whole::Exchange | Whole::Common { .. } | Whole::Sums => false,
        }
    }

    pub(super) fn grouped(&self) -> &Groups {
        self.groups.as_deref().expect("the rows of groups are listed with them")
    }

    /// The message with this row. Without a copy it is the first of those with its ends; that for all
    /// receivers has any of them as its destination, or none.
    pub fn find_message(&self, row: &Message) -> Option<MessageId> {
        let Message { origin, destination, piece, copy, phase } = *row;
        let later = copy.unwrap_or(1).checked_sub(1)? as usize;
        let pieces = self.rows.pieces;
        if piece >= pieces {
            return None;
        }
        let found = match (&self.rows.whole, destination) {
            (Whole::Grouped, _) => {
                let whole = self.grouped().find((origin, destination, copy), phase)?;
                return Some(whole * pieces + piece);
            }
            (Whole::Exchange, Some(destination)) => {
                let place = |v: VertexId| self.senders.binary_search(&v).ok();
                let (from, to) = (place(origin)?, place(destination)?);
                (from != to).then(|| self.exchanged(from, to))
            }
            (Whole::Personal { .. }, Some(destination)) => {
                let ends = |d: &Demand| (d.source, d.destination);
                let first = self.demands.partition_point(|d| ends(d) < (origin, destination));
                let later = later.checked_mul(pieces as usize)?.checked_add(piece as usize)?;
                let demand = self.demands.get(first.checked_add(later)?)?;
                return (ends(demand) == (origin, destination)).then_some(demand.message);
            }
            (Whole::Sums, _) => {
                let place = self.receivers.binary_search(&origin).ok()?;
                let first = if phase? == Phase::Reduce { 0 } else { self.receivers.len() };
                Some((first + place) as MessageId * pieces)
            }
            (Whole::Exchange | Whole::Personal { .. }, None) => None,
            (Whole::Common { .. }, _) => {
                let first = self.demands.partition_point(|d| d.source < origin);
                self.demands.get(first).filter(|d| d.source == origin).map(|d| d.message)
            }
        };
        found.filter(|_| later == 0).map(|first| first + piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Joining, Pair, Request};
    use ccsched_network::spec;

    fn posed(request: Request) -> Problem {
        request.pose(spec::parse("ring:6").unwrap(), vec![]).unwrap()
    }

    #[test]
    fn every_message_is_found_by_its_row() {
        let pair = |source: &str, destination: &str, count| Pair {
            source: source.into(),
            destination: destination.into(),
            bytes: None,
            count,
        };
        let pairs = vec![pair("4", "1", 3), pair("0", "5", 1), pair("4", "0", 2)];
        let traffic = Request { pairs: Some(pairs), ..Request::new(Collective::Traffic) };
        let all = Collective::all().filter(|c| c.roots() != Roots::Listed).map(Request::new);
        let whole: Vec<Request> = all.chain([traffic]).collect();
        let are_cut = |request: &&Request| request.collective.joining() != Joining::Signal;
        let cut =
            whole.iter().filter(are_cut).map(|request| Request { pieces: 3, ..request.clone() });
        for request in whole.iter().cloned().chain(cut) {
            let problem = posed(request);
            let pieces = problem.pieces();
            let mut names = std::collections::HashSet::new();
            for id in 0..problem.messages() as MessageId {
                let row = problem.message(id);
                assert_eq!(problem.find_message(&row), Some(id), "{row:?}");
                assert_eq!(row.mapped(Some), Some(row));
                assert!(names.insert(row.name(problem.network())));
                let beyond = Message { copy: Some(4), ..row };
                assert_eq!(problem.find_message(&beyond), None);
                assert_eq!(problem.find_message(&Message { copy: Some(0), ..row }), None);
                assert_eq!(row.piece, id % pieces);
                assert_eq!(problem.find_message(&Message { piece: pieces, ..row }), None);
            }
            for d in problem.demands() {
                let row = problem.message(d.message);
                assert_eq!(row.origin, d.source);
                assert!(row.destination.is_none_or(|v| v == d.destination));
            }
            let own = Message::new(3, Some(3));
            let is_common = problem.collective().content().is_common();
            assert!(is_common || problem.find_message(&own).is_none());
        }
    }

    #[test]
    fn copies_are_numbered_where_there_are_several() {
        let pairs = ["2", "3", "2"].map(|to| Pair {
            source: "0".into(),
            destination: to.into(),
            bytes: None,
            count: 1,
        });
        let request = Request { pairs: Some(pairs.to_vec()), ..Request::new(Collective::Traffic) };
        let problem = posed(request);
        assert!(problem.has_copies());
        let name = |id| problem.message(id).name(problem.network());
        assert_eq!([name(0), name(1), name(2)], ["0>2#1", "0>2#2", "0>3"]);
    }
}
