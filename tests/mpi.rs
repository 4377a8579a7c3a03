//! `ccsched-mpi` under the real `mpirun`: the same schedules as on threads, and no failure leaves a
//! job hanging.

use ccsched::caught::caught;
use ccsched::cli::trace;
use ccsched::comm::{Communicator, mpi};
use ccsched::schedule::ScheduleFile;
use ccsched::verify::verify;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, mpsc};
use std::thread::sleep;
use std::time::{Duration, Instant};

#[path = "mpi/hosts.rs"]
mod hosts;
#[path = "mpi/preload.rs"]
mod preload;

#[path = "../examples/own_engine.rs"]
#[allow(dead_code)]
mod own_engine;

const MPI: &str = env!("CARGO_BIN_EXE_ccsched-mpi");
const SERIAL: &str = env!("CARGO_BIN_EXE_ccsched");

/// The environment variable that names the folder into which a child test writes.
const FOLDER: &str = "CCSCHED_TEST_FOLDER";

/// Long enough for a job to start on a busy machine.
const LONG: Duration = Duration::from_secs(90);
/// Time for a failed job to end, even on a busy machine; without other load it takes well below one
/// second.
const SOON: Duration = Duration::from_secs(10);

/// A search that improves often and runs until something stops it: ejection would reach the bound
/// at once.
const ENDLESS: [&str; 9] = [
    "-t",
    "levi",
    "--engine",
    "hgsa",
    "--set",
    "hgsa:eject=false",
    "--iterations",
    "1000000000",
    "--quiet",
];

/// One job at a time: some tests measure how long things take.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(|broken| broken.into_inner())
}

/// The program that starts jobs: `CCSCHED_MPIRUN`, by default `mpirun`.
fn launcher() -> String {
    std::env::var("CCSCHED_MPIRUN").unwrap_or_else(|_| "mpirun".into())
}

/// Whether the launcher is Open MPI's, whose messages and exit statuses are known.
fn is_open_mpi() -> bool {
    !launcher().contains("mpich")
}

/// A command that runs `program` with `args` on `ranks` ranks.
fn mpirun(ranks: usize, program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(launcher());
    command.args(["-n", &ranks.to_string(), program]).args(args);
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("OMPI_MCA_rmaps_base_oversubscribe", "1");
    command.env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
    command
}

/// A command that runs a child test of this file on `ranks` ranks.
fn mpirun_child(ranks: usize, test: &str, folder: &Path) -> Command {
    let this = std::env::current_exe().unwrap();
    let options = ["--ignored", "--exact", test, "--nocapture", "--test-threads=1"];
    let mut command = mpirun(ranks, this.to_str().unwrap(), &options);
    command.env(FOLDER, folder);
    command
}

