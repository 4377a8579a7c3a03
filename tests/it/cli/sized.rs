//! `solve` for messages of different lengths: objective, forms, outputs.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, args: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ccsched"));
    command.args(args.split_whitespace()).current_dir(folder).output().unwrap()
}

fn out(folder: &Path, args: &str) -> String {
    let output = run(folder, args);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args}: {err}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(folder: &Path, args: &str) -> Value {
    serde_json::from_str(&out(folder, args)).unwrap()
}

/// A folder with the lengths of an all-to-all among four terminals.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lengths = [[0, 9, 1, 1], [2, 0, 30, 3], [4, 4, 0, 1], [50, 6, 7, 0]];
    let mut text = String::new();
    for (i, row) in lengths.iter().enumerate() {
        for (j, bytes) in row.iter().enumerate().filter(|(j, _)| *j != i) {
            text += &format!("{i},{j},{bytes}\n");
        }
    }
    fs::write(folder.path().join("p.csv"), text).unwrap();
    fs::write(folder.path().join("alike.csv"), "0,1,8\n1,0,8\n").unwrap();
    folder
}

#[test]
fn different_lengths_minimise_time() {
    let folder = folder();
    let at = folder.path();
    let problem = "solve -t fat-tree:4 --pairs p.csv --iterations 40";
    let timed = json(at, &format!("{problem} --timed --json -o t.json"));
    assert_eq!((&timed["minimize"], &timed["timing"]), (&"time".into(), &"timed".into()));
    // What terminal 3 sends, or 0 receives.
    assert_eq!((&timed["bytes"], &timed["optimal"]), (&63.into(), &true.into()));
    assert_eq!(timed["time_us"], 63.0 * 0.5e-3 + 3.0);
    let steps = json(at, &format!("{problem} --json -o s.json"));
    assert_eq!((&steps["timing"], &steps["steps"]), (&"steps".into(), &3.into()));
    assert!(steps["bytes"].as_u64() >= Some(63) && steps["optimal"] == true, "{steps}");
    let fewest = json(at, &format!("{problem} --minimize steps --json -o f.json"));
    assert_eq!(fewest["steps"], 3);
    assert!(fewest["time_us"].as_f64() >= steps["time_us"].as_f64());
    let told = out(at, "verify t.json s.json f.json");
    assert!(told.contains("timed, 63 bytes, bound 63 (ports), optimal over"), "{told}");
    assert!(told.lines().count() == 3 && told.lines().all(|l| l.contains(": valid: ")), "{told}");
    // Lengths that are all the same are steps as before.
    let alike = json(at, "solve -t fat-tree:4 --pairs alike.csv --json");
    assert_eq!((&alike["steps"], alike.get("minimize")), (&1.into(), None));
}

#[test]
fn the_same_seed_gives_the_same_file() {
    let folder = folder();
    let at = folder.path();
    for form in ["--timed", "--minimize time"] {
        let of = |name: &str| {
            out(at, &format!("solve -t ring:4 --pairs p.csv {form} --iterations 30 -q -o {name}"));
            fs::read_to_string(at.join(name)).unwrap()
        };
        assert_eq!(of("a.json"), of("b.json"), "{form}");
    }
}

/// A problem whose least time is above its bound, so that searches go on.
const HARD: &str = "solve -t ring:8 --pairs hard.csv --islands 3 --exchange-every 2";

#[test]
fn a_resumed_search_gives_the_file_of_an_uninterrupted_one() {
    let folder = folder();
    let at = folder.path();
    let pair = |(i, j): (u64, u64)| format!("{i},{j},{}\n", 1 + (i * 7 + j * 13) % 19);
    let all = (0..64).map(|n| (n / 8, n % 8)).filter(|(i, j)| i != j);
    fs::write(at.join("hard.csv"), all.map(pair).collect::<String>()).unwrap();
    let read = |name: &str| fs::read(at.join(name)).unwrap();
    for form in ["--timed", "--minimize time"] {
        let of = |rest: &str| out(at, &format!("{HARD} {form} -q {rest}"));
        let whole = of("--iterations 25 -o whole.json --force --checkpoint whole");
        assert!(whole.contains("25 iterations"), "{whole}");
        of("--iterations 9 -o part.json --force --checkpoint state");
        let resumed = of("--iterations 25 -o part.json --force --resume state --checkpoint state");
        assert_eq!(read("part.json"), read("whole.json"), "{form}: {resumed}");
        assert_eq!(read("state"), read("whole"), "{form}");
        // Nothing is left to do.
        of("--iterations 25 -o again.json --force --resume state");
        assert_eq!(read("again.json"), read("whole.json"), "{form}");
    }
}

