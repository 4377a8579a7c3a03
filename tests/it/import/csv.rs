//! A transfer a line, with all that may be left out.

use super::{mistake, read};
use crate::export::{samples, solved, text};
use crate::support::checked::complaints;
use ccsched::network::{NetworkBuilder, spec};
use ccsched::problem::{Collective, Pair, Problem, Request, Switching};
use ccsched::schedule::resolve;

/// The all-to-all of a ring of three; channel 2i leads from i to i + 1, 2i + 1 back.
fn ring() -> Problem {
    Request::new(Collective::Aas).pose(spec::parse("ring:3").unwrap(), vec![]).unwrap()
}

const DIRECT: &str = "step,source,destination\n1,0,1\n1,0,2\n1,1,0\n1,1,2\n1,2,0\n1,2,1\n";

#[test]
fn what_is_exported_is_read_back() {
    let stored = Switching::StoreAndForward;
    let sums = [Collective::ReduceScatter, Collective::AllReduce];
    let sums = sums.map(|collective| solved("ring:4", collective, stored));
    for schedule in samples().into_iter().chain(sums) {
        let (problem, plan) = resolve(&schedule).unwrap();
        let exported = text(&schedule, "csv");
        let read_back = read(&exported, &problem).unwrap();
        assert_eq!(read_back.plan, plan, "{}", schedule.network.name);
        assert_eq!(read_back.lines.concat().len(), exported.lines().count() - 1);
        // Without the numbers of the channels, on a network without parallel ones.
        let mut reader = ::csv::Reader::from_reader(exported.as_bytes());
        let mut bare = ::csv::Writer::from_writer(Vec::new());
        for record in [reader.headers().unwrap().clone()]
            .into_iter()
            .chain(reader.records().map(Result::unwrap).collect::<Vec<_>>())
        {
            let kept = (0..record.len()).filter(|&i| i != 7).map(|i| record[i].replace('>', " "));
            bare.write_record(kept).unwrap();
        }
        let bare = String::from_utf8(bare.into_inner().unwrap()).unwrap();
        assert_eq!(read(&bare, &problem).unwrap().plan, plan, "{}", schedule.network.name);
    }
}

#[test]
fn what_follows_from_the_network_may_be_left_out() {
    let problem = ring();
    let direct = read(DIRECT, &problem).unwrap();
    assert_eq!(complaints(&problem, &direct.plan), "");
    assert_eq!(direct.lines, [[2, 3, 4, 5, 6, 7]]);
    let spelled = "# a comment\n\nSlot;dst;src;path\n1;1;0;0 1\n1;2;0;0>2\n\n# more\n\
                   1;0;1;1 > 0\n1;2;1;1>2\n1;0;2;2 0\n1;1;2;2 1\n";
    let other = read(spelled, &problem).unwrap();
    assert_eq!(other.plan, direct.plan);
    assert_eq!(other.lines, [[4, 5, 8, 9, 10, 11]]);
}

#[test]
fn parallel_channels_are_shared_out() {
    let mut pair = NetworkBuilder::new("pair");
    let (a, b) = (pair.terminal("a"), pair.terminal("b"));
    (0..3).for_each(|_| pair.one_way(a, b));
    let pairs =
        vec![Pair { source: "a".into(), destination: "b".into(), bytes: Some(7), count: 3 }];
    let request = Request { pairs: Some(pairs), ..Request::new(Collective::Traffic) };
    let problem = request.pose(pair.build().unwrap(), vec![]).unwrap();
    let lines = "step,source,destination,copy,bytes\n1,a,b,1,7\n1,a,b,2,\n1,a,b,3,7\n";
    let read_in = read(lines, &problem).unwrap();
    assert_eq!(complaints(&problem, &read_in.plan), "");
    let mut used: Vec<u32> = read_in.plan.transfers().map(|t| t.channels[0]).collect();
    used.sort_unstable();
    assert_eq!(used, [0, 1, 2]);
    let (line, why) = mistake(&lines.replace("2,\n", "2,8\n"), &problem);
    assert!(line == 3 && why.contains("8 bytes, but the traffic asks for 7"), "{line} {why}");
}

#[test]
fn mistakes_have_their_line() {
    let problem = ring();
    let head = "step,source,destination,from,to,channels,path\n# comment\n1,0,1,,,,\n";
    for (row, part) in [
        ("x,0,2,,,,", "the step must be a number from 1"),
        ("0,0,2,,,,", "the step must be"),
        ("99999999999,0,2,,,,", "the step must be"),
        ("1,,2,,,,", "the source is missing"),
        ("1,0,,,,,", "the destination is missing, which aas needs"),
        ("1,0,9,,,,", "ring:3 has no vertex '9'"),
        ("1,0,0,,,,", "aas has no message 1 from '0' to '0'"),
        ("1,0,2,,,7,", "there is no channel '7'; the network has 0 to 5"),
        ("1,0,2,,,0,", "from '0' to '2', but its path leads from '0' to '1'"),
        ("1,0,2,,,0 2,0>2", "the path is 0>2, but the channels lead 0>1>2"),
        ("1,0,2,,,,0>0>2", "no channel from '0' to '0'"),
        ("1,0,2,,,,0", "needs two vertices or more"),
        ("1,0,2", "3 fields; the first line has 7"),
    ] {
        let (line, why) = mistake(&format!("{head}{row}\n"), &problem);
        assert!(line == 4 && why.contains(part), "{row}: {line} {why}");
    }
    // A transfer that does not start at its source is read; `verify` judges it.
    assert!(read(&format!("{head}1,0,2,1,0,,\n"), &problem).is_ok());
    let (line, why) = mistake("step,source,step\n", &problem);
    assert!(line == 1 && why.contains("a second column 'step'"), "{why}");
    for text in ["", "{}", "a,b\n", "\u{0}"] {
        let (line, why) = mistake(text, &problem);
        assert!(line == 1 && why.contains("no schedule of a known format"), "{why}");
    }
}

#[test]
fn a_longer_way_needs_its_path() {
    let problem = Request::new(Collective::Oas);
    let problem = problem.pose(spec::parse("ring:5").unwrap(), vec![]).unwrap();
    let (line, why) = mistake("step,source,destination\n1,0,2\n", &problem);
    assert_eq!(line, 2);
    assert!(why.contains("no channel from '0' to '2'; a transfer over several channels"), "{why}");
}
