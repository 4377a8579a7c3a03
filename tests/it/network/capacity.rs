//! Widths of links: in specs of families, in TOML files, after faults, and in metrics.

use crate::support::wide::{in_parallel, widened};
use ccsched::Error;
use ccsched::network::files::toml::{read, write};
use ccsched::network::metrics::{Bisection, NODE_LIMIT, bisection, crossing_bound};
use ccsched::network::{LinkKind, MAX_CAPACITY, Network, NetworkBuilder, faults, spec};
use ccsched::rng::rng_of;
use std::path::Path;

fn net(text: &str) -> Network {
    spec::parse(text).unwrap()
}

fn read(text: &str) -> Result<Network, Error> {
    read::parse(Path::new("net.toml"), text)
}

/// The least and the greatest capacity of a channel.
fn capacities(net: &Network) -> (u32, u32) {
    let all = || net.channels().iter().map(|c| c.capacity);
    (all().min().unwrap(), all().max().unwrap())
}

#[test]
fn families_have_widths() {
    for (name, least, most) in [
        ("hypercube:3", 1, 1),
        ("hypercube:3,width=2", 2, 2),
        ("mesh:2x3,half,width=7", 7, 7),
        ("kautz:2,2,width=3", 3, 3),
        ("swiss-t1,width=2", 2, 2),
        ("fat-tree:8,up=2", 1, 2),
        ("fat-tree:8,width=3,up=2", 3, 6),
        ("binary-tree:16,grow=2", 1, 8),
        ("full-binary-tree:7,up=2,grow=2", 1, 4),
    ] {
        let net = net(name);
        assert_eq!(capacities(&net), (least, most), "{name}");
        assert_eq!(net.name(), name);
    }
    assert_eq!(net("ring:8,width=2,half").name(), "ring:8,half,width=2");
    assert_eq!(net("ring:8,width=1").name(), "ring:8");
    // Leiserson's fat tree: the width of a link is the number of leaves below it.
    let tree = net("binary-tree:8,grow=2");
    for c in tree.channels() {
        let level = |v: u32| match tree.vertex_name(v).strip_prefix('s') {
            Some(name) => name.split('.').next().unwrap().parse::<u32>().unwrap() + 1,
            None => 0,
        };
        assert_eq!(c.capacity, 1 << level(c.from).min(level(c.to)));
    }
}

#[test]
fn wrong_widths_are_refused() {
    for (spec, words) in [
        ("hypercube:3,width=0", "whole number from 1"),
        ("hypercube:3,width=x", "whole number from 1"),
        ("hypercube:3,width=1001", "to 1000"),
        ("hypercube:3,width=2,width=3", "twice"),
        ("hypercube:3,up=2", "'up' and 'grow' are for trees"),
        ("binary-tree:2,grow=2", "'up' and 'grow' are for trees"),
        ("binary-tree:4096,grow=2", "capacity 1024"),
        ("hypercube:10,width=1000", "the maximum is"),
        ("ring:8,wide=2", "1 parameter"),
    ] {
        let why = spec::parse(spec).unwrap_err().to_string();
        assert!(why.contains(words), "{spec}: {why}");
    }
    for capacity in [0, MAX_CAPACITY + 1] {
        let mut pair = NetworkBuilder::new("pair");
        let (a, b) = (pair.terminal("a"), pair.terminal("b"));
        pair.wide_link(a, b, LinkKind::FullDuplex, capacity);
        let why = pair.build().unwrap_err().to_string();
        assert!(why.contains("'a' to 'b'") && why.contains("from 1 to 1000"), "{why}");
    }
}

const TWO: &str =
    "name = \"x\"\nlinks = \"full-duplex\"\n[neighbours]\na = [\"b\", \"b\"]\nb = [\"a\", \"a\"]\n";

