//! A spinner for long phases without a progress of their own: bounds, groups, reading a large
//! network.

use super::progress::{TICK, style};
use indicatif::{ProgressBar, ProgressDrawTarget};
use std::io::IsTerminal;

/// Shown until it is dropped.
pub struct Phase(ProgressBar);

impl Phase {
    /// Begins a phase of this name; shown on a terminal only.
    pub fn begin(name: &str, hidden: bool) -> Self {
        let is_shown = !hidden && std::io::stderr().is_terminal();
        let target =
            if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let line = ProgressBar::with_draw_target(None, target).with_style(style());
        line.set_message(name.to_string());
        if is_shown {
            line.enable_steady_tick(TICK);
        }
        Phase(line)
    }
}

impl Drop for Phase {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
