//! Islands: what a search on several of them comes to, and how it goes on after a break.

mod resume;
mod search;
