//! What a reader did not use or had to guess: a [`Notice`], one a kind, so that a file of a thousand
//! odd lines makes one line of warning.
//!
//! A reader adds one with [`Notices::add`]:
//!
//! ```text
//! source.notices.add("latency", place(text, word), || format!("'{word}': latencies are left out"));
//! ```
//!
//! The first of a kind gives the line and the text; the others are counted. `kind` is never shown.
//! The text says what was met, how it was understood, and how to change that; it has settings of
//! [`Reading`](super::Reading) in backquotes, for which the command line puts its flags. For
//! another file than the source, [`Notices::add_in`] takes path and line.

use super::mistake::line;
use crate::Network;
use std::cell::RefCell;
use std::fmt;
use std::path::{Path, PathBuf};

/// What a reader did not use or had to guess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The file.
    pub path: PathBuf,
    /// The line of the first of this kind, from 1.
    pub line: usize,
    /// What kind it is: a word that is the same for all files.
    pub kind: &'static str,
    /// What was met, and what was made of it.
    pub text: String,
    /// Further ones of this kind in the file.
    pub more: usize,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Notice { path, line, text, more, .. } = self;
        write!(f, "{}:{line}: {text}", path.display())?;
        if *more > 0 { write!(f, " (and {more} more)") } else { Ok(()) }
    }
}

/// A network that was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The network.
    pub network: Network,
    /// What its reader did not use or had to guess.
    pub notices: Vec<Notice>,
    /// The name of the format of its file, if it was in one.
    pub format: Option<&'static str>,
}

impl Loaded {
    /// The network, after its notices are logged.
    pub(crate) fn logged(self) -> Network {
        self.notices.iter().for_each(|notice| log::warn!("{notice}"));
        self.network
    }
}

/// The notices of a file that is being read.
#[derive(Debug, Default)]
pub struct Notices(RefCell<Vec<Entry>>);

/// A notice whose file is the source, unless another one is given.
#[derive(Debug)]
struct Entry {
    kind: &'static str,
    place: Place,
    text: String,
    more: usize,
}

#[derive(Debug)]
enum Place {
    /// An offset in the source.
    At(usize),
    /// A line of another file.
    In(PathBuf, usize),
}

impl Notices {
    /// Adds a notice about the text at an offset of the source; only the first of a kind is worded.
    pub fn add(&self, kind: &'static str, at: usize, text: impl FnOnce() -> String) {
        self.entry(kind, || Place::At(at), text);
    }

    /// Adds a notice about a line of another file.
    pub fn add_in(
        &self,
        (path, line): (&Path, usize),
        kind: &'static str,
        text: impl FnOnce() -> String,
    ) {
        self.entry(kind, || Place::In(path.to_path_buf(), line), text);
    }

    /// Whether there is a notice of this kind.
    pub fn has(&self, kind: &str) -> bool {
        self.0.borrow().iter().any(|entry| entry.kind == kind)
    }

    fn entry(
        &self,
        kind: &'static str,
        place: impl FnOnce() -> Place,
        text: impl FnOnce() -> String,
    ) {
        let mut all = self.0.borrow_mut();
        match all.iter_mut().find(|entry| entry.kind == kind) {
            Some(entry) => entry.more += 1,
            None => all.push(Entry { kind, place: place(), text: text(), more: 0 }),
        }
    }

    /// The notices, in the order in which they were met; `path` and `text` are those of the source.
    pub fn list(self, path: &Path, text: &str) -> Vec<Notice> {
        let notice = |Entry { kind, place, text: about, more }: Entry| {
            let (path, line) = match place {
                Place::At(at) => (path.to_path_buf(), line(text, at)),
                Place::In(path, line) => (path, line),
            };
            Notice { path, line, kind, text: about, more }
        };
        self.0.into_inner().into_iter().map(notice).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_told_once_with_its_first_line() {
        let notices = Notices::default();
        for at in [2, 4, 6] {
            notices.add("odd", at, || format!("odd at {at}"));
        }
        notices.add_in((Path::new("g"), 7), "other", || "strange".into());
        let list = notices.list(Path::new("f"), "a\nb\nc\nd\n");
        let said: Vec<String> = list.iter().map(Notice::to_string).collect();
        assert_eq!(said, ["f:2: odd at 2 (and 2 more)", "g:7: strange"]);
        assert_eq!((list[0].kind, list[0].more), ("odd", 2));
    }
}
