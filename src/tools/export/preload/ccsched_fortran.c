/* The collectives as Fortran calls them: mpif.h, `use mpi` and `use mpi_f08`. Open MPI's own functions
 * for Fortran call PMPI, past this library, so that it defines them itself, by all names that compilers
 * give them. Those of MPICH and its kin call MPI_, which is taken over in C, but for those of mpi_f08
 * that have no buffer.
 *
 * Where Open MPI comes without Fortran, nothing here is ever called, and nothing is missing. */
#include "ccsched_coll.h"

#if defined(OPEN_MPI) && defined(__ELF__)

/* Other names of a function. Those of mpi_f08 are called alike, with a null for an error code that the
 * program does not ask for; Open MPI after 5 may give them descriptors of arrays. */
#define ALIAS(name, other)                                                                             \
    extern __typeof__(mpi_##name##_) other __attribute__((alias("mpi_" #name "_"), visibility("default")));
#if OMPI_MAJOR_VERSION <= 5
#define ALIASES(name, NAME)                                                                            \
    ALIAS(name, mpi_##name) ALIAS(name, mpi_##name##__) ALIAS(name, MPI_##NAME) ALIAS(name, mpi_##name##_f08_)
#else
#define ALIASES(name, NAME) ALIAS(name, mpi_##name) ALIAS(name, mpi_##name##__) ALIAS(name, MPI_##NAME)
#endif

/* Variables of Open MPI, or of the program in their place, whose addresses mean something. */
#define MARKS(name, NAME)                                                                              \
    extern int mpi_fortran_##name, mpi_fortran_##name##_, mpi_fortran_##name##__, MPI_FORTRAN_##NAME;
#pragma weak mpi_fortran_in_place
#pragma weak mpi_fortran_in_place_
#pragma weak mpi_fortran_in_place__
#pragma weak MPI_FORTRAN_IN_PLACE
#pragma weak mpi_fortran_bottom
#pragma weak mpi_fortran_bottom_
#pragma weak mpi_fortran_bottom__
#pragma weak MPI_FORTRAN_BOTTOM
MARKS(in_place, IN_PLACE)
MARKS(bottom, BOTTOM)

#define IS_MARK(at, name, NAME)                                                                        \
    (at == &mpi_fortran_##name || at == &mpi_fortran_##name##_ || at == &mpi_fortran_##name##__        \
     || at == &MPI_FORTRAN_##NAME)

/* A buffer as C knows it. */
static void *buffer(void *at)
{
    if (at == NULL) /* also a mark that is not there */
        return at;
    if (IS_MARK(at, in_place, IN_PLACE))
        return MPI_IN_PLACE;
    return IS_MARK(at, bottom, BOTTOM) ? MPI_BOTTOM : at;
}

#define COMM(at) PMPI_Comm_f2c(*(const MPI_Fint *)(at))
#define TYPE(at) PMPI_Type_f2c(*(const MPI_Fint *)(at))
#define OP(at) PMPI_Op_f2c(*(const MPI_Fint *)(at))
#define INT(at) ((int)*(const MPI_Fint *)(at))
#define INTS(at) ((const int *)(at))

/* All parameters are addresses. */
#define A1 void *a1
#define A2 A1, void *a2
#define A3 A2, void *a3
#define A4 A3, void *a4
#define A5 A4, void *a5
#define A6 A5, void *a6
#define A7 A6, void *a7
#define A8 A7, void *a8
#define A9 A8, void *a9
#define A10 A9, void *a10
#define A11 A10, void *a11
#define A12 A11, void *a12
#define V2 a1, a2
#define V3 V2, a3
#define V4 V3, a4
#define V5 V4, a5
#define V6 V5, a6
#define V7 V6, a7
#define V8 V7, a8
#define V9 V8, a9
#define V10 V9, a10
#define V11 V10, a11
#define V12 V11, a12

/* A function that is taken over: `call` is that for C, its error code goes to the last of n parameters. */
#define TAKEN(name, NAME, n, call)                                                                     \
    CCSCHED_TAKEN void mpi_##name##_(A##n);                                                            \
    void mpi_##name##_(A##n)                                                                           \
    {                                                                                                  \
        int error = call;                                                                              \
        if (CCSCHED_LAST(n) != NULL)                                                                   \
            *(MPI_Fint *)CCSCHED_LAST(n) = error;                                                      \
    }                                                                                                  \
    ALIASES(name, NAME)
#define CCSCHED_LAST(n) a##n

TAKEN(alltoall, ALLTOALL, 8,
      MPI_Alltoall(buffer(a1), INT(a2), TYPE(a3), buffer(a4), INT(a5), TYPE(a6), COMM(a7)))
TAKEN(allgather, ALLGATHER, 8,
      MPI_Allgather(buffer(a1), INT(a2), TYPE(a3), buffer(a4), INT(a5), TYPE(a6), COMM(a7)))
TAKEN(bcast, BCAST, 6, MPI_Bcast(buffer(a1), INT(a2), TYPE(a3), INT(a4), COMM(a5)))
TAKEN(scatter, SCATTER, 9,
      MPI_Scatter(buffer(a1), INT(a2), TYPE(a3), buffer(a4), INT(a5), TYPE(a6), INT(a7), COMM(a8)))
TAKEN(gather, GATHER, 9,
      MPI_Gather(buffer(a1), INT(a2), TYPE(a3), buffer(a4), INT(a5), TYPE(a6), INT(a7), COMM(a8)))
TAKEN(allreduce, ALLREDUCE, 7, MPI_Allreduce(buffer(a1), buffer(a2), INT(a3), TYPE(a4), OP(a5), COMM(a6)))
TAKEN(reduce, REDUCE, 8, MPI_Reduce(buffer(a1), buffer(a2), INT(a3), TYPE(a4), OP(a5), INT(a6), COMM(a7)))
TAKEN(reduce_scatter_block, REDUCE_SCATTER_BLOCK, 7,
      MPI_Reduce_scatter_block(buffer(a1), buffer(a2), INT(a3), TYPE(a4), OP(a5), COMM(a6)))
TAKEN(finalize, FINALIZE, 1, MPI_Finalize())

/* Calls MPI's own function for Fortran with what it was given, and counts the call. */
#define PASSED(name, NAME, title, reason, n, at, bytes)                                                \
    void pmpi_##name##_(A##n) __attribute__((weak));                                                   \
    CCSCHED_TAKEN void mpi_##name##_(A##n);                                                            \
    void mpi_##name##_(A##n)                                                                           \
    {                                                                                                  \
        struct call call = ccsched_enter_passed(title, reason);                                        \
        pmpi_##name##_(V##n);                                                                          \
        if (ccsched_profiles)                                                                          \
            call.comm = COMM(at), (void)CCSCHED_LEAVE(call, bytes, 0);                               \
    }                                                                                                  \
    ALIASES(name, NAME)

/* The arrays of Fortran's integers are those of C, or MPI's own function takes them. */
#define OF_ARRAYS(name, NAME, n, call)                                                                 \
    void pmpi_##name##_(A##n) __attribute__((weak));                                                   \
    CCSCHED_TAKEN void mpi_##name##_(A##n);                                                            \
    void mpi_##name##_(A##n)                                                                           \
    {                                                                                                  \
        int error;                                                                                     \
        if (sizeof(MPI_Fint) != sizeof(int)) {                                                         \
            pmpi_##name##_(V##n);                                                                      \
            return;                                                                                    \
        }                                                                                              \
        error = call;                                                                                  \
        if (CCSCHED_LAST(n) != NULL)                                                                   \
            *(MPI_Fint *)CCSCHED_LAST(n) = error;                                                      \
    }                                                                                                  \
    ALIASES(name, NAME)

OF_ARRAYS(alltoallv, ALLTOALLV, 10,
          MPI_Alltoallv(buffer(a1), INTS(a2), INTS(a3), TYPE(a4), buffer(a5), INTS(a6), INTS(a7), TYPE(a8),
                        COMM(a9)))
OF_ARRAYS(allgatherv, ALLGATHERV, 9,
          MPI_Allgatherv(buffer(a1), INT(a2), TYPE(a3), buffer(a4), INTS(a5), INTS(a6), TYPE(a7), COMM(a8)))
OF_ARRAYS(reduce_scatter, REDUCE_SCATTER, 7,
          MPI_Reduce_scatter(buffer(a1), buffer(a2), INTS(a3), TYPE(a4), OP(a5), COMM(a6)))

#define ONE(count, type) ccsched_length(INT(count), TYPE(type))
#define ALL(counts, type)                                                                              \
    (sizeof(MPI_Fint) == sizeof(int) ? ccsched_mean_length(INTS(counts), TYPE(type), call.comm) : 0)
#define AT_ROOT(root, here, there) (ccsched_is_root(call.comm, INT(root)) ? (here) : (there))

PASSED(barrier, BARRIER, "MPI_Barrier", NOT_TAKEN, 2, a1, 0)
PASSED(scan, SCAN, "MPI_Scan", NOT_TAKEN, 7, a6, ONE(a3, a4))
PASSED(exscan, EXSCAN, "MPI_Exscan", NOT_TAKEN, 7, a6, ONE(a3, a4))
PASSED(gatherv, GATHERV, "MPI_Gatherv", NOT_TAKEN, 10, a9, AT_ROOT(a8, ALL(a5, a7), ONE(a2, a3)))
PASSED(scatterv, SCATTERV, "MPI_Scatterv", NOT_TAKEN, 10, a9, AT_ROOT(a8, ALL(a2, a4), ONE(a6, a7)))
PASSED(alltoallw, ALLTOALLW, "MPI_Alltoallw", NOT_TAKEN, 10, a9, 0)

/* Those that do not block, with n parameters, and those that are started again and again, with m. */
#define LATER(name, NAME, Name, n, m, at, bytes)                                                       \
    PASSED(i##name, I##NAME, "MPI_I" #name, NOT_BLOCKING, n, at, bytes)                                \
    PASSED(name##_init, NAME##_INIT, "MPI_" #Name "_init", NOT_BLOCKING, m, at, bytes)

LATER(barrier, BARRIER, Barrier, 3, 4, a1, 0)
LATER(bcast, BCAST, Bcast, 7, 8, a5, ONE(a2, a3))
LATER(gather, GATHER, Gather, 10, 11, a8, AT_ROOT(a7, ONE(a5, a6), ONE(a2, a3)))
LATER(gatherv, GATHERV, Gatherv, 11, 12, a9, AT_ROOT(a8, ALL(a5, a7), ONE(a2, a3)))
LATER(scatter, SCATTER, Scatter, 10, 11, a8, AT_ROOT(a7, ONE(a2, a3), ONE(a5, a6)))
LATER(scatterv, SCATTERV, Scatterv, 11, 12, a9, AT_ROOT(a8, ALL(a2, a4), ONE(a6, a7)))
LATER(allgather, ALLGATHER, Allgather, 9, 10, a7, ONE(a5, a6))
LATER(allgatherv, ALLGATHERV, Allgatherv, 10, 11, a8, ALL(a5, a7))
LATER(alltoall, ALLTOALL, Alltoall, 9, 10, a7, ONE(a5, a6))
LATER(alltoallv, ALLTOALLV, Alltoallv, 11, 12, a9, ALL(a6, a8))
LATER(alltoallw, ALLTOALLW, Alltoallw, 11, 12, a9, 0)
LATER(reduce, REDUCE, Reduce, 9, 10, a7, ONE(a3, a4))
LATER(allreduce, ALLREDUCE, Allreduce, 8, 9, a6, ONE(a3, a4))
LATER(reduce_scatter, REDUCE_SCATTER, Reduce_scatter, 8, 9, a6, ALL(a3, a4))
LATER(reduce_scatter_block, REDUCE_SCATTER_BLOCK, Reduce_scatter_block, 8, 9, a6, ONE(a3, a4))
LATER(scan, SCAN, Scan, 8, 9, a6, ONE(a3, a4))
LATER(exscan, EXSCAN, Exscan, 8, 9, a6, ONE(a3, a4))

void pmpi_init_(A1) __attribute__((weak));
void pmpi_init_thread_(A3) __attribute__((weak));
CCSCHED_TAKEN void mpi_init_(A1);
CCSCHED_TAKEN void mpi_init_thread_(A3);

void mpi_init_(A1)
{
    MPI_Fint error;

    pmpi_init_(&error);
    if (error == MPI_SUCCESS)
        ccsched_starts();
    if (a1 != NULL)
        *(MPI_Fint *)a1 = error;
}
ALIASES(init, INIT)

void mpi_init_thread_(A3)
{
    MPI_Fint error;

    pmpi_init_thread_(a1, a2, &error);
    if (error == MPI_SUCCESS)
        ccsched_starts();
    if (a3 != NULL)
        *(MPI_Fint *)a3 = error;
}
ALIASES(init_thread, INIT_THREAD)

#elif !defined(OPEN_MPI)

/* Defines a function of mpi_f08, whose error code, the last of n parameters, may be a null. */
#define F08(name, n, call)                                                                             \
    CCSCHED_TAKEN void mpi_##name##_f08_(A##n);                                                        \
    void mpi_##name##_f08_(A##n)                                                                       \
    {                                                                                                  \
        int error = call;                                                                              \
        if (a##n != NULL)                                                                              \
            *(MPI_Fint *)a##n = error;                                                                 \
    }
#define A1 void *a1
#define A2 A1, void *a2
#define A3 A2, void *a3
#define COMM(at) PMPI_Comm_f2c(*(const MPI_Fint *)(at))

static int init_thread(const MPI_Fint *required, MPI_Fint *provided)
{
    int level = MPI_THREAD_SINGLE, error = MPI_Init_thread(NULL, NULL, (int)*required, &level);

    *provided = level;
    return error;
}

static int ibarrier(MPI_Comm comm, MPI_Fint *to)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int error = MPI_Ibarrier(comm, &request);

    *to = PMPI_Request_c2f(request);
    return error;
}

F08(init, 1, MPI_Init(NULL, NULL))
F08(init_thread, 3, init_thread(a1, a2))
F08(finalize, 1, MPI_Finalize())
F08(barrier, 2, MPI_Barrier(COMM(a1)))
F08(ibarrier, 3, ibarrier(COMM(a1), a2))

#endif
