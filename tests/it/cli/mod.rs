//! The program `ccsched` from outside.

mod bad_input;
mod batch_scripts;
mod bound;
mod communicators;
mod compare;
mod deploy;
mod export;
mod first_hour;
mod forged;
mod hostile;
mod json;
mod laxer;
mod limits;
mod modelled_time;
mod networks;
mod outputs;
mod posing;
mod reading;
mod routes;
mod shuffled;
mod sized;
mod topology;
mod verify_and_show;
mod warm_start;
