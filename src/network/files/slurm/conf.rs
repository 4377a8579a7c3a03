//! `topology.conf`: lines of `Key=Value` pairs. Keys may be in any case, `#` begins a comment, a
//! backslash at the end of a line joins it to the next.
//!
//! `scontrol show topology` prints such lines too, with more keys: `Level` of a switch, which then has
//! all nodes below it, `BlockIndex` and `BlockSize` of a block.

use super::layout::{Group, Layout, Switch, list, name};
use crate::files::lines::{full, lines, short};
use crate::files::mistake::{Wrong, place, wrong};
use ccsched_base::limits::HOSTS;
use std::borrow::Cow;

/// The keys that begin a line.
const FIRST: [&str; 4] = ["switchname", "blockname", "blocksizes", "ringname"];

/// Whether the first line begins with a key of the file, or names another file.
pub fn recognises(text: &str) -> bool {
    let Some(first) = full(text, &['#']).next() else { return false };
    let key = first.split_once('=').map(|(key, _)| key.trim().to_lowercase());
    key.is_some_and(|key| FIRST.contains(&key.as_str())) || included(first).is_some()
}

/// The file that a line `Include FILE` names.
fn included(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let is_include = words.next()?.eq_ignore_ascii_case("include");
    words.next().filter(|_| is_include && words.next().is_none())
}

/// What the file says.
pub fn layout(text: &str) -> Result<Layout, Wrong> {
    let mut left = HOSTS;
    let (mut switches, mut blocks, mut rings) = (Vec::new(), Vec::new(), Vec::new());
    for (at, line) in joined(text) {
        if let Some(file) = included(&line) {
            let why = format!(
                "Include {}: other files are not read; put the lines of that file here",
                short(file)
            );
            return wrong(at, why);
        }
        let pairs = pairs(at, &line)?;
        let Some((key, _)) = pairs.first() else { continue };
        match key.as_str() {
            "switchname" => switches.push(switch(at, &pairs, &mut left)?),
            "blockname" => blocks.push(group(at, &pairs, &mut left)?),
            "ringname" => rings.push(group(at, &pairs, &mut left)?),
            // How Slurm puts blocks together for its jobs.
            "blocksizes" => known(at, &pairs, &["blocksizes"])?,
            // The blocks that it has put together.
            "aggregatedblock" => (),
            _ => {
                let why = format!(
                    "'{}': a line begins with SwitchName, BlockName, BlockSizes or RingName",
                    short(key)
                );
                return wrong(at, why);
            }
        }
    }
    match (switches.is_empty(), blocks.is_empty(), rings.len()) {
        (false, true, 0) => Ok(Layout::Tree(switches)),
        (true, false, 0) => Ok(Layout::Blocks(blocks)),
        (true, true, 1) => Ok(rings.pop().map_or(Layout::Tree(switches), Layout::Ring)),
        (true, true, 0) => wrong(0, "the file has no switch, block or ring"),
        (true, true, _) => {
            let at = rings[1].at;
            wrong(at, "a second ring; no link joins rings, so one of them is read: keep one")
        }
        _ => wrong(0, "the file mixes switches, blocks and rings; Slurm uses one kind"),
    }
}

/// The lines, without comments, those that end in a backslash joined to the next, with the place of
/// the first.
fn joined(text: &str) -> Vec<(usize, Cow<'_, str>)> {
    let mut all: Vec<(usize, Cow<str>)> = Vec::new();
    let mut open = false;
    for line in lines(text) {
        let at = place(text, line);
        let line = line.split_once('#').map_or(line, |(before, _)| before);
        let (line, goes_on) = match line.trim_end().strip_suffix('\\') {
            Some(before) => (before, true),
            None => (line, false),
        };
        match all.last_mut() {
            Some((_, before)) if open => before.to_mut().push_str(line),
            _ => all.push((at, Cow::Borrowed(line))),
        }
        open = goes_on;
    }
    all
}

/// The pairs of a line; keys in small letters.
fn pairs(at: usize, line: &str) -> Result<Vec<(String, &str)>, Wrong> {
    let pair = |word| {
        let Some((key, value)) = str::split_once(word, '=') else {
            return wrong(at, format!("'{}' is no pair Key=Value", short(word)));
        };
        let value = value.trim_matches('"');
        Ok((key.to_lowercase(), value))
    };
    line.split_whitespace().map(pair).collect()
}

