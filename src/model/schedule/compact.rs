//! Schedule files compressed by Zstandard, as a stream both ways: an eighth of the text. What is
//! compressed is the text, so a file that is unpacked by other programs is an ordinary one.
//!
//! A file is a row of frames, each of which stands alone; the text is written in frames of [`FRAME`]
//! bytes. The codes are those of `ruzstd`, the search for repetitions is here (repeats.rs): that of
//! `ruzstd` looks back 128 KiB and makes files twice to three times as large.

mod repeats;

use super::mistake::Mistake;
use ccsched_base::limits::{UNPACKED, WINDOW};
use repeats::Repeats;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::encoding::{CompressionLevel, FrameCompressor};
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, Write};
use std::path::Path;

/// How every compressed file begins.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Bytes of text in a frame.
const FRAME: usize = 1 << 22;

/// Whether a file of this name is compressed.
pub(super) fn is_meant(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

/// Compresses what `fill` writes.
pub(super) fn write(
    out: &mut dyn Write,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let packing = FrameCompressor::new_with_matcher(Repeats::new(FRAME), CompressionLevel::Fastest);
    let mut packed = Packed { out, packing, text: Vec::with_capacity(FRAME) };
    fill(&mut packed)?;
    packed.end_frame()
}

/// A text on its way into frames.
struct Packed<'o> {
    out: &'o mut dyn Write,
    packing: FrameCompressor<Cursor<Vec<u8>>, Vec<u8>, Repeats>,
    /// The text of the frame that is not complete.
    text: Vec<u8>,
}

impl Packed<'_> {
    /// Writes the frame. The compressor panics on errors of its ends, so these are in memory.
    fn end_frame(&mut self) -> io::Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        self.packing.set_source(Cursor::new(std::mem::take(&mut self.text)));
        self.packing.set_drain(Vec::new());
        self.packing.compress();
        self.text = self.packing.take_source().map(Cursor::into_inner).unwrap_or_default();
        self.text.clear();
        self.out.write_all(&self.packing.take_drain().unwrap_or_default())
    }
}

impl Write for Packed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(FRAME - self.text.len());
        self.text.extend_from_slice(&bytes[..taken]);
        if self.text.len() == FRAME {
            self.end_frame()?;
        }
        Ok(taken)
    }

    /// Does nothing: a frame that ends early costs space.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The text of a file, compressed or not, from its beginning.
pub(super) fn from_beginning<'f>(
    file: &'f mut (impl Read + Seek),
) -> Result<Box<dyn Read + 'f>, Mistake> {
    let mut start = Vec::new();
    file.rewind().map_err(Mistake::Unreadable)?;
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut start).map_err(Mistake::Unreadable)?;
    let packed = file.seek(io::SeekFrom::End(0)).map_err(Mistake::Unreadable)?;
    file.rewind().map_err(Mistake::Unreadable)?;
    if start != MAGIC {
        return Ok(Box::new(file));
    }
    let mut frame = FrameDecoder::new();
    frame.set_max_window_size(WINDOW);
    let left = packed.saturating_mul(UNPACKED);
    Ok(Box::new(Unpacked { file: BufReader::new(file), frame, left }))
}

/// A text that is unpacked.
struct Unpacked<R> {
    file: BufReader<R>,
    /// The frame that is read, or the one before the next.
    frame: FrameDecoder,
    /// The bytes of text that are read at most.
    left: u64,
}

impl<R: Read> Unpacked<R> {
    /// Begins the next frame, past those that hold no text. False at the end of the file.
    fn begin_frame(&mut self) -> io::Result<bool> {
        while !self.file.fill_buf()?.is_empty() {
            match self.frame.reset(&mut self.file) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    let mut skipped = self.file.by_ref().take(length);
                    if io::copy(&mut skipped, &mut io::sink())? < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(why) => return Err(io::Error::other(why)),
            }
        }
        Ok(false)
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.frame.can_collect() == 0 {
            if !self.frame.is_finished() {
                let step = BlockDecodingStrategy::UptoBlocks(1);
                self.frame.decode_blocks(&mut self.file, step).map_err(io::Error::other)?;
                continue;
            }
            let told = self.frame.get_checksum_from_data();
            if told.is_some() && told != self.frame.get_calculated_checksum() {
                return Err(io::Error::other("its checksum does not fit its text"));
            }
            if !self.begin_frame()? {
                return Ok(0);
            }
        }
        let read = self.frame.read(into)?;
        let why = || {
            let why = format!("it unpacks to more than {UNPACKED} times its length");
            io::Error::new(io::ErrorKind::FileTooLarge, why)
        };
        self.left = self.left.checked_sub(read as u64).ok_or_else(why)?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made by the reference program: a frame without a checksum, one that holds no text, a last one.
    const FRAMES: [&[u8]; 3] = [
        b"(\xb5/\xfd J%\x01\x00\xe8one line of this text\nanother\x01\x00\xd9\xe6t\x02",
        b"P*M\x18\x03\x00\x00\x00abc",
        b"(\xb5/\xfd$$!\x01\x00another line of this text, the last\n$\xcb\x8a\x0e",
    ];
    const TEXT: &str = "one line of this text\nanother line of this text\nanother line of this text\n\
                        another line of this text, the last\n";

    fn unpack(packed: &[u8]) -> io::Result<String> {
        let mut text = String::new();
        let mut file = Cursor::new(packed);
        let Ok(mut reader) = from_beginning(&mut file) else { panic!("it is in memory") };
        reader.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn frames_of_the_reference_program_are_read_one_after_the_other() {
        assert_eq!(unpack(&FRAMES.concat()).unwrap(), TEXT);
        assert_eq!(unpack(TEXT.as_bytes()).unwrap(), TEXT);
        let whole = FRAMES.concat();
        let mut changed = whole.clone();
        *changed.last_mut().unwrap() ^= 1;
        assert!(unpack(&changed).unwrap_err().to_string().contains("checksum"));
        for end in MAGIC.len()..whole.len() {
            // A file may end with any frame.
            if end != FRAMES[0].len() && end != whole.len() - FRAMES[2].len() {
                let _ = unpack(&whole[..end]).expect_err("it is cut short");
            }
        }
    }

    #[test]
    fn a_text_longer_than_a_frame_comes_back() {
        // Lines as in a schedule, then bytes without repetitions, then one byte alone.
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            state >> 40
        };
        let mut text = String::new();
        while text.len() < FRAME + 100_000 {
            let [from, to] = [random() % 500, random() % 500];
            text += &format!(
                "{{\"from\": \"{from}\", \"to\": \"{to}\", \"channels\": [{}]}},\n",
                from * to
            );
        }
        let lines = text.len();
        text.extend((0..300_000).map(|_| char::from(b' ' + (random() % 90) as u8)));
        text.push_str(&"\n".repeat(300_000));
        let mut packed = Vec::new();
        write(&mut packed, |out| text.as_bytes().chunks(9999).try_for_each(|c| out.write_all(c)))
            .unwrap();
        assert!(packed.len() < lines / 4 + 300_000, "{} of {}", packed.len(), text.len());
        assert!(unpack(&packed).unwrap() == text);
    }
}
