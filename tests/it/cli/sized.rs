//! `solve` for messages of different lengths: objective, forms, outputs.

use crate::support::program::Desk;
use std::fs;

/// A folder with the lengths of an all-to-all among four terminals.
fn desk() -> Desk {
    let lengths = [[0, 9, 1, 1], [2, 0, 30, 3], [4, 4, 0, 1], [50, 6, 7, 0]];
    let mut text = String::new();
    for (i, row) in lengths.iter().enumerate() {
        for (j, bytes) in row.iter().enumerate().filter(|(j, _)| *j != i) {
            text += &format!("{i},{j},{bytes}\n");
        }
    }
    Desk::with(&[("p.csv", &text), ("alike.csv", "0,1,8\n1,0,8\n")])
}

#[test]
fn different_lengths_minimise_time() {
    let desk = desk();
    let problem = "solve -t fat-tree:4 --pairs p.csv --iterations 40";
    let timed = desk.json(&format!("{problem} --timed --json -o t.json"));
    assert_eq!((&timed["minimize"], &timed["timing"]), (&"time".into(), &"timed".into()));
    // What terminal 3 sends, or 0 receives.
    assert_eq!((&timed["bytes"], &timed["optimal"]), (&63.into(), &true.into()));
    assert_eq!(timed["time_us"], 63.0 * 0.5e-3 + 3.0);
    let steps = desk.json(&format!("{problem} --json -o s.json"));
    assert_eq!((&steps["timing"], &steps["steps"]), (&"steps".into(), &3.into()));
    assert!(steps["bytes"].as_u64() >= Some(63) && steps["optimal"] == true, "{steps}");
    let fewest = desk.json(&format!("{problem} --minimize steps --json -o f.json"));
    assert_eq!(fewest["steps"], 3);
    assert!(fewest["time_us"].as_f64() >= steps["time_us"].as_f64());
    let told = desk.out("verify t.json s.json f.json");
    assert!(told.contains("timed, 63 bytes, bound 63 (ports), optimal over"), "{told}");
    assert!(told.lines().count() == 3 && told.lines().all(|l| l.contains(": valid: ")), "{told}");
    // Lengths that are all the same are steps as before.
    let alike = desk.json("solve -t fat-tree:4 --pairs alike.csv --json");
    assert_eq!((&alike["steps"], alike.get("minimize")), (&1.into(), None));
}

#[test]
fn the_same_seed_gives_the_same_file() {
    let desk = desk();
    for form in ["--timed", "--minimize time"] {
        let of = |name: &str| {
            desk.out(&format!("solve -t ring:4 --pairs p.csv {form} --iterations 30 -q -o {name}"));
            desk.read(name)
        };
        assert_eq!(of("a.json"), of("b.json"), "{form}");
    }
}

/// Three messages take one channel, and a longer one goes elsewhere; all terminals have two channels.
#[test]
fn a_channel_with_many_messages_has_as_many_steps() {
    let rows = "0,1,40\n0,1,40\n0,1,40\n3,4,90\n";
    let desk = Desk::with(&[("p.csv", rows)]);
    let steps = desk.json("solve -t ring:6 --pairs p.csv --iterations 9 --json -o s.json");
    assert_eq!((&steps["bytes"], &steps["lower_bound_bytes"]), (&170.into(), &170.into()));
    assert_eq!((&steps["optimal"], &steps["lower_bound"]), (&true.into(), &3.into()), "{steps}");
    assert!(desk.out("verify s.json").contains("bound 170 (lengths), optimal over"));
    // The start-ups of a timed schedule are those of its busiest terminal: three over two channels.
    let timed = desk.json("solve -t ring:6 --pairs p.csv --timed --iterations 9 --json");
    assert_eq!(timed["startups"], 2);
    assert_eq!(timed["lower_bound_us"], 120.0 * 0.5e-3 + 2.0);
    assert_eq!(timed["lower_bound_us"], timed["time_us"]);
}

/// A problem whose least time is above its bound, so that searches go on.
const HARD: &str = "solve -t ring:8 --pairs hard.csv --islands 3 --exchange-every 2";

