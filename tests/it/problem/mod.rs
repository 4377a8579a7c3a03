//! Problems: what a request becomes, and what is refused.

mod refused;
