//! C files for MPI, compiled by `mpicc` and run by `mpirun`: what they receive is compared bit for
//! bit with what MPI's own collectives receive. Skipped where `mpicc` is missing.

use super::text;
use crate::support::search::found_soon;
use crate::support::share::{some, tries_all};
use ccsched::experiments::replay::Script;
use ccsched::export::Subject;
use ccsched::export::preload::{Entry, files};
use ccsched::network::{Network, spec};
use ccsched::problem::{Collective, Group, Pair, Request, Roots, Switching};
use ccsched::schedule::ScheduleFile;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

const DRIVER: &str = include_str!("mpi_c_driver.c");

/// A file to compile, the collective it must equal, and its root.
struct Case {
    name: String,
    collective: Collective,
    root: usize,
    text: String,
}

/// The function of the exported file.
fn function(collective: Collective) -> &'static str {
    match collective {
        Collective::Oab => "ccsched_bcast",
        Collective::Aab => "ccsched_allgather",
        Collective::Oas => "ccsched_scatter",
        Collective::Aas => "ccsched_alltoall",
        Collective::Aog => "ccsched_gather",
        Collective::Traffic => "ccsched_traffic",
        Collective::Groups => "ccsched_groups",
        Collective::Reduce => "ccsched_reduce",
        Collective::ReduceScatter => "ccsched_reduce_scatter_block",
        Collective::AllReduce | Collective::AllReduceWhole => "ccsched_allreduce",
        Collective::Notify => "ccsched_notify",
        Collective::Barrier => "ccsched_barrier",
        Collective::ReduceGroups | Collective::SumGroups | Collective::Scan => {
            unreachable!("sums of groups are not written")
        }
    }
}

fn schedule(network: Network, request: &Request) -> ScheduleFile {
    found_soon(request, network)
}

/// Every rank sends two messages to the next and one to the third from it.
fn traffic(ranks: usize) -> Vec<Pair> {
    let pair = |from: usize, by: usize, count| Pair {
        source: from.to_string(),
        destination: ((from + by) % ranks).to_string(),
        bytes: None,
        count,
    };
    (0..ranks).flat_map(|from| [pair(from, 1, 2), pair(from, 3, 1)]).collect()
}

/// An all-gather of the first half of the ranks beside an all-to-all of the second.
fn halves(ranks: usize) -> Vec<Group> {
    let half = |collective, members: Range<usize>| Group {
        collective,
        members: members.map(|rank| rank.to_string()).collect(),
        root: None,
        bytes: None,
    };
    vec![half(Collective::Aab, 0..ranks / 2), half(Collective::Aas, ranks / 2..ranks)]
}

/// A collective, its switching, and the pieces of each message.
type Asked = (Collective, Switching, u32);

fn cases(network: &str, requests: &[Asked]) -> Vec<Case> {
    let case = |(number, &(collective, switching, pieces)): (usize, &Asked)| {
        let network = spec::parse(network).unwrap();
        let ranks = network.terminals().count();
        let has_root = collective.roots() == Roots::One;
        let root = if has_root { 5.min(ranks as u32 - 1) } else { 0 };
        let request = Request {
            switching,
            pieces,
            source: has_root.then(|| network.vertex_name(root).to_string()),
            pairs: (collective == Collective::Traffic).then(|| traffic(ranks)),
            groups: (collective == Collective::Groups).then(|| halves(ranks)),
            ..Request::new(collective)
        };
        let text = text(&schedule(network, &request), "mpi-c");
        Case { name: format!("f{number}"), collective, root: root as usize, text }
    };
    requests.iter().enumerate().map(case).collect()
}

pub fn mpicc() -> String {
    std::env::var("MPICC").unwrap_or_else(|_| "mpicc".into())
}

/// Runs the program `driver` on some ranks.
pub fn started(ranks: usize) -> Command {
    let launcher = std::env::var("CCSCHED_MPIRUN").unwrap_or_else(|_| "mpirun".into());
    let mut mpirun = Command::new(launcher);
    mpirun.args(["-n", &ranks.to_string(), "./driver"]);
    mpirun.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    mpirun.env("OMPI_MCA_rmaps_base_oversubscribe", "1").env("OMPI_MCA_mpi_yield_when_idle", "1");
    mpirun.env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
    // What the library that is preloaded asks for.
    let hosts: Vec<String> = (0..ranks).map(|rank| rank.to_string()).collect();
    mpirun.env("CCSCHED_HOSTS", hosts.join(",")).env("CCSCHED_LOG", "1");
    mpirun
}

