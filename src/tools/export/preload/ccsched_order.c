/* The ranks of a communicator in the order of a schedule: each takes a place on its own host. Ranks
 * share what they know of their own host alone, and find the same places from it. */
#include "ccsched_coll.h"

/* The first place on a host; -1: none. */
static int first(const char *const *hosts, int size, const char *name)
{
    for (int i = 0; i < size; i++)
        if (ccsched_is_same(hosts[i], name))
            return i;
    return -1;
}

int ccsched_lists(int size, int *list_of)
{
    int number = 0;

    for (int i = 0; i < ccsched_number; i++) {
        list_of[i] = -1;
        if (ccsched_entries[i].ranks != size)
            continue;
        for (int j = 0; j < i && list_of[i] < 0; j++)
            if (list_of[j] >= 0 && ccsched_entries[j].hosts == ccsched_entries[i].hosts)
                list_of[i] = list_of[j];
        if (list_of[i] < 0)
            list_of[i] = number++;
    }
    return number;
}

/* Gives each rank a place on its host, its own number where that is one. `found` has two numbers a
 * rank, `step` apart: the first place on its host, and whether its own number is one. `room` is for two
 * numbers a rank. */
static void take_places(struct order *order, int size, const int *found, size_t step, int *room)
{
    int *free_ones = room, *next = room + size; /* by first place of a host: a chain of what is free */

    order->misplaced = size;
    order->is_as_is = 1;
    for (int rank = size - 1; rank >= 0; rank--) {
        const int *of = found + (size_t)rank * step;
        order->places[rank] = of[1] ? rank : -1;
        order->is_as_is &= of[1];
        if (of[0] < 0)
            order->misplaced = rank;
    }
    if (order->is_as_is || order->misplaced < size)
        return;
    for (int place = 0; place < size; place++)
        free_ones[place] = -1;
    for (int place = size - 1; place >= 0; place--) {
        int at = first(order->hosts, place + 1, order->hosts[place]);
        if (order->places[place] >= 0)
            continue;
        next[place] = free_ones[at];
        free_ones[at] = place;
    }
    for (int rank = 0; rank < size; rank++) {
        int at = found[(size_t)rank * step], place = free_ones[at];
        if (order->places[rank] >= 0)
            continue;
        if (place < 0) { /* more ranks are on this host than in the list */
            order->misplaced = rank;
            return;
        }
        order->places[rank] = place;
        free_ones[at] = next[place];
    }
}

size_t ccsched_places_room(int size, int lists)
{
    return 2 * ((size_t)size * (size_t)lists + (size_t)size + (size_t)lists);
}

int ccsched_find_places(struct state *state, MPI_Comm comm, int *room)
{
    char name[MPI_MAX_PROCESSOR_NAME + 1];
    int *all = room, *own = all + 2 * state->size * state->number, *rest = own + 2 * state->number;
    int any = 0;

    ccsched_host(name);
    for (int i = 0; i < ccsched_number; i++)
        if (state->order_of[i] >= 0)
            state->orders[state->order_of[i]].hosts = ccsched_entries[i].hosts;
    for (int i = 0; i < state->number; i++) {
        const char *const *hosts = state->orders[i].hosts;
        own[2 * i] = first(hosts, state->size, name);
        own[2 * i + 1] = ccsched_is_same(hosts[state->rank], name);
    }
    if (PMPI_Allgather(own, 2 * state->number, MPI_INT, all, 2 * state->number, MPI_INT, comm) != MPI_SUCCESS)
        return 0;
    for (int i = 0; i < state->number; i++) {
        take_places(&state->orders[i], state->size, all + 2 * i, 2 * (size_t)state->number, rest);
        any |= state->orders[i].misplaced == state->size;
    }
    return any;
}

MPI_Comm ccsched_inner(struct state *state, struct order *order)
{
    int good;

    if (order->is_as_is)
        return state->inner;
    if (order->inner == MPI_COMM_NULL && !order->refused) {
        good = PMPI_Comm_split(state->inner, 0, order->places[state->rank], &order->inner) == MPI_SUCCESS;
        PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, state->inner);
        order->refused = !good;
        if (good)
            PMPI_Comm_set_errhandler(order->inner, MPI_ERRORS_RETURN);
        else
            order->inner = MPI_COMM_NULL;
    }
    return order->inner;
}
