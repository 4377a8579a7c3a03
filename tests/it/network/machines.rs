//! Families that are machines: their links add up to what the makers publish.

use ccsched::network::metrics::spread;
use ccsched::network::{Network, VertexId, spec};

fn net(text: &str) -> Network {
    spec::parse(text).unwrap()
}

/// What each terminal sends in a second over all its links, in GB, if it is the same for all.
fn gigabytes(net: &Network) -> Option<f64> {
    let of = |v: VertexId| net.capacity_out(v);
    let first = net.terminals().map(of).next()?;
    let rate = net.rate()?.bytes_per_second / 1e9;
    net.terminals().all(|v| of(v) == first).then_some(first as f64 * rate)
}

#[test]
fn accelerators_have_the_throughput_of_their_makers() {
    for (name, terminals, throughput, diameter) in [
        // 6 NVLinks of 25 GB/s.
        ("dgx1", 8, 150.0, 2),
        // The share of an adapter besides; PCIe is counted at the speed of the adapter.
        ("dgx1:2", 16, 162.5, 4),
        ("dgx-a100:1", 8, 300.0, 2),
        ("dgx-a100:3", 24, 325.0, 2),
        // 7 links of 50 GB/s.
        ("mi250", 16, 350.0, 5),
        ("z52", 8, 63.0, 4),
        ("tpu:4x4x4", 64, 300.0, 6),
        ("rail:4,8,8", 32, 500.0, 4),
        ("rail:3,8,4", 24, 500.0, 6),
    ] {
        let net = net(name);
        assert_eq!(net.name(), name);
        assert_eq!(net.terminals().count(), terminals, "{name}");
        assert_eq!(gigabytes(&net), Some(throughput), "{name}");
        let spread = spread(&net);
        assert_eq!((spread.diameter, spread.unreachable), (diameter, 0), "{name}");
    }
    assert_eq!(net("dgx1:1").name(), "dgx1");
}

#[test]
fn the_links_of_a_server_are_those_of_the_machine_alone() {
    let (alone, joined) = (net("dgx1"), net("dgx1:3"));
    for v in 0..24 {
        let inside: Vec<_> = joined.heads(v).filter(|&to| to < 24).map(|to| (to, to / 8)).collect();
        assert_eq!(inside.len(), alone.outgoing(v % 8).len());
        for (to, server) in inside {
            assert_eq!(server, v / 8);
            let width = |net: &Network, from: VertexId, to: VertexId| {
                let to_it = |&&c: &&u32| net.channel(c).to == to;
                net.outgoing(from).iter().find(to_it).map(|&c| net.channel(c).capacity)
            };
            let twice = width(&alone, v % 8, to % 8).map(|width| 2 * width);
            assert_eq!(width(&joined, v, to), twice);
        }
    }
    // Two GPUs share what an adapter carries to the fabric.
    let fabric = joined.find("s1.0").unwrap();
    assert_eq!(joined.capacity_into(fabric), 12);
}

#[test]
fn a_slice_of_whole_cubes_is_a_torus() {
    let links = |text: &str| net(text).channels().len() / 2;
    assert_eq!(links("tpu:4x4x8"), links("torus:4x4x8"));
    assert_eq!(links("tpu:2x2x4"), links("mesh:2x2x4"));
}

#[test]
fn wider_links_are_wider_by_that_factor() {
    let (narrow, wide) = (net("dgx1"), net("dgx1,width=3"));
    for (a, b) in narrow.channels().iter().zip(wide.channels()) {
        assert_eq!(3 * a.capacity, b.capacity);
    }
}

#[test]
fn wrong_machines_are_refused() {
    for (text, part) in [
        ("dgx1:0", "N must be a whole number from 1"),
        ("dgx1:999999", "the maximum is 1000000"),
        ("dgx-a100", "takes 1 parameter (N)"),
        ("dgx-a100:1,half", "networks without switches"),
        ("mi250:2", "takes no parameters"),
        ("tpu:4x4", "three sizes, not 2"),
        ("rail:1,8,8", "N must be at least 2"),
        ("rail:4,4,8", "G, which each rail shares, must be at least 8, not 4"),
        ("dgxa100:2", "did you mean 'dgx-a100:2'?"),
    ] {
        let why = spec::parse(text).unwrap_err().to_string();
        assert!(why.contains(part), "{text}: '{part}' is not in: {why}");
    }
}
