/* Measures what is the fastest at each length on these ranks: MPI's own function, each algorithm that the MPI
 * library has for it, or a schedule. Writes two files into FOLDER: `ccsched.tuned`, with the lengths at which
 * schedules are faster than all of MPI's algorithms, for CCSCHED_TUNED, and `openmpi.rules`, with the lengths
 * at which one of them is faster than MPI's choice. Then it says what a message and a byte cost.
 *
 *   mpirun -n RANKS ./ccsched-tune [--seconds S] FOLDER [BYTES..]
 *
 * Calls of a length alternate between all of these, with a barrier before each; the time of a call is that
 * of the slowest rank. One wins at a length if its median gain is at least GAIN and so few repeats went
 * against it that chance does as well in one of 28 cases at most. It is used between two neighbouring
 * lengths if it wins at both, and beyond the longest one not at all. */
#define _POSIX_C_SOURCE 200809L
#include "ccsched_tune.h"

#include <stdio.h>

/* Seconds for the repeats of a length, and how many there are at least and at most. */
#define SECONDS 1.0
#define GAIN 1.02
/* Where calls are long, what takes this many times as long as the fastest in the better one of two calls is not
 * repeated: most of the time would go to it. Times of short calls vary more, and cost little. */
#define SLOW 1.5
enum { LEAST = 5, FEW = 11, MOST = 41, LENGTHS = 64 };

/* How a function is called: by a schedule, or by MPI's own on a communicator. The first way is MPI's choice,
 * then its algorithms follow, then the schedules. */
struct way {
    const char *name;
    MPI_Comm comm;
    int entry;     /* -1: MPI's own */
    int algorithm; /* of the MPI library; 0: its choice, or a schedule */
};

/* A function with all ways. */
struct group {
    enum function function;
    int root, number, algorithms; /* ways in all; those of the MPI library, its choice among them */
    struct way *ways;
};

/* What a rank sends and receives in calls of some length. */
struct buffers {
    char *send, *receive;
    int bytes;
};

/* What won at a length: on rank 0 the gain of each way; of an algorithm over MPI's choice, of a schedule over
 * the fastest of MPI's ways. */
typedef double *gains;

static unsigned long long lengths[LENGTHS];
static int number, any_measured;
static double begin, seconds = 1e9;

