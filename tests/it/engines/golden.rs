//! Exact results of some searches: the same on every machine, with every compiler, in every version
//! without an intended change of the search. After an intended change,
//! `cargo test --test it golden -- --ignored --nocapture` prints the new table; its steps and
//! evaluations show whether the change is an improvement.

use crate::support::checked::{NEVER, file_of};
use crate::support::search::{search, search_with};
use ccsched::engines::{Engine, auto, hgsa, umda};
use ccsched::islands::{Alone, Job, Prepared, Search, StopCondition};
use ccsched::network::spec;
use ccsched::problem::Request;
use std::sync::Arc;

/// Quick, and enough for searches at several step targets.
const ITERATIONS: u64 = 600;

// Question: topology, collective, switching, ports, routing, engine, seed, islands. Answer: steps,
// iterations, evaluations, and a hash of the schedule file.
#[rustfmt::skip]
const GOLDEN: &[&str] = &[
    "kautz:3,2 aas wh all minimal       paper  1 2 |  8 600  155930 40e76576feaccd78",
    "kautz:3,2 aab wh all minimal       paper  1 2 |  4  10       0 d789feae4f3e97c2",
    "heawood aas wh all minimal         paper  1 3 | 14 600  326950 7801b1af807bcf1f",
    "hypercube:4 oab wh all minimal     paper  2 1 |  2  20       0 3d49d8cb6538295d",
    "hypercube:4 oas wh all minimal     paper  2 4 |  4  10     171 f3534ba4552bbbce",
    "hypercube:3 aab wh 1 minimal       paper  1 3 |  7 400   63789 82fbb734e6eadf65",
    "omega:8 aas wh all minimal         paper  1 2 |  8 600   67101 40be081d4befbf7a",
    "mesh:3x3,half aas wh all slack:1   paper  3 2 | 15 600   85694 6f42167279da0f5e",
    "fat-tree:8 aog wh all minimal      paper  1 2 |  7  10      25 aeb823410854837e",
    "torus:4x4 aas sf all minimal       paper  1 2 | 16 600  287258 20fc7141700be8e8",
    "octagon aab sf all minimal         paper  1 4 |  3  30    6045 ff94e5aac8aaa726",
    "petersen oab sf 1 minimal          paper  1 1 |  4  20      35 5dabaef65f27d2fd",
    "kautz:2,3 aab sf all minimal       paper  2 3 |  7 600  237115 d712fcc3cd5e160d",
    "mesh:3x3 oas sf 1 slack:1          paper  4 2 |  8  30     373 5533a15a936f8ef3",
    "heawood aas wh all minimal         auto   1 3 |  9  40    6568 8c64f03c317eb565",
    "mesh:4x4,half aas wh all slack:1   auto   3 2 | 32  10       0 9403de2ca9bae5b9",
    "kautz:3,3 oas wh 1 minimal         auto   2 2 | 35   0    1464 e161f2b8084a7ccc",
    "full-binary-tree:31 oab wh all minimal auto   1 2 |  4  10       0 501b723739b77467",
    "mesh:4x4,half oab wh all slack:1   auto   2 2 |  3  10       0 d976c921e4c425bc",
    "torus:5x5 oab wh all minimal       auto   1 2 |  2  20    1544 631a502889b8703c",
    "moebius-ladder:16 oab wh 1 minimal auto   2 1 |  4  20      30 1ee75c468d979cbd",
    "torus:8x8 oas sf all minimal       auto   1 2 | 16  10       0 08b0c06b32842b9a",
    "hypercube:5 oab sf 1 minimal       auto   3 1 |  5  10       0 4df77796991dbbcb",
    "fat-tree:16 aab wh all minimal     auto   1 2 | 15  10       0 4c24216394124ff0",
    "petersen aab wh 1 minimal          auto   2 1 |  9  10       0 86dbd7f8b086d4d6",
    "torus:4x4 aas sf all minimal       auto   1 2 |  8  10       0 290ef6c9e4b5ab27",
    "heawood aab wh all minimal         auto   1 2 |  5  10       0 9262ea82a90ebeee",
    "octagon,half aab wh all slack:1    auto   2 2 |  5  10       0 49bd17b60f3c33b7",
    "mesh:4x4 aab sf 1 minimal          auto   1 3 | 15  10       0 c5b2ec9e6d910ce4",
    "fat-tree:8 aab wh 1 minimal        auto   3 2 |  7  10       0 d67b48a073511270",
    "mesh:3x3 aab wh all minimal        auto   1 2 |  4  10     309 16ce5a5946f691fb",
    "mesh:3x5,half aab wh all slack:1   auto   2 2 | 10 190  291174 59f483369c1aeb5a",
    "mesh:3x5 aab sf 1 minimal          auto   1 3 | 18 600  951336 e9a9198eca6f94b1",
    "omega:8 aab sf all minimal         auto   1 2 | 10  10     561 8d9a584e9d5952c4",
    // Searches on problems that no constructor answers.
    "levi aas wh all minimal            auto   1 2 | 28  70   76162 417aab7fde7761a4",
    "kautz:3,2 aas wh all minimal       auto   1 2 |  7  30    2040 591a817ccd9a7818",
    "petersen aas wh all minimal        plain  1 2 |  5  16     962 211ee91e0164e3d3",
    "mesh:3x3 aas wh all minimal        plain  2 1 |  6  40    1061 33f97f621a1b40a3",
    "mesh:3x4 aas wh 1 slack:1          auto   1 2 | 12  10       0 a478a95244a32346",
    "mesh:3x5 aas wh 1 slack:1          auto   1 2 | 18  10       0 f690e719eca2fd13",
    "mesh:5x5x3 aas wh all minimal      auto   1 2 | 90  90  585586 a814ff00d7f5402c",
    "petersen aas sf all minimal        auto   1 2 |  5  20    1179 fcb4fe77afda0c4d",
    "heawood aas sf all minimal         plain  1 2 |  9  65    9445 716811c9f3ea63b4",
    "octagon,half aas sf 1 minimal      auto   2 2 | 12 600   96774 e90944de530dd65b",
    "full-binary-tree:15 oab wh all minimal search 1 2 |  3  20      69 5007f9aafbf168a4",
    "full-binary-tree:15 oab sf 1 minimal search 1 1 |  7 600    8296 50513b8d644a0e26",
    "torus:4x4 oab wh 1 minimal         search 2 2 |  4  20      60 27c514db3e34315f",
    "kautz:3,2 aab wh all minimal       search 1 2 |  4  10     465 c226dcd5d72442bf",
    "mesh:4x4 aab wh all slack:1        search 1 2 |  8  10    1127 1bafcd042e0175f6",
    "random-regular:16,3,1 aab sf all minimal auto   1 2 |  5  10    1680 ea55adb3c8dbb2ba",
    "random-regular:16,3,1 aab wh all minimal auto   2 1 |  5  30    5994 b1855cb74930b5da",
    // The annealer as users get it, and with the moves of its paper.
    "kautz:3,2 aas wh all minimal       anneal 1 1 |  7  30    2824 1f9cc254c1626430",
    "heawood aas wh all minimal         anneal 1 8 |  9  30  467568 4ea1a6ea227704a7",
    "mesh:3x3,half aas wh all slack:1   anneal 3 2 | 12  30   32449 d9c17f284ed5c4b1",
    "torus:4x4 aas sf all minimal       anneal 1 2 |  8  40  436735 3c3739cfe8727097",
    "fat-tree:16 oab wh all minimal     anneal 1 2 |  4  30   21760 065b857597659513",
    "omega:8 aab wh all minimal         anneal 1 4 |  7  10       0 48f89965f36af471",
    "petersen aab sf all minimal        anneal 1 2 |  3  20    1069 397c34ca77f6247d",
    "kautz:3,2 aas wh all minimal       mutate 1 4 |  7  90   44675 cebd88c73f6b7b1a",
    "hypercube:3 aab sf all minimal     mutate 1 3 |  3  10     470 4dff4bbe1b971a07",
    // The serial engine of the papers.
    "kautz:3,2 aas wh all minimal       umda   1 1 | 10 600   17910 3385e77a512e8650",
    "hypercube:3 aab wh all minimal     umda   2 1 |  3  10      60 2f64f82d11779886",
    "petersen oab wh 1 minimal          umda   1 1 |  4  10      60 9069b9a48b5a7382",
    "omega:8 oas wh all minimal         umda   3 1 |  7  10      60 c27b6396fe7c7905",
    "mesh:3x3 aas wh 1 minimal          umda   1 1 | 16 600   17910 e3db470a4abd1d81",
    // Engines on the conflict graph of fixed routes.
    "swiss-t1:2,1,0,1,2,1,0,1 aas wh all static liquid 1 1 |  8   0       0 dd3e6117f0a856f6",
    "swiss-t1:2,1,0,1,2,1,0,1 aas wh all static dsatur 1 1 |  8   0       0 d95076138ceb68ec",
    "swiss-t1:2,1,0,1,2,1,0,1 aas wh all static phases 1 1 | 11   0       0 4811da60dd49e778",
    "two-switch:3,2 aas wh all static   liquid 2 1 |  6   0       0 dcc0b1a57c36b8d6",
    "two-switch:3,2 aas wh all static   phases 1 1 |  7   0       0 7fd06924a317a7aa",
];

