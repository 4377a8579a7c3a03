//! `ccsched bound` from outside.

use std::process::{Command, Output};

fn bound(args: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_ccsched");
    Command::new(program).arg("bound").args(args.split_whitespace()).output().unwrap()
}

fn lines(args: &str) -> Vec<String> {
    let output = bound(args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(String::from).collect()
}

#[test]
fn the_largest_bound_comes_first_with_what_it_is_about() {
    let listed = lines("-t kautz:3,3 -c aas");
    assert_eq!(listed[0], "aas of kautz:3,3, wormhole");
    assert!(listed[1].starts_with("  congestion      34 steps  weights on "), "{}", listed[1]);
    assert!(listed.iter().any(|l| l.contains("distance") && l.contains("31 steps")), "{listed:?}");

    let tree = lines("-t binary-tree:4 -c oas --source 2");
    let ports = tree.iter().find(|l| l.contains("ports")).unwrap();
    assert!(ports.ends_with("3 steps  at 2"), "{ports}");
}

#[test]
fn all_collectives_and_broken_links() {
    let listed = lines("-t mesh:4x4 -c all --fail-link 00-01");
    let heads = listed.iter().filter(|l| !l.starts_with(' ')).count();
    assert_eq!(heads, 4);
    // A corner with one link left receives one of 15 messages a step.
    assert!(listed.iter().any(|l| l.contains("ports") && l.contains("15 steps  at 00")));
}

#[test]
fn wrong_input_is_told() {
    let output = bound("-t rign:8");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("did you mean 'ring:8'"));
}
