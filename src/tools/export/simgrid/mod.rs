//! A folder for SimGrid: a platform with a link for each channel, a time-independent trace with the
//! sends and receives of every rank, and a script that replays it with `smpirun`.
//!
//! The platform has one route between two hosts, the path of their transfers. Where the transfers of
//! a pair take several paths, the vertices have a host for each, and a rank on each of them. A
//! transfer goes at the rate of one message a step at most, whatever the capacity of its channels.

mod hosts;
mod platform;
mod trace;

use super::{Output, Settings, Subject, Synchronisation};
use ccsched_base::{Error, Result};
use hosts::Hosts;

/// The length of messages that have none; at 1 MB/s, the rate of networks that know none, a step lasts
/// one second.
const BYTES: u64 = 1_000_000;

/// SimGrid keeps a table of the routes of all pairs.
const MOST_HOSTS: usize = 4096;

/// Writes a schedule.
pub(super) fn write(subject: &Subject, settings: &Settings) -> Result<Output> {
    let hosts = Hosts::of(subject);
    if hosts.len() > MOST_HOSTS {
        return Err(Error::problem(format!(
            "simgrid: {} hosts; SimGrid keeps the routes of all pairs, so the limit is {MOST_HOSTS}",
            hosts.len()
        )));
    }
    let sync = settings.sync.unwrap_or_default();
    let bytes = subject.piece_of(settings.bytes.unwrap_or(BYTES));
    let traces = trace::traces(subject, &hosts, bytes, sync);
    let name = |rank: usize| format!("trace/{rank}.txt");
    let lines = |line: &dyn Fn(usize) -> String| (0..hosts.len()).map(line).collect::<String>();
    let mut files = vec![
        ("platform.xml".into(), platform::xml(subject, &hosts)),
        ("hosts.txt".into(), lines(&|rank| format!("{}\n", Hosts::name(rank)))),
        ("traces.txt".into(), lines(&|rank| format!("{}\n", name(rank)))),
        ("vertices.txt".into(), lines(&|rank| hosts.about(subject, rank))),
        ("replay.sh".into(), script(hosts.len(), subject, sync)),
    ];
    files.extend(traces.into_iter().enumerate().map(|(rank, trace)| (name(rank), trace)));
    Ok(Output::Folder(files))
}

/// The script that replays the trace. The models of the network are those in which a link shares its
/// bandwidth evenly and nothing else costs time.
fn script(hosts: usize, subject: &Subject, sync: Synchronisation) -> String {
    let steps = subject.steps();
    let about = match sync {
        _ if subject.is_timed() => "Transfers begin at the starts of the schedule.".to_string(),
        Synchronisation::Clock => format!("It ends after the time of {steps} messages."),
        Synchronisation::Local => "Without barriers ranks drift into each other's steps.".into(),
    };
    format!(
        "#!/bin/sh\n\
         # Replays the schedule in SimGrid (Debian: libsimgrid-dev). {about}\n\
         # traces.txt has the trace of each rank, vertices.txt says which vertex a rank is.\n\
         cd \"$(dirname \"$0\")\" || exit 1\n\
         exec smpirun -np {hosts} -platform platform.xml -hostfile hosts.txt \\\n    \
             --cfg=network/model:CM02 --cfg=network/crosstraffic:0 --cfg=network/TCP-gamma:0 \\\n    \
             --cfg=smpi/host-speed:1e9f \"$@\" -replay traces.txt\n"
    )
}
