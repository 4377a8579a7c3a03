/* The algorithms of the MPI library, as its tool interface lists them, and the file of rules by which it takes
 * them. Open MPI: the variables coll_tuned_<function>_algorithm hold for communicators that are made after they
 * are set; the file is that of coll_tuned_dynamic_rules_filename. Other libraries have no such variables, and
 * only their choice is measured. */
#define _POSIX_C_SOURCE 200809L
#include "ccsched_tune.h"

enum { RULES = 1024 };

/* The names in variables, the numbers in the file, and whether the length in the file is that of all blocks. */
static const struct {
    const char *name;
    int number, is_of_all;
} functions[FUNCTIONS] = {
    [ALLGATHER] = {"allgather", 0, 1},
    [ALLREDUCE] = {"allreduce", 2, 0},
    [ALLTOALL] = {"alltoall", 3, 1},
    [BCAST] = {"bcast", 7, 0},
    [GATHER] = {"gather", 9, 1},
    [REDUCE] = {"reduce", 11, 0},
    [REDUCE_SCATTER_BLOCK] = {"reduce_scatter_block", 13, 1},
    [SCATTER] = {"scatter", 15, 1},
};

/* A rule; those of a function and a number of ranks stand together. */
static struct {
    enum function function;
    int ranks, algorithm;
    unsigned long long bytes;
} rules[RULES];
static int number;

void ccsched_force_algorithms(void)
{
    setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1);
    unsetenv("OMPI_MCA_coll_tuned_dynamic_rules_filename");
}

/* The variable of a function: its place, and the names of its values. */
static int find(enum function function, int *place, MPI_T_enum *names)
{
    char name[128], own[64];
    int level, verbosity, binding, scope, length = sizeof own, unused = 0;
    MPI_Datatype type;

    if (functions[function].name == NULL || MPI_T_init_thread(MPI_THREAD_SINGLE, &level) != MPI_SUCCESS)
        return 0;
    snprintf(name, sizeof name, "coll_tuned_%s_algorithm", functions[function].name);
    return MPI_T_cvar_get_index(name, place) == MPI_SUCCESS
        && MPI_T_cvar_get_info(*place, own, &length, &verbosity, &type, names, NULL, &unused, &binding, &scope)
               == MPI_SUCCESS
        && type == MPI_INT && *names != MPI_T_ENUM_NULL;
}

const char *ccsched_algorithm(enum function function, int algorithm)
{
    static char names[ALGORITHMS][64];
    int place, items, length = 0, value, size;
    MPI_T_enum values;

    if (!find(function, &place, &values) || MPI_T_enum_get_info(values, &items, NULL, &length) != MPI_SUCCESS)
        return NULL;
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < items; i++) {
        length = sizeof names[0];
        if (MPI_T_enum_get_item(values, i, &value, names[algorithm], &length) == MPI_SUCCESS && value == algorithm)
            return strstr(names[algorithm], "two_proc") != NULL && size != 2 ? NULL : names[algorithm];
    }
    return NULL;
}

static int set(int place, int value)
{
    MPI_T_cvar_handle handle;
    int count, good;

    if (MPI_T_cvar_handle_alloc(place, NULL, &handle, &count) != MPI_SUCCESS)
        return 0;
    good = MPI_T_cvar_write(handle, &value) == MPI_SUCCESS;
    MPI_T_cvar_handle_free(&handle);
    return good;
}

MPI_Comm ccsched_forced_algorithm(MPI_Comm comm, enum function function, int algorithm)
{
    MPI_T_enum values;
    MPI_Comm made = MPI_COMM_NULL;
    int place, rank, good = find(function, &place, &values) && set(place, algorithm);

    PMPI_Comm_rank(comm, &rank);
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
    if (good)
        PMPI_Comm_split(comm, 0, rank, &made);
    if (find(function, &place, &values))
        set(place, 0);
    return made;
}

void ccsched_rule(enum function function, int ranks, unsigned long long bytes, int algorithm)
{
    unsigned long long of_all = functions[function].is_of_all ? bytes * (unsigned)ranks : bytes;
    int is_same = number > 0 && rules[number - 1].function == function && rules[number - 1].ranks == ranks;
    int before = is_same ? rules[number - 1].algorithm : 0;

    if (functions[function].name == NULL || algorithm == before || number == RULES)
        return;
    rules[number].function = function;
    rules[number].ranks = ranks;
    rules[number].bytes = of_all;
    rules[number++].algorithm = algorithm;
}

static int is_first(int i, int with_ranks)
{
    for (int j = 0; j < i; j++)
        if (rules[j].function == rules[i].function && (!with_ranks || rules[j].ranks == rules[i].ranks))
            return 0;
    return 1;
}

int ccsched_write_rules(FILE *file)
{
    int collectives = 0, algorithms = 0;

    for (int i = 0; i < number; i++) {
        collectives += is_first(i, 0);
        algorithms += rules[i].algorithm != 0;
    }
    if (collectives == 0)
        return 0; /* an empty file: `run` names none */
    fprintf(file, "%d\n", collectives);
    for (int i = 0; i < number; i++) {
        int sizes = 0;
        if (!is_first(i, 0))
            continue;
        for (int j = i; j < number; j++)
            sizes += rules[j].function == rules[i].function && is_first(j, 1);
        fprintf(file, "%d\n%d\n", functions[rules[i].function].number, sizes);
        for (int j = i; j < number; j++) {
            int lines = 0;
            if (rules[j].function != rules[i].function || !is_first(j, 1))
                continue;
            for (int k = j; k < number; k++)
                lines += rules[k].function == rules[j].function && rules[k].ranks == rules[j].ranks;
            fprintf(file, "%d\n%d\n", rules[j].ranks, lines + (rules[j].bytes > 0));
            if (rules[j].bytes > 0)
                fprintf(file, "0 0 0 0\n");
            for (int k = j; k < number; k++)
                if (rules[k].function == rules[j].function && rules[k].ranks == rules[j].ranks)
                    fprintf(file, "%llu %d 0 0\n", rules[k].bytes, rules[k].algorithm);
        }
    }
    return algorithms;
}
