//! Bytes as a file, for readers that take a path. The file is in memory where the system has such a
//! folder.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

static PATH: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
    folder.join(format!("ccsched-fuzz-{}", std::process::id()))
});

/// The file with these bytes; the one before is overwritten.
pub fn file(bytes: &[u8]) -> &'static Path {
    std::fs::write(&*PATH, bytes).expect("the folder of the file can be written");
    &PATH
}
