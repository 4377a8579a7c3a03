//! The options that pose a problem: network, collective, model, faults.

use super::{dash, named, named::ReadingArgs, sizes};
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result};
use ccsched_bounds::placement;
use ccsched_model::problem::{
    Collective, Direction, Group, MOST_PIECES, Multicast, Names, Pair, Permutation, Ports, Relays,
    Request, Roots, Routing, Switching, added_up, all_receivers, all_senders, groups_file, hosts,
    hosts_file, in_pieces, matrix_file, pairs_file, pairs_file::Listed, pairs_of_groups,
};
use ccsched_model::schedule::TimeModel;
use ccsched_network::faults::Fault;
use ccsched_network::slowed::Slow;
use ccsched_network::{ChannelId, Delays, Network, VertexId, faults, hostlist};
use clap::builder::ArgPredicate;
use indexmap::IndexSet;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// What to schedule on what.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Problem")]
pub struct ProblemArgs {
    /// The network: a family with its parameters (`ccsched topology --help` lists them) or a file;
    /// solve, bound and compare take several, each with its own -t;
    /// - is the standard input, here and for every input file
    #[arg(short, long, value_name = "SPEC|FILE", default_value = "kautz:3,2",
          value_parser = dash::topology)]
    pub topology: Vec<String>,
    /// oab, aab, oas, aas, aog, reduce, reduce-scatter, scan, all-reduce, barrier, any spelling of their names in MPI,
    /// NCCL and SHMEM (broadcast, MPI_Allgather, ..), several with commas between, all for the four of the
    /// papers, every for all; traffic for given pairs [default: aas; traffic with --traffic or --group]
    #[arg(short, long, default_value = Collectives::DEFAULT, hide_default_value = true, default_value_ifs = [
        ("pairs", ArgPredicate::IsPresent, "traffic"),
        ("group", ArgPredicate::IsPresent, "traffic"),
        ("matrix", ArgPredicate::IsPresent, "traffic"),
        ("permutation", ArgPredicate::IsPresent, "traffic")])]
    pub collective: Collectives,
    /// The one source, or the root of a gather or reduction [default: the first terminal]
    #[arg(long, value_name = "VERTEX")]
    pub source: Option<String>,
    /// The senders, with commas between, n[1-8],n12, ranges of numbers 0-3; a name with a comma is put in
    /// quotes: 'a,"b,c"' [default: all terminals]
    #[arg(long, value_name = "LIST")]
    pub senders: Option<Vec<String>>,
    /// The receivers, as the senders [default: all terminals]
    #[arg(long, value_name = "LIST")]
    pub receivers: Option<Vec<String>>,
    /// The terminals that take part, in the order of their ranks and in Slurm's notation,
    /// n[1-8],n12, or a file with a host a line: they send and receive, with --traffic as that says;
    /// with --per-node a host stands for all its processes
    #[arg(long, value_name = "HOSTS|FILE", alias = "hostfile",
          conflicts_with_all = ["senders", "receivers", "group"])]
    pub host_list: Option<String>,
    /// Put N ranks on those hosts of --host-list, or of all, between which an all-to-all loads the
    /// links least
    #[arg(long, value_name = "N",
          conflicts_with_all = ["senders", "receivers", "pairs", "matrix", "group", "permutation"])]
    pub place: Option<usize>,
    /// Several communicators at once: a file with a line for each, alltoall n[1-4], broadcast
    /// n[5-8] n5 (members, root), allgather, scatter, gather, reduce, reducescatter, allreduce; messages of
    /// scatters alone are a traffic, others stay among the members of their group
    #[arg(long, value_name = "FILE", value_parser = dash::input,
          conflicts_with_all = ["pairs", "matrix", "permutation", "senders", "receivers"])]
    pub group: Option<PathBuf>,
    /// The messages, told by their content: a table of source,destination[,bytes][,count], with commas,
    /// semicolons, tabs or blanks, names or numbers of ranks, bytes as 1000 or 64K, a message for several
    /// destinations as 0,4;5;6, a sum of several sources as 4;5;6,0; with -c neighbor-allgather all of a source's lines are one message; a matrix
    /// of bytes, a row of each rank to all ranks, or Matrix Market; groups, a line each, as alltoall n[1-4]; or the name of a
    /// permutation: bit-reverse, transpose, shift:K
    // It is one of the options below, which the parser of words puts in its place.
    #[arg(long, value_name = "FILE|NAME")]
    pub traffic: Option<String>,
    /// The traffic: a table of source,destination[,bytes][,count], with commas, semicolons, tabs or
    /// blanks; names or numbers of ranks; bytes as 1000 or 64K
    #[arg(long, value_name = "FILE", value_parser = dash::input,
          conflicts_with_all = ["permutation", "senders", "receivers"])]
    pub pairs: Option<PathBuf>,
    /// The traffic: a matrix of bytes, a row of each rank to all ranks; a table, with or without names, or
    /// Matrix Market
    #[arg(long, value_name = "FILE", value_parser = dash::input,
          conflicts_with_all = ["pairs", "permutation", "senders", "receivers"])]
    pub matrix: Option<PathBuf>,
    /// Messages of --traffic between the same two terminals are one, of all their bytes
    #[arg(long)]
    pub add_up: bool,
    /// Cut messages of the traffic that are longer than N bytes into messages of at most N: 64K, 1M
    #[arg(long, value_name = "N", value_parser = sizes::size)]
    pub piece_bytes: Option<u64>,
    /// The traffic: each sender sends to one receiver, given by bit-reverse, transpose, shift:K or
    /// a CSV file of source,destination
    #[arg(long, value_name = "NAME|FILE")]
    pub permutation: Option<Permutation>,
    /// wormhole (wh), store-and-forward (sf) or hosts (terminals store, switches cut through) [default:
    /// wormhole; hosts with solve --export to msccl-xml, mscclpp or mpi-c]
    #[arg(long)]
    pub switching: Option<Switching>,
    /// Messages that a terminal sends, and receives, in a step: all or a number
    #[arg(long, default_value = "all")]
    pub ports: Ports,
    /// Cut each message into C equal pieces that are sent one by one, so that a step takes the time of a
    /// piece; auto takes the number up to 64 whose lower bound takes the least modelled time (solve)
    #[arg(long, value_name = "C|auto", default_value = "1", hide_default_value = true)]
    pub pieces: Pieces,
    /// The parts of the vector of an all-reduce: all for one a process, or 1 for the whole vector in one
    /// message, which --pieces C cuts into C parts [default: all]
    #[arg(long, value_name = "1|all", default_value = "all", hide_default_value = true)]
    pub parts: Parts,
    /// Whether terminals that take no part, with --group in the group of a message, store and forward
    /// messages with store-and-forward switching: all or none [default: none]
    #[arg(long, default_value = "none", hide_default_value = true)]
    pub relays: Relays,
    /// What copies the messages of a broadcast on their way, and adds up the contributions to a sum: none, or
    /// switch for switches (NVLink Switches, SHARP), with wormhole switching also the routers of terminals; a
    /// tree then holds each of its channels once [default: none]
    #[arg(long, value_name = "none|switch", default_value = "none", hide_default_value = true)]
    pub multicast: Multicast,
    /// Allowed paths: minimal, slack:S for paths up to S channels longer, any for paths of any
    /// length, static for the network's own routes, or on dragonflies lgl: at most one local hop, the global link between the
    /// groups, at most one local hop; or a table that is made for the network: updown,
    /// dimension-order (xy), dmodk, balanced, destination (docs/routing.md) [default: static where
    /// the network has routes, else any with store-and-forward switching and minimal with wormhole
    /// switching]
    #[arg(long)]
    pub routing: Option<Routing>,
    /// What is broken.
    #[command(flatten)]
    pub faults: FaultArgs,
    /// Links at a part of their speed, with commas between: A-B=1/2, A:B=50% for the one direction, VERTEX=0.5
    /// for all links of a vertex. Widths grow, so that all are whole numbers, and a step takes as much longer
    #[arg(long, value_name = "LINK=PART,..", value_delimiter = ',')]
    pub slow: Vec<String>,
    /// How long the head of a message takes along links, with commas between: A-B=5us, A:B=200ns for the one
    /// direction, VERTEX=2 for all links of a vertex, in microseconds without a unit; the later one counts. In
    /// place of what the network's file says, and of tr of --cost, which is that of all other links
    #[arg(long, value_name = "LINK=TIME,..", value_delimiter = ',')]
    pub delay: Vec<String>,
    /// How the network's file is understood.
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// What is broken.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct FaultArgs {
    /// What is broken, with commas between: vertices, or links A-B, A:B for the one direction; #2 after a link
    /// picks one of parallel ones
    #[arg(long, value_name = "LIST")]
    pub fail: Vec<String>,
    /// Broken links, with commas between: A-B, or A:B for the one direction; #2 after it picks one of parallel
    /// links
    #[arg(long, value_name = "A-B")]
    pub fail_link: Vec<String>,
    /// Broken vertices, as the senders
    #[arg(long, value_name = "VERTEX")]
    pub fail_node: Vec<String>,
}

