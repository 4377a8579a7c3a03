//! Several schedules as the sources of a library that is preloaded: an unchanged program gets its
//! collectives from it where a schedule fits the communicator and the length of the call, and from
//! MPI elsewhere.

use super::Subject;
use crate::problem::Collective;
use crate::{Error, Result};

/// A schedule of the library.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    /// The schedule. Its ranks are its processes in their order; a communicator matches if it has as
    /// many ranks, each on the host of its process.
    pub subject: &'a Subject,
    /// The threshold: the schedule is used for calls of at least this length in bytes, up to the
    /// threshold of the next schedule of the same collective, hosts and root. Shorter calls get MPI's
    /// own function. The length of a call is its count times the size of its type: of an all-to-all,
    /// scatter, gather or reduce-scatter one block, of an all-gather the block of one rank, of a
    /// broadcast, reduce or all-reduce the whole vector ([`call_bytes`] converts lengths of messages).
    /// Lengths of an `MPI_Alltoallv` are those of its schedule, whose threshold is not used.
    pub least_bytes: u64,
    /// A name for the log and for the file of the schedule, such as `alltoall-64K`.
    pub name: &'a str,
}

/// The length of a call, as thresholds count it, whose messages have this length. They differ for
/// all-reduces, where a message is the part of one rank.
pub fn call_bytes(subject: &Subject, message_bytes: u64) -> u64 {
    let parts = match subject.problem.collective() {
        Collective::AllReduce => subject.problem.processes().len() as u64,
        _ => 1,
    };
    message_bytes.saturating_mul(parts)
}

/// The files of the library by name and text: a C file for each schedule, the functions that take
/// the place of MPI's, and a `Makefile` that builds `libccsched-coll.so`. The order of the entries
/// does not matter.
///
/// # Errors
/// No entries; what no function of MPI does (groups, traffic without lengths, barriers), or only some
/// ranks take part in; what `mpi-c` refuses; two thresholds that are equal.
pub fn files(entries: &[Entry<'_>]) -> Result<Vec<(String, String)>> {
    let first = entries.first().ok_or_else(|| Error::problem("preload: there are no schedules"))?;
    Err(Error::problem(format!("preload: '{}' cannot be written yet", first.name)))
}