/// The names of the cases that differ from MPI's collectives.
fn differences(folder: &Path, ranks: usize, cases: &[Case]) -> Vec<String> {
    differences_by(DRIVER, folder, ranks, cases)
}

/// The same by another driver.
fn differences_by(driver: &str, folder: &Path, ranks: usize, cases: &[Case]) -> Vec<String> {
    differences_with(&[], driver, folder, ranks, cases).0
}

/// The same with more for the compiler of the driver, and what the program says on the standard error.
fn differences_with(
    more: &[&str],
    driver: &str,
    folder: &Path,
    ranks: usize,
    cases: &[Case],
) -> (Vec<String>, String) {
    let run = |command: &mut Command| {
        let output = command.current_dir(folder).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{command:?}: {said}");
        (String::from_utf8(output.stdout).unwrap(), said)
    };
    let mut table = String::new();
    for case in cases {
        std::fs::write(folder.join(format!("{}.c", case.name)), &case.text).unwrap();
        let rename = format!("-D{}={}", function(case.collective), case.name);
        let strict = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-O1", "-c"];
        run(Command::new(mpicc()).args(strict).args([&rename, &format!("{}.c", case.name)]));
        let collective = case.collective.to_string().replace('-', "_");
        table += &format!("X({}, {collective}, {})\n", case.name, case.root);
    }
    std::fs::write(folder.join("cases.h"), table).unwrap();
    std::fs::write(folder.join("driver.c"), driver).unwrap();
    let objects = cases.iter().map(|case| format!("{}.o", case.name));
    let mut link = Command::new(mpicc());
    run(link.args(["-O1", "-pthread", "-o", "driver", "driver.c"]).args(objects).args(more));
    let (out, said) = run(&mut started(ranks));
    assert!(out.contains("done"), "{out}");
    let differs = |line: &str| line.strip_prefix("differs: ").map(String::from);
    (out.lines().filter_map(differs).collect(), said)
}

#[test]
fn exported_functions_receive_what_mpi_receives() {
    if Command::new(mpicc()).arg("-show").output().is_err() {
        eprintln!("skipped: {} is not installed", mpicc());
        return;
    }
    use Collective::{Aab, Aas, Aog, Groups, Oab, Oas, Traffic};
    use Switching::{StoreAndForward, Wormhole};
    let folder = tempfile::tempdir().unwrap();
    let all = [Aas, Aab, Oab, Oas, Aog, Traffic, Groups];
    let both: Vec<Asked> = all
        .into_iter()
        .flat_map(|c| [(c, Wormhole, 1), (c, StoreAndForward, 1), (c, StoreAndForward, 3)])
        .filter(|&(c, _, pieces)| c != Groups || pieces == 1)
        .collect();
    let mut cases = cases("hypercube:3", &both);
    // A message that is put in a wrong place must be noticed.
    let text = cases[0].text.replacen("1, RECEIVE, 3, 0}", "1, RECEIVE, 4, 0}", 1);
    assert_ne!(text, cases[0].text);
    cases.push(Case { name: "broken".into(), collective: Aas, root: 0, text });
    assert_eq!(differences(folder.path(), 8, &cases), ["broken"]);
    // Messages that wait at ranks on their way have slots.
    assert!(cases[1].text.contains("SLOT, 0, 0}"), "{}", cases[1].text);
}

/// Sums of integers are equal to those of MPI bit for bit, whatever their order.
#[test]
fn exported_reductions_compute_what_mpi_computes() {
    if Command::new(mpicc()).arg("-show").output().is_err() {
        eprintln!("skipped: {} is not installed", mpicc());
        return;
    }
    use Collective::{AllReduce, Reduce, ReduceScatter};
    use Switching::{StoreAndForward, Wormhole};
    let all = [Reduce, ReduceScatter, AllReduce];
    let both: Vec<Asked> = all
        .into_iter()
        .flat_map(|c| [(c, Wormhole, 1), (c, StoreAndForward, 1), (c, StoreAndForward, 3)])
        .collect();
    let mut cases = cases("hypercube:3", &both);
    // A part that is put in place of being added must be noticed.
    let table = cases[7].text.find("operations[]").unwrap();
    let (head, rest) = cases[7].text.split_at(table);
    let text = format!("{head}{}", rest.replacen(", ADD, ", ", PUT, ", 1));
    assert_ne!(text, cases[7].text);
    cases.push(Case { name: "broken".into(), collective: AllReduce, root: 0, text });
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(differences_by(include_str!("mpi_c_sums.c"), folder.path(), 8, &cases), ["broken"]);
}

