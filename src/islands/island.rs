//! The life of an island.

use super::messages::{Orders, Report};
use super::{Master, Search, SearchError};
use crate::comm::{Communicator, codec};
use crate::engines::{Genome, Rng, Walker, rng_of};

/// Searches with `walker` until the master stops everybody. The island of rank 0 has the master
/// with it.
///
/// # Errors
/// When islands cannot talk, or the master's listener fails.
pub fn live<C: Communicator>(
    comm: &mut C,
    walker: &mut dyn Walker,
    search: &Search,
    mut master: Option<&mut Master<'_>>,
) -> Result<(), SearchError> {
    let mut rng = rng_of(search.seed, comm.rank(), 0);
    walker.settle(comm.rank());
    let first = master.as_mut().map(|master| master.begin());
    let mut orders = deliver(comm, first)?;
    loop {
        let mut evaluations = 0;
        match orders {
            Orders::Stop => return Ok(()),
            Orders::Seek(steps) => evaluations = walker.seek(steps, &mut rng),
            Orders::Meet(partner) => {
                partner.into_iter().for_each(|genome| walker.meet(&genome, &mut rng));
            }
        }
        let mut report = search_on(walker, search.exchange_every, &mut rng);
        report.evaluations += evaluations;
        let reports = comm.gather(codec::encode(&report)?)?;
        let replies = match (&mut master, reports) {
            (Some(master), Some(reports)) => {
                let reports: Result<Vec<Report>, _> =
                    reports.iter().map(|bytes| codec::decode(bytes)).collect();
                Some(master.decide(reports?, walker)?)
            }
            _ => None,
        };
        orders = deliver(comm, replies)?;
    }
}

/// Some iterations on the own solution, fewer if it becomes a schedule.
fn search_on(walker: &mut dyn Walker, iterations: u64, rng: &mut Rng) -> Report {
    let mut evaluations = 0;
    for _ in 0..iterations {
        if walker.cost() == 0 {
            break;
        }
        evaluations += walker.sweep(rng);
    }
    let cost = walker.cost();
    if cost == 0 {
        walker.polish(rng);
        let plan = Some((walker.plan(), walker.way()));
        return Report { cost, plan, genome: Genome::Nothing, evaluations };
    }
    Report { cost, plan: None, genome: walker.genome(), evaluations }
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
