//! Line breaks in the JSON text of a schedule file: lists of records have one record a line, lists
//! of names and numbers stay on one. Compact, but easy to read and to diff.

use serde_json::ser::Formatter;
use std::io;
use std::io::Write;

/// Records deeper than this stay on their line.
const DEEPEST: usize = 3;

/// Breaks lines before the keys of the outer objects and before records in lists.
#[derive(Default)]
pub(super) struct Layout {
    depth: usize,
    /// A list's element is about to begin; only records start a line, so whether to break is not
    /// known yet.
    element: bool,
}

impl Layout {
    /// A list or an object begins.
    fn open<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        if std::mem::take(&mut self.element) && self.depth <= DEEPEST {
            self.line(out)?;
        }
        self.depth += 1;
        out.write_all(bracket)
    }

    fn close<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        out.write_all(bracket)
    }

    fn line<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(b" "))
    }
}

impl Formatter for Layout {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.element = true;
        out.write_all(if first { b"" } else { b", " })
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.element = false;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        match (first, self.depth < DEEPEST) {
            (true, true) => self.line(out),
            (true, false) => Ok(()),
            (false, true) => out.write_all(b",").and_then(|()| self.line(out)),
            (false, false) => out.write_all(b", "),
        }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}
