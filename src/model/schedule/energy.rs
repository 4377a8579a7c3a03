//! What a schedule costs beside its time: the energy of the bits that it moves, and how long its
//! messages are under way. Both follow from the [`TimeModel`] and the transfers alone.

use super::{Plan, ScheduleFile, Step, TimeModel, TransferRef};
use ccsched_network::Network;
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
    pub fn mean_arrival_us(
        &self,
        net: &Network,
        model: &TimeModel,
        lengths: Option<&[u64]>,
    ) -> f64 {
        mean(&self.steps_us(net, model, lengths), &self.arrivals())
    }

    /// By step, the number of messages whose last transfer is in it. All cores look, as a plan may have many
    /// millions of transfers.
    fn arrivals(&self) -> Vec<usize> {
        // By message, the number of its last step among some, from 1; 0 if there is none.
        let last = |first: usize, steps: &[Step]| {
            let mut last: Vec<u32> = Vec::new();
            for (number, step) in (first as u32 + 1..).zip(steps) {
                for &message in step.messages() {
                    if message as usize >= last.len() {
                        last.resize(message as usize + 1, 0);
                    }
                    last[message as usize] = number;
                }
            }
            last
        };
        let mut arrivals = vec![0; self.len()];
        let later = |mut a: Vec<u32>, mut b: Vec<u32>| {
            if a.len() < b.len() {
                std::mem::swap(&mut a, &mut b);
            }
            a.iter_mut().zip(b).for_each(|(a, b)| *a = (*a).max(b));
            a
        };
        let last = self.each_part(last).into_iter().reduce(later);
        let steps = last.into_iter().flatten().filter_map(|number| number.checked_sub(1));
        steps.for_each(|step| arrivals[step as usize] += 1);
        arrivals
    }
}

impl ScheduleFile {
    /// The same of a schedule file.
    pub fn energy_nj(&self, model: &TimeModel) -> Option<f64> {
        let model = model.of_pieces(self.model.pieces.unwrap_or(1));
        if self.is_multicast() {
            // No message has a length of its own, and trees hold each channel once.
            let moved = model.message_bytes as f64 * self.channel_steps() as f64;
            return model.bit_pj.map(|pj| energy_nj(pj, std::iter::once(moved)));
        }
        let transfers = (0..self.steps.len()).flat_map(|step| self.steps.places(step));
        let bytes = |t: usize| self.steps.entry(t).bytes.unwrap_or(model.message_bytes) as f64;
        let moved = |t: usize| bytes(t) * self.steps.path(t).len() as f64;
        model.bit_pj.map(|pj| energy_nj(pj, transfers.map(moved)))
    }

    /// The same of a schedule file.
    pub fn mean_arrival_us(&self, model: &TimeModel) -> f64 {
        let message = |t: usize| {
            let entry = self.steps.entry(t);
            (entry.source, entry.destination, entry.copy, entry.piece)
        };
        // From the last step on, so that a message that is new has its last transfer.
        let mut seen = HashSet::new();
        let mut arrivals = vec![0; self.steps.len()];
        for (step, arrivals) in arrivals.iter_mut().enumerate().rev() {
            *arrivals = self.steps.places(step).filter(|&t| seen.insert(message(t))).count();
        }
        mean(&self.steps_us(model), &arrivals)
    }
}

/// The energy of bytes times channels.
fn energy_nj(bit_pj: f64, moved: impl Iterator<Item = f64>) -> f64 {
    moved.sum::<f64>() * BITS * bit_pj * 1e-3
}

/// The mean end of the steps, weighted by the messages that arrive in them.
fn mean(steps_us: &[f64], arrivals: &[usize]) -> f64 {
    let (mut now, mut sum) = (0.0, 0.0);
    for (step, &arrivals) in steps_us.iter().zip(arrivals) {
        now += step;
        sum += now * arrivals as f64;
    }
    sum / arrivals.iter().sum::<usize>().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Collective, Pair, Request};
    use crate::schedule::file::Provenance;
    use ccsched_network::spec;

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
        let lengths = problem.lengths();
        let to = |bytes| lengths.unwrap().iter().position(|&l| l == bytes).unwrap() as u32;
        let channel = |from, to| {
            let leads = |c: &u32| problem.network().channel(*c).to == to;
            problem.network().outgoing(from).iter().copied().find(leads).unwrap()
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
        for mean in
            [plan.mean_arrival_us(problem.network(), &model, lengths), file.mean_arrival_us(&model)]
        {
            assert!((mean - 7.5).abs() < 1e-9, "{mean}");
        }
        assert_eq!(Plan::default().mean_arrival_us(problem.network(), &model, None), 0.0);
    }

    #[test]
    fn a_broadcast_message_has_arrived_with_its_last_copy() {
        let problem = Request::new(Collective::Oab);
        let problem = problem.pose(spec::parse("ring:4").unwrap(), vec![]).unwrap();
        let mut plan = Plan::default();
        let out = problem.network().outgoing(0);
        plan.push(0, 0, [out[0]]);
        plan.push(2, 0, [out[1]]);
        let model = TimeModel { byte_ns: 0.0, ..TimeModel::default() };
        assert_eq!(plan.mean_arrival_us(problem.network(), &model, None), 3.0);
    }
}