impl FaultArgs {
    /// The broken links and the broken vertices, as lists of names.
    pub fn lists(&self, whole: &Network) -> [Vec<String>; 2] {
        // Two vertices with a sign between are a link, where ranges of numbers would be vertices too.
        let is_link = |item: &str| {
            item.match_indices(['-', ':']).any(|(at, _)| {
                let ends = [&item[..at], item[at + 1..].split('#').next().unwrap_or_default()];
                ends.iter().all(|end| whole.find(end).is_some())
            })
        };
        let [mut links, mut vertices] = [&self.fail_link, &self.fail_node].map(Vec::clone);
        for list in &self.fail {
            let items = hostlist::items(list).unwrap_or_else(|_| vec![list]);
            // A name may have a comma.
            let is_one = whole.find(list).is_some() || broken_links(whole, list).is_ok();
            let items = if is_one { vec![&**list] } else { items };
            for item in items {
                let is_link = is_link(item) || whole.find(item).is_none() && is_one;
                if is_link { &mut links } else { &mut vertices }.push(item.to_string());
            }
        }
        [links, vertices]
    }

    /// A network without them, and the list of its faults. A fault that is given twice counts once.
    ///
    /// # Errors
    /// Unknown links and vertices, with their flag.
    pub fn broken(&self, whole: &Network) -> Result<(Network, Vec<Fault>)> {
        let [links, vertices] = self.lists(whole);
        broken(whole, &links, &vertices)
    }
}

