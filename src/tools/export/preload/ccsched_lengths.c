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

/* Arrays by rank in the order of a schedule. `room` is for four numbers a rank. */
static void in_order(const struct order *order, int size, struct side *send, struct side *receive, int *room)
{
    int *arrays[4] = {send->bytes, send->starts, receive->bytes, receive->starts};

    if (order->is_as_is)
        return;
    for (int which = 0; which < 4; which++, room += size) {
        for (int i = 0; i < size; i++)
            room[order->places[i]] = arrays[which][i];
        arrays[which] = room;
    }
    send->bytes = arrays[0], send->starts = arrays[1];
    receive->bytes = arrays[2], receive->starts = arrays[3];
}

/* The schedules whose lengths are those of this rank, as bits. */
static unsigned long long fitting(const struct state *state, struct side send, struct side receive, int *room)
{
    unsigned long long bits = 0, bit = 1;

    for (int i = 0; i < ccsched_number && bit != 0; i++) {
        const struct entry *entry = &ccsched_entries[i];
        struct side from = send, into = receive;
        const struct order *order = ccsched_order(state, i);
        if (entry->function != ALLTOALLV || order == NULL)
            continue;
        in_order(order, state->size, &from, &into, room);
        if (entry->agree(order->places[state->rank], from.bytes, into.bytes))
            bits |= bit;
        bit <<= 1;
    }
    return bits;
}

static const struct entry *first_of(const struct state *state, unsigned long long bits)
{
    for (int i = 0; i < ccsched_number; i++) {
        const struct entry *entry = &ccsched_entries[i];
        if (entry->function != ALLTOALLV || ccsched_order(state, i) == NULL)
            continue;
        if ((bits & 1) != 0)
            return entry;
        bits >>= 1;
    }
    return NULL;
}

static int run(struct state *state, struct order *order, const struct entry *entry, const struct side *send,
               const struct side *receive, int *room)
{
    const void *from = send->packed != NULL ? send->packed : send->buffer;
    void *into = receive->packed != NULL ? receive->packed : ccsched_at(receive->buffer, 0);
    struct side sent = *send, received = *receive;
    MPI_Aint extent = ccsched_extent(send->type);
    int error = MPI_SUCCESS;

    for (int i = 0; send->packed != NULL && i < state->size && error == MPI_SUCCESS; i++)
        error = ccsched_pack(ccsched_at(send->buffer, extent * send->places[i]), send->counts[i],
                             send->type, send->packed + send->starts[i], send->bytes[i], state->inner);
    in_order(order, state->size, &sent, &received, room);
    if (error == MPI_SUCCESS)
        error = entry->lengths(from, sent.bytes, sent.starts, into, received.bytes, received.starts,
                               ccsched_inner(state, order));
    extent = ccsched_extent(receive->type);
    for (int i = 0; receive->packed != NULL && i < state->size && error == MPI_SUCCESS; i++)
        error = ccsched_unpack(receive->packed + receive->starts[i], receive->bytes[i],
                               ccsched_at(receive->buffer, extent * receive->places[i]),
                               receive->counts[i], receive->type, state->inner);
    return error;
}

/* Runs the schedule that has the counts of all ranks, if there is one. Not: 0. */
static int runs(struct call *call, struct side send, struct side receive, int in_place, int *error)
{
    struct state *state = call->state;
    size_t number = (size_t)state->size, sent = 0, received = 0, own = 0;
    int *counts = malloc(8 * number * sizeof *counts), *room = NULL;
    unsigned long long bits = 0;
    char *memory = NULL;
    const struct entry *entry;

    if (counts != NULL) {
        send.bytes = counts, send.starts = counts + number;
        receive.bytes = counts + 2 * number, receive.starts = counts + 3 * number;
        room = counts + 4 * number;
        if (measure(&send, state->size, in_place, &sent) && measure(&receive, state->size, 0, &received))
            bits = fitting(state, send, receive, room);
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
    call->order = entry == NULL ? NULL : ccsched_order(state, (int)(entry - ccsched_entries));
    if (entry == NULL) {
        ccsched_say_passed(call, state, OTHER_COUNTS, 0);
    } else if (ccsched_inner(state, call->order) == MPI_COMM_NULL) {
        ccsched_say_passed(call, state, NO_COMMUNICATOR, 0);
        entry = NULL;
    } else {
        ccsched_give(memory, own + CCSCHED_ROOM(sent) + CCSCHED_ROOM(received));
        send.packed = sent > 0 ? ccsched_take(sent) : NULL;
        receive.packed = received > 0 ? ccsched_take(received) : NULL;
        ccsched_say_used(call, entry);
        *error = ccsched_ended(call->comm, run(state, call->order, entry, &send, &receive, room));
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
    if (ccsched_idle)
        return PMPI_Alltoallv(send, sendcounts, sdispls, sendtype, receive, recvcounts, rdispls,
                              receivetype, comm);
    struct call call = ccsched_enter("MPI_Alltoallv", ALLTOALLV, comm);
    int error, in_place = send == MPI_IN_PLACE;

    /* Whether there is one at all: by any count, because a schedule has its own. */
    if (call.state != NULL && ccsched_choose(&call, ALLTOALLV, -1, 1) != NULL) {
        struct side into = {receive, recvcounts, rdispls, receivetype, NULL, NULL, NULL};
        struct side from = {send, sendcounts, sdispls, sendtype, NULL, NULL, NULL};
        if (runs(&call, in_place ? into : from, into, in_place, &error))
            goto done;
    }
    error = PMPI_Alltoallv(send, sendcounts, sdispls, sendtype, receive, recvcounts, rdispls, receivetype,
                           comm);
done:
    return CCSCHED_LEAVE(call, ccsched_mean_length(recvcounts, receivetype, comm), error);
}