fn start(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

/// The output of a process, which must end within `limit`.
fn end(child: Child, limit: Duration) -> Output {
    let pid = child.id();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    match receiver.recv_timeout(limit) {
        Ok(output) => output.unwrap(),
        Err(_) => {
            signal("KILL", pid);
            panic!("still running after {limit:?}");
        }
    }
}

fn run(command: Command) -> Output {
    end(start(command), LONG)
}

fn signal(name: &str, pid: u32) {
    let sent = Command::new("kill").args(["-s", name, &pid.to_string()]).status().unwrap();
    assert!(sent.success());
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Waits until `truth` holds; fails if `child` ends before.
fn wait_until(child: &mut Child, what: &str, truth: impl Fn() -> bool) {
    let begin = Instant::now();
    while !truth() {
        assert!(child.try_wait().unwrap().is_none(), "ended before {what}");
        assert!(begin.elapsed() < LONG, "waited too long for {what}");
        sleep(Duration::from_millis(5));
    }
}

/// Processes that `parent` has started.
fn children(parent: u32) -> Vec<u32> {
    let stat = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/stat")).ok();
    let parent_of = |pid: u32| {
        // After the name in parentheses: state, parent.
        let stat = stat(pid)?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    let all = std::fs::read_dir("/proc").unwrap();
    all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|&pid| parent_of(pid) == Some(parent))
        .collect()
}

/// Asserts that exactly one line of ours, right before the launcher's banner, says why the job
/// ended.
fn assert_one_failure(output: &Output, rank: usize, why: &str) {
    let errors = text(&output.stderr);
    assert!(!output.status.success(), "{errors}");
    let lines: Vec<&str> = errors.lines().collect();
    let ours: Vec<usize> =
        (0..lines.len()).filter(|&i| lines[i].starts_with("ccsched-mpi: ")).collect();
    assert_eq!(ours.len(), 1, "{errors}");
    let line = lines[ours[0]];
    let begin = format!("ccsched-mpi: rank {rank} failed, so the job ends: ");
    assert!(line.starts_with(&begin) && line.contains(why), "{errors}");
    // Open MPI 4.1 sometimes fails to print its banner, and reports that error instead.
    let of_launcher = |line: &&str| line.starts_with("-----") || line.contains("ORTE_ERROR_LOG");
    let next = !is_open_mpi() || lines.get(ours[0] + 1).is_some_and(of_launcher);
    assert!(next, "not right before the banner: {errors}");
}

/// The summary line without the keys that differ from run to run.
fn summary(output: &Output) -> serde_json::Value {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let mut summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for key in ["seconds", "rank_cpu_seconds", "peak_memory", "schedule"] {
        assert!(summary.as_object_mut().unwrap().remove(key).is_some(), "{key}");
    }
    // Only where there are other processes.
    summary.as_object_mut().unwrap().remove("peak_memory_of_others");
    summary
}

/// The same without the moves of the busiest rank, which are those since the search was resumed.
fn whole(output: &Output) -> serde_json::Value {
    let mut summary = summary(output);
    assert!(summary.as_object_mut().unwrap().remove("rank_moves").is_some());
    summary
}

#[test]
fn ranks_and_threads_write_the_same_file() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    // The whole network, so that the search is long, with crossovers, and as a team.
    let sets = [
        ["--engine", "hgsa", "--set", "hgsa:eject=false"].as_slice(),
        &["--set", "auto:symmetry=false"],
    ];
    for (ranks, set) in [(1, 0), (2, 0), (3, 0), (8, 0), (2, 1), (4, 1)] {
        let (ours, theirs) = (path("ranks.json"), path("threads.json"));
        let args = ["-t", "levi", "-c", "aas", "--iterations", "300", "--seed", "7", "--json"]
            .into_iter()
            .chain(sets[set].iter().copied())
            .collect::<Vec<_>>();
        let mut command = mpirun(ranks, MPI, &args);
        command.arg("-o").arg(&ours);
        let output = run(command);
        let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let others = line.get("peak_memory_of_others").map(|bytes| bytes.as_u64().unwrap());
        assert!(others.is_some() == (ranks > 1) && others.is_none_or(|bytes| bytes > 1_000_000));
        let on_ranks = summary(&output);
        let mut command = Command::new(SERIAL);
        command.arg("solve").args(&args).args(["--islands", &ranks.to_string()]);
        command.arg("-o").arg(&theirs);
        assert_eq!(on_ranks, summary(&run(command)), "{ranks} ranks");
        let read = |path| std::fs::read(path).unwrap();
        assert!(read(&ours) == read(&theirs), "{ranks} ranks: the files differ");
        let file = ScheduleFile::read(&ours).unwrap();
        assert_eq!(verify(&file), [], "{ranks} ranks");
        assert_eq!(
            (&on_ranks["steps"], &on_ranks["ranks"]),
            (&file.steps.len().into(), &ranks.into())
        );
        // Five exchanges: the islands have crossed over.
        assert!(set == 1 || on_ranks["iterations"].as_u64().unwrap() >= 50, "{on_ranks}");
    }
}

/// The traffic of all pairs of the first terminals, with lengths from 1 on that differ, in a file.
fn lengths(folder: &Path, terminals: u64) -> std::path::PathBuf {
    let mut text = String::new();
    for (i, j) in (0..terminals).flat_map(|i| (0..terminals).map(move |j| (i, j))) {
        if i != j {
            text += &format!("{i},{j},{}\n", 1 + (i * 7919 + j * 104_729) % 997);
        }
    }
    let path = folder.join("lengths.csv");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
#[ignore = "long: make test-long"]
fn ranks_and_threads_find_the_same_least_time() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let pairs = lengths(folder.path(), 12);
    let path = folder.path().join("s.json");
    for (ranks, form) in [(4, "--timed"), (4, "--minimize=time"), (1, "--timed")] {
        let solve = |mut command: Command| {
            let words =
                "-t random-regular:12,3,1 --iterations 24 --exchange-every 4 --seed 3 --json";
            command.args(words.split(' ')).arg(form).arg("--pairs").arg(&pairs);
            let output = run({
                command.arg("-o").arg(&path);
                command
            });
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            let mut line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert!(line.as_object_mut().unwrap().remove("seconds").is_some());
            let file = std::fs::read_to_string(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            (line, file)
        };
        let on_ranks = solve(mpirun(ranks, MPI, &[]));
        let mut command = Command::new(SERIAL);
        command.args(["solve", "--islands", &ranks.to_string()]);
        assert_eq!(on_ranks, solve(command), "{ranks} ranks, {form}");
        let (line, file) = on_ranks;
        assert_eq!((&line["ranks"], &line["iterations"]), (&ranks.into(), &25.into()), "{line}");
        assert_eq!(verify(&ScheduleFile::from_bytes(file.as_bytes()).unwrap()), []);
    }
}

/// The words of a search for the least time whose first round lasts longer than any test.
const LONG_ROUND: &str = "-t random-regular:24,3,1 --timed --exchange-every 1000000 --iterations \
                          1000000 -v -o";

/// Starts this search on ranks; returns once the first schedule is found.
fn long_round(folder: &Path, more: &[&str]) -> (Child, std::thread::JoinHandle<String>) {
    let mut command = mpirun(3, MPI, &[]);
    command.args(LONG_ROUND.split(' ')).arg(folder.join("s.json")).args(more);
    command.arg("--pairs").arg(lengths(folder, 24));
    let mut job = start(command);
    let mut lines = BufReader::new(job.stderr.take().unwrap()).lines();
    let is_found = |line: &std::io::Result<String>| line.as_ref().unwrap().contains("bytes after");
    assert!(lines.any(|line| is_found(&line)));
    let rest = std::thread::spawn(move || lines.map_while(Result::ok).collect());
    // Now the round runs.
    sleep(Duration::from_millis(500));
    (job, rest)
}

#[test]
#[ignore = "long: make test-long"]
fn a_search_for_the_least_time_ends_soon_after_a_signal_to_any_rank() {
    let _alone = alone();
    for rank in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        let (job, rest) = long_round(folder.path(), &[]);
        let begin = Instant::now();
        signal("TERM", ranks_of(&job, 3)[rank]);
        let output = end(job, LONG);
        assert!(begin.elapsed() < 2 * SOON, "rank {rank}: {:?}", begin.elapsed());
        assert_eq!(output.status.code(), Some(3), "rank {rank}: {}", rest.join().unwrap());
        assert!(text(&output.stdout).contains("interrupted"), "{}", text(&output.stdout));
        assert_eq!(verify(&ScheduleFile::read(folder.path().join("s.json")).unwrap()), []);
    }
}

#[test]
#[ignore = "long: make test-long"]
fn a_stopped_rank_does_not_hold_a_search_for_the_least_time() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let (job, rest) = long_round(folder.path(), &["--time-limit", "6"]);
    signal("STOP", ranks_of(&job, 3)[2]);
    let output = end(job, LONG);
    let errors = rest.join().unwrap();
    assert!(!output.status.success() && errors.contains("rank 2 did not answer"), "{errors}");
    assert!(text(&output.stdout).contains("the time limit is reached"), "{errors}");
    assert_eq!(verify(&ScheduleFile::read(folder.path().join("s.json")).unwrap()), []);
}

/// The engine of examples/own_engine.rs, in a program whose main function registers it.
#[test]
fn an_engine_of_another_crate_runs_on_ranks() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let child = "child_with_an_engine_of_another_crate";
    for (ranks, name) in [(4, "ranks"), (0, "threads")] {
        let mut command = mpirun_child(ranks.max(1), child, folder.path());
        let words = "-q -t levi -c aas --engine one-plus-one --iterations 30 -o";
        command.env(WORDS, format!("{words} {}", folder.path().join(name).display()));
        if ranks == 0 {
            command.env(ON_THREADS, "");
        }
        let output = run(command);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let [ranks, threads] =
        ["ranks", "threads"].map(|name| std::fs::read_to_string(folder.path().join(name)).unwrap());
    assert_eq!(ranks, threads);
    assert!(ranks.contains("(1+1) evolution strategy") && ranks.contains("\"ranks\": 4"));
    assert_eq!(verify(&ScheduleFile::read(folder.path().join("ranks")).unwrap()), []);
}

const WORDS: &str = "CCSCHED_TEST_WORDS";
const ON_THREADS: &str = "CCSCHED_TEST_ON_THREADS";

#[test]
#[ignore = "a child of an_engine_of_another_crate_runs_on_ranks"]
fn child_with_an_engine_of_another_crate() {
    let Ok(words) = std::env::var(WORDS) else { return };
    let (engines, words) = ([&own_engine::ENGINE], words.split(' ').map(Into::into));
    let code = if std::env::var(ON_THREADS).is_ok() {
        let first = ["ccsched", "solve", "--islands", "4"].map(Into::into);
        ccsched::cli::run_from(first.into_iter().chain(words), &engines)
    } else {
        ccsched::cli::run_ranks_from(std::iter::once("ccsched-mpi".into()).chain(words), &engines)
    };
    assert_eq!(code, std::process::ExitCode::SUCCESS);
}

