//! The command line: one file per subcommand. `main` only wires them together.

pub mod topology;
