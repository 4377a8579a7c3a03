//! Output to a pipe or a device. To open a pipe without a reader, and to write to one whose reader
//! is busy, may take forever. A thread of its own does both, so that an interrupt ends the wait.

use super::signals::interrupted;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Pieces that wait for the thread.
const WAITING: usize = 16;
/// Time between two looks at the thread.
const LOOK: Duration = Duration::from_millis(2);
/// After an interrupt, a reader that takes nothing for this long is given up.
const PATIENCE: Duration = Duration::from_millis(700);
/// A wait that lasts so long is reported.
const LONG: Duration = Duration::from_secs(2);

/// A pipe or device that a thread writes to.
pub struct Pipe {
    path: PathBuf,
    to_thread: Option<SyncSender<Vec<u8>>>,
    result: Receiver<io::Result<()>>,
    /// When the thread last took a piece.
    moved: Instant,
    has_reported: bool,
}

impl Pipe {
    /// Opens a pipe or a device.
    ///
    /// # Errors
    /// The operating system cannot start another thread.
    pub fn open(path: &Path) -> io::Result<Self> {
        let (to_thread, pieces) = sync_channel::<Vec<u8>>(WAITING);
        let (tell, result) = sync_channel(1);
        let on_thread = path.to_path_buf();
        let work = move || {
            let opened = OpenOptions::new().append(true).open(on_thread);
            let write = |mut file: File| pieces.iter().try_for_each(|p| file.write_all(&p));
            // The receiver is gone if the wait was given up.
            drop(tell.send(opened.and_then(write)));
        };
        thread::Builder::new().spawn(work)?;
        let (path, moved) = (path.to_path_buf(), Instant::now());
        Ok(Pipe { path, to_thread: Some(to_thread), result, moved, has_reported: false })
    }

    /// Waits until everything is written.
    ///
    /// # Errors
    /// Those of the pipe; an interrupt while the pipe has no reader.
    pub fn finish(mut self) -> io::Result<()> {
        self.to_thread = None;
        loop {
            match self.result.recv_timeout(LOOK) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) => self.check_patience()?,
                Err(RecvTimeoutError::Disconnected) => return Err(ended()),
            }
        }
    }

    /// Gives up after an interrupt if the reader takes nothing.
    fn check_patience(&mut self) -> io::Result<()> {
        let waited = self.moved.elapsed();
        if interrupted().load(Ordering::Relaxed) && waited >= PATIENCE {
            let why = "nothing reads it, and the program was interrupted";
            return Err(io::Error::new(io::ErrorKind::TimedOut, why));
        }
        if waited >= LONG && !self.has_reported {
            self.has_reported = true;
            log::warn!("waiting for a reader of {}", self.path.display());
        }
        Ok(())
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(to_thread) = self.to_thread.clone() else { return Err(ended()) };
        let mut piece = bytes.to_vec();
        loop {
            match to_thread.try_send(piece) {
                Ok(()) => {
                    self.moved = Instant::now();
                    return Ok(bytes.len());
                }
                Err(TrySendError::Full(back)) => {
                    piece = back;
                    self.check_patience()?;
                    thread::sleep(LOOK);
                }
                // The thread has ended before its time: the file could not be opened or written.
                Err(TrySendError::Disconnected(_)) => {
                    return Err(self.result.recv().ok().and_then(Result::err).unwrap_or(ended()));
                }
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn ended() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the thread that writes it has ended")
}
