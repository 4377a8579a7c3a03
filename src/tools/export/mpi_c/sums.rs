//! Collectives that compute, as one C file for MPI. Every rank has a block for each sum, at first its
//! own contribution. A send reads the block; a receive adds to it, or fills it where the rank holds
//! nothing, or gets the complete sum. Where two ranks exchange what they hold, both take the block of the
//! lower rank first, so that they get the same bits of any operation. An all-reduce of one part has blocks for whole vectors (`whole`).

use super::{body, head, joined, most, starts};
use crate::export::ranks::Ranks;
use crate::export::{Subject, Transfer};
use ccsched_model::problem::{Collective, Function, Message, Phase};
use ccsched_model::schedule::vectors;
use ccsched_model::schedule::vectors::{Acts, have_one_order};
use std::collections::HashSet;
use std::fmt::Write;

/// The operations of all ranks in their blocks.
struct Table {
    operations: Vec<Vec<Operation>>,
    /// The blocks of a rank, and those that its contribution fills.
    blocks: [usize; 2],
    /// By rank, the first block of its result.
    results: Vec<usize>,
    /// Whether all ranks that get a sum add it up in one order.
    has_one_order: bool,
}

/// The file.
pub(super) fn text(subject: &Subject, ranks: &Ranks) -> String {
    let collective = subject.problem.collective();
    let function = super::function(collective);
    let Table { operations, blocks: [blocks, input], results, has_one_order } =
        table(subject, ranks);
    let mut out = head(subject, ranks, &about(collective, has_one_order));
    let mut line = |text: std::fmt::Arguments<'_>| {
        out.write_fmt(format_args!("{text}\n")).expect("a string takes any text");
    };
    let pieces = subject.problem.pieces() as usize;
    let is_cut = u8::from(collective.is_all_reduce());
    line(format_args!(
        "enum {{ RANKS = {}, STEPS = {}, PIECES = {pieces}, BLOCKS = {blocks}, INPUT = {input}, \
         IS_CUT = {is_cut} }};",
        ranks.len(),
        subject.steps()
    ));
    let requests = most(&operations, |a, b| a.0 == b.0);
    let adds = operations.iter().flat_map(|list| list.chunk_by(|a, b| a.0 == b.0));
    let adds =
        adds.map(|step| step.iter().filter(|o| matches!(o.2, Act::Add | Act::Append)).count());
    line(format_args!("/* At most, operations of a rank in a step, and sums among them. */"));
    line(format_args!("enum {{ REQUESTS = {requests}, ADDS = {} }};\n", adds.max().unwrap_or(0)));
    line(format_args!("{OPERATION}"));
    line(format_args!("static const struct operation operations[] = {{"));
    for (rank, list) in operations.iter().enumerate() {
        line(format_args!("    /* rank {rank} */"));
        for &(step, peer, act, block) in list {
            let act = match act {
                Act::Send => "SEND",
                Act::Add => "ADD",
                Act::Append => "APPEND",
                Act::Put => "PUT",
                Act::Copy => "COPY",
                Act::Join => "JOIN",
            };
            line(format_args!("    {{{step}, {peer}, {act}, {block}}},"));
        }
    }
    line(format_args!("    {{STEPS, 0, SEND, 0}}\n}};\n"));
    line(format_args!("{}", starts("starts", "operation", &operations)));
    let [senders, receivers] = subject.problem.asked_ends();
    let marks: Vec<u8> = ranks.vertices.iter().map(|v| u8::from(senders.contains(v))).collect();
    line(format_args!("/* By rank, whether it contributes. */"));
    line(format_args!("static const char contributes[RANKS] = {{{}}};\n", joined(&marks)));
    let gets = ranks.vertices.iter().map(|v| receivers.contains(v));
    let results: Vec<i64> = results
        .iter()
        .zip(gets)
        .map(|(&block, gets)| if gets { block as i64 } else { -1 })
        .collect();
    line(format_args!("/* By rank, the first block of its result; -1: it gets none. */"));
    line(format_args!("static const int results[RANKS] = {{{}}};\n", joined(&results)));
    out + &body(BODY, &function)
}

