//! Random traffics, written as spreadsheets, programs and people write them, are read as what they are.

use ccsched::network::files::Notices;
use ccsched::network::{Network, NetworkBuilder};
use ccsched::problem::{Names, matrix_file, pairs_file};
use ccsched::rng::{Rng, rng_of};
use rand::RngExt;
use std::collections::BTreeMap;
use std::fs;

/// Messages by source and destination.
type Traffic = BTreeMap<(usize, usize), u64>;

fn points(names: &[String]) -> Network {
    let mut net = NetworkBuilder::new("points");
    names.iter().for_each(|name| {
        net.terminal(name);
    });
    net.build().unwrap()
}

fn one_of<'t>(rng: &mut Rng, all: &[&'t str]) -> &'t str {
    all[rng.random_range(0..all.len())]
}

/// A number of bytes in one of its spellings.
fn bytes(rng: &mut Rng, number: u64) -> String {
    match rng.random_range(0..6) {
        0 => format!("{number}.0"),
        1 => format!("{number}e0"),
        2 if number.is_multiple_of(1024) => format!("{}K", number / 1024),
        3 if number.is_multiple_of(1024) => format!("{}KiB", number / 1024),
        4 if number.is_multiple_of(1000) => format!("{}e3", number / 1000),
        _ => number.to_string(),
    }
}

/// Lines of cells as text. Nothing stands for a cell that may be left out.
fn written(rng: &mut Rng, rows: &[Vec<String>]) -> String {
    let sign = one_of(rng, &[",", ";", "\t", " ", " , ", "   "]);
    let is_table = !sign.trim().is_empty() || sign == "\t";
    let end = one_of(rng, &["\n", "\r\n"]);
    let mut text = String::from(one_of(rng, &["", "\u{feff}"]));
    if sign == ";" && rng.random_bool(0.3) {
        text = format!("sep=;{end}");
    }
    for row in rows {
        if rng.random_bool(0.2) {
            text += &format!("{}{end}", one_of(rng, &["", "# note", "% a, b", "// x; y", "  "]));
        }
        let cells = row.iter().map(|cell| match rng.random_bool(0.2) || cell.contains(' ') {
            true => format!("\"{cell}\""),
            false if cell.is_empty() => {
                one_of(rng, if is_table { &["", "-", "NA"] } else { &["-", "NA"] }).into()
            }
            false => cell.clone(),
        });
        let line = cells.collect::<Vec<_>>().join(sign);
        let after = one_of(rng, if is_table { &["", " ", "\u{200b}", ",,"] } else { &["", "  "] });
        let after = after.replace(',', sign.trim_matches(' '));
        text += &format!("{line}{after}{end}");
    }
    text
}

/// The names of four to six terminals, and whether numbers are ranks.
fn names(rng: &mut Rng) -> (Vec<String>, bool) {
    let number = rng.random_range(4..=6);
    let kind = rng.random_range(0..4);
    let name = |i: usize| match kind {
        0 => format!("n{}", i + 1),
        1 => i.to_string(),
        2 => format!("host {i}"),
        _ => (i + 1).to_string(),
    };
    ((0..number).map(name).collect(), kind == 0 || kind == 2)
}

