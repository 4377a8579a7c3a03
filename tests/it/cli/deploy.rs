//! `ccsched deploy` from outside: the folder, what it replaces and what it refuses, and the batch script.
#![cfg(unix)]

use crate::support::program::{Desk, Ended, example};
use ccsched::export::Subject;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// A folder with two leaves of four hosts, with links to a spine of twice the capacity of a host's.
fn desk() -> Desk {
    let hosts = (1..=8).map(|n| format!("leaf{} n{n} 1\n", (n + 3) / 4));
    let text = hosts.collect::<String>() + "leaf1 spine 2\nleaf2 spine 2\n";
    Desk::with(&[("fabric.edges", &text)])
}

fn run(desk: &Desk, args: &str) -> Ended {
    desk.run(&format!("deploy -t fabric.edges --terminals n* --time-limit 20s {args}"))
}

/// The names of files in a list.
fn files(list: &Value) -> Vec<&str> {
    list["files"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn a_job_gets_all_that_it_needs() {
    let desk = desk();
    run(&desk, "--host-list n[8-1] -o job").refused(&["--host-list n[8-1]: "]);
    assert!(!desk.at("job/README.md").exists());
    let args = "--host-list n[5-8,1-4] -c alltoall,MPI_Allgather,allreduce,reduce-scatter \
                --against mpich,pairwise --bytes 1K..16M -o job";
    let ended = run(&desk, args).with(0);
    assert_eq!(ended.err, "", "{}", ended.out);
    let read = |name: &str| desk.read(&format!("job/{name}"));
    let list = desk.value("job/deploy.json");
    let names = files(&list);
    for name in ["README.md", "times.csv", "rankfile", "hosts", "Makefile", "alltoall.json"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    for name in &names {
        assert!(desk.at("job").join(name).is_file(), "{name}");
    }
    let order = ["n5", "n6", "n7", "n8", "n1", "n2", "n3", "n4"];
    assert_eq!(read("hosts").lines().collect::<Vec<_>>(), order);
    assert_eq!(read("rankfile").lines().nth(4), Some("rank 4=n1 slot=0"));
    assert_eq!(list["ranks"], serde_json::json!(order));
    // All schedules are valid, for these ranks in this order.
    let schedules: Vec<&&str> = names.iter().filter(|n| n.ends_with(".json")).collect();
    assert!(schedules.len() >= 4, "{names:?}");
    for name in schedules.into_iter().filter(|name| !name.ends_with("book.json")) {
        let file = desk.schedule(&format!("job/{name}"));
        let subject = Subject::of(&file).unwrap();
        let ranks = subject.problem.processes().iter().map(|&v| subject.name(v));
        assert_eq!(ranks.collect::<Vec<_>>(), order, "{name}");
    }
    // 32 blocks over links of capacity 2, both ways: eight steps. Pairs take nine or eleven.
    let alltoall = &list["collectives"][0];
    assert_eq!(alltoall["schedules"][0]["steps"], 8);
    assert_eq!(alltoall["least_bytes"], (32 << 10) + 1);
    // A line for each algorithm and length, and that of the schedule.
    let times = read("times.csv");
    assert_eq!(times.lines().next(), Some("collective,bytes,algorithm,us"));
    let us = |line: &str| -> f64 {
        let row = times.lines().find(|row| row.starts_with(line)).expect(line);
        row.rsplit(',').next().unwrap().parse().unwrap()
    };
    let mb = f64::from(1 << 20) * 0.5e-3;
    assert!((us("alltoall,1048576,ccsched,") - 8.0 * (1.0 + mb)).abs() < 1e-3);
    assert!((us("alltoall,1048576,pairwise,") - (7.0 + 9.0 * mb)).abs() < 1e-3);
    assert!((us("alltoall,1048576,pairwise-xor,") - (7.0 + 11.0 * mb)).abs() < 1e-3);
    assert!((us("alltoall,1048576,linear,") - (7.0 + 8.0 * mb)).abs() < 1e-3);
    let readme = read("README.md");
    for part in ["--host-list 'n[5-8,1-4]'", "make\n", "LD_PRELOAD=", "-n 8 ", "from 32769"] {
        assert!(readme.contains(part), "{part}: {readme}");
    }
    // The same again is the same, with the same files.
    run(&desk, args).with(0);
    assert_eq!(read("README.md"), readme);
    assert_eq!(read("times.csv"), times);
}

#[test]
fn a_folder_keeps_what_is_not_of_a_deployment() {
    let desk = desk();
    let path = |name: &str| desk.at(name);
    let args = "-c allgather,alltoall --bytes 64K --least-bytes 1 -o job";
    fs::create_dir(path("job")).unwrap();
    desk.write("job/mine.c", "");
    run(&desk, args).refused(&["--output: ", "mine.c"]);
    assert_eq!(fs::read_dir(path("job")).unwrap().count(), 1);
    fs::remove_file(path("job/mine.c")).unwrap();
    run(&desk, args).with(0);
    // Files of one's own stay, also when the next deployment has fewer files.
    desk.write("job/mine.c", "mine");
    run(&desk, "-c alltoall --bytes 64K --least-bytes 1 -o job").with(0);
    assert!(!path("job/allgather.json").exists() && path("job/alltoall.json").exists());
    assert_eq!(desk.read("job/mine.c"), "mine");
    // A file in the way of the next one is not overwritten.
    desk.write("job/allgather.json", "mine");
    run(&desk, args).refused(&["allgather.json is there"]);
    assert_eq!(desk.read("job/allgather.json"), "mine");
    // A list of something else is none.
    desk.write("job/deploy.json", "{\"format\": \"other\"}");
    run(&desk, args).refused(&["deploy.json"]);
}

#[test]
fn names_of_files_in_a_list_lead_nowhere_else() {
    let desk = desk();
    let path = |name: &str| desk.at(name);
    fs::create_dir(path("job")).unwrap();
    desk.write("kept", "");
    let forged = format!(
        "{{\"format\": \"ccsched-deploy/1\", \"files\": [\"../kept\", {:?}]}}",
        path("fabric.edges")
    );
    desk.write("job/deploy.json", forged);
    run(&desk, "--bytes 1K --least-bytes 1 -o job").with(0);
    assert!(path("kept").exists() && path("fabric.edges").exists());
}

#[test]
fn nothing_is_written_for_a_look() {
    let desk = desk();
    let args = "-c allgather --routing destination --bytes 1K,1M --dry-run";
    let out = run(&desk, args).with(0).out;
    for part in ["8 ranks on ", "routes: destination", "| collective | ", "recursive-doubling"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert_eq!(desk.names(), ["fabric.edges"]);
    let line = &run(&desk, &format!("{args} --json")).lines()[0];
    assert_eq!(
        (&line["format"], &line["routing"]),
        (&"ccsched-deploy/1".into(), &"destination".into())
    );
    assert_eq!(line["collectives"].as_array().unwrap().len(), 1);
}

/// The routes of a table that is made are written: forwarding tables of a fabric, else a network.
#[test]
fn routes_that_are_made_are_files() {
    let desk = desk();
    run(&desk, "--bytes 64K --least-bytes 1 --routing destination -o job").with(0);
    let solved = desk.run("solve -t job/network.toml -c alltoall --steps 8 -q").with(0);
    assert_eq!(solved.err, "");
    let fabric = example("leaf-spine.ibnetdiscover");
    let read = format!("-t {fabric} --equal-links -c alltoall --host-list n1,n2,n3,n4 -q");
    let deploy =
        format!("deploy {read} --routing destination --time-limit 5 -o fabric --least-bytes 1");
    desk.refuse(&deploy, &["--routing: destination: "]);
    desk.out(&format!("{deploy} --separate-cables"));
    desk.out(&format!("solve {read} --routes fabric/opensm-lfts"));
}

#[test]
fn what_no_library_takes_is_refused_by_its_flag() {
    let desk = desk();
    for (args, part) in [
        ("-c broadcast --dry-run", "--collective: oab is none of alltoall"),
        ("-c alltoall,nothing --dry-run", "unknown collective 'nothing'"),
        ("--against rings --dry-run", "--against: unknown algorithm 'rings'; known: "),
        ("--pieces 2 --dry-run", "--pieces: "),
        ("--senders n1 --dry-run", "--senders: "),
        ("-c allreduce --parts 1 --dry-run", "--parts: "),
        ("--bytes 1K", "--output"),
    ] {
        run(&desk, args).refused(&[part]);
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