/// The exchange of hgsa-store-and-forward, section 3.2, as the trace of each rank shows it.
#[test]
fn ranks_exchange_after_each_tenth_iteration() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.csv");
    // Random moves find no schedule of 28 steps in these iterations, so that no island ends early.
    let args = ["-t", "levi", "-c", "aas", "--engine", "hgsa", "--set", "hgsa:neighbourhood=paper"]
        .into_iter()
        .chain(["--steps", "28", "--iterations", "60", "--seed", "5", "--quiet", "--trace"])
        .chain([path.to_str().unwrap()])
        .collect::<Vec<_>>();
    let traced = |command: Command| {
        let output = run(command);
        assert!(path.is_file(), "{}", text(&output.stderr));
        let rows = trace::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        rows
    };
    let on_ranks = traced(mpirun(4, MPI, &args));
    let exchanges: Vec<(u64, usize)> = on_ranks.iter().map(|r| (r.iteration, r.island)).collect();
    let expected = (1..=6).flat_map(|tenth| (0..4).map(move |rank| (10 * tenth, rank)));
    assert_eq!(exchanges, expected.collect::<Vec<_>>());
    for rows in on_ranks.chunks(4) {
        // Each rank receives the solution of one other, and each cools.
        assert_eq!(rows.iter().map(|row| row.migrations_sent).sum::<u64>(), 4, "{rows:?}");
        assert!(rows.iter().all(|row| row.temperature > 0.0), "{rows:?}");
    }
    assert!(on_ranks.iter().any(|row| row.migrations_accepted > 0), "{on_ranks:?}");
    let mut command = Command::new(SERIAL);
    command.arg("solve").args(&args).args(["--islands", "4"]);
    assert_eq!(on_ranks, traced(command));
}

/// Groups of two: ranks 0, 2, 4 and 6 run groups. Their masters are a chain, a tree of two levels,
/// or rank 0 for all.
#[test]
fn the_tree_of_masters_changes_no_file() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    // With the moves of the paper the search is long enough.
    let args = ["-t", "mesh:4x4", "-c", "aas", "--engine", "hgsa", "--iterations", "300", "--json"]
        .into_iter()
        .chain(["--set", "hgsa:neighbourhood=paper"])
        .collect::<Vec<_>>();
    let solve = |mut command: Command| {
        command.args(&args).args(["--exchange-group", "2"]).arg("-o").arg(&path);
        (summary(&run(command)), std::fs::read(&path).unwrap())
    };
    let mut command = Command::new(SERIAL);
    command.args(["solve", "--islands", "7"]);
    let on_threads = solve(command);
    // Some exchanges are between groups.
    assert!(on_threads.0["iterations"].as_u64().unwrap() >= 200, "{}", on_threads.0);
    for fan_out in ["0", "1", "2"] {
        let on_ranks = solve(mpirun(7, MPI, &["--fan-out", fan_out]));
        assert_eq!(on_ranks.0, on_threads.0, "fan-out {fan_out}");
        assert!(on_ranks.1 == on_threads.1, "fan-out {fan_out}: the files differ");
    }
    let file: serde_json::Value = serde_json::from_slice(&on_threads.1).unwrap();
    assert_eq!(file["provenance"]["parameters"]["exchange-group"], 2);
}

#[test]
#[ignore = "long: make test-long"]
fn graphs_of_islands_change_the_search_and_not_by_the_back_end() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    let args = "-t mesh:4x4 -c aas --engine hgsa --iterations 100 --json";
    let mut files = vec![];
    for exchange in ["--islands-graph ring", "--migrants 2 --migration best"] {
        let solve = |mut command: Command| {
            command.args(args.split(' ')).args(["--set", "hgsa:neighbourhood=paper"]);
            command.args(exchange.split(' ')).arg("-o").arg(&path);
            (summary(&run(command)), std::fs::read_to_string(&path).unwrap())
        };
        let mut command = Command::new(SERIAL);
        command.args(["solve", "--islands", "5"]);
        let on_threads = solve(command);
        assert_eq!(solve(mpirun(5, MPI, &[])), on_threads, "{exchange}");
        files.push(on_threads.1);
    }
    assert!(files[0].contains("\"islands-graph\": \"ring\""), "{}", files[0]);
    assert!(files[1].contains("\"migrants\": 2, \"migration\": \"best\""), "{}", files[1]);
}

#[test]
fn several_searches_in_one_job() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let mut command =
        mpirun(3, MPI, &["-t", "hypercube:3", "-c", "all", "--iterations", "2000", "--json"]);
    command.arg("-o").arg(folder.path().join("s.json"));
    let output = run(command);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).lines().count(), 4);
    for collective in ["oab", "aab", "oas", "aas"] {
        let path = folder.path().join(format!("s-{collective}.json"));
        let file = ScheduleFile::read(path).unwrap();
        assert_eq!((verify(&file), file.model.collective.as_str()), (vec![], collective));
    }
}

/// The rows of a reproduction, without what the machine decides.
fn reproduced(mut command: Command) -> Vec<serde_json::Value> {
    let rows = "--id hgsa-aab,dd-t2,dd-t3,liq-f2 --engine both --runs 2 --json -q";
    command.args(rows.split(' '));
    let output = run(command);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let row = |line: &str| {
        let mut row: serde_json::Value = serde_json::from_str(line).unwrap();
        for clock in ["seconds", "run_seconds", "run_times"] {
            row[clock].take();
        }
        row
    };
    text(&output.stdout).lines().map(row).collect()
}

#[test]
#[ignore = "long: make test-long"]
fn ranks_share_the_rows_of_a_reproduction() {
    let _alone = alone();
    let mut one = Command::new(SERIAL);
    one.arg("reproduce");
    let rows = reproduced(one);
    assert_eq!(rows.len(), 16);
    assert!(rows.iter().any(|row| row["reached"] == 2 && row["engine"] == "hgsa"), "{rows:?}");
    assert_eq!(reproduced(mpirun(3, MPI, &["reproduce"])), rows);
    let output = run(mpirun(3, MPI, &["reproduce", "--id", "dd-t66"]));
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("did you mean 'dd-t6'?"), "{}", text(&output.stderr));
}

#[test]
fn ranks_share_the_runs_of_a_comparison() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.csv");
    let args =
        "-t kautz:3,2 -c aas --runs 4 --evaluations 9000 -q --run umda:population=20|40 --csv";
    // Without the clocks.
    let made = |mut command: Command| {
        command.args(args.split(' ')).arg(&path);
        let output = run(command);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let lines = std::fs::read_to_string(&path).unwrap();
        let columns = |line: &str| {
            let all: Vec<&str> = line.rsplit(',').collect();
            [0, 4, 5, 6, 9, 10, 11].map(|column| all[column].to_string())
        };
        (lines.lines().map(columns).collect::<Vec<_>>(), text(&output.stdout))
    };
    let mut one = Command::new(SERIAL);
    one.arg("compare");
    let (on_ranks, of_rank_0) = made(mpirun(3, MPI, &["compare"]));
    assert_eq!((on_ranks.len(), &on_ranks), (9, &made(one).0));
    assert!(of_rank_0.contains("Runs: 8 of 8, 3 side by side on 3 ranks"), "{of_rank_0}");
    let output = run(mpirun(2, MPI, &["compare", "--run", "hgsb", "--evaluations", "9"]));
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr).matches("there is no engine 'hgsb'").count(), 1);
}

#[test]
fn one_rank_works_without_mpirun() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    let mut command = Command::new(MPI);
    command.args(["-t", "ring:6", "--json", "-o"]).arg(&path);
    let summary = summary(&run(command));
    assert_eq!(summary["ranks"], 1);
    assert_eq!(verify(&ScheduleFile::read(&path).unwrap()), []);
}

