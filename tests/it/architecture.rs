//! The packages of the workspace form a tower that Cargo keeps: a package uses those that its manifest
//! names. This reads what Cargo does not: the rooms inside a package, what the checker may use, and circles
//! of files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The packages, lowest first.
const PACKAGES: &[&str] =
    &["base", "network", "model", "verify", "bounds", "engines", "run", "tools", "lab", "cli"];

/// Packages with rooms of their own, lowest first. Rooms of one floor must not use each other.
const ROOMS: &[(&str, &[&[&str]])] = &[
    ("model", &[&["problem"], &["bound", "symmetry", "routing"], &["schedule"]]),
    (
        "engines",
        &[
            &["ground", "parameter"],
            &["row"],
            &["engine"],
            &["policy"],
            &["journeys", "regroup", "sized"],
            &["reduce"],
            &["construct"],
            &["search"],
            &["hgsa", "umda", "exact"],
            &["auto"],
            &["opening", "registry"],
        ],
    ),
    ("run", &[&["comm"], &["islands"], &["solve"], &["regroup", "repair"]]),
    ("tools", &[&["fold", "show", "export", "import"], &["tradeoff"], &["deploy"]]),
];

/// What the checker may use: it shares no code with what makes schedules, but for threads.
const CHECKER_USES: &[(&str, &[&str])] =
    &[("ccsched_base::", &["cores"]), ("ccsched_model::", &["schedule"])];

/// The first names of all paths after this root, without comments.
fn first_names(text: &str, root: &str) -> BTreeSet<String> {
    let code: String = text
        .lines()
        .map(|line| line.split_once("//").map_or(line, |(code, _)| code).to_string() + "\n")
        .collect();
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(root) {
        let is_path = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
        if is_path {
            collect(&code[at + root.len()..], &mut names);
        }
    }
    names
}

/// The first name of a path, or those of all paths in braces.
fn collect(path: &str, names: &mut BTreeSet<String>) {
    let Some(list) = path.strip_prefix('{') else {
        let name: String = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        names.insert(name);
        return;
    };
    let (mut depth, mut begin) = (0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                let item = list[begin..at].trim();
                if !item.is_empty() {
                    collect(item, names);
                }
                begin = at + 1;
                if c == '}' {
                    return;
                }
            }
            _ => {}
        }
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The re-exports of a face: name and room.
fn reexports(lib: &str) -> BTreeMap<String, String> {
    let mut map = BTreeMap::new();
    for statement in lib.split("pub use ").skip(1) {
        let statement = statement.split(';').next().unwrap_or_default();
        let (room, names) = statement.split_once("::").expect("a room and names");
        for name in names.split(|c: char| !c.is_alphanumeric() && c != '_') {
            map.insert(name.to_string(), room.to_string());
        }
    }
    map
}

/// The text of a file without its tests.
fn without_tests(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.split("\nmod tests {").next().unwrap_or_default().to_string()
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Each package is told of by docs/architecture.md and stands above all that it uses.
#[test]
fn packages_are_in_their_order() {
    let mut members: Vec<String> = fs::read_dir(source())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().join("Cargo.toml").exists())
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    members.sort_by_key(|name| PACKAGES.iter().position(|package| package == name));
    assert_eq!(members, PACKAGES);
    for (at, package) in PACKAGES.iter().enumerate() {
        let manifest = fs::read_to_string(source().join(package).join("Cargo.toml")).unwrap();
        let manifest = manifest.split("[dev-dependencies]").next().unwrap();
        let own = manifest.lines().filter_map(|line| line.strip_prefix("ccsched-"));
        for used in own.map(|rest| rest.split(['.', ' ']).next().unwrap()) {
            let floor = PACKAGES.iter().position(|package| *package == used).unwrap();
            assert!(floor < at, "{package} uses {used}");
        }
    }
}

