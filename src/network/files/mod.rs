//! The table of the network file formats that are read; each format has its own file or folder. The
//! content of a file determines its format, so its name may be anything.

mod mistake;
pub mod toml;

use super::Network;
use crate::{Error, Result};
use std::path::Path;

/// A format of network files.
pub struct Format {
    /// The name for users.
    pub name: &'static str,
    /// One line of description.
    pub about: &'static str,
    /// Whether a text looks like this format.
    pub recognises: fn(&str) -> bool,
    /// Reads the text of a file; the path is for messages. Mistakes come with their line.
    pub read: fn(&Path, &str) -> Result<Network>,
}

/// All formats. The first is the program's own; a text that no format recognises is read as this
/// one, so that its reader says what is missing.
pub const FORMATS: &[Format] = &[Format {
    name: "toml",
    about: "a list of neighbours for every vertex; see topologies/example.toml",
    recognises: toml::read::recognises,
    read: toml::read::parse,
}];

/// Reads a network from a file of any format.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::File`] with the line of its first mistake.
pub fn read(path: &Path) -> Result<Network> {
    let text = text(path)?;
    (of(&text).read)(path, &text)
}

/// The format of a text.
pub fn of(text: &str) -> &'static Format {
    FORMATS.iter().find(|format| (format.recognises)(text)).unwrap_or(&FORMATS[0])
}

/// The text of a file.
fn text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|e| Error::io(path, e))
}
