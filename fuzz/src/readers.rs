//! The readers, each with what is done with the result: a file that is read is also checked, shown
//! and used.

use crate::files::file;
use ccsched::cli::trace;
use ccsched::engines::{Engine, hgsa};
use ccsched::experiments::compare::{lines, summaries, text};
use ccsched::experiments::fault_sweep::{FaultSweep, Header, Results, fault_sets};
use ccsched::islands::{Job, Search, checkpoint};
use ccsched::network::{Network, files, spec};
use ccsched::problem::{Collective, Permutation, Request, groups_file, hosts, pairs_file};
use ccsched::schedule::{ScheduleFile, resolve};
use ccsched::show;
use ccsched::verify::verify;
use std::sync::LazyLock;

/// A target: its name, and what it does with the bytes.
type Target = (&'static str, fn(&[u8]));

pub const ALL: &[Target] = &[
    ("network", network),
    ("schedule", schedule),
    ("checkpoint", checkpoint_body),
    ("pairs", pairs),
    ("groups", groups),
    ("permutation", permutation),
    ("compare", compare),
    ("results", results),
    ("trace", rows),
    ("spec", words),
    ("hostlist", hostlist),
];

/// The network that small files refer to.
static RING: LazyLock<Network> = LazyLock::new(|| spec::parse("ring:4").expect("a family"));

/// The job of the checkpoint seed: `ccsched solve -t ring:5 -c aas --engine hgsa`.
static JOB: LazyLock<Job> = LazyLock::new(|| Job {
    network: spec::parse("ring:5").expect("a family"),
    faults: vec![],
    request: Request::new(Collective::Aas),
    engine: Engine::Hgsa(hgsa::Params::default()),
    search: Search::default(),
});

fn network(bytes: &[u8]) {
    if let Ok(network) = files::read(file(bytes)) {
        let written = files::toml::write::to_toml(&network);
        // What is written is a network again.
        if let Ok(text) = written {
            files::read(file(text.as_bytes())).expect("our own file");
        }
    }
}

fn schedule(bytes: &[u8]) {
    let Ok(schedule) = ScheduleFile::read(file(bytes)) else { return };
    let violations = verify(&schedule);
    assert!(violations.iter().all(|violation| !violation.to_string().contains('\n')));
    show::schedule(&schedule);
    if violations.is_empty() {
        resolve(&schedule).ok();
    }
    assert!(ScheduleFile::read(file(schedule.to_json().as_bytes())).expect("our own") == schedule);
}

/// The bytes are the body of a checkpoint, and get its head with the right checksum.
fn checkpoint_body(body: &[u8]) {
    if let Ok(state) = checkpoint::from_bytes(&checkpoint::with_head(body), &JOB) {
        state.check(&JOB.pose().expect("a problem")).ok();
    }
}

fn pairs(bytes: &[u8]) {
    if let Ok(pairs) = pairs_file::read(file(bytes)) {
        let request = Request { pairs: Some(pairs), ..Request::new(Collective::Traffic) };
        request.pose(RING.clone(), vec![]).ok();
    }
}

fn groups(bytes: &[u8]) {
    groups_file::read(file(bytes), &RING).ok();
}

fn permutation(bytes: &[u8]) {
    let names: Vec<String> = RING.vertices().iter().map(|v| v.name.clone()).collect();
    Permutation::File(file(bytes).to_path_buf()).pairs(&names, &names).ok();
}

fn compare(bytes: &[u8]) {
    if let Ok(study) = lines::read(file(bytes), None) {
        text(&summaries(&study), 80);
    }
}

fn results(bytes: &[u8]) {
    static HEADER: LazyLock<Header> = LazyLock::new(|| {
        Header::new(&FaultSweep {
            network: RING.clone(),
            faults: vec![],
            sets: fault_sets(&RING, Some(1), None).expect("four links"),
            requests: vec![Request::new(Collective::Aas)],
            engine: Engine::default(),
            seed: 1,
            iterations: 10_000,
            time_limit: None,
        })
    });
    Results::open(Some(file(bytes)), &HEADER).ok();
}

fn rows(bytes: &[u8]) {
    trace::read(file(bytes)).ok();
}

fn words(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // Large members are right, and take longer than an input may.
    let digits = |word: &str| word.bytes().filter(u8::is_ascii_digit).count();
    if text.split(|c: char| !c.is_ascii_digit()).all(|word| digits(word) <= 2) {
        spec::parse(text).ok();
    }
    text.parse::<Collective>().ok();
    text.parse::<Permutation>().ok();
}

fn hostlist(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        hosts::terminals(&RING, text).ok();
    }
}
