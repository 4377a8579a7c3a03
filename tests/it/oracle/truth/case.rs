//! A problem as users pose it: a network file, perhaps a file of messages, and options. It can be
//! written down, posed, and solved again by its command line.

use ccsched::cli::commands::Companion;
use ccsched::network::files::toml::write::to_toml;
use ccsched::network::{ChannelId, LinkKind, Network, NetworkBuilder, VertexId};
use ccsched::problem::{Collective, Ports, Problem, Routing, Switching};
use clap::Parser;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The files of a case.
const NETWORK: &str = "net.toml";
const PAIRS: &str = "pairs.csv";
const GROUPS: &str = "groups.txt";

/// A link with its capacity.
#[derive(Clone, Debug)]
pub struct Link {
    pub ends: [VertexId; 2],
    pub capacity: u32,
}

/// A static route: the links that it takes, and whether from their second end to their first.
#[derive(Clone, Debug)]
pub struct Route {
    pub from: VertexId,
    pub to: VertexId,
    pub hops: Vec<(usize, bool)>,
}

/// A line of a file of groups.
#[derive(Clone, Debug)]
pub struct Group {
    pub collective: &'static str,
    pub members: Vec<VertexId>,
    pub root: Option<VertexId>,
}

/// What is sent.
#[derive(Clone, Debug)]
pub enum Sent {
    /// A collective, perhaps with its one source or receiver.
    Collective(Collective, Option<VertexId>),
    /// Source, destination, number of messages.
    Pairs(Vec<(VertexId, VertexId, u32)>),
    Groups(Vec<Group>),
    /// The name of a permutation.
    Permutation(String),
}

/// The participants.
#[derive(Clone, Debug)]
pub enum Among {
    All,
    /// The senders and the receivers, where they are listed.
    Ends([Option<Vec<VertexId>>; 2]),
    Hosts(Vec<VertexId>),
}

/// A fault.
#[derive(Clone, Debug)]
pub enum Broken {
    Vertex(VertexId),
    /// A link in both directions.
    Link(usize),
    /// The direction of a link from its first end to its second.
    Arc(usize),
}

/// A problem as data, from which parts can be removed.
#[derive(Clone, Debug)]
pub struct Case {
    /// The kind of all links.
    pub kind: LinkKind,
    /// Names, and whether each is a terminal.
    pub vertices: Vec<(String, bool)>,
    pub links: Vec<Link>,
    pub routes: Vec<Route>,
    pub sent: Sent,
    pub among: Among,
    pub broken: Vec<Broken>,
    pub switching: Switching,
    pub ports: Ports,
    /// None leaves the choice to the program.
    pub routing: Option<Routing>,
}

impl Case {
    /// An all-to-all on a network whose links are of one kind, without its routes; none if they are of several.
    pub fn on(network: &Network) -> Option<Case> {
        let channels = (0..).zip(network.channels());
        let first = channels.filter(|(id, c)| c.reverse.is_none_or(|reverse| *id < reverse));
        let links = first.map(|(_, c)| Link { ends: [c.from, c.to], capacity: c.capacity });
        let vertices = network.vertices().iter().map(|v| (v.name.to_string(), v.terminal));
        Some(Case {
            kind: ccsched::network::files::toml::write::kind(network)?,
            vertices: vertices.collect(),
            links: links.collect(),
            routes: vec![],
            sent: Sent::Collective(Collective::Aas, None),
            among: Among::All,
            broken: vec![],
            switching: Switching::Wormhole,
            ports: Ports(None),
            routing: None,
        })
    }

    /// The ids of the terminals.
    pub fn terminals(&self) -> Vec<VertexId> {
        (0..)
            .zip(&self.vertices)
            .filter(|(_, (_, is_terminal))| *is_terminal)
            .map(|v| v.0)
            .collect()
    }

    /// The channel of a hop.
    fn channel(&self, (link, back): (usize, bool)) -> ChannelId {
        let of_link = if self.kind == LinkKind::OneWay { 1 } else { 2 };
        (of_link * link) as ChannelId + ChannelId::from(back)
    }

    /// The network before its faults.
    pub fn network(&self) -> Result<Network, String> {
        let mut builder = NetworkBuilder::new("tiny");
        for (name, is_terminal) in &self.vertices {
            builder.vertex(name, *is_terminal);
        }
        for Link { ends: [a, b], capacity } in &self.links {
            builder.wide_link(*a, *b, self.kind, *capacity);
        }
        for Route { from, to, hops } in &self.routes {
            let channels: Vec<ChannelId> = hops.iter().map(|&hop| self.channel(hop)).collect();
            builder.route(*from, *to, &channels);
        }
        builder.build().map_err(|why| why.to_string())
    }

    fn name(&self, v: VertexId) -> &str {
        &self.vertices[v as usize].0
    }

    fn names(&self, list: &[VertexId]) -> String {
        list.iter().map(|&v| self.name(v)).collect::<Vec<_>>().join(",")
    }

