//! Replays on MPI ranks: the operations of a segment are nonblocking sends and receives.

use super::{Patience, Ranks};
use crate::comm::part::{Act, Operation, Part, Pending, Player, Sizes, add};
use ccsched_base::codec::CommError;
use mpi::datatype::{Partition, PartitionMut};
use mpi::request::{RequestCollection, multiple_scope};
use mpi::topology::Communicator as _;
use mpi::traits::{CommunicatorCollectives as _, Destination, Source};
use std::time::Duration;

/// Tags of parts follow that of the other messages.
const FIRST_TAG: i32 = super::TAG + 1;

/// Memory whose address can be given for no message.
const NOTHING: &[u8] = &[0];

/// The longest sleep between two polls. A rank that sleeps does not move its messages on.
const LONGEST_SLEEP: Duration = Duration::from_micros(200);

/// A block in a segment.
enum Slot<'b> {
    /// It can be sent.
    Full(&'b [u8]),
    /// It is received or added up in this segment; none while its message is under way.
    Empty(Option<&'b mut [u8]>),
}

impl<'b> Slot<'b> {
    /// What it holds.
    fn content(&self) -> &'b [u8] {
        match self {
            Slot::Full(content) => content,
            Slot::Empty(_) => unreachable!("used before it is filled"),
        }
    }

    /// The memory of an empty one.
    fn memory(&mut self) -> &'b mut [u8] {
        match self {
            Slot::Empty(into) => into.take().expect("filled once"),
            Slot::Full(_) => unreachable!("filled once"),
        }
    }
}

/// The blocks of a segment: those that it fills are empty at first.
fn slots<'b>(segment: &[Operation], blocks: &'b mut [Vec<u8>]) -> Vec<Slot<'b>> {
    let mut is_received = vec![false; blocks.len()];
    for operation in segment {
        if let Some(block) = operation.act.fills() {
            is_received[block] = true;
        }
    }
    let slot = |(block, is_received): (&'b mut Vec<u8>, bool)| match is_received {
        true => Slot::Empty(Some(&mut block[..])),
        false => Slot::Full(&block[..]),
    };
    blocks.iter_mut().zip(is_received).map(slot).collect()
}

fn tag_of(tag: u16) -> i32 {
    FIRST_TAG + i32::from(tag)
}

impl Ranks {
    fn segment(&self, segment: &[Operation], blocks: &mut [Vec<u8>]) {
        let mut slots = slots(segment, blocks);
        let (mut pending, mut ready) = Pending::new(segment);
        multiple_scope(segment.len(), |scope, requests: &mut RequestCollection<'_, [u8]>| {
            let mut operations = Vec::with_capacity(segment.len());
            let mut ended = Vec::new();
            let mut active = 0;
            let mut patience = Patience::up_to(LONGEST_SLEEP);
            while !pending.is_over() {
                for i in std::mem::take(&mut ready) {
                    let request = match segment[i].act {
                        Act::Send { to, tag, block } => {
                            let content: &[u8] = block.map_or(&[], |b| slots[b].content());
                            let process = self.world.process_at_rank(to as i32);
                            process.immediate_send_with_tag(scope, content, tag_of(tag))
                        }
                        Act::Receive { from, tag, block } => {
                            let into: &mut [u8] = block.map_or(&mut [], |b| slots[b].memory());
                            let process = self.world.process_at_rank(from as i32);
                            process.immediate_receive_into_with_tag(scope, into, tag_of(tag))
                        }
                        Act::Add { of, into } => {
                            let sum = slots[into].memory();
                            add(of.map(|b| slots[b].content()), sum);
                            slots[into] = Slot::Full(sum);
                            pending.end(i, &mut ready);
                            continue;
                        }
                    };
                    requests.add(request);
                    operations.push(i);
                    active += 1;
                }
                // After a sum no request may be left, which MPI does not test.
                if active == 0 {
                    continue;
                }
                requests.test_some(&mut ended);
                active -= ended.len();
                if ended.is_empty() && ready.is_empty() {
                    patience.wait();
                    continue;
                }
                patience = Patience::up_to(LONGEST_SLEEP);
                for (request, _, content) in ended.drain(..) {
                    let i = operations[request];
                    if let Act::Receive { block: Some(block), .. } = segment[i].act {
                        slots[block] = Slot::Full(content);
                    }
                    pending.end(i, &mut ready);
                }
            }
        });
    }
}

/// The lengths of messages, and where each begins, as MPI counts.
fn places(sizes: &[usize]) -> Result<(Vec<i32>, Vec<i32>), CommError> {
    let mut begins = Vec::with_capacity(sizes.len());
    let mut end = 0usize;
    for &size in sizes {
        begins.push(i32::try_from(end).map_err(|_| CommError::TooLong(end))?);
        end += size;
    }
    i32::try_from(end).map_err(|_| CommError::TooLong(end))?;
    Ok((sizes.iter().map(|&size| size as i32).collect(), begins))
}

impl Player for Ranks {
    fn host(&self) -> String {
        mpi::environment::processor_name().unwrap_or_default()
    }

    fn play(&mut self, part: &Part, blocks: &mut [Vec<u8>]) -> Result<(), CommError> {
        if let Some(long) = blocks.iter().find(|block| i32::try_from(block.len()).is_err()) {
            return Err(CommError::TooLong(long.len()));
        }
        part.segments.iter().for_each(|segment| self.segment(segment, blocks));
        Ok(())
    }

    fn all_to_all(
        &mut self,
        out: &[u8],
        into: &mut [u8],
        sizes: Option<&Sizes>,
    ) -> Result<(), CommError> {
        // The address of an empty vector is that of MPI_IN_PLACE in Open MPI.
        let mut nothing = [0; 1];
        let out = if out.is_empty() { &NOTHING[..0] } else { out };
        let into = if into.is_empty() { &mut nothing[..0] } else { into };
        let Some(sizes) = sizes else {
            places(&[out.len()])?;
            self.world.all_to_all_into(out, into);
            return Ok(());
        };
        let (counts_out, begins_out) = places(&sizes.out)?;
        let (counts_into, begins_into) = places(&sizes.into)?;
        let out = Partition::new(out, counts_out, begins_out);
        let mut into = PartitionMut::new(into, counts_into, begins_into);
        self.world.all_to_all_varcount_into(&out, &mut into);
        Ok(())
    }
}
