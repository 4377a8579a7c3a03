//! When a transfer of a schedule begins. A schedule says which transfers share a step, or when each starts; a
//! network has no clock, so messages must keep apart what the schedule does. In a timed schedule a transfer is
//! earlier than another if it ends before the other starts.

use super::parts::{Draft, RankPart};
use super::script::{Script, Transfer};
use ccsched_model::problem::ResourceId;
use ccsched_run::comm::part::Part;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// When a transfer begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Order {
    /// When its two ends have ended their earlier steps (one token a transfer)
    #[default]
    Steps,
    /// When all ranks have ended the earlier steps (a barrier a step)
    Barrier,
    /// When its sender has the message and the earlier transfers on its links have ended (tokens)
    Links,
    /// When its sender has the message
    Dependency,
}

/// The parts of all ranks. A timed schedule has no barriers.
pub fn parts(script: &Script, order: Order) -> Vec<RankPart> {
    let mut draft = Draft::new(script);
    match order {
        _ if script.is_timed() => timed(&mut draft, script, order),
        Order::Steps => script.steps.iter().for_each(|step| with_tokens(&mut draft, step)),
        Order::Barrier => {
            for (i, step) in script.steps.iter().enumerate() {
                if i > 0 {
                    draft.barrier();
                }
                for rank in ranks_of(step) {
                    draft.begin_segment(rank);
                }
                for transfer in step {
                    draft.transfer(transfer, Default::default());
                }
                draft.end_step();
            }
        }
        Order::Links => free(&mut draft, script, Some(Users::default())),
        Order::Dependency => free(&mut draft, script, None),
    }
    draft.make_results();
    draft.finish()
}

/// The parts of a barrier of all ranks.
pub fn barrier(script: &Script) -> Vec<Part> {
    let mut draft = Draft::new(script);
    draft.barrier();
    draft.finish().into_iter().map(|rank| rank.part).collect()
}

/// The ranks that a step needs.
fn ranks_of(step: &[Transfer]) -> BTreeSet<usize> {
    step.iter().flat_map(|transfer| [transfer.from, transfer.to]).collect()
}

/// A step whose receivers say that they have ended all steps before.
fn with_tokens(draft: &mut Draft<'_>, step: &[Transfer]) {
    for rank in ranks_of(step) {
        draft.begin_segment(rank);
    }
    for transfer in step {
        let arrival = draft.token(transfer.to, transfer.from, vec![]);
        draft.transfer(transfer, [vec![arrival], vec![]]);
    }
    draft.end_step();
}

/// All transfers in one segment of each rank: they wait for their data, and if `users` are kept also
/// for their links.
fn free(draft: &mut Draft<'_>, script: &Script, mut users: Option<Users>) {
    // By rank and message, the operation that receives it.
    let mut received: HashMap<(usize, usize), usize> = HashMap::new();
    for (step, transfers) in script.steps.iter().enumerate() {
        for transfer in transfers {
            let &Transfer { message, from, to, .. } = transfer;
            let mut after: BTreeSet<usize> =
                received.get(&(from, message)).copied().into_iter().collect();
            for (rank, receipt) in users.iter_mut().flat_map(|users| users.before(step, transfer)) {
                let ended = match rank == from {
                    true => receipt,
                    false => draft.token(rank, from, vec![receipt]),
                };
                after.insert(ended);
            }
            let [_, receipt] = draft.transfer(transfer, [after.into_iter().collect(), vec![]]);
            received.insert((to, message), receipt);
            if let Some(users) = &mut users {
                users.add(step, transfer, receipt);
            }
        }
        draft.end_step();
    }
}

/// What a transfer of a timed schedule holds, as far as an order heeds it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Held {
    Link(ResourceId),
    Rank(usize),
}

/// A timed schedule: its transfers wait for the earlier ones of their ends, or on their links.
fn timed(draft: &mut Draft<'_>, script: &Script, order: Order) {
    let mut users: HashMap<Held, Earlier> = HashMap::new();
    for transfer in script.steps.iter().flatten() {
        let &Transfer { from, to, span, .. } = transfer;
        let [start, end] = span.unwrap_or_default();
        let held: Vec<Held> = match order {
            Order::Dependency => vec![],
            Order::Links => transfer.links.iter().copied().map(Held::Link).collect(),
            Order::Steps | Order::Barrier => vec![Held::Rank(from), Held::Rank(to)],
        };
        let before = |held| Some(users.get_mut(held)?.before(start));
        let before: BTreeSet<Receipt> = held.iter().filter_map(before).flatten().collect();
        // One token of each other rank tells of all its transfers.
        let mut of_rank: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        before.into_iter().for_each(|(rank, end)| of_rank.entry(rank).or_default().push(end));
        let mut after = of_rank.remove(&from).unwrap_or_default();
        after.extend(of_rank.into_iter().map(|(rank, ends)| draft.token(rank, from, ends)));
        let [sent, receipt] = draft.transfer(transfer, [after, vec![]]);
        for held in held {
            let receipt = if held == Held::Rank(from) { (from, sent) } else { (to, receipt) };
            users.entry(held).or_default().0.push(([start, end], receipt));
        }
    }
    draft.end_step();
}

/// Transfers that held something, by start: those after which no other one began that has ended.
#[derive(Default)]
struct Earlier(Vec<([u64; 2], Receipt)>);

impl Earlier {
    /// Those that end before `start`, which falls in no call. The others waited for what is left out.
    fn before(&mut self, start: u64) -> Vec<Receipt> {
        let has_ended = |[began, ended]: [u64; 2]| ended <= start && began < ended;
        let ended = self.0.iter().map(|(span, _)| *span).filter(|&span| has_ended(span));
        let latest = ended.map(|[began, _]| began).max().unwrap_or(0);
        self.0.retain(|([_, ended], _)| *ended > latest);
        self.0
            .iter()
            .filter(|([_, ended], _)| *ended <= start)
            .map(|(_, receipt)| *receipt)
            .collect()
    }
}

/// A rank, and the operation by which it knows that its transfer has ended.
type Receipt = (usize, usize);

/// By link, the transfers on it of the two latest steps in which it is used.
#[derive(Default)]
struct Users(HashMap<ResourceId, [(usize, Vec<Receipt>); 2]>);

impl Users {
    /// The transfers of the latest step before this one on any of the links.
    fn before(&self, step: usize, transfer: &Transfer) -> BTreeSet<Receipt> {
        let of_link = |link| {
            let users = self.0.get(link)?;
            Some(users.iter().find(|(at, _)| *at < step)?.1.iter().copied())
        };
        transfer.links.iter().filter_map(of_link).flatten().collect()
    }

    fn add(&mut self, step: usize, transfer: &Transfer, receipt: usize) {
        for &link in &transfer.links {
            let [latest, before] =
                self.0.entry(link).or_insert_with(|| [(step, vec![]), (step, vec![])]);
            if latest.0 < step {
                *before = std::mem::replace(latest, (step, vec![]));
            }
            latest.1.push((transfer.to, receipt));
        }
    }
}
