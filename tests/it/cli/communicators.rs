//! Participants: `--host-list`, `--group`, `--place` and `--rank-file`, from outside; and
//! compressed schedules.

use crate::support::program::Desk;

/// Two leaves of four hosts with two links between them.
const FABRIC: &str = "name = \"two leaves\"
links = \"full-duplex\"
switches = [\"a\", \"b\"]
[neighbours]
a = [\"n1\", \"n2\", \"n3\", \"n4\", \"b\"]
b = [\"n5\", \"n6\", \"n7\", \"n8\", \"a\"]
n1 = [\"a\"]
n2 = [\"a\"]
n3 = [\"a\"]
n4 = [\"a\"]
n5 = [\"b\"]
n6 = [\"b\"]
n7 = [\"b\"]
n8 = [\"b\"]
[width]
a = { b = 2 }
";

fn desk() -> Desk {
    Desk::with(&[("net.toml", FABRIC)])
}

fn steps(desk: &Desk, args: &str) -> u64 {
    let line = desk.json(&format!("solve -t net.toml --json --time-limit 20 {args}"));
    line["steps"].as_u64().unwrap()
}

#[test]
fn a_list_of_hosts_takes_part() {
    let desk = desk();
    for (args, right) in [
        ("--host-list n[1-4]", 3),
        // The ports of five hosts; 2 by 3 messages over two links take 3 steps.
        ("--host-list n[3-7] -c aas", 4),
        ("--host-list n[1-3] -c oas", 2),
        ("--per-node 2 --host-list n[1-2],n3/2", 6),
    ] {
        assert_eq!(steps(&desk, args), right, "{args}");
    }
    desk.refuse("solve -t net.toml --host-list n[1-9]", &["--host-list n[1-9]", "'n9'"]);
}

#[test]
fn groups_share_the_links() {
    let desk = desk();
    desk.write("groups", "# two jobs\nalltoall n1,n2,n5,n6\nalltoall n3,n4,n7,n8\n");
    // 2 by 2 messages of either job over the two links between the leaves.
    assert_eq!(steps(&desk, "--group groups -o s.json"), 4);
    assert!(desk.out("verify s.json").contains("optimal"));
    desk.write("groups", "alltoall n[1-4]\nsing n[5-8]\n");
    desk.refuse("solve -t net.toml --group groups", &["groups:2", "sing"]);
}

/// Collectives of several kinds side by side; broadcasts share steps with scatters.
#[test]
fn groups_of_any_collective_share_the_links() {
    let desk = desk();
    desk.write("groups", "allgather n[1-6]\nbroadcast n7,n8,n1 n7\ngather n[7-8]\n");
    for switching in ["wh", "sf"] {
        let problem = format!("--group groups --switching {switching}");
        let steps = steps(&desk, &format!("{problem} -o s.json"));
        // A host gets five messages of the first group, and one of the second.
        assert!((6..=9).contains(&steps), "{switching}: {steps}");
        for (args, part) in [
            ("verify s.json", "groups of \"two leaves\""),
            ("export s.json --to csv", "n7"),
            ("show s.json", "GROUPS"),
            (&format!("bound -t net.toml {problem}"), "group 1 alone"),
        ] {
            let out = desk.out(args);
            assert!(out.contains(part), "{args}: {out}");
        }
        desk.refuse("export s.json --to msccl-xml", &["not groups"]);
    }
    desk.refuse("solve -t net.toml --group groups --engine hgsa", &["auto does"]);
    desk.write("groups", "allgather n[1-4]\nbarrier n[5-8]\n");
    desk.refuse("solve -t net.toml --group groups", &["groups:2", "does not stand beside others"]);
    desk.write("groups", "alltoall n[1-4]\nallreduce n[5-8]\n");
    desk.refuse("solve -t net.toml --group groups", &["groups:2", "do not stand beside sums"]);
    desk.refuse(
        "solve -t net.toml --group groups --switching hosts",
        &["groups:2", "do not stand beside sums"],
    );
}

/// All-reduces of the rows of a torus are those of rings, all at once; those of its columns fit beside them.
#[test]
fn sums_of_groups_stand_side_by_side() {
    let desk = desk();
    let rows = |collective: &str| -> String {
        (0..4).map(|r| format!("{collective} {r}0,{r}1,{r}2,{r}3\n")).collect()
    };
    let columns: String = (0..4).map(|c| format!("allreduce 0{c},1{c},2{c},3{c}\n")).collect();
    desk.write("scatters", rows("reducescatter"));
    desk.write("sums", rows("allreduce"));
    desk.write("both", rows("allreduce") + &columns);
    desk.write(
        "mixed",
        "allreduce 00,01,02,03\nreducescatter 10,11,12,13\nallgather 20,21,22,23\n",
    );
    for (file, collective, steps) in [
        ("scatters", "reduce-groups", 2),
        ("sums", "sum-groups", 3),
        ("both", "sum-groups", 3),
        ("mixed", "sum-groups", 3),
    ] {
        let line = format!("solve -t torus:4x4 --traffic {file} --switching sf -q -o {file}.json");
        desk.out(&line);
        assert!(desk.out(&format!("verify {file}.json")).contains("optimal"));
        assert_eq!(desk.schedule(&format!("{file}.json")).steps.len(), steps, "{file}");
        assert_eq!(desk.value(&format!("{file}.json"))["model"]["collective"], collective);
        for (args, part) in [
            (format!("show {file}.json"), "GROUPS"),
            (format!("export {file}.json --to goal"), "num_ranks 1"),
            (format!("bound -t torus:4x4 --traffic {file} --switching sf"), "alone"),
        ] {
            let out = desk.out(&args);
            assert!(out.contains(part), "{args}: {out}");
        }
        for format in ["mpi-c", "msccl-xml"] {
            desk.refuse(
                &format!("export {file}.json --to {format} -o x"),
                &["no sums of groups", "csv, slots"],
            );
        }
    }
    desk.out("repair mixed.json --fail 00-01 -o r.json");
    desk.out("verify r.json");
    desk.refuse("solve -t torus:4x4 --traffic sums -c all-reduce", &["traffic, not all-reduce"]);
    desk.refuse("solve -t torus:4x4 --traffic sums --switching hosts", &["--switching", "hosts"]);
}

#[test]
fn ranks_are_placed_where_links_suffice() {
    let desk = desk();
    assert_eq!(steps(&desk, "--place 4 --rank-file ranks"), 3);
    let leaf = ["n1", "n2", "n3", "n4"].iter().enumerate();
    let want: String = leaf.map(|(i, n)| format!("rank {i}={n} slot=0\n")).collect();
    assert_eq!(desk.read("ranks"), want);
    // 4 with 2 at the other leaf are 8 messages over two links; 3 with 3 would be 9.
    assert_eq!(steps(&desk, "--place 6 --host-list n[1-4],n[6-8]"), 5);
    desk.refuse("solve -t net.toml --place 9", &["place", "8"]);
}

#[test]
fn schedules_are_compressed_by_their_names() {
    let desk = desk();
    for name in ["s.json", "s.json.zst"] {
        steps(&desk, &format!("-o {name}"));
    }
    let read = |name: &str| std::fs::read(desk.at(name)).unwrap();
    assert!(4 * read("s.json.zst").len() < read("s.json").len());
    let packed = desk.out("verify s.json.zst");
    assert_eq!(packed.replace(".zst", ""), desk.out("verify s.json"));
    desk.write("cut.json.zst", &read("s.json.zst")[..200]);
    desk.refuse("verify cut.json.zst", &["cut.json.zst"]);
    desk.out("solve -t net.toml -c all -q -o all.json.zst");
    assert!(desk.at("all-aas.json.zst").exists());
}
