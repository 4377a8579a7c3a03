/* The MPI_Alltoallv that takes the place of MPI's. A rank sees its own counts alone, so that all find
 * out in each call whether the counts of all are those of a schedule. */
#include "ccsched_coll.h"

#include <limits.h>

/* What a rank sends or receives: bytes by rank, and where they are. */
struct side {
    const void *buffer;
    const int *counts, *places;
    MPI_Datatype type;
    int *bytes, *starts;
    char *packed; /* NULL: the buffer is plain */
};

/* The bytes and their starts; not, if there are too many. */
static int measure(struct side *side, int size, int packs, size_t *all)
{
    MPI_Aint extent = ccsched_extent(side->type);
    int is_near = 1;
    size_t sum = 0;

    for (int i = 0; i < size; i++) {
        unsigned long long bytes = ccsched_length(side->counts[i], side->type);
        MPI_Aint start = extent * side->places[i];
        if (bytes > INT_MAX)
            return 0;
        side->bytes[i] = (int)bytes;
        side->starts[i] = (int)start;
        is_near &= start >= INT_MIN && start <= INT_MAX;
        sum += (size_t)bytes;
    }
    *all = 0;
    if (!packs && is_near && ccsched_is_plain(side->type))
        return 1;
    *all = sum + 1;
    sum = 0;
    for (int i = 0; i < size; i++) {
        if (sum > INT_MAX)
            return 0;
        side->starts[i] = (int)sum;
        sum += (size_t)side->bytes[i];
    }
    return 1;
}

/* The schedules whose lengths are those of this rank, as bits. */
static unsigned long long fitting(const struct state *state, const struct side *send,
                                  const struct side *receive)
{
    unsigned long long bits = 0, bit = 1;

    for (int i = 0; i < ccsched_number && bit != 0; i++) {
        const struct entry *entry = &ccsched_entries[i];
        if (entry->function != ALLTOALLV || state->misplaced[i] < state->size)
            continue;
        if (entry->agree(state->rank, send->bytes, receive->bytes))
            bits |= bit;
        bit <<= 1;
    }
    return bits;
}

static const struct entry *first_of(const struct state *state, unsigned long long bits)
{
    for (int i = 0; i < ccsched_number; i++) {
        const struct entry *entry = &ccsched_entries[i];
        if (entry->function != ALLTOALLV || state->misplaced[i] < state->size)
            continue;
        if ((bits & 1) != 0)
            return entry;
        bits >>= 1;
    }
    return NULL;
}

static int run(const struct state *state, const struct entry *entry, struct side *send,
               struct side *receive)
{
    const void *from = send->packed != NULL ? send->packed : send->buffer;
    void *into = receive->packed != NULL ? receive->packed : ccsched_at(receive->buffer, 0);
    MPI_Aint extent = ccsched_extent(send->type);
    int error = MPI_SUCCESS;

    for (int i = 0; send->packed != NULL && i < state->size && error == MPI_SUCCESS; i++)
        error = ccsched_pack(ccsched_at(send->buffer, extent * send->places[i]), send->counts[i],
                             send->type, send->packed + send->starts[i], send->bytes[i], state->inner);
    if (error == MPI_SUCCESS)
        error = entry->lengths(from, send->bytes, send->starts, into, receive->bytes, receive->starts,
                               state->inner);
    extent = ccsched_extent(receive->type);
    for (int i = 0; receive->packed != NULL && i < state->size && error == MPI_SUCCESS; i++)
        error = ccsched_unpack(receive->packed + receive->starts[i], receive->bytes[i],
                               ccsched_at(receive->buffer, extent * receive->places[i]),
                               receive->counts[i], receive->type, state->inner);
    return error;
}

/* Runs the schedule that has the counts of all ranks, if there is one. Not: 0. */
static int runs(struct state *state, MPI_Comm comm, struct side send, struct side receive, int in_place,
                int *error)
{
    size_t number = (size_t)state->size, sent = 0, received = 0, own = 0;
    int *counts = malloc(4 * number * sizeof *counts);
    unsigned long long bits = 0;
    char *memory = NULL;
    const struct entry *entry;

    if (counts != NULL) {
        send.bytes = counts, send.starts = counts + number;
        receive.bytes = counts + 2 * number, receive.starts = counts + 3 * number;
        if (measure(&send, state->size, in_place, &sent) && measure(&receive, state->size, 0, &received))
            bits = fitting(state, &send, &receive);
    }
    if (bits != 0) {
        /* Arrays of requests are as long on all ranks. */
        for (int i = 0; i < ccsched_number; i++)
            if (ccsched_entries[i].function == ALLTOALLV && ccsched_entries[i].memory(0, 1) > own)
                own = ccsched_entries[i].memory(0, 1);
        memory = malloc(own + CCSCHED_ROOM(sent) + CCSCHED_ROOM(received));
        if (memory == NULL)
            bits = 0;
    }
    if (PMPI_Allreduce(MPI_IN_PLACE, &bits, 1, MPI_UNSIGNED_LONG_LONG, MPI_BAND, state->inner)
        != MPI_SUCCESS)
        bits = 0;
    entry = first_of(state, bits);
    if (entry == NULL) {
        ccsched_say_passed(state, comm, ALLTOALLV, OTHER_COUNTS, 0);
    } else {
        ccsched_arena.at = memory;
        ccsched_arena.left = own + CCSCHED_ROOM(sent) + CCSCHED_ROOM(received);
        send.packed = sent > 0 ? ccsched_take(sent) : NULL;
        receive.packed = received > 0 ? ccsched_take(received) : NULL;
        ccsched_say_used(state, comm, entry);
        *error = ccsched_ended(comm, run(state, entry, &send, &receive));
        if (*error != MPI_SUCCESS)
            memory = NULL; /* transfers may still be under way in it */
    }
    free(memory);
    free(counts);
    return entry != NULL;
}

CCSCHED_TAKEN int MPI_Alltoallv(const void *send, const int sendcounts[], const int sdispls[],
                                MPI_Datatype sendtype, void *receive, const int recvcounts[],
                                const int rdispls[], MPI_Datatype receivetype, MPI_Comm comm)
{
    struct state *state = ccsched_state(comm, ALLTOALLV);
    int error;

    /* Whether there is one at all: by any count, because a schedule has its own. */
    if (state != NULL && ccsched_choose(state, comm, ALLTOALLV, -1, 1) != NULL) {
        struct side into = {receive, recvcounts, rdispls, receivetype, NULL, NULL, NULL};
        struct side from = {send, sendcounts, sdispls, sendtype, NULL, NULL, NULL};
        int in_place = send == MPI_IN_PLACE;
        if (runs(state, comm, in_place ? into : from, into, in_place, &error))
            return error;
    }
    return PMPI_Alltoallv(send, sendcounts, sdispls, sendtype, receive, recvcounts, rdispls, receivetype,
                          comm);
}
