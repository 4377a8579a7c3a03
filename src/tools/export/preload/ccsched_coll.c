/* The functions that take the place of MPI's. Each has its schedule chosen, if there is one, or
 * calls MPI's own function with what it was given. Ranks may describe the same data by different
 * types: what is no plain array is packed before and unpacked after the schedule. */
#include "ccsched_coll.h"

#include <stdint.h>

/* A buffer of blocks that are equally long. */
struct side {
    const void *buffer;
    int count;
    MPI_Datatype type;
    int blocks;        /* that this rank sends, or receives */
    int own;           /* where it receives none: the block that it sends to itself, and has already */
    const int *starts; /* in elements; NULL: one block after the other */
};

void *ccsched_at(const void *buffer, MPI_Aint offset)
{
    return (void *)((uintptr_t)buffer + (uintptr_t)offset);
}

unsigned long long ccsched_length(int count, MPI_Datatype type)
{
    int size;

    if (type == MPI_DATATYPE_NULL || count < 0 || PMPI_Type_size(type, &size) != MPI_SUCCESS || size < 0)
        return ULLONG_MAX;
    return (unsigned long long)count * (unsigned long long)size;
}

int ccsched_is_plain(MPI_Datatype type)
{
    int size, integers, addresses, types, combiner;
    MPI_Aint low, extent;

    return PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS
        && combiner == MPI_COMBINER_NAMED && PMPI_Type_size(type, &size) == MPI_SUCCESS
        && PMPI_Type_get_extent(type, &low, &extent) == MPI_SUCCESS && low == 0 && extent == size;
}

MPI_Aint ccsched_extent(MPI_Datatype type)
{
    MPI_Aint low, extent;

    if (type == MPI_DATATYPE_NULL || PMPI_Type_get_extent(type, &low, &extent) != MPI_SUCCESS)
        return 0;
    return extent;
}

int ccsched_are_equal(const int counts[], int number)
{
    for (int i = 1; i < number; i++)
        if (counts[i] != counts[0])
            return 0;
    return 1;
}

unsigned long long ccsched_mean_length(const int counts[], MPI_Datatype type, MPI_Comm comm)
{
    unsigned long long sum = 0;
    int size = 0;

    PMPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++)
        sum += counts[i] > 0 ? ccsched_length(counts[i], type) : 0;
    return size > 0 ? sum / (unsigned long long)size : 0;
}

/* Data go to this rank as packed ones: MPICH packs nothing at MPI_BOTTOM. */
static int to_self(const void *from, int count, MPI_Datatype type, void *into, int number,
                   MPI_Datatype other, MPI_Comm comm)
{
    int rank, error = PMPI_Comm_rank(comm, &rank);

    return error != MPI_SUCCESS ? error
                                : PMPI_Sendrecv(from, count, type, rank, 0, into, number, other, rank, 0,
                                                comm, MPI_STATUS_IGNORE);
}

int ccsched_pack(const void *from, int count, MPI_Datatype type, char *into, int bytes, MPI_Comm comm)
{
    int place = 0;

    if (bytes == 0)
        return MPI_SUCCESS;
    if (from == MPI_BOTTOM)
        return to_self(from, count, type, into, bytes, MPI_PACKED, comm);
    return PMPI_Pack(from, count, type, into, bytes, &place, comm);
}

int ccsched_unpack(const char *from, int bytes, void *into, int count, MPI_Datatype type, MPI_Comm comm)
{
    int place = 0;

    if (bytes == 0)
        return MPI_SUCCESS;
    if (into == MPI_BOTTOM)
        return to_self(from, bytes, MPI_PACKED, into, count, type, comm);
    return PMPI_Unpack(from, bytes, &place, into, count, type, comm);
}

