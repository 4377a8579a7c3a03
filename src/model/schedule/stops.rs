//! Where the transfers of a schedule file start and end. A file says it of every transfer. In a schedule of our
//! own it follows from the channels, and millions of transfers need no memory for it.

use super::names::NameId;

/// Two names by number: source and destination of a message, or where a transfer starts and ends.
pub(super) type Ends = [NameId; 2];

/// Where transfers start and end.
#[derive(Clone)]
pub(super) enum Stops {
    /// By transfer, as a file says.
    Told(Vec<Ends>),
    /// By channel: a transfer starts where its first channel does and ends where its last one does;
    /// beside them the name of the ends of an empty path.
    OfChannels(Vec<Ends>, NameId),
}

impl Default for Stops {
    /// A file that is read, before its first transfer.
    fn default() -> Self {
        Stops::Told(Vec::new())
    }
}

impl Stops {
    /// Where the transfer of this number starts and ends.
    pub fn of(&self, transfer: usize, path: &[u32]) -> Ends {
        match (self, path) {
            (Stops::Told(stops), _) => stops[transfer],
            (Stops::OfChannels(ends, _), &[first, .., last]) => {
                [ends[first as usize][0], ends[last as usize][1]]
            }
            (Stops::OfChannels(ends, _), &[only]) => ends[only as usize],
            (Stops::OfChannels(_, nowhere), []) => [*nowhere; 2],
        }
    }
}
