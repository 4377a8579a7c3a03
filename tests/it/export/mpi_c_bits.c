/* Runs every case of cases.h, X(function, collective, root), with operands whose order shows in the
 * result: NaN with payloads, zeros of both signs, an operation that is not commutative. Rank 0 names
 * the cases in which ranks get different bits of one sum, or other bits than MPI where no order
 * shows. -DPREDEFINED leaves the operation of its own out. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(f, collective, root) int f(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
#include "cases.h"
#undef X

typedef int (*function)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);

enum pattern { ZEROS, NANS, FRACTIONS, INFINITIES, WHOLE, PATTERNS };

static int rank, size;

/* Tells every order and every grouping from every other one. */
static void mix(void *in, void *inout, int *count, MPI_Datatype *type)
{
    uint64_t *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *count; i++)
        b[i] = (a[i] ^ a[i] >> 29) * 0x9e3779b97f4a7c15u + (b[i] ^ b[i] >> 31) * 0xbf58476d1ce4e5b9u;
}

static double number(enum pattern pattern, int i)
{
    switch (pattern) {
    case ZEROS: return (rank + i) % 2 ? -0.0 : 0.0;
    case NANS: return (rank + i) % 3 ? rank + 1 : NAN;
    case FRACTIONS: return (rank % 2 ? -1.0 : 1.0) / (rank + 1 + i);
    case INFINITIES: return (rank + i) % 3 == 0 ? 1.0 : (rank + i) % 3 == 1 ? INFINITY : -INFINITY;
    default: return (rank + i) % 5 - 2;
    }
}

/* Numbers of 4 or 8 bytes; each NaN has a payload of its rank. */
static void fill(char *into, int count, int bytes, enum pattern pattern)
{
    for (int i = 0; i < count; i++) {
        double d = number(pattern, i);
        float f = (float)d;
        uint64_t of_double = UINT64_C(0x7ff8000000000000) + (uint64_t)rank + 1;
        uint32_t of_float = UINT32_C(0x7fc00000) + (uint32_t)rank + 1;
        memcpy(into + (size_t)i * (size_t)bytes,
               bytes == 8 ? (isnan(d) ? (void *)&of_double : (void *)&d)
                          : (isnan(d) ? (void *)&of_float : (void *)&f),
               (size_t)bytes);
    }
}

static int differs(function f, const char *what, int root, int n, MPI_Datatype type, int bytes,
                   int fields, MPI_Op op, enum pattern pattern)
{
    int scatters = !strcmp(what, "reduce_scatter"), reduces = !strcmp(what, "reduce"), wrong = 0, any;
    size_t length = (size_t)n * (size_t)fields * (size_t)bytes, whole = scatters ? length * (size_t)size : length;
    char *send = calloc(whole + 1, 1), *receive = calloc(length + 1, 1), *right = calloc(length + 1, 1);
    char *all = calloc(length * (size_t)size + 1, 1);
    fill(send, n * fields * (scatters ? size : 1), bytes, pattern);
    if (fields == 2 && bytes == 4) /* a number, and an index that is an integer */
        for (int i = 0; i < n * (scatters ? size : 1); i++)
            memcpy(send + (size_t)i * 8 + 4, &rank, 4);
    wrong = f(send, receive, n, type, op, MPI_COMM_WORLD) != MPI_SUCCESS;
    if (!scatters && !reduces) {
        PMPI_Gather(receive, (int)length, MPI_BYTE, all, (int)length, MPI_BYTE, 0, MPI_COMM_WORLD);
        for (int other = 1; rank == 0 && other < size; other++)
            wrong |= memcmp(all, all + (size_t)other * length, length) != 0;
    }
    if (pattern == WHOLE && type != MPI_UINT64_T) {
        if (scatters)
            PMPI_Reduce_scatter_block(send, right, n, type, op, MPI_COMM_WORLD);
        else if (reduces)
            PMPI_Reduce(send, right, n, type, op, root, MPI_COMM_WORLD);
        else
            PMPI_Allreduce(send, right, n, type, op, MPI_COMM_WORLD);
        wrong |= (!reduces || rank == root) && memcmp(receive, right, length) != 0;
    }
    PMPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    free(send);
    free(receive);
    free(right);
    free(all);
    return any;
}

static int of_case(function f, const char *what, int root)
{
    static const int lengths[] = {3, 1003};
    int any = 0;
    for (int l = 0; l < 2; l++) {
        int n = lengths[l];
        for (enum pattern p = 0; p < PATTERNS; p++) {
            const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
            for (int o = 0; o < 4; o++) {
                any |= differs(f, what, root, n, MPI_DOUBLE, 8, 1, ops[o], p);
                any |= differs(f, what, root, n, MPI_FLOAT, 4, 1, ops[o], p);
                if (o < 2 && p != WHOLE) /* products of zeros have signs */
                    any |= differs(f, what, root, n, MPI_C_DOUBLE_COMPLEX, 8, 2, ops[o], p);
            }
#ifndef PREDEFINED
            any |= differs(f, what, root, n, MPI_FLOAT_INT, 4, 2, MPI_MAXLOC, p);
            any |= differs(f, what, root, n, MPI_FLOAT_INT, 4, 2, MPI_MINLOC, p);
#endif
        }
#ifndef PREDEFINED
        MPI_Op own;
        MPI_Op_create(mix, 1, &own);
        any |= differs(f, what, root, n, MPI_UINT64_T, 8, 1, own, FRACTIONS);
        MPI_Op_free(&own);
#else
        (void)mix;
#endif
    }
    return any;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#define X(f, collective, root) \
    if (of_case(f, #collective, root) && rank == 0) \
        printf("differs: %s\n", #f);
#include "cases.h"
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
    return 0;
}
