/* What rank 0 of a communicator says with CCSCHED_LOG=1, each thing once. */
#include "ccsched_coll.h"

#include <stdio.h>

int ccsched_logs;

const char *const ccsched_names[FUNCTIONS] = {
    "MPI_Allgather", "MPI_Allreduce", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Bcast",
    "MPI_Gather",    "MPI_Reduce",    "MPI_Reduce_scatter_block", "MPI_Scatter",
};

/* A line of the log, written at once. */
static void say(const struct state *state, MPI_Comm comm, enum function function, const char *what)
{
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    int unused;

    PMPI_Comm_get_name(comm, name, &unused);
    fprintf(stderr, "ccsched: %s of %d ranks: %s: %s\n", name[0] == '\0' ? "a communicator" : name,
            state->size, ccsched_names[function], what);
}

void ccsched_say_used(struct state *state, MPI_Comm comm, const struct entry *entry)
{
    size_t place = (size_t)(entry - ccsched_entries);
    char what[256];

    if (!ccsched_logs || state->rank != 0 || state->used[place])
        return;
    state->used[place] = 1;
    if (entry->function == ALLTOALLV)
        snprintf(what, sizeof what, "schedule %.160s", entry->name);
    else if (state->ranges >= 0)
        snprintf(what, sizeof what, "schedule %.160s, measured to be faster", entry->name);
    else
        snprintf(what, sizeof what, "schedule %.160s, from %llu bytes on", entry->name, entry->least);
    say(state, comm, entry->function, what);
}

void ccsched_say_passed(struct state *state, MPI_Comm comm, enum function function,
                        enum reason reason, unsigned long long detail)
{
    static const char *const why[] = {
        [NONE] = "",
        [IS_OFF] = "CCSCHED_OFF is set",
        [BETWEEN_GROUPS] = "an intercommunicator",
        [OTHER_SIZE] = "no schedule is for %llu ranks",
        [OTHER_LIBRARY] = "the ranks have different libraries",
        [THREADS] = "MPI_THREAD_MULTIPLE",
        [OTHER_PACKING] = "MPI_Pack adds to the data",
        [NO_COMMUNICATOR] = "MPI has no communicator for the messages of schedules",
        [NO_MEASUREMENTS] = "rank 0 cannot read the file of CCSCHED_TUNED, or a rank lacks memory for it",
        [OTHER_MEASUREMENTS] = "the file of CCSCHED_TUNED is damaged, or of another library",
        [NO_FUNCTION] = "no schedule is for this function",
        [OTHER_HOSTS] = "rank %llu is on another host than in the schedule",
        [OTHER_ROOT] = "the schedule is for root %llu",
        [TOO_SHORT] = "empty, or below the threshold of %llu bytes",
        [NOT_FASTER] = "empty, or a length for which no schedule was measured to be faster",
        [TOO_LONG] = "2 GB or more in a block",
        [NO_MEMORY] = "a rank lacks memory, %llu bytes",
        [OTHER_COUNTS] = "the counts of a rank are not those of a schedule, or it lacks memory",
        [OTHER_TYPE] = "schedules are for predefined operations and types of numbers",
        [INEXACT] = "CCSCHED_EXACT is set, and sums of floating-point numbers depend on the order",
        [DIFFERS] = "sums of floating-point numbers would differ between ranks",
    };
    char what[256];
    const char *after;

    if (!ccsched_logs || state->rank != 0 || (state->said[function] & 1u << reason) != 0)
        return;
    state->said[function] |= 1u << reason;
    after = strstr(why[reason], "%llu");
    if (after == NULL)
        snprintf(what, sizeof what, "MPI's own: %s", why[reason]);
    else
        snprintf(what, sizeof what, "MPI's own: %.*s%llu%s", (int)(after - why[reason]), why[reason],
                 detail, after + 4);
    say(state, comm, function, what);
}
