//! The companion for one machine.

fn main() -> std::process::ExitCode {
    ccsched::cli::programs::built_of(option_env!("CCSCHED_COMMIT"));
    ccsched::cli::run(&[])
}
