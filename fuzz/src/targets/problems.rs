//! What is to be scheduled: pairs, permutations, groups, and the words of the command line.

use crate::scratch;
use ccsched::Network;
use ccsched::network::files::{Notices, Uplinks};
use ccsched::network::terminals::Pattern;
use ccsched::network::{faults, spec};
use ccsched::problem::{
    Collective, Names, Pair, Permutation, Ports, Request, Routing, Switching, groups_file, hosts,
    hosts_file, matrix_file, pairs_file,
};
use std::path::Path;

/// Messages of a traffic that is posed: its limit is for memories, not for a thousand inputs a second.
const POSED: u64 = 20_000;

fn petersen() -> Network {
    spec::parse("petersen").expect("a family")
}

/// Poses a traffic, if it is small.
fn posed(pairs: Vec<Pair>) {
    if pairs.iter().map(|pair| u64::from(pair.count)).sum::<u64>() <= POSED {
        let request = Request { pairs: Some(pairs), ..Request::new(Collective::Traffic) };
        let _ = request.pose(petersen(), vec![]);
    }
}

/// Reads a file of pairs.
pub fn pairs(data: &[u8]) {
    let (net, notices) = (petersen(), Notices::default());
    if let Ok(pairs) = pairs_file::read(&scratch::file("pairs", data), &Names::of(&net), &notices) {
        posed(pairs);
    }
    let _ = hosts_file::read(&scratch::file("hosts", data), &net, &notices);
}

/// Reads a file that is to be a permutation.
pub fn permutation(data: &[u8]) {
    let net = petersen();
    let names: Vec<String> = net.vertices().iter().map(|v| v.name.to_string()).collect();
    let file = Permutation::File(scratch::file("permutation", data));
    let read = |path: &Path| pairs_file::read(path, &Names::of(&net), &Notices::default());
    if let Ok(pairs) = file.pairs(&names, &names, read) {
        posed(pairs);
    }
    let rule = String::from_utf8_lossy(data).parse::<Permutation>();
    let _ = rule.map(|rule| rule.pairs(&names, &names, read));
}

/// Reads a file of communicators.
pub fn groups(data: &[u8]) {
    if let Ok(groups) = groups_file::read(&scratch::file("groups", data), &petersen()) {
        let request = Request { groups: Some(groups), ..Request::new(Collective::Groups) };
        let _ = request.pose(petersen(), vec![]);
    }
}

/// Reads a matrix of bytes, as CSV or in the format of Matrix Market.
pub fn matrix(data: &[u8]) {
    let net = petersen();
    for adds_up in [false, true] {
        let file = scratch::file("matrix", data);
        if let Ok(pairs) = matrix_file::read(&file, &Names::of(&net), adds_up) {
            posed(pairs);
        }
    }
}

/// Reads a word as everything that a word of the command line can be.
pub fn words(data: &[u8]) {
    let (word, net) = (&*String::from_utf8_lossy(data), petersen());
    let _ = word.parse::<Collective>();
    let _ = word.parse::<Switching>();
    let _ = word.parse::<Ports>();
    let _ = word.parse::<Routing>();
    let _ = word.parse::<Uplinks>();
    let _ = faults::parse_vertex(&net, word);
    let _ = faults::parse_link(&net, word);
    let _ = hosts::terminals(&net, word);
    if let Ok(pattern) = word.parse::<Pattern>() {
        let _ = net.vertices().iter().filter(|v| pattern.matches([&*v.name])).count();
    }
}
