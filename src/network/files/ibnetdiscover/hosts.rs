//! Adapters grouped to hosts. Systems describe an adapter by the host and the device, `n1 mlx5_0`
//! or `n1 HCA-2`; adapters of one host that differ in the device only are one host.

use super::records::{Kind, Node};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A host.
#[derive(Debug, PartialEq)]
pub struct Host<'t> {
    /// Its name, which other hosts may have too.
    pub name: &'t str,
    /// Its adapters, by the index of their records.
    pub adapters: Vec<usize>,
}

/// All hosts with a cable, in the order of their first adapters.
pub fn hosts<'t>(nodes: &[Node<'t>]) -> Vec<Host<'t>> {
    let is_host = |node: &Node| node.kind == Kind::Adapter && !node.is_aggregation();
    let adapters: Vec<usize> =
        (0..nodes.len()).filter(|&i| is_host(&nodes[i]) && !nodes[i].ports.is_empty()).collect();
    // Machines without a name are all alike, and each is a host of its own.
    let mut seen = HashSet::new();
    let twice: HashSet<&str> = adapters
        .iter()
        .map(|&i| nodes[i].about)
        .filter(|&about| !seen.insert(about))
        .map(|about| host(about).unwrap_or(about))
        .collect();
    let mut hosts: BTreeMap<usize, Host> = BTreeMap::new();
    let mut first: HashMap<&str, usize> = HashMap::new();
    for i in adapters {
        let about = nodes[i].about;
        let named = host(about).filter(|name| !twice.contains(name));
        let key = named.map_or(i, |name| *first.entry(name).or_insert(i));
        let name = named.unwrap_or(about);
        hosts.entry(key).or_insert(Host { name, adapters: Vec::new() }).adapters.push(i);
    }
    hosts.into_values().collect()
}

/// The host in the description of an adapter, if its last word is a device: `HCA-1`, `mlx5_0`.
fn host(about: &str) -> Option<&str> {
    let (host, device) = about.rsplit_once(char::is_whitespace)?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let numbered = device.strip_prefix("HCA-").is_some_and(digits);
    let driver = device.rsplit_once('_').is_some_and(|(name, number)| {
        digits(number)
            && name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    });
    let host = host.trim();
    (!host.is_empty() && (numbered || driver)).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_of_an_adapter_may_be_a_device() {
        for (about, name) in [
            ("n1 mlx5_0", Some("n1")),
            ("n1 HCA-12", Some("n1")),
            ("a b hfi1_0", Some("a b")),
            ("MT25408 ConnectX Mellanox Technologies", None),
            ("mlx5_0", None),
            ("n1 mlx5_", None),
            ("n1 HCA-", None),
            ("", None),
        ] {
            assert_eq!(host(about), name, "{about}");
        }
    }
}
