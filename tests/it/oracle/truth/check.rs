//! Everything that must hold of a case: it is posed or refused with a reason, no bound is above the
//! optimum and no schedule below it, every file passes the verifier, equal searches end alike, and the
//! program's summary agrees with its file.

use super::case::{Among, Broken, Case, Sent};
use crate::oracle::model::fits;
use crate::oracle::solve;
use crate::support::checked::{NEVER, complaints_with};
use ccsched::ScheduleFile;
use ccsched::bounds;
use ccsched::engines::Engine;
use ccsched::engines::hgsa::{self, Neighbourhood};
use ccsched::engines::{exact, umda};
use ccsched::islands::{
    Alone, Backend, Job, Prepared, Search, SearchError, Solution, StopCondition, Threads,
};
use ccsched::network::LinkKind;
use ccsched::network::metrics::distances_from;
use ccsched::problem::{Demand, Problem};
use ccsched::verify::verify;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// The file of a case's schedule in its folder.
pub const SCHEDULE: &str = "s.json";

/// What the checks of some cases have met.
#[derive(Default, Debug)]
pub struct Score {
    /// Cases that were posed, and those of them that the exact solver has decided.
    pub posed: usize,
    pub decided: usize,
    /// Decided ones whose best bound is the optimum.
    pub tight: usize,
    /// By engine, the runs on decided cases, and those that ended at the optimum.
    pub engines: BTreeMap<String, (usize, usize)>,
    /// How often an engine refused a case.
    pub refused: usize,
    /// What some of the cases had.
    pub met: BTreeSet<String>,
}

impl Score {
    /// Adds another score.
    pub fn add(&mut self, other: Score) {
        self.posed += other.posed;
        self.decided += other.decided;
        self.tight += other.tight;
        self.refused += other.refused;
        self.met.extend(other.met);
        for (name, (runs, best)) in other.engines {
            let sum = self.engines.entry(name).or_default();
            *sum = (sum.0 + runs, sum.1 + best);
        }
    }
}

/// A search, and the options that repeat it.
struct How {
    options: &'static str,
    engine: Engine,
    islands: usize,
    iterations: u64,
}

impl How {
    fn all() -> Vec<How> {
        let auto = Engine::default();
        let hgsa = |moves| Engine::from(hgsa::Params::new(moves));
        let how =
            |options, engine, islands, iterations| How { options, engine, islands, iterations };
        vec![
            how("--islands 1 --iterations 300", auto, 1, 300),
            how("--islands 2 --iterations 100", auto, 2, 100),
            how("--engine hgsa --islands 1 --iterations 300", hgsa(Neighbourhood::Focused), 1, 300),
            how(
                "--engine hgsa --set hgsa:neighbourhood=paper --islands 1 --iterations 100",
                hgsa(Neighbourhood::Paper),
                1,
                100,
            ),
            how("--engine umda --iterations 30", Engine::from(umda::Params::default()), 1, 30),
            how("--engine liquid --iterations 100", Engine::of(&exact::LIQUID), 1, 100),
            how("--engine dsatur", Engine::of(&exact::DSATUR), 1, 100),
            how("--engine round-robin", Engine::of(&exact::ROUND_ROBIN), 1, 100),
        ]
    }

    fn run(&self, prepared: &Prepared) -> Result<Solution, SearchError> {
        let stop = StopCondition::new(self.iterations, None, &NEVER);
        let (mut alone, mut threads) = (Alone, Threads(self.islands));
        let backend: &mut dyn Backend = if self.islands == 1 { &mut alone } else { &mut threads };
        prepared.run(backend, stop, &mut (), None)
    }

    /// The options of the engine without its numbers.
    fn name(&self) -> String {
        let words: Vec<&str> = self.options.split(" --iterations").collect();
        words[0].replace("--", "")
    }
}

/// Which costly checks are made too.
#[derive(Clone, Copy, Debug)]
pub struct Also {
    /// The program solves the case as well.
    pub program: bool,
    /// The second checker reads the schedule.
    pub python: bool,
}