/// The page of help about them; no command.
#[derive(clap::Args, Clone, Debug)]
pub struct Page {
    /// All of them.
    #[command(flatten)]
    pub problem: ProblemArgs,
}

/// The pieces of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pieces {
    /// Those of the least modelled time.
    Auto,
    /// This number.
    Number(u32),
}

impl std::str::FromStr for Pieces {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            _ if text == "auto" => Ok(Pieces::Auto),
            Ok(pieces) if (1..=MOST_PIECES).contains(&pieces) => Ok(Pieces::Number(pieces)),
            // A number that has no place in 32 bits is one too.
            _ if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => {
                Err(format!("a message is cut into 1 to {MOST_PIECES} pieces, not {text}"))
            }
            _ => Err(format!("'{text}' is neither a number of pieces nor auto")),
        }
    }
}

/// The parts of the vector of an all-reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// One for each process.
    All,
    /// One: each message is the whole vector.
    One,
}

impl std::str::FromStr for Parts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Parts::All),
            "1" => Ok(Parts::One),
            _ => {
                let why =
                    format!("'{text}' is neither 1, the whole vector, nor all, a part a process");
                Err(match text.parse::<u32>() {
                    Ok(parts) if (2..=MOST_PIECES).contains(&parts) => format!(
                        "{why}; for {parts} parts whose sums may meet anywhere cut the whole vector: \
                         --parts 1 --pieces {parts}"
                    ),
                    _ => why,
                })
            }
        }
    }
}