/// FNV-1a, 64 bits.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The question of a row: the part before the `|`.
fn question(row: &str) -> &str {
    row.split('|').next().expect("a row has a first part").trim()
}

/// The engine of a row: `auto` asks constructors first, `plain` is auto without groups of
/// automorphisms, `search` its searches alone. `anneal` is HGSA as users
/// get it, `mutate` with the moves of the paper, `paper` also with time-slot swaps and with all
/// islands in lock step, which begin each round of cooling anew.
fn engine_of(word: &str) -> Engine {
    match word {
        "anneal" => Engine::from(hgsa::Params::default()),
        "mutate" => Engine::from(hgsa::Params::new(hgsa::Neighbourhood::Paper)),
        "paper" => Engine::from(hgsa::Params {
            ladder: false,
            restart: Some(hgsa::Restart::Fresh),
            swap_share: 0.25,
            ..hgsa::Params::new(hgsa::Neighbourhood::Paper)
        }),
        "auto" => Engine::default(),
        "plain" => Engine::from(auto::Params { symmetry: false }),
        "umda" => Engine::from(umda::Params::default()),
        "liquid" => Engine::of(&ccsched::engines::exact::LIQUID),
        "dsatur" => Engine::of(&ccsched::engines::exact::DSATUR),
        "phases" => Engine::of(&ccsched::engines::exact::ROUND_ROBIN),
        _ => panic!("'{word}' names no engine"),
    }
}

