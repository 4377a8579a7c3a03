//! The engine of `own_engine.rs` on the ranks of an MPI job.
//!
//! `cargo build --release --example own_engine_ranks`
//!
//! `mpirun -n 4 target/release/examples/own_engine_ranks -c aas --engine one-plus-one`

#[allow(dead_code)]
mod own_engine;

fn main() -> std::process::ExitCode {
    ccsched::cli::run_ranks(&[&own_engine::ENGINE])
}
