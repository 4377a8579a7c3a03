//! A folder for SimGrid: a platform with a link for each channel, a time-independent trace with the
//! sends and receives of every rank, and a script that replays it with `smpirun`.
//!
//! The platform has one route between two hosts, the path of their transfers. Where the transfers of
//! a pair take several paths, the vertices have a host for each, and a rank on each of them. A
//! transfer goes at the rate of one message a step at most, whatever the capacity of its channels.

use super::ranks::Ranks;
use super::{Output, Settings, Subject, Synchronisation, Transfer};
use ccsched_base::{Error, Result};
use ccsched_model::schedule::printable::printable;
use ccsched_network::{ChannelId, VertexId};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

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
    let traces = traces(subject, &hosts, bytes, sync);
    let name = |rank: usize| format!("trace/{rank}.txt");
    let lines = |line: &dyn Fn(usize) -> String| (0..hosts.len()).map(line).collect::<String>();
    let mut files = vec![
        ("platform.xml".into(), xml(subject, &hosts)),
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

// The hosts of the platform: one for each vertex that sends or receives, and more where the
// transfers from it to another vertex take several paths.

/// Hosts by vertex and number of the path.
struct Hosts<'f> {
    ranks: Ranks,
    /// By rank of a vertex, its hosts: the first number, and one past the last.
    firsts: Vec<usize>,
    /// By ends, the different paths of their transfers.
    paths: HashMap<(VertexId, VertexId), Vec<&'f [ChannelId]>>,
}

impl<'f> Hosts<'f> {
    /// The hosts that a schedule needs.
    fn of(subject: &'f Subject) -> Self {
        let ranks = Ranks::of(subject);
        let mut paths: HashMap<(VertexId, VertexId), Vec<&'f [ChannelId]>> = HashMap::new();
        let mut counts = vec![1; ranks.len()];
        for step in 0..subject.steps() {
            for t in subject.sent(step) {
                let of_pair = paths.entry((t.from, t.to)).or_default();
                if !of_pair.contains(&t.channels) {
                    of_pair.push(t.channels);
                }
                for rank in [t.from, t.to].map(|v| ranks.of_vertex(v)) {
                    counts[rank] = of_pair.len().max(counts[rank]);
                }
            }
        }
        let ends = counts.iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        });
        let firsts = std::iter::once(0).chain(ends).collect();
        Hosts { ranks, firsts, paths }
    }

    /// Number of hosts.
    fn len(&self) -> usize {
        self.firsts[self.firsts.len() - 1]
    }

    /// The name of a host.
    fn name(host: usize) -> String {
        format!("h{host}")
    }

    /// The hosts between which a transfer goes.
    fn ends(&self, from: VertexId, to: VertexId, channels: &[ChannelId]) -> [usize; 2] {
        let paths = self.paths.get(&(from, to)).map_or(&[][..], Vec::as_slice);
        let number = paths.iter().position(|path| *path == channels).unwrap_or(0);
        [from, to].map(|v| self.firsts[self.ranks.of_vertex(v)] + number)
    }

    /// The paths between hosts, by their numbers.
    fn routes(&self) -> HashMap<[usize; 2], &'f [ChannelId]> {
        let of_pair = |(&(from, to), paths): (&(VertexId, VertexId), &Vec<&'f [ChannelId]>)| {
            let route = |path: &&'f [ChannelId]| (self.ends(from, to, path), *path);
            paths.iter().map(route).collect::<Vec<_>>()
        };
        self.paths.iter().flat_map(of_pair).collect()
    }

    /// A line that says which vertex a host is.
    fn about(&self, subject: &Subject, host: usize) -> String {
        let rank = self.firsts.partition_point(|&first| first <= host) - 1;
        format!("{host} {}\n", printable(subject.name(self.ranks.vertices[rank])))
    }
}

// The platform: hosts, links, and the route of every pair of hosts.

/// The bandwidth of a channel for each transfer that it carries in a step, in MB/s, where the network
/// does not know it.
const RATE: f64 = 1.0;

/// The text of the file.
fn xml(subject: &Subject, hosts: &Hosts) -> String {
    let rate = subject.network().rate().map_or(RATE, |rate| rate.bytes_per_second / 1e6);
    let mut out = String::from(
        "<?xml version=\"1.0\"?>\n\
         <!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\
         <platform version=\"4.1\">\n<zone id=\"network\" routing=\"Full\">\n",
    );
    let mut line = |text: std::fmt::Arguments<'_>| {
        out.write_fmt(format_args!("{text}\n")).expect("a string takes any text");
    };
    for host in 0..hosts.len() {
        line(format_args!("<host id=\"{}\" speed=\"1Gf\"/>", Hosts::name(host)));
    }
    let routes = hosts.routes();
    let used: BTreeSet<ChannelId> =
        routes.values().flat_map(|path| path.iter().map(|&c| link(subject, c))).collect();
    for c in used {
        let channel = subject.network().channel(c);
        line(format_args!(
            "<link id=\"c{c}\" bandwidth=\"{}MBps\" latency=\"0us\" sharing_policy=\"SHARED\"/>",
            f64::from(channel.capacity) * rate
        ));
    }
    // A FATPIPE gives its bandwidth to each transfer: `rate` is the most that one can have of wide
    // links, `free` carries the barriers of pairs that exchange nothing else.
    for (id, bandwidth) in [("rate", format!("{rate}MBps")), ("free", "1000000GBps".into())] {
        line(format_args!(
            "<link id=\"{id}\" bandwidth=\"{bandwidth}\" latency=\"0us\" sharing_policy=\"FATPIPE\"/>"
        ));
    }
    for from in 0..hosts.len() {
        for to in (0..hosts.len()).filter(|&to| to != from) {
            let links = match routes.get(&[from, to]) {
                Some(path) => {
                    let words =
                        path.iter().map(|&c| format!("<link_ctn id=\"c{}\"/>", link(subject, c)));
                    words.collect::<String>() + "<link_ctn id=\"rate\"/>"
                }
                None => "<link_ctn id=\"free\"/>".into(),
            };
            let [from, to] = [from, to].map(Hosts::name);
            line(format_args!(
                "<route src=\"{from}\" dst=\"{to}\" symmetrical=\"NO\">{links}</route>"
            ));
        }
    }
    out + "</zone>\n</platform>\n"
}

/// The channel whose link stands for this one: half-duplex channels share theirs.
fn link(subject: &Subject, c: ChannelId) -> ChannelId {
    subject.network().channel(c).excludes().map_or(c, |other| other.min(c))
}

// The time-independent trace: the calls of each rank, one a line.

/// By rank, the text of its trace.
fn traces(subject: &Subject, hosts: &Hosts, bytes: u64, sync: Synchronisation) -> Vec<String> {
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
