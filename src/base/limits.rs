//! The most that readers take, in one place. A reader counts before memory is taken, and an error
//! names the limit. No real input comes near: the largest machines have some hundred thousand hosts.

/// Bytes of a text file, which is in memory as a whole.
pub const BYTES: u64 = 4 << 30;
/// Vertices of a network from a file.
pub const VERTICES: usize = 16_000_000;
/// Channels of a network from a file.
pub const CHANNELS: usize = 64_000_000;
/// Bytes of the name of a vertex.
pub const NAME: usize = 4096;
/// Channels of a family's member: a short word names it.
pub const FAMILY: u64 = 1_000_000;
/// Links of a file beyond those that it lists: by counts, or by lists that are joined.
pub const UNLISTED: u64 = 500_000;
/// Names that the lists of hosts of one input stand for; long ones count as several.
pub const HOSTS: usize = 1_000_000;
/// Brackets of a name in these lists.
pub const BRACKETS: usize = 16;
/// Terminals, where every host has several processes.
pub const PROCESSES: u64 = 1_000_000;
/// Static routes that tables, or the processes of hosts, make.
pub const ROUTES: usize = 8_000_000;
/// Messages of a traffic, or of the groups of a file.
pub const MESSAGES: usize = 4_000_000;
/// Deliveries of a collective.
pub const DELIVERIES: usize = 100_000_000;
/// The length of a compressed schedule file, times this, is the longest text in it.
pub const UNPACKED: u64 = 1000;
/// Bytes of text that a compressed file may refer back to: those of `zstd -20`.
pub const WINDOW: u64 = 1 << 25;
/// Steps of an imported schedule.
pub const STEPS: usize = 1_000_000;
/// Lists, tags and graphs inside each other.
pub const DEPTH: usize = 200;