#[test]
fn a_resumed_search_gives_the_file_of_an_uninterrupted_one() {
    let desk = desk();
    let pair = |(i, j): (u64, u64)| format!("{i},{j},{}\n", 1 + (i * 7 + j * 13) % 19);
    let all = (0..64).map(|n| (n / 8, n % 8)).filter(|(i, j)| i != j);
    desk.write("hard.csv", all.map(pair).collect::<String>());
    let read = |name: &str| fs::read(desk.at(name)).unwrap();
    for form in ["--timed", "--minimize time"] {
        let of = |rest: &str| desk.out(&format!("{HARD} {form} -q {rest}"));
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
    let desk = desk();
    let problem = "solve -t ring:4 --pairs p.csv -q --exchange-every 1";
    desk.out(&format!("{problem} --timed --iterations 1 --islands 2 --checkpoint timed"));
    desk.out(&format!("{problem} --minimize steps --iterations 1 --checkpoint steps"));
    for (options, words) in [
        ("--minimize time --islands 2 --resume timed", "of transfers with starts, not for"),
        ("--timed --resume steps", "of a search for the fewest steps"),
        ("--minimize steps --resume timed", "of a search for the least time"),
    ] {
        desk.refuse(&format!("{problem} {options}"), &[words]);
    }
}

#[test]
fn a_timed_schedule_is_shown_by_its_starts() {
    let desk = desk();
    let printed = desk.out("solve -t fat-tree:4 --pairs p.csv --timed -o t.json --table");
    let shown = desk.out("show t.json");
    assert!(shown.starts_with("TRAFFIC timed, 63 bytes long, on fat-tree:4"), "{shown}");
    assert!(printed.starts_with(&shown), "{printed}");
    let paths = desk.out("show t.json --paths --t0 0 --t1 1000");
    assert!(paths.contains("0-50 3>0") || paths.contains("13-63 3>0"), "{paths}");
    assert!(paths.contains("63.000 us modelled"), "{paths}");
}

#[test]
fn bounds_in_bytes_are_listed() {
    let desk = desk();
    let text = desk.out("bound -t fat-tree:4 --pairs p.csv");
    assert!(text.contains("ports           63 bytes  at "), "{text}");
    assert!(text.contains("bytes  steps by falling length"), "{text}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let desk = desk();
    for (args, words) in [
        ("-t ring:4 --timed", "--minimize: time is for messages with lengths"),
        ("-t ring:4 --pairs p.csv --timed --switching sf", "wormhole switching"),
        ("-t ring:4 --pairs p.csv --timed --steps 3", "--steps is for the fewest steps"),
        ("-t ring:4 --pairs p.csv --minimize time --engine umda", "--engine is for the fewest"),
        ("-t ring:4 --pairs p.csv --timed --minimize steps", "--timed: it is for the least time"),
    ] {
        desk.refuse(&format!("solve {args}"), &[words]);
    }
    let stored = desk.run("solve -t ring:4 --pairs p.csv --switching sf -q");
    assert!(stored.with(0).err.contains("the steps are minimised"));
}

#[test]
fn a_matrix_gives_the_same_traffic() {
    let desk = desk();
    desk.write("m.csv", "7,9,1,1\n2,0,30,3\n4,4,0,1\n50,6,7,0\n");
    desk.write("named.csv", ",3,2,1,0\n3,0,7,6,50\n1,3,30,0,2\n2,1,0,4,4\n0,1,1,9,0\n");
    let market = "%%MatrixMarket matrix coordinate integer general\n4 4 3\n1 2 9\n2 3 30\n2 3 30\n";
    desk.write("m.mtx", market);
    let solved = |option: &str, name: &str| {
        let options = "--timed --iterations 20 -q -o";
        desk.out(&format!("solve -t fat-tree:4 {option} {options} {name}"));
        desk.read(name)
    };
    let right = solved("--pairs p.csv", "a.json");
    assert_eq!(solved("--matrix m.csv", "b.json"), right);
    assert_eq!(solved("--matrix named.csv", "c.json"), right);
    let summed = desk.json("solve -t fat-tree:4 --matrix m.mtx --add-up --timed --json");
    assert_eq!(summed["bytes"], 60);
    let pieces =
        "solve -t fat-tree:4 --pairs p.csv --piece-bytes 20 --timed --json --iterations 40";
    assert_eq!(
        (&desk.json(pieces)["messages"], &desk.json(pieces)["bytes"]),
        (&15.into(), &63.into())
    );
    for (args, words) in [
        ("--matrix m.mtx", "m.mtx:5: row 2, column 3 is given twice"),
        ("--matrix p.csv", "p.csv:1: 3 entries in a row of 4"),
        ("--add-up", "--add-up: it is for a traffic"),
    ] {
        desk.refuse(&format!("solve -t fat-tree:4 {args}"), &[words]);
    }
}

#[test]
fn groups_of_all_to_alls_have_sizes() {
    let desk = desk();
    desk.write("g", "alltoall 0,1,2 bytes=40\nscatter 3,0,1 bytes=7\ngather 2,3\n");
    let pairs: String = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
        .map(|(a, b)| format!("{a},{b},40\n"))
        .concat();
    desk.write("g.csv", pairs + "3,0,7\n3,1,7\n3,2\n");
    let solved = |option: &str, name: &str| {
        desk.out(&format!("solve -t fat-tree:4 {option} --timed --iterations 20 -q -o {name}"));
        desk.read(name)
    };
    assert_eq!(solved("--group g", "a.json"), solved("--pairs g.csv", "b.json"));
    for (text, words) in [
        ("alltoall 0,1,2 bytes=0", "g:1: messages of a group have at least 1 byte"),
        ("alltoall 0,1 bytes=4 2", "alltoall has no root, and the line has '2'"),
    ] {
        desk.write("g", text);
        desk.refuse("solve -t fat-tree:4 --group g", &[words]);
    }
}

#[test]
fn a_timed_table_is_read_again() {
    let desk = desk();
    desk.out("solve -t fat-tree:4 --pairs p.csv --timed -q -o t.json");
    desk.out("export t.json --to csv -o t.csv");
    let imported = "import t.csv -t fat-tree:4 --pairs p.csv";
    let told = desk.out(&format!("{imported} -o again.json"));
    assert!(told.contains("timed, 63 bytes, bound 63"), "{told}");
    let [first, again] = ["t.json", "again.json"].map(|name| desk.value(name));
    assert_eq!((&first["steps"], &first["model"]), (&again["steps"], &again["model"]));
    let text = desk.read("t.csv");
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
        desk.write("t.csv", text.replace(line, &new));
        let told = desk.run(imported).told();
        assert!(told.contains(words), "{new}: {told}");
    }
}

#[test]
fn a_new_traffic_begins_with_an_old_order() {
    let desk = desk();
    desk.out("solve -t fat-tree:4 --pairs p.csv --timed -q -o old.json");
    let text = desk.read("p.csv");
    desk.write("new.csv", text.replace("3,0,50", "3,0,40").replace("0,1,9\n", ""));
    for form in ["--timed", "--minimize time"] {
        let args =
            format!("solve -t fat-tree:4 --pairs new.csv {form} --start-from old.json --json");
        assert_eq!(desk.json(&format!("{args} --iterations 40"))["optimal"], true);
    }
    let wrong = "solve -t ring:4 --pairs new.csv --timed --from old.json";
    desk.refuse(wrong, &["no transfer of it is one of"]);
}

#[test]
fn a_timed_schedule_is_drawn_as_a_chart() {
    let desk = desk();
    desk.out("solve -t fat-tree:4 --pairs p.csv --timed -q -o t.json");
    let chart = desk.out("show t.json --svg -");
    assert!(chart.starts_with("<svg") && chart.contains("<title>3&gt;0: "), "{chart}");
    let page = desk.out("show t.json --html -");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg"), "{page}");
    assert!(desk.out("export t.json --to csv").contains(",start,end"));
}