/// Checks a case, whose files it writes into a folder; none if it cannot be posed.
///
/// # Panics
/// Something does not hold.
pub fn check(case: &Case, folder: &Path, also: Also) -> Option<Score> {
    let _ = fs::remove_file(folder.join(SCHEDULE));
    let problem = match case.pose(folder) {
        Ok(problem) => problem,
        Err(why) => {
            assert!(why.len() > 20, "refused without a reason: {why}");
            return None;
        }
    };
    let exact = fits(problem.network()).then(|| solve(&problem, true).ok()).flatten();
    let best = exact.as_ref().map(|exact| exact.steps);
    let bounds = bounds::all(&problem);
    for bound in &bounds {
        assert!(bound.is_certified(), "uncertified: {bound:?}");
        let is_below = best.is_none_or(|best| bound.steps as usize <= best);
        assert!(is_below, "bound above the optimum: {bound:?}, but {best:?} steps are enough");
    }
    // The solver does not tell messages with the same ends apart, and has no transfers of sums.
    let are_told = !problem.collective().is_all_reduce()
        && !problem.collective().joins()
        && problem.pairs().all(|copies| copies.len() == 1);
    if let Some(exact) = exact.filter(|_| are_told) {
        let wrong = complaints_with(&problem, &crate::oracle::plan(&problem, &exact), &bounds);
        assert_eq!(wrong, "", "the exact solver's schedule is refused");
    }
    let mut score = Score { posed: 1, met: met(case, &problem), ..Score::default() };
    let first_bound = bounds.first().map_or(0, |b| b.steps as usize);
    score.decided += usize::from(best.is_some());
    score.tight += usize::from(best == Some(first_bound));
    let hows = How::all();
    let job = Job::of(&problem, hows[0].engine, search(&hows[0], None));
    let prepared = Prepared::of(job, problem.clone(), 1).expect("auto schedules every problem");
    let mut shortest: Option<(usize, String)> = None;
    for how in &hows {
        let prepared = match prepared.again(how.engine, search(how, None), how.islands) {
            Ok(prepared) => prepared,
            Err(why) => {
                assert!(
                    !how.engine.is_universal()
                        && (how.engine.name() != "hgsa" || !problem.is_plain()),
                    "{}: {why}",
                    how.options
                );
                score.refused += 1;
                continue;
            }
        };
        let solution = solved(how, &prepared);
        if let Some(file) = inspect(how, &solution, best) {
            let steps = file.steps.len();
            if shortest.as_ref().is_none_or(|(least, _)| steps < *least) {
                shortest = Some((steps, file.to_json()));
            }
        } else {
            assert!(!how.engine.is_universal(), "{}: no schedule", how.options);
        }
        if how.islands > 1 {
            let again = solved(how, &prepared);
            assert_eq!(text_of(&solution), text_of(&again), "{}: another schedule", how.options);
        }
        if let Some(best) = best {
            let count = score.engines.entry(how.name()).or_default();
            *count = (count.0 + 1, count.1 + usize::from(solution.steps() == Some(best)));
        }
    }
    if let Some(goal) =
        best.map(|best| best as u32 - 1).filter(|&goal| goal as usize >= first_bound.max(1))
    {
        let how = &hows[0];
        let below =
            prepared.again(how.engine, search(how, Some(goal)), 1).expect("no bound forbids it");
        let solution = solved(how, &below);
        assert!(
            solution.plan.is_none(),
            "--steps {goal}: a schedule below the optimum of {best:?}"
        );
    }
    if let Some((_, text)) = &shortest {
        fs::write(folder.join(SCHEDULE), text).expect("the folder can be written");
        if also.python
            && let Some(refusal) = second_checker(&[folder.join(SCHEDULE).to_str().unwrap()])
        {
            panic!("check_bounds.py: {refusal}");
        }
    }
    if also.program {
        of_program(case, folder, &hows[0], &prepared);
    }
    Some(score)
}

fn search(how: &How, goal: Option<u32>) -> Search {
    let search = Search { goal, ..Search::default() };
    Search { exchange_every: search.exchange_every.min(how.iterations), ..search }
}

fn solved(how: &How, prepared: &Prepared) -> Solution {
    how.run(prepared).unwrap_or_else(|why| panic!("{}: {why}", how.options))
}

fn text_of(solution: &Solution) -> Option<String> {
    solution.schedule().map(|file| file.to_json())
}

/// The schedule file of a solution, which holds what it says.
fn inspect(how: &How, solution: &Solution, best: Option<usize>) -> Option<ScheduleFile> {
    let options = how.options;
    for bound in &solution.bounds {
        let is_below = best.is_none_or(|best| bound.steps as usize <= best);
        assert!(is_below, "{options}: bound above the optimum: {bound:?}, {best:?} are enough");
    }
    let file = solution.schedule()?;
    let steps = file.steps.len();
    assert!(
        best.is_none_or(|best| steps >= best),
        "{options}: {steps} steps, but {best:?} is best"
    );
    assert!(solution.lower_bound() as usize <= steps, "{options}: a bound above the schedule");
    let is_best = best.is_none_or(|best| steps == best);
    assert!(
        !solution.is_optimal() || is_best,
        "{options}: {steps} said to be optimal, not {best:?}"
    );
    let wrong = verify(&file);
    assert!(wrong.is_empty(), "{options}: verify: {wrong:?}");
    Some(file)
}

