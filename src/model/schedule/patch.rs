//! A patch: what another schedule of the same messages, or of fewer, does differently. Transfers are
//! numbers in the old file, channels are those of its network, so that a patch is short.

use super::changes::Name;
use super::file::{ChannelRecord, TransferRecord};
use super::transfers::Steps;
use super::{RecordRef, ScheduleFile};
use ccsched_base::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The difference from an old schedule to a new one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch {
    /// Steps of the new schedule.
    pub steps: usize,
    /// Transfers of the old schedule that go: numbers in the order of the file, from 0.
    pub gone: Vec<usize>,
    /// Transfers that come: a transfer of the old schedule whose message it carries, its step, from 1, and
    /// its channels.
    pub come: Vec<(usize, usize, Vec<u32>)>,
}

impl Patch {
    /// From an old schedule to a new one on what is left of its network; none if the new one has a
    /// message or a channel that the old one does not have. Parallel channels correspond in their order.
    pub fn between(old: &ScheduleFile, new: &ScheduleFile) -> Option<Self> {
        let mut between: HashMap<(&str, &str), Vec<u32>> = HashMap::new();
        for (id, c) in (0..).zip(&old.network.channels) {
            between.entry((&c.from, &c.to)).or_default().push(id);
        }
        let mut before: HashMap<(&str, &str), usize> = HashMap::new();
        let of_old = |c: &ChannelRecord| between.get(&(&*c.from, &*c.to)).cloned();
        let mut channels = Vec::new();
        for c in &new.network.channels {
            let place = before.entry((&c.from, &c.to)).or_default();
            channels.push(of_old(c)?.get(*place).copied()?);
            *place += 1;
        }
        let mut first: HashMap<Name, usize> = HashMap::new();
        let mut left: HashMap<(Name, usize), Vec<usize>> = HashMap::new();
        let mut number = 0;
        for (step, records) in (1..).zip(old.steps.iter()) {
            for record in records {
                let name = Name::of(&record);
                first.entry(name.clone()).or_insert(number);
                left.entry((name, step)).or_default().push(number);
                number += 1;
            }
        }
        let mut come = Vec::new();
        for (step, records) in (1..).zip(new.steps.iter()) {
            for record in records {
                let name = Name::of(&record);
                let path: Vec<u32> = record
                    .channels
                    .iter()
                    .map(|&c| channels.get(c as usize).copied())
                    .collect::<Option<_>>()?;
                let like = *first.get(&name)?;
                let kept = left.get_mut(&(name, step)).and_then(|numbers| {
                    let place = numbers.iter().position(|&t| old.steps.path(t) == path)?;
                    Some(numbers.swap_remove(place))
                });
                if kept.is_none() {
                    come.push((like, step, path));
                }
            }
        }
        let mut gone: Vec<usize> = left.into_values().flatten().collect();
        gone.sort_unstable();
        come.sort_unstable();
        Some(Patch { steps: new.steps.len(), gone, come })
    }

    /// The old schedule with the patch, on the network of the old one.
    ///
    /// # Errors
    /// A patch of another schedule.
    pub fn applied(&self, old: &ScheduleFile) -> Result<ScheduleFile> {
        let foreign = |what: &str, number: usize| {
            Error::problem(format!("the patch is of another schedule: there is no {what} {number}"))
        };
        let all: Vec<RecordRef<'_>> = old.steps.iter().flatten().collect();
        let mut steps: Vec<Vec<TransferRecord>> = vec![Vec::new(); self.steps];
        if let Some(&number) = self.gone.iter().find(|&&number| number >= all.len()) {
            return Err(foreign("transfer", number));
        }
        let mut gone = self.gone.iter().copied().peekable();
        for (number, record) in all.iter().enumerate() {
            if gone.next_if_eq(&number).is_some() {
                continue;
            }
            let step = old.steps.step_of(number);
            let there = steps.get_mut(step).ok_or_else(|| foreign("step", step + 1))?;
            there.push(record.to_record());
        }
        for (like, step, path) in &self.come {
            let record = all.get(*like).ok_or_else(|| foreign("transfer", *like))?;
            let channel = |&c: &u32| {
                old.network.channels.get(c as usize).ok_or_else(|| foreign("channel", c as usize))
            };
            let (Some(first), Some(last)) = (path.first(), path.last()) else {
                return Err(Error::problem("the patch has a transfer without channels"));
            };
            path.iter().try_for_each(|c| channel(c).map(drop))?;
            let (from, to) = (channel(first)?.from.clone(), channel(last)?.to.clone());
            let there = step.checked_sub(1).and_then(|step| steps.get_mut(step));
            let there = there.ok_or_else(|| foreign("step", *step))?;
            there.push(TransferRecord { from, to, channels: path.clone(), ..record.to_record() });
        }
        Ok(ScheduleFile { steps: Steps::of(&steps), ..old.clone() })
    }
}
