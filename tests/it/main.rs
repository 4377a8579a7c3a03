//! All tests that need more than one unit, in one program that links once. The modules mirror the
//! rooms of the library; `oracle` compares several rooms with an exact solver of its own. Tests of
//! one unit are in its source file, tests under `mpirun` in `tests/mpi.rs`.

mod architecture;
mod cli;
mod cookbook;
mod deploy;
mod docs;
mod engines;
mod experiments;
mod export;
mod import;
mod islands;
mod network;
mod oracle;
mod problem;
mod refute;
mod repair;
mod schedule;
mod show;
mod solve;
mod support;
mod verify;
