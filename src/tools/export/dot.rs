//! Pictures by Graphviz: a directed graph for each step, with all channels of the network. Those in
//! use have the colours of the sources of their messages, and the messages as labels.

use super::{Output, Settings, Subject};
use ccsched_base::{Error, Result};
use ccsched_network::VertexId;
use ccsched_network::files::dot::quoted;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Writes all steps, or one.
pub(super) fn write(subject: &Subject, settings: &Settings) -> Result<Output> {
    let steps = match settings.step {
        None => 0..subject.steps(),
        Some(step) if (1..=subject.steps()).contains(&step) => step - 1..step,
        Some(step) => {
            let why = format!("{step}: the schedule has the steps 1 to {}", subject.steps());
            return Err(Error::field("step", why));
        }
    };
    Ok(Output::File(steps.map(|step| graph(subject, step)).collect()))
}

/// The graph of a step.
fn graph(subject: &Subject, step: usize) -> String {
    let network = subject.network();
    let name = |v: VertexId| quoted(subject.name(v));
    let title = quoted(&format!("{}: step {}", subject.title(), step + 1));
    let mut out = format!("digraph {} {{\n", quoted(&format!("step {}", step + 1)));
    let mut line = |text: std::fmt::Arguments<'_>| {
        out.write_fmt(format_args!("  {text}\n")).expect("a string takes any text");
    };
    line(format_args!("label={title};"));
    line(format_args!("node [shape=circle];"));
    for v in 0..network.vertices().len() as VertexId {
        let shape = if network.is_terminal(v) { "" } else { " [shape=box]" };
        line(format_args!("{}{shape};", name(v)));
    }
    let mut used: BTreeMap<u32, Vec<(VertexId, String)>> = BTreeMap::new();
    for transfer in subject.step(step) {
        for &c in transfer.channels {
            used.entry(c)
                .or_default()
                .push((transfer.message.origin, transfer.message.name(network)));
        }
    }
    for (id, c) in (0..).zip(network.channels()) {
        let (from, to) = (name(c.from), name(c.to));
        match used.get(&id).map(Vec::as_slice) {
            Some(transfers @ [(source, _), ..]) => {
                let messages: Vec<&str> = transfers.iter().map(|(_, m)| m.as_str()).collect();
                let label = quoted(&messages.join(", "));
                let colour = colour(*source);
                line(format_args!(
                    "{from} -> {to} [label={label}, color={colour}, fontcolor={colour}, penwidth=2];"
                ));
            }
            _ => line(format_args!("{from} -> {to} [color=gray85, arrowsize=0.5];")),
        }
    }
    out + "}\n"
}

/// A colour of a source: hues by the golden ratio, so that near numbers have distant hues.
fn colour(source: VertexId) -> String {
    let hue = (f64::from(source) * 0.618_033_988_749_895).fract();
    format!("\"{hue:.3} 0.85 0.75\"")
}
