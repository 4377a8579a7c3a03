//! Files of pairs, matrices, groups and hosts, and lists of names, in the spellings that people use.

use crate::support::program::Desk;

/// A star of four hosts, `k0` to `k3`, around `hub`.
fn star() -> Desk {
    let links: String = (0..4).map(|i| format!("k{i},hub\n")).collect();
    Desk::with(&[("star.csv", &links)])
}

/// A search that ends soon.
const SOON: &str = "--islands 1 --iterations 20 -q";

/// The options of a problem on the star.
const ON: &str = "-t star.csv --terminals k*";

/// The messages of a schedule: source, destination, bytes.
fn messages(desk: &Desk, words: &str) -> Vec<String> {
    desk.out(&format!("solve {words} {SOON} -o s.json"));
    let file = desk.value("s.json");
    let model = &file["model"];
    let pairs = model["pairs"].as_array().unwrap().iter();
    let mut all: Vec<String> = pairs
        .enumerate()
        .map(|(i, pair)| {
            format!("{} {} {}", pair[0], pair[1], model["lengths"][i]).replace('"', "")
        })
        .collect();
    all.sort();
    all
}

#[test]
fn pairs_have_many_spellings() {
    let desk = star();
    for text in [
        "src,dst,bytes\nk0,k1,100\nk1,k2,2048\n",
        "k0\tk1\t100\nk1\tk2\t2K\n",
        "\u{feff}From;To;Size\r\nk0;k1;1e2;\r\nk1;k2;2.0KiB;\r\n",
        "sep=;\r\nk0;k1;100\r\nk1;k2;2048\r\n",
        "# load\n0 1 100\n\n1 2 2048\n",
        "\"k0\", \"k1\", 100.0\n\"k1\", \"k2\", 2048\n k2, k2, 5\n",
    ] {
        desk.write("p", text);
        let found = messages(&desk, &format!("{ON} --pairs p"));
        assert_eq!(found, ["k0 k1 100", "k1 k2 2048"], "{text:?}");
    }
    // The last text has a pair to oneself, which is told.
    let said = desk.run(&format!("solve {ON} --pairs p -q")).with(0).err;
    assert!(said.contains("p:3: a pair from 'k2' to itself is left out"), "{said}");
}

#[test]
fn matrices_have_many_spellings() {
    let desk = star();
    for text in [
        "0 7 0 0\n0 0 0 0\n0 0 0 2K\n0 0 0 0\n",
        "\u{feff}0;7;;\r\n;;;\r\n;;;2048\r\n;;;\r\n",
        "  k0 k1 k2 k3\nk0 - 7 0 0\nk1 0 - 0 0\nk2 0 0 - 2048\nk3 0 0 0 -\n",
        "%%MatrixMarket matrix coordinate real general\n4 4 2\n1 2 7.0\n3 4 2048\n",
    ] {
        desk.write("m", text);
        let found = messages(&desk, &format!("{ON} --matrix m"));
        assert_eq!(found, ["k0 k1 7", "k2 k3 2048"], "{text:?}");
    }
    desk.write("m", "%%MatrixMarket matrix coordinate pattern general\n4 4 2\n1 2\n3 4\n");
    let found = messages(&desk, &format!("{ON} --matrix m"));
    assert_eq!(found, ["k0 k1 null", "k2 k3 null"]);
    desk.refuse(&format!("solve {ON} --pairs m"), &["m:1: ", "Matrix Market"]);
}

#[test]
fn a_traffic_goes_with_a_list_of_hosts() {
    let desk = star();
    desk.write("m.csv", "0,10\n30,0\n");
    let found = messages(&desk, &format!("{ON} --host-list k3,k1 --matrix m.csv"));
    assert_eq!(found, ["k1 k3 30", "k3 k1 10"]);
    desk.write("p.csv", "k1,k3,5\nk3,k1,6\n");
    let found = messages(&desk, &format!("{ON} --host-list k[1-3] --pairs p.csv"));
    assert_eq!(found, ["k1 k3 5", "k3 k1 6"]);
    // Ranks are those of the list.
    desk.write("r.csv", "0,1,5\n");
    let found = messages(&desk, &format!("{ON} --host-list k3,k1 --pairs r.csv"));
    assert_eq!(found, ["k3 k1 5"]);
    let found = messages(&desk, &format!("{ON} --host-list k3,k1 --permutation shift:1"));
    assert_eq!(found, ["k1 k3 null", "k3 k1 null"]);
    let refused = format!("solve {ON} --host-list k0,k1 --pairs p.csv");
    desk.refuse(&refused, &["'k3' sends or receives, and is none of those that take part"]);
    desk.refuse(
        &format!("solve {ON} --host-list k0,k1 --pairs p.csv --source k0"),
        &["--source", "every terminal is a source"],
    );
}

