/* What the files of ccsched-tune share: the algorithms of the MPI library. */
#ifndef CCSCHED_TUNE_H
#define CCSCHED_TUNE_H

#include "ccsched_coll.h"

#include <stdio.h>

/* Algorithms have numbers from 1 to below this. */
enum { ALGORITHMS = 32 };

/* Before MPI begins: lets communicators have algorithms of their own. */
void ccsched_force_algorithms(void);
/* The name of an algorithm for a function; NULL: the MPI library has none of this number. */
const char *ccsched_algorithm(enum function function, int algorithm);
/* A communicator of the same ranks in which the function has this algorithm; collective. MPI_COMM_NULL: the MPI
 * library refuses it on some rank. */
MPI_Comm ccsched_forced_algorithm(MPI_Comm comm, enum function function, int algorithm);
/* From this length of call on the function has this algorithm; 0: the MPI library's choice. Lengths ascend. */
void ccsched_rule(enum function function, int ranks, unsigned long long bytes, int algorithm);
/* Writes the rules as Open MPI reads them; returns the number of ranges with an algorithm. */
int ccsched_write_rules(FILE *file);

#endif
