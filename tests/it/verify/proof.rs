//! Refutations with logs: the checker accepts what was proved, for the problem of which it was, and
//! refuses changed clauses, meanings and logs.

use crate::support::tiny;
use ccsched::islands::Limits;
use ccsched::network::{faults, spec};
use ccsched::problem::{Collective, Pair, Ports, Problem, Request, Routing, Switching};
use ccsched::refute::{Unproved, prove};
use ccsched::rng::rng_of;
use ccsched::verify::{Proof, verify_proof};
use ccsched::{Options, ScheduleFile, solve};
use std::fs;
use std::path::{Path, PathBuf};

/// An optimal schedule of a problem, if it is found quickly and has several steps.
fn optimum(problem: &Problem, iterations: u64) -> Option<ScheduleFile> {
    let limits = Limits { iterations, ..Limits::default() };
    let options = Options { islands: Some(1), limits, ..Options::default() };
    let solution = solve(problem, &options).unwrap();
    solution.schedule().filter(|file| solution.is_optimal() && file.steps.len() > 1)
}

/// A change of a file of a proof.
type Forged<'a> = &'a dyn Fn(&str) -> String;

/// Writes the proof that no schedule has one step less; returns the file of clauses.
fn proved(problem: &Problem, file: &ScheduleFile, folder: &Path) -> PathBuf {
    let refutation = prove(problem, file.steps.len() as u32 - 1, &|| false);
    refutation.unwrap_or_else(|why| panic!("{why:?}")).write(folder).unwrap()
}

/// Whether the clauses may be satisfiable where no schedule exists: they do not follow the vertices of
/// a broadcast's path that is longer than the shortest.
fn are_weak(problem: &Problem) -> bool {
    problem.collective().content().is_common() && problem.routing() != Routing::Minimal
}

#[test]
fn refutations_of_random_problems_are_accepted() {
    let mut lines = 0;
    let has_proofs = |c: &Collective| !c.is_all_reduce() && !c.joins() && !c.is_of_groups();
    for (seed, collective) in (51..).zip(Collective::all().filter(has_proofs)) {
        let mut rng = rng_of(seed, 0, 0);
        let mut checked = 0;
        for number in 1..=60 {
            let problem = tiny::problem(&mut rng, collective);
            let Some(file) = optimum(&problem, 3_000) else { continue };
            let least = file.steps.len() as u32 - 1;
            if are_weak(&problem)
                && prove(&problem, least, &|| false).is_err_and(|why| why == Unproved::Possible)
            {
                continue;
            }
            let folder = tempfile::tempdir().unwrap();
            proved(&problem, &file, folder.path());
            let proof = verify_proof(&file, folder.path(), &|| None);
            let proof = proof.unwrap_or_else(|why| panic!("{collective} {number}: {why}"));
            assert_eq!(proof.steps as usize, file.steps.len() - 1);
            checked += 1;
            lines += proof.lines;
        }
        println!("{collective}: {checked} proofs");
        assert!(checked >= 20, "{collective}: {checked} proofs");
    }
    // A contradiction of weights alone takes one line.
    assert!(lines > 500, "{lines} lines");
}

/// Hosts that store while switches cut through: no bound shows that the broadcast takes a third step.
#[test]
fn a_broadcast_between_two_servers_has_a_proof() {
    let switching = Switching::Hosts;
    let request = Request { switching, ..Request::new(Collective::Oab) };
    let problem = request.pose(spec::parse("dgx1:2").unwrap(), vec![]).unwrap();
    let file = optimum(&problem, 3_000).expect("it is optimal");
    assert_eq!(file.steps.len(), 3);
    let folder = tempfile::tempdir().unwrap();
    proved(&problem, &file, folder.path());
    assert_eq!(verify_proof(&file, folder.path(), &|| None).unwrap().steps, 2);
}

/// An all-to-all scatter that needs more steps than every bound says.
fn beyond_the_bounds(family: &str) -> (Problem, ScheduleFile) {
    let whole = spec::parse(family).unwrap();
    let broken = faults::parse_vertex(&whole, "1").unwrap();
    let network = faults::apply(&whole, &[], &[broken]).unwrap();
    let request = Request { ports: Ports(Some(1)), ..Request::new(Collective::Aas) };
    let problem = request.pose(network, vec![]).unwrap();
    let file = optimum(&problem, 100_000).unwrap();
    (problem, file)
}