#[test]
fn the_checker_uses_schedules_alone() {
    let mut paths = Vec::new();
    files(&source().join("verify"), &mut paths);
    for path in &paths {
        let text = fs::read_to_string(path).unwrap();
        let all =
            first_names(&text, "ccsched_").into_iter().map(|name| format!("ccsched_{name}::"));
        for package in all {
            let known = CHECKER_USES.iter().find(|(of, _)| *of == package);
            let rooms = known.unwrap_or_else(|| panic!("{} uses {package}", path.display())).1;
            for room in first_names(&text, &package) {
                assert!(rooms.contains(&&*room), "{} uses {package}{room}", path.display());
            }
        }
    }
    assert!(paths.len() > 20);
}

/// The rooms of its package that a file names, by `crate::` or by `super::`.
fn rooms_used(file: &str, text: &str, known: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut names = first_names(text, "crate::");
    let depth = file.trim_end_matches("/mod.rs").matches('/').count();
    // Without more of them behind, those that lead to the root itself.
    let supers = "super::".repeat(depth);
    names.extend(first_names(text, &supers).into_iter().filter(|name| name != "super"));
    names.into_iter().map(|name| known.get(&name).cloned().unwrap_or(name)).collect()
}

#[test]
fn no_arrow_inside_a_package_points_up() {
    let (mut arrows, mut up) = (0, BTreeSet::new());
    for (package, rooms) in ROOMS {
        let face = fs::read_to_string(source().join(package).join("lib.rs")).unwrap();
        let known = reexports(&face.replace("pub(crate) use", "pub use"));
        let on = |room: &str| rooms.iter().position(|floor| floor.contains(&room));
        let mut paths = Vec::new();
        files(&source().join(package), &mut paths);
        for path in paths.iter().filter(|path| !path.ends_with("tests.rs")) {
            let file = path.strip_prefix(source()).unwrap().to_str().unwrap().replace('\\', "/");
            let room = file.split(['/', '.']).nth(1).unwrap().to_string();
            if room == "lib" {
                continue;
            }
            let from = on(&room).unwrap_or_else(|| panic!("'{room}' has no floor in {package}"));
            for to in rooms_used(&file, &without_tests(path), &known) {
                let Some(floor) = on(&to).filter(|_| to != room) else { continue };
                arrows += 1;
                if floor >= from {
                    up.insert(format!("src/{file} uses {to}"));
                }
            }
        }
    }
    assert!(arrows > 150, "only {arrows} arrows were read");
    assert_eq!(up, BTreeSet::new(), "move what is used down, or its user up");
}

/// A third value of these is to be seen by the compiler: `match` on them, or ask their methods.
#[test]
fn switching_and_content_are_not_compared() {
    let mut paths = Vec::new();
    files(&source(), &mut paths);
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        for (line, at) in text.lines().zip(1..) {
            let compares = ["Switching", "Content"].iter().any(|name| {
                [format!("== {name}::"), format!("!= {name}::")].iter().any(|it| line.contains(it))
            });
            let is_other = path.ends_with("cli/commands/reproduce.rs");
            assert!(!compares || is_other, "{}:{at}: {}", path.display(), line.trim());
        }
    }
}

#[test]
fn paths_are_read_in_all_positions() {
    let text = "use crate::{a::{b, c}, Error, d};\nuse crate::e::f;\n// use crate::g;\n\
                /// [`crate::h`]\nfn x() { crate::i::y(); mycrate::j(); let z: crate::K = 1; }\n\
                pub(in crate::l) fn w() {}\nuse crate::{\n    m,\n    n::{\n        o,\n    },\n};\n";
    let names: Vec<String> = first_names(text, "crate::").into_iter().collect();
    assert_eq!(names, ["Error", "K", "a", "d", "e", "i", "l", "m", "n"]);
    let map = reexports("pub use error::{Error, Result};\npub use solve::solve;\n");
    assert_eq!(map["Result"], "error");
    assert_eq!(map["solve"], "solve");
}

