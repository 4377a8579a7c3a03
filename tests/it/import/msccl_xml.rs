//! Programs for GPUs, read back as schedules.

use super::{mistake, read};
use crate::export::{exported, solved, text};
use crate::support::checked::complaints;
use ccsched::export::{Output, Settings};
use ccsched::import::Source;
use ccsched::islands::Limits;
use ccsched::network::spec;
use ccsched::problem::{Collective, Problem, Request, Switching};
use ccsched::schedule::{Plan, ScheduleFile, resolve};
use ccsched::{Options, solve};

/// The text without its comments.
fn bare(text: &str) -> String {
    text.lines().filter(|line| !line.contains("<!--")).map(|line| format!("{line}\n")).collect()
}

fn tidy(mut plan: Plan) -> Plan {
    plan.tidy();
    plan
}

#[test]
fn what_is_exported_is_read_back() {
    let (wormhole, stored) = (Switching::Wormhole, Switching::StoreAndForward);
    for (network, collective, switching) in [
        ("petersen", Collective::Aab, stored),
        ("petersen", Collective::Aas, stored),
        ("fat-tree:8", Collective::Aab, wormhole),
        ("fat-tree:8", Collective::Aas, wormhole),
        ("kautz:3,2", Collective::Aab, stored),
        ("kautz:2,2", Collective::Aas, stored),
        ("ring:7", Collective::Aab, stored),
        ("hypercube:3", Collective::Aab, stored),
        ("hypercube:3", Collective::Aas, stored),
        ("mesh:3x3", Collective::Aab, stored),
        ("mesh:3x3", Collective::Aas, stored),
        ("complete:5", Collective::Aas, wormhole),
        ("binary-tree:4", Collective::Aas, wormhole),
        ("dgx1", Collective::ReduceScatter, stored),
        ("kautz:2,2", Collective::ReduceScatter, stored),
        ("fat-tree:4", Collective::ReduceScatter, wormhole),
        ("ring:5", Collective::AllReduce, stored),
        ("dgx1", Collective::Reduce, stored),
        ("fat-tree:4", Collective::Reduce, wormhole),
        ("ring:5", Collective::AllReduceWhole, stored),
        ("mesh:2x3", Collective::AllReduceWhole, stored),
        ("dgx1", Collective::AllReduceWhole, stored),
        ("fat-tree:4", Collective::AllReduceWhole, wormhole),
    ] {
        let schedule = solved(network, collective, switching);
        comes_back(network, &schedule);
    }
    // Pieces are chunks.
    for (network, collective, pieces) in [
        ("heawood", Collective::Aab, 3),
        ("ring:5", Collective::Aas, 2),
        ("kautz:2,2", Collective::ReduceScatter, 2),
        ("ring:4", Collective::AllReduce, 2),
        ("ring:5", Collective::AllReduceWhole, 2),
        ("mesh:2x3", Collective::AllReduceWhole, 3),
    ] {
        let request = Request { switching: stored, pieces, ..Request::new(collective) };
        let problem = request.pose(spec::parse(network).unwrap(), vec![]).unwrap();
        let limits = Limits { iterations: 200, ..Limits::default() };
        let options = Options { islands: Some(1), limits, ..Options::default() };
        comes_back(network, &solve(&problem, &options).unwrap().schedule().unwrap());
    }
}

/// Exports a schedule, and reads it back with the comments and without.
fn comes_back(network: &str, schedule: &ScheduleFile) {
    let collective = &schedule.model.collective;
    let (problem, plan) = resolve(schedule).unwrap();
    let exported = text(schedule, "msccl-xml");
    let back = read(&exported, &problem).unwrap();
    assert_eq!(tidy(back.plan), tidy(plan.clone()), "{network} {collective}");
    // Without the comments the steps and paths are found anew, and the result is valid.
    let other = read(&bare(&exported), &problem).unwrap();
    assert_eq!(complaints(&problem, &other.plan), "", "{network} {collective}");
    assert!(other.plan.len() >= plan.len() && other.plan.len() <= 3 * plan.len());
    let sends: Vec<usize> = (1..)
        .zip(bare(&exported).lines())
        .filter(|(_, line)| line.contains("type=\"s\""))
        .map(|(number, _)| number)
        .collect();
    let mut lines = other.lines.concat();
    lines.sort_unstable();
    // Messages that join have one line.
    lines.dedup();
    assert_eq!(lines, sends);
}

