//! A barrier or a notification as one C file for MPI: messages of no bytes. A rank begins a step when its own transfers of
//! the step before are complete, so it signals what it has heard.

use super::{body, head, most, starts};
use crate::export::Subject;
use crate::export::ranks::Ranks;
use ccsched_model::problem::{Collective, Roots};
use std::fmt::Write;

/// The file.
pub(super) fn text(subject: &Subject, ranks: &Ranks) -> String {
    // By rank: step, the other rank, whether it receives.
    let mut operations: Vec<Vec<(usize, usize, u8)>> = vec![Vec::new(); ranks.len()];
    for step in 0..subject.steps() {
        for t in subject.sent(step) {
            let [from, to] = [t.from, t.to].map(|v| ranks.of_vertex(v));
            operations[from].push((step, to, 0));
            operations[to].push((step, from, 1));
        }
    }
    let collective = subject.problem.collective();
    let mut out = head(subject, ranks, &about(collective));
    let mut line = |text: std::fmt::Arguments<'_>| {
        out.write_fmt(format_args!("{text}\n")).expect("a string takes any text");
    };
    let (all, steps) = (ranks.len(), subject.steps());
    line(format_args!("enum {{ RANKS = {all}, STEPS = {steps} }};"));
    line(format_args!("/* At most, operations of a rank in a step. */"));
    line(format_args!("enum {{ REQUESTS = {} }};\n", most(&operations, |a, b| a.0 == b.0)));
    line(format_args!("{OPERATION}"));
    line(format_args!("static const struct operation operations[] = {{"));
    for (rank, list) in operations.iter().enumerate() {
        line(format_args!("    /* rank {rank} */"));
        for (step, peer, receives) in list {
            line(format_args!("    {{{step}, {peer}, {receives}}},"));
        }
    }
    line(format_args!("    {{STEPS, 0, 0}}\n}};\n"));
    line(format_args!("{}", starts("starts", "operation", &operations)));
    out + &body(BODY, &super::function(collective))
}

fn about(collective: Collective) -> String {
    let at_the_root = if collective.roots() == Roots::One { ", at the root" } else { "" };
    format!(
        " * int {}(MPI_Comm comm)\n\
         \x20*   comm      as many ranks as listed below, each on its vertex\n\
         \x20* returns MPI_SUCCESS or an error class of MPI{at_the_root}, when all ranks have called it. Messages\n\
         \x20* have no bytes, and the tag CCSCHED_TAG.",
        super::function(collective)
    )
}

/// The type of the table.
const OPERATION: &str = "\
struct operation {
    int step;     /* from 0 */
    int peer;     /* the other rank */
    int receives; /* 0: sends */
};
";

/// The function.
const BODY: &str = "\
int FUNCTION(MPI_Comm comm);

int FUNCTION(MPI_Comm comm)
{
    int rank, size, at, last, error;
    MPI_Request requests[REQUESTS + 1];

    RANK_AND_SIZE
    at = starts[rank];
    last = starts[rank + 1];
    while (error == MPI_SUCCESS && at < last) {
        int step = operations[at].step, begun = 0;
        for (; error == MPI_SUCCESS && at < last && operations[at].step == step; at++) {
            const struct operation *o = &operations[at];
            if (o->receives)
                error = MPI_Irecv(NULL, 0, MPI_BYTE, o->peer, CCSCHED_TAG, comm, &requests[begun]);
            else
                error = MPI_Isend(NULL, 0, MPI_BYTE, o->peer, CCSCHED_TAG, comm, &requests[begun]);
            if (error == MPI_SUCCESS)
                begun++;
        }
        if (error == MPI_SUCCESS)
            error = MPI_Waitall(begun, requests, MPI_STATUSES_IGNORE);
    }
    return error;
}
";
