//! The whole program against exact solutions of random small problems: `make test-truth`. Each follows
//! from a seed and a number; one that fails is reduced, and its files and command line are printed.

mod case;
mod check;
mod draw;
mod smaller;
mod sums;

use crate::support::shrink::{quietly, reduced};
use case::Case;
use ccsched::rng::rng_of;
use check::{Also, SCHEDULE, Score, check, second_checker};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Problems between two runs of the second checker, which takes long to start.
const BATCH: usize = 50;
/// One problem in this number is also solved by the program.
const BY_PROGRAM: usize = 8;
/// The seeds of problems are so far apart.
const APART: u64 = 1_000_000;

/// What some of the problems of `make test` must have.
const FEATURES: &str = "all-reduce all-reduce-whole barrier oab aab oas aas aog pairs groups permutation wormhole store-and-forward \
    ports-1 ports-2 minimal slack:1 slack:2 updown destination balanced dimension-order dmodk lgl \
    static full-duplex half-duplex one-way wide parallel switches detours copies hosts hosts-of-pairs senders receivers \
    link-broken arc-broken vertex-broken";

/// The problem of a seed and a number.
fn drawn(seed: u64, number: usize) -> Case {
    draw::case(&mut rng_of(seed * APART + number as u64, 0, 0))
}

/// A message without what changes while its problem is reduced.
fn kind(why: &str) -> String {
    let line = why.lines().next().unwrap_or_default();
    // A reason begins with the options of the search that has failed, if it is one.
    let line =
        line.split_once(": ").filter(|_| line.starts_with("--")).map_or(line, |parts| parts.1);
    line.chars().filter(|c| c.is_alphabetic() || *c == ' ').take(60).collect()
}

/// Searches for problems that fail.
struct Trial {
    seed: u64,
    folder: tempfile::TempDir,
    score: Score,
    /// Problems that could not be posed.
    refused: usize,
    /// The kinds of failures so far.
    failed: BTreeSet<String>,
    reports: Vec<String>,
    /// Schedules for the second checker, with the numbers of their problems.
    waiting: Vec<(PathBuf, usize)>,
}

impl Trial {
    fn new(seed: u64) -> Self {
        Trial {
            seed,
            folder: tempfile::tempdir().expect("a folder for files"),
            score: Score::default(),
            refused: 0,
            failed: BTreeSet::new(),
            reports: Vec::new(),
            waiting: Vec::new(),
        }
    }

    fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Checks the problem of a number.
    fn try_one(&mut self, number: usize) {
        let case = drawn(self.seed, number);
        let also = Also { program: number.is_multiple_of(BY_PROGRAM), python: false };
        match quietly(|| check(&case, self.folder(), also)) {
            Ok(Some(score)) => {
                self.score.add(score);
                let kept = self.folder().join(format!("{number}.json"));
                if fs::rename(self.folder().join(SCHEDULE), &kept).is_ok() {
                    self.waiting.push((kept, number));
                }
            }
            Ok(None) => self.refused += 1,
            Err(why) => self.failed(number, case, why, also),
        }
        if self.waiting.len() >= BATCH {
            self.check_waiting();
        }
    }

    /// The second checker reads all schedules that wait for it.
    fn check_waiting(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        let paths: Vec<&str> = waiting.iter().filter_map(|(path, _)| path.to_str()).collect();
        if !paths.is_empty() && second_checker(&paths).is_some() {
            for (path, number) in &waiting {
                if let Some(why) = second_checker(&[path.to_str().unwrap_or_default()]) {
                    let why = format!("check_bounds.py: {why}");
                    let also = Also { program: false, python: true };
                    self.failed(*number, drawn(self.seed, *number), why, also);
                }
            }
        }
        waiting.iter().for_each(|(path, _)| fs::remove_file(path).expect("it was written"));
    }

    /// Reduces a problem that fails, and reports it; of each kind only the first.
    fn failed(&mut self, number: usize, case: Case, why: String, also: Also) {
        let of = kind(&why);
        if !self.failed.insert(of.clone()) {
            return;
        }
        let fails = |case: &Case| {
            let why = quietly(|| check(case, self.folder(), also)).err()?;
            (kind(&why) == of).then_some(why)
        };
        let (case, why) = reduced(case, why, &smaller::smaller, &fails);
        let options = why.split(": ").next().filter(|options| options.starts_with("--"));
        let shown = case.shown(options.unwrap_or_default());
        let seed = self.seed;
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("truth-{seed}-{number}"));
        let told = match fs::create_dir_all(&kept).map(|()| case.write(&kept)) {
            Ok(Ok(())) => format!("its files are in {}", kept.display()),
            other => format!("its files are not kept: {other:?}"),
        };
        let report = format!("problem {number} of seed {seed}: {why}\n\n{shown}{told}\n");
        println!("{report}");
        self.reports.push(report);
    }

    /// Fails if something has failed.
    fn end(mut self) -> Score {
        self.check_waiting();
        let Trial { score, refused, reports, .. } = self;
        println!("{refused} not posed; {score:?}");
        assert!(
            reports.is_empty(),
            "{} kinds of failures:\n\n{}",
            reports.len(),
            reports.join("\n")
        );
        score
    }
}

#[test]
fn two_hundred_random_problems() {
    let mut trial = Trial::new(1);
    let mut number = 0;
    while trial.score.posed < 200 && trial.failed.is_empty() {
        trial.try_one(number);
        number += 1;
    }
    let score = trial.end();
    assert!(score.decided * 10 >= score.posed * 8, "{score:?}");
    assert!(score.tight * 100 >= score.decided * 85, "{score:?}");
    for (engine, least) in [("islands 1", 97), ("islands 2", 97), ("engine hgsa islands 1", 95)] {
        let (runs, best) = score.engines[engine];
        assert!(best * 100 >= runs * least, "{engine}: {best} of {runs}");
    }
    for feature in FEATURES.split_whitespace() {
        assert!(score.met.contains(feature), "no problem had {feature}: {:?}", score.met);
    }
}

/// Problems for a number of hours, by `make test-truth`.
#[test]
#[ignore = "it takes as long as asked for"]
fn for_hours() {
    let of = |name: &str, default: f64| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
    };
    let end = Instant::now() + Duration::from_secs_f64(3600.0 * of("HOURS", 0.01));
    let mut trial = Trial::new(of("SEED", 1.0) as u64);
    let first = of("FIRST", 0.0) as usize;
    for number in first.. {
        trial.try_one(number);
        if Instant::now() > end {
            break;
        }
    }
    trial.end();
}
