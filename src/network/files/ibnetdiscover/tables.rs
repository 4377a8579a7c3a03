//! Forwarding tables: for every switch, the port for each address (lid). Four spellings are read:
//! `opensm-lfts.dump`, `dump_lfts` (`dump_fts`), `ibroute` and `opensm.fdbs`.

use super::scan::{Scan, hex};
use crate::files::lines::{full, lines, short};
use crate::files::mistake::{Wrong, line, place, wrong};
use std::collections::HashMap;

/// The port of an address that cannot be reached.
pub const UNREACHABLE: u8 = 255;

/// The largest address of one port; those above are of groups.
const LAST_LID: u64 = 0xbfff;

/// The table of a switch.
#[derive(Default)]
pub struct Table {
    /// Where it begins in the file.
    pub at: usize,
    /// Addresses and their ports, ascending.
    rows: Vec<(u16, u8)>,
}

impl Table {
    /// The port for an address.
    pub fn port(&self, lid: u32) -> Option<u8> {
        let found = self.rows.binary_search_by_key(&lid, |&(lid, _)| u32::from(lid));
        found.ok().map(|row| self.rows[row].1)
    }
}

/// Tables by the numbers of their switches.
pub type Tables = HashMap<u64, Table>;

/// Whether a text has the first line of a table.
pub fn recognises(text: &str) -> bool {
    lines(text).any(|line| head(line).is_some())
}

/// Whether a text begins with a table: then it is no network.
pub fn begins(text: &str) -> bool {
    full(text, &['#']).next().is_some_and(|line| head(line).is_some())
}

/// The number of the switch in the first line of its table.
fn head(line: &str) -> Option<u64> {
    let line = line.trim_start();
    let after = match line.strip_prefix("Unicast lids ") {
        Some(rest) => rest.split_once(" guid ")?.1,
        None => {
            line.split_once("Switch ")
                .filter(|(before, _)| before.is_empty() || before.trim() == "dump_ucast_routes:")?
                .1
        }
    };
    let word = after.trim_start().split([' ', '\t', ':', ',']).next()?;
    word.strip_prefix("0x").and_then(hex)
}

/// All tables.
pub fn read(text: &str) -> Result<Tables, Wrong> {
    let mut tables = Tables::new();
    let mut current: Option<(u64, Table)> = None;
    for row in lines(text) {
        let at = place(text, row);
        if let Some(guid) = head(row) {
            close(text, &mut tables, current.replace((guid, Table { at, rows: Vec::new() })))?;
        } else if row.trim_start().starts_with("0x") {
            let Some((_, table)) = &mut current else {
                return wrong(at, "a row before the first line of a table, 'Unicast lids ..'");
            };
            table.rows.push(entry(row, at)?);
        }
    }
    close(text, &mut tables, current)?;
    Ok(tables)
}

/// A row: an address and a port.
fn entry(row: &str, at: usize) -> Result<(u16, u8), Wrong> {
    let mut rest = Scan(row.trim_start());
    let lid =
        hex(rest.word(|c| c.is_ascii_alphanumeric())).filter(|lid| (1..=LAST_LID).contains(lid));
    rest.blanks().take(":");
    let port = match rest.blanks().take("UNREACHABLE") {
        true => Some(u32::from(UNREACHABLE)),
        false => rest.number(),
    };
    match (
        lid.and_then(|lid| u16::try_from(lid).ok()),
        port.and_then(|port| u8::try_from(port).ok()),
    ) {
        (Some(lid), Some(port)) => Ok((lid, port)),
        _ => {
            let why = format!(
                "'{}' is no row of a table: 0x0001 005, an address up to 0x{LAST_LID:x} and a port up \
                 to 255",
                short(row.trim())
            );
            wrong(at, why)
        }
    }
}

/// Adds a table that is complete.
fn close(text: &str, tables: &mut Tables, done: Option<(u64, Table)>) -> Result<(), Wrong> {
    let Some((guid, mut table)) = done else { return Ok(()) };
    table.rows.sort_unstable();
    table.rows.dedup();
    table.rows.shrink_to_fit();
    if let Some(two) = table.rows.windows(2).find(|two| two[0].0 == two[1].0) {
        let ((lid, a), (_, b)) = (two[0], two[1]);
        let why = format!("the table of switch 0x{guid:016x} has ports {a} and {b} for lid {lid}");
        return wrong(table.at, why);
    }
    let at = table.at;
    if let Some(first) = tables.insert(guid, table) {
        let first = line(text, first.at);
        let why = format!("a second table of switch 0x{guid:016x}; the first is in line {first}");
        return wrong(at, why);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_spellings_say_the_same() {
        let dump = "Unicast lids [0-6] of switch Lid 2 guid 0x0000000000200000 ('left'):\n\
                    0x0001 001 # Channel Adapter portguid 0x1: 'n1'\n0x0002 000 # Switch\n\
                    0x0006 255\n3 lids dumped\n";
        let fts = "Unicast lids [0x0-0x6] of switch DR path slid 0; dlid 0; 0,1 guid 0x200000 (left):\n  \
                   Lid  Out   Destination\n       Port     Info \n\
                   0x0001 001 : (Channel Adapter portguid 0x1: 'n1')\n0x0002 000 : (Switch)\n\
                   0x0006 255 : (x)\n3 valid lids dumped \n";
        let fdbs = "dump_ucast_routes: Switch 0x0000000000200000\nLID    : Port : Hops : Optimal\n\
                    0x0001 : 001  : 01   : yes\n0x0002 : 000  : 00   : yes\n0x0006 : UNREACHABLE\n";
        let route = fts.replace("DR path slid 0; dlid 0; 0,1", "Lid 3");
        for text in [dump, fts, fdbs, &route] {
            assert!(recognises(text));
            let tables = read(text).map_err(|wrong| wrong.why).unwrap();
            let table = &tables[&0x200000];
            let ports = [1, 2, 6, 3].map(|lid| table.port(lid));
            assert_eq!(ports, [Some(1), Some(0), Some(UNREACHABLE), None], "{text}");
        }
    }

    #[test]
    fn mistakes_have_places() {
        let head = "Unicast lids [0-6] of switch Lid 2 guid 0x02 (a):\n";
        for (at, part, text) in [
            (0, "before the first", "0x0001 001\n".to_string()),
            (head.len(), "no row", format!("{head}0x0001 x\n")),
            (head.len(), "no row", format!("{head}0xc000 001\n")),
            (head.len(), "no row", format!("{head}0x0001 256\n")),
            (head.len(), "second table", format!("{head}{head}")),
            (0, "ports 1 and 2 for lid 1", format!("{head}0x0001 001\n0x0001 002\n")),
        ] {
            let wrong = read(&text).err().unwrap_or_else(|| panic!("read: {text}"));
            assert!(wrong.at == at && wrong.why.contains(part), "{text}: {}", wrong.why);
        }
    }
}
