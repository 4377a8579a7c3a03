//! What launchers of MPI jobs tell the processes that they start.

use std::env::var;

/// The launchers: the variables in which they give the number of processes and the rank.
const LAUNCHERS: [(&str, &str, &str); 3] = [
    ("OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun", "OMPI_COMM_WORLD_RANK"),
    ("PMI_SIZE", "MPICH's mpiexec", "PMI_RANK"),
    ("SLURM_STEP_NUM_TASKS", "srun", "SLURM_PROCID"),
];

/// The launcher that has started this process with others, and the number of them all.
pub fn launched() -> Option<(&'static str, usize)> {
    LAUNCHERS.iter().find_map(|(size, launcher, _)| {
        let started: usize = var(size).ok()?.parse().ok()?;
        (started > 1).then_some((*launcher, started))
    })
}

/// The rank that the launcher has given; 0 without one.
pub fn rank() -> usize {
    let rank = |(size, _, rank): &(&str, &str, &str)| {
        var(size).ok()?;
        var(rank).ok()?.parse().ok()
    };
    LAUNCHERS.iter().find_map(rank).unwrap_or(0)
}

/// Says, once in a job, that each of its processes does the same on its own.
pub fn warn_of_copies() {
    if let Some((launcher, copies)) = launched().filter(|_| rank() == 0) {
        log::warn!(
            "{launcher} has started {copies} copies of one program, and each does the whole work on its \
             own; the ranks of a search are those of ccsched-mpi"
        );
    }
}
