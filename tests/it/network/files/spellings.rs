//! One graph in many spellings: each is read as the graph, or refused with a reason. The graph itself is
//! the truth; the seeds are fixed.

use super::text;
use ccsched::Error;
use ccsched::network::Network;
use ccsched::network::files::Reading;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Rng;
use std::collections::{BTreeMap, BTreeSet};

/// A connected graph: names, and links with their capacities.
struct Graph {
    names: Vec<String>,
    links: Vec<(usize, usize, u32)>,
}

/// Names of vertices, by kind.
fn names(n: usize, kind: usize) -> Vec<String> {
    let name = |i: usize| match kind {
        0 => i.to_string(),
        1 => (i + 1).to_string(),
        2 => format!("box{}", i + 1),
        3 => (100 + 7 * i).to_string(),
        4 => {
            ["switch", "hub", "a", "b", "x", "Zürich", "n-1", "x.y", "e", "mid", "w", "k"][i].into()
        }
        _ => char::from(b'a' + i as u8).to_string(),
    };
    (0..n).map(name).collect()
}

fn graph(rng: &mut Rng) -> Graph {
    let n = rng.random_range(3..=12);
    let names = names(n, rng.random_range(0..6));
    let mut links: Vec<(usize, usize, u32)> =
        (1..n).map(|i| (rng.random_range(0..i), i, rng.random_range(1..5))).collect();
    for _ in 0..rng.random_range(0..n) {
        let (a, b) = (rng.random_range(0..n), rng.random_range(0..n));
        let is_new = links.iter().all(|&(c, d, _)| (c, d) != (a, b) && (d, c) != (a, b));
        if a != b && is_new {
            links.push((a, b, rng.random_range(1..5)));
        }
    }
    // The first links of many files are in order.
    if rng.random_range(0..2) == 0 {
        for i in (1..links.len()).rev() {
            links.swap(i, rng.random_range(0..=i));
        }
    }
    for link in &mut links {
        if rng.random_range(0..3) == 0 {
            *link = (link.1, link.0, link.2);
        }
    }
    Graph { names, links }
}

/// What a spelling says of the capacities.
#[derive(Clone, Copy, PartialEq)]
enum Widths {
    /// Nothing: all are 1.
    None,
    /// The capacities.
    All,
    /// Speeds of which they are multiples of 25 Gbit/s, that may have a common divisor.
    Speeds,
}

/// The names of the spellings, and what they have of the capacities.
const SPELLINGS: [(&str, Widths); 14] = [
    ("pairs", Widths::None),
    ("counts", Widths::None),
    ("a count alone", Widths::None),
    ("heading", Widths::None),
    ("comments", Widths::None),
    ("third words", Widths::All),
    ("counts and third words", Widths::All),
    ("columns of weights", Widths::All),
    ("units", Widths::Speeds),
    ("speeds in CSV", Widths::Speeds),
    ("semicolons, marks at the ends", Widths::None),
    ("both directions, tabs", Widths::None),
    ("sep=", Widths::All),
    ("cables", Widths::None),
];

