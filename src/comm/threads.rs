//! Islands as threads of one process.

use super::{CommError, Communicator};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

/// A line to one other member and back.
#[derive(Debug)]
struct Line {
    to: Sender<Vec<u8>>,
    from: Receiver<Vec<u8>>,
}

impl Line {
    fn pair() -> (Line, Line) {
        let ((to_a, from_b), (to_b, from_a)) = (channel(), channel());
        (Line { to: to_a, from: from_a }, Line { to: to_b, from: from_b })
    }

    fn send(&self, bytes: Vec<u8>, peer: usize) -> Result<(), CommError> {
        self.to.send(bytes).map_err(|_| CommError::Lost(peer))
    }

    fn receive(&self, peer: usize) -> Result<Vec<u8>, CommError> {
        self.from.recv().map_err(|_| CommError::Lost(peer))
    }
}

/// A member of a team of threads. When one ends, its lines end, and the others notice.
#[derive(Debug)]
pub struct ThreadMember {
    rank: usize,
    size: usize,
    /// The master's lines to members 1, 2, ...; a member's one line to the master.
    lines: Vec<Line>,
}

/// The members of a team of `size`, by rank.
pub fn team(size: usize) -> Vec<ThreadMember> {
    let (masters, members): (Vec<Line>, Vec<Line>) = (1..size).map(|_| Line::pair()).unzip();
    let master = ThreadMember { rank: 0, size, lines: masters };
    let members =
        (1..).zip(members).map(|(rank, line)| ThreadMember { rank, size, lines: vec![line] });
    std::iter::once(master).chain(members).collect()
}

impl Communicator for ThreadMember {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn gather(&mut self, mine: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>, CommError> {
        if self.rank > 0 {
            self.lines[0].send(mine, 0)?;
            return Ok(None);
        }
        let mut all = vec![mine];
        for (i, line) in self.lines.iter().enumerate() {
            all.push(line.receive(i + 1)?);
        }
        Ok(Some(all))
    }

    fn scatter(&mut self, all: Option<Vec<Vec<u8>>>) -> Result<Vec<u8>, CommError> {
        if self.rank > 0 {
            return self.lines[0].receive(0);
        }
        let mut all = all.ok_or(CommError::Lost(0))?.into_iter();
        let mine = all.next().ok_or(CommError::Lost(0))?;
        for (i, (line, bytes)) in self.lines.iter().zip(all).enumerate() {
            line.send(bytes, i + 1)?;
        }
        Ok(mine)
    }

    fn poll(&mut self) -> Result<Option<(usize, Vec<u8>)>, CommError> {
        for (i, line) in self.lines.iter().enumerate() {
            match line.from.try_recv() {
                Ok(bytes) => return Ok(Some((i + 1, bytes))),
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => return Err(CommError::Lost(i + 1)),
            }
        }
        Ok(None)
    }

    fn send_to(&mut self, rank: usize, bytes: Vec<u8>) -> Result<(), CommError> {
        let line = rank.checked_sub(1).and_then(|i| self.lines.get(i));
        line.ok_or(CommError::Lost(rank))?.send(bytes, rank)
    }
}
