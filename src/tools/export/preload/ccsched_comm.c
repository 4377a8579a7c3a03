/* Which schedules a communicator may use. Its ranks find out together at its first collective; the
 * answer is an attribute of the communicator. Every decision is taken from values that are equal on
 * all ranks, so that no rank runs a schedule while another is in MPI's own function. */
#include "ccsched_coll.h"

#include <limits.h>
#include <stdint.h>

static int ending;

static __thread struct {
    char *at;
    size_t left;
} arena __attribute__((tls_model("initial-exec")));
int ccsched_forced = -1;

void ccsched_give(char *memory, size_t size)
{
    arena.at = memory;
    arena.left = size;
}

void *ccsched_take(size_t size)
{
    char *taken = arena.at;

    if (CCSCHED_ROOM(size) > arena.left)
        return NULL;
    arena.at += CCSCHED_ROOM(size);
    arena.left -= CCSCHED_ROOM(size);
    return taken;
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF before all others. */
static int finish(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
    (void)comm, (void)keyval, (void)attribute, (void)extra;
    ending = 1;
    return MPI_SUCCESS;
}

int ccsched_is_ending(void)
{
    return ending;
}

/* The communicator is freed. In MPI_Finalize MPI frees what is left. */
static int forget(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
    struct state *state = attribute;

    (void)comm, (void)keyval, (void)extra;
    for (int i = 0; i < state->number && !ending; i++)
        if (state->orders[i].inner != MPI_COMM_NULL)
            PMPI_Comm_free(&state->orders[i].inner);
    if (state->inner != MPI_COMM_NULL && !ending)
        PMPI_Comm_free(&state->inner);
    free(state->memory);
    free(state->measured);
    free(state);
    return MPI_SUCCESS;
}

/* What this library keeps with communicators. */
void ccsched_make_keys(void)
{
    int last;

    ccsched_settings.keyval = MPI_KEYVAL_INVALID;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finish, &last, NULL) != MPI_SUCCESS
        || PMPI_Comm_set_attr(MPI_COMM_SELF, last, NULL) != MPI_SUCCESS)
        return;
    PMPI_Comm_free_keyval(&last); /* once the attribute is gone */
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &ccsched_settings.keyval, NULL) != MPI_SUCCESS)
        ccsched_settings.keyval = MPI_KEYVAL_INVALID;
}

static struct state *attribute(MPI_Comm comm)
{
    struct state *state = NULL;
    int found = 0;

    if (ccsched_settings.keyval == MPI_KEYVAL_INVALID)
        return NULL;
    PMPI_Comm_get_attr(comm, ccsched_settings.keyval, &state, &found);
    return found ? state : NULL;
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
    enum { GOOD, HASH, MINUS_HASH, ON, PLAIN, ANY_ORDER, VALUES };
    long long all[VALUES];
    int good, *room = NULL;

    if (state != NULL && ccsched_places_room(state->size, state->number) < SIZE_MAX / sizeof(int))
        room = malloc(ccsched_places_room(state->size, state->number) * sizeof *room);
    good = room != NULL && PMPI_Comm_set_attr(comm, ccsched_settings.keyval, state) == MPI_SUCCESS;
    all[GOOD] = good;
    all[HASH] = ccsched_hash;
    all[MINUS_HASH] = -ccsched_hash;
    all[ON] = !ccsched_settings.off;
    all[PLAIN] = packs_plainly();
    all[ANY_ORDER] = !ccsched_settings.exact;
    if (PMPI_Allreduce(MPI_IN_PLACE, all, VALUES, MPI_LONG_LONG, MPI_MIN, comm) != MPI_SUCCESS)
        all[GOOD] = 0;
    if (!all[GOOD]) {
        if (good)
            PMPI_Comm_delete_attr(comm, ccsched_settings.keyval); /* frees the state */
        else
            free(state);
        free(room);
        return 0;
    }
    state->exact = !all[ANY_ORDER];
    if (!all[ON])
        state->reason = IS_OFF;
    else if (all[HASH] != -all[MINUS_HASH]) /* the least is not the greatest */
        state->reason = OTHER_LIBRARY;
    else if (!all[PLAIN])
        state->reason = OTHER_PACKING;
    good = state->reason == NONE && ccsched_find_places(state, comm, room);
    free(room);
    if (!good)
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

static struct state *new_state(MPI_Comm comm, int size)
{
    size_t entries = (size_t)ccsched_number, numbers;
    int *list_of = malloc(entries * sizeof *list_of), lists;
    struct state *state;

    if (list_of == NULL)
        return NULL;
    lists = ccsched_lists(size, list_of);
    numbers = entries + (size_t)lists * (size_t)size;
    state = calloc(1, sizeof *state + (size_t)lists * sizeof *state->orders + numbers * sizeof(int) + entries);
    if (state != NULL) {
        state->orders = (struct order *)(state + 1);
        state->order_of = (int *)(state->orders + lists);
        state->used = (unsigned char *)(state->order_of + numbers);
        memcpy(state->order_of, list_of, entries * sizeof *list_of);
        state->number = lists;
        for (int i = 0; i < lists; i++) {
            state->orders[i].places = state->order_of + entries + (size_t)i * (size_t)size;
            state->orders[i].inner = MPI_COMM_NULL;
        }
        state->inner = MPI_COMM_NULL;
        state->refused = (size_t)-1;
        state->ranges = -1;
        state->size = size;
        PMPI_Comm_rank(comm, &state->rank);
    }
    free(list_of);
    return state;
}

/* The state of a communicator, which its ranks find out together where schedules are for their number;
 * NULL: none is remembered, and the reason is set. */
static struct state *find(MPI_Comm comm, enum reason *reason)
{
    struct state *state = attribute(comm);
    MPI_Errhandler handler;
    int between = 0, size = 0, fits = 0, known;

