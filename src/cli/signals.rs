//! Interrupts: Ctrl-C, the signal of batch systems before a job's end (SIGTERM), the one they can be
//! configured to send (SIGUSR1), and that of a limit of processor time (SIGXCPU). They raise a flag,
//! which the search polls.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

/// Raised by an interrupt.
pub(super) static INTERRUPT: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// The flag that an interrupt raises.
pub fn interrupted() -> &'static AtomicBool {
    &INTERRUPT
}

/// As [`heed_interrupts`]; the flag is for the options of searches.
pub(super) fn heeded() -> Option<Arc<AtomicBool>> {
    heed_interrupts();
    Some(INTERRUPT.clone())
}

/// Whether there was an interrupt.
pub(super) fn is_interrupted() -> bool {
    INTERRUPT.load(Ordering::Relaxed)
}

/// From now on an interrupt ends the search, not the process.
pub fn heed_interrupts() {
    use signal_hook::consts::*;
    #[cfg(unix)]
    let signals = [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXCPU];
    #[cfg(not(unix))]
    let signals = [SIGINT, SIGTERM];
    for signal in signals {
        if let Err(why) = signal_hook::flag::register(signal, INTERRUPT.clone()) {
            log::warn!("signal {signal} will kill the program without a checkpoint: {why}");
        }
    }
}

/// From now on a file that grows beyond a limit (`ulimit -f`) is an error of the write, not the end of
/// the process.
pub fn survive_long_files() {
    #[cfg(unix)]
    if let Err(why) = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default()) {
        log::warn!("a file longer than the system allows will kill the program: {why}");
    }
}