/// One collective, several, the four of the papers, or all but a traffic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collectives(pub Vec<Collective>, Given);

/// Whether collectives were named, or are the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    Named,
    Default,
}

impl Collectives {
    /// The default as the parser of the command line gets it: no name.
    const DEFAULT: &str = "aas by default";

    /// One that was named.
    pub fn one(collective: Collective) -> Self {
        Collectives(vec![collective], Given::Named)
    }

    /// Whether none was named.
    pub fn is_default(&self) -> bool {
        self.1 == Given::Default
    }
}

impl std::str::FromStr for Collectives {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text == Self::DEFAULT {
            return Ok(Collectives(vec![Collective::Aas], Given::Default));
        }
        let all = match text {
            "all" => Collective::OF_THE_PAPERS.to_vec(),
            "every" => Collective::all().filter(|c| c.roots() != Roots::Listed).collect(),
            _ => {
                let each: Result<IndexSet<Collective>> = text.split(',').map(str::parse).collect();
                each?.into_iter().collect()
            }
        };
        Ok(Collectives(all, Given::Named))
    }
}

/// Says that the opposite direction of a one-way link is there, and is another link.
fn tell_of_other_way(whole: &Network, text: &str, channel: ChannelId) {
    let ends = whole.channel(channel);
    let back = || whole.outgoing(ends.to).iter().any(|&c| whole.channel(c).to == ends.from);
    if ends.reverse.is_none() && back() && !text.contains(':') {
        let [from, to] = [ends.from, ends.to].map(|v| whole.vertex_name(v));
        log::warn!(
            "--fail {text}: links of this network lead one way, and that from {to} to {from} is left; \
             {from}:{to} says the same without this line, and --fail {to}:{from} breaks the other"
        );
    }
}

/// A network without these links and vertices, and the list of its faults. A fault that is given twice
/// counts once.
///
/// # Errors
/// Unknown links and vertices, with their flag.
fn broken(
    whole: &Network,
    fail_link: &[String],
    fail_node: &[String],
) -> Result<(Network, Vec<Fault>)> {
    let (mut channels, mut vertices, mut records) = (Vec::new(), Vec::new(), Vec::new());
    let mut units: BTreeMap<ChannelId, BTreeSet<u32>> = BTreeMap::new();
    for text in fail_link {
        let part = |whole: &Network, link: &str| {
            let part = faults::parse_part(whole, link)?;
            if let (&[one], None) = (&part.0[..], part.1) {
                tell_of_other_way(whole, link, one);
            }
            Ok(part)
        };
        for (broken, unit) in listed_links(whole, text, part)? {
            match unit {
                None => channels.extend(broken),
                Some(unit) => {
                    broken.iter().for_each(|&c| _ = units.entry(c).or_default().insert(unit));
                }
            }
        }
    }
    // All units of a link are the link.
    let is_whole = |c: ChannelId, lost: &BTreeSet<u32>| {
        channels.contains(&c) || lost.len() >= whole.channel(c).capacity as usize
    };
    let (all, some): (BTreeMap<_, _>, BTreeMap<_, _>) =
        units.into_iter().partition(|(c, lost)| is_whole(*c, lost));
    channels.extend(all.into_keys());
    records.extend(channels.iter().map(|&c| faults::record(whole, c, &channels)));
    for (&c, lost) in &some {
        let ends = whole.channel(c);
        let [from, to] = [ends.from, ends.to].map(|v| whole.vertex_name(v).to_string());
        let unit = |&unit: &u32| Fault::Parallel(from.clone(), to.clone(), Some(unit));
        records.extend(lost.iter().map(unit));
    }
    let lost = some.iter().map(|(&c, lost)| (c, lost.len() as u32)).collect();
    for list in fail_node {
        for broken in broken_nodes(whole, list)? {
            vertices.push(broken);
            records.push(Fault::Vertex(whole.vertex_name(broken).to_string()));
        }
    }
    // A fault that is given twice counts once.
    let records: IndexSet<Fault> = records.into_iter().collect();
    let rest = faults::apply_narrowed(whole, (&channels, &lost), &vertices)
        .map_err(|e| Error::problem(format!("without the faults, {e}")))?;
    Ok((rest, records.into_iter().collect()))
}

