/* Measures from which length to which each schedule of the library is faster than MPI's own function on
 * these ranks, and writes the file that CCSCHED_TUNED names for the library.
 *
 *   mpirun -n RANKS ./ccsched-tune FILE [BYTES..]
 *
 * Calls of a length alternate between MPI's own function and all schedules, with a barrier before each;
 * the time of a call is that of the slowest rank. A schedule wins at a length if its median gain is at
 * least GAIN and so few repeats went against it that chance does as well in one of 28 cases at most. It
 * is used between two neighbouring lengths if it wins at both, and beyond the longest one not at all. */
#define _POSIX_C_SOURCE 200809L
#include "ccsched_coll.h"

#include <stdio.h>

/* Seconds for the repeats of a length, and how many there are at least and at most. */
#define SECONDS 1.0
#define GAIN 1.02
enum { LEAST = 7, MOST = 41, LENGTHS = 64 };

/* A function, and the entries that can take its place. */
struct group {
    enum function function;
    int root, number; /* of entries */
    int *entries;
};

/* What a rank sends and receives in calls of some length. */
struct buffers {
    char *send, *receive;
    int bytes;
};

static unsigned long long lengths[LENGTHS];
static int number;

/* A call; entry -1: of MPI's own function. */
static void call(const struct group *group, int entry, struct buffers data, MPI_Comm comm)
{
    int own = entry < 0, n = data.bytes, words = n / (int)sizeof(int);

    ccsched_forced = entry;
#define CALL(name, ...) (own ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))
    switch (group->function) {
    case ALLGATHER:
        CALL(Allgather, data.send, n, MPI_BYTE, data.receive, n, MPI_BYTE, comm);
        break;
    case ALLTOALL:
        CALL(Alltoall, data.send, n, MPI_BYTE, data.receive, n, MPI_BYTE, comm);
        break;
    case BCAST:
        CALL(Bcast, data.send, n, MPI_BYTE, group->root, comm);
        break;
    case GATHER:
        CALL(Gather, data.send, n, MPI_BYTE, data.receive, n, MPI_BYTE, group->root, comm);
        break;
    case SCATTER:
        CALL(Scatter, data.send, n, MPI_BYTE, data.receive, n, MPI_BYTE, group->root, comm);
        break;
    case ALLREDUCE:
        CALL(Allreduce, data.send, data.receive, words, MPI_INT, MPI_SUM, comm);
        break;
    case REDUCE:
        CALL(Reduce, data.send, data.receive, words, MPI_INT, MPI_SUM, group->root, comm);
        break;
    case REDUCE_SCATTER_BLOCK:
        CALL(Reduce_scatter_block, data.send, data.receive, words, MPI_INT, MPI_SUM, comm);
        break;
    default:
        break;
    }
    ccsched_forced = -1;
}