    /// The files by name.
    pub fn files(&self) -> Result<Vec<(&'static str, String)>, String> {
        let toml = to_toml(&self.network()?).map_err(|why| why.to_string())?;
        let mut files = vec![(NETWORK, toml)];
        match &self.sent {
            Sent::Pairs(pairs) => {
                let line = |&(a, b, n): &(VertexId, VertexId, u32)| {
                    format!("{},{},{n}\n", self.name(a), self.name(b))
                };
                let lines: String = pairs.iter().map(line).collect();
                files.push((PAIRS, format!("source,destination,count\n{lines}")));
            }
            Sent::Groups(groups) => {
                let line = |group: &Group| {
                    let root = group.root.map_or(String::new(), |v| format!(" {}", self.name(v)));
                    format!("{} {}{root}\n", group.collective, self.names(&group.members))
                };
                files.push((GROUPS, groups.iter().map(line).collect()));
            }
            Sent::Collective(..) | Sent::Permutation(_) => {}
        }
        Ok(files)
    }

    /// The options that pose the problem; `at` says where a file is.
    pub fn options(&self, at: impl Fn(&str) -> String) -> Vec<String> {
        let mut options = vec!["-t".to_string(), at(NETWORK)];
        let mut add = |name: &str, value: String| options.extend([name.to_string(), value]);
        match &self.sent {
            Sent::Collective(collective, source) => {
                add("-c", collective.to_string());
                source.iter().for_each(|&v| add("--source", self.name(v).into()));
            }
            Sent::Pairs(_) => add("--pairs", at(PAIRS)),
            Sent::Groups(_) => add("--group", at(GROUPS)),
            Sent::Permutation(name) => add("--permutation", name.clone()),
        }
        match &self.among {
            Among::All => {}
            Among::Ends(lists) => {
                for (name, list) in ["--senders", "--receivers"].into_iter().zip(lists) {
                    list.iter().for_each(|list| add(name, self.names(list)));
                }
            }
            Among::Hosts(list) => add("--host-list", self.names(list)),
        }
        add("--switching", self.switching.to_string());
        add("--ports", self.ports.to_string());
        self.routing.iter().for_each(|routing| add("--routing", routing.to_string()));
        for broken in &self.broken {
            match broken {
                Broken::Vertex(v) => add("--fail-node", self.name(*v).into()),
                Broken::Link(link) => add("--fail-link", self.link_named(*link, '-')),
                Broken::Arc(link) => add("--fail-link", self.link_named(*link, ':')),
            }
        }
        options
    }

    /// A link as options name it: with its number if others are parallel to it.
    fn link_named(&self, link: usize, mark: char) -> String {
        let [a, b] = self.links[link].ends;
        let joins = |l: &Link| match self.kind {
            LinkKind::OneWay => l.ends == [a, b],
            _ => l.ends == [a, b] || l.ends == [b, a],
        };
        let number = 1 + self.links[..link].iter().filter(|l| joins(l)).count();
        let is_alone = self.links.iter().filter(|l| joins(l)).count() == 1;
        let number = if is_alone { String::new() } else { format!("#{number}") };
        format!("{}{mark}{}{number}", self.name(a), self.name(b))
    }

    /// Writes the files into a folder.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        for (name, text) in self.files()? {
            fs::write(folder.join(name), text).map_err(|why| why.to_string())?;
        }
        Ok(())
    }

    /// The words of a command line that solves the problem, whose files are in a folder.
    pub fn words(&self, folder: &Path, more: &str) -> Vec<String> {
        let words = ["ccsched".to_string(), "solve".to_string()];
        let options = self.options(|name| folder.join(name).to_string_lossy().into_owned());
        words
            .into_iter()
            .chain(options)
            .chain(more.split_whitespace().map(str::to_string))
            .collect()
    }

    /// The problem as the program poses it, from the files in a folder.
    pub fn pose(&self, folder: &Path) -> Result<Arc<Problem>, String> {
        self.write(folder)?;
        let parsed = Companion::try_parse_from(self.words(folder, ""));
        let Companion::Solve(solve) = parsed.map_err(|why| why.to_string())? else {
            return Err("the subcommand is not solve".into());
        };
        let problem = || {
            let given = &solve.args.problem;
            let (network, faults) = given.network()?;
            given.request(given.collective.0[0], &network)?.pose(network, faults)
        };
        problem().map(Arc::new).map_err(|why| why.to_string())
    }

    /// The files and the command line, to be read.
    pub fn shown(&self, more: &str) -> String {
        let files = match self.files() {
            Ok(files) => files.iter().map(|(name, text)| format!("{name}:\n{text}\n")).collect(),
            Err(why) => format!("{why}: {self:?}\n"),
        };
        let options = self.options(str::to_string).join(" ");
        format!("{files}ccsched solve {options} {more}\n")
    }
}
