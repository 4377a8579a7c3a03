//! Exact results of some searches: the same on every machine, with every compiler, in every
//! version that does not mean to change the search. A change of the engine that is meant makes new
//! ones: `cargo test --test golden -- --ignored --nocapture` prints the table to put in here, with
//! the steps and evaluations beside it to see whether the change is for the better.

#[path = "common/checked.rs"]
mod checked;
#[path = "common/search.rs"]
mod search;

use ccsched::engines::hgsa;
use ccsched::network::spec;
use ccsched::problem::Request;
use checked::file_of;
use search::search;
use std::sync::Arc;

/// Enough to be at work at several numbers of steps, and quick.
const ITERATIONS: u64 = 600;

// What is asked for: topology, collective, switching, ports, routing, seed, islands; and what
// comes out: steps, iterations, evaluations, and a hash of the schedule file.
#[rustfmt::skip]
const GOLDEN: &[&str] = &[
    "kautz:3,2 aas wh all minimal               1 2 |  8 600  156975 06a2897643ca7caf",
    "kautz:3,2 aab wh all minimal               1 2 |  4  10       0 4a229fbed798fcd6",
    "heawood aas wh all minimal                 1 3 | 14 600  326950 6eaf9ef2eb9da104",
    "hypercube:4 oab wh all minimal             2 1 |  2  20       0 e9ab20d18e667f64",
    "hypercube:4 oas wh all minimal             2 4 |  4  10     171 56f87f40aed105f6",
    "hypercube:3 aab wh 1 minimal               1 3 |  9 600   97440 747542b5fa0d26ed",
    "omega:8 aas wh all minimal                 1 2 |  8 600   66649 09501bb644fee890",
    "mesh:3x3,half aas wh all slack:1           3 2 | 15 600   85544 0cf1be7f49e215fc",
    "fat-tree:8 aog wh all minimal              1 2 |  7  10      25 f47028091fb6c3b6",
    "torus:4x4 aas sf all minimal               1 2 | 16 600  287258 9c731e868b4022ce",
    "octagon aab sf all minimal                 1 4 |  3  20    3515 ef4a7382f9e0c526",
    "petersen oab sf 1 minimal                  1 1 |  4  20      35 1bb6f53e1bd1b5ff",
    "kautz:2,3 aab sf all minimal               2 3 |  7 600  236904 605f0bc27f54939d",
    "mesh:3x3 oas sf 1 slack:1                  4 2 |  8  30     230 2841408a1f633e65",
];

/// FNV-1a, 64 bits.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The question of a row: all but its answer.
fn question(row: &str) -> &str {
    row.split('|').next().expect("a row has a first part").trim()
}

/// Searches for what a question asks, and writes the row down anew.
fn answer(question: &str) -> String {
    let words: Vec<&str> = question.split_whitespace().collect();
    let [topology, collective, switching, ports, routing, seed, islands] = words[..] else {
        panic!("'{question}' has not seven words");
    };
    let mut request = Request::new(collective.parse().unwrap());
    request.switching = switching.parse().unwrap();
    request.ports = ports.parse().unwrap();
    request.routing = routing.parse().unwrap();
    let problem = Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap());
    let (seed, islands) = (seed.parse().unwrap(), islands.parse().unwrap());
    let params = hgsa::Params::default();
    let outcome = search(&problem, params, seed, islands, ITERATIONS).unwrap();
    let best = outcome.best.unwrap_or_else(|| panic!("{question}: nothing was found"));
    let hash = hash(&file_of(&problem, &best).to_json());
    let (steps, progress) = (best.steps.len(), outcome.progress);
    let name = format!("{topology} {collective} {switching} {ports} {routing}");
    format!(
        "{name:42} {seed} {islands} | {steps:2} {:3} {:7} {hash:016x}",
        progress.iterations, progress.evaluations
    )
}

#[test]
fn results_are_what_they_were() {
    let words = |row: &str| row.split_whitespace().map(String::from).collect::<Vec<_>>();
    let now: Vec<String> = GOLDEN.iter().map(|row| answer(question(row))).collect();
    let changed: Vec<String> = GOLDEN
        .iter()
        .zip(&now)
        .filter(|(row, now)| words(row) != words(now))
        .map(|(row, now)| format!("was {row}\nis  {now}\n"))
        .collect();
    assert!(changed.is_empty(), "if this is meant, see above how\n{}", changed.concat());
}

#[test]
#[ignore = "prints the table anew, for changes of the engine that are meant"]
fn print() {
    for row in GOLDEN {
        println!("    \"{}\",", answer(question(row)));
    }
}
