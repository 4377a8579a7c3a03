//! The standard output. Its reader may stop early (`| head`): that is no error, and changes neither
//! the rest of the run nor the exit status. What else keeps it from being written, such as a full
//! disk, is an [`Unprinted`], which has an exit status of its own.

use ccsched_model::schedule::printable::printable_lines;
use std::io::{Error, ErrorKind, Result, StdoutLock, Write};

/// Why the standard output could not be written.
#[derive(Debug, thiserror::Error)]
#[error("standard output: {0}")]
pub struct Unprinted(Error);

/// The standard output; once its reader is gone, output is discarded.
pub struct Stdout {
    lock: StdoutLock<'static>,
    is_read: bool,
}

/// The standard output of this process.
pub fn stdout() -> Stdout {
    Stdout { lock: std::io::stdout().lock(), is_read: true }
}

/// The standard output for people, free of anything that a terminal executes or hides. Output for
/// programs keeps names as they are.
pub fn text() -> Text {
    Text(stdout())
}

/// A writer of whole strings.
pub struct Text(Stdout);

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        self.0.write_all(printable_lines(&text).as_bytes()).map(|()| bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }
}

impl Stdout {
    fn unless_gone<T>(
        &mut self,
        gone: T,
        write: impl FnOnce(&mut StdoutLock<'static>) -> Result<T>,
    ) -> Result<T> {
        if !self.is_read {
            return Ok(gone);
        }
        match write(&mut self.lock) {
            Err(why) if why.kind() == ErrorKind::BrokenPipe => {
                self.is_read = false;
                Ok(gone)
            }
            result => result.map_err(|why| Error::new(why.kind(), Unprinted(why))),
        }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.unless_gone(bytes.len(), |lock| lock.write(bytes))
    }

    fn flush(&mut self) -> Result<()> {
        self.unless_gone((), |lock| lock.flush())
    }
}