/// The cases of a collective on several networks of 8 terminals.
fn cases_on(networks: &[&str], requests: &[Asked]) -> Vec<Case> {
    let on = |network: &&str| cases(network, requests);
    let mut all: Vec<Case> = networks.iter().flat_map(on).collect();
    all.iter_mut().zip(0..).for_each(|(case, number)| case.name = format!("f{number}"));
    all
}

/// The same for whole vectors, with sums that go several ways from one rank.
#[test]
fn exported_all_reduces_of_one_part_compute_what_mpi_computes() {
    if Command::new(mpicc()).arg("-show").output().is_err() {
        eprintln!("skipped: {} is not installed", mpicc());
        return;
    }
    use Collective::AllReduceWhole;
    use Switching::{StoreAndForward, Wormhole};
    let networks = ["hypercube:3", "ring:8", "mesh:2x4", "dgx1", "fat-tree:8"];
    let mut cases = cases_on(&networks[..4], &[(AllReduceWhole, StoreAndForward, 1)]);
    cases.extend(cases_on(&networks[4..], &[(AllReduceWhole, Wormhole, 1)]));
    cases.extend(cases_on(&["ring:8", "mesh:2x4"], &[(AllReduceWhole, StoreAndForward, 3)]));
    cases.iter_mut().zip(0..).for_each(|(case, number)| case.name = format!("f{number}"));
    // On the hypercube a rank has its sum, and what has come.
    assert!(cases[0].text.contains("STEPS = 3, PIECES = 1, BLOCKS = 2,"), "{}", cases[0].text);
    // A vector that is put in place of being added must be noticed.
    let text = cases[0].text.replacen(", 1, JOIN, ", ", 1, COPY, ", 1);
    assert_ne!(text, cases[0].text);
    cases.push(Case { name: "broken".into(), collective: AllReduceWhole, root: 0, text });
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(differences_by(include_str!("mpi_c_sums.c"), folder.path(), 8, &cases), ["broken"]);
}

/// Networks, and their ranks.
const NETWORKS: [(&str, usize); 5] =
    [("ring:4", 4), ("ring:8", 8), ("hypercube:3", 8), ("dgx1", 8), ("z52", 8)];

/// The collectives that compute, each way that they are scheduled.
fn sums() -> Vec<Asked> {
    use Collective::{AllReduce, AllReduceWhole, Reduce, ReduceScatter};
    let stored = (AllReduce, Switching::StoreAndForward, 2);
    [Reduce, ReduceScatter, AllReduce]
        .into_iter()
        .flat_map(|c| [(c, Switching::Wormhole, 1), (c, Switching::StoreAndForward, 1)])
        .chain([stored, (AllReduceWhole, Switching::StoreAndForward, 1)])
        .collect()
}

/// NaN, zeros of both signs, and an operation in which every order shows: all ranks get the same bits, but
/// where the comment of the function says that they may not.
#[test]
fn all_ranks_get_the_same_bits_of_an_exported_sum() {
    if Command::new(mpicc()).arg("-show").output().is_err() {
        eprintln!("skipped: {} is not installed", mpicc());
        return;
    }
    let driver = include_str!("mpi_c_bits.c");
    let mut exchanges = 0;
    for &(network, ranks) in some(&NETWORKS) {
        let mut cases = cases(network, &sums());
        let differs = |case: &Case| case.text.contains("results differ between ranks");
        assert!(cases.iter().all(|case| case.collective.joins() || !differs(case)), "{network}");
        let mut right: Vec<String> =
            cases.iter().filter(|case| differs(case)).map(|case| case.name.clone()).collect();
        // Two ranks that exchange what they hold must not each take their own first.
        let own_first = |text: &str| -> String {
            let is_row = |line: &&str| line.starts_with("    {");
            let rows = text.lines().map(|line| match is_row(&line) {
                true => line.replace(", APPEND, ", ", ADD, ") + "\n",
                false => format!("{line}\n"),
            });
            rows.collect()
        };
        if let Some(case) = cases.iter().find(|case| own_first(&case.text) != case.text) {
            exchanges += 1;
            let text = own_first(&case.text);
            let collective = case.collective;
            cases.push(Case { name: "broken".into(), collective, root: 0, text });
            right.push("broken".into());
        }
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(differences_by(driver, folder.path(), ranks, &cases), right, "{network}");
        println!("{network}: {right:?} differ");
    }
    assert!(exchanges >= if tries_all() { 3 } else { 1 }, "{exchanges}");
}

