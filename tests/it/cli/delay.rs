//! Delays of links from outside: files, the option, modelled times, timed schedules, regrouped steps.

use crate::support::program::Desk;
use serde_json::Value;

/// Two rings with two long links between them.
const SITES: &str = include_str!("../fixtures/two-sites.toml");

fn desk() -> Desk {
    Desk::with(&[("sites.toml", SITES), ("p.csv", "0,1,1000\n2,3,500\n1,3,100\n")])
}

fn number(line: &Value, key: &str) -> f64 {
    line[key].as_f64().unwrap_or_else(|| panic!("no {key} in {line}"))
}

#[test]
fn a_step_lasts_as_long_as_the_longest_of_its_paths() {
    let desk = desk();
    let of = |cost: &str| {
        format!("solve -t ring:4 -c oab --switching sf -q --json --bytes 1000 --cost {cost}")
    };
    let ring = of("t0=1,t1=1");
    // Two steps: both neighbours, then the vertex opposite.
    let time = |options: &str| number(&desk.json(&format!("{ring} {options}")), "time_us");
    assert_eq!(time(""), 4.0);
    assert_eq!(time("--delay 0-1=5us"), 9.0);
    // One direction of a link, where the other is used; all links of a vertex; tr is that of the other links.
    assert_eq!(time("--delay 1:0=5us"), 4.0);
    assert_eq!(time("--delay 2=3"), 7.0);
    let slower = of("t0=1,t1=1,tr=0.5") + " --delay 0-1=5us";
    assert_eq!(number(&desk.json(&slower), "time_us"), 9.5);
    // The later one counts.
    assert_eq!(time("--delay 0-1=5us,0-1=1.5us"), 5.5);
    desk.out(&format!("{} -o r.json", ring.replace(" --json", "") + " --delay 0-1=5us,2=300ns"));
    assert!(desk.value("r.json")["network"]["channels"][0]["delay_ns"] == 5000);
    let shown = desk.out("show r.json --cost t0=1,t1=1 --bytes 1000");
    assert!(shown.contains("9.300 us modelled"), "{shown}");
    desk.out("verify r.json");
    for (delay, why) in
        [("0-1=far", "5us"), ("0-2=1us", "--delay"), ("0-1", "LINK=5us"), ("7=1us", "7")]
    {
        desk.refuse(&format!("solve -t ring:4 --delay {delay}"), &[why]);
    }
}

#[test]
fn files_give_links_their_delays() {
    let desk = desk();
    let time = |net: &str| {
        let line = format!("solve -t {net} -c oab --source a -q --json --cost t0=0,t1=0");
        number(&desk.json(&line), "time_us")
    };
    let head = "name = \"x\"\n";
    let lists = "[neighbours]\na = [\"b\"]\nb = [\"a\"]\n";
    desk.write("all.toml", format!("{head}delay = \"7us\"\n{lists}"));
    desk.write(
        "there.toml",
        format!("{head}{lists}[delay]\na = {{ b = \"2us\" }}\nb = {{ a = \"9us\" }}\n"),
    );
    desk.write("back.toml", format!("{head}{lists}[delay]\nb = {{ a = \"9us\" }}\n"));
    assert_eq!(["all.toml", "there.toml", "back.toml"].map(time), [7.0, 2.0, 9.0]);
    desk.write("l.csv", "from,to,latency_us\na,b,4\n");
    desk.write("m.csv", "from,to,length\na,b,2km\n");
    desk.write("g.gml", "graph [ node [ id 1 label \"a\" ] node [ id 2 ] edge [ source 1 target 2 delay \"3us\" ] ]");
    desk.write("d.dot", "graph { a -- b [latency=\"1.5us\"] }");
    assert_eq!(["l.csv", "m.csv", "g.gml", "d.dot"].map(time), [4.0, 10.0, 3.0, 1.5]);
    // What is written is read back.
    desk.out("topology sites.toml -o again.toml");
    let told = desk.out("topology again.toml -o third.toml");
    assert!(!told.contains("warning"), "{told}");
    let text = |name: &str| std::fs::read_to_string(desk.at(name)).unwrap();
    assert_eq!(text("again.toml"), text("third.toml"));
    assert!(text("again.toml").contains("b0 = \"5us\""), "{}", text("again.toml"));
    for (delay, why) in [
        ("[delay]\na = { b = \"far\" }", "bad.toml:6: a delay is like"),
        ("[delay]\na = { c = \"1us\" }", "bad.toml:6"),
        ("[delay]\nc = { a = \"1us\" }", "'c' has a delay but no list"),
        ("[delay]\na = { b = \"1us\" }\nb = 3", "table of neighbours"),
    ] {
        desk.write("bad.toml", format!("{head}{lists}{delay}\n"));
        desk.refuse("solve -t bad.toml", &[why]);
    }
    desk.write("bad.csv", "from,to,delay\na,b,soon\n");
    desk.refuse("solve -t bad.csv", &["bad.csv:2", "5us"]);
}

