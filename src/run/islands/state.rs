//! The complete state of a search, as a checkpoint stores it: a resumed search gives the same
//! result as one without the interruption, byte by byte.

use super::Progress;
use super::groups::GroupState;
use super::master::target::Target;
use super::protocol::FromMaster;
use ccsched_base::rng::{Rng, is_sound};
use ccsched_bounds::eccentricity;
use ccsched_engines::{Method, Tally, most_steps};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::{Plan, TransferRef};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// No count of a search is larger; sums of two are still numbers.
const MOST: u64 = u64::MAX / 2;

/// No count of a leg is larger.
const MOST_OF_LEG: u64 = 1 << 50;

/// Whether all messages and channels of a plan are those of a problem.
fn fits(plan: &Plan, problem: &Problem) -> bool {
    let channels = problem.network().channels().len();
    let starts = plan.time().and_then(|time| time.starts.as_ref());
    if starts.is_some_and(|starts| starts.len() != problem.messages()) {
        return false;
    }
    let is_known = |t: TransferRef<'_>| {
        (t.message as usize) < problem.messages()
            && !t.channels.is_empty()
            && t.channels.iter().all(|&c| (c as usize) < channels)
    };
    plan.steps().flatten().all(is_known)
}

/// A search at an exchange, or interrupted within a leg.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub(super) master: MasterState,
    /// The search is complete.
    pub(super) is_over: bool,
    pub(super) groups: Vec<GroupState>,
    /// Whether the messages of a search for the least time have one path each.
    pub(super) is_narrow: bool,
}

/// The state of the master.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct MasterState {
    pub target: Target,
    /// Random numbers of exchanges between groups.
    pub rng: Rng,
    pub best: Option<Arc<Plan>>,
    pub method: Option<Method>,
    pub progress: Progress,
}

impl State {
    /// Number of islands.
    pub fn islands(&self) -> usize {
        self.groups.iter().map(|group| group.islands.len()).sum()
    }

    /// Iterations of every island so far.
    pub fn iterations(&self) -> u64 {
        self.master.progress.iterations
    }

    /// Iterations really done so far, as [`Progress::iterations_done`] counts them.
    pub fn iterations_done(&self) -> u64 {
        self.master.progress.iterations_done
    }

    /// Steps of the best schedule so far, or its time in bytes.
    pub fn best(&self) -> Option<u64> {
        self.master.progress.best
    }

    /// Whether the numbers of the state can be those of a search on this problem: what is counted
    /// stays countable, and the best schedule has messages and channels that exist. Whether the
    /// schedule is valid is found out when the search passes it on, and whether an island's state
    /// fits its walker when it is loaded.
    ///
    /// # Errors
    /// What cannot be.
    pub fn check(&self, problem: &Problem) -> Result<(), String> {
        let MasterState { target, rng, best, method, progress } = &self.master;
        let Progress { iterations, iterations_done, improved_at, evaluations, exchanges, .. } =
            progress;
        let counts = [iterations, iterations_done, improved_at, evaluations, exchanges];
        if counts.into_iter().any(|&count| count > MOST) || improved_at > iterations {
            return Err("its counts are beyond those of any search".into());
        }
        let known = (best.is_some(), best.as_ref().map(|best| best.cost()));
        if known != (method.is_some(), progress.best) || !target.is_sound(progress.best) {
            return Err("its best schedule and its steps to seek contradict each other".into());
        }
        let reports = || self.groups.iter().flat_map(|group| group.reports.iter().flatten());
        let reported = reports().filter_map(|report| Some(&report.plan.as_ref()?.0));
        if !reported.chain(best).all(|plan| fits(plan, problem)) {
            return Err("a schedule of it has messages or channels that do not exist".into());
        }
        let islands = || self.groups.iter().flat_map(|group| &group.islands);
        let of_islands = islands().map(|island| island.leg.evaluations);
        let of_reports = reports().flat_map(|r| [r.iterations, r.evaluations, r.cost]);
        if of_islands.chain(of_reports).any(|count| count > MOST_OF_LEG) {
            return Err("the counts of an island are beyond those of any search".into());
        }
        let tallies = islands().map(|island| island.leg.tally).chain(reports().map(|r| r.tally));
        let most = |tally: Tally| {
            let Tally { proposed, accepted, adopted, ejections } = tally;
            proposed.max(accepted).max(adopted).max(ejections)
        };
        if tallies.map(most).any(|count| count > MOST_OF_LEG) {
            return Err("the tally of an island is beyond that of any search".into());
        }
        let rngs = islands().map(|island| &island.rng).chain(self.groups.iter().map(|g| &g.rng));
        if !rngs.chain([rng]).all(is_sound) {
            return Err("a generator of random numbers is zero in all bits".into());
        }
        let is_whole = |group: &GroupState| group.orders.len() == group.islands.len();
        if !self.groups.iter().all(is_whole) || (!self.is_over && islands().next().is_none()) {
            return Err("islands are missing".into());
        }
        // Of a time all orders can follow; a walker checks its own state.
        let is_of_time = self.master.target.is_fixed();
        if self.is_over || is_of_time { Ok(()) } else { self.can_go_on(problem) }
    }

