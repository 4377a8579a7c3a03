//! What is to be scheduled: pairs, permutations, groups, and the words of the command line.

use crate::scratch;
use ccsched::Network;
use ccsched::network::files::Uplinks;
use ccsched::network::terminals::Pattern;
use ccsched::network::{faults, spec};
use ccsched::problem::{
    Collective, Pair, Permutation, Ports, Request, Routing, Switching, groups_file, matrix_file,
    pairs_file,
};

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
    if let Ok(pairs) = pairs_file::read(&scratch::file("pairs", data), &|_| Ok(())) {
        posed(pairs);
    }
}

/// Reads a file that is to be a permutation.
pub fn permutation(data: &[u8]) {
    let names: Vec<String> = petersen().vertices().iter().map(|v| v.name.to_string()).collect();
    let file = Permutation::File(scratch::file("permutation", data));
    if let Ok(pairs) = file.pairs(&names, &names) {
        posed(pairs);
    }
    let rule = String::from_utf8_lossy(data).parse::<Permutation>();
    let _ = rule.map(|rule| rule.pairs(&names, &names));
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
    let names: Vec<String> = petersen().vertices().iter().map(|v| v.name.to_string()).collect();
    for adds_up in [false, true] {
        let file = scratch::file("matrix", data);
        if let Ok(pairs) = matrix_file::read(&file, &names, adds_up, &|_| Ok(())) {
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
    if let Ok(pattern) = word.parse::<Pattern>() {
        let _ = net.vertices().iter().filter(|v| pattern.matches([&*v.name])).count();
    }
}