/// The all-gather of two terminals.
fn pair() -> Problem {
    Request::new(Collective::Aab).pose(spec::parse("hypercube:1").unwrap(), vec![]).unwrap()
}

/// The all-to-all of two terminals.
fn exchange() -> Problem {
    Request::new(Collective::Aas).pose(spec::parse("hypercube:1").unwrap(), vec![]).unwrap()
}

/// A step that waits for nothing.
fn step(s: u32, kind: &str, from: &str, to: &str) -> String {
    let (a, b) = (from.split_at(1), to.split_at(1));
    format!(
        "<step s=\"{s}\" type=\"{kind}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" \
         cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n",
        a.0, a.1, b.0, b.1
    )
}

/// Both GPUs send and receive in one thread block.
fn file(steps: [&str; 2]) -> String {
    let mut out = "<!-- by hand > this -->\n<algo coll=\"allgather\" ngpus=\"2\" inplace=\"0\">\n"
        .to_string();
    for (g, steps) in steps.iter().enumerate() {
        let peer = 1 - g;
        out += &format!(
            "<gpu id=\"{g}\" i_chunks=\"1\" o_chunks=\"2\" s_chunks=\"0\">\n\
             <tb id=\"0\" send=\"{peer}\" recv=\"{peer}\" chan=\"0\">\n{steps}</tb></gpu>\n"
        );
    }
    out + "</algo>\n"
}

/// The steps of both, right.
fn right() -> [String; 2] {
    let copy = |to| step(2, "cpy", "i0", to);
    [
        step(0, "s", "i0", "o0") + &step(1, "r", "i0", "o1") + &copy("o0"),
        step(0, "r", "i0", "o0") + &step(1, "s", "i0", "o1") + &copy("o1"),
    ]
}

#[test]
fn files_of_others_are_read() {
    let problem = pair();
    let [first, second] = right();
    let read_in = read(&file([&first, &second]), &problem).unwrap();
    assert_eq!(complaints(&problem, &read_in.plan), "");
    assert_eq!((read_in.plan.len(), read_in.lines.concat()), (1, vec![5, 12]));
    let missing = "no proto, nchannels, nchunksperloop, outofplace, minBytes, maxBytes, which RCCL";
    let [(2, why)] = &read_in.warnings[..] else { panic!("{:?}", read_in.warnings) };
    assert!(why.starts_with(missing), "{why}");
    // The input is the part of the output at the place of the GPU; no copies.
    let inside = file([&first, &second]).replace("inplace=\"0\"", "inplace=\"1\"");
    assert!(read(&inside, &problem).is_ok(), "a copy onto itself");
    let inside = inside.lines().filter(|line| !line.contains("cpy")).collect::<Vec<_>>().join("\n");
    assert!(read(&inside, &problem).is_ok());
    let other = inside.replace("i_chunks=\"1\"", "i_chunks=\"0\"");
    let (line, why) = mistake(&other, &problem);
    assert!(line == 5 && why.contains("reads i[0], but i_chunks of gpu 0 is 0"), "{why}");
    // Out of place as well, it lacks the copies.
    let both = inside.replace("inplace=\"1\"", "inplace=\"1\" outofplace=\"1\"");
    let (_, why) = mistake(&both, &problem);
    assert!(why.contains("o[0] of gpu 0 is empty in the end"), "{why}");
}

