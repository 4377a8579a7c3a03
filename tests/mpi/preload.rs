//! The library that is preloaded: a program that knows nothing of it calls every collective in every
//! way, and compares what it gets with what MPI's own functions give, bit for bit.

use super::{alone, end, is_open_mpi, mpirun, solved, start, text};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::MutexGuard;
use std::time::Duration;

/// 1,000 calls on eight ranks of a busy machine, with sanitizers, or building what they need.
const VERY_LONG: Duration = Duration::from_secs(400);

/// The schedules of the library: name, threshold, and how they are solved.
const SCHEDULES: &[(&str, &str, &str)] = &[
    ("alltoall", "1", "hypercube:3 -c aas"),
    ("alltoall-pieces", "4096", "hypercube:3 -c aas --switching sf --pieces 3"),
    ("allgather", "1", "hypercube:3 -c aab --switching sf"),
    ("allgather-long", "2K", "hypercube:3 -c aab"),
    ("bcast", "64", "hypercube:3 -c oab --source 5"),
    ("scatter", "1", "hypercube:3 -c oas --source 5 --switching sf"),
    ("gather", "1", "hypercube:3 -c aog --source 5"),
    ("reduce", "1", "hypercube:3 -c reduce --source 5 --switching sf --pieces 2"),
    ("reduce-scatter", "1", "hypercube:3 -c reduce-scatter"),
    ("allreduce", "100", "hypercube:3 -c all-reduce --switching sf"),
    ("alltoallv", "1", "hypercube:3 --pairs symmetric.csv"),
    ("alltoallv-timed", "1", "hypercube:3 --timed --pairs other.csv"),
    ("half", "1", "ring:4 -c aas"),
    ("half-allreduce", "1", "ring:4 -c all-reduce"),
    ("other-half", "1", "hypercube:3 -c aas --host-list 4,5,6,7"),
    ("column", "1", "hypercube:3 -c aab --host-list 1,5"),
    ("two-a-host", "1", "ring:4 --per-node 2 -c aas"),
];

/// Whether the schedule is of all ranks, each on its host.
fn is_of_world(how: &str) -> bool {
    how.starts_with("hypercube") && !how.contains("--host-list")
}

/// What the name of the function of a schedule begins with, behind `MPI_`.
fn function(how: &str) -> &'static str {
    let names = [
        ("aas", "Alltoall"),
        ("aab", "Allgather"),
        ("oab", "Bcast"),
        ("oas", "Scatter"),
        ("aog", "Gather"),
        ("reduce", "Reduce"),
        ("reduce-scatter", "Reduce_scatter"),
        ("all-reduce", "Allreduce"),
    ];
    let words: Vec<&str> = how.split(' ').collect();
    names.iter().find(|(name, _)| words.contains(name)).map_or("Alltoallv", |row| row.1)
}

/// The folder of a library of all schedules, with the program; built with these flags.
fn built(folder: &Path, flags: &str) -> PathBuf {
    let table = |of: fn(usize, usize) -> usize| {
        let mut text = String::from("source,destination,bytes\n");
        for (from, to) in (0..64).map(|pair| (pair / 8, pair % 8)).filter(|(from, to)| from != to) {
            text += &format!("{from},{to},{}\n", 8 * of(from, to));
        }
        text
    };
    std::fs::write(folder.join("symmetric.csv"), table(|f, t| (f * t + f + t) % 7)).unwrap();
    std::fs::write(folder.join("other.csv"), table(|f, t| (3 * f + 5 * t) % 6)).unwrap();
    let mut export = Command::new(super::SERIAL);
    export.arg("export");
    for (name, _, how) in SCHEDULES {
        let how = how.replace("--pairs ", &format!("--pairs {}/", folder.display()));
        let words = format!("-t {how} --iterations 20");
        let words: Vec<&str> = words.split(' ').collect();
        export.arg(solved(folder, &format!("{name}.json"), &words));
    }
    let thresholds: Vec<&str> = SCHEDULES.iter().map(|row| row.1).collect();
    let out = folder.join("coll");
    export.args(["--from", &thresholds.join(","), "--to", "preload", "-o"]).arg(&out);
    succeeds(export);
    made(&out, flags);
    compiled(&out, flags);
    out
}

