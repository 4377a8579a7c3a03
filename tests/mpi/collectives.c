/* A program that knows nothing of schedules: it calls every collective in every way, by MPI_ and by
 * PMPI_, and compares what it gets bit for bit. Under LD_PRELOAD the first are those of the library.
 *
 * collectives ways | random CALLS SEED | threads CALLS SEED | grid | memory */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { GUARD = 64 };

static int world_rank, world_size;
static __thread long long calls, wrong;

/* Numbers that all ranks draw alike, and numbers of a rank. */
static __thread uint64_t shared = 1, own = 1;

static unsigned draw(uint64_t *state, unsigned below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (unsigned)((*state >> 11) % below);
}

/* Types of two integers each, in this order; the last is a plain one of one integer. */
enum { TYPES = 6 };
static MPI_Datatype types[TYPES];

static void make_types(void)
{
    int ones[2] = {1, 1}, back[2] = {2, 0};
    MPI_Datatype vector, backwards;

    MPI_Type_vector(2, 1, 3, MPI_INT, &types[0]);      /* a gap inside */
    MPI_Type_contiguous(2, MPI_INT, &types[1]);
    MPI_Type_indexed(2, ones, back, MPI_INT, &backwards); /* the first integer comes last */
    MPI_Type_create_resized(backwards, 0, 12, &types[2]);
    MPI_Type_create_resized(types[0], -4, 24, &types[3]); /* gaps around, a negative bound */
    MPI_Type_vector(2, 1, 1, MPI_INT, &vector);
    MPI_Type_dup(vector, &types[4]);
    for (int i = 0; i < 5; i++)
        MPI_Type_commit(&types[i]);
    MPI_Type_free(&backwards);
    MPI_Type_free(&vector);
    types[5] = MPI_INT;
}

/* Elements of a type that hold pairs of integers. */
static int elements(int type, int pairs)
{
    return type == 5 ? 2 * pairs : pairs;
}

/* A buffer of blocks, its first byte after a guard. Bytes are as `seed` says. */
static char *buffer(int type, int pairs, int blocks, unsigned seed, size_t *size)
{
    MPI_Aint low, extent;
    char *made;

    MPI_Type_get_extent(types[type], &low, &extent);
    *size = 2 * GUARD + (size_t)extent * (size_t)elements(type, pairs) * (size_t)blocks;
    made = malloc(*size);
    for (size_t i = 0; i < *size; i++)
        made[i] = (char)((i * 131 + i / 251 + seed * 7919u + seed / 256) & 0xff);
    return made;
}

static void compare(const char *what, const char *a, const char *b, size_t size, int first, int second)
{
    calls++;
    if (first != second || memcmp(a, b, size) != 0) {
        size_t at = 0;
        while (at < size && a[at] == b[at])
            at++;
        wrong++;
        printf("differs: %s on rank %d: codes %d and %d, byte %zu of %zu\n", what, world_rank, first,
               second, at, size);
        fflush(stdout);
    }
}

enum what {
    ALLTOALL, ALLGATHER, BCAST, SCATTER, GATHER, ALLTOALLV, ALLREDUCE, REDUCE, SCATTER_SUMS,
    SCATTER_UNEQUAL, ALLGATHERV, KINDS
};

