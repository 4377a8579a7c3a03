/* What a program's collectives took: CCSCHED_LOG=summary, a line for each function, or =profile, a line
 * for each function, size of a communicator, range of lengths and way. Rank 0 prints it in MPI_Finalize,
 * where the tables of all ranks are merged. */
#include "ccsched_coll.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>

enum { SLOTS = 4096, MOST = 3000, EMPTY = -1 };

/* What is counted together: the key, and its sums. */
struct row {
    char name[32];
    int size, bits; /* of the communicator; the bits of the length, 0: none */
    int entry;      /* the schedule; -1: none */
    int reason;     /* why there is none */
    int is_as_is;   /* the ranks are in the order of the schedule */
    int ranks;      /* that have this row; 0: it is counted yet */
    unsigned long long calls, bytes, shortest, longest, by_schedules, reordered;
    unsigned long long passed[REASONS];
    double seconds, most; /* of all ranks, of one */
};

static struct row *rows;
static int slots[SLOTS];
static int number;
static unsigned long long uncounted;
static double began;
static MPI_Comm messages = MPI_COMM_NULL;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void ccsched_start_profile(int kind)
{
    int good;

    rows = calloc(MOST, sizeof *rows);
    good = rows != NULL && PMPI_Comm_split(MPI_COMM_WORLD, 0, 0, &messages) == MPI_SUCCESS;
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!good)
        return;
    for (int i = 0; i < SLOTS; i++)
        slots[i] = EMPTY;
    began = PMPI_Wtime();
    ccsched_profiles = kind;
}

static int is_like(const struct row *a, const struct row *b)
{
    return a->size == b->size && a->bits == b->bits && a->entry == b->entry && a->reason == b->reason
        && a->is_as_is == b->is_as_is && strcmp(a->name, b->name) == 0;
}

/* Adds a row to that of the same key. */
static void add(const struct row *new)
{
    unsigned long long hash = ccsched_hash_text(CCSCHED_HASH, new->name);
    struct row *row;
    int at;

    hash = ccsched_hash_number(hash, (unsigned)new->size);
    hash = ccsched_hash_number(hash, (unsigned)new->bits * 64u ^ (unsigned)new->reason);
    hash = ccsched_hash_number(hash, (unsigned)new->entry * 2u ^ (unsigned)new->is_as_is);
    for (at = (int)(hash >> 40 & (SLOTS - 1)); slots[at] != EMPTY; at = (at + 1) & (SLOTS - 1))
        if (is_like(&rows[slots[at]], new))
            break;
    if (slots[at] == EMPTY) {
        if (number == MOST) {
            uncounted += new->calls;
            return;
        }
        slots[at] = number;
        rows[number++] = *new;
        return;
    }
    row = &rows[slots[at]];
    row->ranks += new->ranks;
    row->calls += new->calls;
    row->bytes += new->bytes;
    row->by_schedules += new->by_schedules;
    row->reordered += new->reordered;
    row->shortest = new->shortest < row->shortest ? new->shortest : row->shortest;
    row->longest = new->longest > row->longest ? new->longest : row->longest;
    for (int i = 0; i < REASONS; i++)
        row->passed[i] += new->passed[i];
    row->seconds += new->seconds;
    row->most = new->most > row->most ? new->most : row->most;
}

int ccsched_is_inter(MPI_Comm comm)
{
    int between = 0;

    if (comm != MPI_COMM_NULL)
        PMPI_Comm_test_inter(comm, &between);
    return comm == MPI_COMM_NULL || between;
}

int ccsched_is_root(MPI_Comm comm, int root)
{
    int rank = -1;

    PMPI_Comm_rank(comm, &rank);
    return rank == root;
}

int ccsched_count(const struct call *call, unsigned long long bytes, int error)
{
    struct row row = {.size = 0, .entry = -1, .is_as_is = 1, .calls = 1};

    row.seconds = PMPI_Wtime() - call->began;
    if (bytes == ULLONG_MAX) /* no length at all */
        bytes = 0;
    row.bytes = row.shortest = row.longest = bytes;
    row.by_schedules = call->entry != NULL;
    row.reordered = call->entry != NULL && !call->order->is_as_is;
    row.passed[call->reason] = call->entry == NULL;
    snprintf(row.name, sizeof row.name, "all collectives");
    pthread_mutex_lock(&lock);
    add(&row);
    snprintf(row.name, sizeof row.name, "%s", call->name);
    if (ccsched_profiles > 1) {
        if (call->comm != MPI_COMM_NULL)
            PMPI_Comm_size(call->comm, &row.size);
        for (; bytes > 0; bytes /= 2)
            row.bits++;
        row.entry = call->entry == NULL ? -1 : (int)(call->entry - ccsched_entries);
        row.is_as_is = !row.reordered;
        row.reason = call->entry == NULL ? (int)call->reason : NONE;
    }
    add(&row);
    pthread_mutex_unlock(&lock);
    return error;
}

