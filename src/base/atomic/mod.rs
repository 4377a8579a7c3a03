//! Atomic file writes: a draft beside the target is renamed at the end, so that a reader finds the
//! old or the new file, also during the write and after a crash.

mod batch;

use crate::{Error, Result};
pub use batch::{Batch, made};
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{LazyLock, Mutex};
use std::thread::{Scope, ScopedJoinHandle};
use std::{fs, io};

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
        let draft = folder.join(name(number));
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
    clean(folder);
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

// The names of drafts, and those that a killed process has left. A name tells which process writes the draft: the
// machine with its namespace of processes, the number of the process, and when it began. So a draft is removed only
// if its process is known to be gone, also in a folder that machines share.

/// The first letters of a draft's name.
const DRAFT: &str = ".ccsched-";

/// This machine, this process and its beginning; none where the system does not tell.
static WRITER: LazyLock<Option<Writer>> = LazyLock::new(|| {
    let mut machine = DefaultHasher::new();
    fs::read_to_string("/proc/sys/kernel/hostname").ok()?.hash(&mut machine);
    fs::read_to_string("/etc/machine-id").ok().hash(&mut machine);
    fs::read_link("/proc/self/ns/pid").ok()?.hash(&mut machine);
    let process = std::process::id();
    Some(Writer { machine: machine.finish(), process, begin: begin_of(process)? })
});

/// The folders that were cleaned.
static CLEANED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The writer of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Writer {
    machine: u64,
    process: u32,
    begin: u64,
}

impl Writer {
    /// The name of its draft of this number.
    fn name(self, number: u64) -> String {
        let Writer { machine, process, begin } = self;
        format!("{DRAFT}{machine:016x}-{process}-{begin}-{number}")
    }

    /// The writer of a draft of this name.
    fn of(name: &str) -> Option<Writer> {
        let mut parts = name.strip_prefix(DRAFT)?.split('-');
        let machine = u64::from_str_radix(parts.next()?, 16).ok()?;
        let (process, begin) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let _number: u64 = parts.next()?.parse().ok()?;
        parts.next().is_none().then_some(Writer { machine, process, begin })
    }

    fn is_gone(self) -> bool {
        begin_of(self.process) != Some(self.begin)
    }
}

