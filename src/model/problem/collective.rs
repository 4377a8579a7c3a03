//! The table of collectives: names and shapes. Bounds, engines and the refutation read the parts of
//! the [`Shape`], not the collective, so that a new collective of known parts is one row here.

use ccsched_base::{Error, similar};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The roots, the vertices from which a collective is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Roots {
    /// One vertex.
    One,
    /// All senders; each of them sends to all receivers.
    All,
    /// The sources of a list of pairs, or of groups.
    Listed,
    /// All ranks but the first, each with those before it.
    Ranked,
}

/// The messages of a source for its destinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    /// One message for all of them: a broadcast.
    Common,
    /// A separate message for each of them.
    Personal,
}

impl Content {
    /// Whether a source has one message for all of its destinations.
    pub fn is_common(self) -> bool {
        match self {
            Content::Common => true,
            Content::Personal => false,
        }
    }

    /// Whether a source has a message of its own for each of its destinations.
    pub fn is_personal(self) -> bool {
        match self {
            Content::Common => false,
            Content::Personal => true,
        }
    }
}

/// Whether the roots send or receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The roots send.
    FromRoots,
    /// The roots receive.
    ToRoots,
    /// The roots receive, then send what they have made of it.
    Both,
}

/// What becomes of messages that take one path in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Joining {
    /// Each takes its place on the path.
    Apart,
    /// They are added up, and take one place. From then on they travel together.
    Sum,
    /// They have no content, and take one place.
    Signal,
}

/// The parts of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The roots.
    pub roots: Roots,
    /// The messages of a source for its destinations.
    pub content: Content,
    /// Whether the roots send or receive.
    pub direction: Direction,
    /// What becomes of messages that take one path in one step.
    pub joining: Joining,
}

/// A row of the table.
struct Row {
    collective: Collective,
    /// The name in schedule files.
    name: &'static str,
    /// The names in MPI, NCCL and SHMEM, without their prefixes; the first is shown.
    others: &'static [&'static str],
    shape: Shape,
    function: Function,
}

/// The function that a collective is in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name, that of MPI in small letters where MPI has it.
    pub name: &'static str,
    /// What its first buffer holds.
    pub send: &'static str,
    /// What its second buffer gets.
    pub receive: &'static str,
}

macro_rules! collectives {
    ($($id:ident $name:literal $others:tt $roots:ident $content:ident $direction:ident $joining:ident
        => $about:literal, $function:literal $send:literal $receive:literal;)*) => {
        /// A collective communication.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Collective {
            $(#[doc = $about] $id),*
        }

        /// All collectives, in the order of the enumeration.
        const TABLE: &[Row] = &[$(Row {
            collective: Collective::$id,
            name: $name,
            others: &$others,
            shape: Shape {
                roots: Roots::$roots,
                content: Content::$content,
                direction: Direction::$direction,
                joining: Joining::$joining,
            },
            function: Function { name: $function, send: $send, receive: $receive },
        }),*];
    };
}

#[rustfmt::skip]
collectives! {
    Oab     "oab"     ["broadcast", "bcast"] One    Common   FromRoots Apart => "One-to-all broadcast.",
        "bcast" "the root: one block" "all receivers: one block";
    Aab     "aab"     ["allgather", "fcollect"] All    Common   FromRoots Apart => "All-to-all broadcast (all-gather).",
        "allgather" "one block" "a block for each rank";
    Oas     "oas"     ["scatter"] One    Personal FromRoots Apart => "One-to-all scatter.",
        "scatter" "the root: a block for each rank" "one block";
    Aas     "aas"     ["alltoall"] All    Personal FromRoots Apart => "All-to-all scatter (all-to-all personalised).",
        "alltoall" "a block for each rank" "a block for each rank";
    Aog     "aog"     ["gather"] One    Personal ToRoots Apart   => "All-to-one gather.",
        "gather" "one block" "the root: a block for each rank";
    Traffic "traffic" ["alltoallv", "alltoallw", "neighboralltoall", "neighboralltoallv", "neighbouralltoall"] Listed Personal FromRoots Apart => "Arbitrary traffic: a list of pairs, repetitions allowed.",
        "traffic" "a block for each message of the rank, by destination" "a block for each message for the rank, by source";
    Reduce  "reduce"  [] One    Common   ToRoots Apart   => "Reduction: the sum of all contributions at one vertex.",
        "reduce" "a vector" "at the root: the result";
    ReduceScatter "reduce-scatter" ["reducescatterblock"] All Common ToRoots Apart => "Reduce-scatter: each vertex gets the sum of its part.",
        "reduce_scatter_block" "a block for each rank" "its block of the result";
    Scan "scan" ["exscan"] Ranked Common ToRoots Apart => "Prefix sums: each rank gets the sum of all ranks up to it.",
        "scan" "a vector" "the result up to the rank";
    AllReduce "all-reduce" [] All Common Both Apart => "All-reduce: each vertex gets the sums of all parts.",
        "allreduce" "a vector" "the result";
    AllReduceWhole "all-reduce-whole" [] All Common FromRoots Sum => "All-reduce of one part: each vertex gets the sum of whole vectors.",
        "allreduce" "a vector" "the result";
    Notify "notify" [] One Common ToRoots Signal => "Notification: one vertex hears of all others.",
        "notify" "nothing" "nothing";
    Barrier "barrier" ["barrierall", "syncall", "sync"] All Common FromRoots Signal => "Barrier: each vertex hears of all others.",
        "barrier" "nothing" "nothing";
    Groups "groups" ["neighborallgather", "neighbourallgather"] Listed Common FromRoots Apart => "Collectives side by side, each among its own members.",
        "groups" "a block for each message of the rank, by group, then destination" "a block for each message for the rank, by source, then group";
    ReduceGroups "reduce-groups" [] Listed Common ToRoots Apart => "Reductions side by side, each among its own members.",
        "reduce_groups" "a vector for each sum of the rank" "a vector for each sum at the rank";
    SumGroups "sum-groups" [] Listed Common Both Apart => "Collectives side by side, sums among them.",
        "sum_groups" "a vector for each sum of the rank" "the result for each sum at the rank";
}

