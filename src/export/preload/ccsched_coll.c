/* The functions that take the place of MPI's. Each has its schedule chosen, if there is one, or
 * calls MPI's own function with what it was given. Ranks may describe the same data by different
 * types: what is no plain array is packed before and unpacked after the schedule. */
#include "ccsched_coll.h"

#include <limits.h>
#include <stdint.h>

/* A buffer of blocks that are equally long. */
struct side {
    const void *buffer;
    int count;
    MPI_Datatype type;
    int blocks; /* that this rank sends, or receives */
    int own;    /* where it receives none: the block that it sends to itself, and has already */
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

/* Runs a schedule of blocks, if there is one. Not: 0. `copies` keeps what is sent and received in one
 * buffer apart. `most` is the number of blocks of both sides, at most of all ranks. */
static int runs_blocks(struct state *state, MPI_Comm comm, enum function function, int root,
                       unsigned long long length, struct side send, struct side receive, int copies,
                       int most, int *error)
{
    const struct entry *entry = ccsched_choose(state, comm, function, root, length);
    int bytes = (int)length;
    const char *from = send.buffer;
    char *into = ccsched_at(receive.buffer, 0), *packed = NULL;
    size_t size;

    if (entry == NULL)
        return 0;
    /* All reserve the memory for packing, because no rank sees which others pack. */
    size = entry->memory(bytes, 1) + (size_t)length * (size_t)most + 2 * CCSCHED_ROOM(1);
    if (!ccsched_memory(state, size)) {
        ccsched_say_passed(state, comm, function, NO_MEMORY, size);
        return 0;
    }
    ccsched_say_used(state, comm, entry);
    *error = MPI_SUCCESS;
    if (send.blocks > 0 && (copies || !ccsched_is_plain(send.type))) {
        MPI_Aint step = ccsched_extent(send.type) * send.count;
        from = packed = ccsched_take((size_t)send.blocks * (size_t)bytes);
        for (int i = 0; i < send.blocks && *error == MPI_SUCCESS; i++)
            *error = ccsched_pack(ccsched_at(send.buffer, i * step), send.count, send.type,
                                  packed + (size_t)i * (size_t)bytes, bytes, state->inner);
        packed = NULL;
    }
    if (receive.blocks == 0)
        into = ccsched_at(from, (MPI_Aint)receive.own * bytes);
    else if (!ccsched_is_plain(receive.type))
        into = packed = ccsched_take((size_t)receive.blocks * (size_t)bytes);
    if (*error == MPI_SUCCESS)
        *error = entry->blocks(from, into, bytes, state->inner);
    if (packed != NULL) {
        MPI_Aint step = ccsched_extent(receive.type) * receive.count;
        for (int i = 0; i < receive.blocks && *error == MPI_SUCCESS; i++)
            *error = ccsched_unpack(packed + (size_t)i * (size_t)bytes, bytes,
                                    ccsched_at(receive.buffer, i * step), receive.count,
                                    receive.type, state->inner);
    }
    *error = ccsched_ended(comm, *error);
    return 1;
}

CCSCHED_TAKEN int MPI_Alltoall(const void *send, int sendcount, MPI_Datatype sendtype, void *receive,
                       int receivecount, MPI_Datatype receivetype, MPI_Comm comm)
{
    struct state *state = ccsched_state(comm, ALLTOALL);
    int error, in_place = send == MPI_IN_PLACE;

    if (state != NULL) {
        struct side into = {receive, receivecount, receivetype, state->size, 0};
        struct side from = {send, sendcount, sendtype, state->size, 0};
        if (runs_blocks(state, comm, ALLTOALL, -1, ccsched_length(receivecount, receivetype),
                        in_place ? into : from, into, in_place, 2 * state->size, &error))
            return error;
    }
    return PMPI_Alltoall(send, sendcount, sendtype, receive, receivecount, receivetype, comm);
}

CCSCHED_TAKEN int MPI_Allgather(const void *send, int sendcount, MPI_Datatype sendtype, void *receive,
                        int receivecount, MPI_Datatype receivetype, MPI_Comm comm)
{
    struct state *state = ccsched_state(comm, ALLGATHER);
    int error;

    if (state != NULL) {
        struct side into = {receive, receivecount, receivetype, state->size, 0};
        struct side from = {send, sendcount, sendtype, 1, 0};
        if (send == MPI_IN_PLACE) {
            MPI_Aint step = ccsched_extent(receivetype) * receivecount;
            from = (struct side){ccsched_at(receive, step * state->rank), receivecount, receivetype, 1, 0};
        }
        if (runs_blocks(state, comm, ALLGATHER, -1, ccsched_length(receivecount, receivetype), from, into, 0, state->size + 1, &error))
            return error;
    }
    return PMPI_Allgather(send, sendcount, sendtype, receive, receivecount, receivetype, comm);
}

CCSCHED_TAKEN int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    struct state *state = ccsched_state(comm, BCAST);
    int error;

    if (state != NULL) {
        int is_root = state->rank == root;
        struct side from = {buffer, count, type, is_root, 0}, into = {buffer, count, type, !is_root, 0};
        if (runs_blocks(state, comm, BCAST, root, ccsched_length(count, type), from, into, 0, 2, &error))
            return error;
    }
    return PMPI_Bcast(buffer, count, type, root, comm);
}

CCSCHED_TAKEN int MPI_Scatter(const void *send, int sendcount, MPI_Datatype sendtype, void *receive,
                      int receivecount, MPI_Datatype receivetype, int root, MPI_Comm comm)
{
    struct state *state = ccsched_state(comm, SCATTER);
    unsigned long long length;
    int error;

    if (state != NULL) {
        int is_root = state->rank == root;
        struct side from = {send, sendcount, sendtype, is_root ? state->size : 0, 0};
        struct side into = {receive, receivecount, receivetype, 1, 0};
        length = is_root ? ccsched_length(sendcount, sendtype) : ccsched_length(receivecount, receivetype);
        if (is_root && receive == MPI_IN_PLACE)
            into = (struct side){NULL, 0, sendtype, 0, root};
        if (runs_blocks(state, comm, SCATTER, root, length, from, into, 0, state->size + 1, &error))
            return error;
    }
    return PMPI_Scatter(send, sendcount, sendtype, receive, receivecount, receivetype, root, comm);
}

CCSCHED_TAKEN int MPI_Gather(const void *send, int sendcount, MPI_Datatype sendtype, void *receive,
                     int receivecount, MPI_Datatype receivetype, int root, MPI_Comm comm)
{
    struct state *state = ccsched_state(comm, GATHER);
    unsigned long long length;
    int error;

    if (state != NULL) {
        int is_root = state->rank == root;
        struct side from = {send, sendcount, sendtype, 1, 0};
        struct side into = {receive, receivecount, receivetype, is_root ? state->size : 0, 0};
        length = is_root ? ccsched_length(receivecount, receivetype) : ccsched_length(sendcount, sendtype);
        if (is_root && send == MPI_IN_PLACE) {
            MPI_Aint step = ccsched_extent(receivetype) * receivecount;
            from = (struct side){ccsched_at(receive, step * root), receivecount, receivetype, 1, 0};
        }
        if (runs_blocks(state, comm, GATHER, root, length, from, into, 0, state->size + 1, &error))
            return error;
    }
    return PMPI_Gather(send, sendcount, sendtype, receive, receivecount, receivetype, root, comm);
}
