//! Messages for several destinations, neighbour all-gathers, notifications from outside.

use crate::support::program::Desk;

#[test]
fn a_message_for_several_destinations_crosses_a_link_once() {
    let desk = Desk::with(&[
        ("one.csv", "0,4;5;6,64K\n7,8,1000\n"),
        ("three.csv", "0,4\n0,5\n0,6\n7,8\n"),
        ("edges.csv", "0,1\n0,9\n1,2\n2,3\n2,1\n3,5\n"),
    ]);
    for switching in ["wormhole", "sf"] {
        let solve = |traffic: &str| {
            desk.out(&format!(
                "solve -t mesh:10 --traffic {traffic} --switching {switching} -q -o {switching}-{traffic}.json"
            ));
            let file = format!("{switching}-{traffic}.json");
            desk.out(&format!("verify {file}"));
            desk.schedule(&file).steps.len()
        };
        // The link behind the source carries it once.
        assert!(solve("one.csv") < solve("three.csv") || switching == "sf");
    }
    let said = desk.run("solve -t mesh:10 --traffic one.csv --switching sf -q -o s.json").with(0);
    assert!(said.told().contains("optimal"), "{}", said.told());
    desk.out(
        "solve -t ring:10 -c neighbor-allgather --traffic edges.csv --switching sf -q -o n.json",
    );
    let groups = desk.value("n.json")["model"]["groups"].as_array().unwrap().len();
    assert_eq!(groups, 4);
    desk.write("twice.csv", "0,1\n0,1\n");
    desk.refuse(
        "solve -t ring:4 -c MPI_Neighbor_allgather --traffic twice.csv",
        &["--traffic", "each destination is named once"],
    );
    desk.refuse("solve -t ring:4 --traffic one.csv", &["one.csv:1"]);
    desk.write("cut.csv", "0,1;2,64K\n");
    desk.refuse("solve -t ring:4 --traffic cut.csv --pieces 1K", &["--pieces"]);
}

/// A notification takes the steps of a reduction, and has no content.
#[test]
fn a_notification_is_a_reduction_without_content() {
    let desk = Desk::new();
    for (network, switching) in [("torus:3x3", "wh"), ("mesh:2x4", "sf"), ("kautz:2,2", "sf")] {
        let steps = |collective: &str| {
            let line =
                format!("solve -t {network} --switching {switching} --ports 1 -c {collective}");
            desk.out(&format!("{line} -q -o {collective}.json --iterations 50"));
            desk.out(&format!("verify {collective}.json"));
            desk.schedule(&format!("{collective}.json")).steps.len()
        };
        assert_eq!(steps("notify"), steps("reduce"), "{network}");
    }
    desk.refuse("solve -t ring:4 -c notify --pieces 2", &["--pieces", "no content"]);
    let text = desk.out("export notify.json --to mpi-c -o n.c");
    assert!(desk.read("n.c").contains("int ccsched_notify(MPI_Comm comm)"), "{text}");
}
