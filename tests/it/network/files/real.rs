//! Real files of other programs, where the folder with them is beside the project: what is in them
//! was counted by other means.

use super::{mistake, sizes};
use ccsched::network::files::{Reading, read, read_as};
use std::path::{Path, PathBuf};

/// A real file, if it is there.
fn file(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(name);
    path.is_file().then_some(path)
}

#[test]
fn the_fabric_of_a_university_is_read() {
    let Some(path) = file("x5-fabric.ibnetdiscover") else { return };
    let net = read(&path).unwrap();
    assert_eq!((net.terminals().count(), net.vertices().len()), (89, 100));
    // The slowest of 159 cables are half as fast as the others.
    let widths = net.channels().iter().map(|c| c.capacity);
    assert_eq!(widths.sum::<u32>(), 2 * (2 * 159 - 23));
    let equal = Reading { equal_links: true, ..Reading::default() };
    let widths: u32 = read_as(&path, &equal).unwrap().channels().iter().map(|c| c.capacity).sum();
    assert_eq!(widths, 2 * 159);
    assert!(net.find("0x003048c749cd0000").is_some_and(|v| net.is_terminal(v)));
}

#[test]
fn a_cyclic_file_of_slurm_is_refused() {
    let Some(path) = file("x5-slurm-topology.conf") else { return };
    let (line, why) = mistake(&std::fs::read_to_string(path).unwrap());
    assert!(line == 4 && why.contains("no tree"), "{line}: {why}");
}

#[test]
fn graphs_of_others_have_their_sizes() {
    for (name, expected) in [
        ("abilene.graphml", (11, 11, 28)),
        ("booksim-anynet.txt", (9, 12, 24)),
        ("graphgolf-n16d4.edges", (16, 16, 64)),
    ] {
        let Some(path) = file(name) else { continue };
        assert_eq!(sizes(&read(&path).unwrap()), expected, "{name}");
    }
}