#[test]
fn a_timed_transfer_reaches_each_channel_after_the_delays_before_it() {
    let desk = desk();
    // 0 and 2 send to 1 and 3 over a ring; 1 sends to 3 over two channels.
    let of = |cost: &str| {
        format!("solve -t ring:4 --traffic p.csv --minimize timed -q --iterations 40 --cost {cost}")
    };
    let line = of("t1=1");
    let plain = desk.json(&format!("{line} --json"));
    assert_eq!((&plain["bytes"], &plain["optimal"]), (&1000.into(), &true.into()));
    let long = desk.json(&format!("{line} --delay 0-1=3us --json -o t.json"));
    assert_eq!((&long["bytes"], &long["optimal"]), (&4000.into(), &true.into()));
    assert_eq!(number(&long, "time_us"), 4.0 + number(&long, "startups"));
    let all = desk.json(&(of("t1=1,tr=2") + " --json"));
    assert_eq!(all["bytes"], 4100);
    let told = desk.out("verify t.json");
    assert!(told.contains("4000 bytes"), "{told}");
    let table = desk.out("show t.json");
    assert!(table.contains("0-4000:1"), "{table}");
    // A receiver that hears too early.
    let mut file = desk.value("t.json");
    file["network"]["channels"][0]["delay_ns"] = 2000.into();
    desk.write("early.json", file.to_string());
    let why = desk.run("verify early.json").with(1).told();
    assert!(why.contains("it claims 4000 bytes, its argument gives 3000"), "{why}");
    desk.refuse("export t.json --to goal", &["goal has clocks, and no delays of links"]);
    desk.out("export t.json --to csv -o t.csv");
    desk.refuse(&(of("t1=0") + " --delay 0-1=3us"), &["t1"]);
}

#[test]
fn long_links_are_put_into_the_same_steps() {
    let desk = desk();
    for (collective, switching) in [
        ("aab", "sf"),
        ("aas", "sf"),
        ("aas", "wh"),
        ("oas", "wh"),
        ("reduce-scatter", "sf"),
        ("oab", "wh"),
    ] {
        let line = format!(
            "solve -t sites.toml -c {collective} --switching {switching} -q --json --iterations 60"
        );
        let before = desk.json(&line);
        let after = desk.json(&format!("{line} --minimize time -o s.json"));
        let [b, a] = [&before, &after].map(|line| number(line, "time_us"));
        assert!(a <= b, "{collective} {switching}: {a} after {b}");
        for line in [&before, &after] {
            assert!(number(line, "delays_us") >= number(line, "least_delays_us"), "{line}");
            assert!(number(line, "time_us") >= number(line, "lower_bound_us") - 1e-6, "{line}");
        }
        let told = desk.out("verify s.json");
        assert!(told.contains("valid"), "{told}");
        let shown = desk.out("show s.json --cost t0=1");
        assert!(
            shown.contains(&format!("{a:.3} us modelled")) || after["regrouped"].is_null(),
            "{shown}"
        );
        if (collective, switching) == ("aab", "sf") {
            // Three messages of six cross each cable at least: three long steps.
            assert!(a < 0.9 * b, "{a} after {b}");
            assert_eq!(number(&after["regrouped"], "after_us"), a);
        }
    }
    // Nothing to regroup, nothing that can be: refused, or told.
    desk.refuse("solve -t ring:4 -c aas --minimize time", &["messages with lengths"]);
    desk.refuse("solve -t sites.toml -c aas --minimize time --steps 40", &["--steps"]);
    desk.refuse("solve -t sites.toml -c aas --minimize timed", &["messages with lengths"]);
    let told = desk
        .run("solve -t sites.toml -c all-reduce --switching sf --minimize time -q")
        .with(0)
        .told();
    assert!(told.contains("keeps its steps"), "{told}");
}
