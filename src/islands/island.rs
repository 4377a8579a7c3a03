//! The life of an island.

use super::messages::{Orders, Report};
use super::state::{IslandState, Leg};
use super::{Master, Search, SearchError};
use crate::comm::{CommError, Communicator, codec};
use crate::engines::{Genome, Rng, Walker, rng_of};
use std::sync::atomic::{AtomicBool, Ordering};

/// Searches with `walker` until the master stops everybody. The island of rank 0 has the master
/// with it. The flag `interrupted` breaks the search off between two iterations.
///
/// # Errors
/// When islands cannot talk, or the master's listener fails.
pub fn live<C: Communicator>(
    comm: &mut C,
    walker: &mut dyn Walker,
    search: &Search,
    interrupted: &AtomicBool,
    mut master: Option<&mut Master<'_>>,
) -> Result<(), SearchError> {
    walker.settle(comm.rank());
    let rng = rng_of(search.seed, comm.rank(), 0);
    let stretch = search.exchange_every;
    let mut island = Island { walker, rng, leg: Leg::default(), stretch, interrupted };
    let first = master.as_mut().map(|master| master.begin()).transpose()?;
    let mut orders = deliver(comm, first)?;
    while let Some(answer) = island.obey(orders)? {
        let answers = comm.gather(answer)?;
        let replies = match (&mut master, answers) {
            (Some(master), Some(answers)) => Some(master.reply(answers, island.walker)?),
            _ => None,
        };
        orders = deliver(comm, replies)?;
    }
    Ok(())
}

struct Island<'a> {
    walker: &'a mut dyn Walker,
    rng: Rng,
    leg: Leg,
    /// Iterations between two exchanges.
    stretch: u64,
    interrupted: &'a AtomicBool,
}

impl Island<'_> {
    /// Does what the master wants; returns the answer, none if all is over.
    fn obey(&mut self, orders: Orders) -> Result<Option<Vec<u8>>, CommError> {
        let mut leg = Leg { left: self.stretch, ..Leg::default() };
        match orders {
            Orders::Stop => return Ok(None),
            Orders::Save => {
                let (rng, walker) = (self.rng.clone(), self.walker.save()?);
                return codec::encode(&IslandState { rng, walker, leg: self.leg }).map(Some);
            }
            Orders::Load(state, then) => {
                self.walker.load(&state.walker)?;
                (self.rng, self.leg) = (state.rng, state.leg);
                return self.obey(*then);
            }
            Orders::Wait => return codec::encode(&Report::default()).map(Some),
            Orders::GoOn => leg = self.leg,
            Orders::Seek(steps) => leg.evaluations = self.walker.seek(steps, &mut self.rng),
            Orders::Meet(partner) => {
                if let Some(genome) = partner {
                    self.walker.meet(&genome, &mut self.rng);
                }
            }
        }
        self.leg = leg;
        codec::encode(&self.search_on()).map(Some)
    }

    /// The iterations that are left, fewer if the solution becomes a schedule.
    fn search_on(&mut self) -> Report {
        while self.leg.left > 0 && self.walker.cost() > 0 {
            if self.interrupted.load(Ordering::Relaxed) {
                self.leg.tally += self.walker.tally();
                return Report { broken_off: true, ..self.report() };
            }
            self.leg.evaluations += self.walker.sweep(&mut self.rng);
            self.leg.left -= 1;
        }
        self.leg.tally += self.walker.tally();
        if self.walker.cost() > 0 {
            return Report { genome: self.walker.genome(), ..self.report() };
        }
        self.walker.polish(&mut self.rng);
        let plan = Some((self.walker.plan(), self.walker.way()));
        Report { plan, ..self.report() }
    }

    fn report(&self) -> Report {
        Report {
            cost: self.walker.cost(),
            plan: None,
            genome: Genome::Nothing,
            evaluations: self.leg.evaluations,
            temperature: self.walker.temperature(),
            tally: self.leg.tally,
            broken_off: false,
        }
    }
}

fn deliver<C: Communicator>(
    comm: &mut C,
    orders: Option<Vec<Orders>>,
) -> Result<Orders, SearchError> {
    let encoded = orders
        .map(|all| all.iter().map(codec::encode).collect::<Result<Vec<_>, _>>())
        .transpose()?;
    Ok(codec::decode(&comm.scatter(encoded)?)?)
}
