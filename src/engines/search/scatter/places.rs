//! The place of each transfer: its channels, and the step in which it crosses each.

use super::ScatterSearch;
use ccsched_base::codec;
use ccsched_model::problem::{Problem, ResourceId, Switching};
use ccsched_model::schedule::Plan;
use ccsched_network::ChannelId;
use serde::{Deserialize, Serialize, Serializer};

/// One hop: a channel and the step in which it is crossed.
pub type Crossing = (ChannelId, u32);

/// The crossings of all transfers in one array; a waiting transfer has none.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Places {
    /// First crossing of each transfer, and the end of the last.
    firsts: Vec<usize>,
    lengths: Vec<u32>,
    crossings: Vec<Crossing>,
}

impl Places {
    /// Room for transfers of at most these lengths; all wait.
    pub fn new(most: impl Iterator<Item = u32>) -> Self {
        let mut firsts = vec![0];
        firsts.extend(most.scan(0, |sum, most| {
            *sum += most as usize;
            Some(*sum)
        }));
        let (transfers, all) = (firsts.len() - 1, firsts[firsts.len() - 1]);
        Places { firsts, lengths: vec![0; transfers], crossings: vec![(0, 0); all] }
    }

    /// Number of transfers.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Crossings of the longest place that there is room for.
    pub fn longest(&self) -> usize {
        self.firsts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0)
    }

    /// Crossings of a transfer that there is room for.
    fn room(&self, transfer: u32) -> usize {
        self.firsts[transfer as usize + 1] - self.firsts[transfer as usize]
    }

    /// The place of a transfer; empty if it waits.
    #[inline]
    pub fn of(&self, transfer: u32) -> &[Crossing] {
        let t = transfer as usize;
        &self.crossings[self.firsts[t]..][..self.lengths[t] as usize]
    }

    /// Whether a transfer has a place.
    #[inline]
    pub fn is_placed(&self, transfer: u32) -> bool {
        self.lengths[transfer as usize] > 0
    }

    /// Gives a transfer a place; an empty one makes it wait.
    #[inline]
    pub fn set(&mut self, transfer: u32, crossings: &[Crossing]) {
        let t = transfer as usize;
        self.lengths[t] = crossings.len() as u32;
        self.crossings[self.firsts[t]..][..crossings.len()].copy_from_slice(crossings);
    }
}

/// Adds the transfer of a demand to a schedule, if it has a place.
pub fn add_to_plan(problem: &Problem, plan: &mut Plan, demand: u32, place: &[Crossing]) {
    let message = problem.demands()[demand as usize].message;
    let hops = match problem.switching() {
        Switching::Wormhole | Switching::Hosts => place.len().max(1),
        Switching::StoreAndForward => 1,
    };
    for part in place.chunks(hops) {
        plan.push(part[0].1 as usize, message, part.iter().map(|&(c, _)| c));
    }
}

/// The resources that a transfer occupies, each with its step.
pub fn uses<'a>(
    problem: &'a Problem,
    crossings: &'a [Crossing],
) -> impl Iterator<Item = (ResourceId, u32)> + Clone + 'a {
    let (network, resources, switching) =
        (problem.network(), problem.resources(), problem.switching());
    crossings.iter().enumerate().flat_map(move |(hop, &(c, step))| {
        let at = (hop == 0, hop + 1 == crossings.len());
        let (link, [send, receive]) = resources.of_crossing(network, switching, c, at);
        [Some(link), send, receive].into_iter().flatten().map(move |r| (r, step))
    })
}

/// Cuts the loops out of a walk that visits a vertex twice. Walks with a slack of two or more may
/// have loops.
pub fn cut_loops(problem: &Problem, walk: &mut Vec<Crossing>) {
    let from = |crossing: &Crossing| problem.network().channel(crossing.0).from;
    let mut i = 0;
    while i < walk.len() {
        let v = from(&walk[i]);
        if let Some(again) = walk.iter().rposition(|crossing| from(crossing) == v) {
            walk.drain(i..again);
        }
        i += 1;
    }
}

// Places and weights of some transfers: those that moves have changed, as they were before, to undo the
// moves; or as they are now, to tell other islands.

/// Transfers with places and weights. As bytes, all numbers are words of four: teams send thousands of
/// them every millisecond.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Words")]
pub struct Changes {
    transfers: Vec<u32>,
    weights: Vec<i16>,
    /// The end of each place in `crossings`.
    ends: Vec<u32>,
    crossings: Vec<Crossing>,
}

impl Changes {
    /// Number of transfers.
    fn len(&self) -> usize {
        self.transfers.len()
    }

    /// The transfers.
    pub fn transfers(&self) -> &[u32] {
        &self.transfers
    }