/// The program that calls every collective, in the folder of a library.
fn compiled(out: &Path, flags: &str) {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mpi/collectives.c");
    let mut compile = Command::new(mpicc());
    compile
        .args(flags.split(' '))
        .args(["-std=c99", "-pthread", "-o"])
        .arg(out.join("collectives"));
    compile.arg(program);
    succeeds(compile);
}

fn made(folder: &Path, flags: &str) {
    let mut make = Command::new("make");
    make.arg("-C").arg(folder).args(["all", "ccsched-tune"]);
    make.arg(format!("CFLAGS={flags} -Wall -Wextra -Wconversion -Werror"));
    // Calls of the program are short.
    make.arg("CPPFLAGS=-DCCSCHED_TOKEN_BYTES=64").env("MPICC", mpicc());
    succeeds(make);
}

fn mpicc() -> String {
    std::env::var("MPICC").unwrap_or_else(|_| "mpicc".into())
}

fn succeeds(command: Command) {
    let output = end(start(command), VERY_LONG);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{said}");
}

/// What every test here needs: to be alone, a folder, and flags of the compiler, as [`flags`] has them.
struct Bench {
    _alone: MutexGuard<'static, ()>,
    folder: tempfile::TempDir,
    flags: [String; 2],
}

impl Bench {
    /// None without `make`.
    fn new() -> Option<Self> {
        let _alone = alone();
        if has_no("make") {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let flags = flags(folder.path());
        Some(Bench { _alone, folder, flags })
    }
}

/// Plain flags, and those of the sanitizers where the compiler has them.
fn flags(folder: &Path) -> [String; 2] {
    let sanitize = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined";
    std::fs::write(folder.join("empty.c"), "int main(void) { return 0; }\n").unwrap();
    let mut compile = Command::new(mpicc());
    compile.args(sanitize.split(' ')).args(["-o", "empty", "empty.c"]).current_dir(folder);
    let has = compile.output().is_ok_and(|output| output.status.success());
    if !has {
        eprintln!("the compiler has no sanitizers");
    }
    ["-O2", if has { sanitize } else { "-O2" }].map(String::from)
}

/// The program on eight ranks under the library: its last line, and the log. The hosts are called as
/// those of the schedules.
fn ran(folder: &Path, variables: &[&str], args: &[&str]) -> (String, String) {
    ran_program(folder, "collectives", variables, args)
}

fn ran_program(
    folder: &Path,
    program: &str,
    variables: &[&str],
    args: &[&str],
) -> (String, String) {
    let library = folder.join("libccsched-coll.so");
    let preload = format!("LD_PRELOAD={}", library.display());
    let program = folder.join(program);
    let ours = [preload.as_str(), "CCSCHED_LOG=1", "CCSCHED_HOSTS=0,1,2,3,4,5,6,7"];
    let words = [&ours[..], variables, &[program.to_str().unwrap()], args].concat();
    let mut command = mpirun(8, "env", &words);
    command.env("OMPI_MCA_mpi_yield_when_idle", "1");
    command.env("ASAN_OPTIONS", "detect_leaks=0:verify_asan_link_order=0");
    let output = end(start(command), VERY_LONG);
    let (out, log) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.success(), out.contains(", 0 differ"), "{out}{log}");
    assert!(out.contains(" differ\n"), "{out}{log}");
    (out, log)
}

fn has_no(what: &str) -> bool {
    let missing = Command::new(what).arg("--version").output().is_err();
    if missing {
        eprintln!("skipped: {what} is not installed");
    }
    missing
}

