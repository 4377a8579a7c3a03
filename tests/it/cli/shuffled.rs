//! Networks read from files with their vertices renamed and reordered have the same optima: nothing
//! depends on the names and numbers of vertices in the families.

use crate::support::shuffled::shuffled;
use ccsched::network::files::toml::write;
use ccsched::network::spec;
use ccsched::rng::rng_of;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

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
