//! The limits of a reproduction.

use super::printed::{CELLS, Cell, FIGURES, SETUPS};
use super::replayed::Play;
use std::sync::atomic::AtomicBool;

/// The engines that are held against print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Engines {
    /// `auto` alone
    Auto,
    /// The engine of each paper alone: umda, and hgsa with the moves of its paper
    Paper,
    /// Both
    Both,
}

impl Engines {
    /// Whether `auto` runs.
    pub fn has_auto(self) -> bool {
        self != Engines::Paper
    }

    /// Whether the engines of the papers run.
    pub fn has_faithful(self) -> bool {
        self != Engines::Auto
    }
}

/// The limits of all rows.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// The engines.
    pub engines: Engines,
    /// Runs of the engine of the paper on every cell.
    pub runs: u32,
    /// CPU seconds of a run of the engine of the paper.
    pub cpu_limit: f64,
    /// CPU seconds of `auto` on a problem; it ends at a proof, and rarely needs them.
    pub auto_limit: f64,
    /// Whether the engines of the papers also run where the papers say that it takes long.
    pub full: bool,
    /// The first seed of the runs.
    pub seed: u64,
    /// Serial runs side by side.
    pub workers: usize,
    /// Measurements of replays, for the figures that need them.
    pub replays: Option<&'a [Play]>,
    /// When raised, the row that runs ends without a result.
    pub interrupted: &'a AtomicBool,
}

/// The longest printed time of a cell on which the engine of its paper runs by default, in seconds.
const QUICK_SECONDS: f64 = 10.0;

impl Settings<'_> {
    /// All settings that change a row, with a check sum of what is printed: rows of other settings
    /// are not mixed.
    pub fn told(&self) -> String {
        let Settings { engines, runs, cpu_limit, auto_limit, full, seed, .. } = self;
        let engines = match engines {
            Engines::Auto => "auto",
            Engines::Paper => "paper",
            Engines::Both => "both",
        };
        let mut sum = crc32fast::Hasher::new();
        CELLS.iter().for_each(|(_, text)| sum.update(text.as_bytes()));
        [FIGURES, SETUPS].iter().for_each(|text| sum.update(text.as_bytes()));
        self.replays.iter().for_each(|plays| sum.update(format!("{plays:?}").as_bytes()));
        let (version, sum) = (env!("CARGO_PKG_VERSION"), sum.finalize());
        let full = if *full { ", full" } else { "" };
        format!(
            "{version}, {engines} {auto_limit} s, {runs} runs of {cpu_limit} s from {seed}{full}, \
             {sum:08x}"
        )
    }

    /// Whether the engine of the paper runs on a cell: without `full`, where print gives a short
    /// time, or none for the network of such a cell.
    pub fn is_affordable(&self, cell: &Cell) -> bool {
        let is_quick = |cell: &Cell| match &cell.time {
            Some(time) => time.seconds <= QUICK_SECONDS,
            None => cell.switching.is_some(),
        };
        self.full || is_quick(cell)
    }
}