fn spelled(graph: &Graph, spelling: usize) -> String {
    let Graph { names, links } = graph;
    let (n, m) = (names.len(), links.len());
    let rows = |line: &dyn Fn(usize, &str, &str, u32) -> String| -> String {
        let row = |(i, &(a, b, w)): (usize, &(usize, usize, u32))| line(i, &names[a], &names[b], w);
        links.iter().enumerate().map(row).collect()
    };
    let pairs = rows(&|_, a, b, _| format!("{a} {b}\n"));
    let thirds = rows(&|_, a, b, w| format!("{a} {b} {w}\n"));
    match spelling {
        0 => pairs,
        1 => format!("{n} {m}\n{pairs}"),
        2 => format!("{n}\n{pairs}"),
        3 => format!("from to\n{pairs}"),
        4 => {
            let mark = ["#", "%", "//", ";"];
            let row = |i: usize, a: &str, b: &str, _| {
                format!("{} a comment\n\n  {a}  {b}   # its end\r\n", mark[i % 4])
            };
            rows(&row)
        }
        5 => thirds,
        6 => format!("{n} {m}\n{thirds}"),
        7 => format!(
            "source,target,latency,weight\n{}",
            rows(&|i, a, b, w| format!("{a},{b},{i},{w}\n"))
        ),
        8 => rows(&|_, a, b, w| format!("{a} {b} {}Gbps\n", 25 * w)),
        9 => format!(
            "speed_gbps,from,to\n{}",
            rows(&|_, a, b, w| format!("{}.0,\"{a}\",{b}\n", 25 * w))
        ),
        10 => format!("\u{feff}{}", rows(&|_, a, b, _| format!("{a}\u{200b};\u{a0}{b} \r\n"))),
        11 => rows(&|_, a, b, _| format!("{a}\t{b}\n{b}\t{a}\n")),
        12 => format!("sep=;\nfrom;to;capacity\n{}", rows(&|_, a, b, w| format!("{a};{b};{w}\n"))),
        _ => {
            let row = |i: usize, a: &str, b: &str, _| match i % 2 {
                0 => format!("{a},p{i},{b},q{i},active\n"),
                // A cable may be listed by both ends.
                _ => format!("{a},p{i},{b},q{i},active\n{b},q{i},{a},p{i},planned\n"),
            };
            format!("Device A,Port A,Device B,Port B,Status\n{}", rows(&row))
        }
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The names of the ends of links, in order, with the capacity between them in each direction.
type Ends = BTreeMap<(String, String), u32>;

/// The vertices and links that a spelling stands for.
fn truth(graph: &Graph, widths: Widths) -> (BTreeSet<String>, Ends) {
    let common = graph.links.iter().fold(0, |common, link| gcd(common, link.2));
    let mut ends = Ends::new();
    for &(a, b, w) in &graph.links {
        let width = match widths {
            Widths::None => 1,
            Widths::All => w,
            Widths::Speeds => w / common,
        };
        for (from, to) in [(a, b), (b, a)] {
            ends.insert((graph.names[from].clone(), graph.names[to].clone()), width);
        }
    }
    (graph.names.iter().cloned().collect(), ends)
}

fn found(net: &Network) -> (BTreeSet<String>, Ends) {
    let name = |v: u32| net.vertex_name(v).to_string();
    let mut ends = Ends::new();
    for channel in net.channels() {
        *ends.entry((name(channel.from), name(channel.to))).or_default() += channel.capacity;
    }
    ((0..net.vertices().len() as u32).map(name).collect(), ends)
}

#[test]
fn a_graph_is_read_in_every_spelling_or_refused_with_a_reason() {
    let mut rng = Rng::seed_from_u64(2311);
    let mut refused = vec![Vec::new(); SPELLINGS.len()];
    for _ in 0..500 {
        let graph = graph(&mut rng);
        for (s, (what, widths)) in SPELLINGS.into_iter().enumerate() {
            let file = spelled(&graph, s);
            match text(&file, &Reading::default()) {
                Ok(net) => assert_eq!(found(&net), truth(&graph, widths), "{what}:\n{file}"),
                Err(Error::File { why, .. }) => refused[s].push((why, file)),
                Err(other) => panic!("{what}: {other}\n{file}"),
            }
        }
    }
    // What may be two things is refused; that is seldom.
    for ((what, _), refused) in SPELLINGS.iter().zip(refused) {
        let most = match *what {
            "counts" => 80,
            "third words" | "counts and third words" => 80,
            _ => 10,
        };
        let first = refused.first();
        assert!(refused.len() <= most, "{what}: {} refused, first {first:?}", refused.len());
        let reasons =
            ["numbers of vertices and", "all third words are vertices", "looks like a tag"];
        let odd =
            refused.iter().find(|(why, _)| !reasons.iter().any(|reason| why.contains(reason)));
        assert!(odd.is_none(), "{what}: {odd:?}");
    }
}

#[test]
fn names_that_look_equal_are_refused_in_lists() {
    let mut rng = Rng::seed_from_u64(77);
    for i in 0..60 {
        let mut graph = graph(&mut rng);
        graph.names = names(graph.names.len(), 2);
        let lines = spelled(&graph, 0);
        // One name of several is written with a sign that is not seen, or a letter of another script.
        let odd = ["bo\u{200b}x1", "b\u{43e}x1", "box\u{ad}1"][i % 3];
        let (before, after) = lines.split_once("box1 ").unwrap_or(("", &lines));
        let changed = format!("{before}{odd} {after}");
        let times = lines.split_whitespace().filter(|word| *word == "box1").count();
        if times > 1 && lines.contains("box1 ") {
            let why = text(&changed, &Reading::default()).unwrap_err().to_string();
            assert!(why.contains("looks like 'box1'") && why.contains("U+"), "{why}\n{changed}");
        }
    }
}
