//! A schedule by ranks: which rank sends which message to which rank in each step. The ranks are the
//! terminals that take part, in the order of the schedule, or as they are placed.

use ccsched_base::{Error, Result};
use ccsched_model::problem::{Collective, Joining, MessageId, Phase, Problem, ResourceId};
use ccsched_model::schedule::{Plan, ScheduleFile, TimeModel, resolve};
use ccsched_network::{Network, Rate, VertexId};
use ccsched_verify::verify;
use std::collections::HashMap;

/// A message of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The rank that has it at first; of a sum its root.
    pub source: usize,
    /// Its length, where the schedule gives lengths.
    pub bytes: Option<u64>,
}

/// A message goes from a rank to a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Index of the message, or of the sum; where messages join, the number of the transfer.
    pub message: usize,
    /// Where messages join, the ranks whose messages it carries.
    pub of: Vec<usize>,
    /// Where messages join, their piece.
    pub piece: usize,
    /// What it does with a sum.
    pub phase: Option<Phase>,
    /// The rank that sends.
    pub from: usize,
    /// The rank that receives.
    pub to: usize,
    /// The links on the way; both channels of a half-duplex link are one.
    pub links: Vec<ResourceId>,
    /// In a timed schedule, its start and its end in bytes.
    pub span: Option<[u64; 2]>,
}

/// A schedule by ranks.
#[derive(Clone, Debug)]
pub struct Script {
    /// What tells it from the other schedules of a replay.
    pub name: String,
    /// The terminal of each rank.
    pub terminals: Vec<String>,
    /// All messages.
    pub messages: Vec<Message>,
    /// The transfers of each step; of a timed schedule all, by start.
    pub steps: Vec<Vec<Transfer>>,
    /// By rank, whether it must receive messages.
    pub receives: Vec<bool>,
    /// By rank, whether it has messages of its own.
    pub sends: Vec<bool>,
    /// What capacity 1 of the network stands for, if it is known.
    pub rate: Option<Rate>,
    /// Whether every sender has one message for every receiver.
    pub is_all_to_all: bool,
    /// If the messages are sums: whether every receiver needs all of them, not only those of which it
    /// is the root.
    pub sums: Option<bool>,
    /// What becomes of messages that take one path in one step.
    pub joining: Joining,
    /// The pieces of each message of the schedule; those here are pieces.
    pub pieces: u32,
    /// By message, the number of ranks that must receive it.
    deliveries: Vec<u64>,
    plan: Plan,
    network: Network,
    lengths: Option<Vec<u64>>,
    /// Of a timed schedule, the most transfers of a port and its end.
    timed: Option<(u64, u64)>,
}

