//! Options that have no effect on the problem of a line: each is told.

use super::Args;
use ccsched_engines::Engine;
use ccsched_engines::sized::MANY_MESSAGES;
use ccsched_model::problem::Problem;
use ccsched_run::islands::{Form, Solution};

impl Args {
    /// Tells options that the search for a problem does not heed.
    pub(super) fn tell_vain(&self, problem: &Problem, form: Option<Form>, by: (Engine, usize)) {
        let collective = problem.collective();
        for (option, why) in self.vain(problem, form, by) {
            log::warn!("{option}: no effect on {collective}: {why}");
        }
    }

    /// Tells options of a search where none ran.
    pub(super) fn tell_unused(&self, solution: &Solution) {
        if is_searched(solution) {
            return;
        }
        let why = "no effect, for no search was needed";
        for word in self.exchange.given() {
            log::warn!("--set islands:{word}: {why}");
        }
        for (name, _) in solution.engine.changed() {
            log::warn!("--set {}:{name}: {why}", solution.engine.name());
        }
    }

    /// Such options, as they are written, with the reason.
    fn vain(
        &self,
        problem: &Problem,
        form: Option<Form>,
        (engine, islands): (Engine, usize),
    ) -> Vec<(String, &'static str)> {
        let mut vain: Vec<(String, &str)> = Vec::new();
        let no_exchange = match form {
            _ if islands == 1 => Some("one island has no other to exchange with"),
            None if !exchanges(problem) => Some("its searches exchange nothing"),
            _ => None,
        };
        if let Some(why) = no_exchange {
            let words = self.exchange.given();
            vain.extend(words.into_iter().map(|word| (format!("--set islands:{word}"), why)));
        }
        let has_many = form.is_some() && problem.messages() > MANY_MESSAGES;
        if islands > 1 && has_many && self.exchange.given().contains(&"every") {
            let why = "islands exchange after each iteration, which takes long";
            vain.push(("--set islands:every".into(), why));
        }
        let (of, why) = (engine.name(), "it is for other problems");
        let unused = engine.unused_on(problem, form.is_none());
        vain.extend(unused.into_iter().map(|name| (format!("--set {of}:{name}"), why)));
        let rows = [
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

/// Whether a search has made its schedule; not where a constructor did, or it is that of the start.
fn is_searched(solution: &Solution) -> bool {
    let progress = &solution.progress;
    progress.iterations_done > 0 && solution.method.as_ref().is_none_or(|m| !m.is_construction())
}

/// Whether islands show each other something in the search for the fewest steps.
fn exchanges(problem: &Problem) -> bool {
    let collective = problem.collective();
    let is_spread = problem.is_plain() || problem.groups().is_some();
    is_spread && !collective.is_all_reduce() && !collective.joins()
}
