//! Networks as TOML files: every mistake is reported with its line, and writing and reading loses
//! nothing.

use ccsched::Error;
use ccsched::network::files::toml::{read, write};
use ccsched::network::{Channel, LinkKind, Network, NetworkBuilder, families, faults, spec};
use proptest::prelude::*;
use std::path::Path;

fn read(text: &str) -> Result<Network, Error> {
    read::parse(Path::new("net.toml"), text)
}

/// Line and reason of the mistake.
fn mistake(text: &str) -> (usize, String) {
    match read(text) {
        Err(Error::File { line, why, .. }) => (line, why),
        other => panic!("{other:?} is not a mistake in the file: {text}"),
    }
}

#[test]
fn mistakes_are_reported_with_their_lines() {
    for (line, part, text) in [
        (2, "", "name = \"x\"\nlinks = \n[neighbours]\na=[]"),
        (4, "duplicate key", "name = \"x\"\n[neighbours]\na = []\na = []"),
        (
            4,
            "'c', a neighbour of 'b'",
            "name = \"x\"\n[neighbours]\na = [\"b\"]\nb = [\"a\", \"c\"]",
        ),
        (4, "in its own list", "name = \"x\"\n[neighbours]\na = []\nb = [\"b\"]"),
        (
            4,
            "'a' lists 'b' 1x, but 'b' lists 'a' 0x",
            "name = \"x\"\n[neighbours]\nb = []\na = [\"b\"]",
        ),
        (
            6,
            "'a' lists 'b' 2x, but 'b' lists 'a' 1x",
            "name = \"x\"\n[neighbours]\nb = [\"a\"]\na = [\n \"b\",\n \"b\"]",
        ),
        (2, "switch 's' has no list", "name = \"x\"\nswitches = [\"s\"]\n[neighbours]\na = []"),
        (
            4,
            "named twice",
            "name = \"x\"\nswitches = [\"s\",\n\n\"s\"]\n[neighbours]\na = []\ns = []",
        ),
        (2, "\"one-way\"", "name = \"x\"\nlinks = \"both\"\n[neighbours]\na = []"),
        (2, "\"one-way\"", "name = \"x\"\nlinks = 2\n[neighbours]\na = []"),
        (3, "every vertex is a switch", "\nname = \"x\"\nswitches = [\"a\"]\n[neighbours]\na = []"),
        (2, "is empty", "name = \"x\"\n[neighbours]\n"),
        (1, "no name", "[neighbours]\na = []"),
        (1, "no name", ""),
        (2, "no table [neighbours]", "name = \"x\"\n"),
        (3, "unknown key 'colour'", "name = \"x\"\n\ncolour = 1\n[neighbours]\na = []"),
        (5, "unknown key 'tables'", "name = \"x\"\n[neighbours]\na = []\n\n[tables]"),
        (1, "must be a string", "name = 7\n[neighbours]\na = []"),
        (3, "needs a list", "name = \"x\"\n[neighbours]\na = \"b\""),
        (3, "need quotes", "name = \"x\"\n[neighbours]\ns0.1 = []"),
        (3, "printable", "name = \"x\"\n[neighbours]\n\"\" = []"),
        (3, "must be a string", "name = \"x\"\n[neighbours]\na = [1]"),
        (2, "must be a table", "name = \"x\"\nneighbours = [1]"),
        (2, "must be a list", "name = \"x\"\nswitches = \"a\"\n[neighbours]\na = []"),
        (
            5,
            "'b' has coordinates but",
            "name = \"x\"\n[neighbours]\na=[]\n[coordinates]\nb = [1, 2]",
        ),
        (5, "two finite numbers", "name = \"x\"\n[neighbours]\na=[]\n[coordinates]\na = [1]"),
        (5, "two finite numbers", "name = \"x\"\n[neighbours]\na=[]\n[coordinates]\na = [1, nan]"),
        (2, "must be a table", "name = \"x\"\ncoordinates = 1\n[neighbours]\na=[]"),
    ] {
        let (at, why) = mistake(text);
        assert!(
            at == line && why.contains(part),
            "line {at}: {why}; not line {line}: {part}\n{text}"
        );
    }
}

