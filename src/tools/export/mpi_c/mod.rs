//! A collective as one C file for MPI: a table of the sends and receives of every rank, step by step,
//! and a function that runs through it. Ranks are the processes in the order of the schedule. Without a
//! barrier a rank begins a step when its own transfers of the step before are complete, and, of a
//! collective that computes nothing, when those that held its links have ended.

mod lengths;
mod places;
mod signals;
mod sums;
mod tokens;

use super::ranks::Ranks;
use super::{Output, Settings, Subject};
use ccsched_base::{Error, Result};
use ccsched_model::problem::{Collective, Function, Joining, Roots};
use ccsched_model::schedule::printable::printable;
use places::{BufferBlock, Places};
use std::fmt::Write;

/// A send or a receive of a rank.
struct Operation {
    step: usize,
    peer: usize,
    receives: bool,
    place: BufferBlock,
    piece: u32,
}

/// Writes a schedule.
pub(super) fn write(subject: &Subject, _: &Settings) -> Result<Output> {
    let problem = &subject.problem;
    if problem.groups().is_some() && problem.pieces() > 1 {
        return Err(Error::problem("mpi-c: groups side by side are written with whole messages"));
    }
    let ranks = Ranks::of_processes(subject, "mpi-c")?;
    if i32::try_from(ranks.len()).is_err() {
        return Err(Error::problem("mpi-c: an MPI job has fewer than 2^31 ranks"));
    }
    if problem.lengths().is_some() {
        if problem.switching().stores() {
            let why =
                "lengths are for wormhole schedules; leave the column bytes out of the traffic";
            return Err(Error::problem(format!("mpi-c: {why}")));
        }
        if problem.groups().is_some() {
            let why = "groups with a broadcast among them are written with messages of one length";
            return Err(Error::problem(format!("mpi-c: {why}; leave bytes=N out of them")));
        }
        return lengths::text(subject, &ranks).map(Output::File);
    }
    let collective = problem.collective();
    if collective.joining() == Joining::Signal {
        return Ok(Output::File(signals::text(subject, &ranks)));
    }
    if collective.has_sums() || collective.joining() == Joining::Sum {
        return Ok(Output::File(sums::text(subject, &ranks)));
    }
    let mut places = Places::of(subject, &ranks);
    let operations = operations(subject, &ranks, &mut places);
    Ok(Output::File(text(subject, &ranks, &places, &operations)))
}

/// By rank, its sends and receives in their order. Messages of a pair of ranks are sent and received
/// in the same order, so that one tag is enough.
fn operations(subject: &Subject, ranks: &Ranks, places: &mut Places) -> Vec<Vec<Operation>> {
    let mut all: Vec<Vec<Operation>> = (0..ranks.len()).map(|_| Vec::new()).collect();
    for step in 0..subject.steps() {
        places.begin_step();
        let mut sends = Vec::with_capacity(subject.step(step).len());
        for t in subject.step(step) {
            let [from, to] = [t.from, t.to].map(|v| ranks.of_vertex(v));
            let place = places.sent(from, &t);
            let piece = t.message.piece;
            sends.push((from, Operation { step, peer: to, receives: false, place, piece }));
        }
        for t in subject.step(step) {
            let [from, to] = [t.from, t.to].map(|v| ranks.of_vertex(v));
            let place = places.received(to, &t);
            let piece = t.message.piece;
            all[to].push(Operation { step, peer: from, receives: true, place, piece });
        }
        // Receives are posted while tokens are waited for.
        sends.into_iter().for_each(|(from, send)| all[from].push(send));
    }
    all
}

/// The name of the function.
fn function(collective: Collective) -> String {
    format!("ccsched_{}", collective.function().name)
}

