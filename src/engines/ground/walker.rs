//! A walker: one island's search for a schedule of a fixed number of steps.

use super::Method;
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::routing::{PathId, PathTable};
use ccsched_model::schedule::Plan;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The path of one delivery, and the step in which it starts (from 0).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Gene {
    /// Index in the problem's table of paths.
    pub path: PathId,
    /// The first step of the transfer.
    pub step: u32,
}

/// A schedule of the least time: by message, its path and its start, or its step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timetable {
    /// By message, its path.
    pub routes: Vec<PathId>,
    /// By message, its start in bytes, or its step.
    pub starts: Vec<u64>,
    /// The end of the last message; of steps, what they cost.
    pub end: u64,
}

/// The part of an island's solution that other islands see.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Genome {
    /// Nothing of use to other islands.
    #[default]
    Nothing,
    /// One gene per delivery, with conflicts, as in the papers' engines.
    Genes(Vec<Gene>),
    /// Transfers without a conflict among them; some may still be missing.
    Transfers(Plan),
    /// What an island has done for a schedule that the islands of a team search for together.
    Part(Arc<Part>),
    /// Such parts of its team that an island receives, in the order of the islands.
    Parts(Arc<Vec<Arc<Part>>>),
    /// What a search shows, and the genes of the annealer beside it.
    Both(Box<(Genome, Genome)>),
    /// A schedule of the least time so far, by paths and starts, or steps.
    Times(Arc<Timetable>),
    /// Those of several islands, which an island crosses over with one after the other. Walkers get
    /// one at a time.
    Several(Vec<Genome>),
}

/// What an island shows to its team, as bytes that only the search of the team reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Which islands receive it.
    pub sharing: Sharing,
    /// The cost of what it shows.
    pub cost: u64,
    /// What it shows.
    #[serde(with = "codec::raw")]
    pub bytes: Vec<u8>,
}

/// Which islands of a team receive the part of an island.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sharing {
    /// All.
    All,
    /// One of the worse half, if the part is one of the better half, by cost. When a new search
    /// begins, all receive the best one.
    Better,
}

/// The result of the last call of [`Walker::iterate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// Iterations completed. One iteration may take several calls.
    pub iterations: u64,
    /// Whether the walker waits for the parts of its team.
    pub is_due: bool,
}

impl Default for Leg {
    fn default() -> Self {
        Leg { iterations: 1, is_due: false }
    }
}

/// The place of an island in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Its number.
    pub island: usize,
    /// How many islands search.
    pub islands: usize,
    /// How many of them, at most, form a group that exchanges at every exchange.
    pub group: usize,
    /// The seed of the search.
    pub seed: u64,
    /// Whether the search is for as few steps as possible, not for a number asked for.
    pub is_open: bool,
    /// Its number among the islands of its group that search for one schedule together, and how many
    /// these are; none if it searches for its own.
    pub team: Option<(usize, usize)>,
}

impl Part {
    /// A part for all islands of the team.
    pub fn for_all<T: Serialize>(shown: &T) -> Self {
        Part { sharing: Sharing::All, cost: 0, bytes: encoded(shown) }
    }

    /// A part for an island of the worse half of the team.
    pub fn for_worse<T: Serialize>(cost: u64, shown: &T) -> Self {
        Part { sharing: Sharing::Better, cost, bytes: encoded(shown) }
    }

    /// What it shows; none if the bytes are those of another search.
    pub fn shown<T: DeserializeOwned>(&self) -> Option<T> {
        codec::decode(&self.bytes).ok()
    }
}

fn encoded<T: Serialize>(shown: &T) -> Vec<u8> {
    codec::encode(shown).expect("plain types can be encoded")
}

impl Genome {
    /// Those of several islands; none if there are none.
    pub fn of_several(genomes: impl IntoIterator<Item = Genome>) -> Option<Genome> {
        let mut all: Vec<Genome> = genomes.into_iter().collect();
        if all.len() > 1 { Some(Genome::Several(all)) } else { all.pop() }
    }

