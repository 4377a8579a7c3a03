/* What rank 0 of a communicator says with CCSCHED_LOG=1, each thing once. */
#include "ccsched_coll.h"

#include <pthread.h>
#include <stdio.h>

enum { LINES = 1024 };

int ccsched_logs;

const char *const ccsched_names[FUNCTIONS] = {
    "MPI_Allgather", "MPI_Allreduce", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Bcast",
    "MPI_Gather",    "MPI_Reduce",    "MPI_Reduce_scatter_block", "MPI_Scatter",
};

unsigned long long ccsched_hash_number(unsigned long long hash, unsigned number)
{
    return (hash ^ number) * 1099511628211ULL;
}

unsigned long long ccsched_hash_text(unsigned long long hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = ccsched_hash_number(hash, (unsigned char)*text);
    return hash;
}

/* Communicators that are alike, such as copies of one, say the same: each line comes once. */
static int is_new(const char *line)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static unsigned long long said[LINES];
    static size_t number;
    unsigned long long hash = ccsched_hash_text(CCSCHED_HASH, line);
    int fresh = 1;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < number && fresh; i++)
        fresh = said[i] != hash;
    if (fresh && number < LINES)
        said[number++] = hash;
    pthread_mutex_unlock(&lock);
    return fresh;
}

/* A line of the log, written at once. */
static void say(const struct call *call, const struct state *state, const char *what)
{
    char name[MPI_MAX_OBJECT_NAME + 1] = "", line[MPI_MAX_OBJECT_NAME + 512];
    int unused;

    PMPI_Comm_get_name(call->comm, name, &unused);
    snprintf(line, sizeof line, "ccsched: %s of %d ranks: %s: %s\n",
             name[0] == '\0' ? "a communicator" : name, state->size, call->name, what);
    if (is_new(line))
        fputs(line, stderr);
}

void ccsched_say_used(struct call *call, const struct entry *entry)
{
    struct state *state = call->state;
    size_t place = (size_t)(entry - ccsched_entries);
    unsigned char bit = call->kind == entry->function ? 1 : 2;
    const char *order = call->order->is_as_is ? "" : ", blocks in another order";
    char what[256];

    call->entry = entry;
    if (!ccsched_logs || state->rank != 0 || (state->used[place] & bit) != 0)
        return;
    state->used[place] |= bit;
    if (entry->function == ALLTOALLV)
        snprintf(what, sizeof what, "schedule %.160s%s", entry->name, order);
    else if (state->ranges >= 0)
        snprintf(what, sizeof what, "schedule %.160s, measured to be faster%s", entry->name, order);
    else
        snprintf(what, sizeof what, "schedule %.160s, from %llu bytes on%s", entry->name, entry->least,
                 order);
    say(call, state, what);
}

/* Why calls are passed on; with a number in some. */
static const char *const why[REASONS] = {
    [NONE] = "",
    [IS_OFF] = "CCSCHED_OFF is set",
    [BETWEEN_GROUPS] = "an intercommunicator",
    [OTHER_SIZE] = "no schedule is for %llu ranks",
    [OTHER_LIBRARY] = "the ranks have different libraries",
    [OTHER_PACKING] = "MPI_Pack adds to the data",
    [NO_COMMUNICATOR] = "MPI has no communicator for the messages of schedules",
    [NO_MEASUREMENTS] = "rank 0 cannot read the file of CCSCHED_TUNED, or a rank lacks memory for it",
    [OTHER_MEASUREMENTS] = "the file of CCSCHED_TUNED is damaged, or of another library",
    [NO_FUNCTION] = "no schedule is for this function",
    [OTHER_HOSTS] = "rank %llu is on another host than in the schedule",
    [OTHER_ROOT] = "the schedule is for root %llu",
    [UNMEASURED] = "not predicted to be faster, and not measured: CCSCHED_TUNED is not set",
    [TOO_SHORT] = "empty, or below the threshold of %llu bytes",
    [NOT_FASTER] = "empty, or a length for which no schedule was measured to be faster",
    [TOO_LONG] = "2 GB or more in a block",
    [NO_MEMORY] = "a rank lacks memory, %llu bytes",
    [OTHER_COUNTS] = "the counts of a rank are not those of a schedule, or it lacks memory",
    [UNEQUAL] = "counts differ by rank",
    [OTHER_TYPE] = "schedules are for predefined operations and types of numbers",
    [INEXACT] = "CCSCHED_EXACT is set, and sums of floating-point numbers depend on the order",
    [DIFFERS] = "ranks add in different orders, and would get different sums of these numbers",
    [NOT_TAKEN] = "this function is not taken over",
    [NOT_BLOCKING] = "not taken over; its start alone is timed",
};

void ccsched_print_why(FILE *file, enum reason reason)
{
    const char *after = strstr(why[reason], "%llu");

    if (after == NULL)
        fputs(why[reason], file);
    else
        fprintf(file, "%.*sN%s", (int)(after - why[reason]), why[reason], after + 4);
}

void ccsched_say_passed(struct call *call, struct state *state, enum reason reason,
                        unsigned long long detail)
{
    char what[256];
    const char *after;

    call->reason = reason;
    if (!ccsched_logs || state->rank != 0 || (state->said[call->kind] & 1u << reason) != 0)
        return;
    state->said[call->kind] |= 1u << reason;
    after = strstr(why[reason], "%llu");
    if (after == NULL)
        snprintf(what, sizeof what, "MPI's own: %s", why[reason]);
    else
        snprintf(what, sizeof what, "MPI's own: %.*s%llu%s", (int)(after - why[reason]), why[reason],
                 detail, after + 4);
    say(call, state, what);
}
