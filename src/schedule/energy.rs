//! What a schedule costs beside its time: the energy of the bits that it moves, and how long its
//! messages are under way. Both follow from the [`TimeModel`] and the transfers alone.

use super::{Plan, ScheduleFile, TimeModel, TransferRef};
use std::collections::HashSet;

/// Bits of a byte.
const BITS: f64 = 8.0;

impl Plan {
    /// The energy of the whole schedule in nanojoules, if the model says what a bit costs on a channel.
    pub fn energy_nj(&self, model: &TimeModel, lengths: Option<&[u64]>) -> Option<f64> {
        let own = |t: TransferRef<'_>| lengths?.get(t.message as usize).copied();
        let bytes = |t: TransferRef<'_>| own(t).unwrap_or(model.message_bytes) as f64;
        let moved = |t: TransferRef<'_>| bytes(t) * t.channels.len() as f64;
        model.bit_pj.map(|pj| energy_nj(pj, self.transfers().map(moved)))
    }

    /// The time in microseconds after which a message has arrived everywhere, as a mean over all
    /// messages; 0 without messages.
    pub fn mean_arrival_us(&self, model: &TimeModel, lengths: Option<&[u64]>) -> f64 {
        let ends = ends(&self.steps_us(model, lengths));
        // A plan may have millions of messages.
        let mut seen: Vec<bool> = Vec::new();
        let steps = self.steps().zip(ends).rev();
        mean(
            steps.flat_map(|(step, end)| step.messages().iter().map(move |&m| (m as usize, end))),
            |message| {
                if message >= seen.len() {
                    seen.resize(message + 1, false);
                }
                !std::mem::replace(&mut seen[message], true)
            },
        )
    }
}

impl ScheduleFile {
    /// The same of a schedule file.
    pub fn energy_nj(&self, model: &TimeModel) -> Option<f64> {
        let transfers = (0..self.steps.len()).flat_map(|step| self.steps.places(step));
        let bytes = |t: usize| self.steps.entry(t).bytes.unwrap_or(model.message_bytes) as f64;
        let moved = |t: usize| bytes(t) * self.steps.path(t).len() as f64;
        model.bit_pj.map(|pj| energy_nj(pj, transfers.map(moved)))
    }

    /// The same of a schedule file.
    pub fn mean_arrival_us(&self, model: &TimeModel) -> f64 {
        let ends = ends(&self.steps_us(model));
        let message = |t: usize| {
            let entry = self.steps.entry(t);
            (entry.source, entry.destination, entry.copy)
        };
        let mut seen = HashSet::new();
        let steps = (0..self.steps.len()).zip(ends).rev();
        let carried =
            steps.flat_map(|(step, end)| self.steps.places(step).map(move |t| (message(t), end)));
        mean(carried, |message| seen.insert(message))
    }
}

/// The energy of bytes times channels.
fn energy_nj(bit_pj: f64, moved: impl Iterator<Item = f64>) -> f64 {
    moved.sum::<f64>() * BITS * bit_pj * 1e-3
}

/// The times at which steps end.
fn ends(steps_us: &[f64]) -> Vec<f64> {
    let end = |now: &mut f64, step: &f64| {
        *now += step;
        Some(*now)
    };
    steps_us.iter().scan(0.0, end).collect()
}

/// The mean end of the last transfers of all messages. The transfers are those of the last step
/// first, so a message that is new has its last one.
fn mean<M>(carried: impl Iterator<Item = (M, f64)>, mut is_new: impl FnMut(M) -> bool) -> f64 {
    let (mut sum, mut count) = (0.0, 0u64);
    for (message, end) in carried {
        if is_new(message) {
            sum += end;
            count += 1;
        }
    }
    sum / count.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::spec;
    use crate::problem::{Collective, Pair, Request};
    use crate::schedule::file::Provenance;

    #[test]
    fn a_plan_and_its_file_cost_the_same() {
        let pair = |destination: &str, bytes| Pair {
            source: "0".into(),
            destination: destination.into(),
            bytes: Some(bytes),
            count: 1,
        };
        let pairs = Some(vec![pair("1", 4000), pair("2", 1000)]);
        let request = Request { pairs, ..Request::new(Collective::Traffic) };
        let problem = request.pose(spec::parse("ring:4").unwrap(), vec![]).unwrap();
        let lengths = problem.lengths.as_deref();
        let to = |bytes| lengths.unwrap().iter().position(|&l| l == bytes).unwrap() as u32;
        let channel = |from, to| {
            let leads = |c: &u32| problem.network.channel(*c).to == to;
            problem.network.outgoing(from).iter().copied().find(leads).unwrap()
        };
        let mut plan = Plan::default();
        plan.push(0, to(4000), [channel(0, 1)]);
        plan.push(1, to(1000), [channel(0, 1), channel(1, 2)]);
        let silent =
            TimeModel { startup_us: 2.0, hop_us: 0.0, byte_ns: 1.0, ..TimeModel::default() };
        let model = TimeModel { bit_pj: Some(3.0), ..silent };
        let file = plan.record(&problem, &[], Provenance::default());
        // 4000 bytes on one channel and 1000 on two.
        let nj = 6000.0 * 8.0 * 3.0 * 1e-3;
        assert_eq!(plan.energy_nj(&silent, lengths), None);
        for energy in [plan.energy_nj(&model, lengths), file.energy_nj(&model)] {
            assert!((energy.unwrap() - nj).abs() < 1e-9, "{energy:?}");
        }
        // Steps of 6 and 3 us, each of which ends a message.
        for mean in [plan.mean_arrival_us(&model, lengths), file.mean_arrival_us(&model)] {
            assert!((mean - 7.5).abs() < 1e-9, "{mean}");
        }
        assert_eq!(Plan::default().mean_arrival_us(&model, None), 0.0);
    }

    #[test]
    fn a_broadcast_message_has_arrived_with_its_last_copy() {
        let problem = Request::new(Collective::Oab);
        let problem = problem.pose(spec::parse("ring:4").unwrap(), vec![]).unwrap();
        let mut plan = Plan::default();
        let out = problem.network.outgoing(0);
        plan.push(0, 0, [out[0]]);
        plan.push(2, 0, [out[1]]);
        let model = TimeModel { byte_ns: 0.0, ..TimeModel::default() };
        assert_eq!(plan.mean_arrival_us(&model, None), 3.0);
    }
}