#[test]
fn files_have_widths() {
    let wide = |widths: &str| {
        let net = read(&format!("{TWO}{widths}")).unwrap();
        net.channels().iter().map(|c| c.capacity).collect::<Vec<_>>()
    };
    assert_eq!(wide(""), [1, 1, 1, 1]);
    assert_eq!(wide("[width]\na = { b = 2 }"), [2, 2, 1, 1]);
    assert_eq!(wide("[width]\na = { \"b#2\" = 3 }"), [1, 1, 3, 3]);
    assert_eq!(wide("[width]\na = { b = 2 }\nb = { \"a#2\" = 5 }"), [2, 2, 5, 5]);
    let all = read(&TWO.replace("[neighbours]", "width = 4\n[neighbours]")).unwrap();
    assert_eq!(all.uniform_capacity(), Some(4));
    for (widths, line, words) in [
        ("[width]\nc = { b = 2 }", 7, "'c' has a width"),
        ("[width]\na = 2", 7, "a = { b = 2 }"),
        ("[width]\na = { c = 2 }", 7, "'c': 0 links"),
        ("[width]\na = { \"b#3\" = 2 }", 7, "'b#3': 2 links"),
        ("[width]\na = { \"b#0\" = 2 }", 7, "'b#0': 2 links"),
        ("[width]\na = { b = 0 }", 7, "from 1 to 1000"),
        ("[width]\na = { b = 1.5 }", 7, "from 1 to 1000"),
        ("[width]\na = { b = 2 }\nb = { a = 2 }", 8, "given twice"),
    ] {
        match read(&format!("{TWO}{widths}")) {
            Err(Error::File { line: at, why, .. }) => {
                assert!(at == line && why.contains(words), "{widths}: line {at}: {why}");
            }
            other => panic!("{widths}: {other:?}"),
        }
    }
}

#[test]
fn widths_are_written_and_read_back() {
    let mut rng = rng_of(7, 0, 0);
    for spec in [
        "hypercube:3",
        "ring:6,half",
        "kautz:2,2",
        "fat-tree:8",
        "swiss-t1",
        "omega:8",
        "torus:2x2",
        "binary-tree:8,grow=2",
        "mesh:3x3,width=5",
    ] {
        let mut plain = net(spec);
        for _ in 0..3 {
            let text = write::to_toml(&plain).unwrap();
            assert_eq!(read(&text).unwrap(), plain, "{text}");
            assert_eq!(
                text.contains("width"),
                capacities(&plain) != (1, 1) || spec.contains("width")
            );
            plain = match plain.routes().is_empty() {
                true => widened(&plain, 3, &mut rng),
                // A network with routes keeps its links as they are.
                false => net(&format!("{spec},width=2")),
            };
        }
    }
    // Parallel links of different widths.
    let mut pair = NetworkBuilder::new("pair");
    let (a, b) = (pair.terminal("a"), pair.terminal("b"));
    for capacity in [1, 3, 2, 3] {
        pair.wide_link(a, b, LinkKind::OneWay, capacity);
    }
    pair.wide_link(b, a, LinkKind::OneWay, 9);
    let pair = pair.build().unwrap();
    assert_eq!(read(&write::to_toml(&pair).unwrap()).unwrap(), pair);
}

#[test]
fn faults_leave_the_other_widths_unchanged() {
    let tree = net("binary-tree:8,grow=2");
    let c = (0..).zip(tree.channels()).find(|(_, c)| c.capacity == 4).unwrap().0;
    let rest = faults::apply(&tree, &[c], &[0]).unwrap();
    for left in rest.channels() {
        let [from, to] = [left.from, left.to].map(|v| tree.find(rest.vertex_name(v)).unwrap());
        let was = tree.channels().iter().find(|c| (c.from, c.to) == (from, to)).unwrap();
        assert_eq!(left.capacity, was.capacity);
    }
    assert!(rest.channels().iter().any(|c| c.capacity == 4 && c.reverse.is_none()));
    let reversed = tree.reversed();
    for v in 0..tree.vertices().len() as u32 {
        assert_eq!(reversed.capacity_out(v), tree.capacity_into(v));
    }
}

#[test]
fn bisections_count_capacity() {
    for (spec, least) in
        [("hypercube:3,width=3", 24), ("binary-tree:8,grow=2", 8), ("binary-tree:8", 2)]
    {
        assert_eq!(bisection(&net(spec), NODE_LIMIT), Bisection::Exact(least), "{spec}");
    }
    let mut rng = rng_of(8, 0, 0);
    for spec in ["mesh:3x3", "ring:7,half", "kautz:2,2", "petersen"] {
        let wide = widened(&net(spec), 4, &mut rng);
        let Bisection::Exact(least) = bisection(&wide, NODE_LIMIT) else { panic!("{spec}") };
        assert_eq!(bisection(&in_parallel(&wide), NODE_LIMIT), Bisection::Exact(least), "{spec}");
        assert!(crossing_bound(&wide) <= least, "{spec}");
    }
}
