//! Several communicators at once, from a file: a line has a collective, the members in Slurm's notation,
//! and for a collective with one root that root, which is else the first member. Its messages may have a
//! length.
//!
//! ```text
//! alltoall  n[1-4]  bytes=4096
//! broadcast n[5-8],n10  n10
//! ```
//!
//! Their messages share the links of one schedule. The words may also be the cells of a table with tabs or
//! semicolons, whose first line may name its columns.

use super::names::Names;
use super::{Collective, Group, Roots, groups, hosts};
use ccsched_base::table::{self, Row, Sign, Table, Wrong, short};
use ccsched_base::{Error, Result, input};
use ccsched_network::Network;
use std::cell::RefCell;
use std::path::Path;

/// What is in a line.
const LINE: &str = "collective members [root] [bytes=N]";

/// The columns, by the names that a first line may have.
const COLUMNS: [&[&str]; 4] =
    [&["collective", "operation"], &["members", "hosts", "nodes"], &["root"], table::LENGTH];

/// Reads a file for a network, of groups side by side in one schedule.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::File`] with the line of its first mistake.
pub fn read(path: &Path, network: &Network) -> Result<Vec<Group>> {
    read_of(path, network, &*beside())
}

/// The same of groups whose collectives this check takes.
///
/// # Errors
/// As [`read`], and what the check refuses.
pub fn read_of(path: &Path, network: &Network, check: &Check<'_>) -> Result<Vec<Group>> {
    let text = input::table(path)?;
    parse(&text, network, check).map_err(|(at, why)| Error::File {
        path: path.to_path_buf(),
        line: table::line(&text, at),
        why,
    })
}

/// Why a collective cannot be that of a group.
pub type Check<'c> = dyn Fn(Collective) -> Result<(), String> + 'c;

/// What goes side by side with the others of a file, which are told one by one.
fn beside() -> Box<Check<'static>> {
    let before = RefCell::new(Vec::new());
    Box::new(move |collective| {
        let mut all = before.borrow_mut();
        if !all.contains(&collective) {
            all.push(collective);
        }
        let together = Collective::beside(all.iter().copied());
        together.map(drop).ok_or_else(|| groups::not_beside(collective).into())
    })
}

/// Parses the text of a file.
fn parse(text: &str, network: &Network, check: &Check<'_>) -> Result<Vec<Group>, Wrong> {
    // The members have commas between them.
    let mut table = match Table::new(text) {
        table if table.sign() == Sign::One(',') => Table::with_sign(text, Sign::Blanks),
        table => table,
    };
    let names = Names::of(network);
    let mut row = Row::default();
    let mut groups = Vec::new();
    let mut columns: Option<[Option<usize>; 4]> = None;
    while table.next(&mut row)? {
        let at = |why: String| (row.at, why);
        if row.is_empty() {
            continue;
        }
        if columns.is_none() && groups.is_empty() {
            columns = table::named(&row, COLUMNS).map_err(at)?.into();
            match columns {
                Some([Some(_), Some(_), ..]) => continue,
                _ => columns = None,
            }
        }
        let words = match columns {
            Some(places) => places.map(|place| place.and_then(|place| row.cell(place))),
            None => words(&row).map_err(at)?,
        };
        groups.push(group(words, &names, check).map_err(at)?);
    }
    match groups.is_empty() {
        true => Err((0, "the file has no group; a line is, for example, alltoall n[1-8]".into())),
        false => Ok(groups),
    }
}

/// The collective, the members, the root and the bytes of a line without names of columns.
fn words<'r>(row: &'r Row) -> Result<[Option<&'r str>; 4], String> {
    let mut cells = row.cells.iter().map(|cell| &**cell).filter(|cell| !cell.is_empty());
    let is_length = |cell: &&str| cell.starts_with("bytes=");
    let bytes = cells.clone().next_back().filter(is_length);
    let mut cells = cells.by_ref().filter(|cell| !is_length(cell));
    let words = [cells.next(), cells.next(), cells.next(), bytes];
    match cells.next() {
        Some(more) => Err(format!("'{}' is too much; a line is: {LINE}", short(more))),
        None => Ok(words),
    }
}

