//! Several communicators at once, from a file: a line has a collective, the members in Slurm's notation,
//! and for a collective with one root that root, which is else the first member. Its messages may have a
//! length.
//!
//! ```text
//! alltoall  n[1-4]  bytes=4096
//! broadcast n[5-8],n10  n10
//! ```
//!
//! Their messages share the links of one schedule. Lines that start with `#` are comments.

use super::{Collective, Group, Roots, hosts};
use crate::network::{Network, VertexId};
use crate::{Error, Result, input};
use std::path::Path;

/// Reads a file for a network.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::File`] with the line of its first mistake.
pub fn read(path: &Path, network: &Network) -> Result<Vec<Group>> {
    let text = input::text(path)?;
    let wrong = |(line, why)| Error::File { path: path.to_path_buf(), line, why };
    parse(&text, network).map_err(wrong)
}

/// Parses the text of a file; mistakes come with their line.
fn parse(text: &str, network: &Network) -> Result<Vec<Group>, (usize, String)> {
    let mut groups = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            groups.push(group(line, network).map_err(|why| (number, why))?);
        }
    }
    match groups.is_empty() {
        true => Err((1, "the file has no group; a line is, for example, alltoall n[1-8]".into())),
        false => Ok(groups),
    }
}

/// What is in a line.
const LINE: &str = "collective members [root] [bytes=N]";

/// The group of a line.
fn group(line: &str, network: &Network) -> Result<Group, String> {
    let (line, bytes) = match line.rsplit_once(char::is_whitespace) {
        Some((rest, last)) if last.starts_with("bytes=") => (rest, Some(length(last)?)),
        _ => (line, None),
    };
    let mut words = line.split_whitespace();
    let (Some(name), Some(members)) = (words.next(), words.next()) else {
        return Err(format!("'{line}' has no members; a line is: {LINE}"));
    };
    let root = words.next();
    if let Some(more) = words.next() {
        return Err(format!("'{more}' is too much; a line is: {LINE}"));
    }
    let collective: Collective = name.parse().map_err(|e: Error| e.to_string())?;
    if !Group::is_of(collective) {
        return Err(format!(
            "{name}: groups are broadcast, allgather, scatter, gather or alltoall; sums are not \
             computed beside other messages"
        ));
    }
    let members = hosts::terminals(network, members)?;
    let root = match (collective.roots(), root) {
        (Roots::One, Some(root)) => match hosts::terminals(network, root)?[..] {
            [root] if members.contains(&root) => Some(root),
            [_] => return Err(format!("the root '{root}' is no member of its group")),
            _ => return Err(format!("'{root}' is more than one root; name one process")),
        },
        (Roots::One, None) => Some(members[0]),
        (_, Some(root)) => return Err(format!("{name} has no root, and the line has '{root}'")),
        (_, None) => None,
    };
    if members.len() < 2 {
        return Err("a group of one member has nothing to send".into());
    }
    let name = |v: VertexId| network.vertex_name(v).to_string();
    let members = members.into_iter().map(name).collect();
    Ok(Group { collective, members, root: root.map(name), bytes })
}

/// The length of messages in a word.
fn length(word: &str) -> Result<u64, String> {
    let number = word.strip_prefix("bytes=").and_then(|number| number.parse().ok());
    let number = number.filter(|&bytes| bytes > 0);
    number.ok_or_else(|| format!("'{word}': the bytes of a message are a whole number from 1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::processes::{PerNode, place};
    use crate::network::{LinkKind, NetworkBuilder};
    use crate::problem::pairs_of_groups;

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
        let pairs = pairs_of_groups(&parse(text, network).unwrap()).unwrap();
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
        let all = parse("alltoall n[1-2]", &net).unwrap();
        assert_eq!(pairs_of_groups(&all).unwrap().len(), 12);
        assert_eq!(pairs_of_groups(&parse("alltoall n1\nbcast n[1-2]", &net).unwrap()), None);
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
            ("reduce n[1-2]", 1, "scatter, gather or alltoall"),
            ("traffic n[1-2]", 1, "scatter, gather or alltoall"),
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
