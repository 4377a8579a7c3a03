//! The batch scripts name the files of a search by all that makes it another one.
#![cfg(unix)]

use crate::support::program::shell;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The words that a script passes to `mpirun`, a program that prints them.
fn words(folder: &Path, script: &str, variables: &[(&str, &str)], options: &[&str]) -> Vec<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(script);
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap());
    let mut command = shell();
    command.arg(script).args(options).current_dir(folder).env("PATH", path);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(String::from).collect()
}

fn after<'w>(words: &'w [String], option: &str) -> &'w str {
    &words[words.iter().position(|word| word == option).unwrap() + 1]
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("bin")).unwrap();
    fs::create_dir_all(folder.path().join("a b")).unwrap();
    for program in ["mpirun", "ccsched-mpi"] {
        let path = folder.path().join("bin").join(program);
        fs::write(&path, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for network in ["my net.toml", "a b/my net.toml"] {
        fs::write(folder.path().join(network), "").unwrap();
    }
    folder
}

#[test]
fn other_searches_have_other_files() {
    let folder = folder();
    let of = |options: &[&str]| {
        let words = words(folder.path(), "ccsched.sbatch", &[], options);
        let (output, checkpoint) = (after(&words, "-o"), after(&words, "--checkpoint"));
        assert_eq!(output.strip_suffix(".json"), checkpoint.strip_suffix(".checkpoint"));
        output.to_string()
    };
    assert_eq!(of(&[]), "./kautz-3-2-aas.json");
    for same in [&["--topology=torus:8x8", "-caab"], &["-ttorus:8x8", "--collective=aab"]] {
        assert_eq!(of(same), "./torus-8x8-aab.json");
    }
    let searches: [&[&str]; 8] = [
        &["-t", "ring:8"],
        &["-t", "ring:8", "--seed", "7"],
        &["-t", "ring:8", "--seed=7"],
        &["-t", "ring:8", "--fail-link", "0-1"],
        &["-t", "ring:8", "--ports", "1"],
        &["-t", "my net.toml"],
        &["-t", "a b/my net.toml"],
        &["-t", "a b/my net.toml", "--fail-node", "x y"],
    ];
    let files: BTreeSet<String> = searches.iter().map(|options| of(options)).collect();
    assert_eq!(files.len(), searches.len(), "{files:?}");
    // More time is for the same search.
    let more = ["-t", "ring:8", "--seed", "7", "--iterations", "9", "--time-limit=9", "-q"];
    assert_eq!(of(&more), of(searches[1]));
}

#[test]
fn lines_of_a_list_may_quote_names_with_blanks() {
    let folder = folder();
    let line = |text: &str| {
        fs::write(folder.path().join("list.txt"), text).unwrap();
        let of =
            |script, task| words(folder.path(), script, &[("JOBS", "list.txt"), (task, "1")], &[]);
        let [slurm, pbs] =
            [of("ccsched.sbatch", "SLURM_ARRAY_TASK_ID"), of("ccsched.pbs", "PBS_ARRAY_INDEX")];
        assert_eq!(after(&slurm, "-o"), after(&pbs, "-o"));
        slurm
    };
    let words = line("-t 'my net.toml' --fail-node \"x y\" -c oas\n");
    assert_eq!(after(&words, "-t"), "my net.toml");
    assert_eq!(after(&words, "--fail-node"), "x y");
    let output = after(&words, "-o").to_string();
    assert!(output.starts_with("./list-1-"), "{output}");
    assert_ne!(after(&line("-t ring:8 -c oas\n"), "-o"), output, "another line, another search");
}
