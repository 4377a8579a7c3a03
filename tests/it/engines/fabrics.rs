//! Fabrics whose bottleneck is the trunk of a leaf: `auto` ends at the bound. The real fabric is tried
//! where the folder with it is beside the project.

use crate::support::program::Desk;
use std::path::Path;

/// Steps and bound of an all-to-all; the time limit is for machines that are busy.
fn solved(desk: &Desk, args: &str) -> (u64, u64) {
    let solve = "solve --json -q --islands 2 --time-limit 120";
    let line = desk.run(&format!("{solve} {args}")).lines().swap_remove(0);
    let number = |key: &str| line[key].as_u64().unwrap_or_else(|| panic!("{args}: {line}"));
    (number("steps"), number("lower_bound"))
}

#[test]
fn a_real_fabric_and_two_processes_on_every_host() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/x5-fabric.ibnetdiscover");
    let Some(file) = path.to_str().filter(|_| path.is_file()) else { return };
    let desk = Desk::new();
    let with = |more: &str| solved(&desk, &format!("-t {file} --equal-links {more}"));
    assert_eq!(with(""), (130, 130));
    assert_eq!(with("--per-node 2"), (520, 520));
    // One of three cables from the leaf; one host of it.
    let cable = "S-0002c90200417670-S-0008f10500108098#1";
    assert_eq!(with(&format!("--separate-cables --fail-link {cable}")), (142, 142));
    assert_eq!(with("--fail-node H-78e7d10300229794"), (128, 128));
}

#[test]
fn hosts_of_a_switch_are_searched_for_as_one() {
    let desk = Desk::new();
    for (switching, steps) in [("wormhole", 288), ("sf", 290)] {
        let args = "-t random-regular:20,3,1 --per-node 3 --routing minimal --switching";
        assert_eq!(solved(&desk, &format!("{args} {switching}")), (steps, steps), "{switching}");
    }
}

#[test]
fn full_links_of_fixed_routes_are_filled_in_every_step() {
    // Pods of three leaves with four hosts below two aggregation switches, and two cores.
    let mut links = String::from("from,to,capacity\n");
    for host in 0..36 {
        links += &format!("h{host},leaf{},1\n", host / 4);
    }
    for (leaf, up) in (0..18).map(|n| (n / 2, n % 2)) {
        links += &format!("leaf{leaf},up{}-{up},2\n", leaf / 3);
    }
    for (pod, up, core) in (0..12).map(|n| (n / 4, n / 2 % 2, n % 2)) {
        links += &format!("up{pod}-{up},core{core},2\n");
    }
    // Groups of automorphisms keep the routes; without them 39 steps are found.
    let desk = Desk::with(&[("fabric.csv", &links)]);
    assert_eq!(solved(&desk, "-t fabric.csv --terminals h* --routing dmodk"), (36, 36));
}