#[test]
fn a_program_under_the_library_gets_what_mpi_gives() {
    let Some(Bench { _alone, folder, flags: [_, sanitize] }) = Bench::new() else { return };
    let out = built(folder.path(), &sanitize);
    let (said, log) = ran(&out, &[], &["ways"]);
    assert!(said.contains(", 0 differ"), "{said}{log}");
    // Every schedule was used, and what is passed on has its reason.
    let (world, half) = ("MPI_COMM_WORLD of 8 ranks", "a communicator of 4 ranks");
    let has = |line: String| assert!(log.contains(&line), "{line}: {log}");
    for (name, _, how) in SCHEDULES {
        let is_world = is_of_world(how);
        if ["column", "two-a-host"].contains(name) {
            continue; // other tests use them
        }
        assert!(log.contains(&format!(": schedule {name}")), "{name}: {log}");
        let line = log.lines().find(|line| line.contains(&format!(": schedule {name}"))).unwrap();
        assert!(line.contains(if is_world { "8 ranks" } else { half }), "{line}");
    }
    has(format!("ccsched: {world}: MPI_Alltoall: schedule alltoall-pieces, from 4096 bytes on\n"));
    has(format!("{world}: MPI_Bcast: MPI's own: the schedule is for root 5\n"));
    has(format!("{world}: MPI_Bcast: MPI's own: empty, or below the threshold of 64 bytes\n"));
    has(format!("{world}: MPI_Allreduce: MPI's own: schedules are for predefined operations"));
    has(format!("{world}: MPI_Alltoallv: MPI's own: the counts of a rank are not those"));
    has(format!("{half}: MPI_Bcast: MPI's own: no schedule is for this function\n"));
    has(format!(
        "{half}: MPI_Allreduce: MPI's own: rank 0 is on another host than in the schedule\n"
    ));
    has(format!("{world}: MPI_Allgatherv: schedule allgather, from 1 bytes on\n"));
    has(format!("{world}: MPI_Allgatherv: MPI's own: counts differ by rank\n"));
    has(format!("{world}: MPI_Reduce_scatter: schedule reduce-scatter, from 1 bytes on\n"));
    has(format!("{world}: MPI_Reduce_scatter: MPI's own: counts differ by rank\n"));
    // A communicator has its ranks backwards.
    for (name, _, how) in SCHEDULES.iter().filter(|row| is_of_world(row.2)) {
        let is_it = |line: &str| {
            line.contains(&format!("a communicator of 8 ranks: MPI_{}", function(how)))
                && line.contains(&format!(": schedule {name}"))
                && line.ends_with(", blocks in another order")
        };
        assert!(log.lines().any(is_it), "{name}: {log}");
    }
    has("MPI_COMM_SELF of 1 ranks: MPI_Alltoall: MPI's own: no schedule is for 1 ranks\n".into());
    has("MPI_Allgather: MPI's own: an intercommunicator\n".into());
    // It is said once.
    let mut lines: Vec<&str> = log.lines().filter(|line| line.contains(world)).collect();
    let number = lines.len();
    lines.sort_unstable();
    lines.dedup();
    assert!(number > 15 && lines.len() == number, "{log}");

    let (said, log) = ran(&out, &["CCSCHED_LOG=0"], &["random", "1000", "57"]);
    assert!(said.contains(", 0 differ") && !log.contains("ccsched:"), "{said}{log}");

    // Threads call collectives side by side, each on its communicators; and meet in the middle of a
    // schedule, between the memory that a call gets and its use.
    let rest = "    nanosleep(&(struct timespec){0, 1000000}, NULL);\n";
    let given = "    arena.left = size;\n";
    change(&out, "ccsched_comm.c", given, &format!("{given}{rest}"));
    let head = "#include \"ccsched_coll.h\"\n";
    let clock = "#define _POSIX_C_SOURCE 200809L\n#include <time.h>\n";
    change(&out, "ccsched_comm.c", head, &format!("{clock}{head}"));
    made(&out, &sanitize);
    let (said, log) = ran(&out, &[], &["threads", "80", "3"]);
    assert!(said.contains(", 0 differ"), "{said}{log}");
    for name in ["alltoall", "allgather", "allreduce", "half"] {
        assert!(log.contains(&format!(": schedule {name}")), "{name}: {said}{log}");
    }

    // A message that is put into a wrong place must be noticed.
    let part = out.join("part_1_alltoall.c");
    let text = std::fs::read_to_string(&part).unwrap();
    let broken = text.replacen("1, RECEIVE, 3, 0}", "1, RECEIVE, 4, 0}", 1);
    assert_ne!(broken, text);
    std::fs::write(&part, broken).unwrap();
    made(&out, &sanitize);
    let (said, _) = ran(&out, &[], &["random", "50", "1"]);
    assert!(said.contains("differs: blocks 0 of types "), "{said}");
}