/// The group of a line.
fn group(
    [name, members, root, bytes]: [Option<&str>; 4],
    names: &Names,
    check: &Check<'_>,
) -> Result<Group, String> {
    let (Some(name), Some(members)) = (name, members) else {
        return Err(format!("there are no members; a line is: {LINE}"));
    };
    let collective: Collective = name.parse().map_err(|e: Error| e.to_string())?;
    check(collective).map_err(|why| format!("{name}: {why}"))?;
    let bytes = bytes.map(|text| text.strip_prefix("bytes=").unwrap_or(text));
    let bytes = match bytes.filter(|text| !table::is_nothing(text)).map(table::bytes).transpose()? {
        Some(0) => return Err("messages of a group have at least 1 byte".into()),
        bytes => bytes,
    };
    let members = hosts::members(names, members)?;
    let root = match (collective.roots(), root.filter(|root| !table::is_nothing(root))) {
        (Roots::One, Some(root)) => match hosts::members(names, root)?[..] {
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
    let members = members.into_iter().map(|v| names.name(v)).collect();
    Ok(Group { collective, members, root: root.map(|v| names.name(v)), bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::pairs_of_groups;
    use ccsched_network::processes::{PerNode, place};
    use ccsched_network::{LinkKind, NetworkBuilder};

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
        let pairs = pairs_of_groups(&parse(text, network, &*beside()).unwrap()).unwrap();
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
        // As a table, by ranks, with lengths.
        for text in [
            "\u{feff}root;members;collective\r\n n1;n[1-2];scatter\r\n;\"n3,n4\";alltoall\r\n",
            "scatter\t0,1\t0\n// x\nalltoall\t2-3\n",
            "scatter n[1-2] bytes=64K\nalltoall n3,n4 bytes=-\n",
        ] {
            assert_eq!(short(text, &leaf(4)), "n1>n2 n3>n4 n4>n3", "{text}");
        }
        let lengths = parse("alltoall n[1-2] bytes=64K\n", &leaf(2), &*beside()).unwrap();
        assert_eq!(lengths[0].bytes, Some(65_536));
        let net = place(&leaf(2), PerNode { processes: 2, width: 1 }).unwrap();
        assert_eq!(short("scatter n1,n2/2 n2/2", &net), "n2/2>n1/1 n2/2>n1/2");
        let all = parse("alltoall n[1-2]", &net, &*beside()).unwrap();
        assert_eq!(pairs_of_groups(&all).unwrap().len(), 12);
        assert_eq!(
            pairs_of_groups(&parse("alltoall n1\nbcast n[1-2]", &net, &*beside()).unwrap()),
            None
        );
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
            ("barrier n[1-2]", 1, "does not stand beside others"),
            ("traffic n[1-2]", 1, "does not stand beside others"),
            ("reduce n[1-2]\nscatter n[1-2]", 2, "do not stand beside sums"),
            ("sing n[1-2]", 1, "sing"),
            ("alltoall n[1-", 1, "without its ']'"),
            ("alltoall n[1-9]", 1, "'n5'"),
            ("alltoall hub,n1", 1, "switch"),
            ("alltoall n1,n1", 1, "one member"),
            ("alltoall n1,n2 bytes=0", 1, "at least 1 byte"),
            ("alltoall n1,n2 bytes=x", 1, "not a number of bytes"),
            ("alltoall 0-4", 1, "no rank 4"),
        ] {
            let (at, why) = parse(text, &net, &*beside()).expect_err(text);
            let at = table::line(text, at);
            assert!(at == line && why.contains(part), "{text}: {at}: {why}");
        }
    }
}
