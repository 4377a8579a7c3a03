//! Replays of schedules: each rank plays a terminal and sends what the schedule says, messages carry
//! content that their receivers check, and the time is compared with that of the model. This is the
//! measurement of liquid-schedules, section 4 (figures 6 and 9).

mod order;
mod parts;
mod report;
mod run;
mod script;
mod work;

pub use order::{Order, barrier, parts};
pub use parts::{Block, Expected, RankPart};
pub use report::{ReplayRow, csv, rows, text};
pub use run::{LIBRARY, Measurement, Replay, dismiss, follow, hosts};
pub use script::{Message, Placement, Script, Transfer, place};
pub use work::ReplayError;
