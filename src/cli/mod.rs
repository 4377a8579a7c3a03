//! The subcommands of the programs, one file each: their options and what they print.

pub mod show;
pub mod verify;
