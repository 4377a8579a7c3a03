/* Runs every case of cases.h, X(function, collective, root), with blocks of several lengths, and
 * compares what it receives with what MPI's own collective receives. Rank 0 names those that differ. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(f, collective, root) int f(const void *, void *, int, MPI_Comm);
#include "cases.h"
#undef X

static int rank, size;

/* A traffic: two messages to the next rank, one to the third from it. */
static void traffic(const char *send, char *receive, int bytes)
{
    int *counts = calloc((size_t)size * 4, sizeof *counts);
    int *starts = counts + size, *into = counts + 2 * size, *places = counts + 3 * size;
    counts[(rank + 1) % size] = 2 * bytes;
    counts[(rank + 3) % size] = bytes;
    into[(rank + size - 1) % size] = 2 * bytes;
    into[(rank + size - 3) % size] = bytes;
    for (int i = 1; i < size; i++) {
        starts[i] = starts[i - 1] + counts[i - 1];
        places[i] = places[i - 1] + into[i - 1];
    }
    MPI_Alltoallv(send, counts, starts, MPI_BYTE, receive, into, places, MPI_BYTE, MPI_COMM_WORLD);
    free(counts);
}

/* The first half gathers all of its blocks, the second exchanges them; none has its own. */
static void groups(const char *send, char *receive, int bytes)
{
    int half = size / 2, first = rank < half ? 0 : half, block = 0;
    int *counts = calloc((size_t)size * 4, sizeof *counts);
    int *starts = counts + size, *into = counts + 2 * size, *places = counts + 3 * size;
    for (int i = first; i < first + half; i++) {
        if (i == rank)
            continue;
        counts[i] = into[i] = bytes;
        starts[i] = rank < half ? 0 : block * bytes;
        places[i] = block++ * bytes;
    }
    MPI_Alltoallv(send, counts, starts, MPI_BYTE, receive, into, places, MPI_BYTE, MPI_COMM_WORLD);
    free(counts);
}

static void reference(const char *what, const char *send, char *receive, int n, int root)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    if (!strcmp(what, "aas"))
        MPI_Alltoall(send, n, MPI_BYTE, receive, n, MPI_BYTE, comm);
    else if (!strcmp(what, "aab"))
        MPI_Allgather(send, n, MPI_BYTE, receive, n, MPI_BYTE, comm);
    else if (!strcmp(what, "oas"))
        MPI_Scatter(send, n, MPI_BYTE, receive, n, MPI_BYTE, root, comm);
    else if (!strcmp(what, "aog"))
        MPI_Gather(send, n, MPI_BYTE, receive, n, MPI_BYTE, root, comm);
    else if (!strcmp(what, "traffic"))
        traffic(send, receive, n);
    else if (!strcmp(what, "groups"))
        groups(send, receive, n);
    else {
        if (rank == root)
            memcpy(receive, send, (size_t)n);
        MPI_Bcast(receive, n, MPI_BYTE, root, comm);
    }
}

static int differs(int (*f)(const void *, void *, int, MPI_Comm), const char *what, int root, int n)
{
    size_t length = (size_t)size * (size_t)n, all = length + 64; /* what lies behind must stay */
    char *send = malloc(all), *receive = malloc(all), *right = malloc(all);
    int wrong, any;
    for (size_t i = 0; i < all; i++)
        send[i] = (char)(i * 131 + i / 251 + (size_t)rank * 7919 + (size_t)n);
    memset(receive, 0x55, all);
    memset(right, 0x55, all);
    reference(what, send, right, n, root);
    wrong = f(send, receive, n, MPI_COMM_WORLD) != MPI_SUCCESS || memcmp(receive, right, all) != 0;
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    free(send);
    free(receive);
    free(right);
    return any;
}

int main(int argc, char **argv)
{
    static const int lengths[] = {0, 1, 1000, 70000};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#define X(f, collective, root) \
    { \
        int any = 0; \
        for (int i = 0; i < 4; i++) \
            any |= differs(f, #collective, root, lengths[i]); \
        if (any && rank == 0) \
            printf("differs: %s\n", #f); \
        /* A communicator of another size is refused. */ \
        if (f(NULL, NULL, 1, MPI_COMM_SELF) == MPI_SUCCESS) \
            printf("differs: %s\n", #f); \
    }
#include "cases.h"
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
    return 0;
}