/* A call by a schedule, or by MPI's own function on a communicator. */
static void call(const struct group *group, const struct way *way, struct buffers data)
{
    int own = way->entry < 0, n = data.bytes, words = n / (int)sizeof(int);
    MPI_Comm comm = way->comm;

    ccsched_forced = way->entry;
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

static double timed(const struct group *group, int way, struct buffers data)
{
    double start;

    PMPI_Barrier(group->ways[0].comm);
    start = PMPI_Wtime();
    call(group, &group->ways[way], data);
    return PMPI_Wtime() - start;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The median of a way's times, which stand in rows of all ways. */
static double median(const double *times, int ways, int way, int repeats)
{
    double values[MOST];

    for (int i = 0; i < repeats; i++)
        values[i] = times[i * ways + way];
    qsort(values, (size_t)repeats, sizeof *values, compare);
    return values[repeats / 2];
}

/* The median gain of a way over another one, or 0 if it does not win. */
static double gain(const double *times, int ways, int way, int other, int repeats)
{
    double ratios[MOST];
    int lost = 0;

    for (int i = 0; i < repeats; i++) {
        ratios[i] = times[i * ways + other] / times[i * ways + way];
        lost += ratios[i] <= 1;
    }
    qsort(ratios, (size_t)repeats, sizeof *ratios, compare);
    return 3 * lost <= repeats - 5 && ratios[repeats / 2] >= GAIN ? ratios[repeats / 2] : 0;
}

/* The gain of a way over another one. What was not repeated has its best time alone, with which the median of
 * what was repeated is compared, so that it must be faster by more. */
static double gain_over(const struct group *group, const double *times, const double *first, const char *out,
                        int repeats, int way, int other)
{
    double ratio;

    if (!out[way] && !out[other])
        return gain(times, group->number, way, other, repeats);
    ratio = first[other] / (out[way] ? first[way] : median(times, group->number, way, repeats));
    return ratio >= (out[way] ? SLOW : GAIN) ? ratio : 0;
}

/* Rank 0: finds what wins, and says it. */
static void judge(const struct group *group, const double *times, const double *first, const char *out,
                  int repeats, unsigned long long bytes, gains gains)
{
    int ranks, best = 0, ways = group->number;

    PMPI_Comm_size(group->ways[0].comm, &ranks);
    for (int j = 1; j < group->algorithms; j++)
        if (out[j] != out[best] ? out[best]
                                : out[j] ? first[j] < first[best]
                                         : median(times, ways, j, repeats) < median(times, ways, best, repeats))
            best = j;
    for (int j = 1; j < ways; j++)
        gains[j] = j >= group->algorithms && out[j]
            ? 0
            : gain_over(group, times, first, out, repeats, j, j < group->algorithms ? 0 : best);
    for (int j = 0; j < ways; j++)
        printf("%-24s %5d %11llu  %-32.32s %12.0f  %s%s\n", ccsched_names[group->function], ranks, bytes,
               group->ways[j].name, 1e6 * (out[j] ? first[j] : median(times, ways, j, repeats)),
               out[j] ? "not repeated " : "",
               gains[j] <= 0           ? ""
                   : j < group->algorithms ? "faster than MPI's choice"
                                           : "faster than all of MPI's");
    fflush(stdout);
}

static double sum_of(const double *times, int ways, const char *out)
{
    double sum = 0;

    for (int j = 0; j < ways; j++)
        sum += out[j] ? 0 : times[j];
    return sum;
}

/* Puts out what takes too long, by the better time of each way, if a few repeats of all would take too long. */
static void put_out(const double *times, int ways, char *out)
{
    double least = 1e9;
    int is_short = sum_of(times, ways, out) * FEW < SECONDS;

    for (int j = 0; j < ways; j++)
        least = times[j] < least ? times[j] : least;
    for (int j = 0; j < ways && !is_short; j++)
        out[j] = times[j] > SLOW * least;
}

/* Measures the calls of one length. Returns whether all ranks have the memory. */
static int measure(const struct group *group, unsigned long long bytes, gains gains)
{
    MPI_Comm comm = group->ways[0].comm;
    int rank, size, good, repeats, ways = group->number;
    double *times, *first, sum;
    char *out = calloc((size_t)ways, 1);
    struct buffers data;
    size_t room;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    room = (size_t)bytes * (size_t)size;
    data = (struct buffers){calloc(room, 1), calloc(room, 1), (int)bytes};
    times = malloc((size_t)MOST * (size_t)ways * sizeof *times);
    first = malloc((size_t)ways * sizeof *first);
    good = data.send != NULL && data.receive != NULL && times != NULL && out != NULL && first != NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
    if (good) {
        /* The first calls open connections. */
        for (int j = 0; j < ways; j++)
            call(group, &group->ways[j], data);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < ways; j++) {
                double time = timed(group, j, data);
                first[j] = i == 0 || time < first[j] ? time : first[j];
            }
        PMPI_Allreduce(MPI_IN_PLACE, first, ways, MPI_DOUBLE, MPI_MAX, comm);
        put_out(first, ways, out);
        sum = sum_of(first, ways, out);
        repeats = SECONDS < sum * LEAST ? LEAST : SECONDS > sum * MOST ? MOST : (int)(SECONDS / sum);
        for (int i = 0; i < repeats; i++)
            for (int j = 0; j < ways; j++) {
                int way = (i + j) % ways;
                times[i * ways + way] = out[way] ? 0 : timed(group, way, data);
            }
        PMPI_Reduce(rank == 0 ? MPI_IN_PLACE : times, times, repeats * ways, MPI_DOUBLE, MPI_MAX, 0, comm);
        if (rank == 0)
            judge(group, times, first, out, repeats, bytes, gains);
    }
    free(data.send);
    free(data.receive);
    free(times);
    free(first);
    free(out);
    return good;
}

/* The ranges of schedules that are written, one after the other. */
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

/* Of some ways, that of the largest gain at both lengths; -1: none gains. */
static int best(int from, int to, const double *gains, const double *others)
{
    double most = 0;
    int found = -1;

    for (int j = from; j < to; j++) {
        double least = gains[j] < others[j] ? gains[j] : others[j];
        if (least > most)
            most = least, found = j;
    }
    return found;
}

/* Rank 0: what is used from a length to another one, at both of which it was measured. */
static void use(const struct group *group, const double *gains, const double *others, unsigned long long from,
                unsigned long long to, struct ranges *ranges)
{
    int schedule = best(group->algorithms, group->number, gains, others);
    int algorithm = best(1, group->algorithms, gains, others);
    int ranks;

    PMPI_Comm_size(group->ways[0].comm, &ranks);
    put(ranges, schedule < 0 ? -1 : group->ways[schedule].entry, from, to);
    ccsched_rule(group->function, ranks, from, algorithm < 0 ? 0 : group->ways[algorithm].algorithm);
}

static int is_late(MPI_Comm comm, double until)
{
    int late = PMPI_Wtime() - begin > until;

    PMPI_Bcast(&late, 1, MPI_INT, 0, comm);
    return late;
}

/* Measures a function at all lengths for which there is time, and writes what won on rank 0. */
static int tune(const struct group *group, double until, struct ranges *ranges)
{
    MPI_Comm comm = group->ways[0].comm;
    size_t each = (size_t)group->number;
    double *all = calloc(LENGTHS * each, sizeof *all);
    int rank, good = all != NULL, measured = 0;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
    while (good && measured < number && (measured == 0 || !is_late(comm, until))
           && measure(group, lengths[measured], all + (size_t)measured * each))
        measured++;
    if (rank == 0 && good && measured < number)
        printf("%s: no time, or no memory, for %llu bytes and more\n", ccsched_names[group->function],
               lengths[measured]);
    for (int i = 0; i < measured && rank == 0; i++) {
        const double *here = all + (size_t)i * each, *before = here - each;
        if (i > 0 && lengths[i - 1] + 1 < lengths[i])
            use(group, before, here, lengths[i - 1] + 1, lengths[i] - 1, ranges);
        use(group, here, here, lengths[i], lengths[i], ranges);
    }
    any_measured |= measured > 0;
    if (rank == 0 && measured > 0) {
        int ranks;
        PMPI_Comm_size(comm, &ranks);
        put(ranges, -1, 0, 0);
        ccsched_rule(group->function, ranks, lengths[measured - 1] + 1, 0);
    }
    free(all);
    return good;
}

/* The ways of the function of an entry: MPI's choice and algorithms, then the entries of that function and root
 * that fit, which are `done`. */
static void find_ways(struct group *group, MPI_Comm comm, int entry, const struct state *state, char *done)
{
    group->function = ccsched_entries[entry].function;
    group->root = ccsched_entries[entry].root;
    group->ways[0] = (struct way){"MPI's choice", comm, -1, 0};
    group->number = 1;
    for (int algorithm = 1; algorithm < ALGORITHMS; algorithm++) {
        const char *name = ccsched_algorithm(group->function, algorithm);
        MPI_Comm own = name == NULL ? MPI_COMM_NULL : ccsched_forced_algorithm(comm, group->function, algorithm);
        if (own != MPI_COMM_NULL)
            group->ways[group->number++] = (struct way){name, own, -1, algorithm};
    }
    group->algorithms = group->number;
    for (int j = entry; j < ccsched_number; j++) {
        const struct entry *other = &ccsched_entries[j];
        if (done[j] || other->function != group->function || other->root != group->root
            || ccsched_order(state, j) == NULL)
            continue;
        done[j] = 1;
        group->ways[group->number++] = (struct way){other->name, comm, j, 0};
    }
}

/* Measures all functions of a communicator. */
static int tune_all(MPI_Comm comm, double until, struct ranges *ranges)
{
    int rank, good, left = 0;
    char *done = calloc((size_t)ccsched_number, 1);
    struct group group = {0};
    struct state *state = ccsched_state(comm, ALLTOALL);

    PMPI_Comm_rank(comm, &rank);
    group.ways = malloc((size_t)(ccsched_number + ALGORITHMS) * sizeof *group.ways);
    good = group.ways != NULL && done != NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
    for (int i = 0; good && state != NULL && i < ccsched_number; i++) {
        left += ccsched_order(state, i) != NULL;
        if (state->order_of[i] >= 0 && rank == state->orders[state->order_of[i]].misplaced) {
            char here[MPI_MAX_PROCESSOR_NAME + 1];
            ccsched_host(here);
            fprintf(stderr, "ccsched-tune: rank %d is on %s, in schedule %.100s on %s: it is not measured\n",
                    rank, here, ccsched_entries[i].name, ccsched_entries[i].hosts[rank]);
        }
    }
    for (int i = 0; i < ccsched_number && good && left > 0; i++) {
        double now = PMPI_Wtime() - begin;
        if (done[i] || ccsched_order(state, i) == NULL || ccsched_entries[i].function == ALLTOALLV)
            continue;
        find_ways(&group, comm, i, state, done);
        PMPI_Bcast(&now, 1, MPI_DOUBLE, 0, comm);
        /* A share of the time for each schedule that is left, those of this function alike. */
        good = tune(&group, now + (until - now) * (group.number - group.algorithms) / left, ranges);
        left -= group.number - group.algorithms;
        for (int j = 1; j < group.algorithms; j++)
            PMPI_Comm_free(&group.ways[j].comm);
    }
    free(group.ways);
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

/* Microseconds of a short message, of each of many short ones, and nanoseconds a byte, between ranks 0 and 1. */
static void speeds(int rank, int size, const char *folder)
{
    enum { REPEATS = 21, MANY = 64, LONG = 1 << 20 };
    char *data = calloc(LONG, 1), path[4096];
    double times[3][REPEATS];
    MPI_Request requests[MANY];
    int peer = 1 - rank, all = data != NULL;

    PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    for (int i = 0; all && size > 1 && rank < 2 && i < REPEATS; i++)
        for (int what = 0; what < 3; what++) {
            int bytes = what == 1 ? LONG : 8, messages = what == 2 ? MANY : 1;
            double start;
            PMPI_Sendrecv(data, 1, MPI_CHAR, peer, 1, data + 64, 1, MPI_CHAR, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            start = PMPI_Wtime();
            for (int side = 0; side < 2; side++)
                if (side == rank)
                    for (int j = 0; j < messages; j++)
                        PMPI_Isend(data, bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &requests[j]);
                else
                    for (int j = 0; j < messages; j++)
                        PMPI_Recv(data, bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            PMPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
            times[what][i] = (PMPI_Wtime() - start) / (2 * messages);
        }
    if (all && size > 1 && rank == 0 && snprintf(path, sizeof path, "%s/ccsched.speeds", folder) < (int)sizeof path) {
        FILE *file = fopen(path, "w");
        double t0 = 1e6 * median(times[0], 1, 0, REPEATS), rate = 1e6 * median(times[2], 1, 0, REPEATS);
        double t1 = 1e9 * median(times[1], 1, 0, REPEATS) / LONG;
        const char *form = "--t0 %.2f --t1 %.4f\n# us a message, ns a byte; one of many messages takes %.2f us\n";
        if (file != NULL) {
            fprintf(file, form, t0, t1, rate);
            fclose(file);
        }
        printf("between ranks 0 and 1: a message takes %.2f us, one of many %.2f us, a byte %.4f ns\n", t0, rate, t1);
    }
    free(data);
}

/* Opens FOLDER/NAME.new. */
static FILE *opened(const char *folder, const char *name, char path[2][4096])
{
    FILE *file;

    if (snprintf(path[0], 4096, "%s/%s.new", folder, name) >= 4096 || snprintf(path[1], 4096, "%s/%s", folder, name) >= 4096)
        return NULL;
    file = fopen(path[0], "w");
    if (file == NULL)
        perror(path[0]);
    return file;
}

/* Gives it its name, or removes it. */
static int closed(FILE *file, int keep, char path[2][4096])
{
    int good = ferror(file) == 0;

    return fclose(file) == 0 && good && (keep ? rename(path[0], path[1]) : remove(path[0])) == 0;
}

int main(int argc, char **argv)
{
    char paths[2][2][4096];
    const char *wrong = "", *folder;
    struct ranges ranges = {NULL, 0, -1, 0, 0};
    FILE *rules = NULL;
    int rank, size, good = 1, fits = 0, look = argc > 1 && strcmp(argv[1], "--look") == 0;

    if (argc > 2 && strcmp(argv[1], "--seconds") == 0) {
        seconds = atof(argv[2]);
        argc -= 2, argv += 2;
    }
    if (argc > 1 + look && seconds > 0)
        wrong = read_lengths(argv + 2 + look);
    if (wrong != NULL && *wrong == '\0')
        fprintf(stderr, "usage: ccsched-tune [--seconds S | --look] FOLDER [BYTES..]\n");
    else if (wrong != NULL)
        fprintf(stderr, "ccsched-tune: '%s' is no length in bytes above the one before, of at most 1G\n", wrong);
    if (wrong != NULL || look)
        return wrong == NULL ? 0 : 2;
    unsetenv("CCSCHED_TUNED");     /* what was measured before */
    setenv("CCSCHED_JOB", "1", 1); /* each rank is this program, with the functions of the library */
    ccsched_force_algorithms();
    MPI_Init(&argc, &argv);
    begin = PMPI_Wtime();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    folder = argv[1];
    if (rank == 0) {
        ranges.file = opened(folder, "ccsched.tuned", paths[0]);
        rules = opened(folder, "openmpi.rules", paths[1]);
        good = ranges.file != NULL && rules != NULL;
    }
    PMPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (good && rank == 0) {
        fprintf(ranges.file, CCSCHED_TUNED "%lld\n# entry, first length, last length\n", ccsched_hash);
        printf("%-24s %5s %11s  %-32s %12s\n", "function", "ranks", "bytes", "way", "us");
    }
    if (good)
        speeds(rank, size, folder);
    /* Communicators of the first ranks, of every size that schedules have. */
    for (int ranks = 1; good && ranks <= size; ranks++) {
        MPI_Comm comm;
        int left = 0, own = 0; /* schedules of these sizes, and of this one */
        for (int i = 0; i < ccsched_number; i++) {
            own += ccsched_entries[i].ranks == ranks;
            left += ccsched_entries[i].ranks >= ranks && ccsched_entries[i].ranks <= size;
        }
        if (own == 0)
            continue;
        fits = 1;
        PMPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
        if (comm != MPI_COMM_NULL) {
            double now = PMPI_Wtime() - begin;
            PMPI_Bcast(&now, 1, MPI_DOUBLE, 0, comm);
            good = tune_all(comm, now + (seconds - now) * own / left, &ranges);
            PMPI_Comm_free(&comm);
        }
        PMPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0 && ranges.file != NULL && rules != NULL) {
        int numbers = ccsched_write_rules(rules);
        fprintf(ranges.file, "end %d\n", ranges.count);
        /* Where nothing was measured, what was measured before stays. */
        good = closed(ranges.file, any_measured, paths[0]) & closed(rules, any_measured, paths[1]) & good;
        if (!good)
            fprintf(stderr, "ccsched-tune: %s/ccsched.tuned cannot be written, or a rank lacks memory\n", folder);
        else if (!fits)
            fprintf(stderr, "ccsched-tune: no schedule is for %d ranks or fewer\n", size);
        else if (any_measured)
            printf("%d ranges of lengths for schedules, %d for algorithms of MPI, in %s\n", ranges.count, numbers, folder);
    }
    good &= any_measured; /* on rank 0, which is in all communicators */
    PMPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return good ? 0 : 1;
}
