/* Which schedules a communicator may use. Its ranks find out together at its first collective; the
 * answer is an attribute of the communicator. Every decision is taken from values that are equal on
 * all ranks, so that no rank runs a schedule while another is in MPI's own function. */
#include "ccsched_coll.h"

#include <limits.h>
#include <pthread.h>

static struct {
    int keyval, off, exact;
    const char *hosts;
} settings;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int ending;

struct arena ccsched_arena;
int ccsched_forced = -1;

void *ccsched_take(size_t size)
{
    char *taken = ccsched_arena.at;

    if (CCSCHED_ROOM(size) > ccsched_arena.left)
        return NULL;
    ccsched_arena.at += CCSCHED_ROOM(size);
    ccsched_arena.left -= CCSCHED_ROOM(size);
    return taken;
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF before all others. */
static int finish(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
    (void)comm, (void)keyval, (void)attribute, (void)extra;
    ending = 1;
    return MPI_SUCCESS;
}

/* The communicator is freed. In MPI_Finalize MPI frees what is left. */
static int forget(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
    struct state *state = attribute;

    (void)comm, (void)keyval, (void)extra;
    if (state->inner != MPI_COMM_NULL && !ending)
        PMPI_Comm_free(&state->inner);
    free(state->memory);
    free(state->measured);
    free(state);
    return MPI_SUCCESS;
}

static int is_set(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && *value != '\0' && strcmp(value, "0") != 0;
}

static void begin(void)
{
    int last;

    settings.off = is_set("CCSCHED_OFF");
    settings.exact = is_set("CCSCHED_EXACT");
    ccsched_logs = is_set("CCSCHED_LOG");
    settings.hosts = getenv("CCSCHED_HOSTS");
    settings.keyval = MPI_KEYVAL_INVALID;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finish, &last, NULL) != MPI_SUCCESS
        || PMPI_Comm_set_attr(MPI_COMM_SELF, last, NULL) != MPI_SUCCESS)
        return;
    PMPI_Comm_free_keyval(&last); /* once the attribute is gone */
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &settings.keyval, NULL) != MPI_SUCCESS)
        settings.keyval = MPI_KEYVAL_INVALID;
}

static struct state *attribute(MPI_Comm comm)
{
    struct state *state = NULL;
    int found = 0;

    if (settings.keyval == MPI_KEYVAL_INVALID)
        return NULL;
    PMPI_Comm_get_attr(comm, settings.keyval, &state, &found);
    return found ? state : NULL;
}

/* Two names of a host, one perhaps without its domain. */
static int is_same(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b)
        a++, b++;
    return (*a == '\0' && *b == '\0') || (*a == '\0' && *b == '.') || (*a == '.' && *b == '\0');
}

/* The name of the host of this process: its item of CCSCHED_HOSTS, or MPI's. */
static void host(char name[MPI_MAX_PROCESSOR_NAME + 1])
{
    const char *at = settings.hosts;
    size_t length;
    int rank = 0, unused;

    memset(name, 0, MPI_MAX_PROCESSOR_NAME + 1);
    if (at == NULL) {
        if (PMPI_Get_processor_name(name, &unused) != MPI_SUCCESS)
            name[0] = '\0';
        return;
    }
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (; rank > 0 && at != NULL; rank--) {
        at = strchr(at, ',');
        at = at == NULL ? NULL : at + 1;
    }
    length = at == NULL ? 0 : strcspn(at, ",");
    if (length > 0 && length < MPI_MAX_PROCESSOR_NAME)
        memcpy(name, at, length);
}

/* Whether MPI packs the numbers of a type one after the other, and nothing else. */
static int packs_plainly(void)
{
    const int numbers[5] = {1, 2, 3, 4, 5}, odd[3] = {1, 3, 5};
    int packed[3] = {0, 0, 0}, at = 0, good;
    MPI_Datatype type;

    if (PMPI_Type_vector(3, 1, 2, MPI_INT, &type) != MPI_SUCCESS)
        return 0;
    good = PMPI_Type_commit(&type) == MPI_SUCCESS
        && PMPI_Pack(numbers, 1, type, packed, (int)sizeof packed, &at, MPI_COMM_SELF) == MPI_SUCCESS
        && at == (int)sizeof packed && memcmp(packed, odd, sizeof odd) == 0;
    PMPI_Type_free(&type);
    return good;
}

