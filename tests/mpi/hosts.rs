//! A folder of `ccsched deploy` on make-believe hosts, to which the launcher comes by an ssh with a clean
//! environment: however a program is started there, it ends, and says what it runs with.
#![cfg(target_os = "linux")]

use super::{SERIAL, alone, end, is_open_mpi, launcher, start, text};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

/// A job that starts three times on a busy machine, and measures once.
const LONG: Duration = Duration::from_secs(150);

/// Four hosts at two leaves.
const FABRIC: &str = "from to capacity\nl1 n1 1\nl1 n2 1\nl2 n3 1\nl2 n4 1\nl1 s 2\nl2 s 2\n";

/// Hosts are namespaces of names. The first argument is the host that lacks the folder in the second one.
const SSH: &str = "#!/bin/bash
host=$1; shift
[ $host != LACKS ] || lacks='mount -t tmpfs none FOLDER/job;'
exec env -i PATH=/usr/bin:/bin HOME=\"$HOME\" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \\
    unshare -m -u bash -c \"${lacks:-} hostname $host; $*\"
";

struct Hosts {
    folder: tempfile::TempDir,
}

impl Hosts {
    /// A built folder `job`, the program, and the hosts; none where they cannot be made.
    fn new() -> Option<Self> {
        let can = Command::new("unshare").args(["-m", "-u", "hostname", "n1"]).output();
        if !is_open_mpi() || !can.is_ok_and(|output| output.status.success()) {
            eprintln!(
                "skipped: no namespaces for make-believe hosts, or another MPI than Open MPI"
            );
            return None;
        }
        let hosts = Hosts { folder: tempfile::tempdir().unwrap() };
        let names: String = (1..=4).map(|n| format!("127.1.0.{n} n{n}\n")).collect();
        let own = fs::read_to_string("/etc/hosts").unwrap_or_default();
        fs::write(hosts.at("hosts"), own + "\n" + &names).unwrap();
        fs::write(hosts.at("fabric.edges"), FABRIC).unwrap();
        let mut deploy = Command::new(SERIAL);
        deploy.args(["deploy", "-t", "fabric.edges", "--terminals", "n*", "--host-list", "n[1-4]"]);
        deploy.args(["-c", "alltoall,allreduce", "--least-bytes", "1", "-q", "-o", "job"]);
        succeeds(deploy.current_dir(hosts.path()));
        let mut make = Command::new("make");
        succeeds(make.args(["-C", "job", "all", "ccsched-tune"]).current_dir(hosts.path()));
        let program = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/collectives.c");
        let mut compile = Command::new("mpicc");
        succeeds(compile.args(["-O2", "-o", "program", program]).current_dir(hosts.path()));
        Some(hosts)
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Runs a command line on n1, from where ssh leads to the others; `lacks` has no folder `job`.
    fn run(&self, line: &str, lacks: &str) -> Output {
        let ssh = SSH.replace("LACKS", lacks).replace("FOLDER", self.path().to_str().unwrap());
        fs::write(self.at("agent"), ssh).unwrap();
        fs::set_permissions(self.at("agent"), fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = Command::new("unshare");
        command.args(["-m", "-u", "bash", "-c"]);
        command.arg(format!("mount --bind hosts /etc/hosts; hostname n1; {line}"));
        command.env("OMPI_MCA_plm_rsh_agent", self.at("agent")).env("LAUNCHER", launcher());
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.env("OMPI_MCA_mpi_yield_when_idle", "1").current_dir(self.path());
        end(start(command), LONG)
    }

    /// As [`Hosts::run`]: the program ends with all its lines; what it said.
    fn ends(&self, line: &str, lacks: &str) -> String {
        let output = self.run(line, lacks);
        let (out, said) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{line}: {out}{said}");
        assert_eq!(out.lines().count(), 3, "{line}: {out}{said}");
        said
    }
}

fn succeeds(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

const PROGRAM: &str = "./program 1 4096";
const WITHOUT: &str = "run: the program starts without the library\n";
const USED: &str = "MPI_COMM_WORLD of 4 ranks: MPI_Alltoall: schedule alltoall";

#[test]
fn a_job_on_hosts_behind_ssh_never_hangs() {
    let _alone = alone();
    let Some(hosts) = Hosts::new() else { return };
    let mpirun = format!("{} -n 4 --hostfile job/hosts --map-by seq", launcher());
    let library = "LD_PRELOAD=$PWD/job/libccsched-coll.so";
    // As people start it by hand: ranks of this host alone have the library.
    let said = hosts.ends(&format!("{library} {mpirun} {PROGRAM}"), "none");
    assert!(said.contains("ccsched: rank 1 does not have the library"), "{said}");
    let said = hosts.ends(&format!("{mpirun} -x {library} -x CCSCHED_LOG=1 {PROGRAM}"), "none");
    assert!(said.contains(USED), "{said}");
    // One of the hosts lacks the file.
    let said = hosts.ends(&format!("{mpirun} -x {library} -x CCSCHED_LOG=1 {PROGRAM}"), "n3");
    assert!(said.contains("ccsched: rank 2 does not have the library"), "{said}");

    let run = format!("CCSCHED_LOG=1 job/run {PROGRAM}");
    let said = hosts.ends(&run, "none");
    assert!(said.contains(USED) && !said.contains(WITHOUT), "{said}");
    let said = hosts.ends(&run, "n3");
    assert!(said.contains(WITHOUT) && !said.contains(USED), "{said}");
    // Each rank has its share of cores, or none if there are too few.
    let said = hosts.ends(&format!("CPUS=1000 {run}"), "none");
    assert!(said.contains(USED) && said.contains("too few of them"), "{said}");
    let status = |line: &str| hosts.run(line, "none").status.code();
    assert_eq!(status("job/run bash -c 'exit 7'"), Some(7));
    assert_eq!(status("job/run"), Some(2));
}

#[test]
fn what_is_measured_on_the_hosts_is_used_there() {
    let _alone = alone();
    let Some(hosts) = Hosts::new() else { return };
    let output = hosts.run("SECONDS_FOR_ALL=20 job/tune 4K 64K", "none");
    let (out, said) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}{said}");
    // The algorithms of the library are measured, too, and each way has a line.
    for way in ["MPI's choice", "pairwise", "ring", "alltoall-", "allreduce-"] {
        assert!(out.contains(way), "{way}: {out}{said}");
    }
    let tuned = fs::read_to_string(hosts.at("job/ccsched.tuned")).unwrap();
    assert!(tuned.starts_with("ccsched-tuned 1 "), "{tuned}");
    let ranges = tuned.lines().filter(|line| line.contains(" of 4 ranks: ")).count();
    assert!(out.contains(&format!("\n{ranges} ranges of lengths for schedules")), "{out}{tuned}");
    assert!(fs::read_to_string(hosts.at("job/ccsched.speeds")).unwrap().starts_with("--t0 "));
    // A program gets what was measured, and algorithms where Open MPI reads the rules without a complaint.
    let rules = "1\n3\n1\n4\n2\n0 0 0 0\n16384 2 0 0\n";
    fs::write(hosts.at("job/openmpi.rules"), rules).unwrap();
    let said = hosts.ends(&format!("CCSCHED_LOG=1 job/run {PROGRAM}"), "none");
    assert!(said.contains("measured to be faster"), "{said}");
    // Ranks on other hosts: nothing is measured, and it says why.
    fs::write(hosts.at("job/hosts"), "n1\nn1\nn3\nn4\n").unwrap();
    let before = fs::read_to_string(hosts.at("job/ccsched.tuned")).unwrap();
    let output = hosts.run("job/tune 4K", "none");
    assert_eq!(fs::read_to_string(hosts.at("job/ccsched.tuned")).unwrap(), before);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{}{said}", text(&output.stdout));
    assert!(said.contains("rank 1 is on n1, in schedule alltoall-"), "{said}");
    // Wrong lengths are told once, before ranks start.
    let output = hosts.run("job/tune 4K 1K", "none");
    assert_eq!((output.status.code(), text(&output.stderr).lines().count()), (Some(2), 1));
}
