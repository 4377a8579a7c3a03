//! Engines: exact results, parts computed by hand, and properties that hold for every problem.

mod at_once;
mod capacity;
mod constructors;
mod fabrics;
mod golden;
mod grids;
mod large;
mod liquid;
mod near_families;
mod optimum;
mod own;
mod properties;
mod rows;
mod translates;
mod umda;
