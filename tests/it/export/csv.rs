//! A transfer a line.

use super::{samples, solved, text};
use ccsched::problem::{Collective, Switching};

#[test]
fn a_line_has_the_message_and_its_path() {
    let schedule = solved("ring:4", Collective::Oas, Switching::Wormhole);
    let text = text(&schedule, "csv");
    let mut lines = text.lines();
    let head = "step,source,destination,copy,bytes,from,to,channels,path";
    assert_eq!(lines.next(), Some(head));
    let lines: Vec<&str> = lines.collect();
    assert_eq!(lines.len(), 3);
    // Channels of the ring: 0 is 0-1, 2 is 1-2.
    assert!(lines.contains(&"1,0,1,,,0,1,0,0>1") || lines.contains(&"2,0,1,,,0,1,0,0>1"), "{text}");
}

#[test]
fn every_transfer_has_a_line() {
    for schedule in samples() {
        let transfers: usize = schedule.steps.iter().map(|step| step.len()).sum();
        assert_eq!(text(&schedule, "csv").lines().count(), transfers + 1);
    }
}
