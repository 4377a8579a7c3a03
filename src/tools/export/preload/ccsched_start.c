/* What a process does once: it reads the variables, and after MPI_Init all processes agree whether
 * anything is to be done at all. */
#include "ccsched_coll.h"

#include <pthread.h>

struct settings ccsched_settings;
int ccsched_idle = 1, ccsched_profiles; /* until MPI begins */

static int wanted; /* of ccsched_profiles, by this process's variable */

int ccsched_is_set(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && *value != '\0' && strcmp(value, "0") != 0;
}

static void begin(void)
{
    const char *log = getenv("CCSCHED_LOG");

    ccsched_settings.off = ccsched_is_set("CCSCHED_OFF");
    ccsched_settings.exact = ccsched_is_set("CCSCHED_EXACT");
    if (ccsched_is_set("CCSCHED_LOG")) {
        wanted = strstr(log, "profile") != NULL ? 2 : strstr(log, "summary") != NULL;
        ccsched_logs = !wanted || log[0] == '1';
    }
    ccsched_make_keys();
}

void ccsched_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, begin);
}

/* Asks what only a job can be asked whose ranks all have this library. */
static void agree(void)
{
    int all[2] = {ccsched_settings.off, wanted};

    if (PMPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD) != MPI_SUCCESS)
        return;
    ccsched_settings.is_off = all[0];
    if (all[1] > 0)
        ccsched_start_profile(all[1]);
    ccsched_idle = all[0] && !ccsched_profiles && !ccsched_logs;
}

void ccsched_starts(void)
{
    static int has_started;

    if (has_started)
        return;
    has_started = 1;
    ccsched_begin();
    if (ccsched_is_everywhere())
        agree();
    else
        ccsched_idle = 1;
}

CCSCHED_TAKEN int MPI_Init(int *argc, char ***argv)
{
    int error = PMPI_Init(argc, argv);

    if (error == MPI_SUCCESS)
        ccsched_starts();
    return error;
}

CCSCHED_TAKEN int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int error = PMPI_Init_thread(argc, argv, required, provided);

    if (error == MPI_SUCCESS)
        ccsched_starts();
    return error;
}
