//! The parts of the C file that do not depend on the schedule.

use ccsched_model::problem::{Collective, Function};

/// The function and its arguments, for the comment at the top.
pub(super) fn about(collective: Collective) -> String {
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
pub(super) const INCLUDES: &str = "\
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#ifndef CCSCHED_TAG
#define CCSCHED_TAG 20011
#endif
";

/// The type of the table.
pub(super) const OPERATION: &str = "\
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
pub(super) const TOKEN: &str = "\
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
pub(super) const RANK_AND_SIZE: &str = "    error = MPI_Comm_rank(comm, &rank);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_size(comm, &size);
    if (error != MPI_SUCCESS)
        return error;
    if (size != RANKS)
        return MPI_ERR_COMM;
";

/// The function.
pub(super) const BODY: &str = "\
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
