//! `ccsched deploy` from outside: the folder, what it replaces and what it refuses, and the batch script.
#![cfg(unix)]

use crate::support::program::{Desk, Ended, example, shell};
use ccsched::export::Subject;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A folder with two leaves of four hosts, with links to a spine of twice the capacity of a host's.
fn desk() -> Desk {
    let hosts = (1..=8).map(|n| format!("leaf{} n{n} 1\n", (n + 3) / 4));
    let hosts: String = hosts.collect();
    let text = format!("from to capacity\n{hosts}leaf1 spine 2\nleaf2 spine 2\n");
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
    for name in ["README.md", "times.csv", "run", "hosts", "Makefile", "alltoall.json"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    for name in &names {
        assert!(desk.at("job").join(name).is_file(), "{name}");
    }
    let order = ["n5", "n6", "n7", "n8", "n1", "n2", "n3", "n4"];
    assert_eq!(read("hosts").lines().collect::<Vec<_>>(), order);
    for script in ["run", "tune"] {
        let mode = fs::metadata(desk.at("job").join(script)).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, (mode & 0o444) >> 2, "{script} {mode:o}");
    }
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
    for part in ["--host-list 'n[5-8,1-4]'", "\n\n    make\n", "./run PROGRAM", "from 32769"] {
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

/// Rows and columns of the ranks get schedules of their own beside those of all ranks.
#[test]
fn communicators_of_some_ranks_get_schedules() {
    let desk = desk();
    desk.write("grid", "allreduce n[1-4]\nallreduce n[5-8]\nallgather n[1,5]\n");
    let args = "--bytes 16K,1M --least-bytes 1 -c alltoall --group grid";
    let out = run(&desk, &format!("{args} -q -o job")).with(0).out;
    assert!(out.contains("; also schedules of 3 groups"), "{out}");
    assert!(out.contains("| allreduce, group 2 |") && out.contains("| allgather, group 3 |"));
    let manifest = desk.value("job/deploy.json");
    let ranks = |n: usize| manifest["groups"][n]["ranks"].clone();
    assert_eq!([ranks(1), ranks(2)].map(|r| r.as_array().unwrap().len()), [4, 2]);
    let table = desk.read("job/ccsched_table.c");
    for (name, hosts) in [("allreduce-group2-", "n5"), ("allgather-group3-", "n1")] {
        let file = files(&manifest).into_iter().find(|f| f.starts_with(name)).unwrap();
        desk.run(&format!("verify job/{file}")).with(0);
        assert!(table.contains(hosts));
    }
    assert!(desk.read("job/README.md").contains("A communicator of a group"));
    assert_eq!(desk.read("job/hosts").lines().count(), 8);
    for (group, part) in [
        ("barrier n[1-4]", "grid:1: barrier: "),
        ("alltoall n[1-4] bytes=4096", "--group: bytes= of aas"),
        ("alltoall n[1-9]", "n9"),
    ] {
        desk.write("grid", group);
        run(&desk, &format!("{args} --dry-run")).refused(&[part]);
    }
}

#[test]
fn help_has_what_the_command_takes() {
    let desk = Desk::new();
    let help = desk.out("deploy -h");
    for part in ["--bytes", "--against", "--least-bytes", "--host-list", "--group", "--routes"] {
        assert!(help.contains(part), "{part}: {help}");
    }
    for part in ["oab", "\n      --pairs", "\n      --piece-bytes"] {
        assert!(!help.contains(part), "{part}: {help}");
    }
    // No subcommand leaves out options of its own.
    for (command, own) in [("tradeoff", "--most-pieces"), ("routes", "--output")] {
        let help = desk.out(&format!("{command} -h"));
        assert!(help.contains(own), "{command} {own}: {help}");
    }
}

#[test]
fn speeds_are_told_and_taken_from_a_measurement() {
    let desk = desk();
    let args = "-c alltoall --bytes 64K,1M -q -o job";
    let out = run(&desk, args).with(0).out;
    let at = |part: &str| out.find(part).unwrap_or_else(|| panic!("{part}: {out}"));
    assert!(at("t1 = 0.5 ns a byte, which are no measured ones") < at("| collective "));
    let out = run(&desk, &format!("{args} --t1 2")).with(0).out;
    assert!(out.contains("t1 = 2 ns a byte\n"), "{out}");
    desk.write("job/ccsched.speeds", "--t0 12.50 --t1 0.8000\n# more\n");
    let out = run(&desk, args).with(0).out;
    let measured = "t0 = 12.5 us, tr = 0 us, t1 = 0.8 ns a byte, as measured on these hosts\n";
    assert!(out.contains(measured), "{out}");
    assert!(desk.read("job/README.md").contains("as measured on these hosts."));
    desk.write("job/ccsched.speeds", "nothing\n");
    run(&desk, args).refused(&["ccsched.speeds: line 1 is not --t0 US --t1 NS"]);
    // Rules that `tune` has written are in the way of no deployment; a file is.
    desk.write("job/ccsched.speeds", "--t0 12.50 --t1 0.8000\n");
    desk.write("job/openmpi.rules", "0\n");
    run(&desk, "-c allgather --against openmpi --bytes 64K,1M -q -o job").with(0);
    assert!(desk.read("job/openmpi.rules").len() > 2);
    run(&desk, "-c alltoall -q -o fabric.edges")
        .refused(&["fabric.edges is a file, and no folder"]);
    run(&desk, args).with(0);
    // A library of other schedules is no update of the folder.
    let export = "export job/alltoall.json --to preload -o job";
    desk.refuse(export, &["--output: job is the folder of a deployment"]);
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
        [("SLURM_JOB_NODELIST", "n[1-2]"), ("SLURM_TASKS_PER_NODE", tasks), ("FOLDERS", "jobs")];
    let mut command = shell();
    command.arg(script).args(["./program", "an argument"]).current_dir(folder).env("PATH", path);
    let output = command.envs(job).envs(variables.iter().copied()).output().unwrap();
    let calls = fs::read_to_string(folder.join("calls")).unwrap_or_default();
    (output.status.code().unwrap(), calls.lines().map(String::from).collect())
}

#[test]
fn the_batch_script_deploys_measures_and_starts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // A deployment of another program: its folder is the word after -o.
    let makes = "while [ $# -gt 1 ]; do [ \"$1\" != -o ] || job=$2; shift; done; mkdir -p $job
                 for own in run tune; do
                     printf '#!/bin/sh\\necho %s \"$LAUNCHER\" \"$@\" >>calls\\n' $own >$job/$own
                     chmod +x $job/$own
                 done";
    fake(folder, "ccsched", makes);
    fake(folder, "make", "");
    fake(folder, "mpirun", "");
    fake(folder, "srun", "");
    let words = [("ROUTES", "lfts"), ("OPTIONS", "--t0 2")];
    let (status, calls) = called(folder, "4(x2)", &words);
    assert_eq!((status, calls.len()), (0, 4), "{calls:?}");
    let deploy = "ccsched deploy -t /etc/slurm/topology.conf --host-list n[1-2] -c \
                  alltoall,allgather,allreduce --bytes 1K..16M --time-limit 30s --routes lfts \
                  --per-node 4 --t0 2 -o jobs/";
    assert!(calls[0].starts_with(deploy), "{calls:?}");
    assert_eq!(calls[2..], ["tune mpirun", "run mpirun ./program an argument"]);
    // The same job again takes what is there, another one does not.
    let (_, calls) = called(folder, "4(x2)", &words);
    assert_eq!(calls, ["run mpirun ./program an argument"]);
    let (_, calls) = called(folder, "1(x2)", &[("LAUNCHER", "srun"), ("TUNE", "0")]);
    assert!(!calls[0].contains("--per-node"), "{calls:?}");
    assert_eq!(calls[2..], ["run srun ./program an argument"]);
    // Without a library the program runs all the same.
    for (tasks, does) in [("4,2", makes), ("2(x2),1", makes), ("4(x2)", "exit 2")] {
        fs::remove_dir_all(folder.join("jobs")).unwrap_or_default();
        fake(folder, "ccsched", does);
        let (status, calls) = called(folder, tasks, &[]);
        let last = calls.last().map(String::as_str);
        assert_eq!((status, last), (0, Some("mpirun ./program an argument")), "{tasks} {does}");
    }
    for wrong in [("LAUNCHER", "none"), ("TUNE", "soon")] {
        let (status, calls) = called(folder, "1", &[wrong]);
        assert_eq!((status, calls.len()), (2, 0), "{wrong:?}");
    }
}

/// What `run` or `tune` of a folder says and calls, with other programs in place of launchers and make.
fn started(folder: &Path, words: &str, variables: &[(&str, &str)]) -> (i32, String, Vec<String>) {
    let _ = fs::remove_file(folder.join("calls"));
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap());
    let mut command = shell();
    command
        .args(["-c", words])
        .current_dir(folder)
        .env("PATH", path)
        .envs(variables.iter().copied());
    let output = command.output().unwrap();
    let calls = fs::read_to_string(folder.join("calls")).unwrap_or_default();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().unwrap_or(-1), said, calls.lines().map(String::from).collect())
}

