//! The tasks of docs/cookbook.md run, and print what the page says.

use std::path::Path;
use std::process::Command;

/// The commands of the page, each with the lines that it prints.
fn tasks() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut tasks: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in include_str!("../../docs/cookbook.md").lines() {
        let Some(line) = line.strip_prefix("    ") else { continue };
        match line.strip_prefix("$ ") {
            Some(command) => tasks.push((command, Vec::new())),
            None => tasks.last_mut().expect("a command").1.push(line),
        }
    }
    tasks
}

#[test]
fn every_task_prints_what_the_page_says() {
    let folder = tempfile::tempdir().unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_ccsched")).parent().unwrap().to_path_buf();
    let old = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(programs).chain(std::env::split_paths(&old)));
    let path = path.unwrap();
    let tasks = tasks();
    assert!(tasks.len() > 20, "{tasks:?}");
    for (command, lines) in tasks {
        let shell = Command::new("sh")
            .args(["-c", command])
            .current_dir(folder.path())
            .env("PATH", &path)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&shell.stdout);
        let errors = String::from_utf8_lossy(&shell.stderr);
        assert!(shell.status.success(), "{command}: {errors}");
        if lines.is_empty() {
            continue;
        }
        let plain = |text: &str| text.trim().lines().map(str::trim).collect::<Vec<_>>().join("\n");
        let (said, told) = (plain(&said), plain(&lines.join("\n")));
        let pieces: Vec<&str> = told.split("..").map(str::trim).collect();
        let mut rest = &*said;
        for (place, piece) in pieces.iter().enumerate() {
            let is_last = place > 0 && place + 1 == pieces.len();
            let found = if is_last { rest.rfind(piece) } else { rest.find(piece) };
            let Some(at) = found else { panic!("{command}: no '{piece}' in\n{rest}") };
            assert!(place > 0 || at == 0, "{command}: '..' is missing before '{piece}' in\n{rest}");
            rest = &rest[at + piece.len()..];
        }
        let is_open = pieces.last().is_some_and(|piece| piece.is_empty());
        assert!(is_open || rest.trim().is_empty(), "{command}: '..' is missing before\n{rest}");
    }
}
