/* Runs every barrier of cases.h, X(function, collective, root), with each rank late in its turn. No rank may
 * leave before the last has entered, by the clock that all ranks of a machine share. Rank 0 names those
 * that fail. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#define X(f, collective, root) int f(MPI_Comm);
#include "cases.h"
#undef X

static int rank, size;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int fails(int (*f)(MPI_Comm), int late)
{
    const struct timespec delay = {0, 20000000};
    double entered, left, last, first;
    int wrong, any;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == late)
        nanosleep(&delay, NULL);
    entered = now();
    wrong = f(MPI_COMM_WORLD) != MPI_SUCCESS;
    left = now();
    MPI_Allreduce(&entered, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&left, &first, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    wrong |= first < last;
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#define X(f, collective, root) \
    { \
        int any = f(MPI_COMM_SELF) == MPI_SUCCESS; /* a communicator of another size is refused */ \
        for (int late = 0; late < size; late++) \
            any |= fails(f, late); \
        if (any && rank == 0) \
            printf("differs: %s\n", #f); \
    }
#include "cases.h"
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
    return 0;
}
