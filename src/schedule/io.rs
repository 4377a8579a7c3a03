//! Reading and writing schedule files. Reading names the line of a mistake and looks at `format`
//! before anything else, so that a file of another version is told from a broken one. Writing is
//! atomic (a file beside the target, renamed at the end) and the same byte for byte every time.

use super::file::{FORMAT, ScheduleFile};
use super::layout::Layout;
use crate::{Error, Result};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

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

    /// Writes a schedule file: the whole of it or nothing.
    ///
    /// # Errors
    /// [`Error::Io`]: the folder does not exist, or it cannot be written to.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let text = self.to_json();
        // A pipe or a device (`/dev/stdout`) cannot be replaced, only written to.
        if std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            return std::fs::write(path, text).map_err(|e| Error::io(path, e));
        }
        let mut file = draft(path)?;
        file.write_all(text.as_bytes()).map_err(|e| Error::io(path, e))?;
        file.persist(target(path)).map_err(|e| Error::io(path, e.error))?;
        Ok(())
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

/// Says early whether a file can be written there, before hours are spent on what goes into it.
///
/// # Errors
/// [`Error::Io`]: the folder does not exist, it cannot be written to, or `path` is a folder.
pub fn check_writable(path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    match std::fs::metadata(path) {
        Ok(m) if !m.is_file() && !m.is_dir() => Ok(()),
        _ => draft(path).map(drop),
    }
}

/// A temporary file in the folder of `path`.
fn draft(path: &Path) -> Result<tempfile::NamedTempFile> {
    let wrong = |kind, why: String| Err(Error::io(path, io::Error::new(kind, why)));
    if path.is_dir() {
        return wrong(io::ErrorKind::IsADirectory, "this is a folder; name a file in it".into());
    }
    let target = target(path);
    let folder = match target.parent() {
        Some(p) if p.as_os_str().is_empty() => Path::new("."),
        Some(p) => p,
        None => return wrong(io::ErrorKind::InvalidInput, "this does not name a file".into()),
    };
    if !folder.is_dir() {
        let why = format!("the folder '{}' does not exist; create it first", folder.display());
        return wrong(io::ErrorKind::NotFound, why);
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ccsched-");
    #[cfg(unix)]
    {
        // Temporary files are private by default; a schedule is to be read by others (less umask).
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder).map_err(|e| Error::io(path, e))
}

/// What to replace: a symbolic link stays, the file behind it is replaced.
fn target(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
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

/// The parser's complaint: line, and what is wrong.
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
    use crate::schedule::file::*;

    fn sample() -> ScheduleFile {
        let name = |s: &str| s.to_string();
        ScheduleFile {
            format: FORMAT.into(),
            network: NetworkRecord {
                name: name("pair"),
                vertices: ["a", "b"].map(|v| VertexRecord { name: name(v), terminal: true }).into(),
                channels: vec![ChannelRecord { from: name("a"), to: name("b"), excludes: None }],
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
            },
            steps: vec![vec![TransferRecord {
                message: MessageRecord { source: name("a"), destination: Some(name("b")) },
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
        check_writable(folder.path().join("s.json")).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
