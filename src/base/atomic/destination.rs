//! Where the bytes of an output go. A file is replaced as a whole where its links lead; a pipe, a
//! device or an open descriptor (`/dev/stdout`, a process substitution of a shell) can only be
//! written to, and replacing its name would remove it for everyone.

use crate::{Error, Result};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

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
        let (folder, name) = parts(&path)?;
        if let Some(process) = of_descriptors(&folder) {
            let number = name.to_str().and_then(|name| name.parse().ok());
            return Ok(match number.filter(|_| process == std::process::id().to_string()) {
                Some(number) => Destination::Descriptor(number),
                None => Destination::Stream,
            });
        }
        path = folder.join(name);
        match fs::symlink_metadata(&path) {
            Ok(m) if m.is_symlink() => path = folder.join(fs::read_link(&path)?),
            Ok(m) if m.is_dir() => return Err(self::folder()),
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
