//! A search and an annealer side by side: on several islands, each of them also anneals a complete
//! solution, and crosses it over with the annealers of the others at each exchange
//! (hgsa-store-and-forward, section 3.2).
//!
//! The annealer has a generator of its own, so that the search is unaffected. It makes few moves in
//! an iteration, because it rarely wins.

use crate::ground::check_steps;
use crate::{Genome, Method, Resume, Seat, Tally, Walker, hgsa, policy};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::{Rng, is_sound, rng_of};
use ccsched_bounds::eccentricity;
use ccsched_model::problem::Problem;
use ccsched_model::schedule::Plan;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};

/// Iterations of the annealer where the search needs none, and between two exchanges of annealers
/// beside a team, whose searches exchange more often: those of a leg.
const AT_ONCE: u64 = 10;
/// The purpose of the annealer's random numbers.
const PURPOSE: usize = 5;

/// The annealer of a problem, which the first island that needs it makes.
#[derive(Clone)]
struct Model {
    problem: Arc<Problem>,
    seed: u64,
    /// No complete solution has fewer steps.
    least: u32,
    made: Arc<Mutex<Option<Box<dyn Walker>>>>,
}

impl Model {
    fn copy(&self) -> Box<dyn Walker> {
        // A panic in between leaves nothing half made.
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || {
            let params = hgsa::Params { round: Some(policy::ROUND), ..hgsa::Params::default() };
            let stride = policy::stride(params.ejects(&self.problem));
            let params = hgsa::Params { stride, ..params };
            hgsa::walker(&self.problem, params, self.seed)
        };
        made.get_or_insert_with(make).clone()
    }
}

/// A search and, if there are several islands, an annealer.
#[derive(Clone)]
pub struct Paired {
    search: Box<dyn Walker>,
    model: Model,
    annealer: Option<Annealer>,
    steps: u32,
    /// Iterations since the annealers of a team have exchanged.
    since: u64,
}

#[derive(Clone)]
struct Annealer {
    walker: Box<dyn Walker>,
    rng: Rng,
}

#[derive(Serialize, Deserialize)]
struct Saved {
    search: Vec<u8>,
    annealer: Option<(Vec<u8>, Rng)>,
    steps: u32,
    since: u64,
}

impl Paired {
    /// Puts an annealer beside a search for the same problem.
    pub fn new(search: Box<dyn Walker>, problem: Arc<Problem>, seed: u64) -> Self {
        let least = eccentricity::least(&problem);
        let model = Model { problem, seed, least, made: Arc::default() };
        Paired { search, model, annealer: None, steps: 0, since: 0 }
    }

    /// The annealer, if complete solutions of this number of steps exist.
    fn annealer(&self) -> Option<&Annealer> {
        self.annealer.as_ref().filter(|_| self.steps >= self.model.least)
    }

    fn annealer_mut(&mut self) -> Option<&mut Annealer> {
        self.annealer.as_mut().filter(|_| self.steps >= self.model.least)
    }

    /// The annealer, if it has a schedule and the search has none.
    fn winner(&self) -> Option<&Annealer> {
        self.annealer().filter(|a| a.walker.cost() == 0 && self.search.cost() > 0)
    }

    /// The one of the two that has a schedule; the search if both or none have.
    fn shown(&self) -> &dyn Walker {
        self.winner().map_or(&*self.search, |annealer| &*annealer.walker)
    }
}

impl Annealer {
    /// Sets the step target. If the search reaches it at once, the leg ends before its first
    /// iteration; the annealer still anneals, so that it shows genes of its own.
    fn seek(&mut self, steps: u32, is_found: bool) -> u64 {
        let mut moves = self.walker.seek(steps, &mut self.rng);
        for _ in 0..if is_found { AT_ONCE } else { 0 } {
            moves += self.walker.iterate(&mut self.rng);
        }
        moves
    }
}

