//! Networks: files of every format, tables of routes, specs of families, lists of hosts.

use crate::scratch;
use ccsched::Network;
use ccsched::limits;
use ccsched::network::files::{FORMATS, Reading, Source, Uplinks, of, read_as, toml};
use ccsched::network::{hostlist, spec as families};
use std::path::Path;

const FABRIC: &str = include_str!("../../../topologies/leaf-spine.ibnetdiscover");

/// Settings that differ from input to input, so that the inputs are plain files.
fn settings(data: &[u8]) -> Reading {
    let is = |number: usize| data.len() % 5 == number;
    Reading {
        one_way: is(1),
        equal_links: is(2),
        separate_cables: is(3),
        uplinks: if is(4) { Some(Uplinks::Full) } else { is(3).then_some(Uplinks::Cables(4)) },
        ..Reading::default()
    }
}

/// Reads a file of one format, whatever it looks like.
pub fn format(name: &str, data: &[u8]) {
    let (text, how) = (String::from_utf8_lossy(data), settings(data));
    let path = Path::new("network");
    let format = FORMATS.iter().find(|format| format.name == name).expect("a name of the table");
    let _ = (format.recognises)(&text);
    if let Ok(network) = (format.read)(&Source::new(path, &text, &how)) {
        written(&network);
    }
}

/// Reads a file of any format, and tells what it looks like.
pub fn any(data: &[u8]) {
    if let Ok(network) = read_as(&scratch::file("network", data), &Reading::default()) {
        written(&network);
    }
}

/// Larger networks, which a short list of hosts can name, are not written: the time is the reader's.
const MOST_WRITTEN: usize = 10_000;

/// A network can be written as TOML, unless it has links of several kinds, and is read back.
fn written(network: &Network) {
    if network.vertices().len() > MOST_WRITTEN {
        return;
    }
    let Ok(text) = toml::write::to_toml(network) else { return };
    let again = toml::read::parse(Path::new("written.toml"), &text);
    let again = again.unwrap_or_else(|why| panic!("{why}: what was written is not read:\n{text}"));
    let sizes = |net: &Network| {
        let width: u64 = net.channels().iter().map(|c| u64::from(c.capacity)).sum();
        (net.vertices().len(), net.terminals().count(), net.channels().len(), width)
    };
    assert_eq!(sizes(&again), sizes(network), "{text}");
}

/// Reads forwarding tables of a fabric.
pub fn tables(data: &[u8]) {
    let routes = Some(scratch::file("tables", data));
    let how = Reading { routes, separate_cables: data.len() % 2 == 1, ..Reading::default() };
    let source = Source::new(Path::new("fabric"), FABRIC, &how);
    let format = of(FABRIC).expect("an example is recognised");
    let _ = (format.read)(&source);
}

/// Makes the member of a family.
pub fn spec(data: &[u8]) {
    let _ = families::parse(&String::from_utf8_lossy(data));
}

/// Expands a list of hosts.
pub fn hostlist(data: &[u8]) {
    let mut left = limits::HOSTS;
    let names = hostlist::expand(&String::from_utf8_lossy(data), &mut left);
    if let Ok(names) = names {
        // Long names count as several.
        assert!(names.len() + left <= limits::HOSTS);
    }
}