/// What a case has.
fn met(case: &Case, problem: &Problem) -> BTreeSet<String> {
    let network = problem.network();
    let sent = match &case.sent {
        Sent::Collective(collective, _) => collective.to_string(),
        Sent::Pairs(_) => "pairs".into(),
        Sent::Groups(_) => "groups".into(),
        Sent::Permutation(_) => "permutation".into(),
    };
    let kind = match case.kind {
        LinkKind::FullDuplex => "full-duplex",
        LinkKind::HalfDuplex => "half-duplex",
        LinkKind::OneWay => "one-way",
    };
    let among = |side: usize| matches!(&case.among, Among::Ends(lists) if lists[side].is_some());
    let ends: Vec<_> = network.channels().iter().map(|c| (c.from, c.to)).collect();
    let is_detour = |d: &Demand| {
        let shortest = distances_from(network, d.source)[d.destination as usize] as usize;
        problem.fixed_route(d.source, d.destination).is_some_and(|route| route.len() > shortest)
    };
    let has = [
        ("wide", case.links.iter().any(|link| link.capacity > 1)),
        ("parallel", ends.iter().collect::<BTreeSet<_>>().len() < ends.len()),
        ("switches", network.terminals().count() < network.vertices().len()),
        ("detours", problem.demands().iter().any(is_detour)),
        ("copies", problem.pairs().any(|copies| copies.len() > 1)),
        ("hosts", matches!(case.among, Among::Hosts(_))),
        ("hosts-of-pairs", matches!((&case.among, &case.sent), (Among::Hosts(_), Sent::Pairs(_)))),
        ("senders", among(0)),
        ("receivers", among(1)),
        ("link-broken", case.broken.iter().any(|b| matches!(b, Broken::Link(_)))),
        ("arc-broken", case.broken.iter().any(|b| matches!(b, Broken::Arc(_)))),
        ("vertex-broken", case.broken.iter().any(|b| matches!(b, Broken::Vertex(_)))),
    ];
    let has = has.into_iter().filter(|(_, has)| *has).map(|(what, _)| what.to_string());
    let rules = [problem.switching().to_string(), problem.routing().to_string()];
    let ports = format!("ports-{}", problem.ports());
    has.chain(rules).chain([sent, kind.to_string(), ports]).collect()
}

/// What the second checker refuses; none also where Python is missing.
pub fn second_checker(files: &[&str]) -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/check_bounds.py");
    let run = Command::new("python3").arg(script).args(files).output().ok()?;
    let out = String::from_utf8_lossy(&run.stdout);
    let refused: Vec<&str> = out.lines().filter(|line| !line.contains(": valid: ")).collect();
    let told = refused.join("\n") + &String::from_utf8_lossy(&run.stderr);
    (!run.status.success()).then_some(told)
}

/// The program's answer: the same file as the library's, and a summary that agrees with it.
fn of_program(case: &Case, folder: &Path, how: &How, prepared: &Prepared) {
    let output = folder.join("program.json");
    let _ = fs::remove_file(&output);
    let more = format!("{} --json -q -o {}", how.options, output.display());
    let words = case.words(folder, &more);
    let run = Command::new(env!("CARGO_BIN_EXE_ccsched")).args(&words[1..]).output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(0), "the program: {said}");
    let text = fs::read_to_string(&output).expect("the program has written its schedule");
    let ours = text_of(&solved(how, prepared)).expect("the library finds a schedule too");
    assert_eq!(text, ours, "the program's file is another one");
    let file: ScheduleFile = serde_json::from_str(&text).expect("a schedule file");
    let summary: Value = serde_json::from_slice(&run.stdout).expect("one line of JSON");
    let (steps, model) = (file.steps.len(), &file.model);
    let (name, bound) = file
        .bounds
        .iter()
        .map(|b| (b.name.clone(), b.steps))
        .fold((String::new(), 0), |most, next| if next.1 > most.1 { next } else { most });
    let collective = model.parsed_collective().unwrap();
    // Messages that join are one transfer where they take one path in one step.
    let mut works: Vec<usize> = Vec::new();
    for step in file.steps.iter() {
        let mut paths: Vec<_> = step.map(|transfer| transfer.channels.to_vec()).collect();
        if collective.joins() {
            paths.sort();
            paths.dedup();
        }
        works.extend(paths.iter().map(Vec::len));
    }
    for (key, value) in [
        ("collective", collective.to_string().into()),
        ("source", model.source.clone().into()),
        ("switching", model.switching.as_str().into()),
        ("routing", model.routing.as_str().into()),
        ("faults", serde_json::to_value(&file.faults).unwrap()),
        ("steps", steps.into()),
        ("lower_bound", bound.into()),
        ("bound", name.into()),
        ("optimal", (bound as usize == steps).into()),
        ("channel_steps", works.iter().sum::<usize>().into()),
        ("longest_path", works.iter().copied().max().into()),
        ("seed", 1.into()),
        ("ranks", how.islands.into()),
        ("engine", how.engine.name().into()),
        ("schedule", output.to_str().into()),
    ] {
        let value: Value = value;
        assert_eq!(summary[key], value, "the summary's {key} and the file's");
    }
    for laxer in summary["laxer"].as_array().into_iter().flatten() {
        assert!(
            laxer["lower_bound"].as_u64() < Some(steps as u64),
            "a laxer rule that is none: {laxer}"
        );
    }
    let problem: &Arc<Problem> = prepared.problem();
    assert_eq!(summary["topology"], Value::from(problem.network().name()));
}