    if (state != NULL)
        return state;
    PMPI_Comm_test_inter(comm, &between);
    PMPI_Comm_size(comm, &size);
    for (int i = 0; i < ccsched_number && !between; i++)
        fits |= ccsched_entries[i].ranks == size;
    *reason = between ? BETWEEN_GROUPS : !fits ? OTHER_SIZE : ccsched_settings.is_off ? IS_OFF : NONE;
    if (*reason != NONE && !ccsched_logs)
        return NULL;
    state = ccsched_settings.keyval == MPI_KEYVAL_INVALID ? NULL : new_state(comm, size);
    if (*reason == NONE) {
        *reason = NO_MEMORY;
        /* What fails here fails on all ranks together, and ends no job. */
        PMPI_Comm_get_errhandler(comm, &handler);
        PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        known = check(comm, state);
        PMPI_Comm_set_errhandler(comm, handler);
        PMPI_Errhandler_free(&handler);
        return known ? state : NULL;
    }
    if (state != NULL) { /* for the log alone */
        state->reason = *reason;
        if (PMPI_Comm_set_attr(comm, ccsched_settings.keyval, state) == MPI_SUCCESS)
            return state;
        free(state);
    }
    return NULL;
}

void ccsched_open(struct call *call)
{
    struct state *state;

    ccsched_begin();
    if (ccsched_profiles)
        call->began = PMPI_Wtime();
    if (call->comm == MPI_COMM_NULL)
        return;
    state = find(call->comm, &call->reason);
    if (state == NULL)
        return;
    if (state->reason != NONE)
        ccsched_say_passed(call, state, state->reason, (unsigned long long)state->size);
    else
        call->state = state;
}

struct state *ccsched_state(MPI_Comm comm, enum function function)
{
    return ccsched_enter("", function, comm).state;
}

/* Why an entry does not take a call of this length; NONE: it does. */
static enum reason length_fits(const struct state *state, int number, unsigned long long bytes)
{
    const unsigned long long *range = state->measured;

    if (ccsched_forced >= 0)
        return number == ccsched_forced && bytes > 0 ? NONE : NOT_FASTER;
    if (state->ranges < 0 || ccsched_entries[number].function == ALLTOALLV)
        return ccsched_entries[number].least == CCSCHED_NEVER          ? UNMEASURED
            : bytes >= ccsched_entries[number].least && bytes > 0 ? NONE
                                                                  : TOO_SHORT;
    for (long long i = 0; i < state->ranges; i++, range += 3)
        if (range[0] == (unsigned long long)number && range[1] <= bytes && bytes <= range[2])
            return NONE;
    return NOT_FASTER;
}

/* The schedule of a call, of those in the order of the ranks or of the others. */
static const struct entry *choose(struct call *call, enum function function, int root,
                                  unsigned long long bytes, int as_is, unsigned long long *detail)
{
    const struct state *state = call->state;
    const struct entry *best = NULL;

    for (int i = 0; i < ccsched_number; i++) {
        const struct entry *entry = &ccsched_entries[i];
        struct order *order = state->order_of[i] < 0 ? NULL : &state->orders[state->order_of[i]];
        enum reason *reason = &call->reason, length = length_fits(state, i, bytes);
        if (entry->function != function || order == NULL) {
            continue;
        } else if (order->misplaced < state->size) {
            if (*reason < OTHER_HOSTS)
                *reason = OTHER_HOSTS, *detail = (unsigned long long)order->misplaced;
        } else if (order->is_as_is != as_is) {
            continue;
        } else if (entry->root >= 0
                   && (root < 0 || root >= state->size || entry->root != order->places[root])) {
            if (*reason < OTHER_ROOT) {
                *reason = OTHER_ROOT;
                for (int rank = 0; rank < state->size; rank++)
                    if (order->places[rank] == entry->root)
                        *detail = (unsigned long long)rank;
            }
        } else if (length != NONE) {
            if (*reason < length || (*reason == length && *detail > entry->least))
                *reason = length, *detail = entry->least;
        } else if (best == NULL || best->least < entry->least) {
            best = entry;
            call->order = order;
        }
    }
    return best;
}

const struct entry *ccsched_choose(struct call *call, enum function function, int root,
                                   unsigned long long bytes)
{
    const struct entry *best = NULL;
    unsigned long long detail = 0;

    call->reason = NO_FUNCTION;
    /* Blocks in another order are copied, so that others come first. */
    if (bytes <= INT_MAX)
        best = choose(call, function, root, bytes, 1, &detail);
    if (bytes <= INT_MAX && call->reason < OTHER_ROOT && best == NULL)
        best = choose(call, function, root, bytes, 0, &detail);
    if (best != NULL && ccsched_inner(call->state, call->order) == MPI_COMM_NULL) {
        best = NULL;
        call->reason = NO_COMMUNICATOR;
    }
    if (best == NULL)
        ccsched_say_passed(call, call->state, bytes > INT_MAX ? TOO_LONG : call->reason, detail);
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
    ccsched_give(state->memory, state->capacity);
    return 1;
}