/// When a process began, in ticks of the system; none if there is none.
fn begin_of(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program may hold anything; 19 fields later comes the beginning.
    stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

/// The name of a draft of this process.
pub fn name(number: u64) -> String {
    match *WRITER {
        Some(writer) => writer.name(number),
        None => format!("{DRAFT}{}-{number}", std::process::id()),
    }
}

/// Removes the drafts in a folder whose processes are gone; once a folder.
pub fn clean(folder: &Path) {
    let Ok(mut cleaned) = CLEANED.lock() else { return };
    if cleaned.insert(folder.to_path_buf()) {
        remove_left(folder);
    }
}

fn remove_left(folder: &Path) {
    let (Some(own), Ok(entries)) = (*WRITER, fs::read_dir(folder)) else { return };
    for entry in entries.flatten() {
        let writer = entry.file_name().to_str().and_then(Writer::of);
        let is_left = |writer: &Writer| writer.machine == own.machine && writer.is_gone();
        if writer.as_ref().is_some_and(is_left) && is_ours(&entry.path()) {
            log::debug!("{} was left by a killed run, and is removed", entry.path().display());
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a file is that of the user of this process: processes of others may be hidden.
fn is_ours(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let owner = |path: &Path| fs::symlink_metadata(path).ok().map(|m| m.uid());
        owner(path)
            .is_some_and(|owner_of_file| owner(Path::new("/proc/self")) == Some(owner_of_file))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

// A writer that passes large pieces to a thread, which writes them: the system takes about as long to copy a
// file of gigabytes as its text takes to be made.

/// Bytes of a piece.
const PIECE: usize = 1 << 18;
/// Pieces that are written without a thread: a short file needs none.
const ALONE: usize = 8;
/// Pieces that wait for the thread.
const WAITING: usize = 8;

/// Writes to a file; [`Pieces::end`] must follow.
pub struct Pieces<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    file: &'env File,
    piece: Vec<u8>,
    written: usize,
    aside: Option<Aside<'scope>>,
}

/// The thread that writes, and the way to it.
struct Aside<'scope> {
    pieces: SyncSender<Vec<u8>>,
    thread: ScopedJoinHandle<'scope, io::Result<()>>,
}

impl<'scope, 'env> Pieces<'scope, 'env> {
    /// A writer whose thread, if it needs one, ends with the scope.
    pub fn new(scope: &'scope Scope<'scope, 'env>, file: &'env File) -> Self {
        Pieces { scope, file, piece: Vec::new(), written: 0, aside: None }
    }

    /// Writes what is left, and waits until all is written.
    ///
    /// # Errors
    /// Those of the file.
    pub fn end(mut self) -> io::Result<()> {
        self.pass_on()?;
        self.aside.take().map_or(Ok(()), Aside::end)
    }

    /// Passes the piece on, even if it is short.
    fn pass_on(&mut self) -> io::Result<()> {
        self.written += 1;
        if self.written <= ALONE {
            self.file.write_all(&self.piece)?;
            self.piece.clear();
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE));
        let (scope, mut file) = (self.scope, self.file);
        let aside = self.aside.get_or_insert_with(|| {
            let (pieces, waiting) = sync_channel::<Vec<u8>>(WAITING);
            let write = move || waiting.into_iter().try_for_each(|piece| file.write_all(&piece));
            Aside { pieces, thread: scope.spawn(write) }
        });
        if aside.pieces.send(piece).is_ok() {
            return Ok(());
        }
        // The thread ends before its time only with an error.
        self.aside.take().map_or(Ok(()), Aside::end)
    }
}

impl Aside<'_> {
    fn end(self) -> io::Result<()> {
        drop(self.pieces);
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the writing thread panicked")))
    }
}

impl Write for Pieces<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.piece.len() + bytes.len() > PIECE && !self.piece.is_empty() {
            self.pass_on()?;
        }
        self.piece.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Does nothing: all is written at the end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

// Where the bytes of an output go. A file is replaced as a whole where its links lead; a pipe, a
// device or an open descriptor (`/dev/stdout`, a process substitution of a shell) can only be
// written to, and replacing its name would remove it for everyone.

/// Longer chains of symbolic links are refused, as by the operating system.
const MOST_LINKS: usize = 40;

/// What an output path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A regular file, or one that does not exist yet: its place after all symbolic links.
    File(PathBuf),
    /// An open descriptor of this process, by number.
    Descriptor(u32),
    /// A pipe, a device, or a descriptor of another process.
    Stream,
}

/// Follows a path link by link: the last name may be missing, and a link of the system to an open
/// descriptor is no place in a folder.
///
/// # Errors
/// [`Error::Io`]: a folder, a name in a folder that does not exist, a chain of links without end.
pub fn destination(path: &Path) -> Result<Destination> {
    follow(path).map_err(|why| Error::io(path, why))
}

fn follow(path: &Path) -> io::Result<Destination> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        if path.file_name().is_none() && path.is_dir() {
            return Err(folder());
        }
        let (above, name) = parts(&path)?;
        if let Some(process) = of_descriptors(&above) {
            let number = name.to_str().and_then(|name| name.parse().ok());
            return Ok(match number.filter(|_| process == std::process::id().to_string()) {
                Some(number) => Destination::Descriptor(number),
                None => Destination::Stream,
            });
        }
        path = above.join(name);
        match fs::symlink_metadata(&path) {
            Ok(m) if m.is_symlink() => path = above.join(fs::read_link(&path)?),
            Ok(m) if m.is_dir() => return Err(folder()),
            Ok(m) if m.is_file() => return Ok(Destination::File(path)),
            Ok(_) => return Ok(Destination::Stream),
            Err(why) if why.kind() == io::ErrorKind::NotFound => {
                return Ok(Destination::File(path));
            }
            Err(why) => return Err(why),
        }
    }
    let why = format!("more than {MOST_LINKS} symbolic links lead from one to the next");
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

fn folder() -> io::Error {
    io::Error::new(io::ErrorKind::IsADirectory, "this is a folder; name a file in it")
}

