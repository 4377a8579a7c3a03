//! Links at a part of their speed from outside.

use crate::support::program::Desk;

#[test]
fn a_slow_link_costs_what_its_cuts_say() {
    let desk = Desk::new();
    // All of a host's messages pass its half link: six steps of the healthy star take twelve half ones.
    let star = "solve -t fat-tree:4 -c aas --ports all -q";
    let healthy = desk.run(&format!("{star} -o h.json")).with(0);
    assert!(!healthy.err.contains("--slow"), "{}", healthy.err);
    let told = desk.run(&format!("{star} --slow 0=1/2 --pieces 2 -o s.json")).with(0);
    assert!(told.err.contains("a step takes 2 times as long"), "{}", told.err);
    assert!(told.err.contains("2.00 times"), "{}", told.err);
    desk.out("verify s.json");
    let steps = |name: &str| desk.schedule(name).steps.len();
    assert_eq!(steps("s.json"), 2 * steps("h.json"));
    // One of the four rails of a box at half speed.
    desk.out("solve -t ring:6 -c aab --slow 0-1=50%,2:3=0.75 --switching sf -q -o r.json");
    desk.out("verify r.json");
    for (slow, why) in [("0-1=2", "no part"), ("0-9=1/2", "--slow"), ("0-1", "LINK=1/2")] {
        desk.refuse(&format!("solve -t ring:6 --slow {slow}"), &[why]);
    }
}
