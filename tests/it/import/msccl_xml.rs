//! Programs for GPUs, read back as schedules.

use super::{mistake, read};
use crate::export::{solved, text};
use crate::support::checked::complaints;
use ccsched::network::spec;
use ccsched::problem::{Collective, Problem, Request, Switching};
use ccsched::schedule::{Plan, resolve};

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
        ("petersen", Collective::Aab, wormhole),
        ("petersen", Collective::Aas, wormhole),
        ("kautz:3,2", Collective::Aab, stored),
        ("mesh:3x3", Collective::Aas, stored),
    ] {
        let schedule = solved(network, collective, switching);
        let (problem, plan) = resolve(&schedule).unwrap();
        let exported = text(&schedule, "msccl-xml");
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
        assert_eq!(lines, sends);
    }
}

/// The all-gather of two terminals.
fn pair() -> Problem {
    Request::new(Collective::Aab).pose(spec::parse("hypercube:1").unwrap(), vec![]).unwrap()
}

/// A step for `PAIR`.
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
    let mut out =
        "<!-- by hand -->\n<algo coll=\"allgather\" ngpus=\"2\" inplace=\"0\">\n".to_string();
    for (g, steps) in steps.iter().enumerate() {
        let peer = 1 - g;
        out += &format!(
            "<gpu id=\"{g}\" i_chunks=\"1\" o_chunks=\"2\" s_chunks=\"0\">\n\
             <tb id=\"0\" send=\"{peer}\" recv=\"{peer}\" chan=\"0\">\n{steps}</tb></gpu>\n"
        );
    }
    out + "</algo>\n"
}

#[test]
fn files_of_others_are_read() {
    let problem = pair();
    let first = step(0, "s", "i0", "o0") + &step(1, "r", "i0", "o1");
    let second = step(0, "r", "i0", "o0") + &step(1, "s", "i0", "o1");
    let read_in = read(&file([&first, &second]), &problem).unwrap();
    assert_eq!(complaints(&problem, &read_in.plan), "");
    assert_eq!((read_in.plan.len(), read_in.lines.concat()), (1, vec![5, 11]));
}

#[test]
fn mistakes_have_their_line() {
    let problem = pair();
    let send = step(0, "s", "i0", "o0");
    let receive = step(0, "r", "i0", "o0");
    for (steps, line, part) in [
        ([&step(0, "rrc", "i0", "o0"), ""], 5, "a step of type 'rrc'"),
        ([&step(0, "s", "o1", "o1"), ""], 5, "chunk 1 of buffer o holds no message yet"),
        ([&step(0, "s", "x0", "o1"), ""], 5, "'x' is no buffer"),
        ([&step(1, "s", "i0", "o0"), ""], 5, "<step> has the number 1 in place of 0"),
        ([&send, ""], 7, "gpu 1 does not receive all from gpu 0"),
        (["", &receive], 8, "waits for ever"),
        ([&send.replace("cnt=\"1\"", ""), ""], 5, "the attribute cnt is missing"),
        ([&send.replace("cnt=\"1\"", "cnt=\"-3\""), ""], 5, "cnt is '-3'"),
        (
            [&send.replace("depid=\"-1\" deps=\"-1\"", "depid=\"7\" deps=\"0\""), ""],
            5,
            "depid is 7",
        ),
    ] {
        let (at, why) = mistake(&file(steps), &problem);
        assert!(at == line && why.contains(part), "{at} {why}");
    }
    let right = file([&send, &receive]);
    for (from, to, part) in [
        ("allgather", "allreduce", "the collective is 'allreduce'"),
        ("allgather", "alltoall", "the schedule of aab is asked for"),
        ("i_chunks=\"1\"", "i_chunks=\"4\"", "i_chunks is 4"),
        (
            "</algo>",
            "<gpu id=\"2\" i_chunks=\"1\" o_chunks=\"2\"/></algo>",
            "3 GPUs; hypercube:1 has 2",
        ),
        ("<tb", "<td", "is no element of this format"),
        ("</tb>", "", "no XML"),
    ] {
        let (_, why) = mistake(&right.replace(from, to), &problem);
        assert!(why.contains(part), "{to}: {why}");
    }
    // The message of gpu 1 is missing, which `verify` tells.
    let read_in = read(&right, &problem).unwrap();
    assert!(complaints(&problem, &read_in.plan).contains("never gets the message"));
}
