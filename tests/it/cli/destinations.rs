//! Messages for several destinations, sums of several sources, neighbour all-gathers, notifications and scans from
//! outside.

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

/// A combine is a dispatch backwards: contributions are added on the way, so that a link carries one for several.
#[test]
fn a_sum_of_several_sources_crosses_a_link_once() {
    let desk = Desk::with(&[
        ("combine.csv", "4;5;6,0,64K\n8,7,1000\n"),
        ("dispatch.csv", "0,4;5;6,64K\n7,8,1000\n"),
        ("apart.csv", "4,0\n5,0\n6,0\n8,7\n"),
        ("named.csv", "source,destination,bytes\n4-6,0,64K\n\"8\",7,1000\n"),
        ("both.csv", "4;5;6,0,64K\n0,4;5;6,64K\n8,7,1000\n"),
    ]);
    for switching in ["wormhole", "sf"] {
        let solve = |traffic: &str| {
            let line = format!("solve -t mesh:10 --traffic {traffic} --switching {switching}");
            desk.out(&format!("{line} -q -o {traffic}.json"));
            desk.out(&format!("verify {traffic}.json"));
            desk.schedule(&format!("{traffic}.json")).steps.len()
        };
        assert_eq!(solve("combine.csv"), solve("dispatch.csv"));
        assert_eq!(solve("named.csv"), solve("combine.csv"));
        assert!(solve("combine.csv") < solve("apart.csv") || switching == "sf");
        assert!(solve("both.csv") >= solve("combine.csv"));
    }
    let model = |file: &str| desk.value(&format!("{file}.json"))["model"].clone();
    assert_eq!(model("combine.csv")["collective"], "reduce-groups");
    assert_eq!(model("combine.csv")["groups"][0]["source"], "0");
    assert_eq!(model("both.csv")["collective"], "sum-groups");
    desk.write("wrong.csv", "4;5;6,0\n1;2,3;4\n");
    let line = "solve -t mesh:10 --traffic wrong.csv";
    desk.refuse(line, &["wrong.csv:2", "several sources and several destinations"]);
    desk.write("unknown.csv", "4;5,0,1K\n1;77,3\n");
    desk.refuse("solve -t mesh:10 --traffic unknown.csv", &["unknown.csv:2", "77"]);
    desk.write("either.csv", "4;5,0\n");
    desk.refuse("solve -t mesh:10 --traffic either.csv", &["either.csv:1", "in quotes"]);
}

/// The sums of a scan are reductions among the ranks up to each. Parts of a reduce-scatter have lengths of their own as
/// sums of all for each.
#[test]
fn scans_and_unequal_parts_are_sums_of_groups() {
    let desk = Desk::with(&[("parts.csv", "0-3,0,64K\n0-3,1,1K\n0-3,2,8K\n")]);
    for switching in ["wormhole", "sf"] {
        for problem in ["-c MPI_Scan", "-c exscan --host-list 3,1,2", "--traffic parts.csv"] {
            desk.out(&format!("solve -t ring:4 {problem} --switching {switching} -q -o s.json"));
            desk.out("verify s.json");
            assert_eq!(desk.value("s.json")["model"]["collective"], "reduce-groups");
        }
        let groups = desk.value("s.json")["model"]["groups"].clone();
        let bytes: Vec<u64> =
            groups.as_array().unwrap().iter().filter_map(|g| g["bytes"].as_u64()).collect();
        assert_eq!(bytes, [65_536, 1024, 8192]);
    }
    // All ranks send to the last one.
    let out = desk.out("bound -t ring:4 -c scan --switching sf");
    assert!(out.contains("reduce-groups of ring:4"), "{out}");
    desk.refuse("solve -t ring:4 -c scan --senders 0,1", &["--senders", "every rank contributes"]);
}
