/* The reductions that take the place of MPI's. All ranks have the same count, type and operation. */
#include "ccsched_coll.h"

/* Whether a type is in a list. */
static int is_in(MPI_Datatype type, const MPI_Datatype list[], size_t number)
{
    for (size_t i = 0; i < number; i++)
        if (list[i] == type)
            return 1;
    return 0;
}

#define IS_IN(type, list) is_in(type, list, sizeof(list) / sizeof(list)[0])

/* Whether a type has so few bits that MPI may clip sums: then they depend on their order. */
static int is_clipped(MPI_Datatype type, MPI_Op op)
{
    const MPI_Datatype narrow[] = {
        MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR,
        MPI_INT8_T, MPI_INT16_T, MPI_UINT8_T, MPI_UINT16_T,
    };

    return op == MPI_SUM && IS_IN(type, narrow);
}

/* Whether sums of these do not depend on their order (NONE), do (INEXACT), or are left to MPI. */
static enum reason kind(MPI_Datatype type, MPI_Op op)
{
    const MPI_Datatype whole[] = {
        MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG,
        MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_INT8_T, MPI_INT16_T,
        MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T,
    };
    /* Those of Fortran without a size are null where MPI has no Fortran. */
    const MPI_Datatype whole_of_fortran[] = {MPI_INTEGER, MPI_INTEGER4, MPI_INTEGER8};
    const MPI_Datatype real[] = {
        MPI_DOUBLE, MPI_FLOAT, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8,
    };
    const MPI_Datatype complexes[] = {
        MPI_C_DOUBLE_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX8, MPI_COMPLEX16,
    };
    int adds = op == MPI_SUM || op == MPI_PROD, compares = op == MPI_MIN || op == MPI_MAX;
    int of_bits = op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR;
    int of_truths = op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR;

    if (type == MPI_DATATYPE_NULL)
        return OTHER_TYPE;
    if ((adds || compares || of_bits || of_truths) && IS_IN(type, whole))
        return NONE;
    if ((adds || compares || of_bits) && IS_IN(type, whole_of_fortran))
        return NONE;
    if (of_truths && type == MPI_LOGICAL)
        return NONE;
    if (of_bits && type == MPI_BYTE)
        return NONE;
    if ((adds || compares) && IS_IN(type, real))
        return INEXACT;
    if (adds && IS_IN(type, complexes))
        return INEXACT;
    return OTHER_TYPE;
}

/* Runs a schedule of sums, if there is one. Not: 0. */
static int runs(struct call *call, enum function function, int root, const void *send, void *receive,
                int count, MPI_Datatype type, MPI_Op op, int *error)
{
    struct state *state = call->state;
    const struct entry *entry;
    enum reason reason;
    size_t size, block, parts;
    const char *from = send == MPI_IN_PLACE ? receive : send;
    char *packed;

    if (state == NULL)
        return 0;
    entry = ccsched_choose(call, function, root, ccsched_length(count, type));
    if (entry == NULL)
        return 0;
    reason = kind(type, op);
    if (entry->differs && (reason == INEXACT || is_clipped(type, op)))
        reason = DIFFERS;
    if (reason == OTHER_TYPE || reason == DIFFERS || (reason == INEXACT && state->exact)) {
        ccsched_say_passed(call, state, reason, 0);
        return 0;
    }
    /* The parts of a reduce-scatter go to the order of the schedule. */
    block = (size_t)ccsched_extent(type) * (size_t)count;
    parts = function == REDUCE_SCATTER_BLOCK && !call->order->is_as_is ? (size_t)state->size : 0;
    size = entry->memory(count, (size_t)ccsched_extent(type)) + CCSCHED_ROOM(parts * block);
    if (!ccsched_memory(state, size)) {
        ccsched_say_passed(call, state, NO_MEMORY, size);
        return 0;
    }
    ccsched_say_used(call, entry);
    if (parts > 0) {
        packed = ccsched_take(parts * block);
        for (size_t i = 0; i < parts; i++)
            memcpy(packed + (size_t)call->order->places[i] * block, from + i * block, block);
        from = packed;
    }
    *error = entry->sums(from, receive, count, type, op, ccsched_inner(state, call->order));
    *error = ccsched_ended(call->comm, *error);
    return 1;
}

CCSCHED_TAKEN int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                                MPI_Comm comm)
{
    if (ccsched_idle)
        return PMPI_Allreduce(send, receive, count, type, op, comm);
    struct call call = ccsched_enter("MPI_Allreduce", ALLREDUCE, comm);
    int error;

    if (!runs(&call, ALLREDUCE, -1, send, receive, count, type, op, &error))
        error = PMPI_Allreduce(send, receive, count, type, op, comm);
    return CCSCHED_LEAVE(call, ccsched_length(count, type), error);
}

CCSCHED_TAKEN int MPI_Reduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                             int root, MPI_Comm comm)
{
    if (ccsched_idle)
        return PMPI_Reduce(send, receive, count, type, op, root, comm);
    struct call call = ccsched_enter("MPI_Reduce", REDUCE, comm);
    int error;

    if (!runs(&call, REDUCE, root, send, receive, count, type, op, &error))
        error = PMPI_Reduce(send, receive, count, type, op, root, comm);
    return CCSCHED_LEAVE(call, ccsched_length(count, type), error);
}

CCSCHED_TAKEN int MPI_Reduce_scatter_block(const void *send, void *receive, int count, MPI_Datatype type,
                                           MPI_Op op, MPI_Comm comm)
{
    if (ccsched_idle)
        return PMPI_Reduce_scatter_block(send, receive, count, type, op, comm);
    struct call call = ccsched_enter("MPI_Reduce_scatter_block", REDUCE_SCATTER_BLOCK, comm);
    int error;

    if (!runs(&call, REDUCE_SCATTER_BLOCK, -1, send, receive, count, type, op, &error))
        error = PMPI_Reduce_scatter_block(send, receive, count, type, op, comm);
    return CCSCHED_LEAVE(call, ccsched_length(count, type), error);
}

/* All ranks have the same counts. */
CCSCHED_TAKEN int MPI_Reduce_scatter(const void *send, void *receive, const int counts[], MPI_Datatype type,
                                     MPI_Op op, MPI_Comm comm)
{
    if (ccsched_idle)
        return PMPI_Reduce_scatter(send, receive, counts, type, op, comm);
    struct call call = ccsched_enter("MPI_Reduce_scatter", REDUCE_SCATTER, comm);
    int error = MPI_SUCCESS, ran = 0;

    if (call.state != NULL && !ccsched_are_equal(counts, call.state->size))
        ccsched_say_passed(&call, call.state, UNEQUAL, 0);
    else if (call.state != NULL)
        ran = runs(&call, REDUCE_SCATTER_BLOCK, -1, send, receive, counts[0], type, op, &error);
    if (!ran)
        error = PMPI_Reduce_scatter(send, receive, counts, type, op, comm);
    return CCSCHED_LEAVE(call, ccsched_mean_length(counts, type, comm), error);
}
