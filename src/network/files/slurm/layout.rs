//! What Slurm's files say about a network.

use crate::files::lines::short;
use crate::files::mistake::{Wrong, wrong};
use crate::hostlist;

/// The longest name of a switch, as in Slurm.
const LONGEST: usize = 63;

/// One kind of network.
#[derive(Debug, PartialEq)]
pub enum Layout {
    /// Switches with other switches or nodes below them.
    Tree(Vec<Switch>),
    /// Groups of nodes.
    Blocks(Vec<Group>),
    /// Nodes in a circle.
    Ring(Group),
    /// Nodes on a grid of three dimensions that is closed in each of them (YAML only).
    #[cfg(feature = "yaml")]
    Torus(Torus),
}

/// A switch and what is below it: other switches, or nodes.
#[derive(Debug, PartialEq)]
pub struct Switch {
    pub at: usize,
    pub name: String,
    /// Its height in the tree, where Slurm shows it: 0 is a leaf. A line with it has all nodes below.
    pub level: Option<u32>,
    pub switches: Vec<String>,
    pub nodes: Vec<String>,
}

/// A block or ring with its nodes, in order.
#[derive(Debug, PartialEq)]
pub struct Group {
    pub at: usize,
    pub name: String,
    pub nodes: Vec<String>,
}

/// A torus: its size, and the nodes at places of it.
#[cfg(feature = "yaml")]
#[derive(Debug, PartialEq)]
pub struct Torus {
    pub at: usize,
    pub size: [u32; 3],
    pub nodes: Vec<([u32; 3], String)>,
}

/// A name of a switch, block or ring.
pub fn name(at: usize, text: &str) -> Result<String, Wrong> {
    let is_name = !text.is_empty() && !text.contains(|c: char| c.is_control() || c.is_whitespace());
    match is_name && text.len() <= LONGEST {
        true => Ok(text.to_string()),
        false => {
            wrong(at, format!("'{}' is no name; names have 1 to {LONGEST} letters", short(text)))
        }
    }
}

/// The names of a list; `left` is the number of names that the file may still have.
pub fn list(at: usize, text: &str, left: &mut usize) -> Result<Vec<String>, Wrong> {
    // What Slurm shows where there are none.
    if text == "(null)" {
        return Ok(Vec::new());
    }
    let names = hostlist::expand(text, left).map_err(|(_, why)| Wrong { at, why })?;
    if names.is_empty() {
        return wrong(at, "the list is empty; a list is like n[1-8,12]");
    }
    Ok(names)
}
