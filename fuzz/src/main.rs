//! Fuzzing of every reader: libFuzzer chooses inputs, a target reads them, and a watch allows neither
//! panics nor much time or memory. The variable `TARGET` names the target; `TARGET=list` lists all.
//! README.md says how to run it.

#![no_main]

mod scratch;
mod targets;
mod watch;

use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;
use targets::{TARGETS, Target};

/// The target of this process.
static CHOSEN: OnceLock<&'static Target> = OnceLock::new();

fuzz_target!(init: choose(), |data: &[u8]| {
    if let Some(target) = CHOSEN.get() {
        watch::watched(target, data);
    }
});

/// Takes the target from the environment: the arguments are libFuzzer's.
fn choose() {
    let name = std::env::var("TARGET").unwrap_or_default();
    if name == "list" {
        TARGETS.iter().for_each(|target| println!("{}", target.name));
        std::process::exit(0);
    }
    let Some(target) = TARGETS.iter().find(|target| target.name == name) else {
        eprintln!("readers: TARGET='{name}' is no target; TARGET=list lists them");
        std::process::exit(2);
    };
    let _ = CHOSEN.set(target);
}