/// The prefixes of names in MPI, NCCL and SHMEM, as [`plain`] leaves them.
const PREFIXES: [&str; 3] = ["mpi", "nccl", "shmem"];

/// A name in small letters, without signs between words.
fn words(name: &str) -> String {
    let words: String = name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).collect();
    words.to_lowercase()
}

/// The same without prefixes of libraries.
fn plain(name: &str) -> String {
    let words = words(name);
    let rest = PREFIXES.iter().find_map(|prefix| words.strip_prefix(prefix));
    rest.map_or(words.clone(), String::from)
}

/// The operations of reductions in SHMEM.
const OPERATIONS: [&str; 7] = ["and", "or", "xor", "max", "min", "sum", "prod"];

/// The row of a name of SHMEM without its prefix, which has a type before it or behind it: `intsumtoall`,
/// `sumreduce`, `floatbroadcast`, `broadcastmem`, `collect64`.
fn shmem(name: &str) -> Option<&'static Row> {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let name = name.strip_suffix("mem").unwrap_or(name);
    let of = |collective| TABLE.iter().find(|row| row.collective == collective);
    let operation = ["toall", "reduce"].iter().find_map(|end| name.strip_suffix(end));
    if operation.is_some_and(|rest| OPERATIONS.iter().any(|operation| rest.ends_with(operation))) {
        return of(Collective::AllReduce);
    }
    let ends = [("alltoall", Collective::Aas), ("collect", Collective::Aab)];
    let ends = ends.into_iter().chain([("broadcast", Collective::Oab)]);
    ends.into_iter().find(|(end, _)| name.ends_with(end)).and_then(|(_, collective)| of(collective))
}

impl Row {
    fn has_name(&self, name: &str) -> bool {
        plain(self.name) == name || self.others.contains(&name)
    }
}

impl Collective {
    /// The four collectives of the papers' tables, in their order.
    pub const OF_THE_PAPERS: [Collective; 4] =
        [Collective::Oab, Collective::Aab, Collective::Oas, Collective::Aas];

    /// All collectives.
    pub fn all() -> impl Iterator<Item = Collective> {
        TABLE.iter().map(|row| row.collective)
    }

    /// Its parts.
    pub fn shape(self) -> Shape {
        TABLE[self as usize].shape
    }

    /// The function that it is in a program.
    pub fn function(self) -> Function {
        TABLE[self as usize].function
    }

    /// Its roots.
    pub fn roots(self) -> Roots {
        self.shape().roots
    }

    /// The messages of a source for its destinations.
    pub fn content(self) -> Content {
        self.shape().content
    }

    /// Whether the roots send or receive.
    pub fn direction(self) -> Direction {
        self.shape().direction
    }

    /// What becomes of messages that take one path in one step.
    pub fn joining(self) -> Joining {
        self.shape().joining
    }

    /// Whether messages that take one path in one step are one transfer. The sums, and signals, of one root
    /// are one message.
    pub fn joins(self) -> bool {
        self.joining() != Joining::Apart && !self.is_reduction()
    }

    /// The collective of an all-reduce whose vector has this number of parts; others stay as they are.
    pub fn of_parts(self, parts: Option<u32>) -> Self {
        match (self, parts) {
            (Collective::AllReduce, Some(1)) => Collective::AllReduceWhole,
            _ => self,
        }
    }

    /// The collective of groups of these collectives side by side: broadcasts and messages with one destination,
    /// or reductions alone, or sums and broadcasts. None if they do not stand side by side.
    pub fn beside(all: impl IntoIterator<Item = Collective>) -> Option<Self> {
        let of_one = |one: Collective| match (one.roots(), one.joining(), one.direction()) {
            (Roots::Listed | Roots::Ranked, ..) | (_, Joining::Sum | Joining::Signal, _) => None,
            (.., Direction::Both) => Some(Collective::SumGroups),
            _ if one.is_reduction() => Some(Collective::ReduceGroups),
            _ => Some(Collective::Groups),
        };
        let (mut together, mut has_personal) = (None, false);
        for one in all {
            let next = of_one(one)?;
            has_personal |= one.content().is_personal();
            together =
                Some(if together.is_none_or(|t| t == next) { next } else { Self::SumGroups });
        }
        together.filter(|&t| t == Collective::Groups || !has_personal)
    }

