//! What a user says about how a file is understood, where the file itself leaves it open.

use super::notice::Notices;
use crate::processes::{self, PerNode};
use crate::terminals::{self, Pattern};
use crate::{MAX_CAPACITY, Network};
use ccsched_base::{Error, Result};
use std::path::{Path, PathBuf};

/// Settings of the readers. A setting that a format does not use is refused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// A file of forwarding tables, which become static routes.
    pub routes: Option<PathBuf>,
    /// The vertices that are terminals; the others are switches.
    pub terminals: Option<Pattern>,
    /// Several processes on every terminal.
    pub per_node: Option<PerNode>,
    /// Edges are one-way channels even if the format says nothing about it.
    pub one_way: bool,
    /// Every edge is a two-way link of its own, even if others lead back.
    pub two_way: bool,
    /// All links have capacity 1, whatever the widths and speeds in the file.
    pub equal_links: bool,
    /// Cables between the same two vertices are links of their own, even without routes.
    pub separate_cables: bool,
    /// The widths of the links between switches, for formats that do not know them.
    pub uplinks: Option<Uplinks>,
}

/// The width of the link from a switch to the one above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uplinks {
    /// As many cables.
    Cables(u32),
    /// As wide as the links to all nodes below it together.
    Full,
}

impl std::str::FromStr for Uplinks {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == "full" {
            return Ok(Uplinks::Full);
        }
        let number = text.parse().ok().filter(|n| (1..=MAX_CAPACITY).contains(n));
        number.map(Uplinks::Cables).ok_or_else(|| {
            let why = format!("'{text}' is neither a number from 1 to {MAX_CAPACITY} nor 'full'");
            Error::field("uplinks", why)
        })
    }
}

impl Reading {
    /// Chooses the terminals of a network, and places processes on them.
    pub(crate) fn finish(&self, net: Network) -> Result<Network> {
        let chosen = match &self.terminals {
            Some(pattern) => terminals::choose(&net, pattern)?,
            None => net,
        };
        match self.per_node {
            Some(per_node) => processes::place(&chosen, per_node),
            None => Ok(chosen),
        }
    }

    /// The settings that are given, by name, except for those of terminals, which every network
    /// allows.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let all = [
            ("routes", self.routes.is_some()),
            ("one_way", self.one_way),
            ("two_way", self.two_way),
            ("equal_links", self.equal_links),
            ("separate_cables", self.separate_cables),
            ("uplinks", self.uplinks.is_some()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }
}

/// A file to read.
pub struct Source<'t> {
    /// Its path, for messages.
    pub path: &'t Path,
    /// Its content.
    pub text: &'t str,
    /// The settings.
    pub how: &'t Reading,
    /// What the reader does not use or has to guess.
    pub notices: Notices,
}

impl<'t> Source<'t> {
    /// A file of which nothing is read yet.
    pub fn new(path: &'t Path, text: &'t str, how: &'t Reading) -> Self {
        Source { path, text, how, notices: Notices::default() }
    }

    /// The name of a network whose file does not name it: that of the file without its ending.
    pub(super) fn name(&self) -> String {
        let stem = self.path.file_stem().unwrap_or(self.path.as_os_str()).to_string_lossy();
        stem.chars().filter(|c| !c.is_control()).collect()
    }
}