/// The same under the library that is preloaded, whose functions stand in the program here.
#[test]
fn all_ranks_get_the_same_bits_by_the_library() {
    if Command::new(mpicc()).arg("-show").output().is_err() {
        eprintln!("skipped: {} is not installed", mpicc());
        return;
    }
    let call = |function: &str, arguments: &str| {
        format!(
            "#include <mpi.h>\nint ccsched_{function}(const void *s, void *r, int n, MPI_Datatype t, \
             MPI_Op o, MPI_Comm c);\nint ccsched_{function}(const void *s, void *r, int n, \
             MPI_Datatype t, MPI_Op o, MPI_Comm c) {{ return MPI_{arguments}; }}\n"
        )
    };
    for &(network, ranks) in some(&NETWORKS) {
        let root = 5.min(ranks - 1);
        let reduce = format!("Reduce(s, r, n, t, o, {root}, c)");
        let case = |collective, text: String| Case {
            name: format!("f_{collective}").replace('-', "_"),
            collective,
            root: if collective == Collective::Reduce { root } else { 0 },
            text,
        };
        let cases = [
            case(Collective::Reduce, call("reduce", &reduce)),
            case(
                Collective::ReduceScatter,
                call("reduce_scatter_block", "Reduce_scatter_block(s, r, n, t, o, c)"),
            ),
            case(Collective::AllReduce, call("allreduce", "Allreduce(s, r, n, t, o, c)")),
        ];
        let folder = tempfile::tempdir().unwrap();
        let mut asked = sums();
        asked.retain(|&(_, switching, pieces)| switching.stores() && pieces == 1);
        let subjects: Vec<Subject> = asked
            .into_iter()
            .map(|(collective, switching, pieces)| {
                let network = spec::parse(network).unwrap();
                let source = (collective == Collective::Reduce).then(|| root.to_string());
                let request = Request { switching, pieces, source, ..Request::new(collective) };
                Subject::of(&schedule(network, &request)).unwrap()
            })
            .collect();
        // Short vectors are added up whole, longer ones in parts.
        let entries: Vec<Entry<'_>> = subjects
            .iter()
            .map(|subject| {
                let collective = subject.problem.collective();
                let least_bytes = if collective == Collective::AllReduce { 40 } else { 1 };
                let name = if collective.joins() { "whole" } else { "parts" };
                Entry { subject, least_bytes, each: 1, name }
            })
            .collect();
        let mut sources = Vec::new();
        for (name, text) in files(&entries).unwrap() {
            std::fs::write(folder.path().join(&name), text).unwrap();
            let programs = ["ccsched_algorithms.c", "ccsched_check.c", "ccsched_tune.c"];
            if name.ends_with(".c") && !programs.contains(&name.as_str()) {
                sources.push(name);
            }
        }
        let mut more = vec!["-DPREDEFINED", "-std=c99", "-I."];
        more.extend(sources.iter().map(String::as_str));
        let driver = include_str!("mpi_c_bits.c");
        let (differ, said) = differences_with(&more, driver, folder.path(), ranks, &cases);
        assert_eq!(differ, [""; 0], "{network}: {said}");
        for function in ["MPI_Reduce", "MPI_Reduce_scatter_block", "MPI_Allreduce"] {
            let used = format!("of {ranks} ranks: {function}: schedule parts, from");
            assert!(said.contains(&used), "{network}: {used}: {said}");
        }
        let whole = ["MPI_Allreduce: schedule whole,", "MPI_Allreduce: MPI's own: ranks add in"];
        assert!(whole.iter().any(|line| said.contains(line)), "{network}: {said}");
    }
}

#[test]
fn no_rank_leaves_an_exported_barrier_before_the_last_enters() {
    if Command::new(mpicc()).arg("-show").output().is_err() {
        eprintln!("skipped: {} is not installed", mpicc());
        return;
    }
    let stored = (Collective::Barrier, Switching::StoreAndForward, 1);
    let mut cases = cases_on(&["hypercube:3", "ring:8", "mesh:2x4"], &[stored]);
    // Without its last step a rank does not hear of the one that is farthest.
    let loop_of_steps = "at < last) {\n        int step";
    let text = cases[0]
        .text
        .replace(loop_of_steps, &format!("operations[at].step < 2 && {loop_of_steps}"));
    assert_ne!(text, cases[0].text);
    cases.push(Case { name: "broken".into(), collective: Collective::Barrier, root: 0, text });
    let folder = tempfile::tempdir().unwrap();
    let driver = include_str!("mpi_c_barrier.c");
    assert_eq!(differences_by(driver, folder.path(), 8, &cases), ["broken"]);
}

