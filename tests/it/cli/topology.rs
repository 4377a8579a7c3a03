//! `ccsched topology` from outside.

use crate::support::program::Desk;
use ccsched::network::spec;

#[test]
fn describes_a_network() {
    let desk = Desk::new();
    let out = desk.out("topology petersen");
    for line in
        ["network              petersen", "girth                5", "diameter             2"]
    {
        assert!(out.lines().any(|l| l == line), "{out}");
    }
    let json = desk.json("topology kautz:3,2 --json");
    assert_eq!((&json["sum_of_distances"], &json["bisection"]), (&228.into(), &12.into()));
    assert_eq!(json["links"], "one-way");
}

#[test]
fn a_huge_network_is_described_without_slow_metrics() {
    let json = Desk::new().json("topology ring:500000 --json");
    assert_eq!(json["channels"], 1_000_000);
    assert!(json["diameter"].is_null() && json["bisection"].is_null());
}

#[test]
fn a_saved_network_is_read_back() {
    let desk = Desk::new();
    for text in ["fat-tree:8", "ring:5,simplex"] {
        desk.out(&format!("topology {text} -o net.toml"));
        let saved = desk.at("net.toml");
        assert_eq!(spec::load(saved.to_str().unwrap()).unwrap(), spec::parse(text).unwrap());
    }
    assert_eq!(desk.names(), ["net.toml"]);
    // What takes longest to describe is left out where the file is what is asked for.
    let out = desk.out("topology petersen -o net.toml");
    assert!(out.contains("bisection            not computed with --output"), "{out}");
    assert!(desk.json("topology petersen -o net.toml --json")["bisection"].is_null());
}

#[test]
fn the_search_for_a_bisection_is_given_up_in_time() {
    let json = Desk::new().json("topology random-regular:64,10,1 --json");
    assert_eq!(json["bisection_exact"], false);
    assert!(json["bisection"].as_u64().unwrap() < 640, "{json}");
}

#[test]
fn wrong_input_is_status_2_and_leaves_nothing_behind() {
    let desk = Desk::new();
    desk.refuse("topology rign:8 -o net.toml", &["did you mean 'ring:8'"]);
    desk.refuse("topology ring:8 -o no/such/net.toml", &["--output"]);
    assert!(desk.names().is_empty());
}

#[cfg(unix)]
#[test]
fn devices_and_links_are_written_to_and_not_replaced() {
    let desk = Desk::with(&[("net.toml", "")]);
    let out = desk.out("topology ring:4 -o /dev/stdout");
    assert!(out.starts_with("name = \"ring:4\""), "{out}");
    std::os::unix::fs::symlink("net.toml", desk.at("link")).unwrap();
    desk.out("topology ring:4 -o link");
    assert!(desk.at("link").symlink_metadata().unwrap().is_symlink());
    let file = desk.at("net.toml");
    assert_eq!(spec::load(file.to_str().unwrap()).unwrap(), spec::parse("ring:4").unwrap());
    desk.refuse("topology ring:4 -o .", &["this is a folder"]);
}
