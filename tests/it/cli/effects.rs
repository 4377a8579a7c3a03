//! Each option of `solve` in each form of a problem is used, refused, or told to have no
//! effect, once: nothing is silently in vain.

use crate::support::program::{Desk, Ended};
use crate::support::share::some;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Forms of a problem.
const FORMS: &[(&str, &str)] = &[
    ("steps", "-t NET -c aas"),
    ("stored", "-t NET -c aab --switching sf --ports 1"),
    ("broadcast", "-t NET -c oab --ports 1"),
    ("time", "-t NET --traffic p.csv"),
    ("timed", "-t NET --traffic p.csv --minimize timed"),
    ("sums", "-t NET -c all-reduce"),
    ("whole", "-t NET -c all-reduce-whole --pieces 2"),
    ("groups", "-t NET --group g.txt"),
    ("reduced", "-t NET --group r.txt"),
    ("summed", "-t NET --traffic s.txt"),
    ("combined", "-t NET --traffic c.csv"),
    ("scan", "-t NET -c scan"),
    ("hosts", "-t NET -c aog --switching hosts --relays none"),
    ("trees", "-t NET -c aab --multicast switch"),
    ("hgsa", "-t NET -c aas --engine hgsa"),
    ("umda", "-t NET -c aab --engine umda"),
    ("static", "-t static.toml -c aas --engine liquid"),
    ("several", "-t NET -t ring:5 -c aas"),
    ("read", "-t net.csv -c aas"),
];

/// The network of most forms: no constructor is at its bounds.
const NET: &str = "random-regular:12,3,1";

/// Options with a value, as one types them.
const OPTIONS: &[&str] = &[
    "--source 1",
    "--senders 0,1",
    "--receivers 0,1",
    "--host-list 0,1,2,3",
    "--host-list best:4",
    "--group g.txt",
    "--traffic q.csv",
    "--traffic shift:2",
    "--add-up",
    "--switching sf",
    "--ports 2",
    "--pieces 3",
    "--pieces 1K",
    "--pieces auto",
    "--relays hosts",
    "--multicast switch",
    "--routing slack:1",
    "--fail 0-5",
    "--slow 0-5=1/2",
    "--delay 0-5=2us",
    "--read one-way",
    "--read separate-cables",
    "--read uplinks=2",
    "--read terminals=a,b,c",
    "--read local-width=2",
    "--per-node 2",
    "--steps 40",
    "--spare 1",
    "--minimize time",
    "--minimize timed",
    "--from first.json",
    "--seed 7",
    "--islands 2",
    "--table",
    "--export csv=x.csv",
    "--export rank-file=ranks",
    "--proof proof",
    "--json",
    "--progress json",
    "--progress csv=t.csv",
    "--checkpoint state",
    "--engine hgsa",
    "--engine hgsa --set hgsa:swaps=0.5,umda:population=20",
    "--set auto:symmetry=false",
    "--set hgsa:swaps=0.5",
    "--set hgsa:radius=2",
    "--set hgsa:shortening=off",
    "--set umda:population=20",
    "--set islands:every=5",
    "--set islands:group=2",
    "--set islands:graph=ring",
    "--set islands:migrants=2",
    "--set islands:choice=best",
    "--cost t0=5",
    "--cost tr=3",
    "--cost t1=7",
    "--cost rate=1Gbit/s",
    "--cost hop-energy=2",
    "--bytes 4K",
];

/// What is left as it is, with the reason.
const AS_IT_IS: &[(&str, &str, &str)] = &[
    ("--minimize time", "time timed", "that of the form"),
    ("--minimize timed", "timed", "that of the form"),
    ("--engine hgsa", "hgsa", "that of the form"),
    ("--multicast switch", "trees", "that of the form"),
    (
        "--steps 40",
        "stored broadcast sums whole groups hosts",
        "the fewest steps are found at once",
    ),
    ("--add-up", "time timed", "no two messages have the same ends"),
];

/// Options whose effect is none of these: limits, how files are read, what is said.
const OTHERS: &[&str] = &[
    "topology",
    "collective",
    "routes",
    "read",
    "set",
    "cost",
    "color",
    "output",
    "force",
    "quiet",
    "verbose",
    "help",
    "time-limit",
    "iterations",
    "gap",
    "memory",
    "wall-margin",
];