int ccsched_ended(MPI_Comm comm, int error)
{
    if (error != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(comm, error);
    return error;
}

/* Where a block of the program's buffer begins. */
static void *block(const struct side *side, int number)
{
    MPI_Aint extent = ccsched_extent(side->type);

    return ccsched_at(side->buffer, side->starts != NULL ? extent * side->starts[number]
                                                         : extent * side->count * number);
}

/* Whether the blocks are one array of bytes in the order of the schedule. */
static int is_array(const struct side *side, const struct order *order, int size)
{
    int good = ccsched_is_plain(side->type) && (side->blocks < size || order->is_as_is);

    for (int i = 0; side->starts != NULL && good && i < side->blocks; i++)
        good = side->starts[i] == side->starts[0] + (long long)i * side->count;
    return good;
}

/* Runs a schedule of blocks, if there is one. Not: 0. `copies` keeps what is sent and received in one
 * buffer apart. `most` is the number of blocks of both sides, at most of all ranks. */
static int runs_blocks(struct call *call, enum function function, int root, unsigned long long length,
                       struct side send, struct side receive, int copies, int most, int *error)
{
    const struct entry *entry = ccsched_choose(call, function, root, length);
    struct state *state = call->state;
    const struct order *order = call->order;
    size_t bytes = (size_t)length, size;
    const char *from;
    char *into, *packed = NULL;

    if (entry == NULL)
        return 0;
    /* All reserve the memory for packing, because no rank sees which others pack. */
    size = entry->memory((int)bytes, 1) + bytes * (size_t)most + 2 * CCSCHED_ROOM(1);
    if (!ccsched_memory(state, size)) {
        ccsched_say_passed(call, state, NO_MEMORY, size);
        return 0;
    }
    ccsched_say_used(call, entry);
    *error = MPI_SUCCESS;
    from = send.blocks > 0 ? block(&send, 0) : NULL;
    if (send.blocks > 0 && (copies || !is_array(&send, order, state->size))) {
        from = packed = ccsched_take((size_t)send.blocks * bytes);
        for (int i = 0; i < send.blocks && *error == MPI_SUCCESS; i++) {
            int place = send.blocks == state->size ? order->places[i] : i;
            *error = ccsched_pack(block(&send, i), send.count, send.type, packed + (size_t)place * bytes,
                                  (int)bytes, state->inner);
        }
        packed = NULL;
    }
    if (receive.blocks == 0)
        into = ccsched_at(from, (MPI_Aint)(send.blocks == state->size ? order->places[receive.own] : 0)
                                    * (MPI_Aint)bytes);
    else if (is_array(&receive, order, state->size))
        into = block(&receive, 0);
    else
        into = packed = ccsched_take((size_t)receive.blocks * bytes);
    if (*error == MPI_SUCCESS)
        *error = entry->blocks(from, into, (int)bytes, ccsched_inner(state, call->order));
    for (int i = 0; packed != NULL && i < receive.blocks && *error == MPI_SUCCESS; i++) {
        int place = receive.blocks == state->size ? order->places[i] : i;
        *error = ccsched_unpack(packed + (size_t)place * bytes, (int)bytes, block(&receive, i),
                                receive.count, receive.type, state->inner);
    }
    *error = ccsched_ended(call->comm, *error);
    return 1;
}

CCSCHED_TAKEN int MPI_Alltoall(const void *send, int sendcount, MPI_Datatype sendtype, void *receive,
                               int receivecount, MPI_Datatype receivetype, MPI_Comm comm)
{
    if (ccsched_idle)
        return PMPI_Alltoall(send, sendcount, sendtype, receive, receivecount, receivetype, comm);
    struct call call = ccsched_enter("MPI_Alltoall", ALLTOALL, comm);
    int error, in_place = send == MPI_IN_PLACE;

    if (call.state != NULL) {
        int size = call.state->size;
        struct side into = {receive, receivecount, receivetype, size, 0, NULL};
        struct side from = {send, sendcount, sendtype, size, 0, NULL};
        if (runs_blocks(&call, ALLTOALL, -1, ccsched_length(receivecount, receivetype),
                        in_place ? into : from, into, in_place, 2 * size, &error))
            goto done;
    }
    error = PMPI_Alltoall(send, sendcount, sendtype, receive, receivecount, receivetype, comm);
done:
    return CCSCHED_LEAVE(call, ccsched_length(receivecount, receivetype), error);
}

CCSCHED_TAKEN int MPI_Allgather(const void *send, int sendcount, MPI_Datatype sendtype, void *receive,
                                int receivecount, MPI_Datatype receivetype, MPI_Comm comm)
{
    if (ccsched_idle)
        return PMPI_Allgather(send, sendcount, sendtype, receive, receivecount, receivetype, comm);
    struct call call = ccsched_enter("MPI_Allgather", ALLGATHER, comm);
    int error;

    if (call.state != NULL) {
        struct side into = {receive, receivecount, receivetype, call.state->size, 0, NULL};
        struct side from = {send, sendcount, sendtype, 1, 0, NULL};
        if (send == MPI_IN_PLACE)
            from = (struct side){block(&into, call.state->rank), receivecount, receivetype, 1, 0, NULL};
        if (runs_blocks(&call, ALLGATHER, -1, ccsched_length(receivecount, receivetype), from, into, 0,
                        call.state->size + 1, &error))
            goto done;
    }
    error = PMPI_Allgather(send, sendcount, sendtype, receive, receivecount, receivetype, comm);
done:
    return CCSCHED_LEAVE(call, ccsched_length(receivecount, receivetype), error);
}

/* All ranks know all counts: blocks that are equally long are those of an all-gather. */
CCSCHED_TAKEN int MPI_Allgatherv(const void *send, int sendcount, MPI_Datatype sendtype, void *receive,
                                 const int counts[], const int starts[], MPI_Datatype receivetype,
                                 MPI_Comm comm)
{
    if (ccsched_idle)
        return PMPI_Allgatherv(send, sendcount, sendtype, receive, counts, starts, receivetype, comm);
    struct call call = ccsched_enter("MPI_Allgatherv", ALLGATHERV, comm);
    int error;

    if (call.state != NULL && !ccsched_are_equal(counts, call.state->size)) {
        ccsched_say_passed(&call, call.state, UNEQUAL, 0);
    } else if (call.state != NULL) {
        struct side into = {receive, counts[0], receivetype, call.state->size, 0, starts};
        struct side from = {send, sendcount, sendtype, 1, 0, NULL};
        if (send == MPI_IN_PLACE)
            from = (struct side){block(&into, call.state->rank), counts[0], receivetype, 1, 0, NULL};
        if (runs_blocks(&call, ALLGATHER, -1, ccsched_length(counts[0], receivetype), from, into, 0,
                        call.state->size + 1, &error))
            goto done;
    }
    error = PMPI_Allgatherv(send, sendcount, sendtype, receive, counts, starts, receivetype, comm);
done:
    return CCSCHED_LEAVE(call, ccsched_mean_length(counts, receivetype, comm), error);
}

CCSCHED_TAKEN int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    if (ccsched_idle)
        return PMPI_Bcast(buffer, count, type, root, comm);
    struct call call = ccsched_enter("MPI_Bcast", BCAST, comm);
    int error;

    if (call.state != NULL) {
        int is_root = call.state->rank == root;
        struct side from = {buffer, count, type, is_root, 0, NULL};
        struct side into = {buffer, count, type, !is_root, 0, NULL};
        if (runs_blocks(&call, BCAST, root, ccsched_length(count, type), from, into, 0, 2, &error))
            goto done;
    }
    error = PMPI_Bcast(buffer, count, type, root, comm);
done:
    return CCSCHED_LEAVE(call, ccsched_length(count, type), error);
}