#[test]
fn a_missing_file_is_named() {
    let why = spec::load("nowhere/net.toml").unwrap_err().to_string();
    assert!(why.starts_with("nowhere/net.toml: "), "{why}");
}

#[test]
fn families_survive_writing_and_reading() {
    for family in families::FAMILIES {
        for option in ["", ",half", ",simplex"] {
            let Ok(net) = spec::parse(&format!("{}{option}", family.example)) else { continue };
            assert_eq!(read(&write::to_toml(&net).unwrap()).unwrap(), net);
        }
    }
}

#[test]
fn mixed_links_cannot_be_written() {
    let ring = spec::parse("ring:4").unwrap();
    let rest = faults::apply(&ring, &[0], &[]).unwrap();
    assert!(write::to_toml(&rest).unwrap_err().to_string().contains("different kinds"));
}

/// A network of up to seven vertices with random links, some of them parallel.
fn networks() -> impl Strategy<Value = Network> {
    let kinds = [LinkKind::FullDuplex, LinkKind::HalfDuplex, LinkKind::OneWay];
    let links = prop::collection::vec((0..7u32, 1..7u32), 0..20);
    let vertices = prop::collection::vec(("[ -~äß.]{0,5}", any::<bool>()), 1..8);
    let places = prop::collection::vec(prop::option::of((-1e9..1e9f64, -1.0..1.0f64)), 7);
    (vertices, links, 0..3usize, places).prop_map(move |(vertices, links, kind, places)| {
        let mut net = NetworkBuilder::new("a \"name\" \\ of its own");
        let n = vertices.len() as u32;
        for (i, (name, terminal)) in vertices.into_iter().enumerate() {
            let v = net.vertex(format!("{name}{i}"), terminal || i == 0);
            if let Some((x, y)) = places[i] {
                net.place(v, x, y);
            }
        }
        for (from, step) in links {
            let (from, to) = (from % n, (from + step) % n);
            if from != to {
                net.link(from, to, kinds[kind]);
            }
        }
        net.build().unwrap()
    })
}

/// Ends of a channel, whether it is exclusive, ends of its reverse.
type Row = (u32, u32, bool, Option<(u32, u32)>);

/// The channels, sorted.
fn channels(net: &Network) -> Vec<Row> {
    let ends = |c: &Channel| (c.from, c.to);
    let row = |c: &Channel| (c.from, c.to, c.exclusive, c.reverse.map(|r| ends(net.channel(r))));
    let mut rows: Vec<_> = net.channels().iter().map(row).collect();
    rows.sort_unstable();
    rows
}

proptest! {
    #[test]
    fn any_network_survives_writing_and_reading(net in networks()) {
        let text = write::to_toml(&net).unwrap();
        let again = read(&text).unwrap();
        prop_assert_eq!(again.name(), net.name());
        prop_assert_eq!(again.vertices(), net.vertices());
        for v in 0..net.vertices().len() as u32 {
            prop_assert_eq!(again.coordinates(v), net.coordinates(v));
        }
        prop_assert_eq!(channels(&again), channels(&net));
        // From the second time on the order is stable.
        let settled = write::to_toml(&again).unwrap();
        prop_assert_eq!(read(&settled).unwrap(), again);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "(name|links|switches|neighbours|a|b|=|\\[|\\]|\"|,|\n| |1|\\.){0,40}") {
        let _ = read(&text);
    }
}

/// `b#2` is the second link to b, or the vertex of that name.
#[test]
fn vertices_named_like_numbered_links_are_told_apart() {
    let mut net = NetworkBuilder::new("ambiguous");
    let [a, b, same, zero] = ["a", "b", "b#2", "b#02"].map(|name| net.terminal(name));
    for (to, width) in [(b, 2), (b, 3), (same, 4), (zero, 5), (same, 6)] {
        net.wide_link(a, to, LinkKind::FullDuplex, width);
    }
    net.route(b, a, &[1]);
    net.route(a, b, &[2]);
    let net = net.build().unwrap();
    let text = write::to_toml(&net).unwrap();
    assert!(text.contains("\"b#002\" = 3"), "{text}");
    assert_eq!(read(&text).unwrap(), net);
}