/// All that shows of a run.
#[derive(PartialEq)]
struct Ran {
    status: i32,
    out: String,
    err: String,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

/// Files of a problem.
struct Inputs(Desk);

impl Inputs {
    fn new() -> Self {
        let desk = Desk::with(&[
            ("q.csv", "0,1,3000\n1,2,500\n"),
            ("g.txt", "allgather 0-2\nallgather 3-5\n"),
            ("r.txt", "reducescatter 0-2\nreduce 3-5\n"),
            ("s.txt", "allreduce 0-2\nallgather 3-5\n"),
            ("c.csv", "0;1;2,5,3000\n3;4,0,500\n"),
            ("net.csv", "source,target\na,b\nb,c\nc,d\nd,a\na,c\n"),
        ]);
        let ends = (0..12u32).flat_map(|a| (0..12u32).map(move |b| (a, b)));
        let length = |a, b| (a * 7919 + b * 104_729) % 997 * 10 + 100;
        let ends = ends.filter(|(a, b)| a != b);
        let rows: Vec<String> = ends.map(|(a, b)| format!("{a},{b},{}", length(a, b))).collect();
        desk.write("p.csv", rows.join("\n"));
        desk.out(&format!("solve -q -t {NET} -c aas --iterations 1 --seed 3 -o first.json"));
        desk.out(&format!("routes -t {NET} -c aas --time-limit 1 -o static.toml"));
        Inputs(desk)
    }

    /// Runs a line beside copies of the files.
    fn run(&self, line: &str) -> Ran {
        let desk = Desk::new();
        for name in self.0.names() {
            desk.write(&name, std::fs::read(self.0.at(&name)).unwrap());
        }
        std::fs::create_dir(desk.at("out")).unwrap();
        let several = line.matches("-t ").count() > 1;
        let output = if several { "out" } else { "out/s.json" };
        let Ended { status, out, err } =
            desk.run(&format!("solve {line} --iterations 20 -o {output}"));
        let mut files = BTreeMap::new();
        read_all(desk.path(), &mut files);
        for name in self.0.names() {
            files.remove(&desk.at(&name));
        }
        let inside = |(path, bytes): (PathBuf, _)| {
            (path.strip_prefix(desk.path()).unwrap().to_path_buf(), bytes)
        };
        let files = files.into_iter().map(inside).collect();
        Ran { status, out: untimed(&out), err: untimed(&err), files }
    }
}

fn read_all(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => read_all(&path, files),
            false => drop(files.insert(path.clone(), std::fs::read(path).unwrap())),
        }
    }
}

/// A text without the seconds that a run has taken.
fn untimed(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let is_time = |i: usize| {
        words
            .get(i + 1)
            .is_some_and(|unit| unit.starts_with("s\n") || *unit == "s" || unit.starts_with("s;"))
    };
    let kept = (0..words.len()).filter(|&i| !is_time(i)).map(|i| words[i]);
    kept.collect::<Vec<_>>().join(" ")
}

/// A warning that is told more than once.
fn twice(err: &str) -> Option<&str> {
    let warnings: Vec<&str> = err.lines().filter(|line| line.starts_with("warn: ")).collect();
    (1..warnings.len()).find(|&i| warnings[..i].contains(&warnings[i])).map(|i| warnings[i])
}

#[test]
fn no_option_is_silently_in_vain() {
    let inputs = Inputs::new();
    let mut vain = Vec::new();
    for (name, form) in FORMS {
        let form = form.replace("NET", NET);
        let plain = inputs.run(&form);
        assert_eq!(plain.status, 0, "{name}: {}", plain.err);
        for option in some(OPTIONS) {
            let ran = inputs.run(&format!("{form} {option}"));
            let is_known = |(of, forms, _): &&(&str, &str, &str)| {
                of == option && forms.split(' ').any(|form| form == *name)
            };
            if ran == plain && !AS_IT_IS.iter().any(|row| is_known(&row)) {
                vain.push(format!("{name}: {option}"));
            }
            // Of two networks each has its own line.
            let warning = twice(&ran.err).filter(|_| *name != "several");
            if let Some(warning) = warning {
                vain.push(format!("{name}: {option}: told twice: {warning}"));
            }
        }
    }
    assert!(vain.is_empty(), "{}", vain.join("\n"));
}

#[test]
fn all_options_are_tried() {
    let help = Desk::new().out("solve --help");
    let of_line = |line: &str| {
        let (_, long) = line.split_once("--")?;
        let is_first = line.trim_start().starts_with('-');
        let end = long.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(long.len());
        is_first.then(|| long[..end].to_string())
    };
    for option in help.lines().filter_map(of_line) {
        let is_tried = OPTIONS
            .iter()
            .any(|line| line.trim_start_matches('-').split(' ').next() == Some(option.as_str()));
        assert!(is_tried || OTHERS.contains(&option.as_str()), "--{option}: name it here");
    }
}
