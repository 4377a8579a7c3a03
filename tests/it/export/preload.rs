//! The sources of the library that is preloaded; tests/mpi/preload.rs builds and runs it.

use super::solved;
use crate::support::program::Desk;
use crate::support::search::found_soon;
use ccsched::export::Subject;
use ccsched::export::preload::{Entry, call_bytes, files};
use ccsched::network::spec;
use ccsched::problem::{Collective, Pair, Request, Switching};
use ccsched::schedule::ScheduleFile;

fn subject(collective: Collective) -> Subject {
    let switching = match collective.has_sums() || collective.joins() {
        true => Switching::StoreAndForward,
        false => Switching::Wormhole,
    };
    Subject::of(&solved("ring:4", collective, switching)).unwrap()
}

fn asked(request: Request) -> ScheduleFile {
    found_soon(&request, spec::parse("ring:4").unwrap())
}

fn entry<'a>(subject: &'a Subject, least_bytes: u64, name: &'a str) -> Entry<'a> {
    Entry { subject, least_bytes, each: 1, name }
}

#[test]
fn a_schedule_is_a_file_and_a_line_of_the_table() {
    let all = [Collective::Aas, Collective::AllReduce, Collective::AllReduceWhole];
    let [all, sum, whole] = all.map(subject);
    let written = files(&[
        entry(&all, 0, "short \"calls\"?"),
        entry(&all, 65536, "../long"),
        entry(&sum, 9, "s"),
        entry(&whole, 0, "whole"),
    ]);
    let written = written.unwrap();
    let text = |name: &str| &written.iter().find(|(file, _)| file == name).unwrap().1;
    let table = text("ccsched_table.c");
    let row =
        "\"short \\042calls\\042\\077\", ALLTOALL, 4, -1, 0ULL, hosts_1, ccsched_part_1, NULL,";
    assert!(table.contains(row), "{table}");
    assert!(table.contains("ALLTOALL, 4, -1, 65536ULL, hosts_1, ccsched_part_2,"), "{table}");
    assert!(table.contains("\"s\", ALLREDUCE, 4, -1, 9ULL, hosts_1, NULL, ccsched_part_3,"));
    // Short calls are of the whole vector.
    assert!(table.contains("\"whole\", ALLREDUCE, 4, -1, 0ULL, hosts_1, NULL, ccsched_part_4,"));
    assert!(table.contains("hosts_1[] = {\n    \"0\", \"1\", \"2\", \"3\"};"), "{table}");
    let make = text("Makefile");
    for (file, _) in &written {
        assert!(!file.contains('/'), "{file}");
        let object = file.replace(".c", ".o");
        assert!(!file.ends_with(".c") || make.contains(&object), "{object}: {make}");
    }
    // The programs that measure and ask are no part of the library.
    for program in ["tune", "check", "algorithms"] {
        assert!(!make.contains(&format!("  ccsched_{program}.o")), "{program}: {make}");
    }
    assert_eq!(text("hosts"), "0\n1\n2\n3\n");
    assert!(text("run").starts_with("#!/bin/bash\n") && text("tune").starts_with("#!/bin/bash\n"));
    assert!(text("part_2____long.c").contains("#define ccsched_alltoall ccsched_part_2\n"));
    // Of an all-reduce a message is the part of one rank.
    assert_eq!([&all, &sum, &whole].map(|subject| call_bytes(subject, 10)), [10, 40, 10]);
}

#[test]
fn hosts_are_those_of_processes_and_roots_are_ranks() {
    let desk = Desk::new();
    let place = "-t fat-tree:4 --per-node 2 --host-list 3,1 --time-limit 5";
    desk.out(&format!("solve -q {place} -c oab --source 1/2 -o b.json"));
    desk.out("export b.json --to preload --from 64K -o out/");
    let table = desk.read("out/ccsched_table.c");
    assert!(table.contains("\"3\", \"3\", \"1\", \"1\"};"), "{table}");
    assert!(table.contains("\"b\", BCAST, 4, 3, 65536ULL,"), "{table}");
    // A trade-off has thresholds of its own.
    let sizes = "tradeoff -t ring:4 -c all-reduce --switching sf --most-pieces 2 --bytes 1K,64M -q";
    desk.out(&format!("{sizes} -o book"));
    desk.out("export book b.json --to preload -o both/");
    let table = desk.read("both/ccsched_table.c");
    assert!(table.contains(", ALLREDUCE, 4, -1, 4096ULL,"), "{table}");
    assert!(table.contains("{\"book-"), "{table}");
    for (words, why) in [
        ("export book --from 1K --to preload -o x/", "--from: the folder book says itself"),
        ("export b.json b.json --from 1,2,3 --to preload -o x/", "--from: 3 lengths for 2 files"),
        ("export b.json b.json --to csv", "csv carries one schedule; several are carried by"),
        ("export b.json --from 1K --to csv", "--from: csv has no use for it; it is for preload"),
        ("export b.json --to preload", "name a folder"),
        ("export b.json b.json --to preload -o x/", "'b' and 'b' are for the same ranks from"),
    ] {
        desk.refuse(words, &[why]);
    }
}

#[test]
fn what_is_no_function_of_mpi_is_refused() {
    let refused = |file: &ScheduleFile, why: &str| {
        let subject = Subject::of(file).unwrap();
        let said = files(&[entry(&subject, 0, "it")]).unwrap_err().to_string();
        assert!(said.contains("'it' ") && said.contains(why), "{said}");
    };
    let barrier = solved("ring:4", Collective::Barrier, Switching::StoreAndForward);
    refused(&barrier, "'barrier', which is not taken over");
    let pair = Pair { source: "0".into(), destination: "1".into(), bytes: None, count: 1 };
    let pairs = Some(vec![pair]);
    let traffic = asked(Request { pairs, ..Request::new(Collective::Traffic) });
    refused(&traffic, "a traffic without lengths");
    let senders = Some(vec!["0".into(), "1".into()]);
    let few = asked(Request { senders, ..Request::new(Collective::Aas) });
    refused(&few, "ranks that only send or only receive");
    assert!(files(&[]).unwrap_err().to_string().contains("no schedules"));
}
