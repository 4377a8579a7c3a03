//! An engine of another crate in the commands: the one of examples/own_engine.rs, in a process of its
//! own, as a program would be.

use ccsched::ScheduleFile;
use ccsched::engines::Engine;
use ccsched::engines::row::{EngineRow, Parameter, values};
use ccsched::verify::verify;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

#[path = "../../../examples/own_engine.rs"]
#[allow(dead_code)]
mod own_engine;

/// The environment variable with the command line of the child.
const WORDS: &str = "CCSCHED_TEST_WORDS";

/// Runs the program with the engine.
fn program(words: &str) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "engines::own::child_with_an_engine", "--nocapture"]);
    command.env(WORDS, words).output().unwrap()
}

#[test]
#[ignore = "a child of the other tests"]
fn child_with_an_engine() {
    let Ok(words) = std::env::var(WORDS) else { return };
    let words = ["ccsched"].into_iter().chain(words.split(' ')).map(Into::into);
    assert_eq!(ccsched::cli::run_from(words, &[&own_engine::ENGINE]), ExitCode::SUCCESS);
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn verified(path: &Path) -> ScheduleFile {
    let file = ScheduleFile::read(path).unwrap();
    assert_eq!(verify(&file), []);
    file
}

fn succeeds(words: &str) -> String {
    let output = program(words);
    assert!(output.status.success(), "{words}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn said(words: &str) -> String {
    let output = program(words);
    assert!(!output.status.success(), "{words}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn it_solves_on_islands_and_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let [once, again, resumed, state] =
        ["once", "again", "resumed", "state"].map(|name| folder.path().join(name));
    let solve = "solve -q -t heawood -c aas --engine one-plus-one --set one-plus-one:growth=1.5";
    for path in [&once, &again] {
        succeeds(&format!("{solve} --iterations 60 -o {}", path.display()));
    }
    let file = verified(&once);
    assert_eq!(text(&once), text(&again));
    let said_in_file = text(&once);
    for words in ["\"engine\": \"one-plus-one\"", "(1+1) evolution strategy", "\"growth\": 1.5"] {
        assert!(said_in_file.contains(words), "{words}: {said_in_file}");
    }
    let kept = format!("--checkpoint {}", state.display());
    succeeds(&format!("{solve} --iterations 20 {kept}"));
    let from = format!("--resume {}", state.display());
    succeeds(&format!("{solve} --iterations 60 {from} -o {}", resumed.display()));
    assert_eq!(verified(&resumed).steps, file.steps);
    // The program without the engine, and other parameters.
    let why = said(&format!("solve -q -t heawood -c aas --engine one-plus-one {from}"));
    assert!(why.contains("its engine is one-plus-one{changes: 1.0, growth: 1.5}"), "{why}");
    let output = Command::new(env!("CARGO_BIN_EXE_ccsched"))
        .args("solve -q -t heawood -c aas --engine hgsa".split(' '))
        .args(["--resume".as_ref(), state.as_os_str()])
        .output()
        .unwrap();
    let why = String::from_utf8(output.stderr).unwrap();
    assert!(why.contains("its engine is an engine of another program"), "{why}");
}

#[test]
fn it_is_compared_with_others() {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("runs.csv");
    let runs = "--run one-plus-one:islands=2 --run hgsa:islands=2 --run umda:population=4";
    let limits = "--steps 8 --runs 2 --evaluations 50000";
    let table = succeeds(&format!(
        "compare -q -t hypercube:3 -c aas {runs} {limits} --csv {}",
        csv.display()
    ));
    assert!(table.contains("| one-plus-one:islands=2 | 2 of 2 "), "{table}");
    assert_eq!(text(&csv).lines().filter(|line| line.contains(",one-plus-one:")).count(), 2);
}

#[test]
fn what_it_cannot_schedule_is_named() {
    let why = said("solve -q -c aab --engine one-plus-one");
    assert!(why.contains("--engine: one-plus-one: schedules one message a pair"), "{why}");
    let why = said("compare -q -c aab --run one-plus-one --evaluations 9");
    assert!(why.contains("--run one-plus-one on kautz:3,2 AAB: engine: one-plus-one"), "{why}");
    let why = said("solve -q --engine one-plus-one --set one-plus-one:hot=1");
    assert!(why.contains("one-plus-one has no parameter 'hot'; it has changes, growth"), "{why}");
}

/// The mistake in an engine with this name and these parameters.
fn refused(name: &'static str, parameters: &'static [Parameter]) -> String {
    let engine = EngineRow { name, parameters, defaults: values([2.0, 2.0]), ..EngineRow::BASE };
    Engine::register(Box::leak(Box::new(engine))).unwrap_err().to_string()
}

#[test]
fn mistakes_in_a_row_are_told() {
    const SHARE: Parameter = Parameter::share("share", "A share");
    const WORD: Parameter = Parameter::word("word", "A word", &["one", "two"]);
    const COUNT: Parameter = Parameter::count("count", "A count");
    for (name, parameters, why) in [
        ("One", &[][..], "a name has lower-case letters"),
        ("", &[], "a name has lower-case letters"),
        ("hgsa", &[], "another engine has this name"),
        ("one", &[SHARE], "the default of 'share' is not a number from 0 to 1"),
        ("one", &[WORD], "the default of 'word' is not one or two"),
        ("one", &[COUNT, COUNT], "two parameters have the name 'count'"),
    ] {
        let said = refused(name, parameters);
        assert!(said.contains(why), "{name}: {said}");
    }
}