#[test]
#[ignore = "long: make test-long"]
fn what_all_ranks_cannot_do_no_rank_does() {
    let Some(Bench { _alone, folder, flags: [plain, _] }) = Bench::new() else { return };
    let out = built(folder.path(), &plain);
    let own = |variables: &[&str], args: &[&str], why: &str| {
        let (said, log) = ran(&out, variables, args);
        assert!(said.contains(", 0 differ"), "{variables:?} {args:?}: {said}{log}");
        let line = format!("MPI_COMM_WORLD of 8 ranks: {why}\n");
        assert!(log.contains(&line), "{variables:?} {args:?}: {log}");
        log
    };
    let random = ["random", "60", "3"];
    let log = own(&["CCSCHED_OFF=1"], &random, "MPI_Alltoall: MPI's own: CCSCHED_OFF is set");
    assert!(!log.contains(": schedule "), "{log}");
    own(
        &["CCSCHED_EXACT=1"],
        &["random", "400", "5"],
        "MPI_Allreduce: MPI's own: CCSCHED_EXACT is set, and sums of floating-point numbers depend on the order",
    );
    let elsewhere = "MPI_Alltoall: MPI's own: rank 4 is on another host than in the schedule";
    let log = own(&["CCSCHED_HOSTS=0,1,2.cluster,3,x,5,6,7"], &random, elsewhere);
    assert!(log.contains(": schedule half"), "{log}");
    own(&["CCSCHED_HOSTS=0,1,2"], &random, &elsewhere.replace('4', "3"));
    own(&["CCSCHED_HOSTS=0,1,2,3,4,4,6,7"], &random, &elsewhere.replace('4', "5"));
    if is_open_mpi() {
        // The rank's own environment: one of them wants MPI's functions, so all get them.
        let script = "[ \"$OMPI_COMM_WORLD_RANK\" = 6 ] && export CCSCHED_OFF=1; exec \"$@\"";
        let log = own(
            &["bash", "-c", script, "_"],
            &random,
            "MPI_Alltoall: MPI's own: CCSCHED_OFF is set",
        );
        let of_all = |line: &str| line.contains("of 8 ranks") && line.contains(": schedule ");
        assert!(!log.lines().any(of_all), "{log}");
    }
    // Small calls go on as before.
    let (said, log) = ran(&out, &[], &["memory"]);
    assert!(said.contains(", 0 differ"), "{said}{log}");
    assert!(log.contains("MPI_Alltoall: MPI's own: a rank lacks memory, "), "{log}");
}

