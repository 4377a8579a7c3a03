//! `-` in place of a file name: the standard input or the standard output.

use super::stdout::stdout;
use crate::atomic;
use crate::{Error, Result};
use std::io;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The standard input as a path that file readers can open.
const STDIN: &str = "/dev/stdin";

/// A file to read.
///
/// # Errors
/// `-` on systems that have no name for the standard input.
pub fn input(text: &str) -> Result<PathBuf, String> {
    topology(text).map(PathBuf::from)
}

/// A network: a spec or a file.
///
/// # Errors
/// `-` on systems that have no name for the standard input.
pub fn topology(text: &str) -> Result<String, String> {
    match text {
        "-" if Path::new(STDIN).exists() => Ok(STDIN.into()),
        "-" => Err("this system has no name for the standard input; name a file".into()),
        _ => Ok(text.into()),
    }
}

/// Whether an output path means the standard output.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Checks early that the file can be written.
///
/// # Errors
/// The folder does not exist, or it cannot be written to.
pub fn check_writable(path: &Path) -> Result<()> {
    if is_stdout(path) { Ok(()) } else { atomic::check_writable(path) }
}

/// Writes to the file or the standard output.
///
/// # Errors
/// The folder does not exist, or it cannot be written to.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    write_with(path, |out| out.write_all(bytes.as_ref()))
}

/// Writes what `fill` writes, piece by piece, to the file or the standard output.
///
/// # Errors
/// As [`write()`], and those of `fill`.
pub fn write_with(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    if !is_stdout(path) {
        return atomic::write_with(path, fill);
    }
    let mut out = BufWriter::new(stdout());
    let written = fill(&mut out).and_then(|()| out.flush());
    written.map_err(|e| Error::io("standard output", e))
}
