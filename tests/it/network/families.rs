//! The families are the graphs they are named after: sizes, distances, degrees, girths and cuts
//! that are printed in the papers (umda-diameter-degree-networks, table 8) or known of the graphs.

use ccsched::network::files::toml::write;
use ccsched::network::metrics::{
    Bisection, Distances, NODE_LIMIT, bisection, degrees, girth, spread,
};
use ccsched::network::{ChannelId, Dragonfly, LinkKind, Network, families, spec};
use std::collections::HashSet;

fn net(text: &str) -> Network {
    spec::parse(text).unwrap()
}

fn why_not(text: &str) -> String {
    spec::parse(text).unwrap_err().to_string()
}

#[test]
fn every_example_is_a_member_with_its_canonical_name() {
    for family in families::FAMILIES {
        let net = net(family.example);
        assert_eq!(net.name(), family.example);
        // In networks with routes, terminals that only send cannot be reached.
        if net.routes().is_empty() {
            assert_eq!(spread(&net).unreachable, 0, "{}", family.example);
        } else {
            let nodes = net.terminals().count() / 2;
            assert_eq!(net.routes().iter().count(), nodes * nodes, "{}", family.example);
        }
    }
    assert_eq!(net("ring:08,half").name(), "ring:8,half");
    assert_eq!(net("kautz:3,2,simplex").name(), "kautz:3,2");
    assert_eq!(net("petersen,simplex").name(), "petersen,simplex");
}

#[test]
fn sums_of_distances() {
    for (name, sum) in [
        ("ring:8", 128),
        ("ring:8,half", 128),
        ("ring:8,simplex", 8 * 28),
        ("octagon", 88),
        ("petersen", 150),
        ("kautz:3,2", 228),
        ("heawood", 378),
        ("moebius-ladder:16", 624),
        ("levi", 2490),
        ("hypercube:5", 2560),
        ("kautz:3,3", 3252),
    ] {
        assert_eq!(spread(&net(name)).sum, sum, "{name}");
    }
}

#[test]
fn moore_graphs_and_cages() {
    for (name, vertices, expected_girth, degree, diameter) in [
        ("petersen", 10, 5, 3, 2),
        ("heawood", 14, 6, 3, 3),
        ("levi", 30, 8, 3, 4),
        ("hoffman-singleton", 50, 5, 7, 2),
        ("hypercube:6", 64, 4, 6, 6),
        ("complete:7", 7, 3, 6, 1),
        ("complete-bipartite:3,3", 6, 4, 3, 2),
        ("octagon", 8, 4, 3, 2),
        ("torus:5x6", 30, 4, 4, 5),
        ("ring:9", 9, 9, 2, 4),
        ("torus:3x4x5x3", 180, 3, 8, 6),
        ("slim-fly:5", 50, 5, 7, 2),
    ] {
        let net = net(name);
        let all = degrees(&net, net.terminals()).unwrap();
        assert_eq!(net.vertices().len(), vertices, "{name}");
        assert_eq!(girth(&net), Some(expected_girth), "{name}");
        assert_eq!((all.out, all.into), ((degree, degree), (degree, degree)), "{name}");
        assert_eq!(spread(&net).diameter, diameter, "{name}");
    }
    assert_eq!(girth(&net("full-binary-tree:15")), None);
    assert_eq!(girth(&net("ring:9,simplex")), Some(9));
}

#[test]
fn bisections() {
    for (name, channels) in [
        ("ring:8", 4),
        ("octagon", 8),
        ("petersen", 10),
        ("moebius-ladder:16", 8),
        ("kautz:3,2", 12),
        ("hypercube:5", 32),
        ("mesh:4x4", 8),
        ("torus:4x4", 16),
        ("binary-tree:16", 2),
        ("full-binary-tree:63", 2),
        ("fat-tree:16", 16),
        ("complete:7", 24),
    ] {
        assert_eq!(bisection(&net(name), NODE_LIMIT), Bisection::Exact(channels), "{name}");
    }
    assert!(matches!(bisection(&net("levi"), 10), Bisection::AtMost(18..)));
}

