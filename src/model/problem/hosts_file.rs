//! The hosts of a file, as mpirun and srun have it: one a line, in the order of their ranks, in Slurm's notation
//! or not. Numbers of slots, `n1 slots=8`, `n1:8`, are left out: how many processes a host has is said elsewhere.

use super::hosts::{names, terminals_of};
use ccsched_base::table::{self, Row, Sign, Table, Wrong, short};
use ccsched_base::{Error, Result, input};
use ccsched_network::files::Notices;
use ccsched_network::{Network, VertexId};
use std::path::Path;

/// The terminals of the hosts of a file, each once; what is left out is noted.
///
/// # Errors
/// [`Error::Io`] if it cannot be read, [`Error::File`] with the line of its first mistake.
pub fn read(path: &Path, network: &Network, notices: &Notices) -> Result<Vec<VertexId>> {
    let text = input::table(path)?;
    let told = |at, why| notices.add_in((path, table::line(&text, at)), "slots", || why);
    parse(&text, network, &told).map_err(|(at, why)| Error::File {
        path: path.to_path_buf(),
        line: table::line(&text, at),
        why,
    })
}

fn parse(
    text: &str,
    network: &Network,
    told: &dyn Fn(usize, String),
) -> Result<Vec<VertexId>, Wrong> {
    let mut table = Table::with_sign(text, Sign::Blanks);
    let (mut row, mut all) = (Row::default(), Vec::new());
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    while table.next(&mut row)? {
        let Some(first) = row.cell(0) else { continue };
        let is_slots = |cell: &str| {
            let setting = cell.split_once('=').is_some_and(|(key, value)| {
                ["slots", "max_slots", "max-slots"].contains(&key) && digits(value)
            });
            setting || digits(cell)
        };
        if let Some(odd) = row.cells.iter().skip(1).find(|cell| !is_slots(cell)) {
            let why = format!("'{}': a line is a host, and slots=N if need be", short(odd));
            return Err((row.at, why));
        }
        let list = match first.rsplit_once(':') {
            Some((host, slots)) if digits(slots) && network.find(first).is_none() => host,
            _ => first,
        };
        if list != first || row.cells.len() > 1 {
            let why = "slots are left out: the hosts take part in the order of their lines";
            told(row.at, why.into());
        }
        let of_line =
            names(network, list).and_then(|names| terminals_of(network, &names, |_| None));
        all.extend(of_line.map_err(|why| (row.at, why))?);
    }
    if all.is_empty() {
        return Err((0, "the file has no hosts; a line is one".into()));
    }
    let mut seen = std::collections::HashSet::new();
    all.retain(|&v| seen.insert(v));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_network::NetworkBuilder;

    #[test]
    fn hosts_have_lines_and_slots_are_left_out() {
        let mut net = NetworkBuilder::new("points");
        ["n1", "n2", "n3", "x:4"].iter().for_each(|name| _ = net.terminal(*name));
        let net = net.build().unwrap();
        let read = |text: &str| {
            let told = std::cell::Cell::new(0);
            let hosts = parse(text, &net, &|_, _| told.set(told.get() + 1));
            hosts.map(|hosts| (hosts, told.get())).map_err(|(at, why)| (table::line(text, at), why))
        };
        assert_eq!(read("# job\nn3\nn1\n\nn3\n"), Ok((vec![2, 0], 0)));
        assert_eq!(read("n2 slots=8 max_slots=9\r\nn[1,3]:2\r\nx:4\n"), Ok((vec![1, 0, 2, 3], 2)));
        for (text, line, part) in [
            ("", 1, "no hosts"),
            ("n1\nn4\n", 2, "'n4'"),
            ("n1 n2\n", 1, "slots=N"),
            ("n1\nn[2\n", 2, "without its ']'"),
        ] {
            let (at, why) = read(text).unwrap_err();
            assert!(at == line && why.contains(part), "{text}: {at}: {why}");
        }
    }
}