/* What all ranks find out together. Returns whether all can remember it. */
static int check(MPI_Comm comm, struct state *state)
{
    enum { GOOD, HASH, MINUS_HASH, ON, SERIAL, PLAIN, ANY_ORDER, VALUES };
    long long all[VALUES];
    char name[MPI_MAX_PROCESSOR_NAME + 1];
    int level = MPI_THREAD_MULTIPLE, any = 0, good;

    PMPI_Query_thread(&level);
    all[GOOD] = state != NULL && PMPI_Comm_set_attr(comm, settings.keyval, state) == MPI_SUCCESS;
    good = (int)all[GOOD];
    all[HASH] = ccsched_hash;
    all[MINUS_HASH] = -ccsched_hash;
    all[ON] = !settings.off;
    all[SERIAL] = level <= MPI_THREAD_SERIALIZED;
    all[PLAIN] = packs_plainly();
    all[ANY_ORDER] = !settings.exact;
    if (PMPI_Allreduce(MPI_IN_PLACE, all, VALUES, MPI_LONG_LONG, MPI_MIN, comm) != MPI_SUCCESS)
        all[GOOD] = 0;
    if (!all[GOOD]) {
        if (good)
            PMPI_Comm_delete_attr(comm, settings.keyval); /* frees the state */
        else
            free(state);
        return 0;
    }
    state->exact = !all[ANY_ORDER];
    if (!all[ON])
        state->reason = IS_OFF;
    else if (all[HASH] != -all[MINUS_HASH]) /* the least is not the greatest */
        state->reason = OTHER_LIBRARY;
    else if (!all[SERIAL])
        state->reason = THREADS;
    else if (!all[PLAIN])
        state->reason = OTHER_PACKING;
    if (state->reason != NONE)
        return 1;
    host(name);
    for (int i = 0; i < ccsched_number; i++) {
        const struct entry *entry = &ccsched_entries[i];
        int is_here = entry->ranks == state->size && is_same(entry->hosts[state->rank], name);
        state->misplaced[i] = is_here ? state->size : state->rank;
    }
    PMPI_Allreduce(MPI_IN_PLACE, state->misplaced, ccsched_number, MPI_INT, MPI_MIN, comm);
    for (int i = 0; i < ccsched_number; i++)
        any |= state->misplaced[i] == state->size;
    if (!any)
        return 1;
    ccsched_read_measured(state, comm);
    if (state->reason != NONE)
        return 1;
    /* A split, because a duplicate would copy the attributes of the program. */
    good = PMPI_Comm_split(comm, 0, state->rank, &state->inner) == MPI_SUCCESS;
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
    if (good) {
        PMPI_Comm_set_errhandler(state->inner, MPI_ERRORS_RETURN);
    } else {
        state->inner = MPI_COMM_NULL;
        state->reason = NO_COMMUNICATOR;
    }
    return 1;
}

static struct state *new_state(MPI_Comm comm)
{
    size_t number = (size_t)ccsched_number;
    struct state *state = calloc(1, sizeof *state + number * (sizeof(int) + 1));

    if (state == NULL)
        return NULL;
    state->misplaced = (int *)(state + 1);
    state->used = (unsigned char *)(state->misplaced + number);
    state->inner = MPI_COMM_NULL;
    state->refused = (size_t)-1;
    state->ranges = -1;
    PMPI_Comm_rank(comm, &state->rank);
    PMPI_Comm_size(comm, &state->size);
    return state;
}

struct state *ccsched_state(MPI_Comm comm, enum function function)
{
    struct state *state;
    MPI_Errhandler handler;
    int between = 0, size = 0, fits = 0, known;

