//! The table of the network file formats that are read; each format has its own file or folder. The
//! content of a file determines its format, so its name may be anything.

mod alike;
mod anynet;
mod columns;
mod csv;
mod delays;
pub mod dot;
mod edges;
mod entities;
mod gate;
mod gexf;
mod gml;
mod graphml;
mod hpcc;
mod ibnetdiscover;
mod json;
mod kinds;
mod lines;
mod list;
mod looks;
mod matrix_market;
mod metis;
mod mistake;
mod notice;
mod parts;
mod plain;
mod python;
mod rates;
mod reading;
mod slurm;
pub mod toml;
mod ways;
mod widths;

pub use ibnetdiscover::tables_of;
pub use notice::{Loaded, Notice, Notices};
pub use reading::{Reading, Source, Uplinks};

use super::Network;
use ccsched_base::{Error, Result, input};
use std::path::Path;

/// A format of network files.
pub struct Format {
    /// The name for users.
    pub name: &'static str,
    /// One line of description.
    pub about: &'static str,
    /// The settings that it uses, by their names in [`Reading`].
    pub settings: &'static [&'static str],
    /// Whether a text looks like this format.
    pub recognises: fn(&str) -> bool,
    /// Reads a file. Mistakes come with their line.
    pub read: fn(&Source) -> Result<Network>,
}

/// All formats, those first that are told by a word of their own. The last ones are rows of plain
/// names and numbers.
pub const FORMATS: &[Format] = &[
    Format {
        name: "ibnetdiscover",
        about: "an InfiniBand fabric as ibnetdiscover prints it",
        settings: &["routes", "equal_links", "separate_cables"],
        recognises: ibnetdiscover::recognises,
        read: ibnetdiscover::read,
    },
    Format {
        name: "topology.conf",
        about: "Slurm's tree, blocks or rings",
        settings: &["uplinks"],
        recognises: slurm::conf::recognises,
        read: slurm::read_conf,
    },
    Format {
        name: "topology.yaml",
        about: "Slurm's tree, block, ring or torus3d",
        settings: &["uplinks"],
        recognises: slurm::is_yaml,
        read: slurm::read_yaml,
    },
    Format {
        name: "GraphML",
        about: "as the Topology Zoo has it",
        settings: &["one_way", "two_way", "equal_links"],
        recognises: graphml::recognises,
        read: graphml::read,
    },
    Format {
        name: "DOT",
        about: "the language of Graphviz",
        settings: &["equal_links"],
        recognises: dot::recognises,
        read: dot::read,
    },
    Format {
        name: "GML",
        about: "graph [ node [ id 1 ] edge [ source 1 target 2 ] ]",
        settings: &["one_way", "two_way", "equal_links"],
        recognises: gml::recognises,
        read: gml::read,
    },
    Format {
        name: "GEXF",
        about: "as Gephi and NetworkX write it",
        settings: &["one_way", "two_way", "equal_links"],
        recognises: gexf::recognises,
        read: gexf::read,
    },
    Format {
        name: "node-link JSON",
        about: "NetworkX's {\"nodes\": [{\"id\": 0}], \"edges\": [{\"source\": 0, \"target\": 1}]}",
        settings: &["equal_links"],
        recognises: json::recognises,
        read: json::read,
    },
    Format {
        name: "anynet",
        about: "BookSim's list of routers, with what is attached to each",
        settings: &[],
        recognises: anynet::recognises,
        read: anynet::read,
    },
    Format {
        name: "toml",
        about: "a list of neighbours for every vertex; see topologies/example.toml",
        settings: &[],
        recognises: toml::read::recognises,
        read: |source| toml::read::parse(source.path, source.text),
    },
    Format {
        name: "HPCC",
        about: "nodes, switches, links with rates: HPCC, SimAI and ASTRA-sim for ns-3",
        settings: &["equal_links"],
        recognises: hpcc::recognises,
        read: hpcc::read,
    },
    Format {
        name: "Matrix Market",
        about: "the adjacency matrix of a graph, as %%MatrixMarket matrix coordinate",
        settings: &["one_way", "two_way", "equal_links"],
        recognises: matrix_market::recognises,
        read: matrix_market::read,
    },
    Format {
        name: "METIS",
        about: "a line of sizes, then the neighbours of every vertex",
        settings: &["equal_links"],
        recognises: metis::recognises,
        read: metis::read,
    },
    Format {
        name: "CSV",
        about: "a link a line: from,to[,capacity][,count]",
        settings: &["one_way", "two_way", "equal_links"],
        recognises: csv::recognises,
        read: csv::read,
    },
    Format {
        name: "edge list",
        about: "a link a line, as in Graph Golf: two vertices, with blanks between",
        settings: &["one_way", "two_way", "equal_links"],
        recognises: edges::recognises,
        read: edges::read,
    },
];

