//! Changed files: no reader panics, whatever the text. A failure prints the text.
//!
//! `FUZZ` is the number of texts a format (default: a few thousand).

use super::{EXAMPLES, example, example_text};
use ccsched::network::files::{FORMATS, Reading, Source, of, read_as};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;
use std::path::Path;

/// The number of texts for each example.
fn texts() -> usize {
    std::env::var("FUZZ").ok().and_then(|text| text.parse().ok()).unwrap_or(2000)
}

/// Pieces that mean something to one of the formats.
const PIECES: [&str; 40] = [
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "<",
    ">",
    "/",
    "=",
    ",",
    ";",
    ":",
    "#",
    "%",
    "-",
    "--",
    "->",
    "&",
    "\\\n",
    "\n",
    " ",
    "\t",
    "0",
    "1",
    "255",
    "99999999999999999999",
    "-1",
    "0x",
    "1.5",
    "[0-9]",
    "ä",
    "\u{0}",
    "node",
    "router",
    "graph",
    "Switch",
    "</node>",
    "lid 0",
    "&amp;",
];

/// A text with some changes: bytes, pieces, lines and parts of lines that go, come or move.
fn changed(text: &str, rng: &mut Rng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..rng.random_range(1..6) {
        let n = bytes.len();
        let at = rng.random_range(0..=n);
        let end = (at + rng.random_range(0..20)).min(n);
        match rng.random_range(0..7) {
            0 if at < n => bytes[at] = rng.random_range(0..=255),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let piece = PIECES[rng.random_range(0..PIECES.len())];
                drop(bytes.splice(at..at, piece.bytes()));
            }
            3 => {
                let part = bytes[at..end].to_vec();
                let to = rng.random_range(0..=n);
                drop(bytes.splice(to..to, part));
            }
            4 => bytes.truncate(at),
            5 => {
                // A line goes, or comes twice.
                let lines: Vec<Vec<u8>> =
                    bytes.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
                let i = rng.random_range(0..lines.len());
                let mut lines = lines;
                if rng.random_range(0..2) == 0 {
                    lines.remove(i);
                } else {
                    let to = rng.random_range(0..=lines.len());
                    lines.insert(to, lines[i].clone());
                }
                bytes = lines.join(&b'\n');
            }
            _ => {
                // A number is another one.
                if let Some(digit) = bytes[at.min(n)..].iter().position(u8::is_ascii_digit) {
                    bytes[at + digit] = b'0' + rng.random_range(0..10);
                }
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn no_change_of_a_file_makes_a_reader_panic() {
    let how = Reading::default();
    let path = Path::new("fuzz");
    let read = |format: &ccsched::network::files::Format, text: &str| {
        let read = || (format.read)(&Source::new(path, text, &how)).is_ok();
        let done = std::panic::catch_unwind(read);
        done.unwrap_or_else(|_| panic!("{} panics with {text:?}", format.name))
    };
    for (i, (file, name)) in (0..).zip(EXAMPLES) {
        let good = example_text(file);
        let format = FORMATS.iter().find(|format| format.name == name).unwrap();
        let mut rng = Rng::seed_from_u64(i);
        let (mut accepted, mut refused) = (0, 0);
        for _ in 0..texts() {
            let text = changed(&good, &mut rng);
            // The format that the text looks like now, and the one that it came from.
            of(&text).map(|other| read(other, &text));
            if read(format, &text) { accepted += 1 } else { refused += 1 }
        }
        assert!(accepted > 0 && refused > 0, "{file}: {accepted} read, {refused} refused");
    }
}

#[test]
fn no_change_of_a_table_makes_the_routes_panic() {
    let good = example_text("leaf-spine.lfts");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tables");
    let how = Reading { routes: Some(path.clone()), ..Reading::default() };
    let mut rng = Rng::seed_from_u64(99);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..texts() {
        let text = changed(&good, &mut rng);
        std::fs::write(&path, &text).unwrap();
        match read_as(&example("leaf-spine.ibnetdiscover"), &how) {
            Ok(_) => accepted += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(accepted > 0 && refused > 0, "{accepted} read, {refused} refused");
}
