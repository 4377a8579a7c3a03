//! Problems: requests that are posed, and requests that are refused.

mod all_reduce;
mod groups;
mod joined;
mod participants;
mod pieces;
mod reductions;
mod refused;
mod spellings;
