//! What runs the islands of a search: the calling thread, threads of this process, ranks.

pub mod backend;
pub mod direct;
mod exchange_loop;
pub mod threads;