    /// The genomes, if they are several; or this one.
    pub fn each(&self) -> &[Genome] {
        match self {
            Genome::Several(all) => all,
            one => std::slice::from_ref(one),
        }
    }

    /// The part that it shows to a team, alone or beside other genes.
    pub fn part(&self) -> Option<&Arc<Part>> {
        match self {
            Genome::Part(part) => Some(part),
            Genome::Both(both) => both.0.part(),
            _ => None,
        }
    }
}

impl Seat {
    /// An island among others of one group.
    pub fn among(island: usize, islands: usize) -> Self {
        Seat { island, islands, group: islands, seed: 0, is_open: true, team: None }
    }

    /// The same island in the team of those islands of its group that are members.
    pub fn with_team(self, is_member: impl Fn(usize) -> bool) -> Self {
        let first = self.island - self.island % self.group.max(1);
        let end = self.islands.min(first + self.group.max(1));
        let members = (first..end).filter(|&island| is_member(island));
        let index = members.clone().position(|island| island == self.island);
        Seat { team: index.map(|index| (index, members.count())), ..self }
    }
}

/// A search at a fixed number of steps, or for the least cost. Zero cost is a conflict-free schedule; it may be longer
/// than the target if it is the walker's best.
///
/// A walker that changes little of another one names it as its inner one, and writes what it changes.
pub trait Walker: Resume + Copied + Send {
    /// The walker that answers for this one where this one has no method of its own; none in a search that
    /// stands for itself.
    fn inner(&self) -> Option<&dyn Walker> {
        None
    }

    /// The same one.
    fn inner_mut(&mut self) -> Option<&mut dyn Walker> {
        None
    }

    /// Tells the walker its island, before anything else; a walker with several methods or
    /// temperatures then begins with a different one on each island.
    fn settle(&mut self, seat: Seat) {
        if let Some(inner) = self.inner_mut() {
            inner.settle(seat);
        }
    }

    /// The number of paths that it chooses from, if it lists paths.
    fn paths(&self) -> Option<PathsFound> {
        self.inner()?.paths()
    }

    /// Begins a search for a schedule of `steps` steps; the present solution is carried over.
    /// Returns the number of solutions evaluated.
    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64;

    /// Begins a search for a schedule of this cost, in the unit of the cost: steps, unless the walker has
    /// another. Returns the number of solutions evaluated.
    fn aim(&mut self, goal: u64, rng: &mut Rng) -> u64 {
        self.seek(u32::try_from(goal).unwrap_or(u32::MAX), rng)
    }

    /// One iteration: as many proposed moves as there are genes; a team makes a part of them, or
    /// more, between two exchanges. Returns the number of moves.
    fn iterate(&mut self, rng: &mut Rng) -> u64;

    /// The same; it may end early when `is_over` returns true: then the search does not go on, and what has been found
    /// counts.
    fn iterate_until(&mut self, rng: &mut Rng, _is_over: &dyn Fn() -> bool) -> u64 {
        self.iterate(rng)
    }

    /// What the last call of [`Walker::iterate`] was.
    fn pause(&self) -> Leg {
        self.inner().map_or(Leg::default(), |inner| inner.pause())
    }

    /// Crosses over with the solution of another island, which may be of another kind. Returns the
    /// number of moves.
    fn cross_over(&mut self, partner: &Genome, rng: &mut Rng) -> u64 {
        self.inner_mut().map_or(0, |inner| inner.cross_over(partner, rng))
    }

    /// Whether a genome from a saved state is one that an island of this search can show.
    fn can_meet(&self, partner: &Genome) -> bool {
        self.inner().is_none_or(|inner| inner.can_meet(partner))
    }

    /// The cost of the present solution; 0 if it is conflict-free.
    fn cost(&self) -> u64;

    /// What its best schedule costs, if it improves one instead of seeking one of a fixed cost: then it is
    /// reported at the end of a leg whatever is left to gain.
    fn best(&self) -> Option<u64> {
        None
    }

    /// The mean cost of its solutions, if it has several.
    fn mean_cost(&self) -> f64 {
        self.cost() as f64
    }