fn text(
    subject: &Subject,
    ranks: &Ranks,
    places: &Places,
    operations: &[Vec<Operation>],
) -> String {
    let function = function(subject.problem.collective());
    let mut out = head(subject, ranks, &about(subject.problem.collective()));
    let mut line = |text: std::fmt::Arguments<'_>| {
        out.write_fmt(format_args!("{text}\n")).expect("a string takes any text");
    };
    let (ranks_in_all, steps, pieces) = (ranks.len(), subject.steps(), subject.problem.pieces());
    let requests = most(operations, |a, b| a.step == b.step);
    let slots = places.slots.iter().max().copied().unwrap_or(0);
    line(format_args!("enum {{ RANKS = {ranks_in_all}, STEPS = {steps}, PIECES = {pieces} }};"));
    line(format_args!("/* At most, operations of a rank in a step, and blocks that it keeps. */"));
    line(format_args!("enum {{ REQUESTS = {requests}, SLOTS = {slots} }};"));
    let tokens = tokens::tokens(subject, ranks);
    let sent = |list: &Vec<tokens::Token>| list.iter().filter(|t| !t.receives).count();
    let sent = tokens.iter().map(sent).max().unwrap_or(0);
    line(format_args!("/* At most, tokens that a rank sends. */\nenum {{ TOKENS = {sent} }};\n"));
    line(format_args!("{}", OPERATION));
    line(format_args!("static const struct operation operations[] = {{"));
    for (rank, list) in operations.iter().enumerate() {
        line(format_args!("    /* rank {rank} */"));
        for o in list {
            let (buffer, block) = match o.place {
                BufferBlock::Send(block) => ("SEND", block),
                BufferBlock::Receive(block) => ("RECEIVE", block),
                BufferBlock::Slot(block) => ("SLOT", block),
            };
            let (step, peer, receives, piece) = (o.step, o.peer, u8::from(o.receives), o.piece);
            line(format_args!("    {{{step}, {peer}, {receives}, {buffer}, {block}, {piece}}},"));
        }
    }
    line(format_args!("    {{STEPS, 0, 0, SEND, 0, 0}}\n}};\n"));
    line(format_args!("{}", starts("starts", "operation", operations)));
    line(format_args!("{}", TOKEN));
    line(format_args!("static const struct token tokens[] = {{"));
    for (rank, list) in tokens.iter().enumerate() {
        line(format_args!("    /* rank {rank} */"));
        for t in list {
            line(format_args!("    {{{}, {}, {}}},", t.step, t.peer, u8::from(t.receives)));
        }
    }
    line(format_args!("    {{STEPS, 0, 0}}\n}};\n"));
    line(format_args!("{}", starts("token_starts", "token", &tokens)));
    line(format_args!("/* By rank, the blocks that it keeps for other ranks. */"));
    line(format_args!("static const int slots[RANKS] = {{{}}};\n", joined(&places.slots)));
    let own = ranks.vertices.iter().map(|&v| places.own(subject, v));
    let own: Vec<String> = own.map(|[from, to]| format!("{{{from}, {to}}}")).collect();
    line(format_args!(
        "/* By rank, the block of its own message to itself in both buffers; -1: none. */"
    ));
    line(format_args!("static const int own[RANKS][2] = {{{}}};\n", joined(&own)));
    out + &body(BODY, &function)
}

/// The comment at the top, which says what the function does and lists the ranks, and the includes.
fn head(subject: &Subject, ranks: &Ranks, about: &str) -> String {
    let (title, root) = (comment(&subject.title()), root(subject, ranks));
    let mut out = format!(
        "/* {title}. Written by ccsched {VERSION}.\n *\n{about}\n *\n * Rank: vertex{root}\n"
    );
    for (rank, &v) in ranks.vertices.iter().enumerate() {
        out += &format!(" *   {rank}: {}\n", comment(subject.name(v)));
    }
    out + " */\n" + INCLUDES + "\n"
}

/// A function with its name and the lines that all begin with.
fn body(text: &str, function: &str) -> String {
    text.replace("FUNCTION", function).replace("    RANK_AND_SIZE\n", RANK_AND_SIZE)
}

