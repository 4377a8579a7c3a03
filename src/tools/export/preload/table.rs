//! The table of the schedules of a library, and the file of each: that of `mpi-c`, with a function
//! that says how much memory it takes.

use super::{Entry, NEVER};
use crate::export::ranks::Ranks;
use crate::export::{self, Output, Settings};
use ccsched_base::{Error, Result};
use ccsched_model::problem::{Direction, Joining, Roots, Shape, hosts_and_slots};
use ccsched_model::schedule::vectors::have_one_order;
use std::collections::BTreeMap;
use std::fmt::Write;

/// How the function of a schedule is called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blocks,
    Sums,
    Lengths,
}

/// A schedule in the table.
pub(super) struct Row {
    number: usize,
    /// The name for users.
    name: String,
    /// The name of its file.
    pub file: String,
    /// In the enumeration of the C file.
    function: String,
    kind: Kind,
    /// Ranks on each host; 1 where ranks are the processes of the schedule.
    each: usize,
    /// By rank.
    hosts: Vec<String>,
    root: Option<usize>,
    least_bytes: u64,
    /// Whether floating-point sums may differ between ranks.
    differs: bool,
}

/// The functions that have a form for several ranks on each host.
const LEVELS: [&str; 4] = ["ALLGATHER", "ALLTOALL", "ALLREDUCE", "REDUCE_SCATTER_BLOCK"];

/// The MPI function of a schedule.
fn function(entry: &Entry<'_>) -> Result<(String, Kind)> {
    let problem = &entry.subject.problem;
    let collective = problem.collective();
    let Shape { roots, content, joining, .. } = collective.shape();
    if joining == Joining::Signal || roots == Roots::Listed && content.is_common() {
        return Err(wrong(entry, &format!("is '{collective}', which is not taken over")));
    }
    if roots == Roots::Listed {
        let why = "is a traffic without lengths; MPI_Alltoallv is a traffic with lengths";
        let has_lengths = problem.lengths().is_some();
        return has_lengths
            .then(|| ("ALLTOALLV".into(), Kind::Lengths))
            .ok_or_else(|| wrong(entry, why));
    }
    let adds = collective.has_sums() || joining == Joining::Sum;
    let kind = if adds { Kind::Sums } else { Kind::Blocks };
    Ok((collective.function().name.to_uppercase(), kind))
}

fn wrong(entry: &Entry<'_>, why: &str) -> Error {
    Error::problem(format!("preload: '{}' {why}", entry.name))
}

impl Row {
    /// The row of a schedule, with its number from 1.
    pub fn of(number: usize, entry: &Entry<'_>) -> Result<Self> {
        let problem = &entry.subject.problem;
        let (function, kind) = function(entry)?;
        let processes = problem.processes();
        let [senders, receivers] = problem.asked_ends();
        let shape = problem.collective().shape();
        // Ranks that MPI's function has and the schedule lacks would get nothing.
        let all_take_part = match (shape.roots, shape.direction) {
            (Roots::Listed | Roots::Ranked, _) => true,
            (Roots::One, Direction::FromRoots) => receivers.len() == processes.len(),
            (Roots::One, _) => senders.len() == processes.len(),
            (Roots::All, _) => [senders, receivers].iter().all(|l| l.len() == processes.len()),
        };
        if !all_take_part {
            let why = "has ranks that only send or only receive, MPI's function has none";
            return Err(wrong(entry, why));
        }
        let each = entry.each.max(1) as usize;
        if each > 1 && !LEVELS.contains(&function.as_str()) {
            return Err(wrong(entry, "has no form for several ranks on each host"));
        }
        let root = problem.root().filter(|_| shape.roots == Roots::One);
        let root = root.and_then(|root| processes.iter().position(|&v| v == root));
        let ranks = Ranks::of(entry.subject);
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let stem: String = entry.name.chars().map(plain).take(64).collect();
        Ok(Row {
            number,
            name: entry.name.into(),
            file: format!("part_{number}_{stem}.c"),
            function,
            kind,
            each,
            hosts: hosts_and_slots(problem)
                .flat_map(|(host, _)| std::iter::repeat_n(host.to_string(), each))
                .collect(),
            root,
            least_bytes: if kind == Kind::Lengths { 0 } else { entry.least_bytes },
            differs: problem.collective().joins()
                && (0..problem.pieces()).any(|piece| {
                    !have_one_order(&ranks.vectors_in_one_order(entry.subject, piece))
                }),
        })
    }

