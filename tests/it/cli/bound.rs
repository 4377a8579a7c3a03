//! `ccsched bound` from outside.

use crate::support::program::{Desk, example};

fn lines(args: &str) -> Vec<String> {
    Desk::new().out(&format!("bound {args}")).lines().map(String::from).collect()
}
#[test]
fn the_largest_bound_comes_first_with_its_argument() {
    let listed = lines("-t kautz:3,3 -c aas");
    assert_eq!(listed[0], "aas of kautz:3,3, wormhole");
    let congestion = "  congestion      34 steps  no single cut: weights on ";
    assert!(listed[1].starts_with(congestion), "{}", listed[1]);
    assert!(listed.iter().any(|l| l.contains("distance") && l.contains("31 steps")), "{listed:?}");

    let tree = lines("-t binary-tree:4 -c oas --source 2");
    let ports = tree.iter().find(|l| l.contains("ports")).unwrap();
    assert!(ports.ends_with("3 steps  at 2"), "{ports}");
}

/// More deliveries than a schedule may have are counted.
#[test]
fn bounds_need_no_list_of_deliveries() {
    let alltoall = lines("-t ring:8 --per-node 1300 -c alltoall");
    assert!(alltoall.iter().any(|l| l.contains("10399 steps  at 0/1")), "{alltoall:?}");
    // An eighth of all pairs goes over each channel of ring:8, as eight messages of single hosts do.
    assert!(alltoall[1].contains(&format!("{} steps", 8 * 1300 * 1300)), "{alltoall:?}");
    let gather = lines("-t ring:12 --per-node 1000 -c allgather --ports 1");
    assert!(gather[1].contains("11999 steps  at 0/1"), "{gather:?}");
    let why = ["at most 100000000 are scheduled"];
    Desk::new().refuse("bound -t ring:8 --per-node 1300 -c all-reduce", &why);
}

#[test]
fn sums_cross_between_boxes_there_and_back() {
    let listed = lines("-t rail:3,4,2 -c all-reduce");
    assert!(listed[1].starts_with("  partition       10 steps  among 0, 1, 2, 3, s"), "{listed:?}");
}

#[test]
fn weights_are_named_where_they_are_a_cut_or_a_port() {
    let congestion = |args: &str| {
        let line = lines(args).into_iter().find(|l| l.starts_with("  congestion ")).unwrap();
        line.trim_start_matches("  congestion").trim_start().to_string()
    };
    // One of the four links between the two middle columns is broken.
    let three_left = congestion("-t mesh:4x4 -c aas --fail-link 11-12");
    let sides = [
        "22 steps  the cut from 00, 01, 10, 11, 20, 21, 30, 31 to the rest: weights on 3 channels: \
         01-02:1 21-22:1 31-32:1",
        "22 steps  the cut from 02, 03, 12, 13, 22, 23, 32, 33 to the rest: weights on 3 channels: \
         02-01:1 22-21:1 32-31:1",
    ];
    assert!(sides.contains(&three_left.as_str()), "{three_left}");
    assert_eq!(
        congestion("-t hypercube:3 -c oas --ports 1"),
        "7 steps  the sending port of 0: weights on 1 port: send(0):1"
    );
    assert_eq!(
        congestion("-t mesh:3x3 -c aog --source 00"),
        "4 steps  the links into 00: weights on 2 channels: 01-00:1 10-00:1"
    );
    let alike = congestion("-t petersen -c aas");
    assert_eq!(alike, "5 steps  the distance bound (all links alike)");
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
fn regions_of_broadcasts() {
    let tree = lines("-t full-binary-tree:15 -c oab --source 3");
    assert_eq!(tree[1], "  spread           3 steps  from 3 into regions of 7 vertices");
    // Two messages start inside; the other nine cross one link and then go further.
    let line = lines(&format!("-t {} -c aab --switching sf", example("two-meshes.toml")));
    let spread = "  spread          12 steps  all from outside into ";
    assert!(line[1].starts_with(spread), "{line:?}");
}

#[test]
fn wrong_input_is_reported() {
    Desk::new().refuse("bound -t rign:8", &["did you mean 'ring:8'"]);
}
