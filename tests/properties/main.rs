//! Properties of the engine that hold for every network and every rule of the model.

#[path = "../common/checked.rs"]
mod checked;
mod costs;
mod families;
mod partial;
mod recount;
#[path = "../common/tiny.rs"]
mod tiny;
