//! Reading and writing schedule files. Errors name the line of a mistake. `format` is checked
//! before anything else, to distinguish a file of another version from a broken one. Writing is
//! atomic (a file beside the target, renamed at the end) and reproducible byte for byte.

use super::file::{FORMAT, ScheduleFile};
use super::layout::Layout;
use crate::{Error, Result, atomic};
use serde::Serialize;
use std::path::Path;

impl ScheduleFile {
    /// Reads a schedule file.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be read; [`Error::File`] with the line if it is cut short, is not
    /// JSON, is of another format version, or is of the wrong shape.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
        parse(&bytes).map_err(|(line, why)| Error::File { path: path.to_path_buf(), line, why })
    }

    /// Writes a schedule file, in whole or not at all.
    ///
    /// # Errors
    /// [`Error::Io`]: the folder does not exist, or it cannot be written to.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        atomic::write(path.as_ref(), self.to_json())
    }

    /// The text of the file: one transfer, one channel, one vertex a line; ends in a newline.
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        let mut writer = serde_json::Serializer::with_formatter(&mut out, Layout::default());
        self.serialize(&mut writer).expect("records of strings and numbers always serialize");
        out.push(b'\n');
        String::from_utf8(out).expect("JSON is UTF-8")
    }
}

/// Parses the text of a file; mistakes come with their line.
fn parse(bytes: &[u8]) -> Result<ScheduleFile, (usize, String)> {
    let value: serde_json::Value = serde_json::from_slice(bytes).map_err(|e| explain(&e))?;
    match value.get("format") {
        Some(serde_json::Value::String(s)) if s == FORMAT => {}
        Some(other) => {
            let why = format!("this program reads {FORMAT}, the file says {other}");
            return Err((line_of(bytes, "\"format\""), why));
        }
        None => {
            return Err((
                1,
                format!("not a schedule file: it has no key \"format\": \"{FORMAT}\""),
            ));
        }
    }
    serde_json::from_slice(bytes).map_err(|e| explain(&e))
}

/// Line of the first occurrence of `key`, from 1.
fn line_of(bytes: &[u8], key: &str) -> usize {
    let text = String::from_utf8_lossy(bytes);
    text.find(key).map_or(1, |at| 1 + text[..at].matches('\n').count())
}

/// Line and text of the parser's error.
fn explain(e: &serde_json::Error) -> (usize, String) {
    use serde_json::error::Category;
    let place = format!(" at line {} column {}", e.line(), e.column());
    let text = e.to_string().replace(&place, "");
    let why = match e.classify() {
        Category::Eof => {
            "the file is cut short: it ends in the middle of the JSON text".to_string()
        }
        Category::Data if text.contains("enum Ports") => {
            "wrong shape: `ports` is \"all\" or a number from 1".to_string()
        }
        Category::Data => format!("wrong shape (column {}): {text}", e.column()),
        _ => format!("not JSON (column {}): {text}", e.column()),
    };
    (e.line().max(1), why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atomic::check_writable;
    use crate::schedule::file::*;

    fn sample() -> ScheduleFile {
        let name = |s: &str| s.to_string();
        ScheduleFile {
            format: FORMAT.into(),
            network: NetworkRecord {
                name: name("pair"),
                vertices: ["a", "b"].map(|v| VertexRecord { name: name(v), terminal: true }).into(),
                channels: vec![ChannelRecord {
                    from: name("a"),
                    to: name("b"),
                    excludes: None,
                    capacity: 1,
                }],
            },
            model: ModelRecord {
                collective: name("oas"),
                source: Some(name("a")),
                senders: vec![name("a")],
                receivers: vec![name("a"), name("b")],
                switching: name("wormhole"),
                ports: Ports::All(AllPorts::All),
                routing: name("minimal"),
                pairs: None,
                routes: None,
            },
            steps: vec![vec![TransferRecord {
                message: MessageRecord {
                    source: name("a"),
                    destination: Some(name("b")),
                    copy: None,
                    bytes: None,
                },
                from: name("a"),
                to: name("b"),
                channels: vec![0],
            }]],
            faults: vec![FaultRecord::Link(name("b"), name("a"))],
            bounds: vec![],
            provenance: Provenance::default(),
        }
    }

    fn complaint(text: &str) -> (usize, String) {
        parse(text.as_bytes()).expect_err("it is broken")
    }

    #[test]
    fn what_is_written_is_read_back_and_transfers_have_lines_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        sample().write(&path).unwrap();
        sample().write(&path).unwrap();
        assert_eq!(ScheduleFile::read(&path).unwrap(), sample());
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, sample().to_json());
        let lines: Vec<_> = text.lines().filter(|l| l.contains("\"message\"")).collect();
        assert_eq!(lines.len(), 1, "{text}");
        assert!(lines[0].ends_with("\"channels\": [0]}]],"), "{text}");
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "no temporary file stays behind");
    }

    #[test]
    fn mistakes_are_told_apart_with_their_line() {
        let text = sample().to_json();
        let (_, why) = complaint(&text[..text.len() / 2]);
        assert!(why.contains("cut short"), "{why}");
        assert!(complaint("").1.contains("cut short"));
        let (line, why) = complaint("{\n\"format\": oops}");
        assert!(line == 2 && why.contains("not JSON"), "{line} {why}");
        let (line, why) = complaint("{\"other\": 1,\n\"format\": \"ccsched-schedule/2\"}");
        assert_eq!(line, 2);
        assert_eq!(
            why,
            "this program reads ccsched-schedule/1, the file says \"ccsched-schedule/2\""
        );
        assert!(complaint("{}").1.contains("format"));
        let (line, why) = complaint(&text.replace("\"all\"", "\"some\""));
        assert!(line > 1 && why.contains("`ports` is"), "{line} {why}");
        let (line, why) = complaint(&text.replace("[0]", "[-1]"));
        assert!(line > 5 && why.contains("wrong shape") && why.contains("-1"), "{line} {why}");
    }

    #[test]
    fn a_missing_folder_is_said_early() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no/such/s.json");
        for error in [check_writable(&path).unwrap_err(), sample().write(&path).unwrap_err()] {
            let text = error.to_string();
            assert!(text.contains("no/such' does not exist"), "{text}");
        }
        assert!(check_writable(folder.path()).unwrap_err().to_string().contains("a folder"));
        check_writable(&folder.path().join("s.json")).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
