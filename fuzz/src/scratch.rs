//! A folder in memory for readers that take a path.

#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::sync::OnceLock;
use tempfile::TempDir;

/// The path of a file of this name with this content.
///
/// # Panics
/// There is no space for it.
pub fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = path(name);
    std::fs::write(&path, content).expect("the scratch folder has space");
    path
}

/// The path of a file of this name.
pub fn path(name: &str) -> PathBuf {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let new = || tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    FOLDER.get_or_init(|| new().expect("a folder for scratch files")).path().join(name)
}
