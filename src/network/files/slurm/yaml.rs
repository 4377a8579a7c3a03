//! `topology.yaml`: a list of topologies, of which the default one is read. An entry has a name,
//! perhaps `cluster_default: true`, and one of `tree`, `block`, `ring`, `torus3d`, `flat`.
//!
//! The YAML library reports lines, so `at` of a mistake is a line here until the last moment.
//! Anchors and aliases are refused: a short file could stand for an endless one.

mod value;

use super::layout::{Group, Layout, Switch, Torus, list, name};
use crate::files::mistake::{Wrong, wrong};
use ccsched_base::limits::HOSTS;
use value::{Value, parse};

/// The kinds of networks, as keys of an entry.
const KINDS: [&str; 5] = ["tree", "block", "ring", "torus3d", "flat"];

/// What the file says.
pub fn layout(text: &str) -> Result<Layout, Wrong> {
    let place = |line: usize| -> usize {
        text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum()
    };
    let mut layout = parse(text)
        .and_then(|file| chosen(&file))
        .map_err(|wrong| Wrong { at: place(wrong.at), why: wrong.why })?;
    match &mut layout {
        Layout::Blocks(all) => all.iter_mut().for_each(|group| group.at = place(group.at)),
        Layout::Ring(ring) => ring.at = place(ring.at),
        Layout::Tree(all) => all.iter_mut().for_each(|switch| switch.at = place(switch.at)),
        Layout::Torus(torus) => torus.at = place(torus.at),
    }
    Ok(layout)
}

/// The layout of the default entry.
fn chosen(file: &Value) -> Result<Layout, Wrong> {
    let one = std::slice::from_ref(file);
    let entries = if file.is_map() { one } else { file.list("the file")? };
    let is_default = |entry: &&Value| entry.get("cluster_default").is_some_and(Value::is_yes);
    let default = entries.iter().find(is_default).or(entries.first());
    let Some(entry) = default else { return wrong(1, "the file has no topology") };
    let mut kinds = KINDS.iter().filter_map(|kind| Some((*kind, entry.get(kind)?)));
    let (Some((kind, value)), None) = (kinds.next(), kinds.next()) else {
        let why = format!("a topology has exactly one of {}", KINDS.join(", "));
        return wrong(entry.at, why);
    };
    let mut left = HOSTS;
    match kind {
        "tree" => tree(value, &mut left),
        "block" => {
            let blocks = value.need("blocks")?.list("blocks")?.iter();
            let blocks = blocks.map(|block| group(block, "block", &mut left));
            Ok(Layout::Blocks(some(value, blocks.collect::<Result<_, _>>()?)?))
        }
        "ring" => {
            let rings = value.need("rings")?.list("rings")?;
            let ring = alone(value, rings, "ring")?;
            Ok(Layout::Ring(group(ring, "ring", &mut left)?))
        }
        "torus3d" => {
            let tori = value.need("toruses")?.list("toruses")?;
            torus(alone(value, tori, "torus")?, &mut left).map(Layout::Torus)
        }
        _ => wrong(value.at, "a flat topology says nothing about links; give a tree or a block"),
    }
}

/// The one entry of a list whose entries no link joins.
fn alone<'v, 't>(of: &Value, all: &'v [Value<'t>], what: &str) -> Result<&'v Value<'t>, Wrong> {
    match all {
        [] => wrong(of.at, format!("there is no {what}")),
        [one] => Ok(one),
        [_, second, ..] => {
            wrong(second.at, format!("a second {what}; no link joins them: keep one"))
        }
    }
}

/// A list that is not empty.
fn some<T>(of: &Value, all: Vec<T>) -> Result<Vec<T>, Wrong> {
    if all.is_empty() { wrong(of.at, "the list is empty") } else { Ok(all) }
}

fn tree(value: &Value, left: &mut usize) -> Result<Layout, Wrong> {
    let mut switches = Vec::new();
    for entry in value.need("switches")?.list("switches")? {
        entry.known(&["switch", "children", "nodes"])?;
        let title = entry.need("switch")?;
        let mut below = |key: &str| {
            let (at, text) = entry.text_of(key)?;
            if text.trim().is_empty() { Ok(Vec::new()) } else { list(at, text, left) }
        };
        let (children, nodes) = (below("children")?, below("nodes")?);
        let name = name(title.at, title.text("switch")?)?;
        switches.push(Switch { at: entry.at, name, level: None, switches: children, nodes });
    }
    some(value, switches).map(Layout::Tree)
}

fn group(entry: &Value, kind: &str, left: &mut usize) -> Result<Group, Wrong> {
    entry.known(&[kind, "nodes"])?;
    let title = entry.need(kind)?;
    let name = name(title.at, title.text(kind)?)?;
    let (at, nodes) = entry.text_of("nodes")?;
    let nodes = if nodes.trim().is_empty() { Vec::new() } else { list(at, nodes, left)? };
    Ok(Group { at: entry.at, name, nodes })
}