    /// The C file of the schedule.
    pub fn part(&self, entry: &Entry<'_>) -> Result<String> {
        let format = export::find("mpi-c")?;
        let text = match export::write(format, entry.subject, &Settings::default())? {
            Output::File(text) => text,
            Output::Folder(_) | Output::Binary(_) => return Err(wrong(entry, "is not one file")),
        };
        let name = if self.kind == Kind::Lengths { "alltoallv" } else { &self.function };
        let (name, function) = (name.to_lowercase(), format!("ccsched_part_{}", self.number));
        let mut out = format!(
            "#define CCSCHED_PART\n#include \"ccsched_coll.h\"\n#define ccsched_{name} {function}\n\n{text}"
        );
        let memory = match self.kind {
            Kind::Blocks => MEMORY_OF_BLOCKS,
            Kind::Sums => MEMORY_OF_SUMS,
            Kind::Lengths => MEMORY_OF_LENGTHS,
        };
        out += &memory.replace("FUNCTION", &function);
        Ok(out)
    }

    /// What tells it from others in the choice of a schedule.
    fn key(&self) -> (&str, &[String], Option<usize>, u64) {
        (&self.function, &self.hosts, self.root, self.least_bytes)
    }

    /// By rank of its communicators, the host.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// The line of the table, without the pointers.
    pub fn line(&self) -> String {
        let root = self.root.map_or(-1, |root| root as i64);
        format!(
            "{}, {}, {}, {root}, {}ULL",
            quoted(&self.name),
            self.function,
            self.hosts.len(),
            self.least_bytes
        )
    }
}

/// The table.
pub(super) fn text(rows: &[Row], hash: u64) -> Result<String> {
    let mut lists: BTreeMap<&[String], usize> = BTreeMap::new();
    let mut seen: BTreeMap<_, &Row> = BTreeMap::new();
    let (mut head, mut lines) = (String::new(), String::new());
    for row in rows {
        let has_threshold = row.kind != Kind::Lengths && row.least_bytes != NEVER;
        let other = seen.insert(row.key(), row).filter(|_| has_threshold);
        if let Some(other) = other {
            let why = format!(
                "preload: '{}' and '{}' are for the same ranks from the same length on, {} bytes",
                other.name, row.name, row.least_bytes
            );
            return Err(Error::problem(why));
        }
        let next = lists.len() + 1;
        let list = *lists.entry(row.hosts.as_slice()).or_insert(next);
        if list == next {
            let names: Vec<String> = row.hosts.iter().map(|host| quoted(host)).collect();
            let names: Vec<String> = names.chunks(8).map(|line| line.join(", ")).collect();
            add(&mut head, format_args!("static const char *const hosts_{list}[] = {{"));
            add(&mut head, format_args!("    {}}};\n", names.join(",\n    ")));
        }
        let part = format!("ccsched_part_{}", row.number);
        let function = match row.each {
            1 => part.clone(),
            _ => format!("levels_{}", row.number),
        };
        let (parameters, pointers, levels) = match row.kind {
            Kind::Blocks => (BLOCKS, format!("{function}, NULL, NULL, NULL"), LEVELS_BLOCKS),
            Kind::Sums => (SUMS, format!("NULL, {function}, NULL, NULL"), LEVELS_SUMS),
            Kind::Lengths => (LENGTHS, format!("NULL, NULL, {function}, {function}_agree"), ""),
        };
        add(&mut head, format_args!("{}", parameters.replace("FUNCTION", &part)));
        add(&mut head, format_args!("size_t {part}_memory(int count, size_t unit);\n"));
        if row.each > 1 {
            let text = format!("{levels}{LEVELS_MEMORY}").replace("LEVELS", &function);
            let text = text.replace("FUNCTION", &row.function).replace("PART", &part);
            let text = text.replace("EACH", &row.each.to_string());
            add(&mut head, format_args!("{}", text.replace("RANKS", &row.hosts.len().to_string())));
        }
        add(
            &mut lines,
            format_args!(
                "    {{{}, hosts_{list}, {pointers}, {function}_memory, {}}},",
                row.line(),
                u8::from(row.differs)
            ),
        );
    }
    let number = rows.len();
    Ok(format!(
        "/* The schedules of the library. Written by ccsched {VERSION}. */\n\
         #include \"ccsched_coll.h\"\n\n{head}\
         const struct entry ccsched_entries[] = {{\n{lines}}};\n\
         const int ccsched_number = {number};\n\
         /* Steps with barriers do not go with steps without. */\n\
         #ifdef CCSCHED_BARRIER\n\
         const long long ccsched_hash = {hash}LL ^ 1;\n\
         #else\n\
         const long long ccsched_hash = {hash}LL;\n\
         #endif\n"
    ))
}

