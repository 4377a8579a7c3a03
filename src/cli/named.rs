//! The network that an option names.

use ccsched_base::{Error, Result};
use ccsched_network::files::{Loaded, Notices, Reading, Uplinks};
use ccsched_network::processes::PerNode;
use ccsched_network::{Network, spec, terminals};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How a file of a network is understood, where the file leaves it open.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Reading a network")]
pub struct ReadingArgs {
    /// The forwarding tables of an InfiniBand fabric, as dump_lfts, ibroute or OpenSM write them:
    /// they become the static routes of all pairs of hosts
    #[arg(long, value_name = "FILE", value_parser = super::dash::input)]
    pub routes: Option<PathBuf>,
    /// How the file is understood where it leaves that open, with commas between. one-way: edges without a
    /// direction are one-way channels (GraphML, CSV, edge lists); two-way: they are links of their own, even
    /// if others lead back; equal-links: all links have capacity 1; separate-cables: cables between the same
    /// two vertices of an InfiniBand fabric stay links of their own; uplinks=N|full: cables from a switch to
    /// the one above, which Slurm's files do not have; terminals=n[1-8],h*: all other vertices are switches,
    /// with ! before it all but those; local-width=W: messages between a process and its host in a step
    // Its words are options below, which the parser of words puts in its place.
    #[arg(long, value_name = "WORD[=VALUE],..")]
    pub read: Option<String>,
    /// The terminals by their names, n[1-8],h*, or with ! all but those, '!n7': all other vertices
    /// are switches
    #[arg(long, value_name = "PATTERN")]
    pub terminals: Option<terminals::Pattern>,
    /// Processes on every host: it becomes a switch, and they are the terminals host/1, host/2, ..
    #[arg(long, value_name = "N")]
    pub per_node: Option<u32>,
    /// Messages that the link between a process and its host carries in a step [default: 1]
    #[arg(long, value_name = "W", requires = "per_node")]
    pub local_width: Option<u32>,
    /// The edges of a file are one-way channels, where its format does not say so (GraphML, CSV,
    /// edge lists)
    #[arg(long, conflicts_with = "two_way")]
    pub one_way: bool,
    /// The edges of such a file are two-way links of their own, even if others lead back
    #[arg(long)]
    pub two_way: bool,
    /// All links have capacity 1, whatever speeds and capacities the file has
    #[arg(long)]
    pub equal_links: bool,
    /// Cables between the same two vertices of an InfiniBand fabric stay links of their own, so that
    /// --fail can name one; otherwise they are one link with the sum of their capacities
    #[arg(long)]
    pub separate_cables: bool,
    /// The cables from a switch to the one above it, which Slurm's files do not have: a number, or
    /// full for as many as there are nodes below [default: 1]
    #[arg(long, value_name = "N|full")]
    pub uplinks: Option<Uplinks>,
    /// What the reader did not use or had to guess, and the format of the file, once the network is read.
    #[arg(skip)]
    told: Arc<OnceLock<(Vec<String>, Option<&'static str>)>>,
    /// What the readers of other files left out.
    #[arg(skip)]
    more: Arc<Mutex<Vec<String>>>,
    /// The network, if it was read ahead.
    #[arg(skip)]
    ahead: Arc<Mutex<Option<Loaded>>>,
}

impl ReadingArgs {
    /// What the readers of the network and of the traffic did not use or had to guess.
    pub fn notices(&self) -> Vec<String> {
        let of_network = self.told.get().map_or(&[][..], |(notices, _)| notices);
        let more = self.more.lock().unwrap_or_else(PoisonError::into_inner);
        of_network.iter().chain(&*more).cloned().collect()
    }

    /// Reads another file of the problem; what its reader notes is a warning, once.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn noting<T>(&self, path: &Path, read: impl Fn(&Notices) -> Result<T>) -> Result<T> {
        let notices = Notices::default();
        let found = read(&notices)?;
        let mut told = self.more.lock().unwrap_or_else(PoisonError::into_inner);
        for notice in notices.list(path, "") {
            let notice = notice.to_string();
            if !told.contains(&notice) {
                log::warn!("{notice}");
                told.push(notice);
            }
        }
        Ok(found)
    }

    /// Whether the network was read from a file of this format.
    pub fn is_of(&self, format: &str) -> bool {
        self.told.get().is_some_and(|(_, read)| *read == Some(format))
    }

    /// The same for another network.
    pub fn of_another(&self) -> Self {
        ReadingArgs { told: Arc::default(), ahead: Arc::default(), ..self.clone() }
    }

    /// The settings of the readers.
    fn reading(&self) -> Reading {
        let ReadingArgs {
            routes,
            terminals,
            one_way,
            two_way,
            equal_links,
            separate_cables,
            uplinks,
            ..
        } = self.clone();
        let of = |processes| PerNode { processes, width: self.local_width.unwrap_or(1) };
        let per_node = self.per_node.map(of);
        Reading {
            routes,
            terminals,
            per_node,
            one_way,
            two_way,
            equal_links,
            separate_cables,
            uplinks,
        }
    }
}

/// The network; what its reader did not use or had to guess is a warning, and noted in `how`. The error of a wrong name says where the families are listed.
///
/// # Errors
/// Unknown families, wrong parameters, faulty files.
pub fn network(text: &str, how: &ReadingArgs) -> Result<Network> {
    let ahead = how.ahead.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Loaded { network, notices, format } = ahead.map_or_else(|| read(text, how), Ok)?;
    let notices: Vec<String> = notices.iter().map(|notice| flags(&notice.to_string())).collect();
    notices.iter().for_each(|notice| log::warn!("{notice}"));
    let _ = how.told.set((notices, format));
    Ok(network)
}

/// Reads a network ahead, for the next call of [`network`].
///
/// # Errors
/// As [`network`].
pub fn read_ahead(text: &str, how: &ReadingArgs) -> Result<()> {
    let read = read(text, how)?;
    *how.ahead.lock().unwrap_or_else(PoisonError::into_inner) = Some(read);
    Ok(())
}

fn read(text: &str, how: &ReadingArgs) -> Result<Loaded> {
    spec::load_noticing(text, &how.reading()).map_err(|error| match error {
        Error::Spec { spec, why } => {
            let why = format!("{why}\n'ccsched topology --help' lists all families");
            Error::Spec { spec, why }
        }
        Error::File { path, line, why } => Error::File { path, line, why: flags(&why) },
        other => other,
    })
}

/// A text of the library, which has the settings of readers in backquotes, with their flags.
fn flags(text: &str) -> String {
    ["one_way", "two_way", "equal_links", "terminals", "uplinks"]
        .iter()
        .fold(text.to_string(), |text, name| {
            text.replace(&format!("`{name}`"), &format!("--{}", name.replace('_', "-")))
        })
}