/// The channels of a list of broken links.
///
/// # Errors
/// Unknown links, with their flag.
pub fn broken_links(whole: &Network, list: &str) -> Result<Vec<ChannelId>> {
    Ok(listed_links(whole, list, faults::parse_link)?.concat())
}

/// What `parse` makes of each link of a list.
fn listed_links<T>(
    whole: &Network,
    list: &str,
    parse: impl Fn(&Network, &str) -> Result<T>,
) -> Result<Vec<T>> {
    let wrong = |e: Error| Error::problem(format!("--fail {list}: {e}"));
    // A name may have a comma.
    let as_one = parse(whole, list);
    let items = hostlist::items(list).unwrap_or_default();
    if as_one.is_ok() || items.len() < 2 {
        return as_one.map(|link| vec![link]).map_err(wrong);
    }
    items
        .iter()
        .map(|item| parse(whole, hostlist::unquoted(item)))
        .collect::<Result<_>>()
        .map_err(wrong)
}

/// The vertices of a list of broken ones.
///
/// # Errors
/// Unknown vertices, with their flag.
pub fn broken_nodes(whole: &Network, list: &str) -> Result<Vec<VertexId>> {
    let wrong = |why: String| Error::problem(format!("--fail {list}: {why}"));
    let names = hosts::names(whole, list).map_err(wrong)?;
    let vertex =
        |name: &String| faults::parse_vertex(whole, name).map_err(|e| wrong(e.to_string()));
    names.iter().map(vertex).collect()
}

/// The hosts of a list, or of a file of hosts; notices are the reader's.
///
/// # Errors
/// Unknown hosts, with their flag.
pub fn listed_hosts(network: &Network, list: &str, reading: &ReadingArgs) -> Result<Vec<VertexId>> {
    let why = match hosts::terminals(network, list) {
        Ok(hosts) => return Ok(hosts),
        Err(why) => why,
    };
    let path = Path::new(list);
    if path.is_file() {
        return reading.noting(path, |notices| hosts_file::read(path, network, notices));
    }
    Err(Error::problem(format!("--host-list {list}: {why}")))
}

impl ProblemArgs {
    /// The network without its faults, and the list of faults.
    ///
    /// # Errors
    /// Unknown networks, links and vertices.
    pub fn network(&self) -> Result<(Network, Vec<Fault>)> {
        if self.topology.len() > 1 {
            let why = format!("one network is needed here, not {}", self.topology.join(" and "));
            return Err(Error::field("topology", why));
        }
        let (slow, _, faults) = self.networks()?;
        Ok((slow, faults))
    }