#[test]
fn a_killed_rank_ends_the_job() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    for victim in [0, 2] {
        let mut command = mpirun(3, MPI, &ENDLESS);
        command.arg("-o").arg(&path);
        let mut job = start(command);
        wait_until(&mut job, "the first schedule", || path.exists());
        let ranks = ranks_of(&job, 3);
        let begin = Instant::now();
        signal("KILL", ranks[victim]);
        let output = end(job, LONG);
        assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
        assert!(!output.status.success());
        // The schedule found before the kill remains, complete.
        assert_eq!(verify(&ScheduleFile::read(&path).unwrap()), []);
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_panic_of_one_rank_ends_the_job() {
    let _alone = alone();
    for child in ["child_in_which_rank_1_panics", "child_in_which_an_island_panics"] {
        let folder = tempfile::tempdir().unwrap();
        let mut job = start(mpirun_child(3, child, folder.path()));
        wait_until(&mut job, "the panic", || folder.path().join("now").exists());
        let begin = Instant::now();
        let output = end(job, LONG);
        assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
        assert_eq!(output.status.code(), Some(mpi::FAILED));
        assert_one_failure(&output, 1, "internal error");
        assert_one_failure(&output, 1, "the reactor is on fire");
    }
}

#[test]
#[ignore = "a child of a_panic_of_one_rank_ends_the_job"]
fn child_in_which_rank_1_panics() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let (_universe, mut ranks) = mpi::start().unwrap();
    mpi::end_the_job_on_panic("ccsched-mpi", ranks.rank());
    if ranks.rank() == 1 {
        // By now the other ranks wait.
        sleep(Duration::from_millis(200));
        std::fs::write(Path::new(&folder).join("now"), "").unwrap();
        panic!("the reactor\nis on fire");
    }
    if ranks.rank() == 0 {
        ranks.receive(LONG).unwrap();
    }
    ranks.hear().unwrap();
}

/// The islands of a rank run on other threads than the one that sends and receives.
#[test]
#[ignore = "a child of a_panic_of_one_rank_ends_the_job"]
fn child_in_which_an_island_panics() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let (_universe, mut ranks) = mpi::start().unwrap();
    mpi::end_the_job_on_panic("ccsched-mpi", ranks.rank());
    if ranks.rank() == 1 {
        std::thread::spawn(move || {
            sleep(Duration::from_millis(200));
            std::fs::write(Path::new(&folder).join("now"), "").unwrap();
            panic!("the reactor\nis on fire");
        });
    }
    if ranks.rank() == 0 {
        ranks.receive(LONG).unwrap();
    }
    ranks.hear().unwrap();
}

/// An island that panics is out of the search: the hook that ends the job leaves panics alone that are caught.
#[test]
fn a_panic_that_is_caught_ends_no_job() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let job = start(mpirun_child(2, "child_in_which_a_panic_is_caught", folder.path()));
    let output = end(job, LONG);
    assert!(output.status.success(), "{output:?}");
    let said = std::fs::read_to_string(folder.path().join("caught")).unwrap();
    assert!(said.contains("the reactor is on fire") && said.contains("mpi.rs"), "{said}");
}

#[test]
#[ignore = "a child of a_panic_that_is_caught_ends_no_job"]
fn child_in_which_a_panic_is_caught() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let (_universe, mut ranks) = mpi::start().unwrap();
    mpi::end_the_job_on_panic("ccsched-mpi", ranks.rank());
    if ranks.rank() == 1 {
        let said = caught(|| panic!("the reactor\nis on fire")).map(|()| String::new());
        std::fs::write(Path::new(&folder).join("caught"), said.unwrap_err()).unwrap();
        ranks.send(vec![(0, vec![1])]).unwrap();
    } else {
        ranks.receive(LONG).unwrap();
    }
    ranks.finish();
}

/// Checkpoints are tried again and again, the search goes on to its limit, and the status says that
/// something was not saved.
#[test]
#[ignore = "long: make test-long"]
fn a_removed_folder_does_not_end_a_search() {
    let _alone = alone();
    let above = tempfile::tempdir().unwrap();
    let folder = above.path().join("schedules");
    std::fs::create_dir(&folder).unwrap();
    let path = folder.join("s.json");
    let mut command = mpirun(3, MPI, &ENDLESS);
    command.args(["--time-limit", "6", "-o"]).arg(&path);
    command.args(["--checkpoint-every", "0.5s", "--checkpoint"]).arg(folder.join("s.checkpoint"));
    let mut job = start(command);
    wait_until(&mut job, "the first schedule", || path.exists());
    // A file that the search writes meanwhile makes the removal fail.
    while folder.exists() {
        let _ = std::fs::remove_dir_all(&folder);
    }
    let output = end(job, LONG);
    let errors = text(&output.stderr);
    assert!(!output.status.success(), "{errors}");
    if is_open_mpi() {
        assert_eq!(output.status.code(), Some(4), "{errors}");
    }
    assert!(errors.contains("--checkpoint: ") && errors.contains("is not saved"), "{errors}");
    let all = errors + &text(&output.stdout);
    assert!(all.contains("the time limit is reached"), "{all}");
}

#[test]
fn wrong_input_is_reported_once() {
    let _alone = alone();
    for (args, word) in [
        (vec!["-t", "kautz:3,x"], "kautz:3,x"),
        (vec!["--steps", "0"], "--steps"),
        (vec!["-c", "oab", "--source", "zz"], "--source"),
        (vec!["-o", "no/such/folder/s.json"], "--output"),
    ] {
        let output = run(mpirun(3, MPI, &args));
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {errors}");
        let ours = |line: &&str| line.starts_with("ccsched-mpi:") || line.starts_with("error:");
        let messages: Vec<&str> = errors.lines().filter(ours).collect();
        assert_eq!(messages.len(), 1, "{errors}");
        assert!(messages[0].contains(word), "{errors}");
    }
}

#[test]
fn help_is_printed_once() {
    let _alone = alone();
    let output = run(mpirun(2, MPI, &["--help"]));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let help = text(&output.stdout);
    assert_eq!(help.matches("Usage:").count(), 1, "{help}");
    assert!(help.contains("--oversubscribe"), "{help}");
}

#[test]
#[ignore = "long: make test-long"]
fn the_launcher_of_another_mpi_is_noticed() {
    let _alone = alone();
    // The test sets MPICH's variables, so a program built with MPICH would trust them.
    for args in
        [&[][..], &["-t", "ring:6"], &["--steps", "0"]].into_iter().filter(|_| is_open_mpi())
    {
        for rank in ["0", "2"] {
            let mut command = Command::new(MPI);
            command.args(args).env("PMI_SIZE", "4").env("PMI_RANK", rank);
            let output = run(command);
            let errors = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{errors}");
            assert!(output.stdout.is_empty());
            match (rank, args) {
                ("0", ["--steps", "0"]) => assert!(errors.contains("--steps"), "{errors}"),
                ("0", _) => {
                    assert_eq!(errors.lines().count(), 1, "{errors}");
                    for word in ["mpiexec", "4 processes", "Open MPI", "MPICC"] {
                        assert!(errors.contains(word), "no {word} in {errors}");
                    }
                }
                _ => assert_eq!(errors, "", "rank {rank}"),
            }
        }
    }
}