/// The operations of all ranks.
fn table(subject: &Subject, ranks: &Ranks) -> Table {
    let (collective, pieces) = (subject.problem.collective(), subject.problem.pieces() as usize);
    if collective.joins() {
        let acts = |piece: usize| ranks.vectors_in_one_order(subject, piece as u32);
        let acts: Vec<Vec<Acts>> = (0..pieces).map(acts).collect();
        let of_rank = |rank: usize| {
            let of_pieces = acts.iter().map(|acts| Turns::of(&acts[rank])).collect();
            Turns::of_pieces(of_pieces, subject.steps())
        };
        let turns: Vec<Turns> = (0..ranks.len()).map(of_rank).collect();
        let blocks = turns.iter().map(|of| of.blocks).max().unwrap_or(pieces);
        let results = turns.iter().map(|of| of.result).collect();
        let operations = turns.into_iter().map(|of| of.operations).collect();
        let has_one_order = acts.iter().all(|acts| have_one_order(acts));
        return Table { operations, blocks: [blocks, pieces], results, has_one_order };
    }
    let blocks = pieces * if collective == Collective::Reduce { 1 } else { ranks.len() };
    let own = |rank| if collective == Collective::ReduceScatter { rank * pieces } else { 0 };
    let results = (0..ranks.len()).map(own).collect();
    let (operations, blocks) = (operations(subject, ranks), [blocks, blocks]);
    Table { operations, blocks, results, has_one_order: true }
}

/// By rank, its operations in their order.
fn operations(subject: &Subject, ranks: &Ranks) -> Vec<Vec<Operation>> {
    let problem = &subject.problem;
    let pieces = problem.pieces() as usize;
    let block = |sum: Message| {
        let whole = match problem.collective() {
            Collective::Reduce => 0,
            _ => ranks.of_vertex(sum.origin),
        };
        whole * pieces + sum.piece as usize
    };
    // By rank and block, whether it holds something of the sum.
    let mut holds = vec![vec![false; ranks.len() * pieces]; ranks.len()];
    for &v in problem.asked_ends()[0] {
        holds[ranks.of_vertex(v)].fill(true);
    }
    let mut all: Vec<Vec<_>> = (0..ranks.len()).map(|_| Vec::new()).collect();
    for step in 0..subject.steps() {
        let ends = |t: &Transfer| [t.from, t.to].map(|v| ranks.of_vertex(v));
        for t in subject.step(step) {
            let [from, to] = ends(&t);
            all[from].push((step, to, Act::Send, block(t.message)));
        }
        let reduces = |t: &Transfer| t.message.phase != Some(Phase::Gather);
        let handed: HashSet<_> =
            subject.step(step).filter(reduces).map(|t| (t.message, t.from, t.to)).collect();
        let is_exchanged = |t: &Transfer| handed.contains(&(t.message, t.to, t.from));
        for t in subject.step(step) {
            let ([from, to], block) = (ends(&t), block(t.message));
            let act = match (holds[to][block] && reduces(&t), is_exchanged(&t) && to < from) {
                (true, true) => Act::Append,
                (true, false) => Act::Add,
                (false, _) => Act::Put,
            };
            holds[to][block] = true;
            all[to].push((step, from, act, block));
        }
        // What two ranks exchange they keep.
        for t in subject.step(step).filter(|t| reduces(t) && !is_exchanged(t)) {
            holds[ranks.of_vertex(t.from)][block(t.message)] = false;
        }
    }
    all
}

fn about(collective: Collective, has_one_order: bool) -> String {
    let Function { name, send, receive } = collective.function();
    let count = match collective {
        Collective::ReduceScatter => "the elements of a block",
        _ => "the elements of the vector",
    };
    let order = match (collective.is_all_reduce() || collective.joins(), has_one_order) {
        (false, _) => "",
        (true, true) => " *             All ranks get the same bits.\n",
        (true, false) => {
            " *             Ranks add in different orders: where sums depend on it, as those of floating-point\n\
             \x20*             numbers do, results differ between ranks.\n"
        }
    };
    format!(
        " * int ccsched_{name}(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,\n\
         \x20*     MPI_Comm comm)\n\
         \x20*   send      {send}\n\
         \x20*   receive   {receive}\n\
         \x20*   count     {count}\n\
         \x20*   type, op  predefined ones; op is commutative, and the order of sums is that of the schedule\n\
         {order} *   comm      as many ranks as listed below, each on its vertex\n\
         \x20* returns MPI_SUCCESS or an error class of MPI. The buffers must not overlap. Messages have\n\
         \x20* the tag CCSCHED_TAG. With -DCCSCHED_BARRIER every step begins with a barrier."
    )
}