/* A collective of blocks; `left` and `right` are the types of the two sides, in_place as in MPI. */
static void blocks(MPI_Comm comm, enum what what, int left, int right, int pairs, int root, int in_place)
{
    int rank, size, inter, n = elements(left, pairs), m = elements(right, pairs), code[2];
    int sends, receives, at_root;
    unsigned seed = draw(&own, 1u << 20);
    size_t sent, received;
    char *from, *into[2], title[80];

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        MPI_Comm_remote_size(comm, &size);
    else
        MPI_Comm_size(comm, &size);
    at_root = inter ? root == MPI_ROOT : rank == root;
    sends = what == ALLTOALL || (what == SCATTER && at_root) ? size : 1;
    receives = what == ALLTOALL || what == ALLGATHER || (what == GATHER && at_root) ? size : 1;
    in_place = in_place && !inter && (what == ALLTOALL || what == ALLGATHER || at_root) && what != BCAST;
    from = buffer(left, pairs, sends, seed, &sent);
    for (int i = 0; i < 2; i++) {
        char *send = from, *receive;
        into[i] = buffer(right, pairs, receives, seed + 1, &received);
        receive = into[i] + GUARD;
        send = from + GUARD;
#define CALL(name, ...) (i == 0 ? MPI_##name(__VA_ARGS__) : PMPI_##name(__VA_ARGS__))
        switch (what) {
        case ALLTOALL:
            code[i] = CALL(Alltoall, in_place ? MPI_IN_PLACE : send, n, types[left], receive, m, types[right], comm);
            break;
        case ALLGATHER:
            code[i] = CALL(Allgather, in_place ? MPI_IN_PLACE : send, n, types[left], receive, m, types[right], comm);
            break;
        case BCAST:
            code[i] = CALL(Bcast, receive, m, types[right], root, comm);
            break;
        case GATHER:
            code[i] = CALL(Gather, in_place ? MPI_IN_PLACE : send, n, types[left], receive, m, types[right], root, comm);
            break;
        default: /* the buffer of the root, which must stay, is compared too */
            code[i] = CALL(Scatter, send, n, types[left], in_place ? MPI_IN_PLACE : receive, m, types[right], root, comm);
        }
    }
    snprintf(title, sizeof title, "blocks %d of types %d and %d, in place %d", what, left, right, in_place);
    compare(title, into[0], into[1], received, code[0], code[1]);
    free(into[0]);
    into[0] = buffer(left, pairs, sends, seed, &sent);
    compare("what is sent", from, into[0], sent, 0, 0);
    free(from);
    free(into[0]);
    free(into[1]);
}

/* The pairs of integers from one rank to another in the schedules for MPI_Alltoallv; `odd`: in none. */
static int lengths(int from, int to, int table, int odd)
{
    if (from == to)
        return from % 3;
    if (odd && from == 1 && to == 2)
        return 9;
    return table == 0 ? (from * to + from + to) % 7 : (3 * from + 5 * to) % 6;
}

static void alltoallv(MPI_Comm comm, int left, int right, int table, int odd, int in_place)
{
    int rank, size, *list, *counts[2], *places[2], code[2], pairs[2] = {0, 0};
    unsigned seed = draw(&own, 1u << 20);
    size_t sent, received;
    char *from, *into[2];
    int both[2] = {left, right}, *world;
    MPI_Group group, of_world;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    list = calloc(6 * (size_t)size, sizeof *list);
    /* Lengths are those of processes, in any communicator. */
    world = list + 4 * size;
    for (int i = 0; i < size; i++)
        world[size + i] = i;
    MPI_Comm_group(comm, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &of_world);
    MPI_Group_translate_ranks(group, size, world + size, of_world, world);
    MPI_Group_free(&group), MPI_Group_free(&of_world);
    in_place = in_place && table == 0 && !odd; /* counts are symmetric */
    for (int side = 0; side < 2; side++) {
        counts[side] = list + 2 * side * size;
        places[side] = counts[side] + size;
        for (int step = 0; step < size; step++) {
            int other = side == 0 ? step : size - 1 - step; /* one forwards, one backwards */
            int here = side == 0 ? lengths(world[rank], world[other], table, odd)
                                 : lengths(world[other], world[rank], table, odd);
            counts[side][other] = elements(both[side], here);
            places[side][other] = elements(both[side], pairs[side]);
            pairs[side] += here + (int)draw(&own, 3); /* gaps */
        }
    }
    from = buffer(left, pairs[0], 1, seed, &sent);
    for (int i = 0; i < 2; i++) {
        into[i] = buffer(right, pairs[1], 1, seed + 1, &received);
        code[i] = CALL(Alltoallv, in_place ? MPI_IN_PLACE : from + GUARD, counts[0], places[0], types[left],
                       into[i] + GUARD, counts[1], places[1], types[right], comm);
    }
    compare("MPI_Alltoallv", into[0], into[1], received, code[0], code[1]);
    free(from), free(into[0]), free(into[1]), free(list);
}

