//! The table of the targets: a row for every reader.

#![forbid(unsafe_code)]

mod checkpoints;
mod experiments;
mod networks;
mod problems;
mod schedules;

/// What a reader may take beside 50 times its input.
const MEMORY: usize = 64 << 20;
/// Short words can name a network of a million channels, or a million hosts.
const LARGE: usize = 1 << 30;

/// A reader.
pub struct Target {
    /// Its name, which is that of its folder of seeds.
    pub name: &'static str,
    /// Bytes of memory that it may take beside 50 times its input.
    pub memory: usize,
    /// Reads an input.
    pub read: fn(&[u8]),
}

/// A row with the usual memory.
const fn row(name: &'static str, read: fn(&[u8])) -> Target {
    Target { name, memory: MEMORY, read }
}

/// A row whose words may name much.
const fn large(name: &'static str, read: fn(&[u8])) -> Target {
    Target { name, memory: LARGE, read }
}

/// All targets.
pub const TARGETS: &[Target] = &[
    row("ibnetdiscover", |data| networks::format("ibnetdiscover", data)),
    row("tables", networks::tables),
    large("slurm-conf", |data| networks::format("topology.conf", data)),
    large("slurm-yaml", |data| networks::format("topology.yaml", data)),
    row("graphml", |data| networks::format("GraphML", data)),
    row("dot", |data| networks::format("DOT", data)),
    row("gml", |data| networks::format("GML", data)),
    row("anynet", |data| networks::format("anynet", data)),
    row("toml", |data| networks::format("toml", data)),
    row("metis", |data| networks::format("METIS", data)),
    row("matrix-market", |data| networks::format("Matrix Market", data)),
    row("csv", |data| networks::format("CSV", data)),
    row("edges", |data| networks::format("edge list", data)),
    large("any-network", networks::any),
    large("spec", networks::spec),
    large("hostlist", networks::hostlist),
    large("words", problems::words),
    row("pairs", problems::pairs),
    row("permutation", problems::permutation),
    row("groups", problems::groups),
    row("matrix", problems::matrix),
    row("schedule", schedules::schedule),
    row("import-csv", schedules::import_csv),
    row("import-msccl", schedules::import_msccl),
    row("proof-broadcast", schedules::proof_of_broadcast),
    row("proof-scatter", schedules::proof_of_scatter),
    row("checkpoint-annealer", checkpoints::annealer),
    row("checkpoint-search", checkpoints::searcher),
    row("compare", experiments::compare),
    row("sweep", experiments::sweep),
    row("book", experiments::book),
    row("reproduce", experiments::reproduce),
    row("trace", experiments::trace),
];
