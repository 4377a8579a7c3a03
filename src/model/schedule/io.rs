//! Reading and writing schedule files, neither with the whole text in memory. Errors name the line of
//! a mistake. `format` is checked before anything else, to distinguish a file of another version from
//! a broken one. Writing is atomic (a file beside the target, renamed at the end) and reproducible
//! byte for byte. Files whose name ends in `.zst` are written compressed; their content tells it when
//! they are read.

use super::compact;
use super::file::ScheduleFile;
use super::format::check_format;
use super::layout::Layout;
use super::mistake::{Mistake, explain};
use ccsched_base::{Error, Result, atomic};
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Cursor, Read, Seek, Write};
use std::path::Path;

/// Bytes that are read at once.
const READ: usize = 1 << 16;
/// Bytes that are written at once.
const WRITTEN: usize = 1 << 16;

impl ScheduleFile {
    /// Reads a schedule file.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be read; [`Error::File`] with the line if it is cut short, is not
    /// JSON, is of another format version, or is of the wrong shape.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let unreadable = |e| Error::io(path, e);
        let mut file = File::open(path).map_err(unreadable)?;
        let parsed = if file.metadata().map_err(unreadable)?.is_file() {
            parse(&mut file)
        } else {
            // A pipe cannot be read from its beginning again.
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).map_err(unreadable)?;
            parse(&mut Cursor::new(bytes))
        };
        parsed.map_err(|mistake| of_file(path, mistake))
    }

    /// Reads the content of a schedule file.
    ///
    /// # Errors
    /// As [`ScheduleFile::read`]; the file is called `schedule`.
    pub fn from_bytes(content: &[u8]) -> Result<Self> {
        parse(&mut Cursor::new(content)).map_err(|mistake| of_file(Path::new("schedule"), mistake))
    }

    /// Writes a schedule file, in whole or not at all.
    ///
    /// # Errors
    /// [`Error::Io`]: the folder does not exist, or it cannot be written to.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        atomic::write_with(path, |out| self.write_for(path, out))
    }

    /// Writes what a file of this name contains: its text, compressed if the name ends in `.zst`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_for(&self, path: &Path, out: &mut dyn Write) -> io::Result<()> {
        match compact::is_meant(path) {
            true => compact::write(out, |out| self.write_to(out)),
            false => self.write_to(out),
        }
    }

    /// Writes the text of the file: one transfer, one channel, one vertex a line; ends in a newline.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        // A transfer is written in dozens of pieces, too small for a call of `out` each.
        let mut out = BufWriter::with_capacity(WRITTEN, out);
        let mut writer = serde_json::Serializer::with_formatter(&mut out, Layout::default());
        self.serialize(&mut writer)?;
        out.write_all(b"\n")?;
        out.flush()
    }

    /// The text that [`ScheduleFile::write_to`] writes.
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        self.write_to(&mut out).expect("records of strings and numbers always serialize");
        String::from_utf8(out).expect("JSON is UTF-8")
    }
}

/// A mistake with the file's name.
fn of_file(path: &Path, mistake: Mistake) -> Error {
    match mistake {
        Mistake::Unreadable(e) => Error::io(path, e),
        Mistake::At(line, why) => Error::File { path: path.to_path_buf(), line, why },
    }
}

/// Parses a file. JSON errors are reported before schema errors.
fn parse(file: &mut (impl Read + Seek)) -> Result<ScheduleFile, Mistake> {
    check_format(BufReader::with_capacity(READ, compact::from_beginning(file)?))?;
    let wrong = match again(file)? {
        Ok(parsed) => return Ok(parsed),
        Err(wrong) => wrong,
    };
    match again::<IgnoredAny>(file)? {
        Err(no_json) if wrong.is_data() => Err(explain(no_json)),
        _ => Err(explain(wrong)),
    }
}

/// Reads a file from its beginning.
fn again<T: DeserializeOwned>(
    file: &mut (impl Read + Seek),
) -> Result<serde_json::Result<T>, Mistake> {
    let text = compact::from_beginning(file)?;
    Ok(serde_json::from_reader(BufReader::with_capacity(READ, text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Steps;
    use crate::schedule::file::*;
    use ccsched_base::atomic::check_writable;

    fn sample() -> ScheduleFile {
        let name = |s: &str| s.to_string();
        ScheduleFile {
            format: FORMAT.into(),
            network: NetworkRecord {
                name: name("pair"),
                rate: None,
                vertices: ["a", "b"]
                    .map(|v| VertexRecord { name: name(v), terminal: true, at: None })
                    .into(),
                channels: vec![ChannelRecord {
                    from: name("a"),
                    to: name("b"),
                    excludes: None,
                    capacity: 1,
                    delay_ns: None,
                }],
            },
            model: ModelRecord {
                collective: name("oas"),
                source: Some(name("a")),
                senders: vec![name("a")],
                receivers: vec![name("a"), name("b")],
                processes: None,
                switching: name("wormhole"),
                relays: None,
                multicast: None,
                ports: Ports::All(AllPorts::All),
                routing: name("minimal"),
                parts: None,
                pieces: None,
                rounds: None,
                pairs: None,
                groups: None,
                lengths: None,
                timing: None,
                routes: None,
            },
            steps: Steps::of(&[vec![TransferRecord {
                message: MessageRecord {
                    is_sum: false,
                    source: name("a"),
                    destination: Some(name("b")),
                    copy: None,
                    bytes: None,
                    piece: None,
                },
                phase: None,
                at: None,
                from: name("a"),
                to: name("b"),
                channels: vec![0],
            }]]),
            faults: vec![FaultRecord::Link(name("b"), name("a"))],
            bounds: vec![],
            provenance: Provenance::default(),
        }
    }

    fn complaint(text: &str) -> (usize, String) {
        match parse(&mut Cursor::new(text)).expect_err("it is broken") {
            Mistake::At(line, why) => (line, why),
            Mistake::Unreadable(e) => panic!("{e}"),
        }
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
    fn what_is_compressed_is_the_same_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json.zst");
        sample().write(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(ScheduleFile::read(&path).unwrap(), sample());
        // Detected by content, not by extension.
        let other = folder.path().join("s.json");
        std::fs::write(&other, &bytes).unwrap();
        assert_eq!(ScheduleFile::read(&other).unwrap(), sample());
        // Any number of blanks before the end of the text is JSON.
        let blanks = " ".repeat(50_000_000) + &sample().to_json();
        let mut packed = Vec::new();
        compact::write(&mut packed, |out| out.write_all(blanks.as_bytes())).unwrap();
        std::fs::write(&other, packed).unwrap();
        let why = ScheduleFile::read(&other).unwrap_err().to_string();
        assert!(why.contains("s.json: it unpacks to more than 1000 times its length"), "{why}");
        for broken in [&bytes[..bytes.len() / 2], &bytes[..5]] {
            std::fs::write(&other, broken).unwrap();
            assert!(ScheduleFile::read(&other).unwrap_err().to_string().contains("s.json"));
        }
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