/// Circles of files that use each other, for now: some of the files of each, and why. A file and the
/// face of a folder above it are no circle: a face lists its files, which use what it shares.
const CIRCLES: &[(&[&str], &str)] = &[
    (
        &["network/graph.rs", "network/routes.rs"],
        "a network has fixed routes, which are checked and looked up in the network",
    ),
    (
        &[
            "run/islands/assembly.rs",
            "run/islands/master/mod.rs",
            "run/islands/run/ranks.rs",
            "run/islands/tasks/task.rs",
        ],
        "a rank that serves a run also serves tasks, and a task is a run of its own",
    ),
];

/// The paths of a text: those of `use`, without the list at the end, and those in code that begin
/// with `crate` or `super`, or with a module that the file declares.
fn paths(text: &str) -> Vec<(bool, Vec<String>)> {
    let text = text.split("\nmod tests {").next().unwrap_or_default();
    let code: String = text
        .lines()
        .map(|line| line.split_once("//").map_or(line, |(code, _)| code).to_string() + "\n")
        .collect();
    let mut found = Vec::new();
    let mut rest = String::new();
    // By statement, because a list of `use` may have several lines.
    for statement in code.split_inclusive([';', '{', '}']) {
        rest.push_str(statement);
        let begins = rest.trim_start().trim_start_matches("pub(crate) ").trim_start_matches("pub ");
        let is_open = rest.matches('{').count() > rest.matches('}').count();
        let is_use =
            begins.starts_with("use ") || begins.contains("\nuse ") || begins.contains(") use ");
        if is_use && (is_open || !statement.ends_with(';')) {
            continue;
        }
        if is_use {
            let at = rest.find("use ").unwrap_or(0);
            let is_shown = rest[..at].contains("pub");
            let tree = rest[at + 4..].trim_end_matches(';').split_whitespace().collect::<Vec<_>>();
            expand("", &tree.join(" "), &mut |path| found.push((is_shown, path)));
        } else {
            for word in rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':') {
                if word.contains("::") {
                    let names = word.split("::").filter(|name| !name.is_empty());
                    found.push((false, names.map(String::from).collect()));
                }
            }
        }
        rest.clear();
    }
    found
}

/// All paths of a tree of `use`.
fn expand(before: &str, tree: &str, found: &mut impl FnMut(Vec<String>)) {
    if let Some((first, list)) = tree.split_once('{') {
        let (mut depth, mut begin) = (0, 0);
        let list = list.trim_end().trim_end_matches('}').to_string() + ",";
        // The last brace of an inner list may have been cut off, too.
        for (at, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth <= 0 || at + 1 == list.len() => {
                    let item = list[begin..at].trim();
                    if !item.is_empty() {
                        expand(&format!("{before}{first}"), item, found);
                    }
                    begin = at + 1;
                }
                _ => {}
            }
        }
        return;
    }
    let path = format!("{before}{tree}");
    let path = path.split(" as ").next().unwrap_or_default();
    found(path.split("::").map(|name| name.trim().to_string()).collect());
}

/// The modules of the library: path and file.
fn modules() -> BTreeMap<Vec<String>, (String, String)> {
    let source = source();
    let mut all = Vec::new();
    files(&source, &mut all);
    let mut modules = BTreeMap::new();
    for path in all {
        let file = path.strip_prefix(&source).unwrap().to_str().unwrap().replace('\\', "/");
        let names = file.trim_end_matches(".rs").trim_end_matches("/mod").trim_end_matches("/lib");
        if !file.starts_with("bin/") && file != "lib.rs" {
            let names = names.split('/').map(String::from).collect();
            modules.insert(names, (file, fs::read_to_string(&path).unwrap()));
        }
    }
    modules
}