/// Reads a network from a file of any format.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::File`] with the line of its first mistake or with
/// what it looks like if no format has it.
pub fn read(path: &Path) -> Result<Network> {
    read_as(path, &Reading::default())
}

/// Reads a network from a file of any format, with these settings. What the reader did not use or
/// had to guess is logged; [`read_noticing`] returns it.
///
/// # Errors
/// As [`read`], and [`Error::Field`] for settings that the format has no use for.
pub fn read_as(path: &Path, how: &Reading) -> Result<Network> {
    read_noticing(path, how).map(Loaded::logged)
}

/// Reads a network as [`read_as`], with its format and what its reader did not use or had to guess.
///
/// # Errors
/// As [`read_as`].
pub fn read_noticing(path: &Path, how: &Reading) -> Result<Loaded> {
    let (text, foreign) = text(path)?;
    let Some(format) = of(&text) else {
        let why = format!("{}; files that are read: {}", looks::like(&text), names());
        return Err(Error::File { path: path.to_path_buf(), line: 1, why });
    };
    if let Some(setting) = how.given().into_iter().find(|name| !format.settings.contains(name)) {
        let uses = |f: &&Format| f.settings.contains(&setting);
        let users: Vec<&str> = FORMATS.iter().filter(uses).map(|f| f.name).collect();
        let (path, users) = (path.display(), users.join(", "));
        let why = format!("{path} is {}, which has no use for it; it is for {users}", format.name);
        return Err(Error::field(setting, why));
    }
    let source = Source::new(path, &text, how);
    if let Some(at) = foreign {
        let told = || "this is no text in UTF-8: the file is read as Latin-1".into();
        source.notices.add("Latin-1", at, told);
    }
    let network = how.finish((format.read)(&source)?)?;
    parts::tell(&network, &source.notices);
    alike::tell(&network, &source.notices);
    let notices = source.notices.list(path, &text);
    Ok(Loaded { network, notices, format: Some(format.name) })
}

/// The format of a text, if it looks like one.
pub fn of(text: &str) -> Option<&'static Format> {
    // Tables and lists of hosts are rows of words, too.
    if ibnetdiscover::tables::begins(text) || looks::near(text).is_some() {
        return None;
    }
    FORMATS.iter().find(|format| (format.recognises)(text))
}

/// The table as text, one format a line, for `--help`.
pub fn help() -> String {
    let width = FORMATS.iter().map(|format| format.name.len()).max().unwrap_or(0);
    let line = |format: &Format| format!("  {:width$}  {}", format.name, format.about);
    let lines: Vec<String> = FORMATS.iter().map(line).collect();
    format!("Files, told apart by their content:\n{}", lines.join("\n"))
}

/// The names of all formats, for messages.
pub fn names() -> String {
    FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ")
}

/// The text of a file, and where it is no UTF-8. A file that is no text at all is refused.
fn text(path: &Path) -> Result<(String, Option<usize>)> {
    input::legible(path).map_err(|error| match error {
        Error::File { path, line, why } => {
            let why = format!("{why}; files that are read: {}", names());
            Error::File { path, line, why }
        }
        other => other,
    })
}