CCSCHED_TAKEN int MPI_Scatter(const void *send, int sendcount, MPI_Datatype sendtype, void *receive,
                              int receivecount, MPI_Datatype receivetype, int root, MPI_Comm comm)
{
    if (ccsched_idle)
        return PMPI_Scatter(send, sendcount, sendtype, receive, receivecount, receivetype, root, comm);
    struct call call = ccsched_enter("MPI_Scatter", SCATTER, comm);
    unsigned long long length;
    int error;

    if (call.state != NULL) {
        int is_root = call.state->rank == root;
        struct side from = {send, sendcount, sendtype, is_root ? call.state->size : 0, 0, NULL};
        struct side into = {receive, receivecount, receivetype, 1, 0, NULL};
        length = is_root ? ccsched_length(sendcount, sendtype) : ccsched_length(receivecount, receivetype);
        if (is_root && receive == MPI_IN_PLACE)
            into = (struct side){NULL, 0, sendtype, 0, root, NULL};
        if (runs_blocks(&call, SCATTER, root, length, from, into, 0, call.state->size + 1, &error))
            goto done;
    }
    error = PMPI_Scatter(send, sendcount, sendtype, receive, receivecount, receivetype, root, comm);
done:
    return CCSCHED_LEAVE(call, ccsched_is_root(comm, root) ? ccsched_length(sendcount, sendtype)
                                                           : ccsched_length(receivecount, receivetype),
                         error);
}

CCSCHED_TAKEN int MPI_Gather(const void *send, int sendcount, MPI_Datatype sendtype, void *receive,
                             int receivecount, MPI_Datatype receivetype, int root, MPI_Comm comm)
{
    if (ccsched_idle)
        return PMPI_Gather(send, sendcount, sendtype, receive, receivecount, receivetype, root, comm);
    struct call call = ccsched_enter("MPI_Gather", GATHER, comm);
    unsigned long long length;
    int error;

    if (call.state != NULL) {
        int is_root = call.state->rank == root;
        struct side from = {send, sendcount, sendtype, 1, 0, NULL};
        struct side into = {receive, receivecount, receivetype, is_root ? call.state->size : 0, 0, NULL};
        length = is_root ? ccsched_length(receivecount, receivetype) : ccsched_length(sendcount, sendtype);
        if (is_root && send == MPI_IN_PLACE)
            from = (struct side){block(&into, root), receivecount, receivetype, 1, 0, NULL};
        if (runs_blocks(&call, GATHER, root, length, from, into, 0, call.state->size + 1, &error))
            goto done;
    }
    error = PMPI_Gather(send, sendcount, sendtype, receive, receivecount, receivetype, root, comm);
done:
    return CCSCHED_LEAVE(call, ccsched_is_root(comm, root) ? ccsched_length(receivecount, receivetype)
                                                           : ccsched_length(sendcount, sendtype),
                         error);
}