/* Blocks that are equally long, or not (`odd`), one after the other, backwards or with gaps. */
static void allgatherv(MPI_Comm comm, int left, int right, int pairs, int odd, int in_place)
{
    int rank, size, *counts, *places, code[2], place = 0, gap = (int)draw(&own, 3) % 2, back = (int)draw(&own, 2);
    unsigned seed = draw(&own, 1u << 20);
    size_t sent, received;
    char *from, *into[2];

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    counts = calloc(2 * (size_t)size, sizeof *counts), places = counts + size;
    for (int step = 0; step < size; step++) {
        int other = back ? size - 1 - step : step, here = pairs + (odd ? other % 3 : 0);
        counts[other] = elements(right, here);
        places[other] = elements(right, place);
        place += here + gap;
    }
    pairs += odd ? rank % 3 : 0;
    from = buffer(left, pairs, 1, seed, &sent);
    for (int i = 0; i < 2; i++) {
        into[i] = buffer(right, place, 1, seed + 1, &received);
        code[i] = CALL(Allgatherv, in_place ? MPI_IN_PLACE : from + GUARD, elements(left, pairs), types[left],
                       into[i] + GUARD, counts, places, types[right], comm);
    }
    compare(odd ? "MPI_Allgatherv, unequal" : "MPI_Allgatherv", into[0], into[1], received, code[0], code[1]);
    free(from), free(into[0]), free(into[1]), free(counts);
}

/* Products: a commutative operation of the program. */
static void multiply(void *in, void *io, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((unsigned *)io)[i] *= ((unsigned *)in)[i];
}

enum { SUMMABLE = 8, OPS = 10 };

static void sums(MPI_Comm comm, enum what what, int kind, int which, int count, int root, int in_place)
{
    const MPI_Datatype all[SUMMABLE] = {MPI_INT, MPI_UNSIGNED_LONG, MPI_SHORT, MPI_SIGNED_CHAR,
                                        MPI_INT64_T, MPI_UINT16_T, MPI_DOUBLE, MPI_2INT};
    const MPI_Op of_all[OPS] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_LAND,
                                MPI_LXOR, MPI_BAND, MPI_BXOR, MPI_LOR, MPI_BOR};
    int rank, size, unit, inter, code[2], blocks, counts[64], odd = what == SCATTER_UNEQUAL && count % 4 == 1;
    MPI_Op made = MPI_OP_NULL, op = of_all[which];
    size_t length, sent;
    char *from, *into[2], title[80];

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_test_inter(comm, &inter);
    if (kind == 6)
        op = of_all[which % 4];
    if (kind == 7)
        op = which % 2 ? MPI_MINLOC : MPI_MAXLOC;
    if (kind == 0 && which == 9)
        MPI_Op_create(multiply, 1, &made), op = made;
    MPI_Type_size(all[kind], &unit);
    blocks = what >= SCATTER_SUMS ? size : 1;
    length = (size_t)unit * (size_t)count, sent = length * (size_t)blocks;
    for (int i = 0; i < size; i++) /* as long in all, the first one longest */
        counts[i] = !odd ? count : i == 0 ? count + size - 1 : count - 1;
    if (odd)
        length = (size_t)unit * (size_t)counts[rank];
    /* MPICH 4.0 itself fails in MPI_Reduce of 8000 bytes in place. */
    in_place = in_place && !inter && (what != REDUCE || (rank == root && length < 2048));
    from = malloc(sent + GUARD);
    /* Open MPI 4.1 clips sums of 8 and 16 bits that overflow, so that their order matters. */
    for (size_t i = 0; i < sent; i++)
        from[i] = (char)(draw(&own, 256) & (unit <= 2 ? 0x0f : 0xff));
    if (kind == 6) { /* products and sums that are exact in any order */
        for (size_t i = 0; i < sent / sizeof(double); i++) {
            double x = (double)draw(&own, 8) + 1;
            memcpy(from + i * sizeof x, &x, sizeof x);
        }
    }
    for (int i = 0; i < 2; i++) {
        char *receive = into[i] = malloc(sent + GUARD);
        const void *send = in_place ? MPI_IN_PLACE : from;
        memset(receive, 0x55, sent + GUARD);
        if (in_place)
            memcpy(receive, from, sent);
        switch (what) {
        case ALLREDUCE:
            code[i] = CALL(Allreduce, send, receive, count, all[kind], op, comm);
            break;
        case REDUCE:
            code[i] = CALL(Reduce, send, receive, count, all[kind], op, root, comm);
            break;
        case SCATTER_UNEQUAL:
            code[i] = CALL(Reduce_scatter, send, receive, counts, all[kind], op, comm);
            break;
        default:
            code[i] = CALL(Reduce_scatter_block, send, receive, count, all[kind], op, comm);
        }
        if (what >= SCATTER_SUMS && in_place) /* the rest of the buffer may hold anything */
            memset(receive + length, 0, sent - length);
    }
    snprintf(title, sizeof title, "sums %d of kind %d by %d, in place %d", what, kind, which, in_place);
    compare(title, into[0], into[1], sent + GUARD, code[0], code[1]);
    if (made != MPI_OP_NULL)
        MPI_Op_free(&made);
    free(from);
    free(into[0]);
    free(into[1]);
}

