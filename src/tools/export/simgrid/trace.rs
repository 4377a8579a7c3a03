//! The time-independent trace: the calls of each rank, one a line.

use super::hosts::Hosts;
use super::platform::RATE;
use crate::export::{Subject, Synchronisation, Transfer};
use std::fmt::Write;

/// By rank, the text of its trace.
pub(super) fn traces(
    subject: &Subject,
    hosts: &Hosts,
    bytes: u64,
    sync: Synchronisation,
) -> Vec<String> {
    let mut traces: Vec<String> = (0..hosts.len()).map(|rank| format!("{rank} init\n")).collect();
    let mut begun = vec![0; hosts.len()];
    let mut tag = 0;
    if subject.is_timed() {
        return timed(subject, hosts, traces);
    }
    for step in 0..subject.steps() {
        for t in subject.sent(step) {
            let [from, to] = hosts.ends(t.from, t.to, t.channels);
            let bytes = t.bytes.unwrap_or(bytes);
            line(&mut traces[from], format_args!("{from} isend {to} {tag} {bytes}"));
            line(&mut traces[to], format_args!("{to} irecv {from} {tag} {bytes}"));
            begun[from] += 1;
            begun[to] += 1;
            tag += 1;
        }
        for (rank, trace) in traces.iter_mut().enumerate() {
            let requests = std::mem::take(&mut begun[rank]);
            if requests > 0 {
                line(trace, format_args!("{rank} waitall {requests}"));
            }
            if sync == Synchronisation::Clock {
                line(trace, format_args!("{rank} barrier"));
            }
        }
    }
    for (rank, trace) in traces.iter_mut().enumerate() {
        line(trace, format_args!("{rank} finalize"));
    }
    traces
}

/// Flops of a byte's time on hosts of 1 Gf, for links of this rate in bytes a second.
fn flops_of_byte(rate: f64) -> f64 {
    1e9 / rate
}

/// The traces of a timed schedule: ranks compute from one start to the next, and what they start then goes on
/// meanwhile.
fn timed(subject: &Subject, hosts: &Hosts, mut traces: Vec<String>) -> Vec<String> {
    let rate = subject.network().rate().map_or(RATE * 1e6, |rate| rate.bytes_per_second);
    let mut transfers: Vec<Transfer<'_>> =
        (0..subject.steps()).flat_map(|s| subject.step(s)).collect();
    transfers.sort_by_key(|t| t.at);
    let (mut begun, mut now) = (vec![0; traces.len()], vec![0; traces.len()]);
    for (tag, t) in transfers.iter().enumerate() {
        let [from, to] = hosts.ends(t.from, t.to, t.channels);
        let (at, bytes) = (t.at.unwrap_or(0), t.bytes.unwrap_or(0));
        for rank in [from, to] {
            if at > now[rank] {
                let flops = (at - now[rank]) as f64 * flops_of_byte(rate);
                line(&mut traces[rank], format_args!("{rank} compute {flops}"));
                now[rank] = at;
            }
            begun[rank] += 1;
        }
        line(&mut traces[from], format_args!("{from} isend {to} {tag} {bytes}"));
        line(&mut traces[to], format_args!("{to} irecv {from} {tag} {bytes}"));
    }
    for (rank, trace) in traces.iter_mut().enumerate() {
        if begun[rank] > 0 {
            line(trace, format_args!("{rank} waitall {}", begun[rank]));
        }
        line(trace, format_args!("{rank} finalize"));
    }
    traces
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(format_args!("{text}\n")).expect("a string takes any text");
}