#[test]
fn amp_networks_have_the_distances_of_the_search_that_found_them() {
    for (n, diameter, sum) in [
        (5, 1, 20),
        (8, 2, 80),
        (12, 2, 216),
        (13, 2, 260),
        (14, 2, 308),
        (16, 3, 420),
        (23, 3, 1058),
        (32, 3, 2336),
        (36, 3, 3060),
        (40, 3, 3880),
        (42, 4, 4380),
        (53, 4, 7514),
        (64, 4, 11568),
        (128, 5, 56816),
        (256, 6, 270976),
    ] {
        let net = net(&format!("amp:{n}"));
        let spread = spread(&net);
        assert_eq!((spread.diameter, spread.sum), (diameter, sum), "amp:{n}");
        assert_eq!(degrees(&net, net.terminals()).unwrap().out, (4, 4), "amp:{n}");
        let all = Distances::new(&net);
        let reach = |v: u32| all.from(v).iter().max().copied().unwrap();
        assert_eq!(Some(reach(0)), net.terminals().map(reach).min(), "amp:{n}");
    }
}

#[test]
fn vertices_have_the_names_of_their_families() {
    let names = |text: &str| -> Vec<String> {
        net(text).vertices().iter().map(|v| v.name.to_string()).collect()
    };
    assert_eq!(names("mesh:2x3"), ["00", "01", "02", "10", "11", "12"]);
    assert_eq!(names("torus:11x2")[20..], ["10.0", "10.1"]);
    assert_eq!(names("kautz:2,2"), ["01", "02", "10", "12", "20", "21"]);
    assert_eq!(names("kautz:10,2")[..2], ["0.1", "0.2"]);
    assert_eq!(names("hypercube:2"), ["0", "1", "2", "3"]);
    assert_eq!(names("binary-tree:4"), ["0", "1", "2", "3", "s0.0", "s0.1", "s1.0"]);
    assert_eq!(names("omega:2"), ["0", "1", "s0.0"]);
    assert_eq!(names("clos:1,2,2")[2..], ["s0.0", "s0.1", "s1.0", "s1.1", "s2.0", "s2.1"]);
}

#[test]
fn kautz_channels_shift_words() {
    for text in ["kautz:3,3", "kautz:1,4", "kautz:4,1", "kautz:2,5"] {
        let net = net(text);
        for c in net.channels() {
            let (from, to) = (net.vertex_name(c.from), net.vertex_name(c.to));
            assert_eq!(from[1..], to[..to.len() - 1], "{text}");
            assert!(to.as_bytes().windows(2).all(|w| w[0] != w[1]), "{text}");
            assert_eq!(c.reverse, None);
        }
    }
    assert_eq!(spread(&net("kautz:2,5")).diameter, 5);
}

#[test]
fn de_bruijn_channels_shift_words() {
    for (text, words, letters, diameter) in
        [("debruijn:2,4", 16, 2, 4), ("debruijn:3,3", 27, 3, 3), ("debruijn:5,1", 5, 5, 1)]
    {
        let net = net(text);
        assert_eq!((net.vertices().len(), spread(&net).diameter), (words, diameter), "{text}");
        // A word of one repeated letter has no channel to itself.
        assert_eq!(net.channels().len(), letters * (words - 1), "{text}");
        for c in net.channels() {
            let (from, to) = (net.vertex_name(c.from), net.vertex_name(c.to));
            assert_eq!(from[1..], to[..to.len() - 1], "{text}");
        }
    }
    assert_eq!(net("debruijn:11,2").vertex_name(11 * 11 - 1), "10.10");
}

