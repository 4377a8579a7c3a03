//! Experiments: many runs and their evaluation.

#[cfg(feature = "experiments")]
pub mod compare;
pub mod fault_sweep;
#[cfg(feature = "experiments")]
pub mod fold;
#[cfg(feature = "experiments")]
pub(crate) mod pictures;
pub mod repairs;
#[cfg(feature = "experiments")]
pub mod replay;
#[cfg(feature = "experiments")]
pub mod reproduce;
#[cfg(feature = "experiments")]
pub mod resilience;
pub mod routings;
#[cfg(feature = "experiments")]
pub mod survey;
#[cfg(feature = "experiments")]
pub mod swiss_t1;
#[cfg(feature = "experiments")]
pub mod tradeoff;
