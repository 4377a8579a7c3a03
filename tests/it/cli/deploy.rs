//! `ccsched deploy` from outside: the folder, what it replaces and what it refuses, and the batch script.
#![cfg(unix)]

use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Two leaves of four hosts, with links to a spine of twice the capacity of a host's.
fn fabric(folder: &Path) {
    let hosts = (1..=8).map(|n| format!("leaf{} n{n} 1\n", (n + 3) / 4));
    let text = hosts.collect::<String>() + "leaf1 spine 2\nleaf2 spine 2\n";
    fs::write(folder.join("fabric.edges"), text).unwrap();
}

fn run(folder: &Path, args: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ccsched"));
    let args = format!("deploy -t fabric.edges --terminals n* --time-limit 20s {args}");
    let output = command.args(args.split_whitespace()).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fabric(folder.path());
    folder
}

#[test]
fn nothing_is_written_for_a_look() {
    let folder = folder();
    let args = "-c allgather --routing destination --bytes 1K,1M --dry-run";
    let (status, out, err) = run(folder.path(), args);
    assert_eq!(status, 0, "{err}");
    for part in ["8 ranks on ", "routes: destination", "| collective | ", "recursive-doubling"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let (_, out, _) = run(folder.path(), &format!("{args} --json"));
    let line: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&line["format"], &line["routing"]),
        (&"ccsched-deploy/1".into(), &"destination".into())
    );
    assert_eq!(line["collectives"].as_array().unwrap().len(), 1);
}

#[test]
fn what_no_library_takes_is_refused_by_its_flag() {
    let folder = folder();
    for (args, part) in [
        ("-c broadcast --dry-run", "--collective: oab is none of alltoall"),
        ("-c alltoall,nothing --dry-run", "unknown collective 'nothing'"),
        ("--against rings --dry-run", "--against: unknown algorithm 'rings'; known: "),
        ("--pieces 2 --dry-run", "--pieces: "),
        ("--senders n1 --dry-run", "--senders: "),
        ("-c allreduce --parts 1 --dry-run", "--parts: "),
        ("--bytes 1K", "--output"),
    ] {
        let (status, _, err) = run(folder.path(), args);
        assert!(status == 2 && err.contains(part), "{args}: {err}");
    }
}

/// A program in place of another, which writes its name and its words to a file.
fn fake(folder: &Path, name: &str, does: &str) {
    let path = folder.join("bin").join(name);
    fs::create_dir_all(folder.join("bin")).unwrap();
    fs::write(&path, format!("#!/bin/sh\necho {name} \"$@\" >>calls\n{does}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// What the batch script calls in a job with these tasks a node.
fn called(folder: &Path, tasks: &str, variables: &[(&str, &str)]) -> (i32, Vec<String>) {
    let _ = fs::remove_file(folder.join("calls"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/ccsched-deploy.sbatch");
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap());
    let job =
        [("SLURM_JOB_NODELIST", "n[1-2]"), ("SLURM_TASKS_PER_NODE", tasks), ("FOLDER", "job")];
    let mut command = Command::new("bash");
    command.arg(script).args(["./program", "an argument"]).current_dir(folder).env("PATH", path);
    let output = command.envs(job).envs(variables.iter().copied()).output().unwrap();
    let calls = fs::read_to_string(folder.join("calls")).unwrap_or_default();
    (output.status.code().unwrap(), calls.lines().map(String::from).collect())
}

#[test]
fn the_batch_script_deploys_builds_and_starts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let makes = "mkdir -p job; printf 'rank 0=n1\\nrank 1=n2\\n' >job/rankfile; touch job/Makefile";
    fake(folder, "ccsched", makes);
    fake(folder, "make", "touch job/libccsched-coll.so");
    fake(folder, "mpirun", "");
    fake(folder, "srun", "echo \"$SLURM_HOSTFILE\" >>calls");
    let job = fs::canonicalize(folder).unwrap().join("job");
    let job = job.to_str().unwrap();
    let (status, calls) = called(folder, "4(x2)", &[("ROUTES", "lfts"), ("OPTIONS", "--t0 2")]);
    assert_eq!((status, calls.len()), (0, 3), "{calls:?}");
    let deploy = "ccsched deploy -t /etc/slurm/topology.conf --host-list n[1-2] -c \
                  alltoall,allgather,allreduce --bytes 1K..16M --time-limit 30s --routes lfts \
                  --per-node 4 --t0 2 -o job -q";
    assert_eq!(calls[0], deploy);
    let library = format!("LD_PRELOAD={job}/libccsched-coll.so");
    let start = format!("mpirun -n 2 --rankfile {job}/rankfile -x {library} ./program an argument");
    assert_eq!(calls[2], start);
    let (_, calls) = called(folder, "1(x2)", &[("LAUNCHER", "srun"), ("SRUN_MPI", "pmi2")]);
    assert!(!calls[0].contains("--per-node"), "{calls:?}");
    assert!(
        calls[2].starts_with("srun --mpi=pmi2 --distribution=arbitrary --export=ALL,LD_PRELOAD=")
    );
    assert_eq!(calls[3], format!("{job}/hosts"));
    // Without a library the program runs all the same.
    for (tasks, does) in
        [("4,2", makes), ("2(x2),1", makes), ("4(x2)", "exit 2"), ("4(x2)", "mkdir -p job")]
    {
        fs::remove_dir_all(folder.join("job")).unwrap_or_default();
        fake(folder, "ccsched", does);
        let (status, calls) = called(folder, tasks, &[]);
        let last = calls.last().map(String::as_str);
        assert_eq!((status, last), (0, Some("mpirun ./program an argument")), "{tasks} {does}");
    }
    let (status, calls) = called(folder, "1", &[("LAUNCHER", "none")]);
    assert_eq!((status, calls.len()), (2, 0));
}
