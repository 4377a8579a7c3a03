//! The formats of network files: told by their content, read as meant, and refused with file and
//! line. `topologies/` has a small file of every format.

mod fuzz;
mod gate;
mod graphs;
mod ibnetdiscover;
mod limits;
mod lists;
mod notices;
mod real;
mod settings;
mod slurm;
mod spellings;

use ccsched::Error;
use ccsched::network::files::{FORMATS, Loaded, Notice, Reading, of, read, read_as, read_noticing};
use ccsched::network::{Network, files::toml::write::to_toml, spec};
use std::path::{Path, PathBuf};

/// The example of each format in `topologies/`.
const EXAMPLES: [(&str, &str); 18] = [
    ("leaf-spine.ibnetdiscover", "ibnetdiscover"),
    ("cluster.conf", "topology.conf"),
    ("blocks.conf", "topology.conf"),
    ("cluster.yaml", "topology.yaml"),
    ("towns.graphml", "GraphML"),
    ("rack.dot", "DOT"),
    ("square.gml", "GML"),
    ("kite.gexf", "GEXF"),
    ("bridge.json", "node-link JSON"),
    ("three-routers.anynet", "anynet"),
    ("pods.hpcc", "HPCC"),
    ("example.toml", "toml"),
    ("prism.graph", "METIS"),
    ("chord.mtx", "Matrix Market"),
    ("links.csv", "CSV"),
    ("cables.csv", "CSV"),
    ("wheel.edges", "edge list"),
    ("pods.hsg", "edge list"),
];

/// A file of `topologies/`.
fn example(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/topologies")).join(name)
}

/// The text of a file of `topologies/`.
fn example_text(name: &str) -> String {
    std::fs::read_to_string(example(name)).unwrap()
}

/// The network of a text.
fn text(text: &str, how: &Reading) -> Result<Network, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net");
    std::fs::write(&path, text).unwrap();
    read_as(&path, how)
}

/// What the reader of a text did not use or had to guess: line and text of each kind.
fn notices(text: &str, how: &Reading) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net");
    std::fs::write(&path, text).unwrap();
    let Loaded { notices, .. } =
        read_noticing(&path, how).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert!(notices.iter().all(|notice| notice.path == path));
    let said = |notice: &Notice| notice.to_string().replace(&path.display().to_string(), "net");
    notices.iter().map(said).collect()
}

/// The line and the reason of the mistake in a text.
fn mistake(bad: &str) -> (usize, String) {
    match text(bad, &Reading::default()) {
        Err(Error::File { line, why, .. }) => (line, why),
        Err(other) => panic!("{other}: not a mistake in the file: {bad}"),
        Ok(_) => panic!("it is read: {bad}"),
    }
}

/// Checks that the mistakes of some texts have these lines and reasons.
fn mistakes(all: &[(usize, &str, &str)]) {
    for &(line, part, bad) in all {
        let (at, why) = mistake(bad);
        assert!(at == line && why.contains(part), "line {at}: {why}; not {line}: {part}\n{bad}");
    }
}

/// Terminals, vertices, channels.
fn sizes(net: &Network) -> (usize, usize, usize) {
    (net.terminals().count(), net.vertices().len(), net.channels().len())
}

/// The sum of the capacities of the channels from one vertex to another.
fn width(net: &Network, from: &str, to: &str) -> u32 {
    let [from, to] = [from, to].map(|name| net.find(name).unwrap_or_else(|| panic!("no {name}")));
    let between = net.channels().iter().filter(|c| (c.from, c.to) == (from, to));
    between.map(|c| c.capacity).sum()
}

#[test]
fn a_file_is_read_under_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let network = spec::parse("mesh:2x3,half").unwrap();
    for name in ["net.toml", "net.txt", "net"] {
        let path = folder.path().join(name);
        std::fs::write(&path, to_toml(&network).unwrap()).unwrap();
        assert_eq!(read(&path).unwrap(), network, "{name}");
        assert_eq!(spec::load(path.to_str().unwrap()).unwrap(), network, "{name}");
    }
}

#[test]
fn a_file_of_no_format_is_refused_with_what_it_looks_like() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd");
    for (bytes, why) in [
        (&b""[..], "odd:1: the file is empty"),
        (b"\n[neighbours]\n", "no name"),
        (b"{\"format\": \"ccsched-schedule/1\"}", "ccsched verify"),
        (b"nothing that anybody reads", "'nothing that anybody reads' begins no file"),
        (b"<algo name=\"x\"/>", "MSCCL"),
        (b"\x1f\x8b\x08\x00\x00", "gunzip"),
        (b"a\0b", "no text"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let said = read(&path).expect_err("it is no network").to_string();
        assert!(said.contains(why), "'{said}' does not say '{why}'");
    }
    let gone = read(&folder.path().join("gone")).expect_err("there is none").to_string();
    assert!(gone.contains("gone"), "{gone}");
    std::fs::write(&path, "").unwrap();
    let said = read(&path).unwrap_err().to_string();
    assert!(FORMATS.iter().all(|format| said.contains(format.name)), "{said}");
}

#[test]
fn formats_have_distinct_names_and_recognise_their_own_texts() {
    let names: std::collections::BTreeSet<&str> = FORMATS.iter().map(|f| f.name).collect();
    assert_eq!(names.len(), FORMATS.len());
    let text = to_toml(&spec::parse("ring:3").unwrap()).unwrap();
    let ours: Vec<&str> =
        FORMATS.iter().filter(|f| (f.recognises)(&text)).map(|f| f.name).collect();
    assert_eq!(ours, ["toml"]);
    for (file, format) in EXAMPLES {
        assert_eq!(of(&example_text(file)).map(|f| f.name), Some(format), "{file}");
    }
    let shown: std::collections::BTreeSet<&str> = EXAMPLES.iter().map(|(_, name)| *name).collect();
    assert_eq!(shown, names);
}

#[test]
fn every_network_becomes_a_toml_file_that_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.toml");
    for (file, _) in EXAMPLES {
        let net = read(&example(file)).unwrap_or_else(|e| panic!("{e}"));
        std::fs::write(&path, to_toml(&net).unwrap()).unwrap();
        let again = read(&path).unwrap();
        assert_eq!((again.name(), again.vertices()), (net.name(), net.vertices()), "{file}");
        assert_eq!(again.aliases().collect::<Vec<_>>(), net.aliases().collect::<Vec<_>>());
        let links = |net: &Network| {
            let ends = net.channels().iter().map(|c| (c.from, c.to, c.capacity));
            let mut all: Vec<_> = ends.collect();
            all.sort_unstable();
            all
        };
        assert_eq!(links(&again), links(&net), "{file}");
    }
}

#[test]
fn other_line_ends_and_bytes_that_are_no_text_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net");
    for (file, _) in EXAMPLES {
        let unix = example_text(file);
        std::fs::write(&path, format!("\u{feff}{}", unix.replace('\n', "\r\n"))).unwrap();
        let other = read(&path).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert_eq!(sizes(&other), sizes(&read(&example(file)).unwrap()), "{file}");
    }
    let latin = example_text("leaf-spine.ibnetdiscover").replace("leaf 1", "f\u{fc}r");
    let bytes: Vec<u8> = latin.chars().map(|c| c as u8).collect();
    std::fs::write(&path, bytes).unwrap();
    assert!(read(&path).unwrap().find("f\u{fc}r").is_some());
}
