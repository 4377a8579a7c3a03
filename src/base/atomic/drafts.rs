//! The names of drafts, and those that a killed process has left. A name tells which process writes the draft: the
//! machine with its namespace of processes, the number of the process, and when it began. So a draft is removed only
//! if its process is known to be gone, also in a folder that machines share.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

/// The first letters of a draft's name.
const DRAFT: &str = ".ccsched-";

/// This machine, this process and its beginning; none where the system does not tell.
static WRITER: LazyLock<Option<Writer>> = LazyLock::new(|| {
    let mut machine = DefaultHasher::new();
    fs::read_to_string("/proc/sys/kernel/hostname").ok()?.hash(&mut machine);
    fs::read_to_string("/etc/machine-id").ok().hash(&mut machine);
    fs::read_link("/proc/self/ns/pid").ok()?.hash(&mut machine);
    let process = std::process::id();
    Some(Writer { machine: machine.finish(), process, begin: begin_of(process)? })
});

/// The folders that were cleaned.
static CLEANED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The writer of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Writer {
    machine: u64,
    process: u32,
    begin: u64,
}

impl Writer {
    /// The name of its draft of this number.
    fn name(self, number: u64) -> String {
        let Writer { machine, process, begin } = self;
        format!("{DRAFT}{machine:016x}-{process}-{begin}-{number}")
    }

    /// The writer of a draft of this name.
    fn of(name: &str) -> Option<Writer> {
        let mut parts = name.strip_prefix(DRAFT)?.split('-');
        let machine = u64::from_str_radix(parts.next()?, 16).ok()?;
        let (process, begin) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let _number: u64 = parts.next()?.parse().ok()?;
        parts.next().is_none().then_some(Writer { machine, process, begin })
    }

    fn is_gone(self) -> bool {
        begin_of(self.process) != Some(self.begin)
    }
}

/// When a process began, in ticks of the system; none if there is none.
fn begin_of(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program may hold anything; 19 fields later comes the beginning.
    stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

/// The name of a draft of this process.
pub fn name(number: u64) -> String {
    match *WRITER {
        Some(writer) => writer.name(number),
        None => format!("{DRAFT}{}-{number}", std::process::id()),
    }
}

/// Removes the drafts in a folder whose processes are gone; once a folder.
pub fn clean(folder: &Path) {
    let Ok(mut cleaned) = CLEANED.lock() else { return };
    if cleaned.insert(folder.to_path_buf()) {
        remove_left(folder);
    }
}

fn remove_left(folder: &Path) {
    let (Some(own), Ok(entries)) = (*WRITER, fs::read_dir(folder)) else { return };
    for entry in entries.flatten() {
        let writer = entry.file_name().to_str().and_then(Writer::of);
        let is_left = |writer: &Writer| writer.machine == own.machine && writer.is_gone();
        if writer.as_ref().is_some_and(is_left) && is_ours(&entry.path()) {
            log::debug!("{} was left by a killed run, and is removed", entry.path().display());
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a file is that of the user of this process: processes of others may be hidden.
fn is_ours(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let owner = |path: &Path| fs::symlink_metadata(path).ok().map(|m| m.uid());
        owner(path)
            .is_some_and(|owner_of_file| owner(Path::new("/proc/self")) == Some(owner_of_file))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_its_writer() {
        let writer = Writer { machine: 77, process: 5, begin: 99 };
        assert_eq!(Writer::of(&writer.name(3)), Some(writer));
        for other in [".ccsched-5-3", ".ccsched-00-5-99", ".ccsched-g-5-99-3", "ccsched-00-5-99-3"]
        {
            assert_eq!(Writer::of(other), None, "{other}");
        }
    }

    #[test]
    fn only_drafts_of_processes_that_are_gone_are_removed() {
        let Some(own) = *WRITER else { return };
        // A process that has ended, and been waited for.
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let gone = Writer { process: child.id(), ..own };
        // The number of a process that runs, but began later.
        let reused = Writer { begin: own.begin + 1, ..own };
        let elsewhere = Writer { machine: own.machine ^ 1, ..gone };
        let folder = tempfile::tempdir().unwrap();
        let others = [".ccsched-7-0".to_string(), "s.json".into(), ".ccsched-notes".into()];
        let kept = [own.name(0), elsewhere.name(0)].into_iter().chain(others);
        let kept: BTreeSet<String> = kept.collect();
        let left = [gone.name(0), gone.name(12), reused.name(0)];
        for name in kept.iter().chain(&left) {
            fs::write(folder.path().join(name), "").unwrap();
        }
        remove_left(folder.path());
        let names = fs::read_dir(folder.path()).unwrap();
        let names: BTreeSet<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        assert_eq!(names, kept);
    }
}