#[test]
fn the_heawood_all_to_all_runs_on_14_ranks() {
    if Command::new(mpicc()).arg("-show").output().is_err() {
        eprintln!("skipped: {} is not installed", mpicc());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cases = cases("heawood", &[(Collective::Aas, Switching::Wormhole, 1)]);
    assert!(cases[0].text.starts_with("/* aas of heawood in 9 steps."), "{}", cases[0].text);
    assert!(differences(folder.path(), 14, &cases).is_empty());
}

#[test]
fn names_cannot_end_the_comment_and_switches_that_store_are_named() {
    let mut schedule = super::solved("ring:4", Collective::Aas, Switching::Wormhole);
    schedule.network.name = "a */ int x; /* b".into();
    let text = text(&schedule, "mpi-c");
    assert!(text.starts_with("/* aas of a * / int x; / * b in 2 steps."), "{text}");
    let schedule = super::solved("fat-tree:4", Collective::Aas, Switching::StoreAndForward);
    let subject = ccsched::export::Subject::of(&schedule).unwrap();
    let format = ccsched::export::find("mpi-c").unwrap();
    let why = ccsched::export::write(format, &subject, &Default::default()).unwrap_err();
    assert!(why.to_string().contains("stores messages, and no rank"), "{why}");
}

/// 36 hosts at six leaves, and 16 processes: on eight hosts, listed in an order of their own, or where an
/// all-to-all loads the links least. The rank file, the schedule and the function number the same 16.
#[test]
fn a_job_on_some_hosts_of_a_fabric_runs_on_its_ranks() {
    if Command::new(mpicc()).arg("-show").output().is_err() {
        eprintln!("skipped: {} is not installed", mpicc());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut fabric = String::from("SwitchName=spine Switches=leaf[1-6]\n");
    for leaf in 1..=6 {
        let (first, last) = (6 * leaf - 5, 6 * leaf);
        fabric += &format!("SwitchName=leaf{leaf} Nodes=n[{first}-{last}]\n");
    }
    std::fs::write(folder.path().join("fabric.conf"), fabric).unwrap();
    let run = |args: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_ccsched"));
        let output = program.args(args).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let fabric = ["-t", "fabric.conf", "--per-node", "2", "--uplinks", "3", "--time-limit", "20"];
    let listed = ["--host-list", "n[31,7,8],n1,n[20-22],n2"];
    let placed = ["--place", "16", "--host-list", "n[36,1-35]"];
    let mut cases = Vec::new();
    for (name, part) in [("listed", &listed[..]), ("placed", &placed)] {
        for collective in [Collective::Aas, Collective::Aab] {
            let name = format!("{name}_{collective}");
            let (short, file) = (collective.to_string(), format!("{name}.json"));
            let what = ["solve", "-q", "-c", &short, "-o", &file, "--rank-file", &name];
            run(&[&what[..], &fabric, part].concat());
            run(&["export", &file, "--to", "mpi-c", "-o", "function.c"]);
            let text = std::fs::read_to_string(folder.path().join("function.c")).unwrap();
            assert!(text.contains("RANKS = 16,"), "{text}");
            // `rank 0=n31 slot=1` of the rank file is ` *   0: n31/2` of the function.
            let ranks = std::fs::read_to_string(folder.path().join(&name)).unwrap();
            assert_eq!(ranks.lines().count(), 16, "{ranks}");
            for line in ranks.lines() {
                let words: Vec<&str> = line.split([' ', '=']).collect();
                let slot: u32 = words[4].parse().unwrap();
                let process = format!(" *   {}: {}/{}\n", words[1], words[2], slot + 1);
                assert!(text.contains(&process), "{line}: {text}");
            }
            let first = if name.starts_with("listed") { "rank 0=n31 slot=0" } else { "rank 0=n" };
            assert!(ranks.starts_with(first), "{ranks}");
            let file = ScheduleFile::read(folder.path().join(&file)).unwrap();
            assert_eq!(Script::new("s", &file).unwrap().ranks(), 16);
            cases.push(Case { name, collective, root: 0, text });
        }
    }
    assert!(differences(folder.path(), 16, &cases).is_empty());
}