/// By file, those that it uses, but for the faces of folders above it and the files below it.
fn uses() -> BTreeMap<String, BTreeSet<String>> {
    let modules = modules();
    let absolute = |of: &[String], path: &[String]| -> Option<Vec<String>> {
        let supers = path.iter().take_while(|name| *name == "super").count();
        let (base, rest) = match path[0].as_str() {
            "crate" => (of[..1].to_vec(), &path[1..]),
            "self" => (of.to_vec(), &path[1..]),
            "super" => (of[..of.len().checked_sub(supers)?].to_vec(), &path[supers..]),
            name => {
                let below = [of, &[name.to_string()]].concat();
                (of.to_vec(), modules.contains_key(&below).then_some(path)?)
            }
        };
        let rest = rest.iter().filter(|name| *name != "self").cloned();
        Some(base.into_iter().chain(rest).collect())
    };
    // What a module's `use` brings in, which others reach through it.
    let (mut names, mut all) = (BTreeMap::new(), Vec::new());
    for (module, (_, text)) in &modules {
        for (is_shown, path) in paths(text) {
            let Some(path) = absolute(module, &path) else { continue };
            if let Some(last) = path.last() {
                names
                    .entry([&module[..], std::slice::from_ref(last)].concat())
                    .or_insert(path.clone());
            }
            if !is_shown {
                all.push((module, path));
            }
        }
    }
    let module_of = |mut path: Vec<String>| -> Option<Vec<String>> {
        for _ in 0..9 {
            let n = (1..=path.len()).rev().find(|&n| modules.contains_key(&path[..n]))?;
            let shown = path.get(..n + 1).and_then(|name| names.get(name));
            match shown {
                Some(other) if *other != path[..n + 1] => {
                    path = [&other[..], &path[n + 1..]].concat();
                }
                _ => return Some(path[..n].to_vec()),
            }
        }
        None
    };
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, path) in all {
        let Some(to) = module_of(path) else { continue };
        if !module.starts_with(&to) && !to.starts_with(module) {
            uses.entry(modules[module].0.clone()).or_default().insert(modules[&to].0.clone());
        }
    }
    uses
}

/// Files that reach each other, in groups of at least two.
fn circles(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<BTreeSet<String>> {
    let reached = |from: &String| {
        let (mut met, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(file) = open.pop() {
            for to in uses.get(file).into_iter().flatten() {
                if met.insert(to.clone()) {
                    open.push(to);
                }
            }
        }
        met
    };
    let all: BTreeMap<&String, BTreeSet<String>> =
        uses.keys().map(|file| (file, reached(file))).collect();
    let mut found = BTreeSet::new();
    for (file, met) in all.iter().filter(|(file, met)| met.contains(**file)) {
        let back = |to: &&String| all.get(to).is_some_and(|met| met.contains(*file));
        found.insert(met.iter().filter(back).cloned().collect::<BTreeSet<_>>());
    }
    found.into_iter().collect()
}

#[test]
fn circles_of_files_are_few_and_explained() {
    let uses = uses();
    let count: usize = uses.values().map(BTreeSet::len).sum();
    assert!(count > 1000, "only {count} uses were read");
    let circles = circles(&uses);
    assert!(CIRCLES.len() <= 4 && CIRCLES.iter().all(|(_, why)| !why.is_empty()));
    for circle in &circles {
        let is_known = |(files, _): &&(&[&str], &str)| files.iter().all(|f| circle.contains(*f));
        let within: Vec<String> = circle
            .iter()
            .map(|file| {
                format!("{file} uses {:?}", uses[file].intersection(circle).collect::<Vec<_>>())
            })
            .collect();
        assert!(
            CIRCLES.iter().any(|known| is_known(&known)),
            "a new circle:\n{}",
            within.join("\n")
        );
    }
    assert_eq!(circles.len(), CIRCLES.len(), "CIRCLES holds circles that are gone: {circles:?}");
}

#[test]
fn circles_are_found() {
    let some = [("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), ("e", "a"), ("f", "g"), ("g", "f")];
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (a, b) in some {
        uses.entry(a.to_string()).or_default().insert(b.to_string());
    }
    let found: Vec<String> =
        circles(&uses).iter().map(|c| c.iter().cloned().collect::<Vec<_>>().concat()).collect();
    assert_eq!(found, ["bc", "fg"]);
    let text = "use a::{b, c::{d, e}};\npub use super::f as g;\nfn x() { h::i(j); }\n";
    let found: Vec<String> = paths(text).iter().map(|(_, path)| path.join("::")).collect();
    assert_eq!(found, ["a::b", "a::c::d", "a::c::e", "super::f", "h::i"]);
}