    /// A transfer with its weight and its place, which is empty if it waits.
    pub fn get(&self, i: usize) -> (u32, i16, &[Crossing]) {
        let first = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        (self.transfers[i], self.weights[i], &self.crossings[first..self.ends[i] as usize])
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (u32, i16, &[Crossing])> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Adds a transfer.
    pub fn push(&mut self, transfer: u32, weight: i16, place: &[Crossing]) {
        self.transfers.push(transfer);
        self.weights.push(weight);
        self.crossings.extend_from_slice(place);
        self.ends.push(self.crossings.len() as u32);
    }

    /// Removes all.
    fn clear(&mut self) {
        self.transfers.clear();
        self.weights.clear();
        self.ends.clear();
        self.crossings.clear();
    }

    /// Whether the transfers exist, with places that they may have in a search.
    pub fn is_sound(&self, search: &ScatterSearch) -> bool {
        let counts = [self.weights.len(), self.ends.len()];
        counts == [self.len(); 2]
            && self.ends.is_sorted()
            && self.ends.last().is_none_or(|&end| end as usize == self.crossings.len())
            && self.iter().all(|(t, weight, place)| {
                (t as usize) < search.places.len()
                    && (0..search.max_weight).contains(&weight)
                    && (place.is_empty() || search.is_way(t, place))
            })
    }
}

/// The bytes of changes.
#[derive(Deserialize)]
struct Words(#[serde(with = "codec::raw")] Vec<u8>);

impl Serialize for Changes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::with_capacity(4 + 12 * self.len() + 8 * self.crossings.len());
        let mut put = |word: u32| bytes.extend(word.to_le_bytes());
        put(self.len() as u32);
        self.transfers.iter().for_each(|&t| put(t));
        self.weights.iter().for_each(|&weight| put(u32::from(weight as u16)));
        self.ends.iter().for_each(|&end| put(end));
        self.crossings.iter().flat_map(|&(c, step)| [c, step]).for_each(&mut put);
        codec::raw::serialize(&bytes, to)
    }
}

impl TryFrom<Words> for Changes {
    type Error = &'static str;

    fn try_from(Words(bytes): Words) -> Result<Self, Self::Error> {
        let (words, rest) = bytes.as_chunks::<4>();
        let mut words = words.iter().map(|&word| u32::from_le_bytes(word));
        let count = words.next().unwrap_or(0) as usize;
        if !rest.is_empty() || words.len() / 3 < count {
            return Err("changes are cut off");
        }
        let transfers = words.by_ref().take(count).collect();
        let weights = words.by_ref().take(count).map(|weight| weight as u16 as i16).collect();
        let ends = words.by_ref().take(count).collect();
        let mut crossings = Vec::with_capacity(words.len() / 2);
        while let (Some(channel), Some(step)) = (words.next(), words.next()) {
            crossings.push((channel, step));
        }
        Ok(Changes { transfers, weights, ends, crossings })
    }
}

impl ScatterSearch {
    /// Whether crossings lead a transfer from its source to its destination, within the steps.
    fn is_way(&self, t: u32, place: &[Crossing]) -> bool {
        let (network, demand) = (self.problem.network(), &self.problem.demands()[self.demand(t)]);
        let channels = network.channels().len();
        let are_known = place.iter().all(|&(c, step)| (c as usize) < channels && step < self.steps);
        if !are_known || place.len() > self.places.room(t) {
            return false;
        }
        let channel = |&(c, _): &Crossing| network.channel(c);
        let follow = |two: &[Crossing]| {
            let in_time = match self.problem.switching() {
                Switching::Wormhole | Switching::Hosts => two[0].1 == two[1].1,
                Switching::StoreAndForward => two[0].1 < two[1].1,
            };
            in_time && channel(&two[0]).to == channel(&two[1]).from
        };
        let is_once = |(i, &(c, _)): (usize, &Crossing)| place[..i].iter().all(|&(d, _)| c != d);
        channel(&place[0]).from == demand.source
            && channel(&place[place.len() - 1]).to == demand.destination
            && place.windows(2).all(follow)
            && place.iter().enumerate().all(is_once)
    }
}

/// The changes since a mark.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// By transfer: whether it is among those that have changed.
    is_noted: Vec<bool>,
    /// The transfers that have changed, as they were before.
    pub before: Changes,
}

impl Log {
    /// No changes of this number of transfers.
    pub fn new(transfers: usize) -> Self {
        Log { is_noted: vec![false; transfers], before: Changes::default() }
    }

    /// The same with changes that are known.
    pub fn of(transfers: usize, before: Changes) -> Self {
        let mut log = Log::new(transfers);
        before.transfers().iter().for_each(|&t| log.is_noted[t as usize] = true);
        Log { before, ..log }
    }

    /// Notes the place and the weight of a transfer that is about to change, if it is the first time.
    #[inline]
    pub fn note(&mut self, transfer: u32, weight: i16, place: &[Crossing]) {
        if !std::mem::replace(&mut self.is_noted[transfer as usize], true) {
            self.before.push(transfer, weight, place);
        }
    }

    /// Forgets all changes.
    pub fn clear(&mut self) {
        self.before.transfers().iter().for_each(|&t| self.is_noted[t as usize] = false);
        self.before.clear();
    }
}