    /// Whether it is groups side by side, or posed as such.
    pub fn is_of_groups(self) -> bool {
        matches!(self.roots(), Roots::Listed | Roots::Ranked) && self.content().is_common()
    }

    /// Whether sums are both computed and spread.
    pub fn is_all_reduce(self) -> bool {
        self.direction() == Direction::Both
    }

    /// Whether its messages are sums, each of which has a root.
    pub fn has_sums(self) -> bool {
        self.is_reduction() || self.is_all_reduce()
    }

    /// Whether vertices compute: partial sums are added where they meet on the way to a root. Run
    /// backwards on the reversed network it is a broadcast.
    pub fn is_reduction(self) -> bool {
        self.content().is_common() && self.direction() == Direction::ToRoots
    }
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(TABLE[*self as usize].name)
    }
}

impl FromStr for Collective {
    type Err = Error;

    /// Any spelling of its names: `all-gather`, `MPI_Allgather`, `MPI_Iallgather`, `ncclAllGather`,
    /// `shmem_fcollect64`, `shmem_int_sum_to_all`.
    fn from_str(text: &str) -> Result<Self, Error> {
        let given = plain(text);
        let find = |name: &str| TABLE.iter().find(|row| row.has_name(name));
        let words = words(text);
        let nonblocking = words.strip_prefix("mpii").and_then(find);
        let of_shmem = words.strip_prefix("shmem").and_then(shmem);
        let row = find(&given).or(nonblocking).or(of_shmem);
        row.map(|row| row.collective).ok_or_else(|| {
            let known = |row: &Row| match row.others {
                [] => row.name.to_string(),
                [_, ..] if row.collective.has_sums() || row.collective.joins() => {
                    row.name.to_string()
                }
                [other, ..] => format!("{} ({other})", row.name),
            };
            let known: Vec<String> = TABLE.iter().map(known).collect();
            let names = TABLE.iter().flat_map(|row| row.others.iter().copied().chain([row.name]));
            let meant = similar::hint(&given, names);
            Error::problem(format!(
                "unknown collective '{text}'; known: {}{meant}",
                known.join(", ")
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_stands_at_its_place_and_its_names_are_read_back() {
        let mut names = std::collections::HashSet::new();
        for (place, row) in TABLE.iter().enumerate() {
            assert_eq!(row.collective as usize, place);
            assert_eq!(row.collective.to_string(), row.name);
            let all = row.others.iter().chain([&row.name]);
            for name in all {
                assert!(names.insert(plain(name)), "{name} twice");
                for spelling in [name.to_uppercase(), format!("MPI_{name}"), format!("nccl{name}")]
                {
                    assert_eq!(spelling.parse::<Collective>().unwrap(), row.collective);
                }
            }
        }
        for (spelling, collective) in [
            ("all-gather", Collective::Aab),
            ("MPI_Reduce_scatter_block", Collective::ReduceScatter),
            ("ncclReduceScatter", Collective::ReduceScatter),
            ("MPI_Allreduce", Collective::AllReduce),
            ("all_to_all", Collective::Aas),
            ("MPI_Barrier", Collective::Barrier),
            ("shmem_barrier_all", Collective::Barrier),
            ("MPI_Neighbor_allgather", Collective::Groups),
            ("MPI_Alltoallw", Collective::Traffic),
            ("MPI_Ibarrier", Collective::Barrier),
            ("MPI_Iallreduce", Collective::AllReduce),
            ("MPI_Ireduce_scatter_block", Collective::ReduceScatter),
            ("shmem_sum_reduce", Collective::AllReduce),
            ("shmem_double_max_reduce", Collective::AllReduce),
            ("shmem_int_sum_to_all", Collective::AllReduce),
            ("shmem_collect32", Collective::Aab),
            ("shmem_fcollectmem", Collective::Aab),
            ("shmem_float_broadcast", Collective::Oab),
            ("shmem_int_alltoall", Collective::Aas),
        ] {
            assert_eq!(spelling.parse::<Collective>().unwrap(), collective);
        }
        let why = "gossip".parse::<Collective>().unwrap_err().to_string();
        let known = "oab (broadcast), aab (allgather), oas (scatter), aas (alltoall), aog (gather), \
                     traffic (alltoallv), reduce, reduce-scatter, scan, all-reduce, all-reduce-whole, notify, barrier, groups (neighborallgather), reduce-groups, sum-groups";
        assert_eq!(why, format!("unknown collective 'gossip'; known: {known}"));
        for wrong in ["", "mpi", "MPI_I", "shmem_toall", "int_sum_to_all", "shmem_sum"] {
            assert!(wrong.parse::<Collective>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn no_two_collectives_have_the_same_shape() {
        let shapes: std::collections::HashSet<Shape> =
            Collective::all().map(Collective::shape).collect();
        assert_eq!(shapes.len(), TABLE.len());
    }
}
