//! The distributed optimizer: `mpirun -n 32 ccsched-mpi`.

fn main() -> std::process::ExitCode {
    ccsched::cli::programs::built_of(option_env!("CCSCHED_COMMIT"));
    ccsched::cli::run_ranks(&[])
}
