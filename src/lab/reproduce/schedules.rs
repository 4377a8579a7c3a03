//! The schedules that the papers print, typed in: read, completed by the paths that print leaves out,
//! and verified.

use super::report::{Row, Verdict};
use ccsched_base::{Error, Result};
use ccsched_model::problem::{Collective, Message, Problem, Request};
use ccsched_model::routing::PathTable;
use ccsched_model::schedule::file::Provenance;
use ccsched_model::schedule::{Plan, ScheduleFile};
use ccsched_network::{ChannelId, Network, VertexId, spec};
use ccsched_run::islands::CpuClock;
use ccsched_verify::verify;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A printed schedule. Its text has a title, the network and the collective, the vertices for which
/// 0, 1, .. stand, and a row for each source.
#[derive(Clone, Copy, Debug)]
pub struct PrintedSchedule {
    /// The experiment.
    pub id: &'static str,
    /// The text.
    pub text: &'static str,
}

/// All printed schedules.
pub const PRINTED_SCHEDULES: [PrintedSchedule; 4] = [
    PrintedSchedule { id: "dd-t3", text: include_str!("data/dd-t3.txt") },
    PrintedSchedule { id: "dd-t4", text: include_str!("data/dd-t4.txt") },
    PrintedSchedule { id: "min-t2", text: include_str!("data/min-t2.txt") },
    PrintedSchedule { id: "min-t4", text: include_str!("data/min-t4.txt") },
];

/// A transfer of a printed schedule: step from 0, source of the message, from, to.
type Printed = (usize, VertexId, VertexId, VertexId);

impl PrintedSchedule {
    /// The row: the printed schedule is valid, or what is wrong with it.
    ///
    /// # Errors
    /// A text that cannot be read.
    pub fn row(&self) -> Result<Row> {
        let before = CpuClock::Process.now();
        let file = self.file()?;
        let violations = verify(&file);
        let first = violations.first();
        let model = &file.model;
        Ok(Row {
            experiment: self.id.into(),
            row: format!("{} {}", file.network.name, model.collective.to_uppercase()),
            paper: self.steps().to_string(),
            ours: file.steps.len().to_string(),
            seconds: Some(CpuClock::Process.now().saturating_sub(before).as_secs_f64()),
            verdict: Some(if first.is_none() && file.steps.len() == self.steps() {
                Verdict::Equal
            } else {
                Verdict::Worse
            }),
            why: match first {
                None => "the printed schedule is valid".into(),
                Some(violation) => format!("the printed schedule is not valid: {violation}"),
            },
            ..Row::default()
        })
    }

    /// The printed number of steps, which the title has.
    pub fn steps(&self) -> usize {
        let words = self.text.split_whitespace();
        words.skip_while(|word| *word != "in").nth(1).and_then(|w| w.parse().ok()).unwrap_or(0)
    }

    /// The schedule as a file.
    ///
    /// # Errors
    /// A text that cannot be read, or transfers for which there are no paths without conflict.
    pub fn file(&self) -> Result<ScheduleFile> {
        let wrong = |why: &str| Error::problem(format!("{}: {why}", self.id));
        let mut lines = self.text.lines().skip(1);
        let what = lines.next().and_then(|line| line.split_once(' '));
        let (network, collective) = what.ok_or_else(|| wrong("no network and collective"))?;
        let network = spec::parse(network)?;
        let collective: Collective = collective.parse()?;
        let names: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
        let letter = |text: &str| {
            let place = usize::from_str_radix(text, 36).ok();
            place.and_then(|place| network.find(names.get(place)?))
        };
        let mut transfers: BTreeSet<Printed> = BTreeSet::new();
        for line in lines {
            let (source, rest) =
                line.split_once(':').ok_or_else(|| wrong("a row has no source"))?;
            let source = letter(source).ok_or_else(|| wrong("an unknown source"))?;
            match rest.contains('-') {
                true => ways(rest, source, &letter, &mut transfers),
                false => destinations(rest, source, &letter, &mut transfers),
            }
            .ok_or_else(|| wrong(&format!("the row of {}", network.vertex_name(source))))?;
        }
        let problem = Request::new(collective).pose(network, vec![])?;
        let plan = plan(&problem, &transfers).ok_or_else(|| {
            wrong("the transfers of a step have no shortest paths without conflict")
        })?;
        Ok(plan.record(&problem, &[], Provenance::default()))
    }
}