#[test]
fn pairs_and_matrices_are_read_in_every_spelling() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traffic");
    for seed in 0..500 {
        let rng = &mut rng_of(seed, 0, 0);
        let (names, by_rank) = names(rng);
        let (n, net) = (names.len(), points(&names));
        let mut traffic = Traffic::new();
        for _ in 0..rng.random_range(1..=8) {
            let ends = (rng.random_range(0..n), rng.random_range(0..n));
            let length = rng.random_range(1..=9u64) * one_length(rng);
            traffic.insert(ends, length);
        }
        if traffic.keys().all(|(a, b)| a == b) {
            traffic.insert((0, 1), 1);
        }
        let by_rank = by_rank && rng.random_bool(0.3);
        let name = |i: usize| if by_rank { i.to_string() } else { names[i].clone() };
        let is_matrix = rng.random_bool(0.5);
        let text = match is_matrix {
            true => {
                let has_names = rng.random_bool(0.5);
                let mut rows: Vec<Vec<String>> = Vec::new();
                if has_names {
                    rows.push(["to".to_string()].into_iter().chain((0..n).map(name)).collect());
                }
                for i in 0..n {
                    let mut row: Vec<String> = has_names.then(|| name(i)).into_iter().collect();
                    row.extend((0..n).map(|j| {
                        let number = traffic.get(&(i, j)).copied();
                        // An empty first cell would be the corner above names.
                        let zero = if rng.random_bool(0.3) && (i, j) != (0, 0) { "" } else { "0" };
                        number.map_or(zero.into(), |number| bytes(rng, number))
                    }));
                    rows.push(row);
                }
                written(rng, &rows)
            }
            false => {
                let columns = [
                    one_of(rng, &["source", "SRC", "from", "Sender"]),
                    one_of(rng, &["destination", "dst", "To", "receiver"]),
                    one_of(rng, &["bytes", "Size", "length", "message size"]),
                ];
                let order = if rng.random_bool(0.5) { [0, 1, 2] } else { [2, 0, 1] };
                let is_named = order[0] == 2 || rng.random_bool(0.5);
                let put = |cells: [String; 3]| order.map(|i| cells[i].clone()).to_vec();
                let mut rows = Vec::new();
                rows.extend(is_named.then(|| put(columns.map(String::from))));
                for (&(a, b), &number) in &traffic {
                    rows.push(put([name(a), name(b), bytes(rng, number)]));
                }
                written(rng, &rows)
            }
        };
        fs::write(&path, &text).unwrap();
        let known = Names::of(&net);
        let found = match is_matrix {
            true => matrix_file::read(&path, &known, false),
            false => pairs_file::read(&path, &known, &Notices::default()),
        };
        let found = found.unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        let place = |name: &str| names.iter().position(|other| other == name).unwrap();
        let found: Traffic = found
            .iter()
            .map(|p| ((place(&p.source), place(&p.destination)), p.bytes.unwrap()))
            .collect();
        traffic.retain(|(a, b), _| a != b);
        assert_eq!(found, traffic, "seed {seed}\n{text}");
    }
}

/// A factor of lengths.
fn one_length(rng: &mut Rng) -> u64 {
    [1, 1000, 1024][rng.random_range(0..3usize)]
}

#[test]
fn changed_files_are_read_or_refused_with_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traffic");
    let names: Vec<String> = ["a", "b", "c"].map(String::from).into();
    let net = points(&names);
    let known = Names::of(&net);
    let texts = [
        "src,dst,bytes\na,b,5\nb,c,64K\n",
        ";a;b;c\na;;5;\nb;1;;7\nc;\"1\";2;\n",
        "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n3 1\n",
        "a b 1e3\nb c -\n",
    ];
    let odd = [
        "\"",
        ",",
        ";",
        "\t",
        "\n",
        "\r",
        "-",
        "1e999",
        "9999999999999999999",
        "é",
        "\u{feff}",
        "%%",
        "",
    ];
    for seed in 0..2000 {
        let rng = &mut rng_of(seed, 1, 0);
        let mut text = one_of(rng, &texts).to_string();
        for _ in 0..rng.random_range(1..=3) {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let at = places.get(rng.random_range(0..=places.len())).copied().unwrap_or(text.len());
            let end = at
                + text[at..].chars().next().map_or(0, char::len_utf8)
                    * usize::from(rng.random_bool(0.5));
            text.replace_range(at..end, one_of(rng, &odd));
        }
        fs::write(&path, &text).unwrap();
        let pairs = pairs_file::read(&path, &known, &Notices::default());
        for found in [pairs, matrix_file::read(&path, &known, true)] {
            let right = match &found {
                Ok(pairs) => pairs.iter().all(|p| p.source != p.destination && p.bytes != Some(0)),
                Err(why) => why.to_string().contains("traffic:"),
            };
            assert!(right, "seed {seed}: {found:?}\n{text}");
        }
    }
}
