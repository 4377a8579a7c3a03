//! What the system tells about memory: what is free, and what this process uses.

use std::fs;

/// The memory that is free, as far as the system tells: of the machine, and of a group of processes
/// with a limit of its own.
pub fn available() -> Option<u64> {
    let of_machine = kilobytes("/proc/meminfo", "MemAvailable:");
    let number = |file: &str| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let most = number("/sys/fs/cgroup/memory.max");
    let used = number("/sys/fs/cgroup/memory.current").unwrap_or(0);
    let of_group = most.map(|most| most.saturating_sub(used));
    of_machine.into_iter().chain(of_group).min()
}

/// The memory that this process uses now, where the system tells it.
pub fn used() -> Option<u64> {
    kilobytes("/proc/self/status", "VmRSS:")
}

/// The most memory that this process has used so far, where the system tells it.
pub fn peak() -> Option<u64> {
    kilobytes("/proc/self/status", "VmHWM:")
}

/// A line `Name:  123 kB` of a file of the system, in bytes.
fn kilobytes(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
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
        }
    }

    #[test]
    fn bytes_are_read_at_a_glance() {
        assert_eq!(["1.8 GB", "64 MB"].map(str::to_string), [1_840_000_000, 64_100_000].map(text));
    }
}
