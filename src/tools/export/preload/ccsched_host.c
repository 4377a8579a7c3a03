/* Names of hosts. */
#include "ccsched_coll.h"

int ccsched_is_same(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b)
        a++, b++;
    return (*a == '\0' && *b == '\0') || (*a == '\0' && *b == '.') || (*a == '.' && *b == '\0');
}

void ccsched_host(char name[MPI_MAX_PROCESSOR_NAME + 1])
{
    const char *at = getenv("CCSCHED_HOSTS");
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