#[test]
fn an_interrupted_search_keeps_the_best() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    for (name, on_three) in [("INT", false), ("TERM", false), ("TERM", true)] {
        let mut command = if on_three { mpirun(3, MPI, &ENDLESS) } else { Command::new(MPI) };
        if !on_three {
            command.args(ENDLESS);
        }
        let mut job = start({
            command.arg("-o").arg(&path);
            command
        });
        wait_until(&mut job, "the first schedule", || path.exists());
        if on_three {
            // Batch systems signal every process of a job; the last may have ended by then.
            let told = ranks_of(&job, 3).into_iter().map(|pid| pid.to_string());
            Command::new("kill").args(["-s", name]).args(told).status().unwrap();
        } else {
            signal(name, job.id());
        }
        let output = end(job, LONG);
        assert_eq!(output.status.code(), Some(3), "{name}: {}", text(&output.stderr));
        let file = ScheduleFile::read(&path).unwrap();
        assert_eq!(verify(&file), []);
        let said = format!("{} steps", file.steps.len());
        assert!(text(&output.stdout).contains(&said), "{}", text(&output.stdout));
        std::fs::remove_file(&path).unwrap();
    }
}

/// On a network so large that one iteration takes long, a signal does not wait for its end, on
/// threads and on ranks, whichever rank gets the signal. The best schedule is in its file.
#[test]
#[ignore = "long: make test-long"]
fn a_large_search_ends_within_seconds_of_a_signal() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let [path, checkpoint] = ["s.json", "s.checkpoint"].map(|name| folder.path().join(name));
    let args = ["-t", "random-regular:200,4,1", "-c", "aas", "--time-limit", "600", "-v"];
    for rank in [None, Some(0), Some(1)] {
        let mut command = match rank {
            Some(_) => mpirun(2, MPI, &args),
            None => Command::new(SERIAL),
        };
        if rank.is_none() {
            command.arg("solve").args(args).args(["--islands", "2"]);
        }
        command.arg("--checkpoint").arg(&checkpoint).arg("-o").arg(&path);
        let mut job = start(command);
        let mut lines = BufReader::new(job.stderr.take().unwrap()).lines();
        // A schedule is in its file before the log reports it.
        let found = lines.find(|line| line.as_ref().unwrap().contains("found a schedule of"));
        assert!(found.is_some());
        assert_eq!(verify(&ScheduleFile::read(&path).unwrap()), []);
        let rest = std::thread::spawn(move || lines.map_while(Result::ok).collect::<Vec<_>>());
        // Now the search for fewer steps runs.
        sleep(Duration::from_millis(500));
        let begin = Instant::now();
        match rank {
            Some(rank) => signal("TERM", ranks_of(&job, 2)[rank]),
            None => signal("TERM", job.id()),
        }
        let output = end(job, LONG);
        // Open MPI's launcher takes two seconds to end if a status is not 0.
        assert!(begin.elapsed() < 2 * SOON, "{rank:?}: {:?}", begin.elapsed());
        assert_eq!(output.status.code(), Some(3), "{:?}", rest.join().unwrap());
        assert_eq!(verify(&ScheduleFile::read(&path).unwrap()), []);
        std::fs::remove_file(&path).unwrap();
    }
}

/// A rank that is stopped answers nothing, not even the end of the search. The others keep the limit
/// and save what they have.
#[test]
fn a_stopped_rank_does_not_hold_the_job() {
    let _alone = alone();
    for (stopped, group) in [(1, "64"), (2, "2")] {
        let folder = tempfile::tempdir().unwrap();
        let [path, checkpoint] = ["s.json", "s.checkpoint"].map(|name| folder.path().join(name));
        let mut command = mpirun(3, MPI, &ENDLESS);
        command.args(["--time-limit", "6", "--exchange-group", group, "--checkpoint"]);
        command.arg(&checkpoint).arg("-o").arg(&path);
        let mut job = start(command);
        wait_until(&mut job, "the first schedule", || path.exists());
        let rank = ranks_of(&job, 3)[stopped];
        signal("STOP", rank);
        let output = end(job, LONG);
        let errors = text(&output.stderr);
        assert!(!output.status.success(), "{errors}");
        if is_open_mpi() {
            assert_eq!(output.status.code(), Some(5), "{errors}");
        }
        assert!(errors.contains(&format!("rank {stopped} did not answer")), "{errors}");
        assert_eq!(verify(&ScheduleFile::read(&path).unwrap()), []);
        assert!(checkpoint.exists(), "{errors}");
        // The summary was printed before the end.
        assert!(text(&output.stdout).contains("the time limit is reached"), "{errors}");
        let gone = Instant::now();
        while Path::new(&format!("/proc/{rank}")).exists() {
            assert!(gone.elapsed() < SOON, "the stopped rank is left behind");
            sleep(Duration::from_millis(50));
        }
        // Two islands are in the checkpoint, and two ranks go on from it.
        let mut command = mpirun(2, MPI, &ENDLESS);
        command.args(["--time-limit", "1", "--exchange-group", group, "--resume"]).arg(&checkpoint);
        let resumed = run(command);
        assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    }
}

/// Another rank gets the task of one that is stopped: a sweep has no limit that would end it.
#[test]
#[ignore = "long: make test-long"]
fn a_stopped_rank_does_not_hold_tasks() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows");
    let rows = || {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let mut rows: Vec<String> = text.lines().map(String::from).collect();
        rows.sort_unstable();
        rows
    };
    let words = "faults sweep -t mesh:3x3 -c aas --fail-links 2 --iterations 200 --quiet --results";
    let words: Vec<&str> = words.split(' ').chain([file.to_str().unwrap()]).collect();
    let mut job = start(mpirun(3, MPI, &words));
    wait_until(&mut job, "some rows", || rows().len() > 5);
    signal("STOP", ranks_of(&job, 3)[2]);
    let output = end(job, LONG);
    let errors = text(&output.stderr);
    assert!(!output.status.success(), "{errors}");
    if is_open_mpi() {
        assert_eq!(output.status.code(), Some(5), "{errors}");
    }
    assert!(errors.contains("rank 2 has not answered"), "{errors}");
    // The table was printed, and nothing is left to do.
    let (table, done) = (text(&output.stdout), rows());
    assert!(table.contains("66 |"), "{table}");
    assert!(run(mpirun(1, MPI, &words)).status.success());
    assert!(rows() == done, "{done:?}");
}