#[test]
fn ranks_in_another_order_and_parts_of_a_job_get_schedules() {
    let Some(Bench { _alone, folder, flags: [plain, _] }) = Bench::new() else { return };
    let out = built(folder.path(), &plain);
    let used = |variables: &[&str], args: &[&str], lines: &[&str]| {
        let (said, log) = ran(&out, variables, args);
        assert!(said.contains(", 0 differ"), "{variables:?} {args:?}: {said}{log}");
        for line in lines {
            assert!(log.contains(&format!("{line}\n")), "{variables:?} {line}: {log}");
        }
        log
    };
    let random = ["random", "200", "3"];
    let world = "MPI_COMM_WORLD of 8 ranks: MPI_Alltoall: schedule";
    let other = "blocks in another order";
    let from = "from 1 bytes on";
    let alltoall = format!("{world} alltoall, {from}, {other}");
    used(&["CCSCHED_HOSTS=0,1,2.cluster,3,5,4,6,7"], &random, &[&alltoall]);
    used(&["CCSCHED_HOSTS=6,4,7,1,0,5,3,2"], &random, &[&alltoall]);
    // Which of the ranks of a host takes which place does not matter.
    let two = format!("{world} two-a-host, {from}");
    used(&["CCSCHED_HOSTS=0,0,1,1,2,2,3,3"], &random, &[&two]);
    used(&["CCSCHED_HOSTS=3,1,0,2,2,0,1,3"], &random, &[&format!("{two}, {other}")]);
    let rows = [
        "row 0 of 4 ranks: MPI_Alltoall: schedule half, from 1 bytes on",
        "row 1 of 4 ranks: MPI_Alltoall: schedule other-half, from 1 bytes on",
        "column 1 of 2 ranks: MPI_Allgather: schedule column, from 1 bytes on",
        "another column of 2 ranks: MPI_Allgather: MPI's own: rank 0 is on another host than in the schedule",
    ];
    used(&[], &["grid"], &rows);
    // Hosts of both rows in the other one: the ranks of a row have the order of its hosts.
    let log = used(&["CCSCHED_HOSTS=5,4,7,6,3,2,1,0"], &["grid"], &[]);
    assert!(log.contains(&format!(
        "row 0 of 4 ranks: MPI_Alltoall: schedule other-half, {from}, {other}\n"
    )));
    assert!(
        log.contains(&format!("row 1 of 4 ranks: MPI_Alltoall: schedule half, {from}, {other}\n"))
    );
}

/// The rows of a summary or profile by function: calls and bytes, and the text of the row.
fn counted(log: &str) -> Vec<(String, u64, u64, String)> {
    let head = log.lines().find(|line| line.starts_with("ccsched: function ")).unwrap();
    let end = |what: &str| head.find(what).unwrap() + what.len();
    let [calls, bytes] = [end(" calls"), end(" bytes")];
    let rows = log.lines().skip_while(|line| *line != head).skip(1);
    let rows = rows.filter(|line| line.len() > bytes && line.is_char_boundary(bytes));
    let number = |text: &str| text.rsplit(' ').next().unwrap().parse().ok();
    rows.filter_map(|line| {
        let name = line["ccsched: ".len()..].split("  ").next().unwrap();
        Some((name.to_string(), number(&line[..calls])?, number(&line[..bytes])?, line.to_string()))
    })
    .collect()
}