#[test]
fn slim_flies_have_diameter_two_and_the_degree_of_their_field() {
    for (q, degree) in
        [(3, 5), (4, 6), (5, 7), (7, 11), (8, 12), (9, 13), (11, 17), (13, 19), (16, 24), (17, 25)]
    {
        let net = net(&format!("slim-fly:{q}"));
        let all = degrees(&net, net.terminals()).unwrap();
        assert_eq!(net.vertices().len(), 2 * q * q, "{q}");
        assert_eq!((all.out, all.into), ((degree, degree), (degree, degree)), "{q}");
        assert_eq!(spread(&net).diameter, 2, "{q}");
        let links: HashSet<_> = net.channels().iter().map(|c| (c.from, c.to)).collect();
        assert_eq!(links.len(), net.channels().len(), "{q}: no link twice");
    }
    let hosted = net("slim-fly:5,3");
    assert_eq!((hosted.terminals().count(), hosted.vertices().len()), (150, 200));
    assert_eq!(spread(&hosted).diameter, 4);
    let switches = (0..200).filter(|&v| !hosted.is_terminal(v));
    assert_eq!(degrees(&hosted, switches).unwrap().out, (10, 10));
    assert_eq!(hosted.vertex_name(150), "sw0");
}

#[test]
fn random_regular_graphs_are_simple_connected_and_determined_by_their_seed() {
    let mut sizes = vec![(64, 4), (100, 3), (50, 2), (40, 30)];
    sizes.extend((3..=8).flat_map(|n| (2..n).map(move |d| (n, d)).filter(|(n, d)| n * d % 2 == 0)));
    for (n, d) in sizes {
        for seed in 1..=10 {
            let text = format!("random-regular:{n},{d},{seed}");
            let net = net(&text);
            let links: HashSet<_> = net.channels().iter().map(|c| (c.from, c.to)).collect();
            assert_eq!((net.vertices().len(), links.len()), (n, n * d), "{text}");
            assert_eq!(net.channels().len(), n * d, "{text}");
            assert_eq!(degrees(&net, net.terminals()).unwrap().out, (d, d), "{text}");
            assert_eq!(spread(&net).unreachable, 0, "{text}");
            assert_eq!(net, spec::parse(&text).unwrap(), "{text}");
        }
    }
    let channels = |seed: u64| net(&format!("random-regular:64,4,{seed}")).channels().to_vec();
    assert_ne!(channels(1), channels(2));
    // A seed gives the same graph in every version.
    let first: Vec<(u32, u32)> = channels(1)[..6].iter().map(|c| (c.from, c.to)).collect();
    assert_eq!(first, [(0, 17), (17, 0), (0, 43), (43, 0), (0, 55), (55, 0)]);
}

#[test]
fn dragonflies_have_one_link_between_every_two_groups() {
    for (a, p, h) in [(4, 2, 2), (2, 1, 1), (3, 2, 1), (1, 2, 4), (5, 1, 3)] {
        let text = format!("dragonfly:{a},{p},{h}");
        let net = net(&text);
        let groups = a * h + 1;
        assert_eq!(net.terminals().count(), groups * a * p, "{text}");
        let switches = (0..net.vertices().len() as u32).filter(|&v| !net.is_terminal(v));
        let degree = p + a - 1 + h;
        assert_eq!(degrees(&net, switches).unwrap().out, (degree, degree), "{text}");
        // The groups are found from the links alone; a missing link is refused.
        let found = Dragonfly::find(&net).unwrap();
        assert_eq!((found.size(), found.groups()), (a, groups), "{text}");
        let missing =
            ccsched::network::faults::apply(&net, &[net.channels().len() as u32 - 1], &[]);
        assert!(Dragonfly::find(&missing.unwrap()).unwrap_err().contains("switches"), "{text}");
    }
    // Router 1 of group 0 has global links 2 and 3, to the third and fourth of the other groups.
    let found = Dragonfly::find(&net("dragonfly:4,2,2")).unwrap();
    let gates: Vec<(usize, usize)> = (1..9).map(|other| found.gates(0, other)).collect();
    assert_eq!(gates, [(0, 0), (0, 0), (1, 0), (1, 0), (2, 0), (2, 0), (3, 0), (3, 0)]);
    assert_eq!(found.gates(8, 3), (1, 3));
    assert!(Dragonfly::find(&net("petersen")).is_err());
    assert!(Dragonfly::find(&net("fat-tree:8")).is_err());
}