/// No rank leaves the start of MPI without the others, and no rank replaces rank 0: the ranks that
/// are not stopped end the job, 5 s after the limit.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "long: make test-long"]
fn a_rank_that_stops_before_the_search_and_a_stopped_master_do_not_hold_the_job() {
    let _alone = alone();
    for (stopped, is_early) in [(1, true), (0, true), (0, false)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        let mut command = mpirun(3, MPI, &ENDLESS);
        command.args(["--time-limit", "4", "-o"]).arg(&path);
        let mut job = start(command);
        let have_begun = |job: u32| {
            let is_rank = |pid: &u32| {
                let name = std::fs::read_link(format!("/proc/{pid}/exe"));
                name.is_ok_and(|name| name.ends_with("ccsched-mpi"))
            };
            children(job).iter().filter(|pid| is_rank(pid)).count() == 3
        };
        if is_open_mpi() && is_early {
            let launcher = job.id();
            wait_until(&mut job, "the start of the ranks", || have_begun(launcher));
        } else {
            wait_until(&mut job, "the first schedule", || path.exists());
        }
        let rank = ranks_of(&job, 3)[stopped];
        signal("STOP", rank);
        let begin = Instant::now();
        let output = end(job, LONG);
        let errors = text(&output.stderr);
        assert!(!output.status.success(), "{stopped} {is_early}: {errors}");
        if is_open_mpi() {
            assert_eq!(output.status.code(), Some(5), "{stopped} {is_early}: {errors}");
            let word = format!("rank {stopped} is stopped, so ");
            // A rank that was not early enough is given up by the search.
            let late = format!("rank {stopped} did not answer");
            assert!(errors.contains(&word) || stopped > 0 && errors.contains(&late), "{errors}");
        }
        assert!(begin.elapsed() < Duration::from_secs(9) + SOON, "{:?}", begin.elapsed());
        if !is_early {
            assert_eq!(verify(&ScheduleFile::read(&path).unwrap()), []);
        }
        let gone = Instant::now();
        while Path::new(&format!("/proc/{rank}")).exists() {
            assert!(gone.elapsed() < SOON, "the stopped rank is left behind");
            sleep(Duration::from_millis(50));
        }
    }
}

/// Solutions of more than a few kilobytes wait for their receiver. Often the rank is stopped between
/// its report and the solution of its partner.
#[test]
#[ignore = "long: make test-long"]
fn a_message_to_a_stopped_rank_does_not_hold_the_job() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("s.checkpoint");
    let paper =
        ["-t", "hypercube:6", "-c", "aas", "--engine", "hgsa", "--set", "hgsa:neighbourhood=paper"];
    let mut command = mpirun(3, MPI, &paper);
    command.args(["--quiet", "--time-limit", "4", "--checkpoint-every", "0.1", "--checkpoint"]);
    let mut job = start({
        command.arg(&checkpoint);
        command
    });
    wait_until(&mut job, "the first checkpoint", || checkpoint.exists());
    signal("STOP", ranks_of(&job, 3)[1]);
    let output = end(job, LONG);
    let errors = text(&output.stderr);
    assert!(errors.contains("rank 1 did not answer"), "{errors}");
    assert!(text(&output.stdout).contains("the time limit is reached"), "{errors}");
}

/// A search that takes a few seconds and finds nothing better at the end. On three ranks it has two
/// groups: ranks 0 and 1, and rank 2, which runs its group itself.
const SLOW: [&str; 14] = [
    "-t",
    "levi",
    "-c",
    "aas",
    "--engine",
    "hgsa",
    "--set",
    "hgsa:eject=false",
    "--iterations",
    "4000",
    "--exchange-group",
    "2",
    "--json",
    "--quiet",
];

/// The output and the schedule file of an uninterrupted search on three ranks.
fn undisturbed(folder: &Path, words: &[&str]) -> (Output, Vec<u8>) {
    let path = folder.join("whole.json");
    let mut command = mpirun(3, MPI, words);
    command.arg("-o").arg(&path);
    (run(command), std::fs::read(&path).unwrap())
}

/// Starts the same search with checkpoints, interrupts it, and resumes from the last checkpoint.
fn broken_off(
    folder: &Path,
    words: &[&str],
    breaks: impl Fn(Child) -> Output,
) -> (Output, Vec<u8>) {
    let [path, checkpoint] = ["part.json", "part.checkpoint"].map(|name| folder.join(name));
    let mut command = mpirun(3, MPI, words);
    command.args(["--checkpoint-every", "0.1s", "--checkpoint"]).arg(&checkpoint);
    command.arg("-o").arg(&path);
    let mut job = start(command);
    wait_until(&mut job, "the first checkpoint", || checkpoint.exists() && path.exists());
    breaks(job);
    assert_eq!(verify(&ScheduleFile::read(&path).unwrap()), []);
    let mut command = mpirun(3, MPI, words);
    command.arg("--resume").arg(&checkpoint).arg("-o").arg(&path);
    let result = (run(command), std::fs::read(&path).unwrap());
    for file in [path, checkpoint] {
        std::fs::remove_file(file).unwrap();
    }
    result
}

/// Interrupts a rank of a job of three, and waits for its end.
fn interrupted(job: Child, (name, rank): (&str, usize)) -> Output {
    signal(name, ranks_of(&job, 3)[rank]);
    let output = end(job, LONG);
    assert_eq!(output.status.code(), Some(3), "{name}: {}", text(&output.stderr));
    output
}

/// The ranks of a job, in order.
fn ranks_of(job: &Child, number: usize) -> Vec<u32> {
    let mut ranks = children(job.id());
    // MPICH's launcher starts the ranks through a proxy process.
    if let [deputy] = ranks[..] {
        ranks = children(deputy);
    }
    ranks.sort_unstable();
    assert_eq!(ranks.len(), number);
    ranks
}

#[test]
fn an_interrupted_search_resumes_exactly() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let (output, file) = undisturbed(folder.path(), &SLOW);
    let line = whole(&output);
    for (name, rank) in [("USR1", 1), ("TERM", 2), ("INT", 0)] {
        let rest = broken_off(folder.path(), &SLOW, |job| interrupted(job, (name, rank)));
        assert_eq!(whole(&rest.0), line, "{name} to rank {rank}");
        assert!(rest.1 == file, "{name} to rank {rank}: the files differ");
    }
    let rest = broken_off(folder.path(), &SLOW, |job| {
        signal("KILL", ranks_of(&job, 3)[1]);
        let output = end(job, SOON);
        let errors = text(&output.stderr);
        if is_open_mpi() {
            assert!(errors.contains("rank 1") && errors.contains("signal 9"), "{errors}");
        }
        output
    });
    assert_eq!(whole(&rest.0), line, "killed");
    assert!(rest.1 == file, "killed: the files differ");
}

#[test]
#[ignore = "long: make test-long"]
fn an_interrupted_search_for_the_least_time_resumes_exactly() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let pairs = lengths(folder.path(), 24);
    for (form, iterations, rank) in [("--timed", "60", 1), ("--minimize=time", "60", 0)] {
        let words = "-t random-regular:24,3,1 --exchange-every 4 -q --iterations";
        let mut words: Vec<&str> = words.split(' ').collect();
        words.extend([iterations, form, "--pairs", pairs.to_str().unwrap()]);
        let (_, file) = undisturbed(folder.path(), &words);
        let rest = broken_off(folder.path(), &words, |job| interrupted(job, ("TERM", rank)));
        assert!(rest.1 == file, "{form}: the files differ");
    }
}

