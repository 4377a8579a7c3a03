//! Engines: exact results, parts computed by hand, and properties that hold for every problem.

mod at_once;
mod capacity;
mod constructors;
mod fabrics;
mod first;
mod golden;
mod grids;
mod large;
mod liquid;
mod meeting;
mod moves;
mod near_families;
mod optimum;
mod over_ranks;
mod own;
mod properties;
mod rows;
mod side_by_side;
mod translates;
mod umda;
