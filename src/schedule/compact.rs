//! Schedule files compressed by Zstandard, as a stream both ways: some twentieth of the text. What is
//! compressed is the text, so a file that is unpacked by other programs is an ordinary one.

use super::mistake::Mistake;
#[cfg(feature = "zst")]
use crate::limits::UNPACKED;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

/// How every compressed file begins.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The level of compression: the fastest of those that find repeated lines well.
#[cfg(feature = "zst")]
const LEVEL: i32 = 3;

/// Whether a file of this name is compressed.
pub(super) fn is_meant(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

/// Compresses what `fill` writes.
#[cfg(feature = "zst")]
pub(super) fn write(
    out: &mut dyn Write,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut packed = zstd::Encoder::new(out, LEVEL)?;
    packed.include_checksum(true)?;
    fill(&mut packed)?;
    packed.finish().map(drop)
}

/// Refuses to compress.
#[cfg(not(feature = "zst"))]
pub(super) fn write(
    _: &mut dyn Write,
    _: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    Err(missing())
}

/// The text of a file, compressed or not, from its beginning.
pub(super) fn from_beginning<'f>(
    file: &'f mut (impl Read + Seek),
) -> Result<Box<dyn Read + 'f>, Mistake> {
    let mut start = Vec::new();
    file.rewind().map_err(Mistake::Unreadable)?;
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut start).map_err(Mistake::Unreadable)?;
    file.rewind().map_err(Mistake::Unreadable)?;
    if start == MAGIC { unpacked(file) } else { Ok(Box::new(file)) }
}

#[cfg(feature = "zst")]
fn unpacked<'f>(file: &'f mut (impl Read + Seek)) -> Result<Box<dyn Read + 'f>, Mistake> {
    let packed = file.seek(io::SeekFrom::End(0)).map_err(Mistake::Unreadable)?;
    file.rewind().map_err(Mistake::Unreadable)?;
    let text = zstd::Decoder::new(file).map_err(Mistake::Unreadable)?;
    let left = packed.saturating_mul(UNPACKED);
    Ok(Box::new(Unpacked { text, left }))
}

/// A text that is unpacked, and the bytes of it that are read at most.
#[cfg(feature = "zst")]
struct Unpacked<R> {
    text: R,
    left: u64,
}

#[cfg(feature = "zst")]
impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.text.read(into)?;
        let why = || {
            let why = format!("it unpacks to more than {UNPACKED} times its length");
            io::Error::new(io::ErrorKind::FileTooLarge, why)
        };
        self.left = self.left.checked_sub(read as u64).ok_or_else(why)?;
        Ok(read)
    }
}

#[cfg(not(feature = "zst"))]
fn unpacked<'f>(_: &'f mut (impl Read + Seek)) -> Result<Box<dyn Read + 'f>, Mistake> {
    Err(Mistake::Unreadable(missing()))
}

#[cfg(not(feature = "zst"))]
fn missing() -> io::Error {
    io::Error::other("this program was built without compression, the feature zst")
}
