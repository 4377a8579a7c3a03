/* The lengths for which schedules were measured to be faster than MPI's own functions: the file that
 * ccsched-tune writes. Rank 0 of a communicator reads it and tells the others. */
#include "ccsched_coll.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

enum { LINE = 512, UNTOLD = -1, UNREAD = -2, WRONG = -3 };

/* The ranges of a file, or why there are none. A file that is cut off has no line with their number. */
static long long read_ranges(FILE *file, unsigned long long **ranges)
{
    char line[LINE];
    unsigned long long range[3], *more, number;
    long long hash, count = 0;

    if (fgets(line, LINE, file) == NULL || strncmp(line, CCSCHED_TUNED, strlen(CCSCHED_TUNED)) != 0
        || sscanf(line + strlen(CCSCHED_TUNED), "%lld", &hash) != 1 || hash != ccsched_hash)
        return WRONG;
    while (fgets(line, LINE, file) != NULL) {
        if (sscanf(line, "end %llu", &number) == 1)
            return number == (unsigned long long)count ? count : WRONG;
        if (line[0] == '#')
            continue;
        if (sscanf(line, "%llu %llu %llu ", &range[0], &range[1], &range[2]) != 3
            || range[0] >= (unsigned long long)ccsched_number || range[1] > range[2] || count == INT_MAX / 3)
            return WRONG;
        more = realloc(*ranges, (size_t)(count + 1) * sizeof range);
        if (more == NULL)
            return UNREAD;
        *ranges = more;
        memcpy(more + 3 * count, range, sizeof range);
        count++;
    }
    return WRONG;
}

void ccsched_read_measured(struct state *state, MPI_Comm comm)
{
    const char *path = getenv("CCSCHED_TUNED");
    long long said = UNTOLD;
    struct stat about;
    FILE *file;
    int good = 1;

    if (state->rank == 0 && path != NULL && *path != '\0') {
        /* A pipe without a writer would hold the program. */
        file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "r") : NULL;
        said = file == NULL ? UNREAD : read_ranges(file, &state->measured);
        if (file != NULL)
            fclose(file);
    }
    if (PMPI_Bcast(&said, 1, MPI_LONG_LONG, 0, comm) != MPI_SUCCESS)
        said = UNREAD;
    if (said > 0) {
        if (state->rank != 0)
            state->measured = malloc((size_t)said * 3 * sizeof *state->measured);
        good = state->measured != NULL;
        PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
        if (good)
            PMPI_Bcast(state->measured, (int)said * 3, MPI_UNSIGNED_LONG_LONG, 0, comm);
        else
            said = UNREAD;
    }
    if (said < 0) {
        free(state->measured);
        state->measured = NULL;
    }
    if (said == UNREAD || said == WRONG)
        state->reason = said == WRONG ? OTHER_MEASUREMENTS : NO_MEASUREMENTS;
    else
        state->ranges = said;
}
