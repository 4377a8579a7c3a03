//! `-` in place of a file name: the standard input or the standard output. Names that lead to a
//! standard stream, such as `/dev/stdout`, mean the same.

use super::pipe::Pipe;
use super::stdout::stdout;
use ccsched_base::atomic::{self, Destination, destination};
use ccsched_base::{Error, Result};
use std::io;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Bytes that are written at once.
const PIECE: usize = 1 << 16;

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
    path.as_os_str() == "-" || destination(path).is_ok_and(|to| to == Destination::Descriptor(1))
}

/// Whether an output path is no file that can be replaced: the standard output, a pipe, a device.
pub fn is_stream(path: &Path) -> bool {
    let is_file = |to| matches!(to, Destination::File(_));
    path.as_os_str() == "-" || destination(path).is_ok_and(|to| !is_file(to))
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

/// Writes what `fill` writes, piece by piece, to the file or the stream.
///
/// # Errors
/// The folder does not exist, or it cannot be written to.
pub fn write_with(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    if is_stdout(path) {
        return buffered(stdout(), fill).map_err(|e| Error::unwritten("standard output", e));
    }
    match destination(path)? {
        Destination::File(_) => atomic::write_with(path, fill),
        Destination::Descriptor(2) => {
            buffered(io::stderr(), fill).map_err(|e| Error::unwritten("standard error", e))
        }
        Destination::Descriptor(_) | Destination::Stream => {
            let written = Pipe::open(path).and_then(|mut pipe| {
                buffered(&mut pipe, fill)?;
                pipe.finish()
            });
            written.map_err(|e| Error::unwritten(path, e))
        }
    }
}

fn buffered(
    out: impl Write,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(PIECE, out);
    fill(&mut out).and_then(|()| out.flush())
}