/// A row of ways: a vertex a step, `x` where the message does not move. Ways share their beginnings.
fn ways(
    text: &str,
    source: VertexId,
    letter: &impl Fn(&str) -> Option<VertexId>,
    transfers: &mut BTreeSet<Printed>,
) -> Option<()> {
    for way in text.split_whitespace() {
        let mut at = source;
        for (step, word) in way.split('-').skip(1).enumerate() {
            if word != "x" {
                let next = letter(word)?;
                transfers.insert((step, source, at, next));
                at = next;
            }
        }
    }
    Some(())
}

/// A row of destinations, those of a step separated by commas.
fn destinations(
    text: &str,
    source: VertexId,
    letter: &impl Fn(&str) -> Option<VertexId>,
    transfers: &mut BTreeSet<Printed>,
) -> Option<()> {
    for (step, cell) in text.split(';').enumerate() {
        for word in cell.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            transfers.insert((step, source, source, letter(word)?));
        }
    }
    Some(())
}

/// Chooses a shortest path for each transfer so that those of a step do not conflict, by depth-first
/// search; none if that is impossible.
fn plan(problem: &Problem, transfers: &BTreeSet<Printed>) -> Option<Plan> {
    let pairs: Vec<(VertexId, VertexId)> =
        transfers.iter().map(|&(_, _, from, to)| (from, to)).collect();
    let paths = PathTable::find(problem.network(), &pairs, 0, 1);
    let mut by_step: HashMap<usize, Vec<usize>> = HashMap::new();
    for (pair, (step, ..)) in transfers.iter().enumerate() {
        by_step.entry(*step).or_default().push(pair);
    }
    let all: Vec<&Printed> = transfers.iter().collect();
    let mut plan = Plan::default();
    for (step, mut of_step) in by_step {
        of_step.sort_by_key(|&pair| paths.of_pair(pair).len());
        let mut chosen = Vec::new();
        if !choose(problem.network(), &paths, &of_step, &mut HashSet::new(), &mut chosen) {
            return None;
        }
        for (&pair, channels) in of_step.iter().zip(chosen) {
            let (_, source, _, to) = *all[pair];
            let message = problem.find_message(&Message::new(source, Some(to)))?;
            plan.push(step, message, channels);
        }
    }
    plan.tidy();
    Some(plan)
}

/// Adds paths for the pairs from the length of `chosen` on.
fn choose(
    network: &Network,
    paths: &PathTable,
    pairs: &[usize],
    used: &mut HashSet<ChannelId>,
    chosen: &mut Vec<Vec<ChannelId>>,
) -> bool {
    let Some(&pair) = pairs.get(chosen.len()) else { return true };
    for path in paths.of_pair(pair) {
        let channels = paths.channels(path);
        // The two channels of a half-duplex link are one.
        let of = |&c: &ChannelId| network.channel(c).excludes().map_or(c, |other| c.min(other));
        if channels.iter().any(|c| used.contains(&of(c))) {
            continue;
        }
        used.extend(channels.iter().map(of));
        chosen.push(channels.to_vec());
        if choose(network, paths, pairs, used, chosen) {
            return true;
        }
        chosen.pop();
        for c in channels {
            used.remove(&of(c));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_valid() {
        for schedule in PRINTED_SCHEDULES {
            let row = schedule.row().unwrap();
            assert_eq!(row.verdict, Some(Verdict::Equal), "{}: {}", schedule.id, row.why);
        }
    }

    #[test]
    fn a_misprint_is_noticed() {
        let change = |id: &str, right: &str, wrong: &str| {
            let schedule = PRINTED_SCHEDULES.iter().find(|s| s.id == id).unwrap();
            assert_eq!(schedule.text.matches(right).count(), 1, "{id}: {right}");
            let text: &'static str = schedule.text.replace(right, wrong).leak();
            PrintedSchedule { text, ..*schedule }.row().map(|row| row.verdict)
        };
        // A destination in another step, a way that moves too early, a missing way.
        let misprints = [
            ("dd-t3", "0: 9; 2,4,5; 3,7,A;", "0: ; 9,2,4,5; 3,7,A;"),
            ("dd-t4", "1-x-7-0", "1-7-0"),
            ("dd-t4", "3-2-9 ", ""),
            ("min-t2", "0: 4; 2; 1;", "0: 2; 4; 1;"),
            ("min-t4", "7: 0; 4; 3;", "7: 4; 0; 3;"),
        ];
        for (id, right, wrong) in misprints {
            let verdict = change(id, right, wrong);
            assert!(!matches!(verdict, Ok(Some(Verdict::Equal))), "{id}: {wrong}");
        }
    }
}