impl Walker for Paired {
    fn inner(&self) -> Option<&dyn Walker> {
        Some(&*self.search)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Walker> {
        Some(&mut *self.search)
    }

    fn settle(&mut self, seat: Seat) {
        self.search.settle(seat);
        self.annealer = (seat.islands > 1).then(|| {
            let mut walker = self.model.copy();
            walker.settle(seat);
            Annealer { walker, rng: rng_of(self.model.seed, seat.island, PURPOSE) }
        });
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        self.steps = steps;
        let moves = self.search.seek(steps, rng);
        let is_found = self.search.cost() == 0;
        moves + self.annealer_mut().map_or(0, |annealer| annealer.seek(steps, is_found))
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        let mut moves = self.search.iterate(rng);
        if self.search.cost() == 0 {
            return moves;
        }
        let iterations = self.search.pause().iterations;
        self.since = if self.since < AT_ONCE { self.since } else { 0 } + iterations;
        for _ in 0..iterations {
            moves += self.annealer_mut().map_or(0, |a| a.walker.iterate(&mut a.rng));
        }
        moves
    }

    fn cross_over(&mut self, partner: &Genome, rng: &mut Rng) -> u64 {
        let Genome::Both(both) = partner else { return self.search.cross_over(partner, rng) };
        let (for_search, for_annealer) = &**both;
        let moves = self.search.cross_over(for_search, rng);
        let crossed =
            |annealer: &mut Annealer| annealer.walker.cross_over(for_annealer, &mut annealer.rng);
        moves + self.annealer_mut().map_or(0, crossed)
    }

    fn can_meet(&self, partner: &Genome) -> bool {
        let Genome::Both(both) = partner else { return self.search.can_meet(partner) };
        let (for_search, for_annealer) = &**both;
        let annealer = self.annealer();
        self.search.can_meet(for_search)
            && annealer.is_none_or(|annealer| annealer.walker.can_meet(for_annealer))
    }

    /// That of the search if it shows others something, which they choose by its cost; else that of
    /// the annealer.
    fn cost(&self) -> u64 {
        match self.annealer() {
            Some(_) if self.winner().is_some() => 0,
            Some(annealer) if self.search.cost() > 0 && !self.search.shows() => {
                annealer.walker.cost()
            }
            _ => self.search.cost(),
        }
    }

    fn genome(&self) -> Genome {
        let of_search = self.search.genome();
        let exchanges = !self.search.pause().is_due || self.since >= AT_ONCE;
        match self.annealer().filter(|_| exchanges) {
            Some(annealer) => Genome::Both(Box::new((of_search, annealer.walker.genome()))),
            None => of_search,
        }
    }

    fn shows(&self) -> bool {
        self.annealer().is_some() || self.search.shows()
    }

    fn temperature(&self) -> f64 {
        self.annealer().map_or(0.0, |annealer| annealer.walker.temperature())
    }

    fn polish(&mut self, rng: &mut Rng) {
        match (self.winner().is_some(), self.annealer_mut()) {
            (true, Some(annealer)) => annealer.walker.polish(&mut annealer.rng),
            _ => self.search.polish(rng),
        }
    }

    fn tally(&mut self) -> Tally {
        let mut tally = self.search.tally();
        if let Some(annealer) = self.annealer_mut() {
            tally += annealer.walker.tally();
        }
        tally
    }

    fn method(&self) -> Method {
        self.shown().method()
    }

    fn plan(&self) -> Plan {
        self.shown().plan()
    }

    fn reported(&self) -> Option<Arc<Plan>> {
        self.shown().reported()
    }
}

impl Resume for Paired {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        let save = |a: &Annealer| Ok::<_, CommError>((a.walker.save()?, a.rng.clone()));
        codec::encode(&Saved {
            search: self.search.save()?,
            annealer: self.annealer().map(save).transpose()?,
            steps: self.steps,
            since: self.since,
        })
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let Saved { search, annealer, steps, since } = codec::decode(state)?;
        self.search.load(&search)?;
        check_steps(steps, self.model.problem.demands().len())?;
        (self.steps, self.since) = (steps, since.min(u64::MAX / 2));
        match (self.annealer_mut(), annealer) {
            (Some(own), Some((walker, rng))) => {
                if !is_sound(&rng) {
                    return Err(CommError::Unsound("its random numbers must not be all zero"));
                }
                own.walker.load(&walker)?;
                own.rng = rng;
            }
            // The saved search had one island.
            (Some(own), None) => drop(own.seek(steps, false)),
            (None, _) => {}
        }
        Ok(())
    }
}