#[test]
#[ignore = "long: make test-long"]
fn a_summary_tells_where_the_time_goes() {
    let Some(Bench { _alone, folder, flags: [plain, _] }) = Bench::new() else { return };
    let out = built(folder.path(), &plain);
    let args = ["random", "200", "3"];
    let mut sums = Vec::new();
    for variables in [
        &["CCSCHED_LOG=summary"][..],
        &["CCSCHED_LOG=profile"],
        &["CCSCHED_LOG=profile", "CCSCHED_OFF=1"],
        &["CCSCHED_LOG=profile", "CCSCHED_HOSTS=x"],
    ] {
        let (said, log) = ran(&out, variables, &args);
        assert!(said.contains(", 0 differ"), "{variables:?}: {said}{log}");
        assert!(!log.contains("of 8 ranks: MPI_"), "{variables:?}: {log}");
        let rows = counted(&log);
        let (all, rest) = rows.split_first().unwrap();
        assert_eq!((all.0.as_str(), all.1), ("all collectives", 200 * 8), "{variables:?}: {log}");
        let sum = |of: fn(&(String, u64, u64, String)) -> u64| rest.iter().map(of).sum::<u64>();
        assert_eq!((sum(|row| row.1), sum(|row| row.2)), (all.1, all.2), "{variables:?}: {log}");
        sums.push(all.2);
        let has = |what: &str| rest.iter().any(|row| row.3.contains(what));
        let off = variables.contains(&"CCSCHED_OFF=1");
        assert_eq!(has("CCSCHED_OFF is set"), off, "{variables:?}: {log}");
        let away = variables.contains(&"CCSCHED_HOSTS=x");
        assert_eq!(has("schedule alltoall") || has(" by schedules"), !off && !away, "{log}");
        assert_eq!(log.contains(" calls by schedules;"), !off, "{log}");
        if variables.len() == 1 && variables[0].ends_with("summary") {
            let names: Vec<_> = rest.iter().map(|row| &row.0).collect();
            assert_eq!(names.len(), 11, "{log}");
        }
    }
    assert!(sums.iter().all(|&sum| sum > 0 && sum == sums[0]), "{sums:?}");
    // Those that do not block, too; and in a job of no schedule's number of ranks.
    let (said, log) = ran(&out, &["CCSCHED_LOG=1,profile"], &["ways"]);
    assert!(said.contains(", 0 differ") && log.contains("of 8 ranks: MPI_"), "{said}{log}");
    let row = counted(&log).into_iter().find(|row| row.0.starts_with("MPI_Iallreduce")).unwrap();
    assert_eq!((row.1, row.2), (8, 32), "{log}");
    assert!(row.3.contains("its start alone is timed"), "{log}");
    if is_open_mpi() {
        // One rank asks, all answer.
        let script = "[ \"$OMPI_COMM_WORLD_RANK\" = 6 ] && export CCSCHED_LOG=summary; exec \"$@\"";
        let (_, log) = ran(&out, &["CCSCHED_LOG=0", "bash", "-c", script, "_"], &args);
        assert_eq!(counted(&log)[0].1, 200 * 8, "{log}");
    }
}

#[test]
fn programs_in_fortran_get_schedules() {
    let Some(Bench { _alone, folder, flags: [plain, _] }) = Bench::new() else { return };
    let compiler = mpicc().replace("mpicc", "mpif90");
    std::fs::write(folder.path().join("empty.f90"), "end program\n").unwrap();
    let mut compile = Command::new(&compiler);
    compile.args(["-o", "empty", "empty.f90"]).current_dir(folder.path());
    if !compile.output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {compiler} compiles no Fortran");
        return;
    }
    let out = built(folder.path(), &plain);
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mpi/collectives.F90");
    for (binding, threads) in [("1", false), ("2", false), ("3", false), ("1", true), ("3", true)] {
        let mut compile = Command::new(&compiler);
        compile.args(["-w", "-ffree-line-length-none", "-fallow-argument-mismatch", "-o"]);
        compile.arg(out.join("fortran")).arg(format!("-DBINDING={binding}"));
        compile.args(threads.then_some("-DTHREADS")).arg(source);
        succeeds(compile);
        let (said, log) = ran_program(&out, "fortran", &["CCSCHED_LOG=1,profile"], &[]);
        assert!(said.contains(", 0 differ"), "{binding}: {said}{log}");
        for function in [
            "Alltoall",
            "Alltoallv",
            "Allgather",
            "Allgatherv",
            "Bcast",
            "Scatter",
            "Gather",
            "Allreduce",
            "Reduce",
            "Reduce_scatter",
            "Reduce_scatter_block",
        ] {
            let line = format!("a communicator of 8 ranks: MPI_{function}: ");
            let lines: Vec<_> = log.lines().filter(|l| l.contains(&line)).collect();
            let all = lines.iter().all(|line| line.contains(": schedule "));
            assert!(!lines.is_empty() && all, "{binding} {function}: {log}");
        }
        let rows = counted(&log);
        let calls = |name: &str| -> u64 {
            let is_it = |row: &&(String, _, _, _)| row.0.split(' ').next() == Some(name);
            rows.iter().filter(is_it).map(|row| row.1).sum()
        };
        let names =
            ["MPI_Alltoall", "MPI_Allreduce", "MPI_Ialltoall", "MPI_Iallreduce", "MPI_Barrier"];
        assert_eq!(names.map(calls), [16, 48, 8, 8, 8], "{binding}: {log}");
    }
}