#[test]
fn a_file_of_hosts_is_a_list_of_them() {
    let desk = star();
    desk.write("hosts", "# job 7\nk3 slots=2\nk[0-1]:4\n");
    desk.write("m.csv", "0,1,2\n3,0,4\n5,6,0\n");
    let right = ["k0 k1 4", "k0 k3 3", "k1 k0 6", "k1 k3 5", "k3 k0 1", "k3 k1 2"];
    for option in ["--host-list", "--hostfile"] {
        let words = format!("{ON} {option} hosts --matrix m.csv");
        assert_eq!(messages(&desk, &words), right);
        let said = desk.run(&format!("solve {words} {SOON}")).with(0).err;
        assert!(said.contains("hosts:2: slots are left out"), "{said}");
    }
    desk.write("hosts", "k3\nk7\n");
    desk.refuse(&format!("solve {ON} -c aas --host-list hosts"), &["hosts:2: ", "'k7'"]);
    desk.refuse(
        &format!("solve {ON} -c aas --host-list nowhere"),
        &["--host-list nowhere", "'nowhere'"],
    );
}

#[test]
fn lists_are_lists_everywhere() {
    let desk = Desk::new();
    let ends = |words: &str| {
        desk.out(&format!("solve -t mesh:3x3 -c aas {words} {SOON} -o s.json"));
        let model = desk.value("s.json")["model"].clone();
        format!("{} {}", model["senders"], model["receivers"]).replace('"', "")
    };
    assert_eq!(ends("--senders 00-02 --receivers 1[0-1]"), "[00,01,02] [10,11]");
    assert_eq!(ends("--senders [00-01],22 --receivers 1[0,2]"), "[00,01,22] [10,12]");
    assert_eq!(ends("--host-list 0[0-1],20-22"), "[00,01,20,21,22] [00,01,20,21,22]");
    let faults = |words: &str| {
        desk.out(&format!("solve -t mesh:3x3 -c oab {words} {SOON} -o s.json"));
        desk.value("s.json")["faults"].to_string()
    };
    let twice = faults("--fail-link 00-01 --fail-link 20-21 --fail-node 22 --fail-node 12");
    assert_eq!(faults("--fail 00-01,20-21,22,12"), twice);
    desk.refuse("solve -t mesh:3x3 --fail-node 22,99", &["--fail 22,99", "'99'"]);
    desk.refuse("solve -t mesh:3x3 --fail-link 00-01,00-99", &["--fail 00-01,00-99", "99"]);
    desk.refuse("solve -t mesh:3x3 --senders 00,", &["--senders", "a name is missing"]);
    desk.refuse("topology mesh:3x3 --terminals !22,11", &["!22,!11", "11,!22"]);
    desk.refuse("solve -t mesh:3x3 -c traffic", &["--collective", "--traffic", "alltoall"]);
}

#[test]
fn a_mistake_has_its_line_and_a_guess_is_none() {
    let desk = star();
    for (text, words) in [
        ("k0,k1,-5\n", "p:1: '-5' is not a number of bytes"),
        ("k0,k1\nk0,k1,0.5\n", "p:2: '0.5': bytes have no parts"),
        ("k0,k1,4KB\n", "p:1: '4KB': KB is a power of 1000 for some"),
        ("k0,k1,99999999999999999999\n", "p:1: '99999999999999999999' is too large"),
        ("k0,k1,5,1.5\n", "p:1: '1.5' is no whole number"),
        ("k0,hub\n", "p:1: 'hub' is a switch"),
        ("k0,k1\n0,9\n", "p:2: there is no rank 9"),
        ("a,b\nk0,k1\n", "p:1: star has no vertex 'a'"),
        ("from,to,ms\nk0,k1,3\n", "p:1: unknown column 'ms'"),
        ("k0 k1\n\"k1 k2\n", "p:2: the quote"),
        ("k0,k1,0\n", "all have 0 bytes"),
        ("k0 k1 64 K\n", "p:1: 'K' is no whole number"),
    ] {
        desk.write("p", text);
        desk.refuse(&format!("solve {ON} --pairs p"), &[words]);
    }
    for (text, words) in [
        ("0 1 2 3\n1 0 1\n", "m:2: 3 entries in a row of 4"),
        ("0,1,1,1\n0,0,0,x\n", "m:2: 'x' is not a number of bytes"),
        ("0,1,1,1\n", "m:1: the matrix is 1 x 4"),
        (",k0,k1\nk2,0,1\n", "m:2: 'k2' names a row, and no column"),
    ] {
        desk.write("m", text);
        desk.refuse(&format!("solve {ON} --matrix m"), &[words]);
    }
    for (text, words) in [
        ("alltoall k[0-1] bytes=1.5\n", "g:1: '1.5': bytes have no parts"),
        ("alltoall k[0-1]\nscatter 0,9\n", "g:2: there is no rank 9"),
        ("alltoall;k0,hub\n", "g:1: 'hub' is a switch"),
    ] {
        desk.write("g", text);
        desk.refuse(&format!("solve {ON} --group g"), &[words]);
    }
}
