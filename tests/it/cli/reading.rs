//! Files of networks on the command line.

use crate::support::program::{Desk, example};

#[test]
fn any_file_is_described_converted_and_read_from_the_standard_input() {
    let desk = Desk::new();
    for name in
        ["leaf-spine.ibnetdiscover", "cluster.yaml", "towns.graphml", "rack.dot", "links.csv"]
    {
        let file = example(name);
        let first = desk.run(&format!("topology {file} -o net.toml")).with(0);
        assert!(!first.err.contains("error"), "{name}: {}", first.err);
        assert_eq!(first.out, desk.out("topology net.toml -o again.toml"), "{name}");
        let text = std::fs::read_to_string(&file).unwrap();
        let piped = desk.pipe(&text, "topology - -o piped.toml").with(0).out;
        assert!(piped.lines().skip(1).eq(first.out.lines().skip(1)), "{name}");
    }
    desk.pipe("{}", "topology -").refused(&["/dev/stdin:1: this looks like JSON"]);
}

#[test]
fn numbers_of_adapters_name_vertices() {
    let desk = Desk::new();
    let out = desk.out(&format!(
        "solve -t {} -c scatter --source 0x000000000000a200 --fail-node H-000000000000a300 \
         --fail-link S-0000000000001100-S-0000000000002200 -q -o s.json",
        example("leaf-spine.ibnetdiscover")
    ));
    assert!(out.contains("source n2"), "{out}");
    let text = desk.read("s.json");
    assert!(text.contains("{\"vertex\": \"n3\"}"), "{text}");
    assert!(text.contains("\"source\": \"n2\"") && !text.contains("a200"), "{text}");
    desk.out("verify s.json");
}

#[test]
fn tables_make_static_routes() {
    let desk = Desk::new();
    let [file, tables] = ["leaf-spine.ibnetdiscover", "leaf-spine.lfts"].map(example);
    let json = desk.json(&format!("solve -t {file} --routes {tables} -c aas --json"));
    assert_eq!(json["routing"], "static");
    desk.refuse(&format!("topology {file} --routes {file}"), &["dump_lfts"]);
    desk.refuse(&format!("topology {tables}"), &["these are forwarding tables"]);
    desk.refuse("topology ring:4 --one-way", &["--one-way: it is for files"]);
}

#[test]
fn processes_share_the_link_of_their_host() {
    let desk = Desk::new();
    let file = example("leaf-spine.ibnetdiscover");
    let words = format!("solve -t {file} --per-node 2 -c aas --iterations 60 -q -o s.json");
    let why = desk.run(&words).with(0).err;
    assert!(why.lines().all(|line| line.starts_with("warn: ")), "{why}");
    desk.out("verify s.json");
    let text = desk.read("s.json");
    assert!(text.contains("/1\"") && text.contains("/2\""));
    desk.refuse(&format!("topology {file} --local-width 2"), &["--per-node"]);
    desk.refuse(&format!("topology {file} --per-node 0"), &["--per-node"]);
}

#[test]
fn what_a_reader_did_not_use_is_a_warning_and_in_the_line_of_json() {
    let desk = Desk::new();
    let told = "/dev/stdin:2: an edge from a vertex to itself is left out";
    for words in ["solve -t - -c aas -q --json", "topology - --json"] {
        let ended = desk.pipe("a b\nb b\n", words).with(0);
        assert!(ended.err.contains(&format!("warn: {told}\n")), "{words}: {}", ended.err);
        assert_eq!(ended.lines()[0]["warnings"], serde_json::json!([told]), "{words}");
        let told = desk.pipe("a b\n", words).told();
        assert!(!told.contains("warn"), "{words}: {told}");
    }
}
