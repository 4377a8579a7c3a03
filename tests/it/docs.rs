//! The pages of the documentation: prose fits 100 columns, and links between files lead somewhere.

use std::fs;
use std::path::{Path, PathBuf};

const COLUMNS: usize = 100;

/// Pages that programs write, with lines as they come.
const GENERATED: &[&str] = &["benchmarks.md", "compare.md", "reproduction.md"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All pages in the root and in docs/.
fn pages() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in [root().to_path_buf(), root().join("docs")] {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        found.extend(files.filter(|file| file.extension().is_some_and(|e| e == "md")));
    }
    found.sort();
    assert!(found.len() > 15, "{found:?}");
    found
}

/// Numbers of the lines of prose that are too long. Tables, code and pictures are free.
fn too_long(text: &str) -> Vec<usize> {
    let mut in_fence = false;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        in_fence ^= line.starts_with("```");
        let begin = line.trim_start();
        let is_free = in_fence
            || line.starts_with("    ")
            || ["|", "![", "```"].iter().any(|mark| begin.starts_with(mark));
        if !is_free && line.chars().count() > COLUMNS {
            lines.push(number);
        }
    }
    lines
}

/// The targets of links of the form `](target)` that name files.
fn targets(text: &str) -> Vec<&str> {
    let ends = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let names = ends.map(|(target, _)| target.split('#').next().unwrap_or_default());
    names.filter(|name| !name.is_empty() && !name.contains("://")).collect()
}

#[test]
fn prose_fits_a_hundred_columns() {
    let long = "x".repeat(COLUMNS + 1);
    assert_eq!(too_long(&format!("{long}\n| {long}\n    {long}\n- {long}\n")), [1, 4]);
    let is_generated = |page: &Path| GENERATED.iter().any(|name| page.ends_with(name));
    let wrong: Vec<String> = (pages().iter())
        .filter(|page| !is_generated(page))
        .flat_map(|page| {
            let text = fs::read_to_string(page).unwrap();
            too_long(&text).into_iter().map(move |line| format!("{}:{line}", page.display()))
        })
        .collect();
    assert!(wrong.is_empty(), "lines of more than {COLUMNS} columns:\n{}", wrong.join("\n"));
}

#[test]
fn links_lead_to_files() {
    let mut checked = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for target in targets(&text) {
            assert!(page.parent().unwrap().join(target).exists(), "{}: {target}", page.display());
            checked += 1;
        }
    }
    assert!(checked > 30, "only {checked} links were read");
}
