//! One program for all targets: the environment variable `TARGET` names the reader that gets the
//! bytes. Whatever they are, a reader returns what it read or says what is wrong.

#![no_main]

mod files;
mod readers;

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static READER: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("TARGET").unwrap_or_default();
    let known = || readers::ALL.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let reader = readers::ALL.iter().find(|(target, _)| *target == name);
    reader.unwrap_or_else(|| panic!("TARGET={name}: the targets are {}", known())).1
});

fuzz_target!(|bytes: &[u8]| READER(bytes));
