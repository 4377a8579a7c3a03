//! Files of networks on the command line.

use assert_cmd::Command;
use std::path::Path;

/// A file of `topologies/`.
fn example(name: &str) -> String {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/topologies"));
    folder.join(name).to_str().unwrap().to_string()
}

fn run(words: &str, input: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("ccsched").unwrap();
    let output = command.args(words.split_whitespace()).write_stdin(input).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn any_file_is_described_converted_and_read_from_the_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("net.toml");
    for name in
        ["leaf-spine.ibnetdiscover", "cluster.yaml", "towns.graphml", "rack.dot", "links.csv"]
    {
        let file = example(name);
        let (status, out, why) = run(&format!("topology {file} -o {}", saved.display()), "");
        assert!(status == 0 && !why.contains("error"), "{name}: {why}");
        let (_, again, _) = run(&format!("topology {}", saved.display()), "");
        assert_eq!(out, again, "{name}");
        let (status, piped, _) = run("topology -", &std::fs::read_to_string(&file).unwrap());
        let counted = |text: &str| text.lines().skip(1).map(str::to_string).collect::<Vec<_>>();
        assert_eq!((status, counted(&piped)), (0, counted(&out)), "{name}");
    }
    let (status, _, why) = run("topology -", "{}");
    assert!(status == 2 && why.contains("/dev/stdin:1: this looks like JSON"), "{why}");
}

#[test]
fn numbers_of_adapters_name_vertices() {
    let file = example("leaf-spine.ibnetdiscover");
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("schedule.json");
    let words = format!(
        "solve -t {file} -c scatter --source 0x000000000000a200 --fail-node H-000000000000a300 \
         --fail-link S-0000000000001100-S-0000000000002200 -q -o {}",
        saved.display()
    );
    let (status, out, why) = run(&words, "");
    assert!(status == 0 && out.contains("source n2"), "{out}{why}");
    let text = std::fs::read_to_string(&saved).unwrap();
    assert!(text.contains("{\"vertex\": \"n3\"}"), "{text}");
    assert!(text.contains("\"source\": \"n2\"") && !text.contains("a200"), "{text}");
    assert_eq!(run(&format!("verify {}", saved.display()), "").0, 0);
}

#[test]
fn tables_make_static_routes() {
    let [file, tables] = ["leaf-spine.ibnetdiscover", "leaf-spine.lfts"].map(example);
    let (status, out, why) = run(&format!("solve -t {file} --routes {tables} -c aas --json"), "");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}{why}"));
    assert_eq!((status, &json["routing"]), (0, &"static".into()));
    let (status, _, why) = run(&format!("topology {file} --routes {file}"), "");
    assert!(status == 2 && why.contains("dump_lfts"), "{why}");
    let (status, _, why) = run(&format!("topology {tables}"), "");
    assert!(status == 2 && why.contains("these are forwarding tables"), "{why}");
    let (status, _, why) = run("topology ring:4 --one-way", "");
    assert!(status == 2 && why.contains("--one-way: it is for files"), "{why}");
}

#[test]
fn processes_share_the_link_of_their_host() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("schedule.json").display().to_string();
    let file = example("leaf-spine.ibnetdiscover");
    let words = format!("solve -t {file} --per-node 2 -c aas --iterations 60 -q -o {saved}");
    let (status, _, why) = run(&words, "");
    assert!(status == 0 && why.lines().all(|line| line.starts_with("warn: ")), "{why}");
    assert_eq!(run(&format!("verify {saved}"), "").0, 0);
    let text = std::fs::read_to_string(&saved).unwrap();
    assert!(text.contains("/1\"") && text.contains("/2\""));
    let (status, _, why) = run(&format!("topology {file} --local-width 2"), "");
    assert!(status == 2 && why.contains("--per-node"), "{why}");
    let (status, _, why) = run(&format!("topology {file} --per-node 0"), "");
    assert!(status == 2 && why.contains("--per-node"), "{why}");
}

#[test]
fn what_a_reader_did_not_use_is_a_warning_and_in_the_line_of_json() {
    let told = "/dev/stdin:2: an edge from a vertex to itself is left out";
    for words in ["solve -t - -c aas -q --json", "topology - --json"] {
        let (status, out, why) = run(words, "a b\nb b\n");
        assert!(status == 0 && why.contains(&format!("warn: {told}\n")), "{words}: {why}");
        let line: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(line["warnings"], serde_json::json!([told]), "{words}");
        let (_, out, why) = run(words, "a b\n");
        assert!(!out.contains("warnings") && !why.contains("warn"), "{words}: {out}{why}");
    }
}
