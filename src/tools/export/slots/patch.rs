//! What differs between the tables of two schedules, by the numbers of the older one. Transfers that stay
//! keep their lanes, and in the tables of vertices their lines of the processor, so that a patch has
//! what has changed and nothing else. A patch is for the tables that were written for the older schedule.

use super::vertex::{Message, Port, Ports, file_name, messages};
use super::{COLUMNS, Numbering, Slot, unwritten};
use ccsched_network::VertexId;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::error::Error;

const FORMAT: &str = "ccsched-slots-patch/1";

/// The lines that go (`-`), and those that come (`+`).
pub(super) fn text(
    numbering: &Numbering<'_>,
    old: &[Slot],
    new: &[Slot],
) -> Result<String, Box<dyn Error>> {
    let [before, after]: [HashSet<&Slot>; 2] = [old, new].map(|slots| slots.iter().collect());
    let gone = old.iter().filter(|slot| !after.contains(slot)).map(|slot| ("-", slot));
    let come = new.iter().filter(|slot| !before.contains(slot)).map(|slot| ("+", slot));
    let mut lines: Vec<(&str, &Slot)> = gone.chain(come).collect();
    // In a step of a vertex lines go before others come.
    lines.sort_by_key(|(sign, slot)| (slot.vertex, slot.step, *sign == "+", slot.place()));
    let mut out = ::csv::Writer::from_writer(Vec::new());
    out.write_record(["change"].iter().chain(&COLUMNS))?;
    for (sign, slot) in lines {
        out.write_record(std::iter::once(sign.to_string()).chain(slot.row(numbering)))?;
    }
    Ok(String::from_utf8(out.into_inner()?)?)
}

/// The head of a folder of patches.
#[derive(Serialize)]
struct Head<'s> {
    format: &'static str,
    network: &'s str,
    old_period: usize,
    period: usize,
    /// The vertices that have a patch.
    vertices: Vec<&'s str>,
}

/// The patch of the table of a vertex.
#[derive(Serialize)]
struct Patch<'s> {
    format: &'static str,
    network: &'s str,
    vertex: &'s str,
    period: usize,
    /// Ports with the numbers after those of the table.
    inputs: Vec<Port<'s>>,
    outputs: Vec<Port<'s>>,
    words: Vec<Word>,
    removed: Vec<Message<'s>>,
    added: Vec<Message<'s>>,
}

/// An output that gets another input in a slot.
#[derive(Serialize)]
struct Word {
    slot: usize,
    output: u32,
    /// 0 if it gets none any more.
    input: u32,
}

/// Two files for every vertex whose table changes, and `patch.json`.
pub(super) fn files(
    numbering: &Numbering<'_>,
    (old, new): (&[Slot], &[Slot]),
    [old_period, period]: [usize; 2],
    is_one: bool,
) -> ccsched_base::Result<Vec<(String, String)>> {
    let [mut before, mut after] =
        [old, new].map(|slots| slots.chunk_by(|a, b| a.vertex == b.vertex).peekable());
    let mut files = Vec::new();
    let mut head =
        Head { format: FORMAT, network: numbering.network, old_period, period, vertices: vec![] };
    let mut taken = HashSet::from(["patch".to_string()]);
    let json = |text: serde_json::Result<String>| match text {
        Ok(text) => Ok(text + "\n"),
        Err(e) => Err(unwritten(e.into())),
    };
    for v in 0..numbering.vertices() as VertexId {
        let [old, new] = [&mut before, &mut after]
            .map(|of| of.next_if(|slots| slots[0].vertex == v).unwrap_or(&[]));
        if is_one && old.is_empty() && new.is_empty() {
            continue;
        }
        // The name of the file of the table.
        let name = file_name(numbering.name(v), v, &mut taken);
        let Some((patch, columns)) = Patch::of(numbering, v, (old, new), period) else { continue };
        files.push((format!("{name}.csv"), patch.csv(&columns).map_err(unwritten)?));
        files.push((format!("{name}.json"), json(serde_json::to_string(&patch))?));
        head.vertices.push(numbering.name(v));
    }
    files.push(("patch.json".into(), json(serde_json::to_string(&head))?));
    Ok(files)
}

impl<'s> Patch<'s> {
    /// The patch and the names of all outputs; none if the table stays as it is.
    fn of(
        numbering: &Numbering<'s>,
        v: VertexId,
        (old, new): (&[Slot], &[Slot]),
        period: usize,
    ) -> Option<(Self, Vec<String>)> {
        let mut ports = Ports::of(old);
        let old_places = ports.places(old, &HashMap::new());
        let [inputs, outputs] = ports.count();
        let after: HashSet<&Slot> = new.iter().collect();
        let places = old.iter().copied().zip(old_places.iter().copied());
        let kept: HashMap<Slot, [u32; 2]> = places.filter(|(s, _)| after.contains(s)).collect();
        let new_places = ports.places(new, &kept);
        let words = |slots: &[Slot], places: &[[u32; 2]]| -> BTreeMap<(usize, u32), u32> {
            let word = |(s, [i, o]): (&Slot, &[u32; 2])| ((s.step + 1, o + 1), i + 1);
            slots.iter().zip(places).map(word).collect()
        };
        let [before, after] = [words(old, &old_places), words(new, &new_places)];
        // Slots after the period go with all that is in them.
        let gone = before.keys().filter(|at| at.0 <= period && !after.contains_key(at));
        let gone = gone.map(|&(slot, output)| Word { slot, output, input: 0 });
        let come = after.iter().filter(|(at, input)| before.get(at) != Some(*input));
        let come = come.map(|(&(slot, output), &input)| Word { slot, output, input });
        let mut words: Vec<Word> = gone.chain(come).collect();
        words.sort_by_key(|word| (word.slot, word.output));
        let mut before = messages(old, &old_places, numbering);
        let mut after = messages(new, &new_places, numbering);
        let all = |list: &[Message<'s>]| list.iter().copied().collect::<HashSet<_>>();
        let (in_old, in_new) = (all(&before), all(&after));
        before.retain(|m| m.slot <= period && !in_new.contains(m));
        after.retain(|m| !in_old.contains(m));
        if words.is_empty() && before.is_empty() && after.is_empty() {
            return None;
        }
        let columns = ports.after(0, numbering, false).iter().map(Port::column).collect();
        let patch = Patch {
            format: FORMAT,
            network: numbering.network,
            vertex: numbering.name(v),
            period,
            inputs: ports.after(inputs, numbering, true),
            outputs: ports.after(outputs, numbering, false),
            words,
            removed: before,
            added: after,
        };
        Some((patch, columns))
    }

    /// A line for each word, with its output by the name of the column.
    fn csv(&self, columns: &[String]) -> Result<String, Box<dyn Error>> {
        let mut out = csv::Writer::from_writer(Vec::new());
        out.write_record(["slot", "output", "input"])?;
        for Word { slot, output, input } in &self.words {
            let output = &columns[*output as usize - 1];
            out.write_record([&slot.to_string(), output, &input.to_string()])?;
        }
        Ok(String::from_utf8(out.into_inner()?)?)
    }
}
