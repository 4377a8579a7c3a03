//! The library that is preloaded: a program that knows nothing of it calls every collective in every
//! way, and compares what it gets with what MPI's own functions give, bit for bit.

use super::{alone, end, is_open_mpi, mpirun, solved, start, text};
use std::path::{Path, PathBuf};
use std::process::Command;
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
];

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
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mpi/collectives.c");
    let mut compile = Command::new(mpicc());
    compile.args(flags.split(' ')).args(["-std=c99", "-o"]).arg(out.join("collectives"));
    compile.arg(program);
    succeeds(compile);
    out
}

fn made(folder: &Path, flags: &str) {
    let mut make = Command::new("make");
    make.arg("-C").arg(folder).arg(format!("CFLAGS={flags} -Wall -Wextra -Wconversion -Werror"));
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
    let library = folder.join("libccsched-coll.so");
    let preload = format!("LD_PRELOAD={}", library.display());
    let program = folder.join("collectives");
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
    let _alone = alone();
    if has_no("make") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [_, sanitize] = flags(folder.path());
    let out = built(folder.path(), &sanitize);
    let (said, log) = ran(&out, &[], &["ways"]);
    assert!(said.contains(", 0 differ"), "{said}{log}");
    // Every schedule was used, and what is passed on has its reason.
    let (world, half) = ("MPI_COMM_WORLD of 8 ranks", "a communicator of 4 ranks");
    let has = |line: String| assert!(log.contains(&line), "{line}: {log}");
    for (name, _, how) in SCHEDULES {
        let is_world = how.starts_with("hypercube");
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
    has("MPI_Alltoall: MPI's own: rank 0 is on another host than in the schedule\n".into());
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
fn what_all_ranks_cannot_do_no_rank_does() {
    let _alone = alone();
    if has_no("make") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [plain, _] = flags(folder.path());
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
    let hosts = "CCSCHED_HOSTS=0,1,2.cluster,3,5,4,6,7";
    let other = "MPI_Alltoall: MPI's own: rank 4 is on another host than in the schedule";
    let log = own(&[hosts], &random, other);
    assert!(log.contains("of 4 ranks: MPI_Alltoall: schedule half"), "{log}");
    own(&["CCSCHED_HOSTS=0,1,2"], &random, &other.replace('4', "3"));
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
    let (said, log) = ran(&out, &[], &["threads", "60", "3"]);
    assert!(said.contains(", 0 differ"), "{said}{log}");
    let threads = log.contains("MPI_Alltoall: MPI's own: MPI_THREAD_MULTIPLE");
    assert!(threads != said.contains("not supported"), "{said}{log}");
    // Small calls go on as before.
    let (said, log) = ran(&out, &[], &["memory"]);
    assert!(said.contains(", 0 differ"), "{said}{log}");
    assert!(log.contains("MPI_Alltoall: MPI's own: a rank lacks memory, "), "{log}");
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
    let _alone = alone();
    if has_no("make") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [plain, _] = flags(folder.path());
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
    let mut make = Command::new("make");
    make.arg("-C").arg(&out).args(["tune", "BYTES=4 512 64K"]);
    make.arg(format!("CFLAGS={plain} -Wall -Wextra -Wconversion -Werror"));
    let hosts = "CCSCHED_HOSTS=0,1,2,3,4,5,6,7";
    make.arg(format!("MPIRUN={} -n 8 env {hosts}", super::launcher())).env("MPICC", mpicc());
    make.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    make.env("OMPI_MCA_rmaps_base_oversubscribe", "1");
    make.env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
    make.env("OMPI_MCA_mpi_yield_when_idle", "1");
    let output = end(start(make), VERY_LONG);
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
