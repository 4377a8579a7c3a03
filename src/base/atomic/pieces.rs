//! A writer that passes large pieces to a thread, which writes them: the system takes about as long to copy a
//! file of gigabytes as its text takes to be made.

use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{Scope, ScopedJoinHandle};

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;
    use std::io::Read;

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
