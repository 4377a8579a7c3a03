//! Networks from files, one folder or file a format.

pub mod toml;
