//! The time-independent trace: the calls of each rank, one a line.

use super::hosts::Hosts;
use crate::export::{Subject, Synchronisation};
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
    for step in 0..subject.steps() {
        for t in subject.step(step) {
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

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(format_args!("{text}\n")).expect("a string takes any text");
}
