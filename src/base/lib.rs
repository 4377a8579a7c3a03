//! What all other packages stand on; knows nothing of networks.

pub mod atomic;
pub mod bits;
pub mod buckets;
pub mod caught;
pub mod codec;
pub mod cores;
pub mod counted;
pub mod error;
pub mod field;
pub mod flow;
pub mod input;
pub mod limits;
pub mod rng;
pub mod similar;
pub mod table;

pub use error::{Error, Result};