    /// The present solution, for other islands to cross over with.
    fn genome(&self) -> Genome {
        self.inner().map_or(Genome::Nothing, |inner| inner.genome())
    }

    /// Whether [`Walker::genome`] is of use to other islands. They choose it by the cost.
    fn shows(&self) -> bool {
        self.inner().is_some_and(|inner| inner.shows())
    }

    /// The temperature, for the progress line; 0 if the walker does not anneal.
    fn temperature(&self) -> f64 {
        self.inner().map_or(0.0, |inner| inner.temperature())
    }

    /// Shortens a conflict-free solution as far as cheap moves can.
    fn polish(&mut self, rng: &mut Rng) {
        if let Some(inner) = self.inner_mut() {
            inner.polish(rng);
        }
    }

    /// Iterations at one number of steps before the search tries a larger one; 0 if it has nothing to
    /// try for this number.
    fn patience(&self) -> u64 {
        self.inner().map_or(2000, |inner| inner.patience())
    }

    /// The counts since the last call.
    fn tally(&mut self) -> Tally {
        self.inner_mut().map_or(Tally::default(), |inner| inner.tally())
    }

    /// The method that found the present solution.
    fn method(&self) -> Method;

    /// The present solution as a schedule, if its cost is 0.
    fn plan(&self) -> Plan;

    /// The schedule that the island reports, if its cost is 0; none if island 0 reports the same.
    fn reported(&self) -> Option<Arc<Plan>> {
        Some(Arc::new(self.plan()))
    }
}

/// A search that can be saved and resumed.
pub trait Resume {
    /// The state that determines the rest of the search, apart from the walker's parameters and the
    /// random numbers to come.
    ///
    /// # Errors
    /// The state cannot be encoded.
    fn save(&self) -> Result<Vec<u8>, CommError>;

    /// Resumes from a saved state. The saving walker must have been made for the same problem with
    /// the same parameters, and settled on the same island.
    ///
    /// # Errors
    /// The bytes are not such a state.
    fn load(&mut self, state: &[u8]) -> Result<(), CommError>;
}

/// The highest step target of a search on these deliveries.
pub fn most_steps(deliveries: usize) -> usize {
    4096_usize.saturating_add(deliveries.saturating_mul(64))
}

/// Refuses a saved number of steps that no search on these deliveries targets: walkers keep a place
/// for every step.
///
/// # Errors
/// It is far beyond.
pub(crate) fn check_steps(steps: u32, deliveries: usize) -> Result<(), CommError> {
    if steps as usize <= most_steps(deliveries) { Ok(()) } else { Err(CommError::Unfit("steps")) }
}

/// A walker that can be cloned behind a `Box`, for other islands.
pub trait Copied {
    /// A clone.
    fn boxed_clone(&self) -> Box<dyn Walker>;
}

impl<W: Walker + Clone + 'static> Copied for W {
    fn boxed_clone(&self) -> Box<dyn Walker> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Walker> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}

/// Counts of a walker's moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Moves proposed.
    pub proposed: u64,
    /// Of these, moves accepted.
    pub accepted: u64,
    /// Solutions of other islands of which it has adopted a part.
    pub adopted: u64,
    /// Ejection moves, without the relocations between them.
    pub ejections: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.proposed += other.proposed;
        self.accepted += other.accepted;
        self.adopted += other.adopted;
        self.ejections += other.ejections;
    }
}

/// The number of paths a walker chooses from.
#[derive(Clone, Copy, Debug, Default)]
pub struct PathsFound {
    /// Paths stored.
    pub paths: usize,
    /// Pairs with more paths than the cap; a sample of their paths is stored.
    pub sampled_pairs: usize,
    /// Most paths stored for one pair.
    pub cap: usize,
}

impl PathsFound {
    /// The counts of a table.
    pub fn of(table: &PathTable) -> Self {
        let (sampled_pairs, cap) = table.sampled();
        PathsFound { paths: table.len(), sampled_pairs, cap }
    }
}