/// The folder of a path, without links, and the name in it.
fn parts(path: &Path) -> io::Result<(PathBuf, &std::ffi::OsStr)> {
    let wrong = |kind, why: String| Err(io::Error::new(kind, why));
    let Some(name) = path.file_name() else {
        return wrong(io::ErrorKind::InvalidInput, "this does not name a file".into());
    };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        let why = format!("the folder '{}' does not exist; create it first", folder.display());
        return wrong(io::ErrorKind::NotFound, why);
    }
    Ok((fs::canonicalize(folder)?, name))
}

/// The process whose open descriptors a folder lists, if it is such a folder.
fn of_descriptors(folder: &Path) -> Option<String> {
    if folder == Path::new("/dev/fd") {
        // A folder of its own on systems without /proc, always that of the process.
        return Some(std::process::id().to_string());
    }
    let below = folder.strip_prefix("/proc").ok().filter(|below| below.ends_with("fd"))?;
    Some(below.iter().next()?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;
    use std::io::Read;

    #[test]
    fn a_name_tells_its_writer() {
        let writer = Writer { machine: 77, process: 5, begin: 99 };
        assert_eq!(Writer::of(&writer.name(3)), Some(writer));
        for other in [".ccsched-5-3", ".ccsched-00-5-99", ".ccsched-g-5-99-3", "ccsched-00-5-99-3"]
        {
            assert_eq!(Writer::of(other), None, "{other}");
        }
    }

    #[test]
    fn only_drafts_of_processes_that_are_gone_are_removed() {
        let Some(own) = *WRITER else { return };
        // A process that has ended, and been waited for.
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let gone = Writer { process: child.id(), ..own };
        // The number of a process that runs, but began later.
        let reused = Writer { begin: own.begin + 1, ..own };
        let elsewhere = Writer { machine: own.machine ^ 1, ..gone };
        let folder = tempfile::tempdir().unwrap();
        let others = [".ccsched-7-0".to_string(), "s.json".into(), ".ccsched-notes".into()];
        let kept = [own.name(0), elsewhere.name(0)].into_iter().chain(others);
        let kept: BTreeSet<String> = kept.collect();
        let left = [gone.name(0), gone.name(12), reused.name(0)];
        for name in kept.iter().chain(&left) {
            fs::write(folder.path().join(name), "").unwrap();
        }
        remove_left(folder.path());
        let names = fs::read_dir(folder.path()).unwrap();
        let names: BTreeSet<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        assert_eq!(names, kept);
    }

    /// Bytes in pieces of several lengths, some longer than a piece of the thread.
    fn bytes(all: usize) -> Vec<u8> {
        (0..all).map(|i| (i % 251) as u8).collect()
    }

    fn write(file: &File, bytes: &[u8], lengths: &[usize]) -> io::Result<()> {
        std::thread::scope(|scope| {
            let mut out = Pieces::new(scope, file);
            let (mut rest, mut lengths) = (bytes, lengths.iter().cycle());
            while !rest.is_empty() {
                let (now, later) =
                    rest.split_at(lengths.next().unwrap().min(&rest.len()).to_owned());
                out.write_all(now)?;
                rest = later;
            }
            out.end()
        })
    }

    #[test]
    fn what_is_written_is_in_the_file_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        for all in [0, 1, PIECE, PIECE + 1, ALONE * PIECE, 20 * PIECE + 17] {
            let bytes = bytes(all);
            write(&File::create(&path).unwrap(), &bytes, &[1000, 70_000, 3, PIECE + 5]).unwrap();
            assert!(std::fs::read(&path).unwrap() == bytes, "{all}");
        }
    }

    #[test]
    fn what_the_system_refuses_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        File::create(&path).unwrap();
        // A file that is open for reading alone.
        let file = OpenOptions::new().read(true).open(&path).unwrap();
        for all in [1, 20 * PIECE] {
            assert!(write(&file, &bytes(all), &[1000]).is_err(), "{all}");
        }
    }

    #[test]
    fn what_the_system_refuses_late_is_told() {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let file = File::from(std::os::fd::OwnedFd::from(writer));
        // The thread writes when the pipe has no reader any more.
        let reading = std::thread::spawn(move || {
            io::copy(&mut Read::by_ref(&mut reader).take(12 * PIECE as u64), &mut io::sink())
        });
        let written = write(&file, &bytes(60 * PIECE), &[1000]);
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(reading.join().unwrap().unwrap(), 12 * PIECE as u64);
    }
}