/* One call; what all ranks have in common is drawn alike. Types are those of each rank. */
static void call(MPI_Comm comm, enum what what, int pairs)
{
    int size, rank, root, in_place = draw(&shared, 3) == 0;
    int table = (int)draw(&shared, 2), odd = draw(&shared, 4) == 0;
    int kind = (int)draw(&shared, SUMMABLE), op = (int)draw(&shared, OPS);
    int left = (int)draw(&own, TYPES), right = (int)draw(&own, TYPES);

    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    /* The root of schedules, in their order and backwards. */
    root = (int)draw(&shared, 3);
    root = root == 0 ? 5 % size : root == 1 ? size - 1 - 5 % size : (int)draw(&shared, (unsigned)size);
    if (what == ALLTOALLV)
        alltoallv(comm, left, right, table, odd, in_place);
    else if (what == ALLGATHERV) /* Open MPI 4.1 and MPICH 4.0 fail themselves where ranks differ in types */
        allgatherv(comm, kind % TYPES, op % TYPES, pairs, odd, in_place);
    else if (what < ALLTOALLV)
        blocks(comm, what, left, right, pairs, root, in_place);
    else
        sums(comm, what, kind, op, pairs, root, in_place);
}

static void between_groups(MPI_Comm half)
{
    int upper = world_rank >= world_size / 2, lead = upper ? 0 : world_size / 2, rank, root;
    MPI_Comm inter;

    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, lead, 7, &inter);
    MPI_Comm_rank(half, &rank);
    root = upper ? 1 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
    for (int pairs = 0; pairs < 4; pairs++) {
        blocks(inter, ALLTOALL, 5, 0, pairs, 0, 0);
        blocks(inter, ALLGATHER, 1, 5, pairs, 0, 0);
        blocks(inter, BCAST, 1, 5, pairs, root, 0);
        blocks(inter, SCATTER, 5, 2, pairs, root, 0);
        blocks(inter, GATHER, 2, 5, pairs, root, 0);
        sums(inter, ALLREDUCE, 0, 0, pairs, 0, 0);
        sums(inter, REDUCE, 0, 0, pairs, root, 0);
    }
    MPI_Comm_free(&inter);
}

static int copies;

