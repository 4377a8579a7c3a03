//! Properties of the engine that hold for every network and every rule of the model.

mod costs;
mod every_row;
mod families;
mod partial;
mod recount;
