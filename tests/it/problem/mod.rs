//! Problems: requests that are posed, and requests that are refused.

mod participants;
mod reductions;
mod refused;
