//! The files in `topologies/` equal what the program writes today. After an intended change to a
//! family, `scripts/write-topologies.sh` regenerates them.

use ccsched::network::files::toml::{read, write};
use ccsched::network::spec;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/topologies"))
}

/// Networks that belong to no family: terminals, vertices and channels.
const MIXED: [(&str, usize, usize, usize); 5] = [
    ("abilene", 11, 11, 28),
    ("dual-homed-16", 16, 28, 128),
    ("ring-of-cliques", 16, 16, 56),
    ("switch-tree", 14, 24, 64),
    ("two-meshes", 18, 18, 50),
];

/// Small files of other formats; tests/it/network/files reads them.
const OTHERS: [&str; 18] = [
    "blocks.conf",
    "bridge.json",
    "cables.csv",
    "chord.mtx",
    "cluster.conf",
    "cluster.yaml",
    "kite.gexf",
    "leaf-spine.ibnetdiscover",
    "leaf-spine.lfts",
    "links.csv",
    "pods.hpcc",
    "pods.hsg",
    "prism.graph",
    "rack.dot",
    "square.gml",
    "three-routers.anynet",
    "towns.graphml",
    "wheel.edges",
];

#[test]
fn files_of_no_family_are_sound() {
    for (name, terminals, vertices, channels) in MIXED {
        let net = spec::load(folder().join(format!("{name}.toml")).to_str().unwrap()).unwrap();
        let sizes = (net.terminals().count(), net.vertices().len(), net.channels().len());
        assert_eq!((net.name(), sizes), (name, (terminals, vertices, channels)));
    }
}

#[test]
fn files_equal_what_the_program_writes() {
    let list = fs::read_to_string(folder().join("LIST")).unwrap();
    let mut files = BTreeSet::from(["example.toml".to_string()]);
    for text in list.lines().filter(|line| !line.starts_with('#')) {
        let file = format!("{}.toml", text.replace([':', ','], "-"));
        let net = spec::parse(text).unwrap();
        let stored = fs::read_to_string(folder().join(&file)).unwrap();
        assert_eq!(stored, write::to_toml(&net).unwrap(), "{file}");
        assert_eq!(read::parse(Path::new(&file), &stored).unwrap(), net, "{file}");
        files.insert(file);
    }
    files.extend(MIXED.map(|(name, ..)| format!("{name}.toml")));
    let present = fs::read_dir(folder()).unwrap().map(|f| f.unwrap().file_name());
    let present: BTreeSet<String> = present.map(|f| f.into_string().unwrap()).collect();
    files.insert("LIST".into());
    files.extend(OTHERS.map(String::from));
    assert_eq!(present, files);
}

#[test]
fn the_example_agrees_with_its_comments() {
    let net = spec::load(folder().join("example.toml").to_str().unwrap()).unwrap();
    assert_eq!((net.terminals().count(), net.vertices().len()), (6, 8));
    let [left, right] = ["left", "right"].map(|name| net.find(name).unwrap());
    let trunk = net.outgoing(left).iter().filter(|&&c| net.channel(c).to == right);
    assert_eq!(trunk.count(), 2);
    assert_eq!(net.coordinates(right), Some((2.5, 1.0)));
    let again = read::parse(Path::new("again"), &write::to_toml(&net).unwrap());
    assert_eq!(again.unwrap(), net);
}
