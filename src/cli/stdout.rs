//! The standard output. Its reader may stop early (`| head`): that is no error, and changes neither
//! the rest of the run nor the exit status.

use std::io::{ErrorKind, Result, StdoutLock, Write};

/// The standard output; once its reader is gone, output is discarded.
pub struct Stdout {
    lock: StdoutLock<'static>,
    is_read: bool,
}

/// The standard output of this process.
pub fn stdout() -> Stdout {
    Stdout { lock: std::io::stdout().lock(), is_read: true }
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
            result => result,
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
