//! Interrupts: Ctrl-C, the signal of batch systems before a job's end (SIGTERM), and the one they
//! can be configured to send (SIGUSR1). They raise a flag, which the search polls.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

/// Raised by an interrupt.
pub(super) static INTERRUPT: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// The flag that an interrupt raises.
pub fn interrupted() -> &'static AtomicBool {
    &INTERRUPT
}

/// From now on an interrupt ends the search, not the process.
pub fn heed_interrupts() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    #[cfg(unix)]
    let signals = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP, signal_hook::consts::SIGUSR1];
    #[cfg(not(unix))]
    let signals = [SIGINT, SIGTERM];
    for signal in signals {
        if let Err(why) = signal_hook::flag::register(signal, INTERRUPT.clone()) {
            log::warn!("signal {signal} will kill the program without a checkpoint: {why}");
        }
    }
}
