//! Many searches by one island each, side by side.

pub mod farm;
pub mod task;