/// Changes a file of the library.
fn change(folder: &Path, file: &str, from: &str, to: &str) {
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let changed = text.replacen(from, to, 1);
    assert_ne!(text, changed, "{file} has no {from}");
    std::fs::write(&path, changed).unwrap();
}

#[test]
fn schedules_are_used_where_they_were_measured_to_be_faster() {
    let Some(Bench { _alone, folder, flags: [plain, _] }) = Bench::new() else { return };
    let out = built(folder.path(), &plain);
    // MPI's own all-gather is late, and so are the schedules of the all-to-all of all ranks: by far more than
    // a busy machine adds.
    let late = "    nanosleep(&(struct timespec){0, 100000000}, NULL);\n";
    let own = format!("        if (own)\n    {late}        CALL(Allgather");
    change(&out, "ccsched_tune.c", "        CALL(Allgather", &own);
    change(
        &out,
        "ccsched_tune.c",
        "#include <stdio.h>\n",
        "#include <stdio.h>\n#include <time.h>\n",
    );
    for part in ["part_1_alltoall.c", "part_2_alltoall_pieces.c"] {
        let first = "    error = MPI_Comm_rank(comm, &rank);\n";
        change(&out, part, first, &format!("{late}{first}"));
        change(
            &out,
            part,
            "#define",
            "#define _POSIX_C_SOURCE 200809L\n#include <time.h>\n#define",
        );
    }
    made(&out, &plain);
    let words = ["CCSCHED_HOSTS=0,1,2,3,4,5,6,7", "./ccsched-tune", ".", "4", "512", "64K"];
    let mut tune = mpirun(8, "env", &words);
    tune.env("OMPI_MCA_mpi_yield_when_idle", "1").current_dir(&out);
    let output = end(start(tune), VERY_LONG);
    let (said, log) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{said}{log}");
    let file = out.join("ccsched.tuned");
    let tuned = std::fs::read_to_string(&file).unwrap();
    // From the first length to the last one, by one of both schedules, or one after the other.
    let of = |what: &str| tuned.lines().filter(|line| line.contains(what)).collect::<Vec<_>>();
    let gathers = of("MPI_Allgather of 8 ranks: allgather");
    let number = |line: &str, place: usize| line.split(' ').nth(place).unwrap().to_string();
    assert_eq!(number(gathers[0], 1), "4", "{tuned}{said}");
    assert_eq!(number(gathers[gathers.len() - 1], 2), "65536", "{tuned}{said}");
    assert_eq!(of("MPI_Alltoall of 8 ranks"), [""; 0], "{tuned}{said}");

    let world = "MPI_COMM_WORLD of 8 ranks: ";
    let variable = format!("CCSCHED_TUNED={}", file.display());
    let (said, log) = ran(&out, &[&variable], &["random", "300", "9"]);
    assert!(said.contains(", 0 differ"), "{said}{log}");
    let used = log.lines().any(|line| {
        line.contains(&format!("{world}MPI_Allgather: schedule allgather"))
            && line.ends_with(", measured to be faster")
    });
    assert!(used, "{log}");
    let slow = "MPI_Alltoall: MPI's own: empty, or a length for which no schedule was measured";
    assert!(log.contains(&format!("{world}{slow}")), "{log}");
    assert!(!log.contains(&format!("{world}MPI_Alltoall: schedule")), "{log}");

    // A file that is missing, cut off or of another library leaves all calls to MPI.
    let damaged = "the file of CCSCHED_TUNED is damaged, or of another library";
    let (head, rest) = tuned.split_once('\n').unwrap();
    for (content, why) in [
        (None, "rank 0 cannot read the file of CCSCHED_TUNED"),
        (Some(tuned[..tuned.len() - 3].to_string()), damaged),
        (Some(format!("{}\n{rest}", head.replace("tuned 1 ", "tuned 1 1"))), damaged),
        (Some(String::new()), damaged),
    ] {
        match content {
            None => std::fs::remove_file(&file).unwrap(),
            Some(content) => std::fs::write(&file, content).unwrap(),
        }
        let (said, log) = ran(&out, &[&variable], &["random", "30", "9"]);
        assert!(said.contains(", 0 differ"), "{said}{log}");
        let is_said =
            |line: &str| line.contains(world) && line.contains(&format!(": MPI's own: {why}"));
        assert!(log.lines().any(is_said), "{why}: {log}");
        assert!(!log.contains(": schedule"), "{why}: {log}");
    }
}

