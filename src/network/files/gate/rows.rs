//! What the rows of a list are that are no links: neighbours of vertices, pairs with tags, settings; and
//! names that look equal.

use crate::files::alike;
use crate::files::lines::short;
use crate::files::list::{List, Row};
use crate::files::mistake::{Wrong, wrong};
use std::collections::HashSet;

/// Words that stand before a pair in some formats, or before a number in lists of settings.
const TAGS: [&str; 20] = [
    "arc", "arcs", "edge", "edges", "link", "links", "node", "nodes", "vertex", "vertices",
    "router", "routers", "host", "hosts", "switches", "tier", "tiers", "import", "use", "set",
];

/// Refuses a list whose third words are vertices: neighbours of the first one, or capacities.
pub fn neighbours(list: &List, rows: &[Row]) -> Result<(), Wrong> {
    let mut ends = vec![false; list.words().len()];
    rows.iter().flat_map(|row| row.ends).for_each(|end| ends[end as usize] = true);
    let is_end = |row: &Row| row.third().is_some_and(|third| ends[third as usize]);
    let Some(row) = rows.first().filter(|_| rows.iter().all(is_end)) else { return Ok(()) };
    let word = |number: u32| list.word(number);
    let is_number = |row: &Row| row.third().is_some_and(|third| word(third).parse::<u32>().is_ok());
    let example =
        format!("'{} {} {}'", word(row.ends[0]), word(row.ends[1]), row.third().map_or("", word));
    if !rows.iter().all(is_number) {
        let why = format!(
            "{example}: all third words are vertices, as in a list of neighbours; write a line for each link"
        );
        return wrong(row.at as usize, why);
    }
    // Capacities are seldom as many as the lines, and none of a line's own ends.
    let mut firsts = HashSet::new();
    let mut thirds = HashSet::new();
    let once = rows.iter().all(|row| {
        firsts.insert(row.ends[0])
            && row.third().is_some_and(|third| {
                thirds.insert(third);
                !row.ends.contains(&third)
            })
    });
    if once && rows.len() > 1 && 2 * thirds.len() > rows.len() {
        let why = format!(
            "{example}: all third words are vertices, so this may be a list of neighbours, or a list of \
             links with capacities; write a line for each link, or name the columns in the first line: \
             from to capacity"
        );
        return wrong(row.at as usize, why);
    }
    Ok(())
}

/// Refuses a list in which a tag stands before each pair, or a word of a kind of things in each line.
pub fn tags(list: &List, rows: &[Row]) -> Result<(), Wrong> {
    let [row, ..] = rows else { return Ok(()) };
    let at = row.at as usize;
    let first = list.word(row.ends[0]);
    if rows.len() > 1 && rows.iter().all(|other| other.ends[0] == row.ends[0]) {
        let mut seconds = HashSet::new();
        seconds.extend(rows.iter().map(|row| row.ends[1]));
        let third = |row: &Row| row.third().is_some_and(|third| seconds.contains(&third));
        let number = |word: u32| list.word(word).bytes().all(|b| b.is_ascii_digit());
        let numbers = |row: &Row| number(row.ends[1]) && row.third().is_some_and(number);
        let is_letter = first.chars().count() == 1 && rows.iter().all(numbers);
        let tagged =
            rows.iter().all(|row| row.third().is_some()) && (is_letter || rows.iter().any(third));
        let is_tag = TAGS.contains(&first.to_lowercase().as_str());
        let is_letters = first.chars().all(char::is_alphabetic);
        if is_letters && (is_tag || tagged) {
            let why = format!(
                "every line begins with '{first}', which looks like a tag and no vertex: a line is two \
                 vertices, and a capacity if need be"
            );
            return wrong(at, why);
        }
    }
    // Settings: words before numbers, one of them a word that settings have.
    let number = |word: u32| list.word(word).parse::<f64>().is_ok();
    let setting = |row: &Row| !number(row.ends[0]) && number(row.ends[1]) && row.third().is_none();
    let is_kind = |row: &Row| TAGS.contains(&list.word(row.ends[0]).to_lowercase().as_str());
    if rows.iter().all(setting) && rows.iter().any(is_kind) {
        let why = format!(
            "'{first} {}': every line is a word and a number, which looks like settings and no links",
            list.word(row.ends[1])
        );
        return wrong(at, why);
    }
    Ok(())
}

/// Refuses names that look equal on a screen and are two.
pub fn alike(list: &List, rows: &[Row]) -> Result<(), Wrong> {
    let mut is_end = vec![false; list.words().len()];
    rows.iter().flat_map(|row| row.ends).for_each(|end| is_end[end as usize] = true);
    let ends: Vec<u32> =
        (0..list.words().len() as u32).filter(|&word| is_end[word as usize]).collect();
    let Some((a, b)) = alike::pair(ends.iter().map(|&word| list.word(word))) else { return Ok(()) };
    // The one of plain letters is the name that is meant.
    let [a, b] = if list.word(ends[b]).is_ascii() { [b, a] } else { [a, b] };
    let at = rows.iter().find(|row| row.ends.contains(&ends[b])).map_or(0, |row| row.at as usize);
    let [a, b] = [a, b].map(|i| list.word(ends[i]));
    let why = format!(
        "'{}' looks like '{}' and is another name: {}; write both alike, or rename one",
        short(b),
        short(a),
        alike::difference(a, b)
    );
    wrong(at, why)
}
