/* Collectives that are not taken over, but counted. Of those that do not block, and of those that are
 * started again and again, the time of the call alone is seen. */
#include "ccsched_coll.h"

/* Defines MPI_NAME with `params`, which calls MPI's own. `bytes` are those of a call. */
#define PASSED(name, reason, params, args, bytes)                                                      \
    CCSCHED_TAKEN int MPI_##name params                                                                \
    {                                                                                                  \
        if (!ccsched_profiles)                                                                         \
            return PMPI_##name args;                                                                   \
        struct call call = ccsched_enter_passed("MPI_" #name, reason);                                                \
        int error = PMPI_##name args;                                                                  \
        call.comm = comm;                                                                              \
        return CCSCHED_LEAVE(call, bytes, error);                                                      \
    }

/* MPI_IName and MPI_Name_init; MPI before version 4 lacks the second. */
#define P(...) __VA_ARGS__
#define LATER(iname, name, params, args, bytes)                                                        \
    PASSED(iname, NOT_BLOCKING, (params, MPI_Request *request), (args, request), bytes)                \
    int PMPI_##name##_init(params, MPI_Info info, MPI_Request *request) __attribute__((weak));         \
    int MPI_##name##_init(params, MPI_Info info, MPI_Request *request);                                \
    PASSED(name##_init, NOT_BLOCKING, (params, MPI_Info info, MPI_Request *request),                   \
           (args, info, request), bytes)

#define SEND const void *send, int count, MPI_Datatype type
#define SENDS const void *send, const int counts[], const int starts[], MPI_Datatype type
#define RECEIVE void *receive, int receivecount, MPI_Datatype receivetype
#define RECEIVES void *receive, const int receivecounts[], const int receivestarts[], MPI_Datatype receivetype
#define SUMS const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op
#define SENT ccsched_length(count, type)
#define GOT ccsched_length(receivecount, receivetype)
#define ALL_SENT ccsched_mean_length(counts, type, comm)
#define ALL_GOT ccsched_mean_length(receivecounts, receivetype, comm)
#define AT_ROOT(here, there) (ccsched_is_root(comm, root) ? (here) : (there))

PASSED(Barrier, NOT_TAKEN, (MPI_Comm comm), (comm), 0)
PASSED(Scan, NOT_TAKEN, (SUMS, MPI_Comm comm), (send, receive, count, type, op, comm), SENT)
PASSED(Exscan, NOT_TAKEN, (SUMS, MPI_Comm comm), (send, receive, count, type, op, comm), SENT)
PASSED(Gatherv, NOT_TAKEN, (SEND, RECEIVES, int root, MPI_Comm comm),
       (send, count, type, receive, receivecounts, receivestarts, receivetype, root, comm),
       AT_ROOT(ALL_GOT, SENT))
PASSED(Scatterv, NOT_TAKEN, (SENDS, RECEIVE, int root, MPI_Comm comm),
       (send, counts, starts, type, receive, receivecount, receivetype, root, comm), AT_ROOT(ALL_SENT, GOT))
PASSED(Alltoallw, NOT_TAKEN,
       (const void *send, const int counts[], const int starts[], const MPI_Datatype types[], void *receive,
        const int receivecounts[], const int receivestarts[], const MPI_Datatype receivetypes[], MPI_Comm comm),
       (send, counts, starts, types, receive, receivecounts, receivestarts, receivetypes, comm), 0)

LATER(Ibarrier, Barrier, P(MPI_Comm comm), P(comm), 0)
LATER(Ibcast, Bcast, P(void *receive, int count, MPI_Datatype type, int root, MPI_Comm comm),
      P(receive, count, type, root, comm), SENT)
LATER(Igather, Gather, P(SEND, RECEIVE, int root, MPI_Comm comm),
      P(send, count, type, receive, receivecount, receivetype, root, comm), AT_ROOT(GOT, SENT))
LATER(Igatherv, Gatherv, P(SEND, RECEIVES, int root, MPI_Comm comm),
      P(send, count, type, receive, receivecounts, receivestarts, receivetype, root, comm),
      AT_ROOT(ALL_GOT, SENT))
LATER(Iscatter, Scatter, P(SEND, RECEIVE, int root, MPI_Comm comm),
      P(send, count, type, receive, receivecount, receivetype, root, comm), AT_ROOT(SENT, GOT))
LATER(Iscatterv, Scatterv, P(SENDS, RECEIVE, int root, MPI_Comm comm),
      P(send, counts, starts, type, receive, receivecount, receivetype, root, comm), AT_ROOT(ALL_SENT, GOT))
LATER(Iallgather, Allgather, P(SEND, RECEIVE, MPI_Comm comm),
      P(send, count, type, receive, receivecount, receivetype, comm), GOT)
LATER(Iallgatherv, Allgatherv, P(SEND, RECEIVES, MPI_Comm comm),
      P(send, count, type, receive, receivecounts, receivestarts, receivetype, comm), ALL_GOT)
LATER(Ialltoall, Alltoall, P(SEND, RECEIVE, MPI_Comm comm),
      P(send, count, type, receive, receivecount, receivetype, comm), GOT)
LATER(Ialltoallv, Alltoallv, P(SENDS, RECEIVES, MPI_Comm comm),
      P(send, counts, starts, type, receive, receivecounts, receivestarts, receivetype, comm), ALL_GOT)
LATER(Ialltoallw, Alltoallw,
      P(const void *send, const int counts[], const int starts[], const MPI_Datatype types[], void *receive,
        const int receivecounts[], const int receivestarts[], const MPI_Datatype receivetypes[], MPI_Comm comm),
      P(send, counts, starts, types, receive, receivecounts, receivestarts, receivetypes, comm), 0)
LATER(Ireduce, Reduce, P(SUMS, int root, MPI_Comm comm), P(send, receive, count, type, op, root, comm), SENT)
LATER(Iallreduce, Allreduce, P(SUMS, MPI_Comm comm), P(send, receive, count, type, op, comm), SENT)
LATER(Ireduce_scatter_block, Reduce_scatter_block, P(SUMS, MPI_Comm comm),
      P(send, receive, count, type, op, comm), SENT)
LATER(Ireduce_scatter, Reduce_scatter,
      P(const void *send, void *receive, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
      P(send, receive, counts, type, op, comm), ccsched_mean_length(counts, type, comm))
LATER(Iscan, Scan, P(SUMS, MPI_Comm comm), P(send, receive, count, type, op, comm), SENT)
LATER(Iexscan, Exscan, P(SUMS, MPI_Comm comm), P(send, receive, count, type, op, comm), SENT)
