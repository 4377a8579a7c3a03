//! `--t0`, `--tr`, `--t1`, `--bytes`, `--e-hop`: the modelled time and energy of a schedule in `solve`,
//! `show` and `compare`.

use crate::support::program::{Desk, example};

/// Two steps of one channel each: 2 x (3 + 0.5 + 2000 bytes x 0.25 ns).
const MODEL: &str = "--t0 3 --tr 0.5 --t1 0.25 --bytes 2000";

#[test]
fn the_time_is_modelled_as_asked() {
    let desk = Desk::new();
    let solve = "solve -t ring:4 -c aab --json -q -o x.json";
    let plain = desk.json(solve);
    assert_eq!((plain["steps"].as_u64(), plain["time_us"].as_f64()), (Some(2), Some(3.024)));
    let asked = desk.json(&format!("{solve} {MODEL}"));
    let longest = asked["longest_path"].as_f64().unwrap();
    assert_eq!(longest, 1.0);
    assert_eq!(asked["time_us"].as_f64(), Some(8.0));
    assert_eq!(asked["time_model"]["startup_us"].as_f64(), Some(3.0));
    assert_eq!(asked["time_model"]["message_bytes"].as_u64(), Some(2000));
    assert!(!desk.run("show x.json").with(0).told().contains("modelled"));
    assert!(
        desk.run(&format!("show x.json {MODEL}")).with(0).told().contains("\n8.000 us modelled;")
    );
    let compare = "compare --instance ring:4/aab/2 --run hgsa --runs 2 --evaluations 1000000";
    let table = desk.run(&format!("{compare} {MODEL} --csv runs.csv")).with(0).told();
    assert!(table.contains("Modelled time: hgsa 8.000 us."), "{table}");
    let runs = desk.read("runs.csv");
    // The time, no energy, then CPU seconds and moves of the busiest rank.
    let time_and_energy = |line: &str| line.rsplit(',').skip(2).take(2).eq(["", "8.0"]);
    assert!(runs.lines().skip(1).all(time_and_energy), "{runs}");
    let line = desk.json(&format!("{compare} {MODEL} --json -q"));
    assert_eq!(line["time_us"].as_f64(), Some(8.0));
}

#[test]
fn the_speeds_of_a_fabric_give_the_time() {
    let desk = Desk::new();
    let fabric = std::fs::read_to_string(example("leaf-spine.ibnetdiscover")).unwrap();
    let solve = "solve -t fabric -c aas --equal-links --bytes 1000000 --t0 0";
    // Microseconds of a message of a million bytes.
    for (speed, name, microseconds) in
        [("4xEDR", "4xEDR, 12.5 GB/s", 80.0), ("4xHDR", "4xHDR, 25 GB/s", 40.0)]
    {
        let at = ["4xQDR", "4xFDR", "4xEDR", "4xHDR"]
            .iter()
            .fold(fabric.clone(), |text, known| text.replace(known, speed));
        desk.write("fabric", at);
        let told = desk.run(&format!("{solve} -q -o x.json --force")).with(0).told();
        assert!(told.contains(&format!("\ncapacity 1 = {name}\n")), "{told}");
        let line = desk.json(&format!("{solve} --json -q"));
        let steps = line["steps"].as_f64().unwrap();
        assert!((line["time_us"].as_f64().unwrap() - microseconds * steps).abs() < 1e-6, "{line}");
        assert_eq!(line["rate"]["name"].as_str(), Some(speed));
        let shown = desk.run("show x.json --t0 0 --bytes 1000000").with(0).told();
        assert!(shown.contains(&format!("\n{:.3} us modelled", microseconds * steps)), "{shown}");
        let topology = desk.run("topology fabric --equal-links").with(0).told();
        assert!(topology.contains("capacity 1  ") && topology.contains(name), "{topology}");
        let goal = desk.run("export x.json --to goal --bytes 1000001").with(0).told();
        let tick = format!("c1: calc {}", microseconds * 1e3);
        assert!(
            goal.contains(&tick) && goal.contains(&format!("// capacity 1 = {name}")),
            "{goal}"
        );
    }
    // The two spellings of one thing override the file, and only one of them is taken.
    for own in ["--t1 1", "--link-rate 1000"] {
        let line = desk.json(&format!("{solve} --json -q {own}"));
        let steps = line["steps"].as_f64().unwrap();
        assert!((line["time_us"].as_f64().unwrap() - 1000.0 * steps).abs() < 1e-6, "{line}");
        let told = desk.run(&format!("{solve} -q {own}")).with(0).told();
        assert!(!told.contains("capacity 1 ="), "{told}");
    }
    let both = desk.run(&format!("{solve} --t1 1 --link-rate 1000")).with(2).told();
    assert!(both.contains("--t1") && both.contains("--link-rate"), "{both}");
    desk.run("export x.json --to simgrid -o sim").with(0).told();
    let platform = desk.read("sim/platform.xml");
    assert!(platform.contains("<link id=\"rate\" bandwidth=\"25000MBps\""), "{platform}");
}

#[test]
fn energy_and_arrival_are_told_if_they_are_asked_for() {
    let desk = Desk::new();
    // 6 messages of 1000 bytes on one channel each, in one step of 1.5 us.
    let solve = "solve -t complete:3 -c aas -q -o x.json";
    let plain = desk.run(solve).with(0).told();
    assert!(!plain.contains("arrived"), "{plain}");
    let model = "--bytes 1000 --e-hop 2.5";
    let told = "messages have arrived after 1.500 us on average; 120.000 nJ";
    for command in [format!("{solve} --force {model}"), format!("show x.json {model}")] {
        let text = desk.run(&command).with(0).told();
        assert!(text.contains(told), "{command}: {text}");
    }
    let line = desk.json(&format!("{solve} --force --json {model}"));
    assert_eq!(line["energy_nj"].as_f64(), Some(120.0));
    assert_eq!(line["mean_arrival_us"].as_f64(), Some(1.5));
    assert_eq!(line["time_model"]["bit_pj"].as_f64(), Some(2.5));
    // Two megabytes, as sizes of messages are powers of 1024.
    let line = desk.json(&format!("{solve} --force --json --bytes 2M --t0 0 --t1 1"));
    assert_eq!(line["time_us"].as_f64(), Some(2097.152));
    assert!(line["energy_nj"].is_null());
    let compare = "compare --instance complete:3/aas/1 --run hgsa --runs 2 --evaluations 100000";
    let table = desk.run(&format!("{compare} {model}")).with(0).told();
    assert!(table.contains("Modelled time: hgsa 1.500 us, 120.000 nJ."), "{table}");
    let line = desk.json(&format!("{compare} {model} --json -q"));
    assert_eq!(line["energy_nj"].as_f64(), Some(120.0));
}

#[test]
fn wrong_times_are_told() {
    let desk = Desk::new();
    for (flag, value) in
        [("--t0", "-1"), ("--tr", "nan"), ("--t1", "x"), ("--bytes", "0"), ("--e-hop", "-3")]
    {
        let why = desk.run(&format!("solve -t ring:4 {flag} {value}")).with(2).told();
        assert!(why.contains(flag) && why.contains(value), "{why}");
    }
}