    /// The network with its delays and slow links, the same with all links at full speed in steps as long, if there are
    /// any, and the list of faults.
    ///
    /// # Errors
    /// As [`ProblemArgs::network`].
    pub fn networks(&self) -> Result<(Network, Option<Network>, Vec<Fault>)> {
        let whole = named::network(self.name(), &self.reading)?;
        let (mut left, faults) = self.faults.broken(&whole)?;
        if !self.delay.is_empty() {
            let parse = |text: &String| Delays::parse(&left, text);
            let all = self.delay.iter().map(parse).collect::<Result<Vec<_>>>()?;
            left = all.into_iter().fold(Delays::default(), Delays::and).applied(&left);
        }
        if self.slow.is_empty() {
            return Ok((left, None, faults));
        }
        let parse = |text: &String| Slow::parse(&left, text);
        let all = self.slow.iter().map(parse).collect::<Result<Vec<_>>>()?;
        let slow = all.into_iter().fold(Slow::default(), Slow::and);
        let unknown = 1e9 / TimeModel::default().byte_ns;
        let (slowed, by) = slow.applied(&left, unknown)?;
        if by > 1 {
            log::warn!(
                "--slow: widths are {by} times as large, so a step takes {by} times as long: --pieces {by} \
                 cuts messages into pieces that take as long as a message did"
            );
        }
        Ok((slowed, Some(left.widened(by, unknown)?), faults))
    }

    /// The network as it is named; of several the first.
    pub fn name(&self) -> &str {
        self.topology.first().map_or("", String::as_str)
    }

    /// The problem on each of the networks.
    pub fn each(&self) -> impl Iterator<Item = ProblemArgs> {
        let with = |name: &String| ProblemArgs {
            topology: vec![name.clone()],
            reading: self.reading.of_another(),
            ..self.clone()
        };
        self.topology.iter().map(with)
    }

    /// The request of one collective on a network.
    ///
    /// # Errors
    /// Faulty files of pairs, permutations that do not fit, pairs for another collective.
    pub fn request(&self, collective: Collective, network: &Network) -> Result<Request> {
        let Pieces::Number(pieces) = self.pieces else {
            let why = "auto is for solve alone; give a number of pieces";
            return Err(Error::field("pieces", why));
        };
        Ok(Request { pieces, ..self.request_of_whole(collective, network)? })
    }

    /// The same of messages that are not cut.
    ///
    /// # Errors
    /// As [`ProblemArgs::request`].
    pub fn request_of_whole(&self, collective: Collective, network: &Network) -> Result<Request> {
        // With several collectives, an option that one of them cannot use is ignored for it.
        let several = self.collective.0.len() > 1;
        let collective = match self.parts {
            Parts::All => collective,
            Parts::One if several || collective == Collective::AllReduce => {
                collective.of_parts(Some(1))
            }
            Parts::One => {
                let why = format!("an all-reduce has parts, {collective} has none");
                return Err(Error::field("parts", why));
            }
        };
        let rooted = collective.roots() == Roots::One;
        let one_sender =
            collective.roots() == Roots::One && collective.direction() == Direction::FromRoots;
        let hosts = self.hosts(network)?;
        let [senders, receivers] = self.ends(collective, network, hosts.as_deref())?;
        let groups = match &self.group {
            Some(path) => Some(groups_file::read(path, network)?),
            None => None,
        };
        let is_traffic = groups.is_none();
        let (pairs, groups) = match groups {
            Some(groups) => (pairs_of_groups(&groups), Some(groups)),
            None => match self.pairs(network, hosts.as_deref())? {
                Some(Listed::Groups(groups)) => (None, Some(groups)),
                Some(Listed::Pairs(pairs)) if collective == Collective::Groups => {
                    (None, Some(pairs_file::by_source(&pairs)?))
                }
                Some(Listed::Pairs(pairs)) => (Some(pairs), None),
                None => (None, None),
            },
        };
        let pairs = self.sized(pairs)?;
        if collective == Collective::Traffic && pairs.is_none() && groups.is_none() {
            let why = "a traffic is a list of messages: give --traffic or --group (of all \
                       senders to all receivers: alltoall)";
            return Err(Error::field("collective", why));
        }
        // Groups whose messages have one destination each are a traffic.
        let (groups, collective) = match (groups, &pairs, collective) {
            (Some(groups), None, of)
                if of == Collective::Traffic
                    || of == Collective::Groups && self.group.is_some() =>
            {
                let wrong = |(number, why)| Error::field("group", format!("group {number}: {why}"));
                let together = Group::beside(&groups).map_err(wrong)?;
                (Some(groups), together)
            }
            (Some(_), Some(_), other) if other.is_of_groups() => (None, Collective::Traffic),
            (Some(groups), None, other) => (Some(groups), other),
            (_, _, other) => (None, other),
        };
        let names_of = |list: &[VertexId]| -> Vec<String> {
            list.iter().map(|&v| network.vertex_name(v).to_string()).collect()
        };
        let processes = match (&hosts, &pairs) {
            (Some(hosts), _) => Some(names_of(hosts)),
            (None, Some(pairs)) if self.group.is_some() => {
                let ends: HashSet<&str> =
                    pairs.iter().flat_map(|p| [&*p.source, &*p.destination]).collect();
                let is_member = |&v: &VertexId| ends.contains(network.vertex_name(v));
                Some(names_of(&network.terminals().filter(is_member).collect::<Vec<_>>()))
            }
            _ => None,
        };
        // The root of hosts that are listed or chosen is the first of them.
        let first = || senders.iter().chain(&receivers).flatten().next().cloned();
        let has_hosts = self.place.is_some() || self.host_list.is_some();
        let root = self.source.clone().or_else(|| has_hosts.then(first)?);
        Ok(Request {
            collective,
            source: root.filter(|_| rooted || self.source.is_some() && !several),
            senders: senders.filter(|_| !one_sender || !several),
            receivers,
            processes,
            pairs,
            groups,
            switching: self.switching(),
            ports: self.ports,
            // Any process passes messages of a traffic on.
            relays: match is_traffic && collective.is_of_groups() {
                true if self.switching().relays() => Relays::All,
                _ => self.relays,
            },
            pieces: 1,
            multicast: self.multicast,
            routing: match self.default_routing(network, collective) {
                fixed if several && fixed.is_fixed() && collective.content().is_common() => {
                    log::warn!(
                        "{collective} is a broadcast, and {fixed} routes each message to one \
                         destination; {collective} is scheduled on shortest paths (minimal)"
                    );
                    Routing::Minimal
                }
                routing => routing,
            },
        })
    }

