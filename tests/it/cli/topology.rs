//! `ccsched topology` from outside.

use assert_cmd::Command;
use ccsched::network::spec;
use std::path::Path;

fn run(args: &[&str]) -> (i32, String, String) {
    let output =
        Command::cargo_bin("ccsched").unwrap().arg("topology").args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn describes_a_network() {
    let (status, out, _) = run(&["petersen"]);
    assert_eq!(status, 0);
    for line in
        ["network              petersen", "girth                5", "diameter             2"]
    {
        assert!(out.lines().any(|l| l == line), "{out}");
    }
    let (_, out, _) = run(&["kautz:3,2", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&json["sum_of_distances"], &json["bisection"]), (&228.into(), &12.into()));
    assert_eq!(json["links"], "one-way");
}

#[test]
fn a_huge_network_is_described_without_slow_metrics() {
    let (status, out, _) = run(&["ring:500000", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((status, &json["channels"]), (0, &1_000_000.into()));
    assert!(json["diameter"].is_null() && json["bisection"].is_null());
}

#[test]
fn a_saved_network_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("net.toml");
    let file = file.to_str().unwrap();
    for text in ["fat-tree:8", "ring:5,simplex"] {
        assert_eq!(run(&[text, "-o", file]).0, 0);
        assert_eq!(spec::load(file).unwrap(), spec::parse(text).unwrap());
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn wrong_input_is_status_2_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("net.toml");
    let (status, out, why) = run(&["rign:8", "-o", file.to_str().unwrap()]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(why.contains("did you mean 'ring:8'"), "{why}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);

    let nowhere = folder.path().join("no/such/net.toml");
    let (status, out, why) = run(&["ring:8", "-o", nowhere.to_str().unwrap()]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(why.contains("--output") && !Path::new(&nowhere).exists(), "{why}");
}

#[cfg(unix)]
#[test]
fn devices_and_links_are_written_to_and_not_replaced() {
    let (status, out, _) = run(&["ring:4", "-o", "/dev/stdout"]);
    assert!(status == 0 && out.starts_with("name = \"ring:4\""), "{out}");

    let folder = tempfile::tempdir().unwrap();
    let (link, file) = (folder.path().join("link"), folder.path().join("net.toml"));
    std::fs::write(&file, "").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    assert_eq!(run(&["ring:4", "-o", link.to_str().unwrap()]).0, 0);
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(spec::load(file.to_str().unwrap()).unwrap(), spec::parse("ring:4").unwrap());

    let (status, _, why) = run(&["ring:4", "-o", folder.path().to_str().unwrap()]);
    assert!(status == 2 && why.contains("this is a folder"), "{why}");
}
