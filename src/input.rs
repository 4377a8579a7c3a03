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
}
