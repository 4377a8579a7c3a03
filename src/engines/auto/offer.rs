//! A walker that starts with a constructed schedule. It offers the schedule where that is short
//! enough, and searches with another walker for fewer steps.

use crate::{Method, Resume, Seat, Tally, Walker};
use ccsched_base::codec;
use ccsched_base::codec::CommError;
use ccsched_base::rng::Rng;
use ccsched_model::schedule::Plan;
use std::sync::Arc;

/// Makes a walker.
type Maker = Arc<dyn Fn() -> Box<dyn Walker> + Send + Sync>;

/// A constructed schedule, and the walker that searches for shorter ones.
#[derive(Clone)]
pub struct Offer {
    /// Shared: it may be large, and every island has it.
    plan: Arc<Plan>,
    /// The method of the constructor.
    method: Method,
    make: Maker,
    /// Made when the schedule is first too long.
    walker: Option<Box<dyn Walker>>,
    /// Whether the schedule is short enough.
    suffices: bool,
    seat: Seat,
}

impl Offer {
    /// Offers the schedule of a constructor; searches for shorter ones with the walker of `make`.
    pub fn new(
        plan: Plan,
        method: Method,
        make: impl Fn() -> Box<dyn Walker> + Send + Sync + 'static,
    ) -> Self {
        Offer {
            plan: Arc::new(plan),
            method,
            make: Arc::new(make),
            walker: None,
            suffices: true,
            seat: Seat::among(0, 1),
        }
    }

    /// A new walker, settled on the same island.
    fn made(&self) -> Box<dyn Walker> {
        let mut walker = (self.make)();
        walker.settle(self.seat);
        walker
    }
}

impl Walker for Offer {
    fn inner(&self) -> Option<&dyn Walker> {
        self.walker.as_deref().filter(|_| !self.suffices)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Walker> {
        match &mut self.walker {
            Some(walker) if !self.suffices => Some(&mut **walker),
            _ => None,
        }
    }

    fn settle(&mut self, seat: Seat) {
        self.seat = seat;
        if let Some(walker) = &mut self.walker {
            walker.settle(seat);
        }
    }

    fn seek(&mut self, steps: u32, rng: &mut Rng) -> u64 {
        self.suffices = self.plan.len() <= steps as usize;
        if self.suffices {
            return 0;
        }
        let mut walker = self.walker.take().unwrap_or_else(|| self.made());
        let evaluations = walker.seek(steps, rng);
        self.walker = Some(walker);
        evaluations
    }

    fn iterate(&mut self, rng: &mut Rng) -> u64 {
        self.inner_mut().map_or(0, |search| search.iterate(rng))
    }

    /// The others choose what they cross over with by its own cost.
    fn shows(&self) -> bool {
        false
    }

    fn cost(&self) -> u64 {
        self.inner().map_or(0, Walker::cost)
    }

    fn patience(&self) -> u64 {
        self.inner().map_or(u64::MAX, Walker::patience)
    }

    fn tally(&mut self) -> Tally {
        self.walker.as_mut().map_or(Tally::default(), |walker| walker.tally())
    }

    fn method(&self) -> Method {
        self.inner().map_or_else(|| self.method.clone(), Walker::method)
    }

    fn plan(&self) -> Plan {
        self.inner().map_or_else(|| Plan::clone(&self.plan), Walker::plan)
    }

    /// Every island has the same constructed schedule, which may be large.
    fn reported(&self) -> Option<Arc<Plan>> {
        match self.inner() {
            Some(search) => search.reported(),
            None => (self.seat.island == 0).then(|| self.plan.clone()),
        }
    }
}

impl Resume for Offer {
    fn save(&self) -> Result<Vec<u8>, CommError> {
        let walker = self.walker.as_ref().map(|walker| walker.save()).transpose()?;
        codec::encode(&(self.suffices, walker))
    }

    fn load(&mut self, state: &[u8]) -> Result<(), CommError> {
        let (suffices, saved): (bool, Option<Vec<u8>>) = codec::decode(state)?;
        self.suffices = suffices;
        self.walker = None;
        if let Some(saved) = saved {
            let mut walker = self.made();
            walker.load(&saved)?;
            self.walker = Some(walker);
        }
        Ok(())
    }
}