static int copied(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra;
    copies++;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

/* Messages of the program that any message would match, while a collective runs. */
static void messages_beside(void)
{
    int rank, size, sent, got = -1, key;
    MPI_Comm comm;
    MPI_Request request;
    MPI_Status status;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(comm, key, &copies);
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
    for (int what = 0; what < KINDS; what++)
        call(comm, (enum what)what, 40);
    sent = 1000 + rank;
    MPI_Send(&sent, 1, MPI_INT, (rank + 1) % size, 20011, comm);
    MPI_Wait(&request, &status);
    calls++;
    wrong += got != 1000 + (rank + size - 1) % size || status.MPI_TAG != 20011 || copies != 0;
    MPI_Iallreduce(&rank, &got, 1, MPI_INT, MPI_MAX, comm, &request); /* is passed on, and counted */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += got != size - 1;
    MPI_Comm_delete_attr(comm, key);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free(&comm);
}

/* An absolute address. */
static void from_bottom(MPI_Comm comm)
{
    int size, code[2], one = 1;
    size_t length;
    char *from, *into[2];
    MPI_Aint place;
    MPI_Datatype type;

    MPI_Comm_size(comm, &size);
    from = buffer(5, 3, 1, 7u + (unsigned)world_rank, &length);
    MPI_Get_address(from, &place);
    MPI_Type_create_hindexed(1, &one, &place, types[1], &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < 2; i++) {
        into[i] = buffer(5, 1, size, 9, &length);
        memset(from, world_rank, 24);
        code[i] = CALL(Allgather, MPI_BOTTOM, 1, type, into[i] + GUARD, 2, MPI_INT, comm);
        code[i] |= CALL(Bcast, MPI_BOTTOM, 1, type, 5, comm);
        memcpy(into[i] + GUARD, from, 8);
    }
    compare("MPI_BOTTOM", into[0], into[1], length, code[0], code[1]);
    MPI_Type_free(&type);
    free(from);
    free(into[0]);
    free(into[1]);
}

static void ways(MPI_Comm *comms, int number)
{
    static const int lengths_of[] = {0, 1, 2, 3, 33, 1000, 5000, 30000};

    for (int what = 0; what < KINDS; what++)
        for (int c = 0; c < number; c++)
            for (size_t i = 0; i < sizeof lengths_of / sizeof *lengths_of; i++)
                for (int again = 0; again < (i < 5 ? 3 : 1); again++)
                    call(comms[c], (enum what)what, lengths_of[i]);
    for (int left = 0; left < TYPES; left++)
        for (int right = 0; right < TYPES; right++)
            for (int in_place = 0; in_place < 2; in_place++) {
                for (int what = 0; what < ALLTOALLV; what++)
                    blocks(MPI_COMM_WORLD, (enum what)what, left, right, 20, 5, in_place);
                allgatherv(comms[left % 2 * 3], left, right, 20, 0, in_place); /* also backwards */
            }
    for (int kind = 0; kind < SUMMABLE; kind++)
        for (int op = 0; op < OPS; op++)
            for (int what = ALLREDUCE; what <= SCATTER_UNEQUAL; what++)
                sums(MPI_COMM_WORLD, (enum what)what, kind, op, 37, 5, op % 2);
    /* Communicators come and go. */
    for (int i = 0; i < 20; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        call(comm, (enum what)(i % KINDS), 50);
        MPI_Comm_free(&comm);
    }
    messages_beside();
    from_bottom(MPI_COMM_WORLD);
    between_groups(comms[2]);
    blocks(MPI_COMM_SELF, ALLTOALL, 5, 5, 10, 0, 0);
    blocks(MPI_COMM_WORLD, ALLTOALL, 5, 5, 1 << 16, 0, 1); /* 512 KB a block */
    sums(MPI_COMM_WORLD, ALLREDUCE, 0, 0, (1 << 20) + 3, 0, 1);
    blocks(MPI_COMM_WORLD, BCAST, 5, 5, 1 << 18, 5, 0);
}

/* One rank has too little address space for the copies of a large call. */
static void memory(void)
{
    struct rlimit before, now;
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    int pairs = 1 << 18; /* 2 MB a block */

    blocks(MPI_COMM_WORLD, ALLTOALL, 5, 5, 100, 0, 0);
    if (file == NULL || fscanf(file, "%lu", &pages) != 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
    fclose(file);
    getrlimit(RLIMIT_AS, &before);
    now = before;
    size_t size = (size_t)pairs * 8 * (size_t)world_size;
    char *send = malloc(size), *receive = malloc(size), *right = malloc(size);
    memset(send, world_rank, size);
    memset(receive, 0, size);
    memset(right, 0, size);
    PMPI_Alltoall(send, 2 * pairs, MPI_INT, right, 2 * pairs, MPI_INT, MPI_COMM_WORLD);
    now.rlim_cur = (rlim_t)pages * 4096 + 3 * size + (24u << 20);
    if (world_rank == 3)
        setrlimit(RLIMIT_AS, &now);
    int code = MPI_Alltoall(send, 2 * pairs, MPI_INT, receive, 2 * pairs, MPI_INT, MPI_COMM_WORLD);
    setrlimit(RLIMIT_AS, &before);
    compare("with little memory", receive, right, size, code, MPI_SUCCESS);
    free(send), free(receive), free(right);
    blocks(MPI_COMM_WORLD, ALLTOALL, 5, 5, 100, 0, 0);
}

/* Rows and columns of a grid of two rows: parts of the job, in its order. */
static void grid(void)
{
    int columns = world_size / 2;
    MPI_Comm row, column;

    MPI_Comm_split(MPI_COMM_WORLD, world_rank / columns, world_rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % columns, world_rank, &column);
    MPI_Comm_set_name(row, world_rank < columns ? "row 0" : "row 1");
    MPI_Comm_set_name(column, world_rank % columns == 1 ? "column 1" : "another column");
    for (int i = 0; i < 100; i++) {
        call(row, (enum what)(i % KINDS), 1 + 7 * i);
        call(column, (enum what)(i % KINDS), 1 + 7 * i);
    }
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
}

/* A thread with a communicator of its own. Its calls come in an order of its own. */
struct thread {
    pthread_t thread;
    MPI_Comm comm;
    uint64_t shared, own;
    int number;
    long long calls, wrong;
};

static void *calls_of(void *at)
{
    struct thread *me = at;

    shared = me->shared, own = me->own;
    for (int i = 0; i < me->number; i++) {
        MPI_Comm comm = me->comm;
        unsigned size = draw(&shared, 6);
        if (i % 20 == 10) /* a communicator comes and goes beside the calls of others */
            MPI_Comm_dup(me->comm, &comm);
        call(comm, (enum what)draw(&shared, KINDS), (int)draw(&shared, size == 0 ? 20000 : 3u << size));
        if (comm != me->comm)
            MPI_Comm_free(&comm);
    }
    me->calls = calls, me->wrong = wrong;
    return NULL;
}

enum { THREADS = 4 };

static void threads(MPI_Comm comms[THREADS], int number)
{
    struct thread all[THREADS];

    for (int i = 0; i < THREADS; i++) {
        all[i] = (struct thread){.comm = comms[i], .number = number};
        all[i].shared = shared * 31 + (uint64_t)i + 1, all[i].own = own * 37 + (uint64_t)i + 1;
        if (pthread_create(&all[i].thread, NULL, calls_of, &all[i]) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(all[i].thread, NULL);
        calls += all[i].calls, wrong += all[i].wrong;
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "ways";
    int number = argc > 2 ? atoi(argv[2]) : 1000, level = MPI_THREAD_SINGLE;
    MPI_Comm comms[4];
    long long all[2];

    if (strcmp(mode, "threads") == 0) {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
        if (level != MPI_THREAD_MULTIPLE)
            printf("threads are not supported\n");
    } else {
        MPI_Init(&argc, &argv);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    make_types();
    own = (uint64_t)world_rank * 7919 + 13;
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank >= world_size / 2, world_rank, &comms[2]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comms[3]); /* backwards */
    shared = argc > 3 ? strtoull(argv[3], NULL, 10) + 1 : 1;
    own += shared << 20;
    if (strcmp(mode, "threads") == 0 && level == MPI_THREAD_MULTIPLE) {
        threads(comms, number);
    } else if (strcmp(mode, "random") == 0 || strcmp(mode, "threads") == 0) {
        for (int i = 0; i < number; i++) {
            MPI_Comm comm = comms[draw(&shared, 2) ? 0 : draw(&shared, 4)];
            unsigned size = draw(&shared, 6);
            call(comm, (enum what)draw(&shared, KINDS), (int)draw(&shared, size == 0 ? 20000 : 3u << size));
        }
    } else if (strcmp(mode, "memory") == 0) {
        memory();
    } else if (strcmp(mode, "grid") == 0) {
        grid();
    } else {
        ways(comms, 4);
    }
    for (int i = 1; i < 4; i++)
        MPI_Comm_free(&comms[i]);
    all[0] = calls, all[1] = wrong;
    PMPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == 0)
        printf("%lld comparisons, %lld differ\n", all[0], all[1]);
    for (int i = 0; i < 5; i++)
        MPI_Type_free(&types[i]);
    MPI_Finalize();
    return all[1] != 0;
}
