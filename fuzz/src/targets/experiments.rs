//! Results that a later run reads again: comparisons, fault sweeps and their books, reproductions,
//! traces.

use crate::scratch;
use ccsched::cli::{trace as traces, trace_plot};
use ccsched::engines::{Engine, auto};
use ccsched::experiments::compare::{lines, summaries, text};
use ccsched::experiments::fault_sweep::{Book, FaultSweep, Header, Results, Subject, link_sets};
use ccsched::experiments::reproduce::read_csv;
use ccsched::network::spec;
use ccsched::problem::{Collective, Request};
use std::sync::OnceLock;

/// Reads the summary lines of runs, and compares them.
pub fn compare(data: &[u8]) {
    if let Ok(study) = lines::read(&scratch::file("runs.jsonl", data), None) {
        let _ = text(&summaries(&study), None);
    }
}

/// The sweep that results and books are of.
fn swept() -> &'static FaultSweep {
    static SWEEP: OnceLock<FaultSweep> = OnceLock::new();
    SWEEP.get_or_init(|| {
        let network = spec::parse("ring:4").expect("a family");
        FaultSweep {
            sets: link_sets(&network, 1),
            network,
            faults: vec![],
            requests: vec![Request::new(Collective::Oab)],
            engine: Engine::default(),
            seed: 1,
            iterations: 100,
            time_limit: None,
        }
    })
}

/// Continues a sweep. The header must be right, so an input that begins with `+` stands behind one.
pub fn sweep(data: &[u8]) {
    static HEAD: OnceLock<Vec<u8>> = OnceLock::new();
    let header = Header::new(swept());
    let head = HEAD.get_or_init(|| {
        let path = scratch::path("empty.jsonl");
        Results::open(Some(&path), &header).expect("new results");
        std::fs::read(path).expect("a file of results")
    });
    let content = match data.strip_prefix(b"+") {
        Some(rows) => [head, rows].concat(),
        None => data.to_vec(),
    };
    if let Ok(results) = Results::open(Some(&scratch::file("results.jsonl", &content)), &header) {
        let _ = swept().rows(&results);
    }
}

/// Opens a fault book.
pub fn book(data: &[u8]) {
    scratch::file("book.json", data);
    let subject = Subject::new(swept());
    if let Ok(book) = Book::open(&scratch::path(""), &subject) {
        let sets = swept().sets.iter();
        sets.enumerate().for_each(|(i, set)| {
            book.has(Collective::Oab, &swept().label(i), &swept().faults_with(set));
        });
    }
}

/// Reads the rows of a reproduction.
pub fn reproduce(data: &[u8]) {
    let _ = read_csv(&scratch::file("rows.csv", data));
}

/// Reads a trace and draws it.
pub fn trace(data: &[u8]) {
    let (trace, output) = (scratch::file("trace.csv", data), scratch::path("trace.svg"));
    if traces::read(&trace).is_ok_and(|rows| !rows.is_empty()) {
        trace_plot::run(&trace_plot::Args { trace, output }).expect("a trace is drawn");
    }
}
