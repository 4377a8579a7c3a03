//! Files that users of graphs and fabrics have beside those that are read: how each is told, what it is,
//! and what would be right. One row a kind; `looks` asks the table before a file is taken for rows of
//! names, and for the message about a file that no format has.

use super::lines::lines;

/// How a kind is told: the first line that is not blank begins with one of these, without regard to case,
/// and the beginning of the file has all those parts.
struct Kind {
    begins: &'static [&'static str],
    has: &'static [&'static str],
    what: &'static str,
}

const fn kind(
    begins: &'static [&'static str],
    has: &'static [&'static str],
    what: &'static str,
) -> Kind {
    Kind { begins, has, what }
}

/// Bytes at the beginning of a file that are looked at.
const HEAD: usize = 4000;

/// The table; the first row that fits counts.
const KINDS: &[Kind] = &[
    // Accelerators.
    kind(
        &["<system", "<?xml", "<!--"],
        &["<system", "<pci", "busid"],
        "this is a topology of NCCL or RCCL (NCCL_TOPO_DUMP_FILE), which is not read; write its links as \
         a list: gpu0 gpu1 2",
    ),
    kind(
        &["<graphs", "<graph "],
        &["<channel"],
        "these are the rings and trees of NCCL (NCCL_GRAPH_DUMP_FILE), not the links of the machine",
    ),
    kind(
        &["gpu0", "\u{1b}[4mgpu0"],
        &["GPU1"],
        "these are the accelerators of one machine (nvidia-smi topo -m), which is not read; write its NV# \
         entries as a list: GPU0 GPU1 2",
    ),
    kind(
        &["=", "gpu[", "rocm"],
        &["ROCm System Management"],
        "these are the accelerators of one machine (rocm-smi), which is not read; write its links as a \
         list: gpu0 gpu1 1",
    ),
    kind(
        &["topology:", "npus_count:", "bandwidth:"],
        &["npus_count"],
        "this is a network of ASTRA-sim (dimensions, not links); a grid of rings is torus:4x8 here, a \
         switch is a list of links",
    ),
    kind(
        &["{"],
        &["dimensions-count"],
        "this is a network of ASTRA-sim (dimensions, not links); a grid of rings is torus:4x8 here, a \
         switch is a list of links",
    ),
    // Machines.
    kind(
        &["<?xml", "<!doctype topology", "<topology"],
        &["<topology", "<object"],
        "this is the inside of one machine (lstopo of hwloc), not a network",
    ),
    kind(
        &["machine (", "machine l#", "depth 0:"],
        &[],
        "this is the inside of one machine (lstopo of hwloc), not a network",
    ),
    kind(
        &["<?xml", "<!doctype platform", "<platform"],
        &["<platform"],
        "this looks like a platform of SimGrid, which is not read; write its links as a list",
    ),
    // Simulators of networks.
    kind(
        &["nodes ", "tiers ", "# nodes"],
        &["Nodes ", "Tiers "],
        "these are settings of htsim (a fat tree by its tiers), and no links; a family such as fat-tree \
         makes one here",
    ),
    kind(&["?sndlib"], &[], SNDLIB),
    kind(&["<?xml", "<network"], &["sndlib"], SNDLIB),
    kind(
        &["topology: (", "topology:("],
        &["Model"],
        "this is a topology of BRITE; write the ends of its edges as a list",
    ),
    kind(
        &["simple ", "network ", "module ", "package ", "import ", "channel "],
        &["submodules:"],
        OMNET,
    ),
    kind(&["network ", "package "], &["connections"], OMNET),
    kind(&["set ns ", "set val("], &[], "this is a script for ns-2; write its links as a list"),
    kind(
        &["uid ", "name ", "@"],
        &["-> <", "bb"],
        "this looks like a map of Rocketfuel; write its links as a list",
    ),
    // Graphs.
    kind(
        &["*vertices", "*network", "*arcs", "*edges"],
        &[],
        "this is a graph of Pajek; the pairs below *Edges or *Arcs make an edge list",
    ),
    kind(
        &["dl ", "dl\n", "dl\t"],
        &["="],
        "this is a graph of UCINET (DL); the pairs of an edgelist1 make an edge list",
    ),
    kind(
        &["name:", "name :", "type:", "type :", "comment:", "comment :"],
        &["DIMENSION"],
        "this is a problem of TSPLIB; the distances are no links: write the links as a list",
    ),
    kind(&["dimension"], &["EDGE_"], "this is a problem of TSPLIB; write the links as a list"),
    kind(&["leda.graph"], &[], "this is a graph of LEDA (.gw); write its edges as a list"),
    kind(
        &["@nodes", "@arcs", "@edges"],
        &[],
        "this is a graph of LEMON (.lgf); the pairs below @arcs or @edges make an edge list",
    ),
    kind(&[">>graph6<<", ">>sparse6<<", ">>digraph6<<"], &[], GRAPH6),
    kind(&["graph:"], &["node:", "edge:"], "this is a graph of VCG or aiSee; write it as DOT"),
    kind(
        &["beginsubgraph", "nodedef>", "edgedef>"],
        &[],
        "this is a graph of GUESS (.gdf); its rows below edgedef> make a CSV file: from,to",
    ),
    kind(
        &["creator \"tulip", "(tlp "],
        &[],
        "this is a graph of Tulip (.tlp); write it as GML or GraphML",
    ),
    kind(
        &["["],
        &["\"numberVerification\""],
        "this is a graph of Cytoscape (CX); export it as GraphML",
    ),
    kind(&["["], &["\"CXVersion\""], "this is a graph of Cytoscape (CX2); export it as GraphML"),
    kind(
        &["{"],
        &["\"elements\"", "\"data\"", "\"source\""],
        "this is a graph of Cytoscape (cyjs); export it as GraphML",
    ),
    kind(
        &["<?xml", "<xgmml", "<graph"],
        &["xgmml"],
        "this is a graph of Cytoscape (XGMML); export it as GraphML",
    ),
    kind(
        &["<?xml", "<mxfile", "<mxgraph"],
        &["<mx"],
        "this is a drawing of diagrams.net; write its links as a list",
    ),
    kind(
        &["<?xml", "<svg"],
        &["<svg"],
        "this is a picture (SVG); a network is needed, not its picture",
    ),
    kind(&["@startuml"], &[], "this is a diagram of PlantUML; write its links as a list"),
    kind(
        &["graph td", "graph lr", "graph tb", "graph bt", "flowchart", "```mermaid"],
        &["-->"],
        "this is a diagram of Mermaid; write its links as a list",
    ),
    // Networks of operators.
    kind(
        &["{"],
        &["ietf-network"],
        "this is a topology of a controller (ietf-network, RFC 8345), which is not read; write its links \
         as a list: from,to,capacity",
    ),
    kind(
        &["module: ", "module "],
        &["namespace", "prefix"],
        "this is a model of YANG, not a network",
    ),
    kind(
        &["device id", "capability codes", "lldp neighbors", "local intf"],
        &["Port ID"],
        "these are the neighbours of one switch (show lldp or cdp neighbors); collect them of all switches as \
         CSV: local_device,local_port,remote_device,remote_port",
    ),
    kind(
        &["lldp.", "interface:", "---"],
        &["lldp.", "chassis"],
        "these are the neighbours of one machine (lldpctl); collect them of all machines as CSV: \
         local_device,local_port,remote_device,remote_port",
    ),
    kind(
        &["lldp neighbors:", "-------------"],
        &["SysName"],
        "these are the neighbours of one machine (lldpcli); collect them of all machines as CSV: \
         local_device,local_port,remote_device,remote_port",
    ),
    kind(
        &["name:", "topology:"],
        &["nodes:", "endpoints:"],
        "this is a laboratory of containerlab; the pairs of 'endpoints' make a list of cables",
    ),
    // Programs, settings and texts.
    kind(
        &["from mininet", "#!/usr/bin/env python", "#!/usr/bin/python", "import ", "from "],
        &["mininet"],
        "this is a program for Mininet; write its links as a list",
    ),
    kind(&["#!"], &[], "this is a script; what it prints may be a network"),
    kind(&["def ", "class ", "\"\"\""], &[":\n"], PYTHON),
    kind(&["#include"], &[], "this is a program in C, not a network"),
    kind(
        &["fn main(", "use std::", "pub fn", "int main(", "package main\n"],
        &[],
        "this is a program, not a network",
    ),
    kind(&["from "], &["\nRUN "], "this is a Dockerfile, not a network"),
    kind(&["from "], &["\nCMD "], "this is a Dockerfile, not a network"),
    kind(&["from "], &["\nCOPY "], "this is a Dockerfile, not a network"),
    kind(&["all:", "all :", ".phony"], &["\n\t"], "this is a Makefile, not a network"),
    kind(
        &["apiversion:", "kind:", "---"],
        &["apiVersion:", "kind:"],
        "this is an object of Kubernetes, not a network",
    ),
    kind(
        &["version:", "services:"],
        &["services:"],
        "this is a file of Docker Compose, not a network",
    ),
    kind(&["["], &["]\n", "ansible_host"], "this is an inventory of Ansible, which has no links"),
    kind(&["diff --git", "--- a/"], &[], "this is a patch, not a network"),
    kind(&["%pdf"], &[], "this is a PDF file; a network is needed as text"),
    kind(&["\\documentclass", "\\begin"], &[], "this is a text of LaTeX, not a network"),
    kind(&["num_ranks "], &[], "this looks like a program of LogGOPSim"),
    kind(
        &["job_id", "jobid", "nodelist", "partition "],
        &["STATE"],
        "this is a list of jobs or nodes of Slurm; `scontrol show topology` prints links",
    ),
    kind(
        &["nodename="],
        &[],
        "these are nodes of Slurm (slurm.conf), without links; topology.conf has them",
    ),
];

