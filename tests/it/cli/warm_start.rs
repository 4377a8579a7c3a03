//! `--from`: a search begins with the schedule of a file.

use crate::support::program::Desk;

#[test]
fn a_search_goes_on_from_a_file() {
    let desk = Desk::new();
    let steps = |name: &str| desk.schedule(name).steps.len();
    desk.out("solve -t ring:6 --engine hgsa --steps 12 -q -o slow.json");
    let made = steps("slow.json");
    let problem = "solve -t ring:6 --iterations 1 --islands 1 -q";
    desk.out(&format!("{problem} --engine hgsa --from slow.json -o better.json"));
    assert!(steps("better.json") <= made);
    // The file itself may take the better schedule, but no trace.
    desk.out(&format!("{problem} --from slow.json -o slow.json"));
    desk.refuse(&format!("{problem} --from slow.json --trace slow.json"), &[]);
}

#[test]
fn a_file_that_does_not_fit_is_refused_with_the_reason() {
    let desk = Desk::new();
    desk.out("solve -t ring:4 -q -o ring.json");
    for (args, words) in [
        ("-t ring:4 -c aab", "model.collective: it is a schedule of aas, the problem is aab"),
        ("-t mesh:2x2", "the networks differ: of its 12 transfers on ring:4 0 are possible"),
        ("-t complete-bipartite:3,5", "the networks differ"),
        ("-t ring:4 --engine umda --resume x", "--resume"),
    ] {
        desk.refuse(&format!("solve {args} --from ring.json"), &[words]);
    }
    for args in [
        "-t ring:5",
        "-t ring:4 --fail-link 0-1",
        "-t ring:4 --switching hosts --fail-link 0-1",
        "-t ring:4 --ports 1",
        "-t complete:4",
    ] {
        desk.out(&format!("solve {args} --from ring.json -q -o next.json --force"));
    }
    let mut moved = desk.value("ring.json");
    moved["steps"][0][0]["from"] = moved["steps"][0][0]["to"].clone();
    desk.write("moved.json", moved.to_string());
    desk.refuse("solve -t ring:4 --from moved.json", &["steps[0][0]: it is from '"]);
    desk.refuse("solve -t ring:4 --from none.json", &[]);
}
