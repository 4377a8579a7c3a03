//! Atomic file writes: a draft beside the target is renamed at the end, so that a reader finds the
//! old or the new file, also during the write and after a crash.

mod batch;
mod destination;
mod drafts;
mod pieces;

pub use batch::{Batch, made};
pub use destination::{Destination, destination};

use crate::{Error, Result};
use pieces::Pieces;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers the drafts of this process.
static DRAFTS: AtomicU64 = AtomicU64::new(0);

/// Writes a file.
///
/// # Errors
/// [`Error::Io`]: the folder does not exist, or it cannot be written to; [`Error::Unwritten`]: the
/// disk is full.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    write_with(path, |out| out.write_all(bytes.as_ref()))
}

/// Writes a file with what `fill` writes, piece by piece. A pipe or a device cannot be replaced,
/// only written to.
///
/// # Errors
/// As [`write()`], and those of `fill`.
pub fn write_with(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    match destination(path)? {
        Destination::File(_) => replace(path, fill, |_| Ok(())),
        Destination::Descriptor(_) | Destination::Stream => {
            let filled = |file: File| fill_file(&file, fill);
            // Not from the beginning: the descriptor may be a file that others have written to.
            let opened = OpenOptions::new().append(true).open(path);
            opened.and_then(filled).map_err(|e| Error::unwritten(path, e))
        }
    }
}

/// Replaces a file by what `fill` writes. When the new content is complete, and before it takes the
/// place of the old, `before` sees where the old one is.
///
/// # Errors
/// As [`write_with`], and those of `before`; the old file is then as it was.
pub fn replace(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    before: impl FnOnce(&Path) -> io::Result<()>,
) -> Result<()> {
    let (draft, file) = draft(path)?;
    let written = fill_file(&file, fill).and_then(|()| put(draft, before));
    written.map_err(|e| Error::unwritten(path, e))
}

/// Puts a complete draft in its place, once `before` has seen that.
fn put(mut draft: Draft, before: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    if let Ok(old) = std::fs::metadata(&draft.target) {
        // Permissions stay as they were.
        let _ = std::fs::set_permissions(&draft.path, old.permissions());
    }
    before(&draft.target)?;
    std::fs::rename(&draft.path, &draft.target)?;
    draft.is_kept = true;
    Ok(())
}

fn fill_file(file: &File, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    std::thread::scope(|scope| {
        let mut out = Pieces::new(scope, file);
        fill(&mut out).and_then(|()| out.end())
    })
}

/// Checks early whether the file can be written, before hours are spent on its content.
///
/// # Errors
/// [`Error::Io`]: the folder does not exist, it cannot be written to, or `path` is a folder.
pub fn check_writable(path: &Path) -> Result<()> {
    match destination(path)? {
        Destination::File(_) => draft(path).map(drop),
        Destination::Descriptor(_) | Destination::Stream => Ok(()),
    }
}

/// A temporary file, removed when it is dropped unless it has become the target.
struct Draft {
    path: PathBuf,
    /// The file that it will be.
    target: PathBuf,
    is_kept: bool,
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// A name for a temporary file in a folder that no file has.
pub fn free_draft(folder: &Path) -> PathBuf {
    loop {
        let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
        let draft = folder.join(drafts::name(number));
        // Others are left by a killed process of the same id, perhaps on another machine.
        if draft.symlink_metadata().is_err() {
            return draft;
        }
    }
}

/// A temporary file, open for writing, in the folder of the file that `path` leads to.
fn draft(path: &Path) -> Result<(Draft, File)> {
    let Destination::File(target) = destination(path)? else {
        let why = "this is no file but a pipe or a device, which cannot be replaced; name a file";
        return Err(Error::io(path, io::Error::new(io::ErrorKind::InvalidInput, why)));
    };
    let folder = target.parent().unwrap_or(Path::new("."));
    drafts::clean(folder);
    loop {
        let draft = free_draft(folder);
        match OpenOptions::new().write(true).create_new(true).open(&draft) {
            Ok(file) => return Ok((Draft { path: draft, target, is_kept: false }, file)),
            // Made by another process of the same id since then.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(e) => return Err(Error::io(path, e)),
        }
    }
}