#[test]
fn the_end_of_a_slurm_job_is_a_time_limit() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let [path, checkpoint] = ["s.json", "s.checkpoint"].map(|name| folder.path().join(name));
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let mut command = mpirun(2, MPI, &ENDLESS);
    // Without the margin, the job would not end within the limit of this test.
    command.env("SLURM_JOB_END_TIME", (now + 602).to_string());
    command.args(["--wall-margin", "600s", "--checkpoint"]).arg(&checkpoint).arg("-o").arg(&path);
    let output = run(command);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(verify(&ScheduleFile::read(&path).unwrap()), []);
    assert!(checkpoint.exists());
}

#[test]
fn sweeps_are_certified_resumed_and_bound_into_a_book() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let [results, book] = ["r.jsonl", "book"].map(|name| folder.path().join(name));
    for (topology, sets) in [("kautz:3,2", 49), ("mesh:4x4", 41)] {
        let sweep = || {
            let args =
                ["faults", "sweep", "--fail-links", "1", "--fail-nodes", "1", "-t", topology];
            let mut command = mpirun(2, MPI, &args);
            command.args(["-c", "all", "--json", "--results"]).arg(&results);
            command.arg("--book").arg(&book);
            let output = run(command);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            (text(&output.stdout), text(&output.stderr))
        };
        let (rows, _) = sweep();
        assert_eq!(rows.lines().count(), 4 * sets);
        for row in rows.lines() {
            let row: serde_json::Value = serde_json::from_str(row).unwrap();
            assert_eq!(row["optimal"], true, "{row}");
        }
        let contents = std::fs::read_to_string(book.join("book.json")).unwrap();
        let contents: serde_json::Value = serde_json::from_str(&contents).unwrap();
        let entries = contents["entries"].as_array().unwrap();
        assert_eq!(entries.len(), 4 * sets);
        for entry in entries {
            let file = ScheduleFile::read(book.join(entry["schedule"].as_str().unwrap())).unwrap();
            assert_eq!(verify(&file), [], "{entry}");
            assert_eq!(entry["faults"], serde_json::to_value(&file.faults).unwrap());
            assert_eq!(entry["steps"], file.steps.len());
        }
        // If the last line is incomplete, the other lines are kept.
        let kept = std::fs::read_to_string(&results).unwrap();
        std::fs::write(&results, &kept[..kept.len() - 9]).unwrap();
        let (again, said) = sweep();
        assert_eq!(again, rows);
        assert!(said.contains("1 of "), "{said}");
        assert!(sweep().1.contains("0 of "));
        std::fs::remove_file(&results).unwrap();
        // A book is for one network.
        let args = ["faults", "sweep", "-t", "ring:5", "-c", "oab", "--book"];
        let mut other = mpirun(2, MPI, &args);
        let output = run({
            other.arg(&book);
            other
        });
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("book of another sweep"), "{}", text(&output.stderr));
        std::fs::remove_dir_all(&book).unwrap();
    }
}

/// A book of repairs on two ranks, and what a look-up makes of it.
#[test]
fn a_book_of_repairs_is_made_on_ranks_and_looked_up() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let [old, book, new] = ["old.json", "book", "new.json"].map(|name| folder.path().join(name));
    let serial = |args: &[&str]| Command::new(SERIAL).args(args).output().unwrap();
    let [old, book, new] = [&old, &book, &new].map(|path| path.to_str().unwrap());
    let solved = serial(&["solve", "-t", "mesh:3x3", "-c", "aas", "-q", "-o", old]);
    assert!(solved.status.success(), "{}", text(&solved.stderr));
    let sweep = ["faults", "sweep", "--repair", old, "--iterations", "200", "--book", book];
    let output = run(mpirun(2, MPI, &sweep));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    assert!(told.contains("12 sets of faults: 12 repaired"), "{told}");
    let fault = ["--fail-link", "01-11"];
    let found = serial(&[&["faults", "lookup", book, "-o", new][..], &fault].concat());
    assert!(found.status.success(), "{}", text(&found.stderr));
    assert!(text(&found.stdout).starts_with("link 01-11: "), "{}", text(&found.stdout));
    let looked_up = ScheduleFile::read(new).unwrap();
    let limits = ["--iterations", "200", "--islands", "1", "-o", new];
    let direct = serial(&[&["repair", old][..], &fault, &limits].concat());
    assert!(direct.status.success(), "{}", text(&direct.stderr));
    assert_eq!(looked_up.steps, ScheduleFile::read(new).unwrap().steps);
    let missing = serial(&["faults", "lookup", book, "--fail-node", "11"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("no repair for node 11"), "{}", text(&missing.stderr));
}

#[test]
#[ignore = "long: make test-long"]
fn resilience_is_the_same_on_ranks() {
    let _alone = alone();
    let args = ["faults", "sample", "-t", "ring:5", "--faults", "1,2", "--samples", "3", "-q"];
    let output = run(mpirun(2, MPI, &args));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let serial = Command::new(SERIAL).args(args).output().unwrap();
    assert_eq!(text(&output.stdout), text(&serial.stdout));
}

#[test]
fn a_damaged_network_is_swept() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let [results, book] = ["r.jsonl", "book"].map(|name| folder.path().join(name));
    let sweep = |broken: &str| {
        let mut command =
            mpirun(2, MPI, &["faults", "sweep", "-t", "mesh:3x3", "-c", "all", "--json"]);
        command.args(["--fail-links", "1", "--fail-nodes", "1"]);
        command.args(["--fail-link", broken, "--fail-node", "22"]);
        command.arg("--results").arg(&results).arg("--book").arg(&book);
        run(command)
    };
    let output = sweep("00-01");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let rows: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    // Of 12 links and 9 nodes, 9 and 8 are left; no further fault is also a case.
    assert_eq!(rows.len(), 4 * (9 + 8 + 1));
    let is_there = |fault: &str| rows.iter().any(|row| row["fault"] == fault);
    assert!(is_there("none") && is_there("link 01-02") && is_there("node 21"));
    assert!(!is_there("link 00-01") && !is_there("link 12-22") && !is_there("node 22"));
    // Corner 00 has one link left; without it the corner is cut off.
    let cut_off = |row: &&serde_json::Value| {
        row["fault"] == "link 00-10" && row["impossible"].as_str().is_some()
    };
    assert_eq!(rows.iter().filter(cut_off).count(), 4);
    let contents = std::fs::read_to_string(book.join("book.json")).unwrap();
    let contents: serde_json::Value = serde_json::from_str(&contents).unwrap();
    let given =
        serde_json::json!([{"link": ["00", "01"]}, {"link": ["01", "00"]}, {"vertex": "22"}]);
    for entry in contents["entries"].as_array().unwrap() {
        let file = ScheduleFile::read(book.join(entry["schedule"].as_str().unwrap())).unwrap();
        assert_eq!(verify(&file), [], "{entry}");
        let faults = serde_json::to_value(&file.faults).unwrap();
        assert_eq!(entry["faults"], faults);
        let (first, more) = faults.as_array().unwrap().split_at(3);
        assert_eq!(serde_json::Value::from(first), given);
        assert_eq!(more.is_empty(), entry["fault"] == "none");
    }
    // Impossible cases are not tried again.
    assert!(text(&sweep("00-01").stderr).contains("0 of "));
    // The results belong to the first set of given faults.
    let output = sweep("00-10");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("another sweep: its faults"), "{}", text(&output.stderr));
}