static double timed(const struct group *group, int entry, struct buffers data, MPI_Comm comm)
{
    double begin;

    PMPI_Barrier(comm);
    begin = PMPI_Wtime();
    call(group, entry, data, comm);
    return PMPI_Wtime() - begin;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

/* The median gain of a schedule over MPI's own function, or 0 if it does not win. */
static double gain(const double *times, int contenders, int contender, int repeats)
{
    double ratios[MOST];
    int lost = 0;

    for (int i = 0; i < repeats; i++) {
        ratios[i] = times[i * contenders] / times[i * contenders + contender];
        lost += ratios[i] <= 1;
    }
    return 3 * lost <= repeats - 5 && median(ratios, repeats) >= GAIN ? ratios[repeats / 2] : 0;
}

/* Measures the calls of one length. On rank 0: the gain of each entry. Returns whether all ranks have the
 * memory. */
static int measure(const struct group *group, unsigned long long bytes, MPI_Comm comm, double *gains)
{
    int rank, size, good, repeats, contenders = group->number + 1;
    double *times, sum = 0;
    struct buffers data;
    size_t room;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    room = (size_t)bytes * (size_t)size;
    data = (struct buffers){calloc(room, 1), calloc(room, 1), (int)bytes};
    times = malloc((size_t)MOST * (size_t)contenders * sizeof *times);
    good = data.send != NULL && data.receive != NULL && times != NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
    if (good) {
        /* The first calls open connections. */
        for (int i = 0; i < contenders; i++)
            call(group, i == 0 ? -1 : group->entries[i - 1], data, comm);
        for (int i = 0; i < contenders; i++)
            sum += timed(group, i == 0 ? -1 : group->entries[i - 1], data, comm);
        PMPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, comm);
        repeats = SECONDS < sum * LEAST ? LEAST : SECONDS > sum * MOST ? MOST : (int)(SECONDS / sum);
        for (int i = 0; i < repeats; i++)
            for (int j = 0; j < contenders; j++) {
                int who = (i + j) % contenders;
                times[i * contenders + who] = timed(group, who == 0 ? -1 : group->entries[who - 1], data, comm);
            }
        PMPI_Reduce(rank == 0 ? MPI_IN_PLACE : times, times, repeats * contenders, MPI_DOUBLE, MPI_MAX, 0, comm);
        for (int j = 1; j < contenders && rank == 0; j++) {
            const struct entry *entry = &ccsched_entries[group->entries[j - 1]];
            double own[MOST], its[MOST];
            gains[j - 1] = gain(times, contenders, j, repeats);
            for (int i = 0; i < repeats; i++)
                own[i] = times[i * contenders], its[i] = times[i * contenders + j];
            printf("%-24s %5d %11llu %12.0f %12.0f  %s  %.100s\n", ccsched_names[group->function], size,
                   bytes, 1e6 * median(own, repeats), 1e6 * median(its, repeats),
                   gains[j - 1] > 0 ? "faster" : "      ", entry->name);
            fflush(stdout);
        }
    }
    free(data.send);
    free(data.receive);
    free(times);
    return good;
}

/* The ranges that are written, one after the other. */
struct ranges {
    FILE *file;
    int count, entry;
    unsigned long long from, to;
};

static void put(struct ranges *ranges, int entry, unsigned long long from, unsigned long long to)
{
    if (entry >= 0 && entry == ranges->entry && ranges->to + 1 == from) {
        ranges->to = to;
        return;
    }
    if (ranges->entry >= 0) {
        const struct entry *it = &ccsched_entries[ranges->entry];
        fprintf(ranges->file, "%d %llu %llu %s of %d ranks: %.160s\n", ranges->entry, ranges->from,
                ranges->to, ccsched_names[it->function], it->ranks, it->name);
        ranges->count++;
    }
    ranges->entry = entry;
    ranges->from = from;
    ranges->to = to;
}

/* The entry of the largest gain at both lengths; -1: none gains. */
static int best(const struct group *group, const double *gains, const double *others)
{
    double most = 0;
    int found = -1;

    for (int i = 0; i < group->number; i++) {
        double least = gains[i] < others[i] ? gains[i] : others[i];
        if (least > most)
            most = least, found = group->entries[i];
    }
    return found;
}

/* Measures a function at all lengths, and writes its ranges on rank 0. */
static int tune(const struct group *group, MPI_Comm comm, struct ranges *ranges)
{
    size_t each = (size_t)group->number;
    double *gains = calloc(LENGTHS * each, sizeof *gains);
    int rank, good = gains != NULL, measured = 0;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
    while (good && measured < number
           && measure(group, lengths[measured], comm, gains + (size_t)measured * each))
        measured++;
    for (int i = 0; i < measured && rank == 0; i++) {
        const double *here = gains + (size_t)i * each, *before = here - each;
        if (i > 0 && lengths[i - 1] + 1 < lengths[i])
            put(ranges, best(group, before, here), lengths[i - 1] + 1, lengths[i] - 1);
        put(ranges, best(group, here, here), lengths[i], lengths[i]);
    }
    if (rank == 0)
        put(ranges, -1, 0, 0);
    free(gains);
    return good;
}

