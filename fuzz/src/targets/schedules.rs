//! Schedules: files of ours, of other programs, and the proofs beside them.

use crate::scratch;
use ccsched::islands::Limits;
use ccsched::network::spec;
use ccsched::problem::{Collective, Ports, Request, Switching};
use ccsched::schedule::file::Provenance;
use ccsched::schedule::resolve;
use ccsched::verify::{verify, verify_proof};
use ccsched::{Options, Problem, ScheduleFile, import as others, show, solve};
use std::sync::OnceLock;

/// Reads a schedule file, checks it and shows it.
pub fn schedule(data: &[u8]) {
    let Ok(file) = ScheduleFile::read(scratch::file("schedule.json", data)) else { return };
    let is_valid = verify(&file).is_empty();
    let _ = show::schedule(&file);
    let written = scratch::file("written.json", file.to_json().as_bytes());
    assert_eq!(ScheduleFile::read(written).expect("what was written is read"), file);
    if is_valid {
        let _ = resolve(&file);
    }
}

/// The problem that imported schedules are of.
fn problem(spec: &str, collective: Collective) -> Problem {
    let network = spec::parse(spec).expect("a family");
    Request::new(collective).pose(network, vec![]).expect("a problem of the family")
}

/// Reads a schedule of another program, and checks what was read.
fn import(data: &[u8], problem: &Problem) {
    let Ok(source) = others::Source::open(&scratch::file("imported", data)) else { return };
    source.collective();
    if let Ok(imported) = source.read(problem) {
        let problem = imported.posed.as_ref().unwrap_or(problem);
        let file = imported.plan.record(problem, &[], Provenance::default());
        let _ = verify(&file);
    }
}

/// Reads a CSV file of transfers.
pub fn import_csv(data: &[u8]) {
    static PROBLEM: OnceLock<Problem> = OnceLock::new();
    import(data, PROBLEM.get_or_init(|| problem("ring:4", Collective::Aas)));
}

/// Reads an algorithm of MSCCL.
pub fn import_msccl(data: &[u8]) {
    static PROBLEM: OnceLock<Problem> = OnceLock::new();
    import(data, PROBLEM.get_or_init(|| problem("ring:4", Collective::Aab)));
}

/// An optimal schedule, to which proofs can belong.
fn optimum(spec: &str, request: Request) -> ScheduleFile {
    let network = spec::parse(spec).expect("a family");
    let problem = request.pose(network, vec![]).expect("a problem of the family");
    let limits = Limits { iterations: 10_000, ..Limits::default() };
    let options = Options { islands: Some(1), limits, ..Options::default() };
    let solution = solve(&problem, &options).expect("the engine has schedules of the problem");
    solution.schedule().expect("a schedule is found soon")
}

/// Checks a proof: clauses, their map and the log, with lines of `==` between them.
fn proof(data: &[u8], file: &ScheduleFile) {
    let text = String::from_utf8_lossy(data);
    let mut parts = text.splitn(3, "==\n");
    let stem = format!("{}-{}", file.model.collective, file.steps.len() - 1);
    for kind in ["cnf", "map", "drat"] {
        scratch::file(&format!("{stem}.{kind}"), parts.next().unwrap_or("").as_bytes());
    }
    let folder = scratch::path("");
    let _ = verify_proof(file, &folder, &|| None);
}

/// Checks the proof of a broadcast.
pub fn proof_of_broadcast(data: &[u8]) {
    static FILE: OnceLock<ScheduleFile> = OnceLock::new();
    let request = || Request { ports: Ports(Some(1)), ..Request::new(Collective::Oab) };
    let file = || optimum("mesh:2x3", request());
    proof(data, FILE.get_or_init(file));
}

/// Checks the proof of a scatter.
pub fn proof_of_scatter(data: &[u8]) {
    static FILE: OnceLock<ScheduleFile> = OnceLock::new();
    let switching = Switching::StoreAndForward;
    let file = || optimum("binary-tree:4", Request { switching, ..Request::new(Collective::Aas) });
    proof(data, FILE.get_or_init(file));
}
