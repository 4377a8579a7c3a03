//! A traffic whose messages have lengths, as a function like MPI_Alltoallv. The lengths are those of the
//! schedule, and the function checks that the caller's are the same. Operations have a start and an end: in
//! steps their step and the next one, in a timed schedule instants. A rank begins an operation when all its
//! own that end before are complete.

use crate::export::Subject;
use crate::export::ranks::Ranks;
use ccsched_base::{Error, Result};
use ccsched_network::VertexId;
use std::collections::HashMap;
use std::fmt::Write;

/// A send or a receive of a rank: a part of its block for, or from, the other rank.
struct Operation {
    start: u64,
    end: u64,
    peer: usize,
    receives: bool,
    offset: u64,
    bytes: u64,
}

/// The text of the file.
///
/// # Errors
/// More bytes between two ranks than MPI counts.
pub(super) fn text(subject: &Subject, ranks: &Ranks) -> Result<String> {
    let blocks = blocks(subject);
    if let Some((&(from, to), _)) = blocks.iter().find(|(_, b)| **b > i32::MAX as u64) {
        let [from, to] = [from, to].map(|v| subject.name(v));
        let why = format!(
            "mpi-c: more than 2^31 - 1 bytes from '{from}' to '{to}', which MPI does not count"
        );
        return Err(Error::problem(why));
    }
    let mut out = super::head(subject, ranks, ABOUT);
    let mut line = |text: std::fmt::Arguments<'_>| {
        out.write_fmt(format_args!("{text}\n")).expect("a string takes any text");
    };
    let operations = operations(subject, ranks);
    let requests = super::most(&operations, |_, _| true);
    line(format_args!("enum {{ RANKS = {}, REQUESTS = {requests} }};\n", ranks.len()));
    line(format_args!("{OPERATION}"));
    line(format_args!("static const struct operation operations[] = {{"));
    for (rank, list) in operations.iter().enumerate() {
        line(format_args!("    /* rank {rank} */"));
        for o in list {
            let Operation { start, end, peer, offset, bytes, .. } = o;
            let receives = u8::from(o.receives);
            line(format_args!(
                "    {{{start}ULL, {end}ULL, {peer}, {receives}, {offset}, {bytes}}},"
            ));
        }
    }
    line(format_args!("    {{0, 0, 0, 0, 0, 0}}\n}};\n"));
    line(format_args!("{}", super::starts("starts", "operation", &operations)));
    Ok(out + &super::body(BODY, "ccsched_alltoallv"))
}

/// By source and destination, the bytes of all their messages.
fn blocks(subject: &Subject) -> HashMap<(VertexId, VertexId), u64> {
    let mut blocks = HashMap::new();
    for step in 0..subject.steps() {
        for t in subject.step(step) {
            *blocks.entry((t.from, t.to)).or_default() += t.bytes.unwrap_or(0);
        }
    }
    blocks
}

/// By rank, its operations by start. The messages of a pair have their places in its block by copy.
fn operations(subject: &Subject, ranks: &Ranks) -> Vec<Vec<Operation>> {
    let mut transfers: Vec<_> = (0..subject.steps())
        .flat_map(|step| subject.step(step).map(move |t| (step as u64, t)))
        .map(|(step, t)| match (t.at, t.bytes.unwrap_or(0)) {
            (Some(at), bytes) => (at, at + bytes, t),
            (None, _) => (step, step + 1, t),
        })
        .collect();
    transfers.sort_by_key(|(.., t)| (t.from, t.to, t.message.copy));
    let mut all: Vec<Vec<Operation>> = (0..ranks.len()).map(|_| Vec::new()).collect();
    for of_pair in transfers.chunk_by(|a, b| (a.2.from, a.2.to) == (b.2.from, b.2.to)) {
        let mut offset = 0;
        for &(start, end, t) in of_pair {
            let bytes = t.bytes.unwrap_or(0);
            let [from, to] = [t.from, t.to].map(|v| ranks.of_vertex(v));
            for (rank, peer, receives) in [(from, to, false), (to, from, true)] {
                all[rank].push(Operation { start, end, peer, receives, offset, bytes });
            }
            offset += bytes;
        }
    }
    // Both ends of a pair post its messages in the same order, so that one tag is enough.
    all.iter_mut().for_each(|list| list.sort_by_key(|o| (o.start, o.end, o.offset)));
    all
}

