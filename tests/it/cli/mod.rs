//! The program `ccsched` from outside.

mod bad_input;
mod bound;
mod compare;
mod shuffled;
mod topology;
mod verify_and_show;