#[test]
fn waiting_ranks_use_no_processor_time() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let output = run(mpirun_child(2, "child_in_which_rank_1_waits", folder.path()));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let ticks: u64 = std::fs::read_to_string(folder.path().join("ticks")).unwrap().parse().unwrap();
    // A tick is 10 ms and the wait 2 s; a rank that spins uses all of it.
    assert!(ticks < 50, "{ticks} ticks of processor time");
}

#[test]
#[ignore = "a child of waiting_ranks_use_no_processor_time"]
fn child_in_which_rank_1_waits() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let (_universe, mut ranks) = mpi::start().unwrap();
    mpi::end_the_job_on_panic("ccsched-mpi", ranks.rank());
    if ranks.rank() == 0 {
        sleep(Duration::from_secs(2));
        ranks.send(vec![(1, vec![42])]).unwrap();
        return;
    }
    let before = ticks_of_this_process();
    assert_eq!(ranks.hear().unwrap(), [42]);
    let ticks = ticks_of_this_process() - before;
    std::fs::write(Path::new(&folder).join("ticks"), ticks.to_string()).unwrap();
}

/// User and system time of all threads of this process, in ticks.
fn ticks_of_this_process() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = stat.rsplit_once(')').unwrap().1;
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks.map(|field| field.parse::<u64>().unwrap()).sum()
}

/// A schedule in this folder, made by the program for one machine.
fn solved(folder: &Path, name: &str, args: &[&str]) -> String {
    let path = folder.join(name).to_str().unwrap().to_string();
    let mut command = Command::new(SERIAL);
    command.arg("solve").args(args).args(["--quiet", "-o", &path]);
    assert_eq!(run(command).status.code(), Some(0));
    path
}

/// The rows of a replay.
fn replayed(ranks: usize, args: &[&str]) -> Vec<serde_json::Value> {
    let output = run(mpirun(ranks, MPI, &[&["replay", "--json"], args].concat()));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn schedules_are_replayed() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let heawood = solved(folder, "heawood.json", &["-t", "heawood", "-c", "aas"]);
    let rounds = ["-t", "heawood", "-c", "aas", "--routing", "balanced", "--engine", "round-robin"];
    let rounds = solved(folder, "rounds.json", &rounds);
    let csv = folder.join("r.csv");
    let args = [&heawood, &rounds, "--bytes", "100,64K", "--repeat", "2", "--against", "alltoall"];
    let more = ["--link-rate", "100", "--csv", csv.to_str().unwrap()];
    let rows = replayed(14, &[&args[..], &more].concat());
    let names: Vec<&str> = rows.iter().map(|row| row["schedule"].as_str().unwrap()).collect();
    assert_eq!(names, ["heawood", "rounds", "MPI_Alltoall"].repeat(2));
    let steps = rows[0]["steps"].as_f64().unwrap();
    let predicted = rows[3]["predicted_seconds"].as_f64().unwrap();
    // The rate of a link, and the one microsecond that a start takes unless --t0 says otherwise.
    assert!((predicted - steps * (1e-6 + 65536e-8)).abs() < 1e-12, "{predicted}");
    assert!(rows[1]["steps"].as_f64().unwrap() > steps);
    assert_eq!(std::fs::read_to_string(csv).unwrap().lines().count(), 7);
    // The orders; messages that are forwarded; senders that are not receivers.
    for (ranks, name, network) in [
        (12, "kautz", &["-t", "kautz:3,2", "-c", "aas"][..]),
        (8, "cube", &["-t", "hypercube:3", "-c", "aas", "--switching", "sf"]),
        (8, "all", &["-t", "hypercube:3", "-c", "aab", "--switching", "sf"]),
        (8, "reduce", &["-t", "hypercube:3", "-c", "reduce", "--switching", "sf"]),
        (8, "sums", &["-t", "ring:8", "-c", "all-reduce", "--switching", "sf"]),
        (8, "whole", &["-t", "mesh:2x4", "-c", "all-reduce", "--parts", "1", "--switching", "sf"]),
        (8, "barrier", &["-t", "ring:8", "-c", "barrier", "--switching", "sf"]),
        (8, "two", &["-t", "two-switch:2,2", "-c", "aas"]),
    ] {
        let path = solved(folder, &format!("{name}.json"), network);
        let has_library = network.contains(&"aas");
        let library = if has_library { &["--against", "alltoall"][..] } else { &[] };
        let order = ["links", "dependency", "barrier", "steps"][name.len() % 4];
        let args = [&path, "--bytes", "1000", "--repeat", "1", "--order", order];
        let rows = replayed(ranks, &[&args[..], library].concat());
        assert_eq!(rows.len(), 1 + library.len() / 2, "{name}");
        assert!(rows.iter().all(|row| row["seconds"].as_f64().unwrap() > 0.0), "{name}");
    }
    // Wrong input ends the whole job with one message.
    for (ranks, args, why) in [
        (4, &[heawood.as_str()][..], "14 terminals take part in the schedule, but the job has 4"),
        (2, &["none.json"], "none.json: No such file"),
        (14, &[&heawood, "--place", "host"], "--place: rank "),
        (14, &[&heawood, "--bytes", "1M", "--memory", "1K"], "--memory: the messages of one rank"),
    ] {
        let output = run(mpirun(ranks, MPI, &[&["replay"], args].concat()));
        let errors = text(&output.stderr);
        assert!(output.status.code() == Some(2) && errors.contains(why), "{errors}");
        let ours = errors.lines().filter(|line| line.starts_with("error: ")).count();
        assert_eq!(ours, 1, "{errors}");
    }
}

/// Root only, with Open MPI, iproute2 and Python; elsewhere the script says what is missing.
#[test]
#[ignore = "changes the network of the machine: make test-emulation"]
fn an_emulated_network_is_as_fast_as_its_links() {
    let _alone = alone();
    if !is_open_mpi() {
        eprintln!("not run: the script starts the ranks by Open MPI");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("e");
    let mut command = Command::new("bash");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/emulate.sh"));
    command
        .args(["--rate", "20", "--bytes", "128K", "--repeat", "1", "--order", "barrier", "--out"]);
    command.arg(&out).arg("two-switch:2,1");
    command.env("PROGRAMS", Path::new(MPI).parent().unwrap());
    let output = run(command);
    let errors = text(&output.stderr);
    if output.status.code() == Some(77) {
        eprintln!("not run: {errors}");
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let mut rows = csv::Reader::from_path(out.with_extension("csv")).unwrap();
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let names: Vec<&str> = rows.iter().map(|row| &row[1]).collect();
    assert_eq!(names, ["auto", "round-robin", "MPI_Alltoall"]);
    for row in &rows[..2] {
        let ratio: f64 = row[10].parse().unwrap();
        // A busy machine makes it slower, nothing makes it faster; 10 % are the first burst.
        assert!(ratio > 0.85, "{row:?}");
    }
    let picture = std::fs::read_to_string(folder.path().join("e-replay.svg")).unwrap();
    assert!(picture.contains("round-robin, predicted"));
}