    /// The switching.
    pub fn switching(&self) -> Switching {
        self.switching.unwrap_or(Switching::Wormhole)
    }

    /// The senders and the receivers, if they are given.
    fn ends(
        &self,
        collective: Collective,
        network: &Network,
        hosts: Option<&[VertexId]>,
    ) -> Result<[Option<Vec<String>>; 2]> {
        let Some(hosts) = hosts else {
            let names = |field, lists: &Option<Vec<String>>| {
                let each = |list: &String| {
                    hosts::names(network, list).map_err(|why| Error::field(field, why))
                };
                let of = |lists: &Vec<String>| -> Result<Vec<Vec<String>>> {
                    lists.iter().map(each).collect()
                };
                lists.as_ref().map(|lists| of(lists).map(|all| all.concat())).transpose()
            };
            return Ok([names("senders", &self.senders)?, names("receivers", &self.receivers)?]);
        };
        let names: Vec<String> =
            hosts.iter().map(|&v| network.vertex_name(v).to_string()).collect();
        let is_one =
            |direction| collective.roots() == Roots::One && collective.direction() == direction;
        // The root of a scatter or gather is named by --source.
        let side = |direction| (!is_one(direction)).then(|| names.clone());
        Ok([side(Direction::FromRoots), side(Direction::ToRoots)])
    }