    if (comm == MPI_COMM_NULL)
        return NULL;
    pthread_once(&once, begin);
    state = attribute(comm);
    if (state == NULL) {
        PMPI_Comm_test_inter(comm, &between);
        PMPI_Comm_size(comm, &size);
        for (int i = 0; i < ccsched_number && !between; i++)
            fits |= ccsched_entries[i].ranks == size;
        if (!fits && !ccsched_logs)
            return NULL;
        state = settings.keyval == MPI_KEYVAL_INVALID ? NULL : new_state(comm);
        if (fits) {
            /* What fails here fails on all ranks together, and ends no job. */
            PMPI_Comm_get_errhandler(comm, &handler);
            PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
            known = check(comm, state);
            PMPI_Comm_set_errhandler(comm, handler);
            PMPI_Errhandler_free(&handler);
            if (!known)
                return NULL;
        } else if (state != NULL) { /* for the log alone */
            state->reason = between ? BETWEEN_GROUPS : OTHER_SIZE;
            if (PMPI_Comm_set_attr(comm, settings.keyval, state) != MPI_SUCCESS) {
                free(state);
                return NULL;
            }
        }
    }
    if (state == NULL)
        return NULL;
    if (state->reason != NONE) {
        ccsched_say_passed(state, comm, function, state->reason, (unsigned long long)state->size);
        return NULL;
    }
    return state;
}

/* Why an entry does not take a call of this length; NONE: it does. */
static enum reason length_fits(const struct state *state, int number, unsigned long long bytes)
{
    const unsigned long long *range = state->measured;

    if (ccsched_forced >= 0)
        return number == ccsched_forced && bytes > 0 ? NONE : NOT_FASTER;
    if (state->ranges < 0 || ccsched_entries[number].function == ALLTOALLV)
        return bytes >= ccsched_entries[number].least && bytes > 0 ? NONE : TOO_SHORT;
    for (long long i = 0; i < state->ranges; i++, range += 3)
        if (range[0] == (unsigned long long)number && range[1] <= bytes && bytes <= range[2])
            return NONE;
    return NOT_FASTER;
}

const struct entry *ccsched_choose(struct state *state, MPI_Comm comm, enum function function,
                                   int root, unsigned long long bytes)
{
    const struct entry *best = NULL;
    enum reason reason = NO_FUNCTION;
    unsigned long long detail = 0;

    for (int i = 0; i < ccsched_number && bytes <= INT_MAX; i++) {
        const struct entry *entry = &ccsched_entries[i];
        enum reason length = length_fits(state, i, bytes);
        if (entry->function != function || entry->ranks != state->size) {
            continue;
        } else if (state->misplaced[i] < state->size) {
            if (reason < OTHER_HOSTS)
                reason = OTHER_HOSTS, detail = (unsigned long long)state->misplaced[i];
        } else if (entry->root != root) {
            if (reason < OTHER_ROOT)
                reason = OTHER_ROOT, detail = (unsigned long long)entry->root;
        } else if (length != NONE) {
            if (reason < length || detail > entry->least)
                reason = length, detail = entry->least;
        } else if (best == NULL || best->least < entry->least) {
            best = entry;
        }
    }
    if (best == NULL)
        ccsched_say_passed(state, comm, function, bytes > INT_MAX ? TOO_LONG : reason, detail);
    return best;
}

int ccsched_memory(struct state *state, size_t size)
{
    size_t wanted = size + size / 4; /* so that slowly growing calls agree seldom */
    char *memory;
    int good;

    if (size >= state->refused)
        return 0;
    if (size > state->capacity) {
        memory = malloc(wanted);
        good = memory != NULL;
        if (PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, state->inner) != MPI_SUCCESS)
            good = 0;
        if (!good) {
            free(memory);
            state->refused = size;
            return 0;
        }
        free(state->memory);
        state->memory = memory;
        state->capacity = wanted;
    }
    ccsched_arena.at = state->memory;
    ccsched_arena.left = state->capacity;
    return 1;
}
