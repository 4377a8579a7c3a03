//! Atomic file writes: a draft beside the target is renamed at the end, so that a reader finds the
//! old or the new file, also during the write and after a crash.

use crate::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that are written at once.
const PIECE: usize = 1 << 16;

/// Numbers the drafts of this process; the process id tells them from those of other processes.
static DRAFTS: AtomicU64 = AtomicU64::new(0);

/// Writes a file.
///
/// # Errors
/// [`Error::Io`]: the folder does not exist, or it cannot be written to.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    write_with(path, |out| out.write_all(bytes.as_ref()))
}

/// Writes a file with what `fill` writes, piece by piece.
///
/// # Errors
/// As [`write()`], and those of `fill`.
pub fn write_with(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let buffered = |file: &File| {
        let mut out = BufWriter::with_capacity(PIECE, file);
        fill(&mut out).and_then(|()| out.flush())
    };
    // A pipe or a device (`/dev/stdout`) cannot be replaced, only written to.
    if std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        return File::create(path).and_then(|file| buffered(&file)).map_err(|e| Error::io(path, e));
    }
    let mut draft = draft(path)?;
    buffered(&draft.file).map_err(|e| Error::io(path, e))?;
    std::fs::rename(&draft.path, target(path)).map_err(|e| Error::io(path, e))?;
    draft.is_kept = true;
    Ok(())
}

/// Checks early whether the file can be written, before hours are spent on its content.
///
/// # Errors
/// [`Error::Io`]: the folder does not exist, it cannot be written to, or `path` is a folder.
pub fn check_writable(path: &Path) -> Result<()> {
    match std::fs::metadata(path) {
        Ok(m) if !m.is_file() && !m.is_dir() => Ok(()),
        _ => draft(path).map(drop),
    }
}

/// A temporary file, removed when it is dropped unless it has become the target.
struct Draft {
    file: File,
    path: PathBuf,
    is_kept: bool,
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// A temporary file in the folder of `path`.
fn draft(path: &Path) -> Result<Draft> {
    let wrong = |kind, why: String| Err(Error::io(path, io::Error::new(kind, why)));
    if path.is_dir() {
        return wrong(io::ErrorKind::IsADirectory, "this is a folder; name a file in it".into());
    }
    let target = target(path);
    let folder = match target.parent() {
        Some(p) if p.as_os_str().is_empty() => Path::new("."),
        Some(p) => p,
        None => return wrong(io::ErrorKind::InvalidInput, "this does not name a file".into()),
    };
    if !folder.is_dir() {
        let why = format!("the folder '{}' does not exist; create it first", folder.display());
        return wrong(io::ErrorKind::NotFound, why);
    }
    loop {
        let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
        let draft = folder.join(format!(".ccsched-{}-{number}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&draft) {
            Ok(file) => return Ok(Draft { file, path: draft, is_kept: false }),
            // Left by a killed process of the same id, perhaps on another machine.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(e) => return Err(Error::io(path, e)),
        }
    }
}

/// The file to replace: a symbolic link stays, the file behind it is replaced.
fn target(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}