/// Runs the search of a question and returns its new row.
fn answer(question: &str) -> String {
    let words: Vec<&str> = question.split_whitespace().collect();
    let [topology, collective, switching, ports, routing, moves, seed, islands] = words[..] else {
        panic!("'{question}' has not eight words");
    };
    let mut request = Request::new(collective.parse().unwrap());
    request.switching = switching.parse().unwrap();
    request.ports = ports.parse().unwrap();
    request.routing = routing.parse().unwrap();
    let problem = Arc::new(request.pose(spec::parse(topology).unwrap(), vec![]).unwrap());
    let (seed, islands) = (seed.parse().unwrap(), islands.parse().unwrap());
    let (best, progress) = match moves {
        "search" => {
            let walker = auto::searcher(&problem, auto::Params::default(), seed);
            let outcome = search_with(walker, &problem, seed, islands, ITERATIONS).unwrap();
            (outcome.best, outcome.progress)
        }
        _ => match engine_of(moves) {
            engine if !engine.has_islands() => {
                let search = Search { seed, exchange_every: 10, goal: None, ..Search::default() };
                let prepared = Prepared::new(Job::of(&problem, engine, search), islands).unwrap();
                let stop = StopCondition::new(ITERATIONS, None, &NEVER);
                let solution = prepared.run(&mut Alone, stop, &mut (), None).unwrap();
                (solution.plan, solution.progress)
            }
            engine => {
                let outcome = search(&problem, engine, seed, islands, ITERATIONS).unwrap();
                (outcome.best, outcome.progress)
            }
        },
    };
    let best = best.unwrap_or_else(|| panic!("{question}: nothing was found"));
    let hash = hash(&file_of(&problem, &best).to_json());
    let steps = best.len();
    let name = format!("{topology} {collective} {switching} {ports} {routing}");
    let name = format!("{name:34} {moves:6}");
    format!(
        "{name} {seed} {islands} | {steps:2} {:3} {:7} {hash:016x}",
        progress.iterations, progress.evaluations
    )
}

#[test]
fn results_are_unchanged() {
    let words = |row: &str| row.split_whitespace().map(String::from).collect::<Vec<_>>();
    let now: Vec<String> = GOLDEN.iter().map(|row| answer(question(row))).collect();
    let changed: Vec<String> = GOLDEN
        .iter()
        .zip(&now)
        .filter(|(row, now)| words(row) != words(now))
        .map(|(row, now)| format!("was {row}\nis  {now}\n"))
        .collect();
    assert!(changed.is_empty(), "if this is intended, print a new table\n{}", changed.concat());
}

#[test]
#[ignore = "prints a new table after an intended change of an engine"]
fn print() {
    for row in GOLDEN {
        println!("    \"{}\",", answer(question(row)));
    }
}
