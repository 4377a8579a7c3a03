//! The companion for one machine.

fn main() -> std::process::ExitCode {
    ccsched::cli::run(&[])
}
