//! Several communicators at once, from a file: a line has a collective, the members in Slurm's notation,
//! and for a scatter or a gather the root, which is else the first member.
//!
//! ```text
//! alltoall n[1-4]
//! scatter  n[5-8],n10  n10
//! ```
//!
//! Their messages share the links of one schedule. Together they are a traffic, so only collectives
//! whose messages go straight to one destination can be in it. Lines that start with `#` are comments.

use super::{Collective, Direction, Pair, Roots, hosts};
use crate::limits::MESSAGES;
use crate::network::{Network, VertexId};
use crate::{Error, Result, input};
use std::path::Path;

/// Reads a file for a network.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::File`] with the line of its first mistake.
pub fn read(path: &Path, network: &Network) -> Result<Vec<Pair>> {
    let text = input::text(path)?;
    let wrong = |(line, why)| Error::File { path: path.to_path_buf(), line, why };
    parse(&text, network).map_err(wrong)
}

/// Parses the text of a file; mistakes come with their line.
fn parse(text: &str, network: &Network) -> Result<Vec<Pair>, (usize, String)> {
    let mut pairs = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        add(line, network, &mut pairs).map_err(|why| (number, why))?;
        if pairs.len() > MESSAGES {
            return Err((number, format!("the groups have more than {MESSAGES} messages")));
        }
    }
    match pairs.is_empty() {
        true => Err((1, "the file has no group; a line is, for example, alltoall n[1-8]".into())),
        false => Ok(pairs),
    }
}

/// Adds the messages of a group.
fn add(line: &str, network: &Network, pairs: &mut Vec<Pair>) -> Result<(), String> {
    let mut words = line.split_whitespace();
    let (Some(name), Some(members)) = (words.next(), words.next()) else {
        return Err(format!("'{line}' has no members; a line is: collective members [root]"));
    };
    let root = words.next();
    if let Some(more) = words.next() {
        return Err(format!("'{more}' is too much; a line is: collective members [root]"));
    }
    let collective: Collective = name.parse().map_err(|e: Error| e.to_string())?;
    let is_listed = collective.roots() == Roots::Listed;
    if is_listed || collective.content().is_common() {
        return Err(format!(
            "{name}: groups are alltoall, scatter or gather, whose messages have one destination each"
        ));
    }
    let members = hosts::terminals(network, members)?;
    let root = match (collective.roots(), root) {
        (Roots::One, Some(root)) => match hosts::terminals(network, root)?[..] {
            [root] if members.contains(&root) => root,
            [_] => return Err(format!("the root '{root}' is no member of its group")),
            _ => return Err(format!("'{root}' is more than one root; name one process")),
        },
        (Roots::One, None) => members[0],
        (_, Some(root)) => return Err(format!("{name} has no root, and the line has '{root}'")),
        (_, None) => members[0],
    };
    let before = pairs.len();
    let mut send = |source: VertexId, destination: VertexId| {
        if source != destination && pairs.len() <= MESSAGES {
            let [source, destination] =
                [source, destination].map(|v| network.vertex_name(v).to_string());
            pairs.push(Pair { source, destination, bytes: None, count: 1 });
        }
    };
    for &member in &members {
        match (collective.roots(), collective.direction()) {
            (Roots::One, Direction::FromRoots) => send(root, member),
            (Roots::One, Direction::ToRoots) => send(member, root),
            _ => members.iter().for_each(|&other| send(member, other)),
        }
    }
    match pairs.len() == before {
        true => Err("a group of one member has nothing to send".into()),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::processes::{PerNode, place};
    use crate::network::{LinkKind, NetworkBuilder};

    fn leaf(hosts: u32) -> Network {
        let mut net = NetworkBuilder::new("leaf");
        let hub = net.switch("hub");
        for number in 1..=hosts {
            let v = net.terminal(format!("n{number}"));
            net.link(v, hub, LinkKind::FullDuplex);
        }
        net.build().unwrap()
    }

    fn short(text: &str, network: &Network) -> String {
        let pairs = parse(text, network).unwrap();
        let all = pairs.iter().map(|p| format!("{}>{}", p.source, p.destination));
        all.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn groups_become_the_messages_of_their_collectives() {
        let net = leaf(6);
        let text = "# two jobs\nalltoall n[1-2]\n\nscatter n[3-5] n4\ngather n[5-6]\n";
        assert_eq!(short(text, &net), "n1>n2 n2>n1 n4>n3 n4>n5 n6>n5");
    }

    #[test]
    fn a_host_stands_for_its_processes() {
        let net = place(&leaf(2), PerNode { processes: 2, width: 1 }).unwrap();
        assert_eq!(short("scatter n1,n2/2 n2/2", &net), "n2/2>n1/1 n2/2>n1/2");
        assert_eq!(parse("alltoall n[1-2]", &net).unwrap().len(), 12);
    }

    #[test]
    fn mistakes_have_their_line() {
        let net = leaf(4);
        for (text, line, part) in [
            ("", 1, "no group"),
            ("alltoall", 1, "no members"),
            ("\nalltoall n[1-2] n1", 2, "no root"),
            ("scatter n[1-2] n3", 1, "no member"),
            ("scatter n[1-2] n[1-2]", 1, "more than one root"),
            ("scatter n[1-2] n1 n2", 1, "too much"),
            ("broadcast n[1-2]", 1, "alltoall, scatter or gather"),
            ("traffic n[1-2]", 1, "alltoall, scatter or gather"),
            ("sing n[1-2]", 1, "sing"),
            ("alltoall n[1-", 1, "without its ']'"),
            ("alltoall n[1-9]", 1, "'n5'"),
            ("alltoall hub,n1", 1, "switch"),
            ("alltoall n1,n1", 1, "one member"),
        ] {
            let (at, why) = parse(text, &net).expect_err(text);
            assert!(at == line && why.contains(part), "{text}: {at}: {why}");
        }
    }
}
