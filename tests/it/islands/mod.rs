//! Islands: results of a search on several islands, and how it resumes after an interrupt.

mod exchanges;
mod forged;
mod kept;
mod resume;
mod search;
mod tree;