#[test]
fn mistakes_have_their_line() {
    let problem = pair();
    let [send, receive] = [step(0, "s", "i0", "o0"), step(0, "r", "i0", "o0")];
    for (steps, line, part) in [
        ([&step(0, "rrx", "i0", "o0"), ""], 5, "a step of type 'rrx'"),
        ([&step(0, "s", "o1", "o1"), ""], 5, "gpu 0, tb 0, step 0 has no receive: gpu 0 sends 1"),
        ([&step(0, "s", "x0", "o1"), ""], 5, "'x' is no buffer"),
        ([&step(1, "s", "i0", "o0"), ""], 5, "<step> has the number 1 in place of 0"),
        ([&send, ""], 5, "gpu 1 receives 0 times from it"),
        (["", &receive], 8, "waits for ever for a send"),
        ([&step(0, "s", "o1", "o1"), &receive], 5, "reads o[1], which holds nothing yet"),
        ([&send.replace("cnt=\"1\"", ""), ""], 5, "the attribute cnt is missing"),
        ([&send.replace("cnt=\"1\"", "cnt=\"-3\""), ""], 5, "cnt is '-3'"),
        ([&send.replace("cnt=\"1\"", "cnt=\"0\""), ""], 5, "cnt is 0"),
        ([&send.replace("hasdep=\"0\"", "hasdep=\"2\""), ""], 5, "hasdep is '2'"),
        ([&send.replace("depid=\"-1\"", "depid=\"7\""), ""], 5, "depid is 7 and deps is -1"),
        (
            [&send.replace("depid=\"-1\" deps=\"-1\"", "depid=\"7\" deps=\"0\""), &receive],
            5,
            "waits for tb 7 (depid); the gpu has 1",
        ),
        (
            [&send.replace("depid=\"-1\" deps=\"-1\"", "depid=\"0\" deps=\"0\""), &receive],
            5,
            "hasdep of line 5 must be 1",
        ),
        // The block of gpu 1 never comes, the own one is not copied.
        ([&send, &receive], 3, "o[0] of gpu 0 is empty in the end; the block of gpu 0 belongs"),
    ] {
        let (at, why) = mistake(&file(steps), &problem);
        assert!(at == line && why.contains(part), "{at} {why}");
    }
    let [first, second] = right();
    let right = file([&first, &second]);
    for (from, to, part) in [
        ("allgather", "broadcast", "the collective is 'broadcast'"),
        ("allgather", "alltoall", "the schedule of aab is asked for"),
        ("i_chunks=\"1\"", "i_chunks=\"4\"", "i_chunks is 4; with 1 chunks a message it must be 1"),
        ("o_chunks=\"2\"", "o_chunks=\"3\"", "it must be a multiple of the 2 GPUs"),
        ("ngpus=\"2\"", "ngpus=\"3\"", "ngpus is 3, but the file has 2 GPUs"),
        ("ngpus", "nchunksperloop=\"9\" ngpus", "nchunksperloop is 9, but o_chunks is 2"),
        ("ngpus", "nchannels=\"0\" ngpus", "is on channel 0; nchannels is 0"),
        ("inplace=\"0\"", "inplace=\"0\" outofplace=\"0\"", "are both 0"),
        ("send=\"1\"", "send=\"0\"", "has 0 as send; it must be another GPU"),
        ("send=\"1\"", "send=\"-1\"", "gpu 0, tb 0, step 0 has no peer"),
        (
            "</algo>",
            "<gpu id=\"2\" i_chunks=\"1\" o_chunks=\"2\" s_chunks=\"0\"/></algo>",
            "3 GPUs; hypercube:1 has 2",
        ),
        ("<tb", "<td", "is no element of this format"),
        ("</tb>", "", "no XML"),
    ] {
        let (_, why) = mistake(&right.replace(from, to), &problem);
        assert!(why.contains(part), "{to}: {why}");
    }
}

