/* Schedules of hosts for ranks of which several are on each host: MPI's own functions inside a host, and the
 * schedule between the first ranks of the hosts. Ranks of a host have consecutive numbers here. Blocks of one
 * host for another one go in one message. */
#include "ccsched_coll.h"

#include <limits.h>
#include <pthread.h>
#include <stdint.h>

/* The ranks of this host, and the first ranks of all hosts, on these alone. */
struct levels {
    MPI_Comm node, leaders;
    int host, local;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int keyval = MPI_KEYVAL_INVALID;

static int forget(MPI_Comm comm, int key, void *attribute, void *extra)
{
    struct levels *levels = attribute;

    (void)comm, (void)key, (void)extra;
    if (!ccsched_is_ending()) {
        PMPI_Comm_free(&levels->node);
        if (levels->leaders != MPI_COMM_NULL)
            PMPI_Comm_free(&levels->leaders);
    }
    free(levels);
    return MPI_SUCCESS;
}

static void make_key(void)
{
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL) != MPI_SUCCESS)
        keyval = MPI_KEYVAL_INVALID;
}

/* The levels of a communicator, which all its ranks make together at their first call; NULL: an error. */
static struct levels *levels_of(MPI_Comm comm, int each, int *error)
{
    struct levels *levels = NULL;
    int found = 0, rank;

    pthread_once(&once, make_key);
    *error = PMPI_Comm_get_attr(comm, keyval, &levels, &found);
    if (*error != MPI_SUCCESS || found)
        return levels;
    levels = malloc(sizeof *levels);
    *error = levels == NULL ? MPI_ERR_NO_MEM : PMPI_Comm_rank(comm, &rank);
    if (*error != MPI_SUCCESS)
        return NULL;
    levels->host = rank / each;
    levels->local = rank % each;
    *error = PMPI_Comm_split(comm, levels->host, rank, &levels->node);
    if (*error == MPI_SUCCESS)
        *error = PMPI_Comm_split(comm, levels->local == 0 ? 0 : MPI_UNDEFINED, rank, &levels->leaders);
    if (*error == MPI_SUCCESS)
        *error = PMPI_Comm_set_attr(comm, keyval, levels);
    return *error == MPI_SUCCESS ? levels : NULL;
}

/* The length of a block between hosts. */
static size_t joined(enum function function, int each, int count)
{
    size_t k = (size_t)each;

    switch (function) {
    case ALLTOALL:
        return k * k * (size_t)count;
    case ALLREDUCE:
        return (size_t)count;
    default:
        return k * (size_t)count;
    }
}

size_t ccsched_levels_memory(enum function function, size_t (*memory)(int count, size_t unit), int each,
                             int ranks, int count, size_t unit)
{
    size_t block = joined(function, each, count), all = (size_t)ranks * (size_t)count * unit;
    size_t buffers = function == ALLTOALL               ? 2 * (size_t)each * all
        : function == REDUCE_SCATTER_BLOCK ? all + block * unit
                                           : 0;

    /* More than any rank has. */
    if (block > INT_MAX || all > INT_MAX)
        return SIZE_MAX / 2;
    return memory((int)block, unit) + buffers + 3 * CCSCHED_ROOM(1);
}

static int allgather(struct levels *levels, blocks_function *schedule, int each, const void *send, char *receive,
                     int bytes, int ranks)
{
    char *own = receive + (size_t)levels->host * (size_t)each * (size_t)bytes;
    /* The block of this rank may stand in its place already. */
    int is_there = levels->local == 0 && send == own;
    int error = PMPI_Gather(is_there ? MPI_IN_PLACE : send, bytes, MPI_BYTE, own, bytes, MPI_BYTE, 0, levels->node);

    if (error == MPI_SUCCESS && levels->local == 0)
        error = schedule(own, receive, each * bytes, levels->leaders);
    return error != MPI_SUCCESS ? error : PMPI_Bcast(receive, ranks * bytes, MPI_BYTE, 0, levels->node);
}

/* Copies rows of blocks as columns. */
static void turn(const char *from, char *to, int rows, int columns, size_t bytes)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            memcpy(to + ((size_t)j * (size_t)rows + (size_t)i) * bytes,
                   from + ((size_t)i * (size_t)columns + (size_t)j) * bytes, bytes);
}

static int alltoall(struct levels *levels, blocks_function *schedule, int each, const void *send, void *receive,
                    int bytes, int ranks)
{
    int hosts = ranks / each, is_leader = levels->local == 0;
    size_t all = (size_t)each * (size_t)ranks * (size_t)bytes;
    char *one = is_leader ? ccsched_take(all) : NULL, *other = is_leader ? ccsched_take(all) : NULL;
    int error = PMPI_Gather(send, ranks * bytes, MPI_BYTE, one, ranks * bytes, MPI_BYTE, 0, levels->node);

    if (error == MPI_SUCCESS && is_leader) {
        /* By rank of this host, host, rank there: the first two change places. */
        turn(one, other, each, hosts, (size_t)each * (size_t)bytes);
        error = schedule(other, one, each * each * bytes, levels->leaders);
        /* By host, rank there, rank of this host: the last one comes first. */
        turn(one, other, ranks, each, (size_t)bytes);
    }
    return error != MPI_SUCCESS
        ? error
        : PMPI_Scatter(other, ranks * bytes, MPI_BYTE, receive, ranks * bytes, MPI_BYTE, 0, levels->node);
}

int ccsched_levels_blocks(enum function function, blocks_function *schedule, int each, const void *send,
                          void *receive, int bytes, MPI_Comm comm)
{
    int ranks, error;
    struct levels *levels = levels_of(comm, each, &error);

    if (levels == NULL)
        return error;
    PMPI_Comm_size(comm, &ranks);
    return function == ALLTOALL ? alltoall(levels, schedule, each, send, receive, bytes, ranks)
                                : allgather(levels, schedule, each, send, receive, bytes, ranks);
}

int ccsched_levels_sums(enum function function, sums_function *schedule, int each, const void *send, void *receive,
                        int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    size_t unit = (size_t)ccsched_extent(type);
    int ranks, error, is_leader;
    struct levels *levels = levels_of(comm, each, &error);
    char *all = receive, *own = receive;

    if (levels == NULL)
        return error;
    PMPI_Comm_size(comm, &ranks);
    is_leader = levels->local == 0;
    if (function == ALLREDUCE) {
        error = PMPI_Reduce(is_leader && send == receive ? MPI_IN_PLACE : send, receive, count, type, op, 0,
                            levels->node);
        if (error == MPI_SUCCESS && is_leader)
            error = schedule(receive, receive, count, type, op, levels->leaders);
        return error != MPI_SUCCESS ? error : PMPI_Bcast(receive, count, type, 0, levels->node);
    }
    if (is_leader) {
        all = ccsched_take((size_t)ranks * (size_t)count * unit);
        own = ccsched_take((size_t)each * (size_t)count * unit);
    }
    error = PMPI_Reduce(send, all, ranks * count, type, op, 0, levels->node);
    if (error == MPI_SUCCESS && is_leader)
        error = schedule(all, own, each * count, type, op, levels->leaders);
    return error != MPI_SUCCESS ? error
                                : PMPI_Scatter(own, count, type, receive, count, type, 0, levels->node);
}
