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

/* Whether sums of these do not depend on their order (NONE), do (INEXACT), or are left to MPI. */
static enum reason kind(MPI_Datatype type, MPI_Op op)
{
    const MPI_Datatype whole[] = {
        MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG,
        MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_INT8_T, MPI_INT16_T,
        MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T,
    };
    const MPI_Datatype real[] = {MPI_DOUBLE, MPI_FLOAT, MPI_LONG_DOUBLE};
    const MPI_Datatype complexes[] = {MPI_C_DOUBLE_COMPLEX, MPI_C_FLOAT_COMPLEX};
    int adds = op == MPI_SUM || op == MPI_PROD, compares = op == MPI_MIN || op == MPI_MAX;
    int of_bits = op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR;
    int of_truths = op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR;

    if ((adds || compares || of_bits || of_truths) && IS_IN(type, whole))
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
static int runs(MPI_Comm comm, enum function function, int root, const void *send, void *receive,
                int count, MPI_Datatype type, MPI_Op op, int *error)
{
    struct state *state = ccsched_state(comm, function);
    const struct entry *entry;
    enum reason reason;
    size_t size;

    if (state == NULL)
        return 0;
    entry = ccsched_choose(state, comm, function, root, ccsched_length(count, type));
    if (entry == NULL)
        return 0;
    reason = kind(type, op);
    if (reason == INEXACT && entry->differs)
        reason = DIFFERS;
    if (reason == OTHER_TYPE || reason == DIFFERS || (reason == INEXACT && state->exact)) {
        ccsched_say_passed(state, comm, function, reason, 0);
        return 0;
    }
    size = entry->memory(count, (size_t)ccsched_extent(type));
    if (!ccsched_memory(state, size)) {
        ccsched_say_passed(state, comm, function, NO_MEMORY, size);
        return 0;
    }
    ccsched_say_used(state, comm, entry);
    *error = entry->sums(send == MPI_IN_PLACE ? receive : send, receive, count, type, op, state->inner);
    *error = ccsched_ended(comm, *error);
    return 1;
}

CCSCHED_TAKEN int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                                MPI_Comm comm)
{
    int error;

    if (runs(comm, ALLREDUCE, -1, send, receive, count, type, op, &error))
        return error;
    return PMPI_Allreduce(send, receive, count, type, op, comm);
}

CCSCHED_TAKEN int MPI_Reduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                             int root, MPI_Comm comm)
{
    int error;

    if (runs(comm, REDUCE, root, send, receive, count, type, op, &error))
        return error;
    return PMPI_Reduce(send, receive, count, type, op, root, comm);
}

CCSCHED_TAKEN int MPI_Reduce_scatter_block(const void *send, void *receive, int count, MPI_Datatype type,
                                           MPI_Op op, MPI_Comm comm)
{
    int error;

    if (runs(comm, REDUCE_SCATTER_BLOCK, -1, send, receive, count, type, op, &error))
        return error;
    return PMPI_Reduce_scatter_block(send, receive, count, type, op, comm);
}