impl Script {
    /// The script of a schedule file.
    ///
    /// # Errors
    /// A schedule that breaks a rule, or in which a switch stores messages.
    pub fn new(name: &str, file: &ScheduleFile) -> Result<Script> {
        if let Some(violation) = verify(file).first() {
            return Err(Error::problem(format!("the schedule is not valid: {violation}")));
        }
        let (problem, plan) = resolve(file)?;
        problem.refuse_multicast("a replay")?;
        if problem.has_sums_of_groups() {
            let why = "sums of groups side by side are not replayed: a replay adds up what all ranks contribute";
            return Err(Error::problem(why));
        }
        let collective = problem.collective();
        let (network, [senders, receivers]) = (problem.asked_network(), problem.asked_ends());
        let plan = plan.as_asked(&problem).into_owned();
        // The sums of an all-reduce are messages of two phases.
        let phases = if collective.is_all_reduce() { 2 } else { 1 };
        let messages = problem.messages() / phases;
        let origins = |step: &ccsched_model::schedule::Step| -> Vec<(usize, Vec<VertexId>)> {
            let origin = |id: MessageId| problem.message(id).origin;
            let of = |(_, ids): (_, Vec<MessageId>)| {
                ((ids[0] % problem.pieces()) as usize, ids.into_iter().map(origin).collect())
            };
            step.joined(problem.pieces()).into_iter().map(of).collect()
        };
        let mut joined: Vec<(usize, Vec<VertexId>)> = Vec::new();
        let mut ends = match collective.joins() {
            true => {
                joined = plan.steps().flat_map(origins).collect();
                let mut ends = transfers(&problem, &network, &plan.of_joined(problem.pieces()));
                ends.iter_mut().flatten().zip(0..).for_each(|(of, number)| of.0 = number);
                ends
            }
            false => transfers(&problem, &network, &plan),
        };
        if file.is_timed() {
            let spans = file.steps.iter().flatten().map(|t| [t.at, t.message.bytes]);
            let spans = spans.map(|[at, bytes]| [at, bytes].map(|n| n.unwrap_or(0)));
            let with = |(of, [at, bytes]): (&mut Ends, [u64; 2])| of.3 = Some([at, at + bytes]);
            ends.iter_mut().flatten().zip(spans).for_each(with);
            ends.iter_mut().for_each(|list| list.sort_by_key(|of| (of.3, of.0)));
        }
        let ranks = ranks(&problem, &ends)?;
        let rank = |v: VertexId| ranks[&v];
        let terminals = problem.processes();
        let is_in = |list: &[VertexId]| terminals.iter().map(|v| list.contains(v)).collect();
        let steps = ends.into_iter().map(|step| {
            let of = |message: MessageId| joined.get(message as usize);
            let transfer = |(message, [from, to], links, span): Ends| Transfer {
                message: match collective.joins() {
                    true => message as usize,
                    false => message as usize % messages,
                },
                of: of(message).iter().flat_map(|of| &of.1).map(|&v| rank(v)).collect(),
                piece: of(message).map_or(0, |of| of.0),
                phase: match collective.is_reduction() {
                    true => Some(Phase::Reduce),
                    false if collective.joins() => None,
                    false => problem.message(message).phase,
                },
                from: rank(from),
                to: rank(to),
                links,
                span,
            };
            step.into_iter().map(transfer).collect()
        });
        let message = |id: MessageId| Message {
            source: rank(problem.message(id).origin),
            bytes: problem.lengths().map(|lengths| lengths[id as usize]),
        };
        let mut deliveries = vec![0; messages];
        let demands = problem.demands().iter();
        demands.for_each(|d| deliveries[d.message as usize % messages] += 1);
        let messages = (0..messages as MessageId).map(message).collect();
        Ok(Script {
            name: name.into(),
            terminals: terminals.iter().map(|&v| problem.network().vertex_name(v).into()).collect(),
            messages,
            steps: steps.collect(),
            receives: is_in(receivers),
            sends: is_in(senders),
            rate: problem.network().rate().cloned(),
            is_all_to_all: collective == Collective::Aas,
            sums: match collective.joining() {
                Joining::Sum => Some(true),
                _ => collective.has_sums().then_some(collective.is_all_reduce()),
            },
            joining: collective.joining(),
            pieces: problem.pieces(),
            deliveries,
            plan,
            network: problem.network().clone(),
            lengths: problem.lengths().map(<[_]>::to_vec),
            timed: file.is_timed().then(|| (file.startups(), file.span().unwrap_or(0))),
        })
    }

    /// The number of ranks.
    pub fn ranks(&self) -> usize {
        self.terminals.len()
    }

    /// Whether a rank needs a sum.
    pub(super) fn needs(&self, rank: usize, message: usize) -> bool {
        let is_for = |for_all| for_all || self.messages[message].source == rank;
        self.receives[rank] && self.sums.is_some_and(is_for)
    }

    /// Whether transfers have starts in place of steps.
    pub fn is_timed(&self) -> bool {
        self.timed.is_some()
    }

    /// Whether the schedule gives the lengths of its messages.
    pub fn has_lengths(&self) -> bool {
        self.lengths.is_some()
    }

    /// The length of a piece of a message of `bytes` bytes.
    pub fn piece_of(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.pieces.into())
    }

    /// The bytes that all receivers get together if messages without a length of their own have
    /// `bytes` bytes.
    pub fn delivered(&self, bytes: u64) -> u64 {
        let of_piece = self.piece_of(bytes);
        let of = |(message, count): (&Message, &u64)| message.bytes.unwrap_or(of_piece) * count;
        self.messages.iter().zip(&self.deliveries).map(of).sum()
    }

    /// The seconds that the model gives.
    pub fn predicted(&self, model: &TimeModel) -> f64 {
        if let Some((startups, end)) = self.timed {
            return startups as f64 * model.startup_us * 1e-6 + end as f64 * model.byte_ns * 1e-9;
        }
        let model = model.of_pieces(self.pieces);
        self.plan.time_us(&self.network, &model, self.lengths.as_deref()) * 1e-6
    }

    /// The script in which `rank_of[i]` plays what rank `i` plays here.
    pub fn placed(mut self, rank_of: &[usize]) -> Script {
        fn moved<T: Clone>(list: &[T], rank_of: &[usize]) -> Vec<T> {
            let mut moved = list.to_vec();
            rank_of.iter().zip(list).for_each(|(&rank, item)| moved[rank] = item.clone());
            moved
        }
        self.terminals = moved(&self.terminals, rank_of);
        self.receives = moved(&self.receives, rank_of);
        self.sends = moved(&self.sends, rank_of);
        for message in &mut self.messages {
            message.source = rank_of[message.source];
        }
        for transfer in self.steps.iter_mut().flatten() {
            (transfer.from, transfer.to) = (rank_of[transfer.from], rank_of[transfer.to]);
            transfer.of.iter_mut().for_each(|rank| *rank = rank_of[*rank]);
        }
        self
    }
}