/// A launcher that says what it is, and, asked whether ranks have the library, does this.
fn launcher(folder: &Path, name: &str, version: &str, check: &str) {
    let does = format!(
        "case \"$*\" in --version) echo '{version}' ;; *ccsched-check*) {check} ;; esac\n\
         echo \"$CCSCHED_HOSTS\" >hosts-of-ranks"
    );
    fake(folder, name, &does);
}

#[test]
fn scripts_of_a_folder_refuse_what_is_wrong_and_start_what_is_right() {
    let desk = desk();
    run(&desk, "-c alltoall --bytes 64K --least-bytes 1 -q -o job").with(0);
    let folder = desk.at("");
    launcher(&folder, "mpirun", "mpirun (Open MPI) 4.1.4", "");
    launcher(&folder, "srun", "slurm 22.05", "");
    fake(&folder, "make", "");
    for (words, part) in [
        ("job/run", "name the program"),
        ("job/run -x A ./program", "LAUNCHER_OPTIONS"),
        ("LAUNCHER=nothing job/run ./program", "LAUNCHER=nothing is not found"),
        ("LAUNCHER=true job/run ./program", "neither of Open MPI"),
        ("CPUS=0 job/run ./program", "CPUS=0: "),
        ("CPUS=99999999999999999999 job/run ./program", "CPUS=9999"),
        ("SECONDS_FOR_ALL=soon job/tune", "SECONDS_FOR_ALL=soon: "),
        ("cp -r job cut; printf n1 >cut/hosts; cut/run ./program", "the last one does not end"),
        ("cp -r job none; : >none/hosts; none/run ./program", "has no hosts"),
    ] {
        let (status, said, calls) = started(&folder, words, &[]);
        assert!(status == 2 && said.contains(part), "{words}: {status} {said}");
        assert!(calls.iter().all(|call| call == "mpirun --version"), "{words}: {calls:?}");
    }
    for help in ["job/run -h", "job/tune --help"] {
        assert_eq!(started(&folder, help, &[]).0, 0, "{help}");
    }
    // What the launcher is called with at last, and what is said.
    let last = |words: &str, variables: &[(&str, &str)]| {
        let (status, said, calls) = started(&folder, words, variables);
        assert_eq!(status, 0, "{words}: {said}");
        (calls.last().cloned().unwrap_or_default(), said)
    };
    for words in ["job/run ./program", "ln -s job/run link; ./link ./program"] {
        let (call, said) = last(words, &[("OMP_NUM_THREADS", "2,1")]);
        assert!(
            call.contains("-n 8 --rankfile /dev/fd/9 -x LD_PRELOAD="),
            "{words}: {call} {said}"
        );
        assert!(call.ends_with(" ./program") && said.is_empty(), "{words}: {call} {said}");
    }
    // The values of srun's --export end at a comma; others come by its environment.
    let names = "a,b,c,d,e,f,g,h";
    let (call, _) = last("job/run ./program", &[("LAUNCHER", "srun"), ("CCSCHED_HOSTS", names)]);
    assert!(!call.contains(names) && call.contains(",CCSCHED_JOB=1 "), "{call}");
    assert_eq!(desk.read("hosts-of-ranks").trim(), names);
    // Measured lengths are of one library.
    let table = desk.read("job/ccsched_table.c");
    let hash = table.split_once("hash = ").unwrap().1.split_once("LL").unwrap().0;
    for (hash, handed) in [(hash, true), ("77", false), ("", false), ("x[$(touch out)]", false)] {
        desk.write("job/ccsched.tuned", format!("ccsched-tuned 1 {hash}\n"));
        let (call, said) = last("job/run ./program", &[]);
        assert_eq!(call.contains("CCSCHED_TUNED="), handed, "{hash}: {call}");
        assert_eq!(said.contains("tune measures again"), !handed, "{hash}: {said}");
    }
    assert!(!desk.at("out").exists());
    // No library is preloaded from a path with a blank.
    let (call, said) = last("cp -r job 'a blank'; 'a blank/run' ./program", &[]);
    assert!(said.contains("no path with a blank") && !call.contains("LD_PRELOAD"), "{call} {said}");
    // MPICH's launcher takes the place of the script, and gets no child of it that it does not know.
    // One that takes its time after its last word is still there then.
    let children =
        "read -r own </proc/$$/task/$$/children; [ -z \"$own\" ] || echo child $own >>calls";
    let does = format!("[ \"$1\" != --version ] || {{ echo HYDRA; exit; }}\n{children}");
    fake(&folder, "mpirun", &does);
    let slow = "compgen() { builtin compgen \"$@\"; exec >&-; sleep 0.3; }; export -f compgen;";
    let (call, _) = last(&format!("{slow} job/run --plain ./program"), &[]);
    assert!(call.starts_with("mpirun -n 8 -f "), "{call}");
}