/* Merges the tables of all ranks on rank 0, two by two. Returns there how long the slowest one ran. */
static double merge(void)
{
    double seconds = PMPI_Wtime() - began, longest = 0;
    int rank, size, others;
    struct row *theirs = malloc(MOST * sizeof *theirs);
    unsigned long long lost;
    int good = theirs != NULL;

    for (int i = 0; i < number; i++)
        rows[i].ranks = 1, rows[i].most = rows[i].seconds;
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, messages);
    PMPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, messages);
    PMPI_Comm_rank(messages, &rank);
    PMPI_Comm_size(messages, &size);
    for (int step = 1; good && step < size; step *= 2) {
        if (rank & step) {
            PMPI_Send(&number, 1, MPI_INT, rank - step, 0, messages);
            PMPI_Send(&uncounted, 1, MPI_UNSIGNED_LONG_LONG, rank - step, 0, messages);
            PMPI_Send(rows, number * (int)sizeof *rows, MPI_BYTE, rank - step, 0, messages);
            break;
        }
        if (rank + step >= size)
            continue;
        PMPI_Recv(&others, 1, MPI_INT, rank + step, 0, messages, MPI_STATUS_IGNORE);
        PMPI_Recv(&lost, 1, MPI_UNSIGNED_LONG_LONG, rank + step, 0, messages, MPI_STATUS_IGNORE);
        PMPI_Recv(theirs, others * (int)sizeof *theirs, MPI_BYTE, rank + step, 0, messages, MPI_STATUS_IGNORE);
        uncounted += lost;
        for (int i = 0; i < others; i++)
            add(&theirs[i]);
    }
    free(theirs);
    return longest;
}

/* The row of all collectives comes first, then those that took longest. */
static int before(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int first = (x->name[0] == 'a') - (y->name[0] == 'a');

    return first != 0 ? -first : (x->most < y->most) - (x->most > y->most);
}

/* A length, whole units. */
static const char *length(unsigned long long bytes, char text[24])
{
    const char *units = " KMGT";
    int unit = 0;

    while (bytes >= 1024 && bytes % 1024 == 0 && unit < 4)
        bytes /= 1024, unit++;
    snprintf(text, 24, unit == 0 ? "%llu" : "%llu%c", bytes, units[unit]);
    return text;
}

static void print_way(const struct row *row)
{
    const char *between = "";

    if (ccsched_profiles > 1 && row->name[0] != 'a') {
        if (row->entry < 0)
            fputs("MPI's own: ", stderr), ccsched_print_why(stderr, (enum reason)row->reason), fputc('\n', stderr);
        else
            fprintf(stderr, "schedule %.160s%s\n", ccsched_entries[row->entry].name,
                    row->is_as_is ? "" : ", blocks in another order");
        return;
    }
    if (row->by_schedules > 0)
        fprintf(stderr, "%llu by schedules", row->by_schedules), between = "; ";
    for (int i = 0; i < REASONS; i++) {
        if (row->passed[i] == 0)
            continue;
        fprintf(stderr, "%s%llu MPI's own: ", between, row->passed[i]);
        ccsched_print_why(stderr, (enum reason)i);
        between = "; ";
    }
    fputc('\n', stderr);
}

static void print(double seconds)
{
    int size;
    char from[24], to[24], range[52];

    PMPI_Comm_size(messages, &size);
    qsort(rows, (size_t)number, sizeof *rows, before);
    fprintf(stderr,
            "ccsched: collectives of %d ranks, %.3f s from MPI_Init to MPI_Finalize; calls and bytes of all "
            "ranks, seconds of the slowest rank and their mean\n",
            size, seconds);
    fprintf(stderr, "ccsched: %-26s", "function");
    if (ccsched_profiles > 1)
        fprintf(stderr, " %6s", "ranks");
    fprintf(stderr, " %-15s %11s %15s %10s %10s  %s\n", "lengths", "calls", "bytes", "slowest", "mean", "way");
    for (int i = 0; i < number; i++) {
        const struct row *row = &rows[i];
        fprintf(stderr, "ccsched: %-26s", row->name);
        if (ccsched_profiles > 1 && row->size > 0)
            fprintf(stderr, " %6d", row->size);
        else if (ccsched_profiles > 1)
            fprintf(stderr, " %6s", "");
        if (row->bits > 0)
            snprintf(range, sizeof range, "%s to <%s", length(1ULL << (row->bits - 1), from),
                     length(row->bits == 64 ? ULLONG_MAX : 1ULL << row->bits, to));
        else if (row->shortest < row->longest)
            snprintf(range, sizeof range, "%s to %s", length(row->shortest, from), length(row->longest, to));
        else
            snprintf(range, sizeof range, "%s", length(row->longest, from));
        fprintf(stderr, " %-15s %11llu %15llu %10.6f %10.6f  ", range, row->calls, row->bytes, row->most,
                row->seconds / row->ranks);
        print_way(row);
    }
    for (int i = 0; i < number; i++)
        if (rows[i].name[0] == 'a' && rows[i].reordered + rows[i].passed[OTHER_HOSTS] > 0)
            fprintf(stderr,
                    "ccsched: ranks in another order than in the schedule: %llu calls by schedules; on other "
                    "hosts than in schedules: %llu passed on\n",
                    rows[i].reordered, rows[i].passed[OTHER_HOSTS]);
    if (uncounted > 0)
        fprintf(stderr, "ccsched: %llu more calls, of more kinds than are counted apart\n", uncounted);
    fflush(stderr);
}

CCSCHED_TAKEN int MPI_Finalize(void)
{
    int rank;

    if (ccsched_profiles) {
        double seconds = merge();
        PMPI_Comm_rank(messages, &rank);
        if (rank == 0)
            print(seconds);
        PMPI_Comm_free(&messages);
        ccsched_profiles = 0;
        free(rows);
    }
    return PMPI_Finalize();
}
