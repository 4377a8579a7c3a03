//! What the columns of a table of links hold, by their names: the two ends, their ports, the width, the
//! number of cables. A name is a side (`from`, `a`, `remote`), a thing (`device`, `port`), or both, as
//! in lists of cables and in exports of inventories: `Device A`, `side_b_device`, `remote_interface`.

use super::delays;
use super::lines::short;
use super::mistake::{Wrong, wrong};
use super::rates;
use super::widths::{self, Key};
use ccsched_base::table;

/// Words of the sides beside those of all tables; the first ones are names of their own.
const SIDES: [(&[&str], usize, &[&str]); 2] = [
    (table::FROM, 1, &["local", "a", "1", "left", "near", "start", "begin", "tail"]),
    (
        table::TO,
        4,
        &["remote", "peer", "neighbor", "neighbour", "b", "z", "2", "right", "far", "end", "head"],
    ),
];

/// Things that links join.
const THINGS: [&str; 13] = [
    "device",
    "host",
    "hostname",
    "node",
    "system",
    "sysname",
    "switch",
    "router",
    "vertex",
    "chassis",
    "server",
    "machine",
    "equipment",
];
/// Words that are things if nothing better is there, and else parts of them.
const VAGUE: [&str; 6] = ["name", "termination", "side", "id", "endpoint", "parent"];
const PORTS: [&str; 9] =
    ["port", "interface", "intf", "iface", "ifname", "if", "int", "nic", "socket"];
/// Further words over columns of vertices.
const HEADINGS: [&str; 21] = [
    "leaf", "spine", "gpu", "rank", "router", "parent", "child", "peer", "origin", "vertices",
    "nodes", "link", "start", "end", "begin", "left", "right", "head", "tail", "near", "far",
];

/// What a name says of an end.
#[derive(Clone, Copy, PartialEq)]
struct End {
    /// 0 or 1, or none if the name is a thing alone.
    side: Option<usize>,
    is_port: bool,
    is_vague: bool,
    /// Whether the side is written without a blank, `host1`, as names of vertices are, too.
    is_glued: bool,
}

/// What a name says of an end, if it does.
fn end(name: &str) -> Option<End> {
    let lower = name.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut end = End { side: None, is_port: false, is_vague: true, is_glued: false };
    let alone = words.len() == 1;
    let mut things = 0;
    for word in &words {
        // `node1` is a thing with its side.
        let thing =
            |word: &str| [&THINGS[..], &VAGUE, &PORTS].iter().any(|all| all.contains(&word));
        let parts: Vec<&str> = match word.char_indices().next_back() {
            Some((i, _)) if i > 0 && !thing(word) && thing(&word[..i]) => {
                vec![&word[..i], &word[i..]]
            }
            _ => vec![word],
        };
        end.is_glued |= parts.len() == 2;
        let alone = alone && parts.len() == 1;
        for word in parts {
            let side = |(names, most, more): &(&[&str], usize, &[&str])| {
                let more = if alone { &more[..*most] } else { more };
                names.contains(&word) || more.contains(&word)
            };
            match SIDES.iter().position(side) {
                Some(side) if end.side.is_none() => end.side = Some(side),
                // `remote neighbor` is one side.
                Some(side) if end.side == Some(side) => (),
                Some(_) => return None,
                None if THINGS.contains(&word) => (end.is_vague, things) = (false, things + 1),
                None if PORTS.contains(&word) => (end.is_port, things) = (true, things + 1),
                None if VAGUE.contains(&word) => things += 1,
                None => return None,
            }
        }
    }
    end.is_vague &= things > 0;
    (!words.is_empty()).then_some(end)
}

/// Whether a word may be the name of a column of vertices.
pub fn is_heading(word: &str) -> bool {
    let is_end = end(word).is_some_and(|end| !end.is_port && !end.is_vague);
    is_end || HEADINGS.contains(&word.to_lowercase().as_str())
}

/// Whether two words are names of the two ends beyond doubt: each has a side.
pub fn is_certain(words: [&str; 2]) -> bool {
    let side = |word: &str| end(word).filter(|_| word.chars().count() > 1).and_then(|end| end.side);
    words.map(side) == [Some(0), Some(1)]
}

/// The places of the columns of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    pub ends: [usize; 2],
    pub ports: Option<[usize; 2]>,
    pub width: Option<(usize, Option<Key>)>,
    pub count: Option<usize>,
    pub delay: Option<(usize, delays::Key)>,
    /// Whether links are directed, in files of Gephi.
    pub of_type: Option<usize>,
}

impl Columns {
    /// The columns of a file that does not name them.
    pub const PLAIN: Columns = Columns {
        ends: [0, 1],
        ports: None,
        width: Some((2, None)),
        count: None,
        delay: None,
        of_type: None,
    };

    /// Whether a column is used.
    pub fn has(&self, place: usize) -> bool {
        let delay = self.delay.map(|(place, _)| place);
        let all = [self.width.map(|(place, _)| place), self.count, delay, self.of_type];
        self.ends.contains(&place)
            || self.ports.is_some_and(|ports| ports.contains(&place))
            || all.contains(&Some(place))
    }
}