/// The exchange of two GPUs in which the block of gpu 1 for gpu 0 is received into `slot`, and
/// copied from there into the output by another thread block.
fn staged(slot: &str, wait: &str) -> String {
    let [send, receive] = [step(0, "s", "i1", "o0"), step(1, "r", "i0", slot)];
    let copies = step(0, "cpy", slot, "o1").replace("depid=\"-1\" deps=\"-1\"", wait)
        + &step(1, "cpy", "i0", "o0");
    let other = step(0, "s", "i0", slot) + &step(1, "r", "i1", "o0") + &step(2, "cpy", "i1", "o1");
    format!(
        "<?xml version=\"1.0\"?>\n<algo coll=\"alltoall\" ngpus=\"2\">\n\
         <gpu id=\"0\" i_chunks=\"2\" o_chunks=\"2\" s_chunks=\"1\">\n\
         <tb id=\"0\" send=\"1\" recv=\"1\" chan=\"0\">\n{send}{}</tb>\n\
         <tb id=\"1\" send=\"-1\" recv=\"-1\" chan=\"0\">\n{copies}</tb>\n</gpu>\n\
         <gpu id=\"1\" i_chunks=\"2\" o_chunks=\"2\" s_chunks=\"0\">\n\
         <tb id=\"0\" send=\"0\" recv=\"0\" chan=\"0\">\n{other}</tb>\n</gpu>\n</algo>\n",
        receive.replace("hasdep=\"0\"", "hasdep=\"1\"")
    )
}

#[test]
fn races_and_wrong_places_say_what_would_be_right() {
    let problem = exchange();
    let wait = "depid=\"0\" deps=\"1\"";
    assert!(read(&staged("s0", wait), &problem).is_ok());
    for (text, line, part) in [
        (
            staged("s0", "depid=\"-1\" deps=\"-1\""),
            9,
            "race: gpu 0, tb 1, step 0 reads s[0], and gpu 0, tb 0, step 1 (line 6) writes it; nothing \
             orders them: gpu 0, tb 1, step 0 must wait for gpu 0, tb 0, step 1: depid=\"0\" \
             deps=\"1\", and hasdep=\"1\" in line 6",
        ),
        (
            staged("s3", wait),
            6,
            "writes s[3], but s_chunks of gpu 0 is 1: that is beyond the buffer",
        ),
        (
            staged("s0", wait).replacen(
                "dstbuf=\"o\" dstoff=\"1\"",
                "dstbuf=\"o\" dstoff=\"0\"",
                1,
            ),
            9,
            "o[1] of gpu 0 is empty in the end; the block of gpu 1 for gpu 0 belongs there: line 9 puts \
             it into o[0]",
        ),
        (
            staged("s0", "depid=\"1\" deps=\"1\"").replace("hasdep=\"0\"", "hasdep=\"1\""),
            9,
            "gpu 0, tb 1, step 0 waits for ever: it waits for gpu 0, tb 1, step 1 (line 10), which \
             waits for it",
        ),
    ] {
        let (at, why) = mistake(&text, &problem);
        assert!(at == line && why.contains(part), "{at} {why}");
    }
}

#[test]
fn several_chunks_are_several_messages() {
    let problem = exchange();
    let gpu = |g: u32| {
        let peer = 1 - g;
        let part = |k: u32| {
            let own = (format!("i{}", 2 * g + k), format!("o{}", 2 * g + k));
            let away = (format!("i{}", 2 * peer + k), format!("o{}", 2 * g + k));
            let come = (format!("i{}", 2 * g + k), format!("o{}", 2 * peer + k));
            step(3 * k, "s", &away.0, &away.1)
                + &step(3 * k + 1, "r", &come.0, &come.1)
                + &step(3 * k + 2, "cpy", &own.0, &own.1)
        };
        format!(
            "<gpu id=\"{g}\" i_chunks=\"4\" o_chunks=\"4\" s_chunks=\"0\">\n\
             <tb chan=\"0\" recv=\"{peer}\" send=\"{peer}\" id=\"0\">\n{}{}</tb></gpu>\n",
            part(0),
            part(1)
        )
    };
    let text = format!("<algo ngpus=\"2\" coll=\"alltoall\">\n{}{}</algo>", gpu(0), gpu(1));
    let read_in = read(&text, &problem).unwrap();
    let posed = read_in.posed.expect("another problem");
    assert_eq!((read_in.chunks, posed.demands().len()), (2, 4));
    assert_eq!(complaints(&posed, &read_in.plan), "");
    assert_eq!(read_in.plan.len(), 2);
    // The second chunk of a block in the place of the first.
    let swapped = text.replacen("srcoff=\"2\"", "srcoff=\"3\"", 1);
    let (_, why) = mistake(&swapped, &problem);
    assert!(why.contains("chunk 0 of the block of gpu 0 for gpu 1"), "{why}");
}