#[test]
fn what_was_changed_is_refused() {
    let (problem, file) = beyond_the_bounds("octagon,half");
    assert_eq!(file.bounds[0].name, "search");
    let folder = tempfile::tempdir().unwrap();
    let clauses = proved(&problem, &file, folder.path());
    let Proof { steps, lines, .. } = verify_proof(&file, folder.path(), &|| None).unwrap();
    assert_eq!(steps, 8);
    assert!(lines > 100, "{lines} lines");
    let drop_line = |number: usize| {
        move |text: &str| {
            let kept = text.lines().enumerate().filter(|&(i, _)| i != number);
            kept.map(|(_, line)| format!("{line}\n")).collect::<String>()
        }
    };
    let shorter = |text: &str| {
        // The first clause after the one of the constant, without its first literal.
        let mut lines: Vec<&str> = text.lines().collect();
        lines[3] = lines[3].split_once(' ').unwrap().1;
        lines.join("\n") + "\n"
    };
    let swapped = |text: &str| text.replace("step 0 0", "step 0 9");
    let steps_and_one = |text: &str| text.replacen("steps 8", "steps 9", 1);
    let weightless = |text: &str| {
        let kept = text.lines().filter(|line| !line.starts_with("weights"));
        kept.map(|line| format!("{line}\n")).collect::<String>()
    };
    let early = |text: &str| text.lines().take(5).map(|l| format!("{l}\n")).collect::<String>();
    let cases: [(&str, Forged<'_>, &str); 7] = [
        ("cnf", &shorter, "is no clause of this problem"),
        ("cnf", &drop_line(4), "are announced"),
        ("map", &swapped, "is no clause of this problem"),
        ("map", &steps_and_one, "it is about 9 steps, not 8"),
        ("map", &weightless, "is no clause of this problem"),
        ("drat", &early, "does not end with the empty clause"),
        ("drat", &|text| format!("1 2 0\n-{text}"), "line 2"),
    ];
    for (kind, forged, why) in cases {
        let path = clauses.with_extension(kind);
        let before = change(&path, forged);
        let refused = verify_proof(&file, folder.path(), &|| None).unwrap_err();
        assert!(refused.contains(why), "{kind}: {refused}, not: {why}");
        fs::write(&path, before).unwrap();
    }
    // The same proof for another problem: full-duplex links carry more.
    let (_, other) = beyond_the_bounds("octagon");
    let mut claims = file.clone();
    claims.network = other.network.clone();
    assert!(verify_proof(&claims, folder.path(), &|| None).is_err());
}

/// On a ring of one-way links, every message takes two links of five: the load is 2, but of five
/// messages in a circle, each in conflict with the next, only two fit in a step.
#[test]
fn that_there_is_no_liquid_schedule_is_proved() {
    for n in [5, 7, 9] {
        let network = spec::parse(&format!("ring:{n},simplex")).unwrap();
        let pair = |v: usize| Pair {
            source: v.to_string(),
            destination: ((v + 2) % n).to_string(),
            bytes: None,
            count: 1,
        };
        let request = Request {
            pairs: Some((0..n).map(pair).collect()),
            switching: Switching::Wormhole,
            ..Request::new(Collective::Traffic)
        };
        let problem = request.pose(network, vec![]).unwrap();
        let file = optimum(&problem, 100_000).unwrap();
        assert_eq!(file.steps.len(), 3);
        let folder = tempfile::tempdir().unwrap();
        proved(&problem, &file, folder.path());
        assert_eq!(verify_proof(&file, folder.path(), &|| None).unwrap().steps, 2);
    }
}

/// Changes a file; returns its text before.
fn change(path: &Path, change: impl Fn(&str) -> String) -> String {
    let before = fs::read_to_string(path).unwrap();
    let after = change(&before);
    assert_ne!(before, after);
    fs::write(path, after).unwrap();
    before
}
