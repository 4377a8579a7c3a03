//! The table of collectives: what each is called and what it is made of. Bounds, engines and the
//! refutation ask for the parts of the [`Shape`], not for the collective, so that another one of
//! known parts is a row here.

use crate::Error;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How many vertices the collective is told from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Roots {
    /// One, the root.
    One,
    /// All senders, to all receivers.
    All,
    /// The sources of a list of pairs.
    Listed,
}

/// What a source has for its destinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    /// One message for all of them: a broadcast.
    Common,
    /// A message for each of them.
    Personal,
}

/// Which way the messages of the roots go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The roots send.
    FromRoots,
    /// The roots receive.
    ToRoots,
}

/// What a collective is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// How many roots there are.
    pub roots: Roots,
    /// What a source has for its destinations.
    pub content: Content,
    /// Which way messages go.
    pub direction: Direction,
}

/// A row of the table.
struct Row {
    collective: Collective,
    /// As files spell it.
    name: &'static str,
    /// As MPI calls it; empty where MPI has no name.
    mpi: &'static str,
    shape: Shape,
}

macro_rules! collectives {
    ($($id:ident $name:literal $mpi:literal $roots:ident $content:ident $direction:ident
        => $about:literal;)*) => {
        /// A collective communication.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Collective {
            $(#[doc = $about] $id),*
        }

        /// All collectives, in the order of the enumeration.
        const TABLE: &[Row] = &[$(Row {
            collective: Collective::$id,
            name: $name,
            mpi: $mpi,
            shape: Shape {
                roots: Roots::$roots,
                content: Content::$content,
                direction: Direction::$direction,
            },
        }),*];
    };
}

#[rustfmt::skip]
collectives! {
    Oab     "oab"     "broadcast" One    Common   FromRoots => "One-to-all broadcast.";
    Aab     "aab"     "allgather" All    Common   FromRoots => "All-to-all broadcast (all-gather).";
    Oas     "oas"     "scatter"   One    Personal FromRoots => "One-to-all scatter.";
    Aas     "aas"     "alltoall"  All    Personal FromRoots => "All-to-all scatter (all-to-all personalised).";
    Aog     "aog"     "gather"    One    Personal ToRoots   => "All-to-one gather.";
    Traffic "traffic" ""          Listed Personal FromRoots => "Any traffic: a list of pairs, repeated ones allowed.";
}

impl Collective {
    /// The four of the papers' tables, in their order.
    pub const OF_THE_PAPERS: [Collective; 4] =
        [Collective::Oab, Collective::Aab, Collective::Oas, Collective::Aas];

    /// All of them.
    pub fn all() -> impl Iterator<Item = Collective> {
        TABLE.iter().map(|row| row.collective)
    }

    /// What it is made of.
    pub fn shape(self) -> Shape {
        TABLE[self as usize].shape
    }

    /// How many roots there are.
    pub fn roots(self) -> Roots {
        self.shape().roots
    }

    /// What a source has for its destinations.
    pub fn content(self) -> Content {
        self.shape().content
    }

    /// Which way messages go.
    pub fn direction(self) -> Direction {
        self.shape().direction
    }
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(TABLE[*self as usize].name)
    }
}

impl FromStr for Collective {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let given = text.to_ascii_lowercase();
        let is_it = |row: &&Row| row.name == given || (row.mpi == given && !given.is_empty());
        TABLE.iter().find(is_it).map(|row| row.collective).ok_or_else(|| {
            let known = |row: &Row| match row.mpi {
                "" => row.name.to_string(),
                mpi => format!("{} ({mpi})", row.name),
            };
            let known: Vec<String> = TABLE.iter().map(known).collect();
            Error::problem(format!("unknown collective '{text}'; there are {}", known.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_stands_at_its_place_and_its_names_are_read_back() {
        for (place, row) in TABLE.iter().enumerate() {
            assert_eq!(row.collective as usize, place);
            assert_eq!(row.name.to_uppercase().parse::<Collective>().unwrap(), row.collective);
            assert_eq!(row.collective.to_string(), row.name);
            if !row.mpi.is_empty() {
                assert_eq!(row.mpi.parse::<Collective>().unwrap(), row.collective);
            }
        }
        let why = "reduce".parse::<Collective>().unwrap_err().to_string();
        let known = "oab (broadcast), aab (allgather), oas (scatter), aas (alltoall), aog (gather), traffic";
        assert_eq!(why, format!("unknown collective 'reduce'; there are {known}"));
        assert!("".parse::<Collective>().is_err());
    }

    #[test]
    fn no_two_collectives_have_the_same_shape() {
        let shapes: std::collections::HashSet<Shape> =
            Collective::all().map(Collective::shape).collect();
        assert_eq!(shapes.len(), TABLE.len());
    }
}