#[test]
fn switches_pass_on_what_gpus_forward() {
    // The block of gpu 0 for gpu 1 goes by way of gpu 2 in the other group.
    let problem = |switching| {
        let request = Request { switching, ..Request::new(Collective::Aas) };
        request.pose(spec::parse("fat-tree:4").unwrap(), vec![]).unwrap()
    };
    let schedule = solved("fat-tree:4", Collective::Aas, Switching::Wormhole);
    let text = bare(&text(&schedule, "msccl-xml"));
    let stored = problem(Switching::StoreAndForward);
    let read_in = read(&text, &stored).unwrap();
    assert_eq!(complaints(&stored, &read_in.plan), "");
    // Every transfer has its way over switches, a channel at a time.
    let steps = read_in.plan.transfers().map(|t| t.channels.len()).max();
    assert_eq!(steps, Some(1));
    let hops = read_in.plan.transfers().count();
    let whole = read(&text, &problem(Switching::Wormhole)).unwrap();
    assert_eq!(hops, whole.plan.transfers().map(|t| t.channels.len()).sum::<usize>());
}

#[test]
fn sends_that_no_channel_holds_are_told() {
    // Three blocks are sent before the first is received.
    let gpu = |g: u32| {
        let peer = 1 - g;
        let chunk = |buffer: &str, of: u32, k: u32| format!("{buffer}{}", 3 * of + k);
        let sends = (0..3).map(|k| step(k, "s", &chunk("i", peer, k), &chunk("o", g, k)));
        let receives = (0..3).map(|k| step(3 + k, "r", &chunk("i", g, k), &chunk("o", peer, k)));
        let copies = (0..3).map(|k| step(6 + k, "cpy", &chunk("i", g, k), &chunk("o", g, k)));
        let steps: String = sends.chain(receives).chain(copies).collect();
        format!(
            "<gpu id=\"{g}\" i_chunks=\"6\" o_chunks=\"6\" s_chunks=\"0\">\n\
             <tb id=\"0\" send=\"{peer}\" recv=\"{peer}\" chan=\"0\">\n{steps}</tb></gpu>\n"
        )
    };
    let warnings = |protocol: &str| {
        let head = format!("<algo proto=\"{protocol}\" coll=\"alltoall\">\n");
        let text = head + &gpu(0) + &gpu(1) + "</algo>";
        read(&text, &exchange()).unwrap().warnings
    };
    let told = warnings("Simple");
    let [_, (line, why)] = &told[..] else { panic!("{told:?}") };
    assert!(*line == 6 && why.contains("a channel holds 2 blocks (proto Simple)"), "{line} {why}");
    assert!(why.contains("gpu 0, tb 0, step 2 waits for ever"), "{why}");
    assert_eq!(warnings("LL").len(), 1);
}

/// A program in place that has its output in the input, as tools of the format write it: its o_chunks is 0.
fn without_output(text: &str, parts: usize, scatters: bool) -> String {
    let (mut out, mut gpu) = (String::new(), 0);
    for line in text.lines() {
        let value = |key: &str| {
            let (_, after) = line.split_once(&format!(" {key}=\"")).unwrap();
            after.split_once('"').unwrap().0
        };
        let mut line = line.to_string();
        if line.contains("<gpu ") {
            gpu = value("id").parse().unwrap();
            line = line.replace(&format!("o_chunks=\"{}\"", value("o_chunks")), "o_chunks=\"0\"");
        }
        for end in ["src", "dst"] {
            if line.contains(&format!("{end}buf=\"o\"")) {
                let first = if scatters { gpu * parts } else { 0 };
                let (_, after) = line.split_once(&format!(" {end}off=\"")).unwrap();
                let offset: usize = after.split_once('"').unwrap().0.parse().unwrap();
                let [old, new] = [('o', offset), ('i', first + offset)]
                    .map(|(b, o)| format!("{end}buf=\"{b}\" {end}off=\"{o}\""));
                line = line.replace(&old, &new);
            }
        }
        out += &(line + "\n");
    }
    out
}