/// By rank, where its operations, or what else a table has, start in the table of all.
fn starts<T>(name: &str, of: &str, operations: &[Vec<T>]) -> String {
    let ends = operations.iter().scan(0, |sum, list| {
        *sum += list.len();
        Some(*sum)
    });
    let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
    format!(
        "/* By rank, its first {of}; its last one is before that of the next. */\n\
         static const int {name}[RANKS + 1] = {{{}}};\n",
        joined(&starts)
    )
}

/// The most operations of a rank that are under way together: neighbours that are `same`.
fn most<T>(operations: &[Vec<T>], same: fn(&T, &T) -> bool) -> usize {
    operations.iter().flat_map(|list| list.chunk_by(same)).map(<[T]>::len).max().unwrap_or(0)
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The root, for the list of ranks.
fn root(subject: &Subject, ranks: &Ranks) -> String {
    let is_rooted = subject.problem.collective().roots() == Roots::One;
    let root = subject.problem.root().filter(|_| is_rooted);
    root.map_or(String::new(), |v| format!(" (the root is rank {})", ranks.of_vertex(v)))
}

/// A text inside a comment.
fn comment(text: &str) -> String {
    printable(text).replace("*/", "* /").replace("/*", "/ *")
}

/// Items in lines of 20.
fn joined<T: ToString>(items: &[T]) -> String {
    let words: Vec<String> = items.iter().map(T::to_string).collect();
    words.chunks(20).map(|line| line.join(", ")).collect::<Vec<_>>().join(",\n    ")
}

// The parts of the C file that do not depend on the schedule.

/// The function and its arguments, for the comment at the top.
fn about(collective: Collective) -> String {
    let Function { name, send, receive } = collective.function();
    format!(
        " * int ccsched_{name}(const void *send, void *receive, int bytes, MPI_Comm comm)\n\
         \x20*   send      {send}\n\
         \x20*   receive   {receive}\n\
         \x20*   bytes     the length of a block\n\
         \x20*   comm      as many ranks as listed below, each on its vertex\n\
         \x20* returns MPI_SUCCESS or an error class of MPI. The buffers must not overlap, but the own block\n\
         \x20* may be the same in both. Blocks of ranks that take no part are not touched. Messages have\n\
         \x20* the tag CCSCHED_TAG.\n\
         \x20* With -DCCSCHED_BARRIER every step begins with a barrier.\n\
         \x20* From CCSCHED_TOKEN_BYTES bytes on messages wait for those that held their links."
    )
}

/// Before the tables.
const INCLUDES: &str = "\
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#ifndef CCSCHED_TAG
#define CCSCHED_TAG 20011
#endif
";

/// The type of the table.
const OPERATION: &str = "\
enum buffer { SEND, RECEIVE, SLOT };

struct operation {
    int step;           /* from 0 */
    int peer;           /* the other rank */
    int receives;       /* 0: sends */
    enum buffer buffer; /* where the message is, or goes */
    int block;
    int piece; /* of the message, from 0 */
};
";

/// The type of the table of tokens.
const TOKEN: &str = "\
#ifndef CCSCHED_TOKEN_BYTES
#define CCSCHED_TOKEN_BYTES 32768 /* shorter messages wait for no tokens */
#endif

/* Empty messages, with the tag CCSCHED_TAG + 1: a send waits until the transfers that held its links
 * have ended. Those of a step are received before its sends, and sent after its receives. */
struct token {
    int step;
    int peer;
    int receives; /* 0: sends */
};
";

/// What functions begin with.
const RANK_AND_SIZE: &str = "    error = MPI_Comm_rank(comm, &rank);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_size(comm, &size);
    if (error != MPI_SUCCESS)
        return error;
    if (size != RANKS)
        return MPI_ERR_COMM;
";

/// The function.
const BODY: &str = "\
int FUNCTION(const void *send, void *receive, int bytes, MPI_Comm comm);

/* The first byte of a piece; blocks have PIECES pieces. */
static size_t first(int piece, int bytes)
{
    return (size_t)(piece / PIECES) * (size_t)bytes
        + (size_t)((long long)(piece % PIECES) * bytes / PIECES);
}

/* Receives the tokens of a step, from the next one on. */
static int await_tokens(int step, int *next, int end, MPI_Comm comm)
{
    int error = MPI_SUCCESS;

    for (; error == MPI_SUCCESS && *next < end && tokens[*next].step == step && tokens[*next].receives; ++*next)
        error = MPI_Recv(NULL, 0, MPI_BYTE, tokens[*next].peer, CCSCHED_TAG + 1, comm, MPI_STATUS_IGNORE);
    return error;
}

int FUNCTION(const void *send, void *receive, int bytes, MPI_Comm comm)
{
    int rank, size, step, at, last, token, told = 0, error;
    size_t length, longest;
    char *memory = NULL;
    MPI_Request *requests = NULL;

    RANK_AND_SIZE
    if (bytes < 0)
        return MPI_ERR_COUNT;
    length = (size_t)bytes;
    longest = PIECES > 1 ? length / (size_t)PIECES + 1 : length;
    at = starts[rank];
    last = starts[rank + 1];
    token = token_starts[longest < CCSCHED_TOKEN_BYTES ? rank + 1 : rank];
    requests = malloc((size_t)(REQUESTS + TOKENS + 1) * sizeof *requests);
    if (slots[rank] > 0 && bytes > 0)
        memory = malloc((size_t)slots[rank] * longest);
    if (requests == NULL || (slots[rank] > 0 && bytes > 0 && memory == NULL)) {
        free(requests);
        free(memory);
        return MPI_ERR_NO_MEM;
    }
    if (own[rank][0] >= 0 && bytes > 0) {
        char *into = (char *)receive + (size_t)own[rank][1] * length;
        const char *from = (const char *)send + (size_t)own[rank][0] * length;
        if (into != from)
            memcpy(into, from, length);
    }
    for (step = 0; step < STEPS && error == MPI_SUCCESS; step++) {
        int begun = 0, received = 0;
#ifdef CCSCHED_BARRIER
        error = MPI_Barrier(comm);
#endif
        for (; error == MPI_SUCCESS && at < last && operations[at].step == step; at++) {
            const struct operation *o = &operations[at];
            size_t offset = o->buffer == SLOT ? (size_t)o->block * longest : first(o->block, bytes);
            int part = (int)(first(o->piece + 1, bytes) - first(o->piece, bytes));
            if (o->receives) {
                char *into = o->buffer == SLOT ? memory : receive;
                error = MPI_Irecv(bytes ? into + offset : NULL, part, MPI_BYTE, o->peer, CCSCHED_TAG,
                                  comm, &requests[begun]);
                received++;
            } else {
                const char *from = o->buffer == SEND      ? send
                                   : o->buffer == RECEIVE ? receive
                                                          : memory;
                error = await_tokens(step, &token, token_starts[rank + 1], comm);
                if (error == MPI_SUCCESS)
                    error = MPI_Isend(bytes ? from + offset : NULL, part, MPI_BYTE, o->peer,
                                      CCSCHED_TAG, comm, &requests[begun]);
            }
            if (error == MPI_SUCCESS)
                begun++;
        }
        if (error == MPI_SUCCESS)
            error = MPI_Waitall(received, requests, MPI_STATUSES_IGNORE);
        for (; error == MPI_SUCCESS && token < token_starts[rank + 1] && tokens[token].step == step; token++)
            error = MPI_Isend(NULL, 0, MPI_BYTE, tokens[token].peer, CCSCHED_TAG + 1, comm,
                              &requests[REQUESTS + told++]);
        if (error == MPI_SUCCESS)
            error = MPI_Waitall(begun - received, requests + received, MPI_STATUSES_IGNORE);
    }
    if (error == MPI_SUCCESS)
        error = MPI_Waitall(told, requests + REQUESTS, MPI_STATUSES_IGNORE);
    if (error != MPI_SUCCESS) /* transfers may still be under way in this memory */
        return error;
    free(requests);
    free(memory);
    return MPI_SUCCESS;
}
";
