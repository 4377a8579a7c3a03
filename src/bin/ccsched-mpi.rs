//! The distributed optimizer: `mpirun -n 32 ccsched-mpi`.

fn main() -> std::process::ExitCode {
    ccsched::cli::run_ranks(&[])
}
