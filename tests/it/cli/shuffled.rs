//! Networks read from files with their vertices renamed and reordered have the same optima: nothing
//! depends on the names and numbers of vertices in the families.

use ccsched::network::files::toml::write;
use ccsched::network::{LinkKind, Network, NetworkBuilder, VertexId, spec};
use ccsched::rng::{Rng, rng_of};
use rand::RngExt;
use rand::seq::SliceRandom;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The image of `net` under a random permutation, and the image of every vertex.
fn shuffled(net: &Network, rng: &mut Rng) -> (Network, Vec<VertexId>) {
    let n = net.vertices().len();
    let mut order: Vec<VertexId> = (0..n as VertexId).collect();
    order.shuffle(rng);
    let mut labels: Vec<usize> = (0..n).collect();
    labels.shuffle(rng);
    let mut builder = NetworkBuilder::new(format!("{} shuffled", net.name()));
    let mut image = vec![0; n];
    for (&v, label) in order.iter().zip(labels) {
        image[v as usize] = builder.vertex(format!("node {label}"), net.is_terminal(v));
    }
    // Every link once, by its first channel.
    let channels = (0..).zip(net.channels());
    let mut links: Vec<_> = channels.filter(|(id, c)| c.reverse.is_none_or(|r| r > *id)).collect();
    links.shuffle(rng);
    for (_, c) in links {
        let [mut from, mut to] = [c.from, c.to].map(|v| image[v as usize]);
        let kind = match c.reverse {
            None => LinkKind::OneWay,
            Some(_) if c.exclusive => LinkKind::HalfDuplex,
            Some(_) => LinkKind::FullDuplex,
        };
        if kind != LinkKind::OneWay && rng.random() {
            (from, to) = (to, from);
        }
        builder.link(from, to, kind);
    }
    (builder.build().unwrap(), image)
}

/// Steps of a schedule that the program finds and proves optimal.
fn optimum(topology: &str, collective: &str, source: Option<&str>) -> u64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ccsched"));
    command.args(["solve", "--json", "-t", topology, "-c", collective]);
    command.args(source.map(|source| format!("--source={source}")));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["optimal"], true, "{summary}");
    summary["steps"].as_u64().unwrap()
}

/// Compares a family's network with shuffled ones in files.
fn compare(folder: &Path, topology: &str) {
    let net = spec::parse(topology).unwrap();
    let source = net.terminals().next().unwrap();
    let [all, one] = ["aas", "oas"].map(|collective| optimum(topology, collective, None));
    for seed in 1..=2 {
        let (other, image) = shuffled(&net, &mut rng_of(seed, 0, 0));
        let same = image.iter().enumerate().all(|(v, &i)| v == i as usize);
        assert!(!same, "{topology}: nothing was shuffled by seed {seed}");
        let file = folder.join(format!("{}-{seed}.toml", topology.replace([':', ','], "-")));
        std::fs::write(&file, write::to_toml(&other).unwrap()).unwrap();
        let file = file.to_str().unwrap();
        let source = other.vertex_name(image[source as usize]);
        assert_eq!(optimum(file, "aas", None), all, "aas of {topology}, seed {seed}");
        assert_eq!(optimum(file, "oas", Some(source)), one, "oas of {topology}, seed {seed}");
    }
}

#[test]
fn neither_names_nor_order_matter() {
    let folder = tempfile::tempdir().unwrap();
    for topology in [
        "heawood",
        "omega:8",
        "clos:4,4,4",
        "kautz:3,2",
        "fat-tree:8",
        "mesh:3x3",
        "ring:8,half",
        "moebius-ladder:16",
    ] {
        compare(folder.path(), topology);
    }
}