const ABOUT: &str = "\
 * int ccsched_alltoallv(const void *send, const int sendcounts[], const int sdispls[],
 *                       void *receive, const int recvcounts[], const int rdispls[], MPI_Comm comm)
 *   as MPI_Alltoallv with the type MPI_BYTE: counts and displacements in bytes, by rank. The counts must
 *   be those of the schedule, else the result is MPI_ERR_COUNT; the own block is copied.
 *   comm      as many ranks as listed below, each on its vertex
 * returns MPI_SUCCESS or an error class of MPI. The buffers must not overlap. Messages have the tag
 * CCSCHED_TAG.";

const OPERATION: &str = "\
struct operation {
    unsigned long long start; /* a step, or an instant */
    unsigned long long end;
    int peer;                 /* the other rank */
    int receives;             /* 0: sends */
    int offset;               /* in the block for, or from, the other rank */
    int bytes;
};
";

const BODY: &str = "\
int ccsched_alltoallv(const void *send, const int sendcounts[], const int sdispls[], void *receive,
                      const int recvcounts[], const int rdispls[], MPI_Comm comm);

/* Whether the counts are those of the schedule. */
static int agree(int rank, const int sendcounts[], const int recvcounts[])
{
    long long sent[RANKS] = {0}, received[RANKS] = {0};

    for (int at = starts[rank]; at < starts[rank + 1]; at++)
        (operations[at].receives ? received : sent)[operations[at].peer] += operations[at].bytes;
    for (int peer = 0; peer < RANKS; peer++)
        if (peer == rank ? sendcounts[peer] != recvcounts[peer]
                         : sendcounts[peer] != sent[peer] || recvcounts[peer] != received[peer])
            return 0;
    return 1;
}

int ccsched_alltoallv(const void *send, const int sendcounts[], const int sdispls[], void *receive,
                      const int recvcounts[], const int rdispls[], MPI_Comm comm)
{
    int rank, size, number, error;
    MPI_Request *requests = NULL;

    RANK_AND_SIZE
    if (!agree(rank, sendcounts, recvcounts))
        return MPI_ERR_COUNT;
    if (sendcounts[rank] > 0)
        memcpy((char *)receive + rdispls[rank], (const char *)send + sdispls[rank],
               (size_t)sendcounts[rank]);
    number = starts[rank + 1] - starts[rank];
    if (number == 0)
        return MPI_SUCCESS;
    requests = malloc((size_t)REQUESTS * sizeof *requests);
    if (requests == NULL)
        return MPI_ERR_NO_MEM;
    for (int at = 0; at < number && error == MPI_SUCCESS; at++) {
        const struct operation *o = &operations[starts[rank] + at];
        for (int before = 0; before < at && error == MPI_SUCCESS; before++)
            if (operations[starts[rank] + before].end <= o->start)
                error = MPI_Wait(&requests[before], MPI_STATUS_IGNORE);
        if (error != MPI_SUCCESS)
            break;
        if (o->receives)
            error = MPI_Irecv((char *)receive + rdispls[o->peer] + o->offset, o->bytes, MPI_BYTE,
                              o->peer, CCSCHED_TAG, comm, &requests[at]);
        else
            error = MPI_Isend((const char *)send + sdispls[o->peer] + o->offset, o->bytes, MPI_BYTE,
                              o->peer, CCSCHED_TAG, comm, &requests[at]);
    }
    if (error == MPI_SUCCESS)
        error = MPI_Waitall(number, requests, MPI_STATUSES_IGNORE);
    if (error != MPI_SUCCESS) /* transfers may still be under way */
        return error;
    free(requests);
    return MPI_SUCCESS;
}
";
