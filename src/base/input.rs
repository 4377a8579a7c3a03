//! Files and pipes that are read as a whole, at most [`BYTES`](limits::BYTES) of them.

use crate::{Error, Result, limits};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The content of a file or a pipe.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, or is too long.
pub fn bytes(path: &Path) -> Result<Vec<u8>> {
    at_most(path, limits::BYTES)
}

/// The text of a file or a pipe.
///
/// # Errors
/// As [`bytes`], and [`Error::File`] with the line of the first byte that is no UTF-8.
pub fn text(path: &Path) -> Result<String> {
    String::from_utf8(bytes(path)?).map_err(|e| {
        let before = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
        let why = "this is no text in UTF-8".to_string();
        Error::File { path: path.to_path_buf(), line, why }
    })
}

/// The text of a file, and where it is no UTF-8. Then the whole file is Latin-1, in which every byte is
/// a character of its own, so that no two names become one. A byte-order mark is no part of the text.
///
/// # Errors
/// As [`bytes`], and [`Error::File`] for a file that is no text.
pub fn legible(path: &Path) -> Result<(String, Option<usize>)> {
    let bytes = bytes(path)?;
    if let Some(what) = binary(&bytes) {
        return Err(Error::File { path: path.to_path_buf(), line: 1, why: what.into() });
    }
    let (mut text, foreign) = match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(e) => {
            let at = e.utf8_error().valid_up_to();
            let before = e.as_bytes()[..at].iter().map(|&b| char::from(b).len_utf8()).sum();
            (e.as_bytes().iter().map(|&b| char::from(b)).collect(), Some(before))
        }
    };
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok((text, foreign))
}

/// The text of a file with names of vertices that are known: a name that is read in the wrong way is none.
///
/// # Errors
/// As [`legible`].
pub fn table(path: &Path) -> Result<String> {
    legible(path).map(|(text, _)| text)
}

/// Beginnings of files that are no text.
const MAGIC: [(&[u8], &str); 8] = [
    (b"\xff\xfe", "this is text in UTF-16; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)"),
    (b"\xfe\xff", "this is text in UTF-16; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)"),
    (b"\x1f\x8b", "this is compressed by gzip; unpack it first (gunzip)"),
    (b"\x28\xb5\x2f\xfd", "this is compressed by zstd; unpack it first (unzstd)"),
    (b"BZh", "this is compressed by bzip2; unpack it first (bunzip2)"),
    (b"\xfd7zXZ\0", "this is compressed by xz; unpack it first (unxz)"),
    (b"PK\x03\x04", "this is a ZIP archive; unpack it first (unzip)"),
    (b"\x7fELF", "this is a program"),
];

/// What a file is that is no text.
fn binary(bytes: &[u8]) -> Option<&'static str> {
    let known = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic));
    let head = &bytes[..bytes.len().min(8192)];
    known.map(|(_, what)| *what).or_else(|| head.contains(&0).then_some("this is no text"))
}

/// The content of a file of limited size. The length of a file is known before memory is taken;
/// that of a pipe is not.
fn at_most(path: &Path, most: u64) -> Result<Vec<u8>> {
    let unreadable = |e| Error::io(path, e);
    let too_long = || {
        let why = format!("it has more than {most} bytes, the most that are read");
        unreadable(io::Error::new(io::ErrorKind::FileTooLarge, why))
    };
    let file = File::open(path).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    if length > most {
        return Err(too_long());
    }
    // One byte more, so that the end of the file is found without a second allocation.
    let mut bytes = Vec::with_capacity(length as usize + 1);
    file.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > most { Err(too_long()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(at_most(&path, 5).unwrap(), b"12345");
        let why = at_most(&path, 4).unwrap_err().to_string();
        assert!(why.ends_with("long: it has more than 4 bytes, the most that are read"), "{why}");
        // A file of the largest size that takes no space.
        File::create(&path).unwrap().set_len(limits::BYTES + 1).unwrap();
        assert!(bytes(&path).unwrap_err().to_string().contains("more than 4294967296 bytes"));
        // A device says nothing about its length.
        let endless = at_most(Path::new("/dev/zero"), 1000).unwrap_err().to_string();
        assert!(endless.contains("more than 1000 bytes"), "{endless}");
    }

    #[test]
    fn what_is_no_text_is_told_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        std::fs::write(&path, b"a\nb\n\xff").unwrap();
        let why = text(&path).unwrap_err().to_string();
        assert!(why.ends_with("bytes:3: this is no text in UTF-8"), "{why}");
    }

    #[test]
    fn text_is_read_in_latin_1_if_it_is_no_utf_8() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            legible(&path).map_err(|e| e.to_string())
        };
        assert_eq!(read(b"\xef\xbb\xbfa\n"), Ok(("a\n".into(), None)));
        assert_eq!(read(b"a\nM\xfcn"), Ok(("a\nMün".into(), Some(3))));
        let binary = |bytes: &[u8], part: &str| read(bytes).is_err_and(|why| why.contains(part));
        assert!(binary(b"\xff\xfea\0", "UTF-16") && binary(b"\x1f\x8b\x08", "gunzip"));
        assert!(binary(b"a\0b", "no text") && read(b"graph").is_ok());
    }
}
