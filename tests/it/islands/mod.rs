//! Islands: results of a search on several islands, how it resumes after an interrupt, and a model of
//! the protocol that is explored to the end.

mod exchanges;
mod forged;
mod kept;
mod model;
mod resume;
mod search;
mod tree;
