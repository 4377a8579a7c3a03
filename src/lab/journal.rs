//! A file of JSON lines to which entries are added while they are made: a head, which says what they are
//! of, then a line for each. Work that is continued must match the head.

use ccsched_base::{Error, Result, atomic};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The file.
pub struct Journal(PathBuf, File);

impl Journal {
    /// Writes a head and entries anew, which drops a last line that was cut short.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn open<'e, E: Serialize + 'e>(
        path: &Path,
        head: &impl Serialize,
        entries: impl IntoIterator<Item = &'e E>,
    ) -> Result<Self> {
        atomic::write(path, text(head, entries))?;
        let file = OpenOptions::new().append(true).open(path).map_err(|e| Error::io(path, e))?;
        Ok(Journal(path.to_path_buf(), file))
    }

    /// Adds an entry, and writes it at once.
    ///
    /// # Errors
    /// The file can no longer be written to.
    pub fn add(&mut self, entry: &impl Serialize) -> Result<()> {
        let Journal(path, file) = self;
        let written = file.write_all((line(entry) + "\n").as_bytes());
        written.map_err(|e| Error::unwritten(path.as_path(), e))
    }
}

/// A value as a line of JSON, without its end.
pub fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("heads and entries have names and numbers")
}

/// The lines of a file.
pub fn text<'e, E: Serialize + 'e>(
    head: &impl Serialize,
    entries: impl IntoIterator<Item = &'e E>,
) -> String {
    entries.into_iter().fold(line(head) + "\n", |text, entry| text + &line(entry) + "\n")
}

/// The head of a file; `what` it is.
///
/// # Errors
/// What is wrong.
pub fn head<H: DeserializeOwned>(text: &str, what: &str) -> Result<H, String> {
    let first = text.lines().next().unwrap_or_default();
    serde_json::from_str(first).map_err(|e| format!("line 1: this is not a {what}: {e}"))
}

/// The entries of a file, without a last line that was cut short while it was written.
///
/// # Errors
/// What is wrong, and in which line.
pub fn entries<E: DeserializeOwned>(text: &str) -> Result<Vec<E>, String> {
    let mut entries = Vec::new();
    for (number, line) in (1..).zip(text.lines()).skip(1) {
        match serde_json::from_str(line) {
            Ok(entry) => entries.push(entry),
            Err(_) if number == text.lines().count() && !text.ends_with('\n') => {}
            Err(e) => return Err(format!("line {number}: {e}")),
        }
    }
    Ok(entries)
}

/// The first field in which a kept head differs from the new one, in words.
pub fn difference<T: Serialize>(kept: &T, new: &T) -> Option<String> {
    let [kept, new] = [kept, new].map(|h| serde_json::to_value(h).unwrap_or_default());
    let (key, value) = kept.as_object()?.iter().find(|(key, value)| new[*key] != **value)?;
    Some(format!("its {key} is {value}, here it is {}", new[key]))
}