    /// Whether the messages that the islands get next can follow.
    fn can_go_on(&self, problem: &Problem) -> Result<(), String> {
        let least = eccentricity::least(problem);
        let steps = least as usize..=most_steps(problem.demands().len());
        let seeking = self.master.target.seeking();
        if !steps.contains(&(seeking as usize)) {
            let (least, most) = steps.into_inner();
            return Err(format!("its steps to seek are {seeking}, and can be {least} to {most}"));
        }
        for GroupState { orders, reports, .. } in &self.groups {
            let mut reported = reports.iter().map(Option::is_some);
            for order in orders {
                let has_reported = reported.next().unwrap_or(false);
                let can_follow = match order {
                    FromMaster::Seek(sought, _) => steps.contains(&(*sought as usize)),
                    FromMaster::CrossOver(_) | FromMaster::GoOn => true,
                    FromMaster::Wait => has_reported,
                    _ => false,
                };
                if !can_follow {
                    return Err("the next message to an island is none that resumes it".into());
                }
            }
        }
        Ok(())
    }

    /// Whether the search is complete.
    pub fn is_over(&self) -> bool {
        self.is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::islands::protocol::{IslandState, Leg, Report};
    use ccsched_base::codec;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Request, Switching};
    use ccsched_network::spec;

    /// The message about a search of one island at this number of steps, before its next one.
    fn said(steps: u32, order: FromMaster, forge: impl Fn(&mut State)) -> String {
        let rng = rng_of(1, 0, 0);
        let walker = IslandState { rng: rng.clone(), walker: vec![], leg: Leg::default() };
        let group = GroupState {
            rng: rng.clone(),
            islands: vec![walker],
            orders: vec![order],
            reports: vec![],
        };
        let master = MasterState {
            target: Target::new(1, Some(u64::from(steps))),
            rng,
            best: None,
            method: None,
            progress: Progress::default(),
        };
        let mut state = State { master, is_over: false, groups: vec![group], is_narrow: false };
        forge(&mut state);
        let switching = Switching::StoreAndForward;
        let request = Request { switching, ..Request::new(Collective::Oab) };
        let problem = request.pose(spec::parse("ring:8").unwrap(), vec![]).unwrap();
        state.check(&problem).err().unwrap_or_default()
    }

    #[test]
    fn steps_and_messages_are_those_of_a_search() {
        let as_it_is = |_: &mut State| ();
        assert_eq!(said(4, FromMaster::Seek(4, None), as_it_is), "");
        assert_eq!(said(4, FromMaster::CrossOver(None), as_it_is), "");
        // The message needs four steps to the other side of the ring.
        assert!(said(3, FromMaster::GoOn, as_it_is).contains("steps to seek are 3, and can be 4"));
        assert!(said(1 << 20, FromMaster::GoOn, as_it_is).contains("steps to seek are 1048576"));
        let orders = [
            FromMaster::Seek(3, None),
            FromMaster::Seek(1 << 20, None),
            FromMaster::Wait,
            FromMaster::Save,
            FromMaster::End,
        ];
        for order in orders {
            let why = said(4, order.clone(), as_it_is);
            assert!(why.contains("the next message to an island"), "{order:?}: {why}");
        }
        let reported = |state: &mut State| state.groups[0].reports = vec![Some(Report::default())];
        assert_eq!(said(4, FromMaster::Wait, reported), "");
    }

    #[test]
    fn counts_and_random_numbers_are_those_of_a_search() {
        let tally = |state: &mut State| state.groups[0].islands[0].leg.tally.adopted = u64::MAX;
        assert!(said(4, FromMaster::GoOn, tally).contains("the tally of an island"));
        let zeros: Rng = codec::decode(&[0; 4]).unwrap();
        let zero = |state: &mut State| state.groups[0].islands[0].rng = zeros.clone();
        assert!(said(4, FromMaster::GoOn, zero).contains("zero in all bits"));
    }
}
