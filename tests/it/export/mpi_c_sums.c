/* Runs every case of cases.h, X(function, collective, root), with vectors of several lengths, and
 * compares its results with those of MPI's own reduction. Rank 0 names those that differ. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(f, collective, root) int f(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
#include "cases.h"
#undef X

static int rank, size;

static void reference(const char *what, const int *send, int *receive, int n, MPI_Op op, int root)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    if (!strcmp(what, "reduce"))
        MPI_Reduce(send, receive, n, MPI_INT, op, root, comm);
    else if (!strcmp(what, "reduce_scatter"))
        MPI_Reduce_scatter_block(send, receive, n, MPI_INT, op, comm);
    else
        MPI_Allreduce(send, receive, n, MPI_INT, op, comm);
}

static int differs(int (*f)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm),
                   const char *what, int root, int n, MPI_Op op)
{
    size_t all = (size_t)size * (size_t)n + 16; /* what lies behind must stay */
    int *send = malloc(all * sizeof *send), *receive = malloc(all * sizeof *receive);
    int *right = malloc(all * sizeof *right), wrong, any;
    for (size_t i = 0; i < all; i++)
        send[i] = (int)((i * 131 + i / 251 + (size_t)rank * 7919 + (size_t)n) % 100003);
    memset(receive, 0x55, all * sizeof *receive);
    memset(right, 0x55, all * sizeof *right);
    reference(what, send, right, n, op, root);
    wrong = f(send, receive, n, MPI_INT, op, MPI_COMM_WORLD) != MPI_SUCCESS
            || memcmp(receive, right, all * sizeof *right) != 0;
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    free(send);
    free(receive);
    free(right);
    return any;
}

int main(int argc, char **argv)
{
    static const int lengths[] = {0, 1, 5, 1000, 20001};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#define X(f, collective, root) \
    { \
        int any = 0; \
        for (int i = 0; i < 5; i++) { \
            any |= differs(f, #collective, root, lengths[i], MPI_SUM); \
            any |= differs(f, #collective, root, lengths[i], MPI_MAX); \
        } \
        if (any && rank == 0) \
            printf("differs: %s\n", #f); \
        /* A communicator of another size is refused. */ \
        if (f(NULL, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF) == MPI_SUCCESS) \
            printf("differs: %s\n", #f); \
    }
#include "cases.h"
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
    return 0;
}