/// Two ranks on each of four hosts: the schedule is between the first ranks of the hosts.
#[test]
#[ignore = "long: make test-long"]
fn schedules_of_hosts_serve_all_ranks_on_them() {
    let Some(Bench { _alone, folder, flags: [_, sanitize] }) = Bench::new() else { return };
    let (net, out) = (folder.path().join("net.edges"), folder.path().join("coll"));
    std::fs::write(&net, "l1 n1\nl1 n2\nl2 n3\nl2 n4\nl1 s\nl2 s\n").unwrap();
    let mut deploy = Command::new(super::SERIAL);
    deploy.arg("deploy").arg("-t").arg(&net).args(["--terminals", "n*", "--host-list", "n[1-4]"]);
    deploy.args([
        "--per-node",
        "2",
        "-c",
        "alltoall,allgather,reduce-scatter,allreduce",
        "-q",
        "-o",
    ]);
    deploy.arg(&out);
    succeeds(deploy);
    made(&out, &sanitize);
    compiled(&out, &sanitize);
    // As if they had been measured to be the fastest at every length.
    let table = std::fs::read_to_string(out.join("ccsched_table.c")).unwrap();
    // The second line of the hash is that without barriers.
    let mut hash =
        table.lines().filter_map(|line| line.strip_prefix("const long long ccsched_hash = "));
    let hash = hash.next_back().unwrap().trim_end_matches("LL;");
    let entries = table.lines().filter(|line| line.starts_with("    {\""));
    let hosts = entries.enumerate().filter(|(_, line)| line.contains("-hosts-"));
    let ranges: Vec<String> = hosts.map(|(i, _)| format!("{i} 1 1073741824 hosts\n")).collect();
    assert!(ranges.len() >= 4, "{table}");
    let file = out.join("ccsched.tuned");
    let tuned = format!("ccsched-tuned 1 {hash}\n{}end {}\n", ranges.concat(), ranges.len());
    std::fs::write(&file, tuned).unwrap();
    let variables = [
        format!("CCSCHED_TUNED={}", file.display()),
        "CCSCHED_HOSTS=n1,n1,n2,n2,n3,n3,n4,n4".into(),
    ];
    let variables = variables.each_ref().map(String::as_str);
    let (said, log) = ran(&out, &variables, &["random", "300", "11"]);
    assert!(said.contains(", 0 differ"), "{said}{log}");
    for used in [
        "MPI_Alltoall: schedule alltoall-hosts-",
        "MPI_Allgather: schedule allgather-hosts-",
        "MPI_Reduce_scatter_block: schedule reduce-scatter-hosts-",
        "MPI_Allreduce: schedule allreduce-hosts-",
    ] {
        assert!(log.contains(used), "{used}: {log}");
    }
}