#[test]
fn a_size_of_two_has_no_doubled_links() {
    assert_eq!(net("torus:2x2x2").channels().len(), net("hypercube:3").channels().len());
    assert_eq!(net("torus:4x2").channels().len(), 2 * (8 + 4));
    assert_eq!(net("torus:1x5").channels().len(), 10);
    assert_eq!(net("ring:2").channels().len(), 2);
}

#[test]
fn options_change_the_links() {
    let kind = |text: &str| write::kind(&net(text)).unwrap();
    assert_eq!(kind("torus:4x4"), LinkKind::FullDuplex);
    assert_eq!(kind("torus:4x4,half"), LinkKind::HalfDuplex);
    assert_eq!(kind("torus:4x4,simplex"), LinkKind::OneWay);
    assert_eq!(kind("levi,half"), LinkKind::HalfDuplex);
    let ring = net("ring:5,simplex");
    assert!(ring.channels().iter().all(|c| c.to == (c.from + 1) % 5));
    let torus = net("torus:3x4,simplex");
    let (d, at) = (Distances::new(&torus), |name| torus.find(name).unwrap());
    assert_eq!((d.get(at("00"), at("01")), d.get(at("01"), at("00"))), (1, 3));
    assert_eq!((d.get(at("20"), at("00")), d.get(at("00"), at("20"))), (1, 2));
}

/// The channels from terminal `a` to terminal `b`, where there is one shortest path.
fn path(net: &Network, to: &[u32], a: u32) -> Vec<ChannelId> {
    let (mut at, mut path) = (a, Vec::new());
    while to[at as usize] > 0 {
        let next = |&&c: &&ChannelId| {
            let v = net.channel(c).to as usize;
            to[v].checked_add(1) == Some(to[at as usize])
        };
        let on: Vec<&ChannelId> = net.outgoing(at).iter().filter(next).collect();
        assert_eq!(on.len(), 1, "{}: the path is not unique", net.name());
        path.push(*on[0]);
        at = net.channel(*on[0]).to;
    }
    path
}

#[test]
fn exclusive_ors_and_shifts_pass_omega_and_butterfly() {
    for text in ["omega:4", "omega:16", "omega:32", "butterfly:4", "butterfly:16", "butterfly:32"] {
        let net = net(text);
        let n = net.terminals().count() as u32;
        let all = Distances::new(&net);
        let to: Vec<Vec<u32>> = net
            .terminals()
            .map(|b| (0..net.vertices().len() as u32).map(|v| all.get(v, b)).collect())
            .collect();
        let passes = |image: &dyn Fn(u32) -> u32| {
            let mut used = HashSet::new();
            net.terminals()
                .all(|a| path(&net, &to[image(a) as usize], a).iter().all(|c| used.insert(*c)))
        };
        for k in 1..n {
            assert!(passes(&|a| a ^ k), "{text}: exclusive or with {k}");
            assert!(passes(&|a| (a + k) % n), "{text}: shift by {k}");
        }
        // Bit reversal is the classic permutation that blocks both.
        if n == 16 {
            assert!(!passes(&|a| a.reverse_bits() >> 28), "{text}");
        }
    }
}

#[test]
fn multistage_terminals_have_one_channel_in_and_one_out() {
    for text in ["omega:8", "butterfly:8", "clos:3,3,4"] {
        let net = net(text);
        let last = net.vertices().len() as u32 - 1;
        for t in net.terminals() {
            assert_eq!((net.outgoing(t).len(), net.incoming(t).len()), (1, 1), "{text}");
            let into = net.vertex_name(net.channel(net.outgoing(t)[0]).to);
            let out = net.vertex_name(net.channel(net.incoming(t)[0]).from);
            let stage = net.vertex_name(last).split('.').next().unwrap();
            assert!(into.starts_with("s0.") && out.starts_with(stage), "{text}");
        }
    }
}