/// Refuses keys that do not belong into a line, and keys that are given twice.
fn known(at: usize, pairs: &[(String, &str)], keys: &[&str]) -> Result<(), Wrong> {
    for (i, (key, _)) in pairs.iter().enumerate() {
        if !keys.contains(&key.as_str()) {
            let known = keys.join(", ");
            return wrong(at, format!("'{}' is no key of this line; they are {known}", short(key)));
        }
        if pairs[..i].iter().any(|(before, _)| before == key) {
            return wrong(at, format!("'{key}' is given twice"));
        }
    }
    Ok(())
}

/// The value of a key.
fn get<'p>(pairs: &'p [(String, &str)], key: &str) -> Option<&'p str> {
    pairs.iter().find(|(known, _)| known == key).map(|(_, value)| *value)
}

fn switch(at: usize, pairs: &[(String, &str)], left: &mut usize) -> Result<Switch, Wrong> {
    known(at, pairs, &["switchname", "level", "linkspeed", "nodes", "switches"])?;
    let name = name(at, pairs[0].1)?;
    let level = match get(pairs, "level").map(|text| (text, text.parse())) {
        None => None,
        Some((_, Ok(level))) => Some(level),
        Some((text, Err(_))) => {
            return wrong(at, format!("Level={}: a level is a whole number from 0", short(text)));
        }
    };
    let mut below = |key| get(pairs, key).map_or(Ok(Vec::new()), |text| list(at, text, left));
    Ok(Switch { at, name, level, switches: below("switches")?, nodes: below("nodes")? })
}

fn group(at: usize, pairs: &[(String, &str)], left: &mut usize) -> Result<Group, Wrong> {
    let kind = pairs[0].0.as_str();
    let shown = if kind == "blockname" { &["blockindex", "blocksize"][..] } else { &[] };
    known(at, pairs, &[&[kind, "nodes"], shown].concat())?;
    let name = name(at, pairs[0].1)?;
    let nodes = match get(pairs, "nodes").unwrap_or("") {
        "" => Vec::new(),
        nodes => list(at, nodes, left)?,
    };
    Ok(Group { at, name, nodes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_joined_and_keys_are_of_any_case() {
        let text = "# a comment\nSWITCHNAME=s0 nodes=a[1-2],\\\nb LinkSpeed=9 # x\n\nSwitchName=s1 Switches=s0\n";
        let Layout::Tree(all) = layout(text).unwrap() else { panic!("no tree") };
        assert_eq!(all[0].nodes, ["a1", "a2", "b"]);
        assert_eq!(
            (all[1].at, &all[1].switches[..]),
            (text.find("SwitchName").unwrap(), &["s0".into()][..])
        );
    }

    #[test]
    fn mistakes_have_places() {
        let first = "SwitchName=s0 Nodes=a\n";
        for (line, part) in [
            ("Nodes=a", "begins with SwitchName"),
            ("SwitchName=s1 Nodes", "no pair"),
            ("SwitchName=s1 Nodes=a Nodes=b", "given twice"),
            ("SwitchName=s1 Colour=red", "no key"),
            ("SwitchName= Nodes=a", "no name"),
            ("SwitchName=s1 Nodes=a[1-", "without its ']'"),
            ("SwitchName=s1 Nodes=a[0-9999999]", "more than"),
            ("SwitchName=s1 Nodes=", "empty"),
        ] {
            let wrong = layout(&format!("{first}{line}\n")).expect_err(line);
            assert!(wrong.at == first.len() && wrong.why.contains(part), "{line}: {}", wrong.why);
        }
        for (text, part) in [
            ("BlockName=b Nodes=a\nSwitchName=s Nodes=b", "mixes"),
            ("RingName=r Nodes=a,b\nRingName=q Nodes=c,d", "second ring"),
            ("BlockSizes=1", "no switch"),
        ] {
            let wrong = layout(text).expect_err(text);
            assert!(wrong.why.contains(part), "{text}: {}", wrong.why);
        }
    }
}
