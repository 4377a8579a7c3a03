//! Replays on threads of one process: every message is copied, as between ranks on one machine.
//! Measures nothing of a network; the same parts and the same checks of what arrives as on ranks.

use super::part::{Act, Operation, Part, Pending, Player, Sizes, add};
use super::{CommError, Communicator, ThreadMember, thread_group};
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// How long a thread waits at once for the others.
const PATIENCE: Duration = Duration::from_millis(100);
/// The tag of the messages of [`Player::all_to_all`], which parts do not use.
const ALL_TO_ALL: u16 = u16::MAX;
/// Tag bytes of a message of [`Communicator::send`], which has no tag.
const UNTAGGED: [u8; 3] = [0, 0, 0];

/// A thread that can play its part.
pub struct ThreadPlayer {
    member: ThreadMember,
    /// Messages that have arrived before they were asked for, by sender and tag.
    tagged: HashMap<(usize, u16), VecDeque<Vec<u8>>>,
    untagged: VecDeque<(usize, Vec<u8>)>,
}

/// The members of a group of `size` threads, by rank.
pub fn thread_players(size: usize) -> Vec<ThreadPlayer> {
    let player =
        |member| ThreadPlayer { member, tagged: HashMap::new(), untagged: VecDeque::new() };
    thread_group(size).into_iter().map(player).collect()
}

impl ThreadPlayer {
    fn send_tagged(&mut self, to: usize, tag: u16, content: &[u8]) -> Result<(), CommError> {
        let [low, high] = tag.to_le_bytes();
        let message = [&[1, low, high], content].concat();
        self.member.send(vec![(to, message)])
    }

    /// Sorts in the next message, if one arrives within this time.
    fn look(&mut self, within: Duration) -> Result<bool, CommError> {
        let Some((from, message)) = self.member.receive(within)? else { return Ok(false) };
        let (head, content) = message.split_first_chunk::<3>().ok_or(CommError::OutOfTurn(from))?;
        match *head {
            UNTAGGED => self.untagged.push_back((from, content.to_vec())),
            [_, low, high] => {
                let tag = u16::from_le_bytes([low, high]);
                self.tagged.entry((from, tag)).or_default().push_back(content.to_vec());
            }
        }
        Ok(true)
    }

    /// Fills a buffer with the message of this sender and tag, if it has arrived.
    fn take(&mut self, from: usize, tag: u16, into: &mut [u8]) -> Result<bool, CommError> {
        let queue = self.tagged.get_mut(&(from, tag));
        let Some(message) = queue.and_then(VecDeque::pop_front) else { return Ok(false) };
        if message.len() != into.len() {
            return Err(CommError::OutOfTurn(from));
        }
        into.copy_from_slice(&message);
        Ok(true)
    }

    fn segment(&mut self, segment: &[Operation], blocks: &mut [Vec<u8>]) -> Result<(), CommError> {
        let (mut pending, mut ready) = Pending::new(segment);
        let mut awaited = Vec::new();
        while !pending.is_over() {
            while let Some(i) = ready.pop() {
                match segment[i].act {
                    Act::Receive { .. } => awaited.push(i),
                    Act::Send { to, tag, block } => {
                        self.send_tagged(to, tag, block.map_or(&[], |b| &blocks[b]))?;
                        pending.end(i, &mut ready);
                    }
                    Act::Add { of, into } => {
                        let mut sum = std::mem::take(&mut blocks[into]);
                        add(of.map(|b| &blocks[b][..]), &mut sum);
                        blocks[into] = sum;
                        pending.end(i, &mut ready);
                    }
                }
            }
            let before = awaited.len();
            let mut still = Vec::new();
            for i in awaited {
                let Act::Receive { from, tag, block } = segment[i].act else { continue };
                let into = block.map_or(&mut [][..], |b| &mut blocks[b][..]);
                match self.take(from, tag, into)? {
                    true => pending.end(i, &mut ready),
                    false => still.push(i),
                }
            }
            awaited = still;
            if awaited.len() == before && !pending.is_over() && ready.is_empty() {
                self.look(PATIENCE)?;
            }
        }
        Ok(())
    }
}

impl Communicator for ThreadPlayer {
    fn rank(&self) -> usize {
        self.member.rank()
    }

    fn size(&self) -> usize {
        self.member.size()
    }

    fn send(&mut self, messages: Vec<(usize, Vec<u8>)>) -> Result<(), CommError> {
        let with_head = |(to, content): (usize, Vec<u8>)| (to, [&UNTAGGED[..], &content].concat());
        self.member.send(messages.into_iter().map(with_head).collect())
    }

    fn receive(&mut self, within: Duration) -> Result<Option<(usize, Vec<u8>)>, CommError> {
        let begin = Instant::now();
        loop {
            if let Some(message) = self.untagged.pop_front() {
                return Ok(Some(message));
            }
            let left = within.saturating_sub(begin.elapsed());
            if !self.look(left)? && left.is_zero() {
                return Ok(None);
            }
        }
    }
}

impl Player for ThreadPlayer {
    fn host(&self) -> String {
        "localhost".into()
    }

    fn play(&mut self, part: &Part, blocks: &mut [Vec<u8>]) -> Result<(), CommError> {
        part.segments.iter().try_for_each(|segment| self.segment(segment, blocks))
    }

    fn all_to_all(
        &mut self,
        mut out: &[u8],
        mut into: &mut [u8],
        sizes: Option<&Sizes>,
    ) -> Result<(), CommError> {
        let ranks = self.size();
        let equal =
            || Sizes { out: vec![out.len() / ranks; ranks], into: vec![into.len() / ranks; ranks] };
        let sizes = sizes.cloned().unwrap_or_else(equal);
        for (rank, &size) in sizes.out.iter().enumerate() {
            let message;
            (message, out) = out.split_at(size);
            self.send_tagged(rank, ALL_TO_ALL, message)?;
        }
        for (rank, &size) in sizes.into.iter().enumerate() {
            let message;
            (message, into) = into.split_at_mut(size);
            while !self.take(rank, ALL_TO_ALL, message)? {
                self.look(PATIENCE)?;
            }
        }
        Ok(())
    }
}
