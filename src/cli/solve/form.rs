//! What is to be the least: the steps, or the time of messages with lengths.

use super::Args;
use crate::objective::Objective;
use ccsched_base::Error;
use ccsched_model::problem::Problem;
use ccsched_run::islands::Form;
use ccsched_run::regroup;

impl Args {
    /// The form of the schedule, if its time is to be the least: where that is asked for, and where
    /// messages have different lengths.
    ///
    /// # Errors
    /// Options that are for steps.
    pub(crate) fn form(&self, problem: &Problem) -> ccsched_base::Result<Option<Form>> {
        let is_asked = self.objective.asks_for_time()?;
        let (holds_paths, for_steps) = (problem.holds_whole_paths(), self.asks_for_steps());
        let wants_steps = self.objective.minimize == Some(Objective::Steps);
        if !is_asked && (wants_steps || !problem.has_different_lengths()) {
            return Ok(None);
        }
        if !is_asked && (!holds_paths || for_steps.is_some()) {
            let why = match for_steps.filter(|_| holds_paths) {
                Some(option) => format!(": {option} is for steps"),
                None => ", which is for wormhole switching and messages with one destination each"
                    .into(),
            };
            log::warn!(
                "messages have different lengths, and the steps are minimised, not the time{why}"
            );
            return Ok(None);
        }
        if is_asked && !self.objective.timed && self.regroups(problem) {
            let not_engine = for_steps.filter(|option| *option != "--engine");
            return match not_engine {
                Some(option) => {
                    let why = format!("{option} is for the fewest steps: --minimize steps");
                    Err(Error::field("minimize", why))
                }
                None => Ok(None),
            };
        }
        if let Some(option) = for_steps {
            let why = format!("{option} is for the fewest steps: --minimize steps");
            return Err(Error::field("minimize", why));
        }
        self.objective.form(problem, &self.time.model(problem.network().rate())).map(Some)
    }

    /// Whether the schedule of the fewest steps is made one of less time: that is asked for, and messages are alike,
    /// but paths take different times.
    pub(super) fn regroups(&self, problem: &Problem) -> bool {
        self.objective.minimize == Some(Objective::Time)
            && regroup::differ(problem, &self.time.model(problem.network().rate()))
    }

    /// An option of searches for the fewest steps.
    fn asks_for_steps(&self) -> Option<&'static str> {
        let engine = !self.engine.engine.has_least_time();
        let options = [
            (self.steps.is_some(), "--steps"),
            (self.spare.is_some(), "--spare"),
            (self.proof.is_some(), "--proof"),
            (engine, "--engine"),
        ];
        options.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
    }
}
