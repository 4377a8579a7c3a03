/* Times collectives of MPI: a program that knows nothing of schedules. With libccsched-coll.so in
 * LD_PRELOAD it measures those. Build: mpicc -O2 -o collectives examples/collectives.c
 *
 *   mpirun -n 8 ./collectives [REPEATS] BYTES..
 *
 * Prints a line for each collective and length (of the block of a rank, of an all-reduce of the
 * vector): the median of the times of the slowest rank, in microseconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int repeats = argc > 1 ? atoi(argv[1]) : 7;
    if (repeats < 1 || argc < 3) {
        if (rank == 0)
            fprintf(stderr, "usage: collectives REPEATS BYTES..\n");
        MPI_Finalize();
        return 2;
    }
    double *times = malloc(repeats * sizeof *times);
    for (int i = 2; i < argc; i++) {
        int bytes = atoi(argv[i]), words = bytes / 4;
        char *send = malloc((size_t)bytes * ranks + 4), *receive = malloc((size_t)bytes * ranks + 4);
        if (!send || !receive)
            MPI_Abort(MPI_COMM_WORLD, 1);
        memset(send, 1, (size_t)bytes * ranks);
        for (int what = 0; what < 3; what++) {
            for (int round = -1; round < repeats; round++) {
                MPI_Barrier(MPI_COMM_WORLD);
                double begin = MPI_Wtime(), took, slowest;
                if (what == 0)
                    MPI_Alltoall(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, MPI_COMM_WORLD);
                else if (what == 1)
                    MPI_Allgather(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, MPI_COMM_WORLD);
                else
                    MPI_Allreduce(send, receive, words, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
                took = MPI_Wtime() - begin;
                MPI_Reduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
                if (round >= 0 && rank == 0) /* The first one opens connections. */
                    times[round] = slowest;
            }
            if (rank == 0) {
                const char *names[] = {"alltoall", "allgather", "allreduce"};
                qsort(times, repeats, sizeof *times, compare);
                printf("%-10s %9d %12.0f\n", names[what], bytes, times[repeats / 2] * 1e6);
                fflush(stdout);
            }
        }
        free(send);
        free(receive);
    }
    free(times);
    MPI_Finalize();
    return 0;
}