/// The columns with these names, if they are names.
///
/// # Errors
/// The names are some of a table, but not enough, or two are one.
pub fn named(names: &[&str], at: usize) -> Result<Option<Columns>, Wrong> {
    let ends: Vec<Option<End>> = names.iter().map(|name| end(name)).collect();
    let find = |is: &dyn Fn(End) -> bool| -> Result<Option<usize>, Wrong> {
        let mut all = (0..ends.len()).filter(|&i| ends[i].is_some_and(is));
        match (all.next(), all.next()) {
            (_, Some(second)) => {
                wrong(at, format!("a second column '{}'", short(&names[second].to_lowercase())))
            }
            (first, None) => Ok(first),
        }
    };
    let of_side = |side: usize| -> Result<Option<usize>, Wrong> {
        let sharp = find(&|e| e.side == Some(side) && !e.is_port && !e.is_vague)?;
        match sharp {
            Some(place) => Ok(Some(place)),
            None => find(&|e| e.side == Some(side) && !e.is_port && e.is_vague),
        }
    };
    let things: Vec<usize> = (0..ends.len())
        .filter(|&i| ends[i].is_some_and(|e| e.side.is_none() && !e.is_port && !e.is_vague))
        .collect();
    // The local side often has no word of its own: `hostname, interface, neighbor`.
    let from = of_side(0)?.or(things.first().copied());
    let to = of_side(1)?.or(things.get(1).copied().filter(|_| from == things.first().copied()));
    let widths = (0..names.len()).filter_map(|i| Some((i, widths::key(names[i])?)));
    let width = widths.min_by_key(|(_, key)| key.rank).map(|(i, key)| (i, Some(key)));
    let is = |words: &[&str]| {
        names.iter().position(|name| words.contains(&name.to_lowercase().as_str()))
    };
    let (count, of_type) = (is(table::COUNT), is(&["type"]));
    let delay = (0..names.len()).find_map(|i| Some((i, delays::key(names[i])?)));
    let sided =
        ends.iter().flatten().any(|end| end.side.is_some() && !end.is_vague && !end.is_glued);
    let (Some(from), Some(to)) = (from, to) else {
        return match sided || width.is_some() || count.is_some() {
            true if names.len() > 2 => {
                wrong(at, "the first line names columns, but not both 'from' and 'to'")
            }
            _ => Ok(None),
        };
    };
    // Two things alone, or two names with numbers, are columns if another one is, too.
    let is_number = |name: &&str| name.parse::<f64>().is_ok() || rates::bits(name).is_some();
    let is_sure = sided || width.is_some() || count.is_some() || delay.is_some();
    if names.iter().any(is_number) || !is_sure {
        return Ok(None);
    }
    // What is vague beside an end is its port.
    let port = |side: usize, end: usize| -> Result<Option<usize>, Wrong> {
        let sharp = find(&|e| e.side == Some(side) && e.is_port)?;
        let vague = |i: &usize| {
            *i != end && ends[*i].is_some_and(|e| e.side == Some(side) && e.is_vague && !e.is_port)
        };
        Ok(sharp.or_else(|| (0..ends.len()).find(vague)))
    };
    let alone = find(&|e| e.side.is_none() && e.is_port)?;
    let ports = match (port(0, from)?.or(alone), port(1, to)?) {
        (Some(a), Some(b)) if a != from && b != to => Some([a, b]),
        _ => None,
    };
    Ok(Some(Columns { ends: [from, to], ports, width, count, delay, of_type }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the ends and of their ports.
    fn told(line: &str) -> Option<([String; 2], Option<[String; 2]>)> {
        let names: Vec<&str> = line.split(',').map(str::trim).collect();
        let columns = named(&names, 0).map_err(|wrong| wrong.why).unwrap()?;
        let words = |places: [usize; 2]| places.map(|place| names[place].to_string());
        Some((words(columns.ends), columns.ports.map(words)))
    }

    #[test]
    fn lists_of_cables_and_inventories_name_their_ends() {
        for (line, ends, ports) in [
            ("from,to", "from,to", ""),
            ("Target,Weight,Source", "Source,Target", ""),
            ("node1,node2,width", "node1,node2", ""),
            ("Device A,Port A,Device B,Port B", "Device A,Device B", "Port A,Port B"),
            (
                "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,status",
                "side_a_device,side_b_device",
                "side_a_name,side_b_name",
            ),
            (
                "Label,Device A,Rack A,Termination A,Device B,Rack B,Termination B,Length",
                "Device A,Device B",
                "Termination A,Termination B",
            ),
            (
                "Device A,Interface A,Reachable,Device B,Interface B",
                "Device A,Device B",
                "Interface A,Interface B",
            ),
            (
                "hostname,interface,neighbor,neighbor_interface",
                "hostname,neighbor",
                "interface,neighbor_interface",
            ),
            (
                "local_host,local_port,remote_host,remote_port,speed",
                "local_host,remote_host",
                "local_port,remote_port",
            ),
            ("host,switch,capacity", "host,switch", ""),
            ("Source,Target,Type,Id,Label,Weight", "Source,Target", ""),
        ] {
            let words = |text: &str| {
                let two: Vec<String> = text.split(',').map(str::to_string).collect();
                <[String; 2]>::try_from(two).ok()
            };
            let expected = Some((words(ends).unwrap(), words(ports)));
            assert_eq!(told(line), expected, "{line}");
        }
        for line in [
            "a,b,3",
            "n1,n2",
            "host,switch",
            "node1,node2,7",
            "h1,leaf",
            "a,b",
            "host1,leaf,10G",
            "host1,host2,fibre,5m",
            "router1,router2,4",
        ] {
            assert_eq!(told(line), None, "{line}");
        }
        for line in ["from,to,to", "from,capacity,x"] {
            let names: Vec<&str> = line.split(',').collect();
            assert!(named(&names, 0).is_err(), "{line}");
        }
        assert!(is_heading("Host") && is_heading("switch") && is_heading("from"));
        assert!(
            !is_heading("a") && !is_heading("box1") && !is_heading("node3") && !is_heading("name")
        );
    }
}
