//! The program `ccsched` from outside, in a folder of a test.

use ccsched::schedule::ScheduleFile;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The path of the program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_ccsched");

/// A shell for scripts, without the variables of this project that the caller of the tests has, for
/// scripts read them and hand them on.
pub fn shell() -> Command {
    let mut command = Command::new("bash");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CCSCHED_") {
            command.env_remove(name);
        }
    }
    command
}

/// A file of `topologies/`.
pub fn example(name: &str) -> String {
    format!("{}/topologies/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// What a run has printed and said, and its exit status.
#[derive(Debug)]
pub struct Ended {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let [out, err] = [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap());
        Ended { status: output.status.code().expect("no signal ends it"), out, err }
    }
}

impl Ended {
    /// The run, which must have ended with this status.
    #[track_caller]
    pub fn with(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{}{}", self.out, self.err);
        self
    }

    /// All that was printed and said.
    pub fn told(&self) -> String {
        format!("{}{}", self.out, self.err)
    }

    /// The lines of JSON that were printed.
    #[track_caller]
    pub fn lines(&self) -> Vec<Value> {
        let line = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        self.out.lines().map(line).collect()
    }

    /// The run must have been refused with all these words, before it has printed anything.
    #[track_caller]
    pub fn refused(&self, words: &[&str]) {
        let Ended { status, out, err } = self;
        assert_eq!((*status, out.as_str()), (2, ""), "{err}");
        for word in words {
            assert!(err.contains(word), "no '{word}' in: {err}");
        }
        for word in ["panicked", "RUST_BACKTRACE", "internal error", ".rs:"] {
            assert!(!err.contains(word), "{err}");
        }
    }
}

/// A folder in which the program runs. Arguments are words separated by blanks.
pub struct Desk(tempfile::TempDir);

impl Desk {
    pub fn new() -> Self {
        Desk(tempfile::tempdir().unwrap())
    }

    /// The folder, with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let desk = Desk::new();
        files.iter().for_each(|(name, text)| desk.write(name, text));
        desk
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// The names of its files, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    }

    #[track_caller]
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.at(name), text).unwrap();
    }

    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.at(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// A file of JSON.
    #[track_caller]
    pub fn value(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    #[track_caller]
    pub fn schedule(&self, name: &str) -> ScheduleFile {
        ScheduleFile::read(self.at(name)).unwrap()
    }

    /// The command of a run.
    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(args.split_whitespace()).current_dir(self.path()).env_remove("COLUMNS");
        command
    }

    pub fn run(&self, args: &str) -> Ended {
        self.command(args).output().unwrap().into()
    }

    /// A run that reads this from the standard input.
    pub fn pipe(&self, input: &str, args: &str) -> Ended {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that does not read its input may have ended before it is written.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap().into()
    }

    /// What a run prints, which must succeed.
    #[track_caller]
    pub fn out(&self, args: &str) -> String {
        let ended = self.run(args);
        assert_eq!(ended.status, 0, "{args}: {}", ended.told());
        ended.out
    }

    /// The line of JSON that it prints, and nothing else.
    #[track_caller]
    pub fn json(&self, args: &str) -> Value {
        serde_json::from_str(&self.out(args)).unwrap()
    }

    /// The run must be refused with all these words.
    #[track_caller]
    pub fn refuse(&self, args: &str, words: &[&str]) {
        let ended = self.run(args);
        eprintln!("{args}");
        ended.refused(words);
    }
}
