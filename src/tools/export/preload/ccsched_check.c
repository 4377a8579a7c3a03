/* Whether a program that the launcher starts like this one can use the library: all ranks have it, and are
 * on the hosts of its schedules. Says why not, and ends with status 1; `run` then starts without it.
 *
 *   mpirun -n RANKS [as the program will be started] ./ccsched-check HOSTS
 *
 * HOSTS is a file with the host of each rank, a line each. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "ccsched_coll.h"

#include <dlfcn.h>
#include <stdio.h>

enum { HAVE, HASH, MINUS_HASH, PLACED, READ, VALUES };

/* Reads the host of a rank; returns the number of hosts, 0 without a file. */
static int hosts(const char *path, int rank, char host[1024])
{
    FILE *file = fopen(path, "r");
    char line[1024];
    int number = 0;

    for (; file != NULL && fgets(line, sizeof line, file) != NULL; number++) {
        line[strcspn(line, "\n")] = '\0';
        if (number == rank)
            memcpy(host, line, sizeof line);
    }
    if (file != NULL)
        fclose(file);
    return number;
}

int main(int argc, char **argv)
{
    long long (*loaded)(void), all[VALUES];
    char here[MPI_MAX_PROCESSOR_NAME + 1], wanted[1024] = "";
    int rank, size, ranks, code = 0;
    void *found = dlsym(RTLD_DEFAULT, "ccsched_loaded");

    *(void **)&loaded = found;
    PMPI_Init(&argc, &argv); /* the library asks nothing then */
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    ccsched_host(here);
    ranks = argc < 2 ? size : hosts(argv[1], rank, wanted);
    all[HAVE] = found == NULL ? rank : size;
    all[HASH] = found == NULL ? 0 : loaded();
    all[MINUS_HASH] = -all[HASH];
    all[PLACED] = argc < 2 || ccsched_is_same(wanted, here) ? size : rank;
    all[READ] = ranks > 0;
    PMPI_Allreduce(MPI_IN_PLACE, all, VALUES, MPI_LONG_LONG, MPI_MIN, MPI_COMM_WORLD);
    if (all[HAVE] < size || !all[READ]) {
        code = 1;
        if (rank == all[HAVE] || (rank == 0 && all[HAVE] == size))
            fprintf(stderr, "ccsched-check: rank %lld, on %s, does not get the library: is the folder on that host?\n",
                    all[HAVE] % size, here);
    } else if (ranks != size) {
        code = 1;
        if (rank == 0)
            fprintf(stderr, "ccsched-check: the launcher starts %d ranks, and the schedules are for %d%s\n", size, ranks,
                    size > 1 ? "" : ": is it of the same MPI as mpicc?");
    } else if (all[HASH] != -all[MINUS_HASH]) {
        code = 1;
        if (rank == 0)
            fprintf(stderr, "ccsched-check: hosts have different libraries: build it where all hosts see it\n");
    } else if (all[PLACED] < size) {
        code = 1;
        if (rank == all[PLACED])
            fprintf(stderr, "ccsched-check: rank %d is on %s, and in the schedules on %s\n", rank, here, wanted);
    }
    PMPI_Finalize();
    return code;
}