/// A message, the ends of its transfer, the links on the way, and its start and end.
type Ends = (MessageId, [VertexId; 2], Vec<ResourceId>, Option<[u64; 2]>);

/// The transfers of each step by vertices.
fn transfers(problem: &Problem, network: &Network, plan: &Plan) -> Vec<Vec<Ends>> {
    let channel = |c: &u32| network.channel(*c);
    let step = |step: &ccsched_model::schedule::Step| {
        step.iter()
            .filter_map(|t| {
                let ends = [channel(t.channels.first()?).from, channel(t.channels.last()?).to];
                let links = t.channels.iter().map(|&c| problem.resources().of_channel(c)).collect();
                Some((t.message, ends, links, None))
            })
            .collect()
    };
    plan.steps().map(step).collect()
}

/// The ranks of the processes, which alone send and receive.
fn ranks(problem: &Problem, steps: &[Vec<Ends>]) -> Result<HashMap<VertexId, usize>> {
    let ranks: HashMap<VertexId, usize> = problem.processes().iter().copied().zip(0..).collect();
    let mut ends = steps.iter().flatten().flat_map(|(_, ends, ..)| ends);
    let Some(&other) = ends.find(|v| !ranks.contains_key(v)) else { return Ok(ranks) };
    let what = if problem.network().is_terminal(other) { "terminal" } else { "switch" };
    Err(Error::problem(format!(
        "the {what} '{}' stores and forwards messages, but only terminals that take part are ranks; a \
         wormhole schedule passes through the others (--switching wormhole)",
        problem.network().vertex_name(other)
    )))
}

/// How ranks are assigned to terminals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Placement {
    /// By the names of hosts if they are those of the terminals, else by rank
    #[default]
    Auto,
    /// The terminal of the same name as the rank's host
    Host,
    /// Rank i plays terminal i, in the order of the network
    Rank,
}

/// By terminal, the rank that plays it.
///
/// # Errors
/// Another number of ranks than of terminals; hosts that are not the terminals.
pub fn place(terminals: &[String], hosts: &[String], placement: Placement) -> Result<Vec<usize>> {
    let (needed, ranks) = (terminals.len(), hosts.len());
    if needed != ranks {
        return Err(Error::problem(format!(
            "{needed} terminals take part in the schedule, but the job has {ranks} ranks: start it \
             with mpirun -n {needed}"
        )));
    }
    let by_rank = || (0..ranks).collect();
    match placement {
        Placement::Rank => Ok(by_rank()),
        Placement::Host => by_host(terminals, hosts),
        Placement::Auto => Ok(by_host(terminals, hosts).unwrap_or_else(|_| by_rank())),
    }
}

fn by_host(terminals: &[String], hosts: &[String]) -> Result<Vec<usize>> {
    let wrong = |why: String| Error::field("place", format!("{why}; 'rank' goes by ranks alone"));
    let number_of: HashMap<&str, usize> = terminals.iter().map(String::as_str).zip(0..).collect();
    let mut rank_of = vec![None; terminals.len()];
    for (rank, host) in hosts.iter().enumerate() {
        let short = host.split('.').next().unwrap_or_default();
        let number = number_of.get(host.as_str()).or_else(|| number_of.get(short));
        let &number = number.ok_or_else(|| {
            wrong(format!("rank {rank} is on the host '{host}', which is no terminal"))
        })?;
        if let Some(other) = rank_of[number].replace(rank) {
            return Err(wrong(format!("ranks {other} and {rank} are both on the host '{host}'")));
        }
    }
    // As many hosts as terminals, no two of them equal: each terminal has a rank.
    Ok(rank_of.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split(' ').map(String::from).collect()
    }

    #[test]
    fn hosts_find_their_terminals() {
        let terminals = names("a b c");
        let placed =
            |hosts: &str, by| place(&terminals, &names(hosts), by).map_err(|e| e.to_string());
        assert_eq!(placed("c a.cluster.org b", Placement::Auto), Ok(vec![1, 2, 0]));
        assert_eq!(placed("c a b", Placement::Rank), Ok(vec![0, 1, 2]));
        assert_eq!(placed("c a x", Placement::Auto), Ok(vec![0, 1, 2]));
        assert!(
            placed("c a x", Placement::Host).unwrap_err().contains("rank 2 is on the host 'x'")
        );
        assert!(placed("c a a", Placement::Host).unwrap_err().contains("ranks 1 and 2 are both"));
        let few = placed("a b", Placement::Auto).unwrap_err();
        assert!(few.contains("3 terminals") && few.contains("mpirun -n 3"), "{few}");
    }
}