/// The type of the table.
const OPERATION: &str = "\
/* ADD takes what is received before the block, APPEND behind it; JOIN takes the other block before it. */
enum act { SEND, ADD, APPEND, PUT, COPY, JOIN };

struct operation {
    int step; /* from 0; STEPS after the last one */
    int peer; /* the other rank; COPY and JOIN: the other block */
    enum act act;
    int block;
};
";

/// The function.
const BODY: &str = "\
int FUNCTION(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

/* The first element of a block; if the vector is not cut into blocks, a block is a piece. */
static size_t first(int block, int count)
{
    if (IS_CUT)
        return (size_t)((long long)block * count / BLOCKS);
    return (size_t)(block / PIECES) * (size_t)count
        + (size_t)((long long)(block % PIECES) * count / PIECES);
}

static int elements(int block, int count)
{
    return (int)(first(block + 1, count) - first(block, count));
}

int FUNCTION(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rank, size, at, last, error;
    MPI_Aint low, extent;
    size_t unit, longest, room;
    char *work = NULL, *scratch = NULL;
    MPI_Request *requests = NULL;

    RANK_AND_SIZE
    error = MPI_Type_get_extent(type, &low, &extent);
    if (error != MPI_SUCCESS)
        return error;
    if (count < 0)
        return MPI_ERR_COUNT;
    unit = (size_t)extent;
    longest = (size_t)count / (size_t)(IS_CUT ? BLOCKS : PIECES) + 1;
    at = starts[rank];
    last = starts[rank + 1];
    room = first(BLOCKS, count) * unit;
    requests = malloc((size_t)(REQUESTS + 1) * sizeof *requests);
    work = malloc(room + 1);
    scratch = malloc((size_t)ADDS * longest * unit + 1);
    if (requests == NULL || work == NULL || scratch == NULL) {
        free(requests);
        free(work);
        free(scratch);
        return MPI_ERR_NO_MEM;
    }
    if (contributes[rank] && room > 0)
        memcpy(work, send, first(INPUT, count) * unit);
    for (int step = 0; step <= STEPS && error == MPI_SUCCESS; step++) {
        int begun = 0, added = 0, begin = at;
#ifdef CCSCHED_BARRIER
        if (step < STEPS)
            error = MPI_Barrier(comm);
#endif
        for (; error == MPI_SUCCESS && at < last && operations[at].step == step; at++) {
            const struct operation *o = &operations[at];
            char *block = work + first(o->block, count) * unit;
            int length = elements(o->block, count);
            if (o->act == COPY) {
                memcpy(block, work + first(o->peer, count) * unit, (size_t)length * unit);
                continue;
            }
            if (o->act == JOIN) {
                error = MPI_Reduce_local(work + first(o->peer, count) * unit, block, length, type, op);
                continue;
            }
            if (o->act == SEND) {
                error = MPI_Isend(block, length, type, o->peer, CCSCHED_TAG, comm, &requests[begun]);
            } else {
                if (o->act == ADD || o->act == APPEND)
                    block = scratch + (size_t)added++ * longest * unit;
                error = MPI_Irecv(block, length, type, o->peer, CCSCHED_TAG, comm, &requests[begun]);
            }
            if (error == MPI_SUCCESS)
                begun++;
        }
        if (error == MPI_SUCCESS)
            error = MPI_Waitall(begun, requests, MPI_STATUSES_IGNORE);
        added = 0;
        for (int done = begin; error == MPI_SUCCESS && done < at; done++) {
            const struct operation *o = &operations[done];
            char *block = work + first(o->block, count) * unit, *other;
            int length = elements(o->block, count);
            if (o->act != ADD && o->act != APPEND)
                continue;
            other = scratch + (size_t)added++ * longest * unit;
            if (o->act == ADD) {
                error = MPI_Reduce_local(other, block, length, type, op);
            } else {
                error = MPI_Reduce_local(block, other, length, type, op);
                memcpy(block, other, (size_t)length * unit);
            }
        }
    }
    if (error != MPI_SUCCESS) /* transfers may still be under way in this memory */
        return error;
    if (results[rank] >= 0 && count > 0)
        memcpy(receive, work + first(results[rank], count) * unit, (size_t)count * unit);
    free(requests);
    free(work);
    free(scratch);
    return MPI_SUCCESS;
}
";

