//! The platform: hosts, links, and the route of every pair of hosts.

use super::hosts::Hosts;
use crate::export::Subject;
use ccsched_network::ChannelId;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The bandwidth of a channel for each transfer that it carries in a step, in MB/s, where the network
/// does not know it.
pub(super) const RATE: f64 = 1.0;

/// The text of the file.
pub(super) fn xml(subject: &Subject, hosts: &Hosts) -> String {
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