/// An interrupt while ranks are asked, or while the library is built: nothing starts, nothing is left.
#[test]
fn an_interrupt_of_a_start_ends_it() {
    let desk = desk();
    run(&desk, "-c alltoall --bytes 64K --least-bytes 1 -q -o job").with(0);
    let folder = desk.at("");
    let waits = "echo $$ >asked; exec sleep 60";
    launcher(&folder, "mpirun", "mpirun (Open MPI) 4.1.4", waits);
    for (make, signals) in
        [("", &[("TERM", 143), ("INT", 130), ("HUP", 129)][..]), (waits, &[("TERM", 143)])]
    {
        fake(&folder, "make", make);
        for (signal, wanted) in signals {
            // A shell that was started in the background ignores signals, and could not trap them.
            let words = format!(
                "rm -f asked; env --default-signal job/run ./program & while [ ! -s asked ]; do sleep 0.02; done
                 kill -{signal} $!; wait $!; s=$?; ! kill -0 $(cat asked) || s=1; exit $s"
            );
            let (status, said, calls) = started(&folder, &format!("set -m; {words}"), &[]);
            assert_eq!(status, *wanted, "{signal}: {said}");
            assert!(!calls.iter().any(|call| call.ends_with("./program")), "{signal}: {calls:?}");
        }
    }
}