// An all-reduce of one part in C: the vectors of a rank take turns in few blocks of memory. A vector
// leaves its block when it is added for the last time, or after the step that sends it for the last
// time.

/// What a rank does in a step: send, receive and add, receive in place, copy a block, join another block
/// to a block. The other operand is the first of a sum, but of `Append` the second.
#[derive(Clone, Copy)]
enum Act {
    Send,
    Add,
    Append,
    Put,
    Copy,
    Join,
}

/// A step, the other rank (or the other block), what is done, and the block.
type Operation = (usize, usize, Act, usize);

/// What one rank does.
struct Turns {
    operations: Vec<Operation>,
    /// The number of blocks. The first has the own contribution at the beginning.
    blocks: usize,
    /// The block of the result.
    result: usize,
}

impl Turns {
    /// The operations of a rank.
    fn of(acts: &Acts) -> Self {
        // By vector, how often it is read from now on.
        let mut left = vec![0; acts.newest.len()];
        left[acts.result] += 1;
        for (_, act) in &acts.acts {
            match *act {
                vectors::Act::Add { of, .. } => of.iter().for_each(|&v| left[v] += 1),
                vectors::Act::Send { vector, .. } => left[vector] += 1,
                vectors::Act::Receive { .. } => (),
            }
        }
        let mut turns = Turns { operations: Vec::new(), blocks: 1, result: 0 };
        let (mut block_of, mut free) = (vec![0; left.len()], Vec::new());
        for of_step in acts.acts.chunk_by(|a, b| a.0 == b.0) {
            let mut freed = Vec::new();
            for &(step, act) in of_step {
                match act {
                    vectors::Act::Add { of: [a, b], into } => {
                        [a, b].iter().for_each(|&v| left[v] -= 1);
                        // All ranks that make this sum take its operands in one order.
                        let is_in_order = acts.first[a] < acts.first[b];
                        let [first, second] = if is_in_order { [a, b] } else { [b, a] };
                        let [from, mut block] = [first, second].map(|v| block_of[v]);
                        if left[second] > 0 {
                            let copied = block;
                            block = turns.take(&mut free);
                            turns.operations.push((step, copied, Act::Copy, block));
                        }
                        turns.operations.push((step, from, Act::Join, block));
                        if left[first] == 0 {
                            free.push(from);
                        }
                        block_of[into] = block;
                    }
                    vectors::Act::Send { to, vector, .. } => {
                        left[vector] -= 1;
                        turns.operations.push((step, to, Act::Send, block_of[vector]));
                        if left[vector] == 0 {
                            freed.push(block_of[vector]);
                        }
                    }
                    vectors::Act::Receive { from, into, .. } => {
                        let block = turns.take(&mut free);
                        turns.operations.push((step, from, Act::Put, block));
                        block_of[into] = block;
                        if left[into] == 0 {
                            freed.push(block);
                        }
                    }
                }
            }
            free.append(&mut freed);
        }
        turns.result = block_of[acts.result];
        turns
    }

    /// The operations of all pieces, whose blocks stand side by side; after the last step the pieces of the
    /// result are moved beside that of the first.
    fn of_pieces(pieces: Vec<Turns>, steps: usize) -> Turns {
        let number = pieces.len();
        let blocks = number * pieces.iter().map(|of| of.blocks).max().unwrap_or(1);
        let result = pieces.first().map_or(0, |of| of.result);
        let mut operations = Vec::new();
        for (piece, of) in pieces.into_iter().enumerate() {
            let block = |block: usize| block * number + piece;
            operations.extend(of.operations.into_iter().map(|(step, other, act, own)| match act {
                Act::Copy | Act::Join => (step, block(other), act, block(own)),
                Act::Send | Act::Add | Act::Append | Act::Put => (step, other, act, block(own)),
            }));
            if of.result != result {
                operations.push((steps, block(of.result), Act::Copy, block(result)));
            }
        }
        operations.sort_by_key(|operation| operation.0);
        Turns { operations, blocks, result: result * number }
    }

    /// A block that is free.
    fn take(&mut self, free: &mut Vec<usize>) -> usize {
        free.pop().unwrap_or_else(|| {
            self.blocks += 1;
            self.blocks - 1
        })
    }
}
