//! A mistake in the text of a network file, with its position. Readers report byte offsets, as
//! parsers do; users get line numbers.

use ccsched_base::Error;
use std::path::Path;

pub(super) use ccsched_base::table::line;

/// A mistake and its offset in the text.
#[derive(Debug)]
pub(super) struct Wrong {
    /// Bytes before it.
    pub at: usize,
    /// What is wrong and what would be right.
    pub why: String,
}

/// A mistake as a result.
pub(super) fn wrong<T>(at: usize, why: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { at, why: why.into() })
}

/// The offset of a part of a text.
pub(super) fn place(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

impl Wrong {
    /// The mistake as an error that names the file and the line.
    pub fn in_file(self, path: &Path, text: &str) -> Error {
        Error::File { path: path.to_path_buf(), line: line(text, self.at), why: self.why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_become_lines_and_the_end_of_the_text_is_a_place() {
        let said =
            |at| Wrong { at, why: "it".into() }.in_file(Path::new("f"), "a\nb\n").to_string();
        assert_eq!([0, 1, 2, 99].map(said), ["f:1: it", "f:1: it", "f:2: it", "f:3: it"]);
    }

    #[test]
    fn a_part_knows_its_place() {
        let text = "one two three";
        assert_eq!(place(text, &text[4..7]), 4);
        assert_eq!(place(text, text), 0);
    }
}
