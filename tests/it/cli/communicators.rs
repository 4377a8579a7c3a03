//! Participants: `--host-list`, `--group`, `--place` and `--rank-file`, from outside; and
//! compressed schedules.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

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

fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    std::fs::write(folder.join("net.toml"), FABRIC).unwrap();
    let mut program = Command::cargo_bin("ccsched").unwrap();
    let output = program.current_dir(folder).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn steps(folder: &Path, args: &[&str]) -> u64 {
    let args = [&["solve", "-t", "net.toml", "--json", "--time-limit", "20"], args].concat();
    let (status, out, err) = run(folder, &args);
    assert_eq!(status, 0, "{args:?}: {err}");
    serde_json::from_str::<Value>(&out).unwrap()["steps"].as_u64().unwrap()
}

#[test]
fn a_list_of_hosts_takes_part() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(steps(folder.path(), &["--host-list", "n[1-4]"]), 3);
    // The ports of five hosts; 2 by 3 messages over two links take 3 steps.
    assert_eq!(steps(folder.path(), &["--host-list", "n[3-7]", "-c", "aas"]), 4);
    assert_eq!(steps(folder.path(), &["--host-list", "n[1-3]", "-c", "oas"]), 2);
    let both = ["--per-node", "2", "--host-list", "n[1-2],n3/2"];
    assert_eq!(steps(folder.path(), &both), 6);
    let args = ["solve", "-t", "net.toml", "--host-list", "n[1-9]"];
    let (status, _, err) = run(folder.path(), &args);
    assert!(status == 2 && err.contains("--host-list n[1-9]") && err.contains("'n9'"), "{err}");
}

#[test]
fn groups_share_the_links() {
    let folder = tempfile::tempdir().unwrap();
    let groups = folder.path().join("groups");
    std::fs::write(&groups, "# two jobs\nalltoall n1,n2,n5,n6\nalltoall n3,n4,n7,n8\n").unwrap();
    // 2 by 2 messages of either job over the two links between the leaves.
    assert_eq!(steps(folder.path(), &["--group", "groups", "-o", "s.json"]), 4);
    let (status, out, err) = run(folder.path(), &["verify", "s.json"]);
    assert!(status == 0 && out.contains("optimal"), "{out}{err}");
    std::fs::write(&groups, "alltoall n[1-4]\nsing n[5-8]\n").unwrap();
    let (status, _, err) = run(folder.path(), &["solve", "-t", "net.toml", "--group", "groups"]);
    assert!(status == 2 && err.contains("groups:2") && err.contains("sing"), "{err}");
}

/// Collectives of several kinds side by side; broadcasts share steps with scatters.
#[test]
fn groups_of_any_collective_share_the_links() {
    let folder = tempfile::tempdir().unwrap();
    let groups = folder.path().join("groups");
    std::fs::write(&groups, "allgather n[1-6]\nbroadcast n7,n8,n1 n7\ngather n[7-8]\n").unwrap();
    for switching in ["wh", "sf"] {
        let args = ["--group", "groups", "--switching", switching, "-o", "s.json"];
        let steps = steps(folder.path(), &args);
        // A host gets five messages of the first group, and one of the second.
        assert!((6..=9).contains(&steps), "{switching}: {steps}");
        let (status, out, err) = run(folder.path(), &["verify", "s.json"]);
        assert!(status == 0 && out.contains("groups of \"two leaves\""), "{out}{err}");
        let (status, out, err) = run(folder.path(), &["export", "s.json", "--to", "csv"]);
        assert!(status == 0 && out.contains("n7"), "{out}{err}");
        let (status, _, err) = run(folder.path(), &["export", "s.json", "--to", "msccl-xml"]);
        assert!(status == 2 && err.contains("not groups"), "{err}");
        let (status, out, err) = run(folder.path(), &["show", "s.json"]);
        assert!(status == 0 && out.contains("GROUPS"), "{out}{err}");
        let bound = ["bound", "-t", "net.toml", "--group", "groups", "--switching", switching];
        let (status, out, err) = run(folder.path(), &bound);
        assert!(status == 0 && out.contains("group 1 alone"), "{out}{err}");
    }
    let hgsa = ["solve", "-t", "net.toml", "--group", "groups", "--engine", "hgsa"];
    let (status, _, err) = run(folder.path(), &hgsa);
    assert!(status == 2 && err.contains("auto does"), "{err}");
    std::fs::write(&groups, "allgather n[1-4]\nallreduce n[5-8]\n").unwrap();
    let (status, _, err) = run(folder.path(), &["solve", "-t", "net.toml", "--group", "groups"]);
    assert!(status == 2 && err.contains("groups:2") && err.contains("sums"), "{err}");
}

#[test]
fn ranks_are_placed_where_links_suffice() {
    let folder = tempfile::tempdir().unwrap();
    let all = ["--place", "4", "--rank-file", "ranks"];
    assert_eq!(steps(folder.path(), &all), 3);
    let ranks = std::fs::read_to_string(folder.path().join("ranks")).unwrap();
    let leaf = ["n1", "n2", "n3", "n4"].iter().enumerate();
    let want: String = leaf.map(|(i, n)| format!("rank {i}={n} slot=0\n")).collect();
    assert_eq!(ranks, want);
    // 4 with 2 at the other leaf are 8 messages over two links; 3 with 3 would be 9.
    assert_eq!(steps(folder.path(), &["--place", "6", "--host-list", "n[1-4],n[6-8]"]), 5);
    let (status, _, err) = run(folder.path(), &["solve", "-t", "net.toml", "--place", "9"]);
    assert!(status == 2 && err.contains("place") && err.contains('8'), "{err}");
}

#[test]
fn schedules_are_compressed_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["s.json", "s.json.zst"] {
        steps(folder.path(), &["-o", name]);
    }
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert!(4 * read("s.json.zst").len() < read("s.json").len());
    let (_, plain, _) = run(folder.path(), &["verify", "s.json"]);
    let (status, packed, err) = run(folder.path(), &["verify", "s.json.zst"]);
    assert_eq!((status, packed.replace(".zst", "")), (0, plain), "{err}");
    let cut = &read("s.json.zst")[..200];
    std::fs::write(folder.path().join("cut.json.zst"), cut).unwrap();
    let (status, _, err) = run(folder.path(), &["verify", "cut.json.zst"]);
    assert!(status == 2 && err.contains("cut.json.zst"), "{status} {err}");
    let (status, _, err) =
        run(folder.path(), &["solve", "-t", "net.toml", "-c", "all", "-q", "-o", "all.json.zst"]);
    assert_eq!(status, 0, "{err}");
    assert!(folder.path().join("all-aas.json.zst").exists());
}
