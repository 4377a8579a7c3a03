//! The library's error: what is wrong, where, and what would be right.
//! Every variant but [`Error::Unwritten`] is the fault of an input (exit status 2 of the programs).

use crate::similar;
use std::io;
use std::path::{Path, PathBuf};

/// Shorthand for results of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can be wrong with an input.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A spec or a path that names no network.
    #[error("topology '{spec}': {why}")]
    Spec {
        /// The text as given.
        spec: String,
        /// What is wrong and what would be right.
        why: String,
    },
    /// A file that cannot be parsed, or whose content is wrong.
    #[error("{path}:{line}: {why}")]
    File {
        /// The file.
        path: PathBuf,
        /// Line of the mistake, from 1.
        line: usize,
        /// What is wrong and what would be right.
        why: String,
    },
    /// An invalid network: a self-loop, a name used twice.
    #[error("network '{network}': {why}")]
    Network {
        /// The network.
        network: String,
        /// What is wrong.
        why: String,
    },
    /// A problem that cannot be posed on this network.
    #[error("{0}")]
    Problem(String),
    /// A wrong field of a request or of options. The command line names its flag instead.
    #[error("{field}: {why}")]
    Field {
        /// The field's name in the library.
        field: &'static str,
        /// What is wrong and what would be right.
        why: String,
    },
    /// A file that cannot be read, or whose name cannot be that of a file to write.
    #[error("{path}: {why}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's error. Not called `source`, which would print it twice.
        why: io::Error,
    },
    /// An output that the operating system did not take, such as on a full disk.
    #[error("{path}: {why}")]
    Unwritten {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        why: io::Error,
    },
}

impl Error {
    /// A problem that cannot be posed: `why` says what is wrong and what would be right.
    pub fn problem(why: impl Into<String>) -> Self {
        Error::Problem(why.into())
    }

    /// A field that is wrong: `why` says what is wrong and what would be right.
    pub fn field(field: &'static str, why: impl Into<String>) -> Self {
        Error::Field { field, why: why.into() }
    }

    /// A file that cannot be read, or not be opened for writing.
    pub fn io(path: impl Into<PathBuf>, why: io::Error) -> Self {
        let path = path.into();
        Error::Io { why: explained(&path, why), path }
    }
    /// An output that the operating system did not take.
    pub fn unwritten(path: impl Into<PathBuf>, why: io::Error) -> Self {
        Error::Unwritten { path: path.into(), why }
    }
}

/// The error about a missing file, with the name in its folder that is most like it.
fn explained(path: &Path, error: io::Error) -> io::Error {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let near = || {
        let files = folder.unwrap_or(Path::new(".")).read_dir().ok()?;
        let names: Vec<String> =
            files.flatten().filter_map(|file| file.file_name().into_string().ok()).collect();
        let name = path.file_name()?.to_str()?;
        similar::nearest(name, names.iter().map(String::as_str)).map(String::from)
    };
    match near().filter(|_| error.kind() == io::ErrorKind::NotFound) {
        None => error,
        Some(near) => io::Error::new(error.kind(), format!("{error}; did you mean '{near}'?")),
    }
}
