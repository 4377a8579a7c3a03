//! The machine of the measurements, as far as the system reports it.

use std::fs::read_to_string;
use std::thread::available_parallelism;

/// Processor, cores and operating system.
pub fn describe() -> String {
    let cores = available_parallelism().map_or(1, usize::from);
    format!(
        "{}, {cores} core{}, {}",
        processor().unwrap_or_else(|| std::env::consts::ARCH.into()),
        if cores == 1 { "" } else { "s" },
        system().unwrap_or_else(|| std::env::consts::OS.into())
    )
}

fn processor() -> Option<String> {
    let text = read_to_string("/proc/cpuinfo").ok()?;
    value(&text, "model name", ':')
}

fn system() -> Option<String> {
    let kernel = read_to_string("/proc/sys/kernel/osrelease").ok()?;
    let text = read_to_string("/etc/os-release").ok()?;
    let name = value(&text, "PRETTY_NAME", '=')?;
    Some(format!("{} (Linux {})", name.trim_matches('"'), kernel.trim()))
}

/// The value of the first line with this key.
fn value(text: &str, key: &str, sign: char) -> Option<String> {
    let pairs = text.lines().filter_map(|line| line.split_once(sign));
    pairs.map(|(k, v)| (k.trim(), v.trim())).find(|(k, _)| *k == key).map(|(_, v)| v.to_string())
}
