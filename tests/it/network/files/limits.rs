//! Limits of the readers: an error names the limit, and it comes before memory is taken.

use super::mistake;
use ccsched::limits;
use ccsched::network::files::{FORMATS, Reading, Source};
use ccsched::network::{LinkKind, Network, NetworkBuilder};
use std::path::Path;

/// Reads a text as a format that it may not look like.
fn read_as(format: &str, text: &str) -> Result<Network, String> {
    let format = FORMATS.iter().find(|f| f.name == format).unwrap();
    let how = Reading::default();
    let source = Source::new(Path::new("net"), text, &how);
    (format.read)(&source).map_err(|e| e.to_string())
}

#[test]
fn sizes_that_a_file_claims_are_refused_before_memory_is_taken() {
    for head in ["16000001 1", "2 32000001", "18446744073709551615 9"] {
        let why = read_as("METIS", &format!("{head}\n")).unwrap_err();
        assert!(
            why.starts_with("net:1: ") && why.contains("at most 16000000 and 32000000"),
            "{why}"
        );
    }
}

#[test]
fn a_name_has_a_length_that_can_be_printed() {
    let long = |bytes: usize| format!("{} b\n", "a".repeat(bytes));
    assert!(read_as("edge list", &long(limits::NAME)).is_ok());
    let (line, why) = mistake(&long(limits::NAME + 1));
    assert!(line == 1 && why.contains("has 4097 bytes, at most 4096 are read"), "{why}");
}

#[test]
fn sums_of_capacities_do_not_overflow() {
    // Wide links are parallel here; no format lists that number of links.
    let mut net = NetworkBuilder::new("wide");
    let [a, b] = ["a", "b"].map(|name| net.terminal(name));
    for _ in 0..=u32::MAX / 1000 {
        net.wide_link(a, b, LinkKind::OneWay, 1000);
    }
    let why = net.build().unwrap_err().to_string();
    assert!(why.contains("the links of 'a' or of 'b' carry more than 4294967295"), "{why}");
}
