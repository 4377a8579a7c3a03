/* What the files of libccsched-coll.so share: the table of schedules, and what a communicator keeps. */
#ifndef CCSCHED_COLL_H
#define CCSCHED_COLL_H

#include <mpi.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
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
    FUNCTIONS,
    /* Those that the schedules of others do. */
    ALLGATHERV = FUNCTIONS,
    REDUCE_SCATTER,
    KINDS
};

#define CCSCHED_NEVER 18446744073709551615ULL

/* The functions of schedules. */
typedef int blocks_function(const void *send, void *receive, int bytes, MPI_Comm comm);
typedef int sums_function(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

/* A schedule. Of the pointers to functions, those of its kind are set. */
struct entry {
    const char *name;
    enum function function;
    int ranks;
    int root;                 /* -1: none */
    unsigned long long least; /* length of a call in bytes; CCSCHED_NEVER: only where it was measured */
    const char *const *hosts; /* by rank */
    blocks_function *blocks;
    sums_function *sums;
    int (*lengths)(const void *send, const int sendcounts[], const int sdispls[], void *receive,
                   const int recvcounts[], const int rdispls[], MPI_Comm comm);
    int (*agree)(int rank, const int sendcounts[], const int recvcounts[]); /* of lengths */
    size_t (*memory)(int count, size_t unit); /* what the function takes at most, on any rank */
    int differs; /* sums that depend on their order differ between ranks */
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
    OTHER_PACKING,
    NO_COMMUNICATOR,
    NO_MEASUREMENTS,
    OTHER_MEASUREMENTS,
    NO_FUNCTION,
    OTHER_HOSTS,
    OTHER_ROOT,
    UNMEASURED,
    TOO_SHORT,
    NOT_FASTER,
    TOO_LONG,
    NO_MEMORY,
    OTHER_COUNTS,
    UNEQUAL,
    OTHER_TYPE,
    INEXACT,
    DIFFERS,
    NOT_TAKEN,
    NOT_BLOCKING,
    REASONS
};

/* How the ranks of a communicator are those of a list of hosts. */
struct order {
    const char *const *hosts;
    int misplaced;  /* the first rank on a host that the list lacks; the size: none */
    int *places;    /* by rank: the rank in schedules */
    int is_as_is;   /* places are the ranks themselves */
    int refused;    /* MPI had no communicator */
    MPI_Comm inner; /* with the ranks of schedules, once it is needed */
};

/* What is known about a communicator; equal on all its ranks, but for the rank and what was said. Its
 * collectives come one after the other, so that one thread at a time is here. */
struct state {
    MPI_Comm inner; /* of the messages of schedules; MPI_COMM_NULL: no schedule is used */
    int rank, size;
    enum reason reason; /* why none is used */
    int exact;          /* sums of floating-point numbers are left to MPI */
    char *memory;
    size_t capacity, refused; /* of memory; the least size that some rank did not get */
    unsigned said[KINDS];     /* a bit for each reason */
    int *order_of;            /* by entry: its order; -1: it is for another number of ranks */
    struct order *orders;
    int number; /* of orders */
    unsigned long long *measured; /* three numbers a range: the entry, the first length, the last one */
    long long ranges;             /* of measured; -1: thresholds are those of the table */
    unsigned char *used; /* by entry: said */
};

/* How the ranks are those of the hosts of an entry; NULL: they are not. */
static inline struct order *ccsched_order(const struct state *state, int entry)
{
    struct order *order = state->order_of[entry] < 0 ? NULL : &state->orders[state->order_of[entry]];

    return order == NULL || order->misplaced < state->size ? NULL : order;
}

/* Whether all ranks of the job have this library: it asks them, once MPI has begun. */
int ccsched_is_everywhere(void);
/* Whether a variable has a value that is not 0. */
int ccsched_is_set(const char *name);
/* The name of the host of this process: its item of CCSCHED_HOSTS, or MPI's. */
void ccsched_host(char name[MPI_MAX_PROCESSOR_NAME + 1]);
/* Two names of a host, one perhaps without its domain. */
int ccsched_is_same(const char *a, const char *b);

/* A call of the program, and what becomes of it. */
struct call {
    const char *name; /* of MPI's function */
    enum function kind;
    MPI_Comm comm;
    struct state *state;       /* NULL: it is passed on */
    const struct entry *entry; /* the schedule that ran */
    struct order *order;       /* of the entry that was chosen */
    enum reason reason;        /* why it is passed on */
    double began;
};

/* Whether nothing is done at all, and whether calls are counted: 1 by collective, 2 by all there is. */
extern int ccsched_idle, ccsched_profiles;
/* What a process does once, after MPI_Init: all agree about the two above. */
void ccsched_starts(void);
/* The variables are read. */
void ccsched_begin(void);
extern struct settings {
    int keyval, off, is_off, exact; /* off: by this process's variable; is_off: all know it */
} ccsched_settings;

/* Finds the state of a call. The first call on a communicator is collective. */
void ccsched_open(struct call *call);
/* The state of a communicator that has schedules; NULL: there are none. */
struct state *ccsched_state(MPI_Comm comm, enum function function);
/* The schedule of a call whose length all ranks know; NULL: pass it on. */
const struct entry *ccsched_choose(struct call *call, enum function function, int root,
                                   unsigned long long bytes);
/* How many lists of hosts are for this many ranks, and by entry which one it is, or -1. */
int ccsched_lists(int size, int *list_of);
/* The ranks find their places in all lists of hosts, together. Returns whether all fit some list. `room`
 * is for as many numbers as ccsched_places_room says. */
int ccsched_find_places(struct state *state, MPI_Comm comm, int *room);
size_t ccsched_places_room(int size, int lists);
/* The communicator of an order; MPI_COMM_NULL: none. All ranks ask. */
MPI_Comm ccsched_inner(struct state *state, struct order *order);
void ccsched_make_keys(void);
int ccsched_is_ending(void); /* in MPI_Finalize, which frees what is left */
void ccsched_start_profile(int kind);
/* Adds a call to what is counted; returns the error. */
int ccsched_count(const struct call *call, unsigned long long bytes, int error);
int ccsched_is_root(MPI_Comm comm, int root);
int ccsched_is_inter(MPI_Comm comm);

static inline struct call ccsched_enter(const char *name, enum function kind, MPI_Comm comm)
{
    struct call call = {name, kind, comm, NULL, NULL, NULL, IS_OFF, 0};

    if (!ccsched_idle)
        ccsched_open(&call);
    return call;
}

/* A call that is never taken over. */
static inline struct call ccsched_enter_passed(const char *name, enum reason reason)
{
    struct call call = {name, KINDS, MPI_COMM_NULL, NULL, NULL, NULL, reason, 0};

    if (ccsched_profiles)
        call.began = PMPI_Wtime();
    return call;
}

/* Ends a call: `bytes` are looked at where it is counted, `error` is what MPI says. */
#define CCSCHED_LEAVE(call, bytes, error)                                                              \
    (ccsched_profiles ? ccsched_count(&(call), ccsched_is_inter((call).comm) ? 0 : (bytes), error) : (error))

/* Sets what was measured, or why nothing is used: rank 0 reads the file that CCSCHED_TUNED names. */
void ccsched_read_measured(struct state *state, MPI_Comm comm);
#define CCSCHED_TUNED "ccsched-tuned 1 " /* the first line of the file, before the hash */
/* The only entry that is chosen, at every length, while it is measured; -1: all are. */
extern int ccsched_forced;
extern const char *const ccsched_names[FUNCTIONS];
/* Whether all ranks have this memory, which is then at state->memory. All ask for the same. */
int ccsched_memory(struct state *state, size_t size);
void ccsched_print_why(FILE *file, enum reason reason);
/* A hash of a text after what was hashed before (FNV-1a). */
#define CCSCHED_HASH 14695981039346656037ULL
unsigned long long ccsched_hash_text(unsigned long long hash, const char *text);
unsigned long long ccsched_hash_number(unsigned long long hash, unsigned number);
/* Says once on rank 0 what is used, or why a call is passed on; detail is a number for the reason. */
extern int ccsched_logs; /* whether it says anything */
void ccsched_say_used(struct call *call, const struct entry *entry);
void ccsched_say_passed(struct call *call, struct state *state, enum reason reason,
                        unsigned long long detail);

/* An address inside a buffer, which may be MPI_BOTTOM. */
void *ccsched_at(const void *buffer, MPI_Aint offset);
/* The bytes of elements; above INT_MAX for what MPI must judge itself. */
unsigned long long ccsched_length(int count, MPI_Datatype type);
/* Of an array of counts, one for each rank: whether they are equal, and the mean of their bytes. */
int ccsched_are_equal(const int counts[], int number);
unsigned long long ccsched_mean_length(const int counts[], MPI_Datatype type, MPI_Comm comm);
/* Whether elements of a type are one array of bytes. */
int ccsched_is_plain(MPI_Datatype type);
MPI_Aint ccsched_extent(MPI_Datatype type);
int ccsched_pack(const void *from, int count, MPI_Datatype type, char *into, int bytes, MPI_Comm comm);
int ccsched_unpack(const char *from, int bytes, void *into, int count, MPI_Datatype type, MPI_Comm comm);
/* What a call returns. Where its communication has failed, the program's handler decides, as ever. */
int ccsched_ended(MPI_Comm comm, int error);

/* A schedule of hosts for `each` ranks on each of them: a function of all ranks, and the memory that it takes. */
int ccsched_levels_blocks(enum function function, blocks_function *schedule, int each, const void *send,
                          void *receive, int bytes, MPI_Comm comm);
int ccsched_levels_sums(enum function function, sums_function *schedule, int each, const void *send, void *receive,
                        int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
size_t ccsched_levels_memory(enum function function, size_t (*memory)(int count, size_t unit), int each,
                             int ranks, int count, size_t unit);

/* What the library shows. */
#define CCSCHED_TAKEN __attribute__((visibility("default")))

/* The functions of schedules take their memory from an arena of their thread, which was made before any
 * rank began. */
void ccsched_give(char *memory, size_t size);
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