#[test]
fn sums_in_place_need_no_output() {
    let stored = Switching::StoreAndForward;
    for (network, collective) in [
        ("ring:5", Collective::AllReduce),
        ("ring:5", Collective::AllReduceWhole),
        ("dgx1", Collective::AllReduce),
        ("kautz:2,2", Collective::ReduceScatter),
        ("dgx1", Collective::Reduce),
    ] {
        let schedule = solved(network, collective, stored);
        let (problem, plan) = resolve(&schedule).unwrap();
        let settings = Settings { in_place: true, ..Settings::default() };
        let Output::File(text) = exported(&schedule, "msccl-xml", &settings) else { panic!() };
        let text = without_output(&text, 1, collective == Collective::ReduceScatter);
        assert!(!text.contains("buf=\"o\"") && text.contains(" o_chunks=\"0\""), "{text}");
        let back = read(&text, &problem).unwrap();
        assert_eq!(tidy(back.plan), tidy(plan), "{network} {collective}");
        // Out of place nothing ends in the input.
        let outside =
            text.replace("inplace=\"1\" outofplace=\"0\"", "inplace=\"0\" outofplace=\"1\"");
        let (_, why) = mistake(&outside, &problem);
        assert!(why.contains("o_chunks is 0"), "{why}");
        let short = text.replacen(" i_chunks=\"", " i_chunks=\"1", 1);
        let (_, why) = mistake(&short, &problem);
        assert!(why.contains("i_chunks is 1"), "{why}");
    }
}

/// Chunks of a block that go different ways are pieces, whether pieces are asked for or not.
#[test]
fn chunks_that_go_different_ways_are_pieces() {
    for (network, collective, pieces) in [
        ("heawood", Collective::Aab, 3),
        ("kautz:2,2", Collective::ReduceScatter, 2),
        ("hypercube:3", Collective::AllReduce, 2),
    ] {
        let whole = Request { switching: Switching::StoreAndForward, ..Request::new(collective) };
        let pose = |pieces| {
            let request = Request { pieces, ..whole.clone() };
            request.pose(spec::parse(network).unwrap(), vec![]).unwrap()
        };
        let limits = Limits { iterations: 200, ..Limits::default() };
        let options = Options { islands: Some(1), limits, ..Options::default() };
        let schedule = solve(&pose(pieces), &options).unwrap().schedule().unwrap();
        let text = text(&schedule, "msccl-xml");
        let [asked, found] = [pieces, 1].map(|pieces| read(&text, &pose(pieces)).unwrap());
        assert!(asked.posed.is_none(), "{network}");
        let posed = found.posed.expect("another problem");
        assert_eq!(posed.pieces(), pieces, "{network}");
        assert_eq!(complaints(&posed, &found.plan), "", "{network}");
        assert_eq!(tidy(found.plan), tidy(asked.plan), "{network}");
        // Another number of pieces is told the right one.
        let (_, why) = mistake(&text, &pose(5));
        assert!(why.contains(&format!("it must be {pieces}, or not given")), "{why}");
    }
}

#[test]
fn a_program_says_its_collective() {
    let stored = Switching::StoreAndForward;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program.xml");
    for collective in [
        Collective::Aab,
        Collective::Aas,
        Collective::ReduceScatter,
        Collective::AllReduce,
        Collective::AllReduceWhole,
        Collective::Reduce,
    ] {
        let program = text(&solved("ring:4", collective, stored), "msccl-xml");
        for (program, right) in [
            (program.clone(), Some(collective)),
            (program.replace(" coll=\"", " coll=\"un"), None),
            (program.replace("</tb>", ""), None),
            ("step,source\n".into(), None),
        ] {
            std::fs::write(&path, program).unwrap();
            assert_eq!(Source::open(&path).unwrap().collective(), right, "{collective}");
        }
    }
}
