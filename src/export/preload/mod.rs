//! Several schedules as the sources of a library that is preloaded: an unchanged program gets its
//! collectives from it where a schedule fits the communicator and the length of the call, and from
//! MPI elsewhere. The C files of this folder are written as they are, beside a table of
//! the schedules that they read.

mod table;

use super::{Output, Settings, Subject};
use crate::problem::Collective;
use crate::{Error, Result};
use std::fmt::Write;

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

/// The program that measures schedules, which is no part of the library.
const TUNE: &str = "ccsched_tune.c";

/// The files that depend on no schedule.
const COMMON: [(&str, &str); 8] = [
    ("ccsched_coll.h", include_str!("ccsched_coll.h")),
    ("ccsched_coll.c", include_str!("ccsched_coll.c")),
    ("ccsched_comm.c", include_str!("ccsched_comm.c")),
    ("ccsched_lengths.c", include_str!("ccsched_lengths.c")),
    ("ccsched_log.c", include_str!("ccsched_log.c")),
    ("ccsched_measured.c", include_str!("ccsched_measured.c")),
    ("ccsched_sums.c", include_str!("ccsched_sums.c")),
    (TUNE, include_str!("ccsched_tune.c")),
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
    let parts = files.iter().filter(|(name, _)| name != TUNE);
    let objects = parts.filter_map(|(name, _)| name.strip_suffix(".c"));
    let objects = objects.fold(String::new(), |mut all, name| {
        write!(all, " \\\n  {name}.o").expect("a string takes any text");
        all
    });
    let ranks = rows.iter().map(table::Row::ranks).max().unwrap_or(1);
    files.push((
        "Makefile".into(),
        MAKEFILE.replace(" OBJECTS", &objects).replace("RANKS", &ranks.to_string()),
    ));
    Ok(files)
}

/// A library of one schedule for calls of any length.
pub(super) fn write(subject: &Subject, _: &Settings) -> Result<Output> {
    files(&[Entry { subject, least_bytes: 0, name: "schedule" }]).map(Output::Folder)
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
# Builds libccsched-coll.so, which a program preloads: LD_PRELOAD=./libccsched-coll.so
# `make tune` measures which calls it makes faster; the library reads the file that CCSCHED_TUNED names.
MPICC ?= mpicc
MPIRUN ?= mpirun -n RANKS
CFLAGS ?= -O2
TUNED ?= ccsched.tuned
OBJECTS = OBJECTS

libccsched-coll.so: $(OBJECTS)
\t$(MPICC) $(CFLAGS) -shared -pthread -o $@ $(OBJECTS) $(LDFLAGS)

%.o: %.c ccsched_coll.h
\t$(MPICC) -std=c99 $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -pthread -c -o $@ $<

ccsched-tune: ccsched_tune.o $(OBJECTS)
\t$(MPICC) $(CFLAGS) -pthread -o $@ ccsched_tune.o $(OBJECTS) $(LDFLAGS)

tune: libccsched-coll.so ccsched-tune
\t$(MPIRUN) ./ccsched-tune $(TUNED) $(BYTES)

clean:
\trm -f $(OBJECTS) ccsched_tune.o ccsched-tune libccsched-coll.so

.PHONY: clean tune
";