#[test]
fn fat_trees_have_as_many_links_at_every_level() {
    for n in [2u32, 8, 32] {
        let net = net(&format!("fat-tree:{n}"));
        let levels = n.ilog2();
        assert_eq!(net.vertices().len() as u32, n + levels * n / 2);
        assert_eq!(net.channels().len() as u32, 2 * n * levels);
        assert_eq!(spread(&net).diameter, 2 * levels);
    }
}

#[test]
fn wrong_specs_say_what_would_be_right() {
    for (text, parts) in [
        ("kauts:3,2", &["no such family or file", "did you mean 'kautz:3,2'?"][..]),
        ("torus:8,8", &["did you mean 'torus:8x8'?"]),
        ("xyz", &["no such family"]),
        ("", &["no such family"]),
        ("ring", &["takes 1 parameter (N), not 0", "ring:8"]),
        ("ring:8,9", &["takes 1 parameter (N), not 2"]),
        ("ring:0", &["N must be a whole number from 1, not '0'"]),
        ("ring:1", &["at least 2"]),
        ("ring:-4", &["not '-4'"]),
        ("ring:+4", &["not '+4'"]),
        ("ring:500001", &["1000002 channels", "the maximum is 1000000"]),
        ("ring:99999999999999999999999", &["too large"]),
        ("octagon:8", &["takes no parameters"]),
        ("chordal-ring:8,7", &["between 2 and N - 2 = 6"]),
        ("moebius-ladder:7", &["must be even, such as 8"]),
        ("mesh:4x", &["a size must be a whole number from 1, not ''"]),
        ("mesh:1x1", &["at least 2"]),
        ("mesh:999999x999999x999999x999999", &["far more than 1000000 channels"]),
        ("hypercube:64", &["far more than 1000000"]),
        ("hypercube:1000000", &["far more than 1000000"]),
        ("hypercube:17", &["2228224 channels"]),
        ("kautz:0,2", &["D must be a whole number from 1"]),
        ("kautz:3,1000000", &["far more than 1000000"]),
        ("kautz:1,1000000", &["2000000 channels"]),
        ("complete:1", &["at least 2"]),
        ("complete:1001", &["1001000 channels"]),
        ("complete-bipartite:1000000,1000000", &["2000000000000 channels"]),
        ("omega:12", &["power of 2", "8 or 16"]),
        ("butterfly:1", &["power of 2", "such as 2"]),
        ("fat-tree:524288", &["19922944 channels"]),
        ("full-binary-tree:30", &["like 15 or 31, not 30"]),
        ("full-binary-tree:32", &["like 31 or 63, not 32"]),
        ("clos:3,3", &["takes 3 parameters (N,M,R), not 2"]),
        ("debruijn:1,3", &["D must be at least 2"]),
        ("debruijn:2,1000000", &["far more than 1000000"]),
        ("slim-fly:6", &["prime power", "not 6"]),
        ("slim-fly:2", &["at least 3"]),
        ("slim-fly:5,0", &["P must be a whole number from 1"]),
        ("slim-fly:1000000", &["channels; the maximum is 1000000", "slim-fly:Q[,P]"]),
        ("random-regular:5,3,1", &["N or D must be even"]),
        ("random-regular:4,4,1", &["less than N = 4"]),
        ("random-regular:4,1,1", &["at least 2"]),
        ("random-regular:4,3", &["takes 3 parameters (N,D,SEED), not 2"]),
        ("dragonfly:4,2", &["takes 3 parameters (A,P,H), not 2"]),
        ("dragonfly:1000,1000,1000", &["the maximum is 1000000"]),
        (
            "amp:9",
            &["must be one of 5, 8, 12, 13, 14, 16, 23, 32, 36, 40, 42, 53, 64, 128, 256, not 9"],
        ),
        ("omega:8,half", &["networks without switches"]),
        ("kautz:3,2,half", &["one-way"]),
        ("ring:8,full", &["takes 1 parameter"]),
    ] {
        let why = why_not(text);
        for part in parts {
            assert!(why.contains(part), "{text}: '{part}' is not in: {why}");
        }
    }
}
