//! What a job needs: the algorithms of MPI libraries, their cost, thresholds.

mod algorithms;
mod cost;
