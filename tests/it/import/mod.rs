//! Schedules of other programs, read for a problem.

mod csv;
mod msccl_machine;
mod msccl_mutations;
mod msccl_xml;

use ccsched::import::{Imported, Source};
use ccsched::problem::Problem;

/// Reads a text.
pub fn read(text: &str, problem: &Problem) -> ccsched::Result<Imported> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("schedule");
    std::fs::write(&path, text).unwrap();
    Source::open(&path)?.read(problem)
}

/// The line and the text of the mistake of a file.
pub fn mistake(text: &str, problem: &Problem) -> (usize, String) {
    match read(text, problem) {
        Err(ccsched::Error::File { line, why, .. }) => (line, why),
        other => panic!("no mistake in {text}: {other:?}"),
    }
}
