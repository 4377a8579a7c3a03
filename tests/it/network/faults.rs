//! Faults are named as on the command line, and exactly the named links and vertices are removed.

use ccsched::network::metrics::spread;
use ccsched::network::{LinkKind, Network, NetworkBuilder, faults, spec};

fn net(text: &str) -> Network {
    spec::parse(text).unwrap()
}

/// Names of the ends of the channels that `text` means.
fn ends(net: &Network, text: &str) -> Vec<String> {
    let name = |&c: &u32| {
        let c = net.channel(c);
        format!("{}>{}", net.vertex_name(c.from), net.vertex_name(c.to))
    };
    faults::parse_link(net, text).unwrap().iter().map(name).collect()
}

fn why_not(net: &Network, text: &str) -> String {
    faults::parse_link(net, text).unwrap_err().to_string()
}

/// A network with dashes in names and two links between `a` and `a-b`.
fn dashes() -> Network {
    let mut net = NetworkBuilder::new("dashes");
    let [a, ab, bc, c] = ["a", "a-b", "b-c", "c"].map(|name| net.terminal(name));
    net.duplex(a, ab);
    net.duplex(ab, c);
    net.duplex(ab, a);
    net.duplex(bc, c);
    net.build().unwrap()
}

#[test]
fn a_fault_breaks_one_channel_or_both() {
    let ring = net("ring:6");
    assert_eq!(ends(&ring, "2-3"), ["2>3", "3>2"]);
    assert_eq!(ends(&ring, "3-2"), ["3>2", "2>3"]);
    assert_eq!(ends(&ring, "2:3"), ["2>3"]);
    assert_eq!(ends(&ring, "2-3#1"), ["2>3", "3>2"]);
    assert_eq!(ends(&net("ring:6,half"), "2-3"), ["2>3", "3>2"]);
    assert_eq!(ends(&net("kautz:3,2"), "01-12"), ["01>12"]);
    assert_eq!(ends(&net("kautz:3,2"), "01-10"), ["01>10"]);
}

#[test]
fn the_split_that_names_neighbours_counts() {
    let net = dashes();
    // Not `a` and `b-c`: both are vertices, but not neighbours.
    assert_eq!(ends(&net, "a-b-c"), ["a-b>c", "c>a-b"]);
    assert_eq!(ends(&net, "c-b-c"), ["c>b-c", "b-c>c"]);
    assert_eq!(ends(&net, "a-b:c"), ["a-b>c"]);
}

#[test]
fn parallel_links_have_numbers() {
    let net = dashes();
    assert!(why_not(&net, "a-a-b").contains("2 in parallel; add #1 to #2"));
    let [one, two] = ["a-a-b#1", "a-a-b#2"].map(|t| faults::parse_link(&net, t).unwrap());
    assert_eq!((one.as_slice(), two.as_slice()), (&[0, 1][..], &[5, 4][..]));
    assert_eq!(faults::parse_link(&net, "a-b:a#2").unwrap(), [4]);
    assert!(why_not(&net, "a-a-b#3").contains("there are #1 to #2"));
    assert!(why_not(&net, "a-a-b#0").contains("there are #1 to #2"));
    assert!(why_not(&net, "a-b-c#2").contains("the one link is #1"));
}

#[test]
fn wrong_names_are_explained() {
    let mesh = net("mesh:3x3");
    assert!(why_not(&mesh, "00-11").contains("no channel leads from 00 to 11"));
    assert!(why_not(&mesh, "00-11").contains("neighbours of 00: 01, 10"));
    assert!(why_not(&mesh, "00-19").contains("no vertex '19'"));
    assert!(why_not(&mesh, "33-00").contains("no vertex '33'"));
    assert!(why_not(&mesh, "00").contains("A-B or A:B"));
    assert!(why_not(&mesh, "").contains("A-B or A:B"));
    let why = faults::parse_vertex(&net("kautz:3,2"), "001").unwrap_err().to_string();
    assert!(why.contains("'001'") && why.contains("01,"), "{why}");
}

#[test]
fn faults_remove_links_and_vertices() {
    let ring = net("ring:6");
    let path = faults::apply(&ring, &faults::parse_link(&ring, "0-5").unwrap(), &[]).unwrap();
    assert_eq!(path.channels().len(), 10);
    assert_eq!(spread(&path).diameter, 5);

    let arc = faults::apply(&ring, &faults::parse_link(&ring, "0:5").unwrap(), &[]).unwrap();
    let left = arc.find("5").unwrap();
    let back = arc.outgoing(left).iter().map(|&c| arc.channel(c)).find(|c| c.to == 0).unwrap();
    assert_eq!((arc.channels().len(), back.reverse), (11, None));

    let shared = net("ring:6,half");
    let rest = faults::apply(&shared, &faults::parse_link(&shared, "0:5").unwrap(), &[]).unwrap();
    let alone: Vec<_> = rest.channels().iter().filter(|c| c.excludes().is_none()).collect();
    assert_eq!(alone.len(), 1);
    assert_eq!((alone[0].from, alone[0].to, rest.channels().len()), (5, 0, 11));
}

#[test]
fn broken_vertices_are_gone() {
    let mesh = net("mesh:4x4");
    let v = faults::parse_vertex(&mesh, "11").unwrap();
    let rest = faults::apply(&mesh, &[], &[v]).unwrap();
    assert_eq!((rest.vertices().len(), rest.channels().len()), (15, 48 - 8));
    assert_eq!(rest.find("11"), None);
    // The remaining vertices have new numbers and keep their links.
    for c in rest.channels() {
        let [a, b] = [c.from, c.to].map(|v| mesh.find(rest.vertex_name(v)).unwrap());
        assert!(mesh.outgoing(a).iter().any(|&c| mesh.channel(c).to == b));
        let reverse = rest.channel(c.reverse.unwrap());
        assert_eq!((reverse.from, reverse.to), (c.to, c.from));
    }
    let mut pair = NetworkBuilder::new("pair");
    let (t, s) = (pair.terminal("t"), pair.switch("s"));
    pair.link(t, s, LinkKind::OneWay);
    let why = faults::apply(&pair.build().unwrap(), &[], &[t]).unwrap_err().to_string();
    assert!(why.contains("no terminal"), "{why}");
}