const SNDLIB: &str = "this is a network of SNDlib, which is not read; write the ends and the capacities of its \
                      LINKS as a list";
const OMNET: &str = "this is a network of OMNeT++ (.ned); write its connections as a list";
const GRAPH6: &str =
    "this is a graph in graph6 or sparse6; NetworkX reads it and writes an edge list";
const PYTHON: &str = "this is a program in Python; what it prints may be a network";

/// What a text is, if it is of a kind that is known and not read.
pub fn of(text: &str) -> Option<&'static str> {
    let first = lines(text).map(ccsched_base::table::trim).find(|line| !line.is_empty())?;
    let lower: String = first.chars().take(100).flat_map(char::to_lowercase).collect();
    let end = text.char_indices().nth(HEAD).map_or(text.len(), |(end, _)| end);
    let head = &text[..end];
    let fits = |kind: &&Kind| {
        kind.begins.iter().any(|begin| lower.starts_with(begin) || format!("{lower}\n") == *begin)
            && kind.has.iter().all(|part| head.contains(part))
    };
    KINDS.iter().find(fits).map(|kind| kind.what).or_else(|| structure(text))
}

/// Kinds that are told by the form of their lines.
fn structure(text: &str) -> Option<&'static str> {
    let all = || lines(text).map(str::trim).filter(|line| !line.is_empty()).take(300);
    // Pairs with a letter before them, and a line of their number.
    let is_size = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        matches!(words[..], ["p", kind, n, m]
            if kind.chars().all(char::is_alphabetic) && [n, m].iter().all(|word| word.parse::<u64>().is_ok()))
    };
    if all().any(is_size) {
        return Some(
            "this is a graph of DIMACS; leave out the lines 'c' and 'p' and the letter before each pair to \
             make it an edge list",
        );
    }
    // Lines of a program in Python, the first of which takes others in.
    let takes = |line: &str| {
        line.starts_with("import ") || (line.starts_with("from ") && line.contains(" import "))
    };
    let mut code = all().filter(|line| !line.starts_with('#'));
    if code.next().is_some_and(takes)
        && code.all(|line| takes(line) || line.contains(['(', ')', '=', ':']))
    {
        return Some(PYTHON);
    }
    // Vertices with labels, a line of `#`, pairs.
    let count = |line: &&str| line.split_whitespace().count();
    let mut after = all().skip_while(|line| *line != "#").skip(1).peekable();
    if all().next().is_some_and(|line| line != "#") && after.peek().is_some() {
        let names: Vec<&str> = all()
            .take_while(|line| *line != "#")
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        if after.all(|row| {
            (2..).contains(&count(&row))
                && row.split_whitespace().take(2).all(|word| names.contains(&word))
        }) {
            return Some(
                "this is a graph in TGF: vertices, a line '#', pairs; the lines after '#' make an edge list",
            );
        }
    }
    // A square of numbers.
    let rows: Vec<Vec<&str>> = all()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split([' ', '\t', ',', ';']).filter(|word| !word.is_empty()).collect())
        .collect();
    let n = rows.len();
    let number = |word: &&str| word.parse::<f64>().is_ok();
    if n > 2 && n < 300 && rows.iter().all(|row| row.len() == n && row.iter().all(number)) {
        let zero = |i: usize, j: usize| rows[i][j].parse::<f64>().is_ok_and(|value| value == 0.0);
        if (0..n).all(|i| zero(i, i)) && (0..n).all(|i| (0..n).all(|j| rows[i][j] == rows[j][i])) {
            return Some(
                "this is a matrix of a graph, a row for each vertex; write a line for each link: 0 1",
            );
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_called_by_their_names() {
        for (text, part) in [
            ("<system version=\"1\">\n<cpu numaid=\"0\"><pci busid=\"0\"/></cpu></system>", "NCCL"),
            ("\tGPU0\tGPU1\nGPU0\t X \tNV2\n", "nvidia-smi"),
            ("====== ROCm System Management Interface ======\n", "rocm-smi"),
            ("topology: [ Ring ]\nnpus_count: [ 8 ]\n", "ASTRA-sim"),
            (
                "<?xml version=\"1.0\"?>\n<topology version=\"2.0\"><object type=\"Machine\"/>",
                "hwloc",
            ),
            ("Nodes 16\nTiers 3\nPodsize 4\n", "htsim"),
            ("?SNDlib native format; type: network; version: 1.0\nNODES (\n", "SNDlib"),
            ("Topology: ( 5 Nodes, 7 Edges )\nModel ( 1 )\n", "BRITE"),
            ("network Small\n{\n connections:\n", "OMNeT"),
            ("c a comment\np edge 3 2\ne 1 2\ne 2 3\n", "DIMACS"),
            ("p sp 3 2\na 1 2 5\n", "DIMACS"),
            ("*Vertices 3\n1 \"a\"\n*Edges\n1 2\n", "Pajek"),
            ("dl n = 4 format = edgelist1\ndata:\n1 2\n", "UCINET"),
            ("NAME: small\nTYPE: TSP\nDIMENSION: 4\n", "TSPLIB"),
            ("LEDA.GRAPH\nstring\n", "LEDA"),
            ("@nodes\nlabel\n1\n", "LEMON"),
            (">>graph6<<DhC\n", "graph6"),
            ("1 one\n2 two\n3 three\n#\n1 2\n2 3 road\n", "TGF"),
            ("0 1 1\n1 0 1\n1 1 0\n", "matrix"),
            ("0,1,0,1\n1,0,1,0\n0,1,0,1\n1,0,1,0\n", "matrix"),
            ("{\"ietf-network:networks\": {}}", "RFC 8345"),
            ("Device ID  Local Intf  Hold-time  Capability  Port ID\n", "lldp"),
            ("import x\n", "Python"),
            ("from math import sqrt\nprint(sqrt(2))\n", "Python"),
            ("FROM debian\nRUN true\n", "Dockerfile"),
            ("all:\n\tcc x.c\n", "Makefile"),
            ("apiVersion: v1\nkind: Pod\n", "Kubernetes"),
            ("#!/bin/sh\necho a b\n", "script"),
        ] {
            assert!(of(text).is_some_and(|what| what.contains(part)), "{text}: {:?}", of(text));
        }
        for text in [
            "a b\nb c\n",
            "from to\na b\nb c\n",
            "node1 node2\nnode2 node3\n",
            "# x\n0 1\n1 2\n",
            "0 1 5\n1 2 5\n2 0 5\n",
            "import export\nexport harbour\n",
            "graph { a -- b }",
            "# a\n#\n1 2\n2 3\n",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