/* Measures all functions of a communicator. */
static int tune_all(MPI_Comm comm, struct ranges *ranges)
{
    int size, good = 1;
    int *entries = malloc((size_t)ccsched_number * sizeof *entries);
    char *done = calloc((size_t)ccsched_number, 1);
    struct state *state = ccsched_state(comm, ALLTOALL);

    PMPI_Comm_size(comm, &size);
    good = entries != NULL && done != NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
    for (int i = 0; i < ccsched_number && good && state != NULL; i++) {
        struct group group = {ccsched_entries[i].function, ccsched_entries[i].root, 0, entries};
        for (int j = i; j < ccsched_number; j++) {
            const struct entry *other = &ccsched_entries[j];
            if (done[j] || other->function != group.function || other->root != group.root
                || other->ranks != size || state->misplaced[j] < size || other->function == ALLTOALLV)
                continue;
            done[j] = 1;
            entries[group.number++] = j;
        }
        if (group.number > 0)
            good = tune(&group, comm, ranges);
    }
    free(entries);
    free(done);
    return good;
}

/* Lengths from words such as 64K; doubling ones if there are none. Returns the word that is wrong. */
static const char *read_lengths(char **words)
{
    unsigned long long last = 0;

    for (int i = 0; words[i] != NULL; i++) {
        char *end;
        unsigned long long bytes = strtoull(words[i], &end, 10);
        const char *units = "KMG", *unit = *end == '\0' ? NULL : strchr(units, *end);
        if (unit != NULL && bytes < 1u << 31)
            bytes <<= 10 * (unit - units + 1), end++;
        /* Sums are of integers. */
        bytes = bytes / sizeof(int) * sizeof(int);
        if (*end != '\0' || bytes <= last || bytes > 1u << 30 || number == LENGTHS)
            return words[i];
        lengths[number++] = last = bytes;
    }
    for (unsigned long long bytes = 1u << 10; words[0] == NULL && bytes <= 1u << 22; bytes *= 2)
        lengths[number++] = bytes;
    return NULL;
}

int main(int argc, char **argv)
{
    char path[4096];
    const char *wrong;
    struct ranges ranges = {NULL, 0, -1, 0, 0};
    int rank, size, good = 1;

    unsetenv("CCSCHED_TUNED"); /* what was measured before */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    wrong = argc < 2 ? "" : read_lengths(argv + 2);
    if (wrong != NULL || snprintf(path, sizeof path, "%s.new", argv[1]) >= (int)sizeof path) {
        if (rank == 0 && argc < 2)
            fprintf(stderr, "usage: ccsched-tune FILE [BYTES..]\n");
        else if (rank == 0)
            fprintf(stderr, "ccsched-tune: '%s' is no length in bytes above the one before, of at most 1G\n", wrong);
        MPI_Finalize();
        return 2;
    }
    if (rank == 0) {
        ranges.file = fopen(path, "w");
        good = ranges.file != NULL;
        if (!good)
            perror(path);
    }
    PMPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (good && rank == 0) {
        fprintf(ranges.file, CCSCHED_TUNED "%lld\n# entry, first length, last length\n", ccsched_hash);
        printf("%-24s %5s %11s %12s %12s\n", "function", "ranks", "bytes", "MPI us", "schedule us");
    }
    /* Communicators of the first ranks, of every size that schedules have. */
    for (int ranks = 1; good && ranks <= size; ranks++) {
        MPI_Comm comm;
        int fits = 0;
        for (int i = 0; i < ccsched_number; i++)
            fits |= ccsched_entries[i].ranks == ranks;
        if (!fits)
            continue;
        PMPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
        if (comm != MPI_COMM_NULL) {
            good = tune_all(comm, &ranges);
            PMPI_Comm_free(&comm);
        }
        PMPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0 && ranges.file != NULL) {
        fprintf(ranges.file, "end %d\n", ranges.count);
        good = good && ferror(ranges.file) == 0;
        good = fclose(ranges.file) == 0 && good && rename(path, argv[1]) == 0;
        if (!good)
            fprintf(stderr, "ccsched-tune: %s cannot be written, or a rank lacks memory\n", argv[1]);
        else
            printf("%d ranges in %s\n", ranges.count, argv[1]);
    }
    PMPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return good ? 0 : 1;
}
