//! Messages with known paths, several abreast: each takes its next hop in turn. Their searches read
//! distant places of memory at the same time, which takes hardly longer than one read.

use crate::engines::journeys::Timetable;
use crate::network::ChannelId;
use crate::problem::MessageId;

/// Messages abreast.
const MOST: usize = 16;

/// The messages abreast, in flat arrays.
#[derive(Debug, Default)]
pub struct Abreast {
    messages: Vec<Message>,
    channels: Vec<ChannelId>,
    places: Vec<usize>,
}

#[derive(Debug)]
struct Message {
    message: MessageId,
    /// The first step in which it can take its next hop.
    from: u32,
    /// Where its next channel stands, and the end of its path.
    next: usize,
    end: usize,
}

impl Abreast {
    /// Adds a message.
    pub fn push(&mut self, message: MessageId, path: &[ChannelId]) {
        let next = self.channels.len();
        self.channels.extend_from_slice(path);
        self.messages.push(Message { message, from: 0, next, end: self.channels.len() });
    }

    /// Whether there is no place for one more.
    pub fn is_full(&self) -> bool {
        self.messages.len() >= MOST
    }

    /// Takes the earliest steps for all messages, which are gone then; calls `act` with the step, the message and
    /// the channel of each hop.
    pub fn go(&mut self, table: &mut Timetable, mut act: impl FnMut(u32, MessageId, ChannelId)) {
        let Abreast { messages, channels, places } = self;
        while !messages.is_empty() {
            places.clear();
            messages.iter().for_each(|m| table.places(channels[m.next], m.from, places));
            table.read(places);
            for m in &mut *messages {
                let c = channels[m.next];
                let step = table.next(c, m.from);
                table.take(c, step);
                act(step, m.message, c);
                (m.from, m.next) = (step + 1, m.next + 1);
            }
            messages.retain(|m| m.next < m.end);
        }
        channels.clear();
    }
}
