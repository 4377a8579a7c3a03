/* Whether all ranks of the job have this library. A launcher that starts ranks by ssh gives LD_PRELOAD to
 * those of its own host alone, and ld.so only warns of a file that a host lacks. A rank with the library
 * would then wait for ever, in its first schedule, for one without it.
 *
 * Ranks of one host have one environment. `run` hands CCSCHED_JOB on as the launcher hands variables on
 * to all hosts, once it has seen that all of them have the library. In other jobs every rank publishes a
 * name when MPI begins, rank 0 waits for those of all others for a while, and publishes what it found. A
 * rank that sees no rank 0 takes its own name back, and looks for rank 0 once more: either rank 0 missed
 * the name, or the rank sees rank 0, and waits for its answer. So all ranks have one answer. */
#define _POSIX_C_SOURCE 200809L
#include "ccsched_coll.h"

#include <stdio.h>
#include <time.h>

/* Seconds that ranks wait for each other. MPI begins on all of them together. */
#define PATIENCE 10.0

static int everywhere = -1;

static int number_of(const char *name)
{
    const char *text = getenv(name);

    return text == NULL ? -1 : atoi(text);
}

/* Whether the launcher says that all ranks of the job are on one host. */
static int is_one_host(int ranks)
{
    static const char *const here[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};

    for (size_t i = 0; i < sizeof here / sizeof *here; i++)
        if (number_of(here[i]) >= 0)
            return number_of(here[i]) == ranks;
    return ranks == 1 || number_of("SLURM_STEP_NUM_NODES") == 1;
}

/* The name of a rank, or of the answer, in this job. */
static const char *name_of(int rank)
{
    static char name[256];
    const char *job = getenv("PMIX_NAMESPACE");

    job = job != NULL ? job : getenv("PMI_JOBID");
    snprintf(name, sizeof name, "ccsched %d of %.200s", rank, job == NULL ? "" : job);
    return name;
}
enum { ANSWER = -1 };

static int is_published(int rank, char text[MPI_MAX_PORT_NAME])
{
    memset(text, 0, MPI_MAX_PORT_NAME);
    return PMPI_Lookup_name(name_of(rank), MPI_INFO_NULL, text) == MPI_SUCCESS;
}

static int publish(int rank, const char *text)
{
    return PMPI_Publish_name(name_of(rank), MPI_INFO_NULL, text) == MPI_SUCCESS;
}

static void rest(void)
{
    struct timespec moment = {0, 20 * 1000 * 1000};

    nanosleep(&moment, NULL);
}

/* Waits for a name until the end of the patience. */
static int comes(int rank, double begin, char text[MPI_MAX_PORT_NAME])
{
    int is_late = 0;

    while (!is_published(rank, text)) {
        if (is_late)
            return 0;
        rest();
        is_late = PMPI_Wtime() > begin + PATIENCE;
    }
    return 1;
}

/* Rank 0: the first rank that does not come; the number of ranks if all do. */
static int missing(int ranks, double begin)
{
    char text[MPI_MAX_PORT_NAME];

    for (int i = 1; i < ranks; i++)
        if (!comes(i, begin, text))
            return i;
    return ranks;
}

/* Whether all ranks have published their names. `lacks` is a rank that has not. */
static int agree(int rank, int ranks, int *lacks)
{
    double begin = PMPI_Wtime();
    char text[MPI_MAX_PORT_NAME];

    *lacks = -1;
    if (!publish(rank, "here"))
        return 0;
    if (rank == 0) {
        *lacks = missing(ranks, begin);
        snprintf(text, sizeof text, "%d", *lacks);
        while (!publish(ANSWER, text)) /* the others wait for it */
            rest();
        return *lacks == ranks;
    }
    if (!comes(0, begin, text)) {
        PMPI_Unpublish_name(name_of(rank), MPI_INFO_NULL, "here");
        if (!is_published(0, text)) {
            *lacks = 0;
            return 0;
        }
    }
    while (!is_published(ANSWER, text))
        rest();
    *lacks = atoi(text);
    return *lacks == ranks;
}

/* Whether this is the first of the ranks that have the library, or of its host where that is not known. */
static int speaks(int rank, int is_known)
{
    static const char *const here[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"};
    char text[MPI_MAX_PORT_NAME];

    for (size_t i = 0; i < sizeof here / sizeof *here && !is_known; i++)
        if (number_of(here[i]) > 0)
            return 0;
    for (int i = 0; i < rank; i++)
        if (is_published(i, text))
            return 0;
    return 1;
}

static void ask(void)
{
    MPI_Errhandler own, world;
    char why[128] = "MPI has no names by which ranks of several hosts find out whether all have the library";
    int rank, ranks, lacks = 0;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    everywhere = ccsched_is_set("CCSCHED_JOB") || is_one_host(ranks);
    if (everywhere)
        return;
    /* Errors of names belong to one of these communicators, by the version of MPI. */
    PMPI_Comm_get_errhandler(MPI_COMM_SELF, &own);
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &world);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    everywhere = agree(rank, ranks, &lacks);
    if (!everywhere && speaks(rank, lacks >= 0)) {
        if (lacks >= 0)
            snprintf(why, sizeof why, "rank %d does not have the library", lacks);
        fprintf(stderr,
                "ccsched: %s; all calls get MPI's own functions. The script `run` of the folder hands "
                "LD_PRELOAD on to all hosts; other launchers must, and CCSCHED_JOB=1 with it\n",
                why);
    }
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, own);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, world);
    PMPI_Errhandler_free(&own);
    PMPI_Errhandler_free(&world);
}

int ccsched_is_everywhere(void)
{
    if (everywhere < 0)
        ask();
    return everywhere;
}

CCSCHED_TAKEN long long ccsched_loaded(void)
{
    return ccsched_hash;
}