fn add(out: &mut String, line: std::fmt::Arguments<'_>) {
    out.write_fmt(format_args!("{line}\n")).expect("a string takes any text");
}

/// A string literal of C.
fn quoted(text: &str) -> String {
    let escaped = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | b'?' | 0..=31 | 127.. => format!("\\{byte:03o}"),
        _ => char::from(byte).to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The declarations of the functions.
const BLOCKS: &str = "int FUNCTION(const void *send, void *receive, int bytes, MPI_Comm comm);";
const SUMS: &str = "\
int FUNCTION(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);";
const LENGTHS: &str = "\
int FUNCTION(const void *send, const int sendcounts[], const int sdispls[], void *receive,
             const int recvcounts[], const int rdispls[], MPI_Comm comm);
int FUNCTION_agree(int rank, const int sendcounts[], const int recvcounts[]);";

/// The functions of a schedule of hosts for all ranks.
const LEVELS_BLOCKS: &str = "\
static int LEVELS(const void *send, void *receive, int bytes, MPI_Comm comm)
{
    return ccsched_levels_blocks(FUNCTION, PART, EACH, send, receive, bytes, comm);
}
";
const LEVELS_SUMS: &str = "\
static int LEVELS(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return ccsched_levels_sums(FUNCTION, PART, EACH, send, receive, count, type, op, comm);
}
";
const LEVELS_MEMORY: &str = "
static size_t LEVELS_memory(int count, size_t unit)
{
    return ccsched_levels_memory(FUNCTION, PART_memory, EACH, RANKS, count, unit);
}
";

const MEMORY_OF_BLOCKS: &str = "
size_t FUNCTION_memory(int count, size_t unit);

/* The memory that the function takes, at most of all ranks. */
size_t FUNCTION_memory(int count, size_t unit)
{
    size_t longest = PIECES > 1 ? (size_t)count / (size_t)PIECES + 1 : (size_t)count;

    return CCSCHED_ROOM((REQUESTS + TOKENS + 1) * sizeof(MPI_Request))
        + CCSCHED_ROOM((size_t)SLOTS * longest * unit);
}
";

const MEMORY_OF_SUMS: &str = "
size_t FUNCTION_memory(int count, size_t unit);

/* The memory that the function takes. */
size_t FUNCTION_memory(int count, size_t unit)
{
    size_t longest = (size_t)count / (size_t)(IS_CUT ? BLOCKS : PIECES) + 1;

    return CCSCHED_ROOM((REQUESTS + 1) * sizeof(MPI_Request))
        + CCSCHED_ROOM(first(BLOCKS, count) * unit + 1)
        + CCSCHED_ROOM((size_t)ADDS * longest * unit + 1);
}
";

const MEMORY_OF_LENGTHS: &str = "
size_t FUNCTION_memory(int count, size_t unit);
int FUNCTION_agree(int rank, const int sendcounts[], const int recvcounts[]);

/* The memory that the function takes, at most of all ranks. */
size_t FUNCTION_memory(int count, size_t unit)
{
    (void)count, (void)unit;
    return CCSCHED_ROOM(REQUESTS * sizeof(MPI_Request));
}

int FUNCTION_agree(int rank, const int sendcounts[], const int recvcounts[])
{
    return agree(rank, sendcounts, recvcounts);
}
";