#[test]
fn a_checkpoint_of_another_search_is_refused() {
    let folder = folder();
    let at = folder.path();
    let problem = "solve -t ring:4 --pairs p.csv -q --exchange-every 1";
    out(at, &format!("{problem} --timed --iterations 1 --islands 2 --checkpoint timed"));
    out(at, &format!("{problem} --minimize steps --iterations 1 --checkpoint steps"));
    for (options, words) in [
        ("--minimize time --islands 2 --resume timed", "another form"),
        ("--timed --islands 3 --resume timed", "of 2 islands, here are 3"),
        ("--timed --resume steps", "of a search for the fewest steps"),
        ("--minimize steps --resume timed", "of a search for the least time"),
    ] {
        let output = run(at, &format!("{problem} {options}"));
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && err.contains(words), "{options}: {err}");
    }
}

#[test]
fn a_timed_schedule_is_shown_by_its_starts() {
    let folder = folder();
    let at = folder.path();
    let printed = out(at, "solve -t fat-tree:4 --pairs p.csv --timed -o t.json --table");
    let shown = out(at, "show t.json");
    assert!(shown.starts_with("TRAFFIC timed, 63 bytes long, on fat-tree:4"), "{shown}");
    assert!(printed.starts_with(&shown), "{printed}");
    let paths = out(at, "show t.json --paths --t0 0 --t1 1000");
    assert!(paths.contains("0-50 3>0") || paths.contains("13-63 3>0"), "{paths}");
    assert!(paths.contains("63.000 us modelled"), "{paths}");
}

#[test]
fn bounds_in_bytes_are_listed() {
    let folder = folder();
    let text = out(folder.path(), "bound -t fat-tree:4 --pairs p.csv");
    assert!(text.contains("ports           63 bytes  at "), "{text}");
    assert!(text.contains("bytes  steps by falling length"), "{text}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = folder();
    for (args, words) in [
        ("-t ring:4 --timed", "--minimize: time is for messages with lengths"),
        ("-t ring:4 --pairs p.csv --timed --switching sf", "wormhole switching"),
        ("-t ring:4 --pairs p.csv --timed --steps 3", "--steps is for the fewest steps"),
        ("-t ring:4 --pairs p.csv --minimize time --engine umda", "--engine is for the fewest"),
        ("-t ring:4 --pairs p.csv --timed --minimize steps", "--timed: it is for the least time"),
    ] {
        let output = run(folder.path(), &format!("solve {args}"));
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args}: {err}");
        assert!(err.contains(words), "{args}: {err}");
    }
    let stored = run(folder.path(), "solve -t ring:4 --pairs p.csv --switching sf -q");
    assert!(stored.status.success());
    assert!(String::from_utf8_lossy(&stored.stderr).contains("the steps are minimised"));
}

#[test]
fn a_matrix_gives_the_same_traffic() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("m.csv"), "7,9,1,1\n2,0,30,3\n4,4,0,1\n50,6,7,0\n").unwrap();
    fs::write(at.join("named.csv"), ",3,2,1,0\n3,0,7,6,50\n1,3,30,0,2\n2,1,0,4,4\n0,1,1,9,0\n")
        .unwrap();
    let market = "%%MatrixMarket matrix coordinate integer general\n4 4 3\n1 2 9\n2 3 30\n2 3 30\n";
    fs::write(at.join("m.mtx"), market).unwrap();
    let solved = |option: &str, name: &str| {
        let options = "--timed --iterations 20 -q -o";
        out(at, &format!("solve -t fat-tree:4 {option} {options} {name}"));
        fs::read_to_string(at.join(name)).unwrap()
    };
    let right = solved("--pairs p.csv", "a.json");
    assert_eq!(solved("--matrix m.csv", "b.json"), right);
    assert_eq!(solved("--matrix named.csv", "c.json"), right);
    let summed = json(at, "solve -t fat-tree:4 --matrix m.mtx --add-up --timed --json");
    assert_eq!(summed["bytes"], 60);
    let pieces =
        "solve -t fat-tree:4 --pairs p.csv --piece-bytes 20 --timed --json --iterations 40";
    assert_eq!(
        (&json(at, pieces)["messages"], &json(at, pieces)["bytes"]),
        (&15.into(), &63.into())
    );
    for (args, words) in [
        ("--matrix m.mtx", "m.mtx:5: row 2, column 3 is given twice"),
        ("--matrix p.csv", "p.csv:1: 3 entries in a row of 4"),
        ("--add-up", "--add-up: it is for a traffic"),
    ] {
        let output = run(at, &format!("solve -t fat-tree:4 {args}"));
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && err.contains(words), "{args}: {err}");
    }
}

