//! The verification of a schedule. Where the schedule is large, it takes seconds, on a thread of its own;
//! the file is written meanwhile, and takes its place when the schedule has proved to be valid.

use super::aside::{aside, wait};
use super::{Proven, SearchError};
use ccsched_model::problem::Problem;
use ccsched_model::schedule::file::Provenance;
use ccsched_model::schedule::{Plan, ScheduleFile};
use ccsched_verify::{Violation, verify_bounds};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

/// From this number of channel-steps on, a schedule takes seconds to verify.
const LARGE: usize = 100_000;

/// What a schedule, or its bounds, is checked by.
pub type Check = fn(&ScheduleFile) -> Vec<Violation>;

/// A schedule that is being verified.
pub struct Checking {
    file: Arc<ScheduleFile>,
    verdict: Option<Verdict>,
    under_way: Option<Receiver<Verdict>>,
}

/// What a verification tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The schedule is valid.
    Valid,
    /// The first violation, in words.
    Wrong(String),
    /// It was given up.
    Late,
}

impl Checking {
    /// Begins to verify a schedule; none if that is late before its file is made.
    ///
    /// # Errors
    /// A thread cannot be started or panics.
    pub fn begin(
        (problem, plan, proven): (&Arc<Problem>, &Arc<Plan>, &Arc<Proven>),
        provenance: Provenance,
        check: Check,
        mut is_late: impl FnMut() -> bool,
    ) -> Result<Option<Self>, SearchError> {
        if plan.channel_steps() < LARGE {
            let file = Arc::new(proven.file(plan, problem, provenance));
            let verdict = Some(verdict(problem, &file, check));
            return Ok(Some(Checking { file, verdict, under_way: None }));
        }
        if is_late() {
            return Ok(None);
        }
        let (of_file, plan, proven) = (problem.clone(), plan.clone(), proven.clone());
        let file = aside(move || Arc::new(proven.file(&plan, &of_file, provenance)))?;
        let Some(file) = wait(&file, is_late)? else { return Ok(None) };
        Self::aside(problem, file, check).map(Some)
    }

    /// Begins to verify bounds alone, with a file of as many steps as a verified schedule has, without its transfers.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub fn of_bounds(
        problem: &Arc<Problem>,
        steps: usize,
        proven: &Proven,
    ) -> Result<Self, SearchError> {
        let file = proven.file(&Plan::new(steps as u32), problem, Provenance::default());
        Self::aside(problem, Arc::new(file), verify_bounds)
    }

    /// Begins to verify a file on a thread of its own.
    fn aside(
        problem: &Arc<Problem>,
        file: Arc<ScheduleFile>,
        check: Check,
    ) -> Result<Self, SearchError> {
        let (problem, checked) = (problem.clone(), file.clone());
        let under_way = Some(aside(move || verdict(&problem, &checked, check))?);
        Ok(Checking { file, verdict: None, under_way })
    }

    /// The file of the schedule, which must not leave the program unless the schedule is valid.
    pub fn file(&self) -> &Arc<ScheduleFile> {
        &self.file
    }

    /// The verdict, once it is known; it is given up when `is_late` returns true.
    pub fn verdict(&mut self, is_late: impl FnMut() -> bool) -> Verdict {
        if let Some(under_way) = self.under_way.take() {
            self.verdict = match wait(&under_way, is_late) {
                Ok(verdict) => verdict,
                Err(why) => Some(Verdict::Wrong(why.to_string())),
            };
        }
        self.verdict.clone().unwrap_or(Verdict::Late)
    }
}

/// The verdict of a check.
pub fn verdict(problem: &Problem, file: &ScheduleFile, check: Check) -> Verdict {
    match check(file).first() {
        None => Verdict::Valid,
        Some(violation) => Verdict::Wrong(format!(
            "internal error, please report it: the engine returned a schedule of {} that is not \
             valid: {violation}",
            problem.network().name()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_engines::Engine;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_network::spec;
    use ccsched_verify::verify;

    /// The verdicts on a schedule and on one whose last message is sent twice in its last step.
    fn verdicts(topology: &str) -> [Verdict; 2] {
        let network = spec::parse(topology).unwrap();
        let problem = Arc::new(Request::new(Collective::Aas).pose(network, vec![]).unwrap());
        let plan = Engine::default().opening(&problem, 1, 1).unwrap().plan;
        let mut wrong = Plan::clone(&plan);
        let last = plan.steps().next_back().unwrap();
        let (message, path) = last.iter().last().map(|t| (t.message, t.channels)).unwrap();
        wrong.push(plan.len() - 1, message, path);
        [plan, Arc::new(wrong)].map(|plan| {
            let proven: Arc<Proven> = Arc::default();
            let of = (&problem, &plan, &proven);
            let begun = Checking::begin(of, Provenance::default(), verify, || false);
            begun.unwrap().unwrap().verdict(|| false)
        })
    }

    #[test]
    fn small_and_large_schedules_are_verified() {
        for topology in ["random-regular:72,4,1", "random-regular:250,4,1"] {
            let [valid, wrong] = verdicts(topology);
            assert_eq!(valid, Verdict::Valid, "{topology}");
            assert!(matches!(wrong, Verdict::Wrong(_)), "{topology}");
        }
    }

    #[test]
    fn a_large_schedule_is_given_up_when_it_is_late() {
        let network = spec::parse("random-regular:250,4,1").unwrap();
        let problem = Arc::new(Request::new(Collective::Aas).pose(network, vec![]).unwrap());
        let plan = Engine::default().opening(&problem, 1, 1).unwrap().plan;
        let proven: Arc<Proven> = Arc::default();
        let begin = |is_late: bool| {
            let of = (&problem, &plan, &proven);
            Checking::begin(of, Provenance::default(), verify, || is_late).unwrap()
        };
        assert!(begin(true).is_none());
        assert_eq!(begin(false).unwrap().verdict(|| true), Verdict::Late);
    }
}
