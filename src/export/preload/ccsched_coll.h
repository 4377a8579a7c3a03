/* What the files of libccsched-coll.so share: the table of schedules, and what a communicator keeps. */
#ifndef CCSCHED_COLL_H
#define CCSCHED_COLL_H

#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The functions that are taken over. */
enum function {
    ALLGATHER,
    ALLREDUCE,
    ALLTOALL,
    ALLTOALLV,
    BCAST,
    GATHER,
    REDUCE,
    REDUCE_SCATTER_BLOCK,
    SCATTER,
    FUNCTIONS
};

/* A schedule. Of the pointers to functions, those of its kind are set. */
struct entry {
    const char *name;
    enum function function;
    int ranks;
    int root;                 /* -1: none */
    unsigned long long least; /* length of a call in bytes */
    const char *const *hosts; /* by rank */
    int (*blocks)(const void *send, void *receive, int bytes, MPI_Comm comm);
    int (*sums)(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
    int (*lengths)(const void *send, const int sendcounts[], const int sdispls[], void *receive,
                   const int recvcounts[], const int rdispls[], MPI_Comm comm);
    int (*agree)(int rank, const int sendcounts[], const int recvcounts[]); /* of lengths */
    size_t (*memory)(int count, size_t unit); /* what the function takes at most, on any rank */
    int differs; /* floating-point sums may differ between ranks in their last bits */
};

extern const struct entry ccsched_entries[];
extern const int ccsched_number;     /* of entries */
extern const long long ccsched_hash; /* of the whole library */

/* Why a call is passed on to MPI's own function. */
enum reason {
    NONE,
    IS_OFF,
    BETWEEN_GROUPS,
    OTHER_SIZE,
    OTHER_LIBRARY,
    THREADS,
    OTHER_PACKING,
    NO_COMMUNICATOR,
    NO_MEASUREMENTS,
    OTHER_MEASUREMENTS,
    NO_FUNCTION,
    OTHER_HOSTS,
    OTHER_ROOT,
    TOO_SHORT,
    NOT_FASTER,
    TOO_LONG,
    NO_MEMORY,
    OTHER_COUNTS,
    OTHER_TYPE,
    INEXACT,
    DIFFERS
};

/* What is known about a communicator; equal on all its ranks, but for the rank and what was said. */
struct state {
    MPI_Comm inner; /* of the messages of schedules; MPI_COMM_NULL: no schedule is used */
    int rank, size;
    enum reason reason; /* why none is used */
    int exact;          /* sums of floating-point numbers are left to MPI */
    char *memory;
    size_t capacity, refused; /* of memory; the least size that some rank did not get */
    unsigned said[FUNCTIONS]; /* a bit for each reason */
    int *misplaced;           /* by entry: the first rank on another host; the size: none */
    unsigned long long *measured; /* three numbers a range: the entry, the first length, the last one */
    long long ranges;             /* of measured; -1: thresholds are those of the table */
    unsigned char *used;      /* by entry: said */
};

/* The state of a communicator that has schedules; NULL: pass the call on. The first call on a
 * communicator is collective. */
struct state *ccsched_state(MPI_Comm comm, enum function function);
/* The schedule of a call whose length all ranks know; NULL: pass it on. */
const struct entry *ccsched_choose(struct state *state, MPI_Comm comm, enum function function,
                                   int root, unsigned long long bytes);
/* Sets what was measured, or why nothing is used: rank 0 reads the file that CCSCHED_TUNED names. */
void ccsched_read_measured(struct state *state, MPI_Comm comm);
#define CCSCHED_TUNED "ccsched-tuned 1 " /* the first line of the file, before the hash */
/* The only entry that is chosen, at every length, while it is measured; -1: all are. */
extern int ccsched_forced;
extern const char *const ccsched_names[FUNCTIONS];
/* Whether all ranks have this memory, which is then at state->memory. All ask for the same. */
int ccsched_memory(struct state *state, size_t size);
/* Says once on rank 0 what is used, or why a call is passed on; detail is a number for the reason. */
extern int ccsched_logs; /* whether it says anything */
void ccsched_say_used(struct state *state, MPI_Comm comm, const struct entry *entry);
void ccsched_say_passed(struct state *state, MPI_Comm comm, enum function function,
                        enum reason reason, unsigned long long detail);

/* An address inside a buffer, which may be MPI_BOTTOM. */
void *ccsched_at(const void *buffer, MPI_Aint offset);
/* The bytes of elements; above INT_MAX for what MPI must judge itself. */
unsigned long long ccsched_length(int count, MPI_Datatype type);
/* Whether elements of a type are one array of bytes. */
int ccsched_is_plain(MPI_Datatype type);
MPI_Aint ccsched_extent(MPI_Datatype type);
int ccsched_pack(const void *from, int count, MPI_Datatype type, char *into, int bytes, MPI_Comm comm);
int ccsched_unpack(const char *from, int bytes, void *into, int count, MPI_Datatype type, MPI_Comm comm);
/* What a call returns. Where its communication has failed, the program's handler decides, as ever. */
int ccsched_ended(MPI_Comm comm, int error);

/* What the library shows. */
#define CCSCHED_TAKEN __attribute__((visibility("default")))

/* The functions of schedules take their memory from an arena that was made before any rank began. */
struct arena {
    char *at;
    size_t left;
};
extern struct arena ccsched_arena;
void *ccsched_take(size_t size);
/* The bytes that a piece of memory takes in an arena. */
#define CCSCHED_ROOM(size) (((size_t)(size) + 63) / 64 * 64)

/* Schedules are compiled with these; profilers of the program do not see their messages. */
#ifdef CCSCHED_PART
#if defined(__GNUC__) && !defined(__clang__) /* MPICH's MPI_STATUSES_IGNORE is no short array */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif
#define malloc ccsched_take
#define free(memory) ((void)(memory))
#define MPI_Barrier PMPI_Barrier
#define MPI_Comm_rank PMPI_Comm_rank
#define MPI_Comm_size PMPI_Comm_size
#define MPI_Irecv PMPI_Irecv
#define MPI_Recv PMPI_Recv
#define MPI_Isend PMPI_Isend
#define MPI_Reduce_local PMPI_Reduce_local
#define MPI_Type_get_extent PMPI_Type_get_extent
#define MPI_Wait PMPI_Wait
#define MPI_Waitall PMPI_Waitall
#endif

#endif