#[test]
fn groups_of_all_to_alls_have_sizes() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("g"), "alltoall 0,1,2 bytes=40\nscatter 3,0,1 bytes=7\ngather 2,3\n")
        .unwrap();
    let pairs: String = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
        .map(|(a, b)| format!("{a},{b},40\n"))
        .concat();
    fs::write(at.join("g.csv"), pairs + "3,0,7\n3,1,7\n3,2\n").unwrap();
    let solved = |option: &str, name: &str| {
        out(at, &format!("solve -t fat-tree:4 {option} --timed --iterations 20 -q -o {name}"));
        fs::read_to_string(at.join(name)).unwrap()
    };
    assert_eq!(solved("--group g", "a.json"), solved("--pairs g.csv", "b.json"));
    for (text, words) in [
        ("alltoall 0,1,2 bytes=0", "g:1: 'bytes=0': the bytes of a message are a whole number"),
        ("alltoall 0,1 bytes=4 2", "a line is: collective members [root] [bytes=N]"),
    ] {
        fs::write(at.join("g"), text).unwrap();
        let output = run(at, "solve -t fat-tree:4 --group g");
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && err.contains(words), "{text}: {err}");
    }
}

#[test]
fn a_timed_table_is_read_again() {
    let folder = folder();
    let at = folder.path();
    out(at, "solve -t fat-tree:4 --pairs p.csv --timed -q -o t.json");
    out(at, "export t.json --to csv -o t.csv");
    let imported = "import-schedule t.csv -t fat-tree:4 --pairs p.csv";
    let told = out(at, &format!("{imported} -o again.json"));
    assert!(told.contains("timed, 63 bytes, bound 63"), "{told}");
    let [first, again] = ["t.json", "again.json"].map(|name| {
        let text = fs::read_to_string(at.join(name)).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    });
    assert_eq!((&first["steps"], &first["model"]), (&again["steps"], &again["model"]));
    let text = fs::read_to_string(at.join("t.csv")).unwrap();
    let end = |line: &&str| line.rsplit(',').next().unwrap().parse::<u64>().unwrap();
    let line = text.lines().filter(|line| line.contains(",3>")).max_by_key(end).unwrap();
    let (rest, end) = line.rsplit_once(',').unwrap();
    let (rest, start) = rest.rsplit_once(',').unwrap();
    let [start, end] = [start, end].map(|word| word.parse::<u64>().unwrap());
    for (new, words) in [
        (format!("{rest},{start},{}", end + 1), "but has "),
        (format!("{rest},,"), "either all transfers have a start, or none"),
        (format!("{rest},early,"), "'early' is no instant"),
        (format!("2{},{start},{end}", &rest[1..]), "transfers with a start have the step 1"),
        (format!("{rest},{},{}", start + 9, end + 9), "t.csv: valid"),
        (format!("{rest},{},{}", start - 1, end - 1), "conflict"),
    ] {
        fs::write(at.join("t.csv"), text.replace(line, &new)).unwrap();
        let output = run(at, imported);
        let all = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(all.concat().contains(words), "{new}: {all:?}");
    }
}

#[test]
fn a_new_traffic_begins_with_an_old_order() {
    let folder = folder();
    let at = folder.path();
    out(at, "solve -t fat-tree:4 --pairs p.csv --timed -q -o old.json");
    let text = fs::read_to_string(at.join("p.csv")).unwrap();
    fs::write(at.join("new.csv"), text.replace("3,0,50", "3,0,40").replace("0,1,9\n", "")).unwrap();
    for form in ["--timed", "--minimize time"] {
        let args =
            format!("solve -t fat-tree:4 --pairs new.csv {form} --start-from old.json --json");
        assert_eq!(json(at, &format!("{args} --iterations 40"))["optimal"], true);
    }
    let wrong = run(at, "solve -t ring:4 --pairs new.csv --timed --from old.json");
    let err = String::from_utf8(wrong.stderr).unwrap();
    assert!(wrong.status.code() == Some(2) && err.contains("no transfer of it is one of"), "{err}");
}

#[test]
fn a_timed_schedule_is_drawn_as_a_chart() {
    let folder = folder();
    let at = folder.path();
    out(at, "solve -t fat-tree:4 --pairs p.csv --timed -q -o t.json");
    let chart = out(at, "show t.json --svg -");
    assert!(chart.starts_with("<svg") && chart.contains("<title>3&gt;0: "), "{chart}");
    let page = out(at, "show t.json --html -");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg"), "{page}");
    assert!(out(at, "export t.json --to csv").contains(",start,end"));
}
