//! What the system tells about memory: what is free, and what this process uses.

mod cgroups;

use ccsched_base::cores;
use std::fs;
use std::path::Path;

/// Where the system tells about itself: `/`, or a folder of a test.
#[derive(Clone, Copy)]
struct System<'a>(&'a Path);

/// The memory that is free: the least of that of the machine, of the control groups that this process is in (batch
/// systems and containers set their limits), and of its limits of addresses and data. None if nothing is told.
pub fn available() -> Option<u64> {
    System(Path::new("/")).available()
}

/// The memory that this process uses now, where the system tells it.
pub fn used() -> Option<u64> {
    kilobytes(&status()?, "VmRSS:")
}

/// Bytes that this process may still use below `most` and below its limits of addresses and data.
pub fn left(most: u64) -> Option<u64> {
    let status = status()?;
    let left = most.saturating_sub(kilobytes(&status, "VmRSS:")?);
    Some(System(Path::new("/")).below_limits(&status).fold(left, u64::min))
}

/// The most memory that this process may use: what it has, and what is free.
pub fn most() -> Option<u64> {
    Some(used()?.saturating_add(available()?))
}

/// What a thread may take of the addresses of its process: the allocator of glibc reserves a heap for each
/// of the first threads, twice as much while it aligns it.
const HEAP: u64 = 64 << 20;
/// Threads that have a heap of their own, by core.
const HEAPS: u64 = 8;
/// The stacks of the two threads of an island.
const STACKS: u64 = 10 << 20;
/// Threads of a run beside the islands, which write and check.
const OTHERS: u64 = 3;

/// How many of some islands have room for their threads below the limits of addresses and data of this
/// process, at least one.
pub fn fitting_islands(islands: usize) -> usize {
    let Some(status) = status() else { return islands };
    let Some(room) = System(Path::new("/")).below_limits(&status).min() else { return islands };
    fitting(islands, room, cores::available() as u64)
}

/// The same with this room, and on this number of cores.
fn fitting(islands: usize, room: u64, cores: u64) -> usize {
    let needs = |islands: usize| {
        let threads = 2 * islands as u64 + OTHERS;
        STACKS * islands as u64 + HEAP * threads.min(HEAPS * cores) + HEAP
    };
    (1..=islands).rev().find(|&islands| needs(islands) <= room).unwrap_or(1)
}

/// The most memory that this process has used so far, where the system tells it.
pub fn peak() -> Option<u64> {
    kilobytes(&status()?, "VmHWM:")
}

fn status() -> Option<String> {
    fs::read_to_string("/proc/self/status").ok()
}

/// The limits of a process, by their names, with what it uses of them.
const LIMITS: [(&str, &str); 2] = [("Max address space", "VmSize:"), ("Max data size", "VmData:")];

impl System<'_> {
    fn read(&self, file: impl AsRef<Path>) -> Option<String> {
        fs::read_to_string(self.0.join(file)).ok()
    }

    fn available(self) -> Option<u64> {
        let of_machine = self.read("proc/meminfo").and_then(|m| kilobytes(&m, "MemAvailable:"));
        let status = self.read("proc/self/status").unwrap_or_default();
        let of_process = self.below_limits(&status);
        of_machine.into_iter().chain(self.in_cgroups()).chain(of_process).min()
    }

    /// What is left of each limit of this process.
    fn below_limits<'s>(self, status: &'s str) -> impl Iterator<Item = u64> + 's {
        let limits = self.read("proc/self/limits").unwrap_or_default();
        LIMITS.iter().filter_map(move |(name, used)| {
            let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
            // The soft limit; `unlimited` is no number.
            let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
            Some(limit.saturating_sub(kilobytes(status, used)?))
        })
    }
}

/// A line `Name:  123 kB` of a file of the system, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    number.checked_mul(1024)
}

/// Bytes in a few columns: `1.8 GB`.
pub fn text(bytes: u64) -> String {
    match bytes as f64 {
        b if b >= 1e9 => format!("{:.1} GB", b / 1e9),
        b => format!("{:.0} MB", b / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_used_something() {
        if fs::metadata("/proc/self/status").is_ok() {
            let used = used().unwrap();
            assert!(used > 1_000_000 && peak().unwrap() >= used);
            assert!(available().unwrap() > 0);
            assert_eq!(left(1), Some(0));
            assert!(left(1 << 60).unwrap() > 0);
        }
    }

    #[test]
    fn fewer_islands_fit_below_a_limit() {
        let of = |megabytes: u64| fitting(64, megabytes << 20, 2);
        assert_eq!([0, 100, 400, 532, 1 << 20].map(of), [1, 1, 1, 2, 64]);
        // All heaps are there, and stacks are small.
        assert_eq!(of(HEAPS * 2 * 64 + 64 + 32 * 10), 32);
        assert!((0..200).map(|n| of(n * 20)).is_sorted());
    }

    #[test]
    fn bytes_are_read_at_a_glance() {
        assert_eq!(["1.8 GB", "64 MB"].map(str::to_string), [1_840_000_000, 64_100_000].map(text));
    }

    /// A system of these files.
    pub(super) fn available_in(files: &[(&str, &str)]) -> Option<u64> {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        System(folder.path()).available()
    }

    #[test]
    fn the_least_of_machine_and_limits_is_free() {
        assert_eq!(available_in(&[]), None);
        let machine = ("proc/meminfo", "MemTotal: 9 kB\nMemAvailable:   5000 kB\n");
        assert_eq!(available_in(&[machine]), Some(5_120_000));
        let status = ("proc/self/status", "VmSize:\t 3000 kB\nVmRSS:\t 10 kB\nVmData:\t 1000 kB\n");
        let limits = |address: &str, data: &str| {
            let text = format!(
                "Limit                     Soft Limit           Hard Limit           Units     \n\
                 Max data size             {data:<20} unlimited            bytes     \n\
                 Max address space         {address:<20} unlimited            bytes     \n"
            );
            available_in(&[machine, status, ("proc/self/limits", &text)])
        };
        assert_eq!(limits("unlimited", "unlimited"), Some(5_120_000));
        assert_eq!(limits("4096000", "unlimited"), Some(1_024_000));
        assert_eq!(limits("4096000", "1024100"), Some(100));
        assert_eq!(limits("1", "unlimited"), Some(0));
    }
}