/// A torus with all its nodes in one list, or with boxes of them.
fn torus(entry: &Value, left: &mut usize) -> Result<Torus, Wrong> {
    let size = triple(entry.need("dims")?, 1)?;
    let mut nodes = Vec::new();
    match (entry.get("nodes"), entry.get("regions")) {
        (Some(value), None) => fill(&mut nodes, value, [0; 3], size, size, left)?,
        (None, Some(regions)) => {
            for region in regions.list("regions")? {
                let anchor = triple(region.need("anchor")?, 0)?;
                let part = triple(region.need("dims")?, 1)?;
                fill(&mut nodes, region.need("nodes")?, anchor, part, size, left)?;
            }
        }
        _ => return wrong(entry.at, "a torus has either 'nodes' or 'regions'"),
    }
    Ok(Torus { at: entry.at, size, nodes })
}

/// Places the nodes of a list in a box, x changing fastest.
fn fill(
    nodes: &mut Vec<([u32; 3], String)>,
    value: &Value,
    anchor: [u32; 3],
    part: [u32; 3],
    size: [u32; 3],
    left: &mut usize,
) -> Result<(), Wrong> {
    let names = list(value.at, value.text("nodes")?, left)?;
    let places = part.iter().fold(1u64, |product, &n| product.saturating_mul(u64::from(n)));
    if places != names.len() as u64 {
        let [x, y, z] = part;
        let why = format!("{} nodes for {x} x {y} x {z} places", names.len());
        return wrong(value.at, why);
    }
    for (i, name) in (0u32..).zip(names) {
        let inside = [i % part[0], i / part[0] % part[1], i / part[0] / part[1]];
        let place = |d: usize| (u64::from(anchor[d]) + u64::from(inside[d])) % u64::from(size[d]);
        nodes.push(([0, 1, 2].map(|d| place(d) as u32), name));
    }
    Ok(())
}

/// `{x: 4, y: 4, z: 2}`.
fn triple(value: &Value, least: u32) -> Result<[u32; 3], Wrong> {
    let number = |key: &str| {
        let value = value.need(key)?;
        let number = value.text(key)?.parse::<u32>().ok().filter(|&n| n >= least);
        number.map_or_else(|| wrong(value.at, format!("{key} is a whole number from {least}")), Ok)
    };
    Ok([number("x")?, number("y")?, number("z")?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_entry_is_read() {
        let text = "---\n- topology: a\n  cluster_default: false\n  flat: true\n- topology: b\n  \
                    cluster_default: true\n  tree:\n    switches:\n      - switch: s0\n        nodes: \
                    n[1-2]\n      - {switch: s1, children: s0}\n";
        let Layout::Tree(all) = layout(text).map_err(|w| w.why).unwrap() else { panic!("no tree") };
        assert_eq!((all[0].nodes.len(), all[1].switches.len()), (2, 1));
    }

    #[test]
    fn regions_lie_in_a_torus() {
        let text = "- topology: t\n  torus3d:\n    toruses:\n    - name: t\n      dims: {x: 4, y: 2, z: 1}\n      \
                    regions:\n      - anchor: {x: 3, y: 0, z: 0}\n        dims: {x: 2, y: 1, z: 1}\n        \
                    nodes: n[1-2]\n";
        let Layout::Torus(torus) = layout(text).map_err(|w| w.why).unwrap() else {
            panic!("no torus")
        };
        let places: Vec<[u32; 3]> = torus.nodes.iter().map(|(place, _)| *place).collect();
        assert_eq!(places, [[3, 0, 0], [0, 0, 0]]);
    }

    #[test]
    fn mistakes_have_places() {
        for (line, part, text) in [
            (2, "exactly one of", "- topology: a\n"),
            (3, "flat", "- topology: a\n  cluster_default: true\n  flat: true\n"),
            (3, "alias", "- topology: &x a\n  tree:\n    switches: *x\n"),
            (4, "'switch' is missing", "- topology: a\n  tree:\n    switches:\n    - nodes: n1\n"),
            (
                5,
                "goes down",
                "- topology: a\n  tree:\n    switches:\n    - switch: s\n      nodes: n[3-1]\n",
            ),
            (
                3,
                "second",
                "- topology: a\n  ring: {rings: [{ring: r, nodes: 'a,b'},\n   {ring: q, nodes: 'c,d'}]}\n",
            ),
            (2, "", "- topology: a\n  tree: [\n"),
        ] {
            let wrong = layout(text).expect_err(text);
            let at = text[..wrong.at.min(text.len())].matches('\n').count() + 1;
            assert!(wrong.why.contains(part), "{text}: {}", wrong.why);
            assert!(part.is_empty() || at + 1 >= line, "{text}: line {at}: {}", wrong.why);
        }
    }
}
