//! Options that have no effect on the problem of a line: each is told.

use super::Args;
use ccsched_model::problem::Problem;
use ccsched_run::islands::Form;

impl Args {
    /// Tells options that the search for a problem does not heed.
    pub(super) fn tell_vain(&self, problem: &Problem, form: Option<Form>) {
        let collective = problem.collective();
        for (option, why) in self.vain(problem, form) {
            log::warn!("{option}: no effect on {collective}: {why}");
        }
    }

    /// Such options, as they are written, with the reason.
    fn vain(&self, problem: &Problem, form: Option<Form>) -> Vec<(String, &'static str)> {
        let is_timed = matches!(form, Some(Form::Timed));
        let mut vain: Vec<(String, &str)> = Vec::new();
        let no_exchange = match form {
            Some(_) => Some("the search for the least time has an exchange of its own"),
            None if !exchanges(problem) => Some("its searches exchange nothing"),
            None => None,
        };
        if let Some(why) = no_exchange {
            let words = self.exchange.given(form.is_some());
            vain.extend(words.into_iter().map(|word| (format!("--set islands:{word}"), why)));
        }
        if let Ok(engine) = self.engine.engine() {
            let why = "it is for other problems";
            let of = engine.name();
            let unused = engine.unused_on(problem, form.is_none());
            vain.extend(unused.into_iter().map(|name| (format!("--set {of}:{name}"), why)));
        }
        let rows = [
            (
                is_timed && self.time.step.tr.is_some(),
                "--cost tr",
                "transfers have no steps, whose longest path counts",
            ),
            (
                form.is_some() && self.time.e_hop.is_some(),
                "--cost hop-energy",
                "the energy of the least time is not told",
            ),
            (
                form.is_some() && self.time.bytes.is_some() && problem.has_different_lengths(),
                "--bytes",
                "the traffic gives the length of each message",
            ),
        ];
        let rows = rows.into_iter().filter(|(is_vain, ..)| *is_vain);
        vain.extend(rows.map(|(_, option, why)| (option.to_string(), why)));
        vain
    }
}

/// Whether islands show each other something in the search for the fewest steps.
fn exchanges(problem: &Problem) -> bool {
    let collective = problem.collective();
    let is_spread = problem.is_plain() || problem.groups().is_some();
    is_spread && !collective.is_all_reduce() && !collective.joins()
}
