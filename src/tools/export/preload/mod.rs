//! Several schedules as the sources of a library that is preloaded: an unchanged program gets its
//! collectives from it where a schedule fits the communicator and the length of the call, and from
//! MPI elsewhere. The C files of this folder are written as they are, beside a table of
//! the schedules that they read.

mod table;

use super::{Output, Settings, Subject};
use ccsched_base::{Error, Result};
use ccsched_model::problem::Collective;
use std::fmt::Write;

/// The threshold of a schedule that is used only where it was measured to be faster.
pub const NEVER: u64 = u64::MAX;

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
    /// Lengths of an `MPI_Alltoallv` are those of its schedule, whose threshold is not used. [`NEVER`]: only
    /// where it was measured to be faster.
    pub least_bytes: u64,
    /// Ranks on each host: with more than one the processes of the schedule are hosts, and it is used between
    /// the first ranks of these, with MPI's own functions inside. The length of a call is that of its ranks.
    pub each: u32,
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

/// The programs that are no part of the library: one measures schedules, the other asks whether all ranks
/// have the library.
const PROGRAMS: [&str; 3] = ["ccsched_algorithms.c", "ccsched_check.c", "ccsched_tune.c"];

/// The files that depend on no schedule.
const COMMON: [(&str, &str); 21] = [
    ("run", include_str!("run.sh")),
    ("tune", include_str!("tune.sh")),
    ("ccsched_agree.c", include_str!("ccsched_agree.c")),
    ("ccsched_algorithms.c", include_str!("ccsched_algorithms.c")),
    ("ccsched_check.c", include_str!("ccsched_check.c")),
    ("ccsched_coll.h", include_str!("ccsched_coll.h")),
    ("ccsched_coll.c", include_str!("ccsched_coll.c")),
    ("ccsched_comm.c", include_str!("ccsched_comm.c")),
    ("ccsched_fortran.c", include_str!("ccsched_fortran.c")),
    ("ccsched_host.c", include_str!("ccsched_host.c")),
    ("ccsched_lengths.c", include_str!("ccsched_lengths.c")),
    ("ccsched_levels.c", include_str!("ccsched_levels.c")),
    ("ccsched_log.c", include_str!("ccsched_log.c")),
    ("ccsched_measured.c", include_str!("ccsched_measured.c")),
    ("ccsched_order.c", include_str!("ccsched_order.c")),
    ("ccsched_passed.c", include_str!("ccsched_passed.c")),
    ("ccsched_profile.c", include_str!("ccsched_profile.c")),
    ("ccsched_start.c", include_str!("ccsched_start.c")),
    ("ccsched_sums.c", include_str!("ccsched_sums.c")),
    ("ccsched_tune.c", include_str!("ccsched_tune.c")),
    ("ccsched_tune.h", include_str!("ccsched_tune.h")),
];

/// The files of the library by name and text: a C file for each schedule, the functions that take
/// the place of MPI's, and a `Makefile` that builds `libccsched-coll.so`. The order of the entries
/// does not matter.
///
/// # Errors
/// No entries; what no function of MPI does (groups, traffic without lengths, barriers), or only some
/// ranks take part in; what `mpi-c` refuses; two thresholds that are equal.
pub fn files(entries: &[Entry<'_>]) -> Result<Vec<(String, String)>> {
    if entries.is_empty() {
        return Err(Error::problem("preload: there are no schedules"));
    }
    let mut files: Vec<(String, String)> =
        COMMON.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
    let rows = entries.iter().enumerate();
    let rows: Vec<table::Row> =
        rows.map(|(place, entry)| table::Row::of(place + 1, entry)).collect::<Result<_>>()?;
    for (row, entry) in rows.iter().zip(entries) {
        files.push((row.file.clone(), row.part(entry)?));
    }
    let hash = hash(&files, &rows);
    files.push(("ccsched_table.c".into(), table::text(&rows, hash)?));
    let parts = files.iter().filter(|(name, _)| !PROGRAMS.contains(&name.as_str()));
    let objects = parts.filter_map(|(name, _)| name.strip_suffix(".c"));
    let objects = objects.fold(String::new(), |mut all, name| {
        write!(all, " \\\n  {name}.o").expect("a string takes any text");
        all
    });
    files.push(("Makefile".into(), MAKEFILE.replace(" OBJECTS", &objects)));
    let hosts = rows.iter().map(table::Row::hosts).max_by_key(|hosts| hosts.len());
    files.push(("hosts".into(), hosts.unwrap_or_default().join("\n") + "\n"));
    Ok(files)
}

/// A library of one schedule for calls of any length.
pub(super) fn write(subject: &Subject, _: &Settings) -> Result<Output> {
    files(&[Entry { subject, least_bytes: 0, each: 1, name: "schedule" }]).map(Output::Folder)
}

/// By which ranks see that they have the same library: FNV-1a, of 62 bits.
fn hash(files: &[(String, String)], rows: &[table::Row]) -> u64 {
    let texts = files.iter().map(|(_, text)| text.as_str());
    let thresholds: Vec<String> = rows.iter().map(table::Row::line).collect();
    let bytes = texts.chain(thresholds.iter().map(String::as_str)).flat_map(str::bytes);
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    bytes.fold(0xcbf2_9ce4_8422_2325, step) >> 2
}

const MAKEFILE: &str = "\
# Builds libccsched-coll.so, which a program preloads: `run PROGRAM` starts it with the library, `tune`
# measures for which calls, with ccsched-tune.
MPICC ?= mpicc
CFLAGS ?= -O2
OBJECTS = OBJECTS

all: libccsched-coll.so ccsched-check

libccsched-coll.so: $(OBJECTS)
\t$(MPICC) $(CFLAGS) -shared -pthread -o $@ $(OBJECTS) $(LDFLAGS)

%.o: %.c ccsched_coll.h
\t$(MPICC) -std=c99 $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -pthread -c -o $@ $<

ccsched-tune: ccsched_tune.o ccsched_algorithms.o $(OBJECTS)
\t$(MPICC) $(CFLAGS) -pthread -o $@ ccsched_tune.o ccsched_algorithms.o $(OBJECTS) $(LDFLAGS) -ldl

ccsched-check: ccsched_check.o ccsched_host.o
\t$(MPICC) $(CFLAGS) -o $@ ccsched_check.o ccsched_host.o $(LDFLAGS) -ldl

clean:
\trm -f $(OBJECTS) ccsched_tune.o ccsched_algorithms.o ccsched_check.o ccsched-tune ccsched-check libccsched-coll.so

.PHONY: all clean
";