    /// The hosts that take part, if they are listed or chosen, in the order of their ranks.
    fn hosts(&self, network: &Network) -> Result<Option<Vec<VertexId>>> {
        let listed = |list: &String| listed_hosts(network, list, &self.reading);
        let listed = self.host_list.as_ref().map(listed).transpose()?;
        let Some(ranks) = self.place else { return Ok(listed) };
        let free = listed.unwrap_or_else(|| network.terminals().collect());
        let request = Request {
            switching: self.switching(),
            ports: self.ports,
            relays: self.relays,
            routing: self.default_routing(network, Collective::Aas),
            ..Request::new(Collective::Aas)
        };
        let pose = |hosts: Vec<VertexId>| {
            placement::between(&request, network, &hosts).pose(network.clone(), vec![])
        };
        let mut chosen = placement::place(network, &free, ranks, pose)?;
        let bound = chosen.bounds.first().map_or(0, |bound| bound.steps);
        log::info!(
            "{ranks} on {}: an all-to-all needs at least {bound}",
            network.names(&chosen.hosts),
            ranks = counted(ranks, "rank"),
            bound = counted(bound, "step")
        );
        let place: HashMap<VertexId, usize> = free.iter().copied().zip(0..).collect();
        chosen.hosts.sort_by_key(|v| place.get(v));
        Ok(Some(chosen.hosts))
    }

    /// The routing that is asked for, or the network's; else that of the switching. It does not bind
    /// broadcasts that are forwarded.
    fn default_routing(&self, network: &Network, collective: Collective) -> Routing {
        let own = || match (network.routes().is_empty(), self.switching()) {
            (false, _) => Routing::Static,
            (true, Switching::StoreAndForward) if !collective.content().is_common() => Routing::Any,
            (true, _) => Routing::Minimal,
        };
        self.routing.unwrap_or_else(own)
    }

    /// The pairs of a traffic, if given, added up and in pieces as the options say.
    fn sized(&self, given: Option<Vec<Pair>>) -> Result<Option<Vec<Pair>>> {
        if given.is_none() && (self.add_up || self.piece_bytes.is_some()) {
            let field = if self.add_up { "add_up" } else { "piece_bytes" };
            return Err(Error::field(field, "it is for a traffic: --traffic"));
        }
        let given = given.map(|pairs| if self.add_up { added_up(&pairs) } else { pairs });
        Ok(given.map(|pairs| match self.piece_bytes {
            Some(most) => in_pieces(&pairs, most),
            None => pairs,
        }))
    }

    /// The messages of a traffic, if given.
    fn pairs(&self, network: &Network, hosts: Option<&[VertexId]>) -> Result<Option<Listed>> {
        let is_faulty = |name: &str| {
            let has = |list: &String| {
                hosts::names(network, list).is_ok_and(|all| all.iter().any(|n| n == name))
            };
            self.faults.fail.iter().chain(&self.faults.fail_node).any(has)
        };
        let absent = |name: &str| {
            is_faulty(name).then(|| {
                format!(
                    "vertex '{name}' is faulty (--fail {name}), and can neither send nor receive; \
                     take its pairs out of the file"
                )
            })
        };
        let ranks: Vec<VertexId> = match hosts {
            Some(hosts) => hosts.to_vec(),
            None => network.terminals().collect(),
        };
        let known = Names::new(network, ranks, &absent);
        let read = |path: &Path| {
            self.reading.noting(path, |notices| pairs_file::read(path, &known, notices))
        };
        if let Some(path) = &self.pairs {
            let listed = |notices: &_| pairs_file::read_listed(path, &known, notices);
            return self.reading.noting(path, listed).map(Some);
        }
        if let Some(path) = &self.matrix {
            let pairs = matrix_file::read(path, &known, self.add_up)?;
            return Ok(Some(Listed::Pairs(pairs)));
        }
        let Some(permutation) = &self.permutation else { return Ok(None) };
        let [senders, receivers] = self.ends(Collective::Traffic, network, hosts)?;
        let names = |given: &Option<Vec<String>>, all: fn(&Network) -> Vec<VertexId>| {
            let all = || all(network).iter().map(|&v| network.vertex_name(v).into()).collect();
            given.clone().unwrap_or_else(all)
        };
        let senders = names(&senders, all_senders);
        let pairs = permutation.pairs(&senders, &names(&receivers, all_receivers), read)?;
        Ok(Some(Listed::Pairs(pairs)))
    }
}
