//! What `solve` promises about interrupts, memory, disks and other programs holds in the other commands.
#![cfg(unix)]

use crate::support::program::{Desk, Ended, PROGRAM};
use ccsched::network::faults::Fault;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The run that an interrupt ends after this time.
fn interrupted(desk: &Desk, args: &str, after: Duration) -> Ended {
    let mut command = desk.command(args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(after);
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    let begin = Instant::now();
    let ended = child.wait_with_output().unwrap().into();
    assert!(begin.elapsed() < Duration::from_secs(60), "{args}: {:?}", begin.elapsed());
    ended
}

/// A network whose searches take long, and one whose search reaches no bound, so that only limits end it.
const LONG: &str = "random-regular:90,3,5";
const ENDLESS: &str = "random-regular:200,4,1";

#[test]
fn an_interrupt_saves_what_is_done() {
    let desk = Desk::new();
    let soon = Duration::from_secs(4);
    let args = format!(
        "topologies compare -q -t ring:4 -t {ENDLESS} -c aas --time-limit 300s --iterations 999999999 \
         --csv rows.csv"
    );
    let ended = interrupted(&desk, &args, soon).with(3);
    assert!(ended.out.contains("ring:4") && !ended.out.contains("random"), "{}", ended.told());
    assert!(ended.err.contains("1 of 2"), "{}", ended.err);
    assert_eq!(desk.read("rows.csv").lines().count(), 2);
    let args = format!("routes -t {LONG} --time-limit 300s -o net.toml");
    let ended = interrupted(&desk, &args, soon).with(3);
    assert!(ended.err.contains("interrupted"), "{}", ended.err);
    let args = format!(
        "tradeoff -q -t {ENDLESS} -c aas --most-pieces 2 --iterations 999999999 --effort 10 -o book"
    );
    let ended = interrupted(&desk, &args, soon).with(3);
    assert!(desk.at("book/book.json").exists(), "{}", ended.told());
}

#[test]
fn an_interrupt_of_a_deployment_leaves_a_whole_folder_or_none() {
    let desk = Desk::new();
    let args = format!("deploy -t {LONG} -c alltoall,allgather --time-limit 600s -q -o a/job");
    let ended = interrupted(&desk, &args, Duration::from_secs(6)).with(3);
    match desk.at("a").exists() {
        true => {
            let list = desk.value("a/job/deploy.json");
            let files = list["files"].as_array().unwrap();
            assert!(files.iter().all(|f| desk.at("a/job").join(f.as_str().unwrap()).exists()));
            assert!(ended.err.contains("interrupted"), "{}", ended.err);
        }
        false => assert!(ended.err.contains("nothing is saved"), "{}", ended.err),
    }
    // What is refused leaves no folder either.
    desk.run("deploy -t ring:4 -c barrier -o b/job").with(2);
    desk.run("deploy -t ring:4 -c alltoall --against nothing -o b/job").with(2);
    assert!(!desk.at("b").exists());
}

#[test]
fn an_interrupt_amid_the_search_for_spare_has_its_status() {
    let desk = Desk::new();
    let args = "solve -q -t torus:5x5 -c aas --spare 1 --time-limit 300s --iterations 60 -o s.json";
    let ended = interrupted(&desk, args, Duration::from_secs(3)).with(3);
    assert!(desk.at("s.json").exists(), "{}", ended.told());
    desk.run("verify s.json").with(0);
}

/// A shell that limits the program: `ulimit` with these words.
fn limited(desk: &Desk, limit: &str, args: &str) -> Ended {
    let mut command = Command::new("bash");
    command.arg("-c").arg(format!("ulimit {limit} && exec '{PROGRAM}' {args}"));
    command.current_dir(desk.path()).output().unwrap().into()
}

#[cfg(target_os = "linux")]
#[test]
fn fewer_islands_search_where_the_heaps_of_more_do_not_fit() {
    let desk = Desk::new();
    let solve =
        "solve -t petersen -c aas --engine hgsa --iterations 50 -q --json --islands 40 -o s.json";
    let ended = limited(&desk, "-v 400000", solve).with(0);
    assert!(ended.err.contains("islands") && ended.err.contains("ulimit -v"), "{}", ended.err);
    let line = &ended.lines()[0];
    let ranks = line["ranks"].as_u64().or(line["islands"].as_u64()).unwrap();
    assert!((1..40).contains(&ranks), "{line}");
    desk.run("verify s.json").with(0);
}

/// A file longer than the limit is what a full disk is to the program.
#[test]
fn a_full_disk_leaves_the_folder_as_it_was() {
    let desk = Desk::new();
    let deploy =
        "deploy -t ring:6 -c alltoall,allgather --least-bytes 1 --time-limit 20s -q -o job";
    let ended = limited(&desk, "-f 4", deploy).with(4);
    assert!(ended.err.contains("--output"), "{}", ended.err);
    assert_eq!(desk.names(), [""; 0]);
    desk.run(deploy).with(0);
    let before = (desk.read("job/README.md"), desk.value("job/deploy.json"));
    let other = deploy.replace("ring:6", "ring:5");
    limited(&desk, "-f 4", &other).with(4);
    assert_eq!((desk.read("job/README.md"), desk.value("job/deploy.json")), before);
    // So do the folders of exports.
    desk.run("solve -t ring:6 -c aas -q -o s.json").with(0);
    limited(&desk, "-f 1", "export s.json --to preload -o lib/").with(4);
    assert!(!desk.at("lib").exists());
}

#[test]
fn no_name_is_a_formula_of_a_spreadsheet() {
    let desk = Desk::with(&[("=1+1.edges", "a b\nb c\n")]);
    for command in ["topologies compare -c aas", "resilience --faults 1 --samples 2"] {
        let run = format!("{command} -t =1+1.edges -q --iterations 5 --csv rows.csv");
        desk.run(&run).with(0);
        let rows = desk.read("rows.csv");
        assert!(rows.lines().skip(1).all(|row| row.starts_with("'=1+1")), "{rows}");
    }
}

#[test]
fn copies_of_the_program_are_told() {
    let desk = Desk::new();
    let run = |size: &str, rank: &str, args: &str| -> Ended {
        let mut command = desk.command(args);
        command.env("OMPI_COMM_WORLD_SIZE", size).env("OMPI_COMM_WORLD_RANK", rank);
        command.output().unwrap().into()
    };
    let said = "4 copies of one program";
    let solve = "solve -t ring:4 -q";
    assert!(run("4", "0", solve).with(0).err.contains(said));
    for (size, rank, args) in [("4", "1", solve), ("1", "0", solve), ("4", "0", "topology ring:4")]
    {
        assert!(!run(size, rank, args).with(0).err.contains(said), "{size} {rank} {args}");
    }
}

#[test]
fn tables_that_are_made_leave_time_for_the_schedule() {
    let desk = Desk::new();
    let gone = "--fail-node 22 --fail-node 55";
    let args = format!("solve -t mesh:9x9 {gone} --routing updown -c alltoall --time-limit 12s -q");
    let ended = desk.run(&format!("{args} -o s.json")).with(0);
    assert!(ended.out.contains("updown"), "{}", ended.told());
    desk.run("verify s.json").with(0);
}

#[test]
fn a_repair_for_another_network_has_its_name() {
    let desk = Desk::new();
    desk.run("solve -t mesh:3x3 -q -o old.json").with(0);
    let ended = desk.run("repair old.json -t torus:3x3 --time-limit 3s -o new.json").with(0);
    assert!(ended.out.starts_with("aas of torus:3x3: "), "{}", ended.out);
    let none = desk.run("repair old.json -t ring:5");
    none.refused(&["--topology ring:5", "none of the 9 terminals", "00, 01, "]);
    let some = desk.run("repair old.json -t mesh:3x2 --time-limit 3s").with(0);
    assert!(some.err.contains("lacks 3 of the 9 terminals"), "{}", some.err);
}

/// Two leaves with three hosts each, a trunk of three cables between them.
fn fabric() -> String {
    let mut text = String::new();
    for leaf in 1..=2 {
        let other = 3 - leaf;
        text +=
            &format!("Switch 8 \"S-{leaf}\" # \"rack{leaf}\" enhanced port 0 lid {leaf} lmc 0\n");
        for host in 1..=3 {
            let (id, lid) = (10 * leaf + host, 10 * leaf + host);
            text +=
                &format!("[{host}] \"H-{id}\"[1](a{id}) # \"node{id} HCA-1\" lid {lid} 4xEDR\n");
        }
        for cable in 4..=6 {
            text +=
                &format!("[{cable}] \"S-{other}\"[{cable}] # \"rack{other}\" lid {other} 4xEDR\n");
        }
        text.push('\n');
    }
    for leaf in 1..=2 {
        for host in 1..=3 {
            let id = 10 * leaf + host;
            text += &format!(
                "Ca 1 \"H-{id}\" # \"node{id} HCA-1\"\n[1](a{id}) \"S-{leaf}\"[{host}] # lid {id} lmc 0 \
                 \"rack{leaf}\" lid {leaf} 4xEDR\n\n"
            );
        }
    }
    text
}

/// The ports of a dump of forwarding tables, by the first words of its lines.
fn ports(dump: &str) -> Vec<&str> {
    let lines = dump.lines().filter(|line| line.starts_with("0x"));
    lines.filter_map(|line| line.split_whitespace().nth(1)).collect()
}

#[test]
fn a_broken_cable_of_a_trunk_is_left_out_of_tables() {
    let desk = Desk::with(&[("fabric.txt", &fabric())]);
    let read = "-t fabric.txt --separate-cables --routing destination -c alltoall";
    desk.run(&format!("solve {read} -q -o s.json")).with(0);
    let cut = "--fail-link rack1-rack2#2";
    desk.run(&format!("repair s.json {cut} -q -o r.json")).with(0);
    let broken = |a: &str, b: &str, n| Fault::Parallel(a.into(), b.into(), Some(n));
    let faults = [broken("rack1", "rack2", 2), broken("rack2", "rack1", 2)];
    assert_eq!(desk.schedule("r.json").faults, faults);
    // What is then the second one is the third of all.
    desk.run(&format!("repair r.json {cut} -q -o t.json")).with(0);
    assert_eq!(desk.schedule("t.json").faults[2], broken("rack1", "rack2", 3));
    for (file, used) in [("s", vec![4, 5, 6]), ("r", vec![4, 6]), ("t", vec![4])] {
        desk.run(&format!("export {file}.json --to lft --fabric fabric.txt -o {file}.lft")).with(0);
        let dump = desk.read(&format!("{file}.lft"));
        let mut ports: Vec<u32> = ports(&dump).iter().filter_map(|p| p.parse().ok()).collect();
        ports.retain(|port| *port > 3);
        ports.sort_unstable();
        ports.dedup();
        assert!(ports.iter().all(|port| used.contains(port)), "{file}: {ports:?} {dump}");
    }
    desk.run(&format!("deploy {read} {cut} --time-limit 20s -q -o job")).with(0);
    assert!(desk.at("job/opensm-lfts").exists());
    desk.run(&format!("routes -t fabric.txt --separate-cables {cut} --lft best.lft")).with(0);
}

#[test]
fn a_unit_of_a_width_can_break() {
    let hosts: String = (1..=8).map(|n| format!("leaf{} n{n}\n", (n + 3) / 4)).collect();
    let wide = |first: u32| format!("{hosts}leaf1 top {first}\nleaf2 top 2\n");
    let desk = Desk::with(&[("whole.edges", &wide(2)), ("narrow.edges", &wide(1))]);
    desk.run("solve -t whole.edges --terminals n* -c alltoall -q -o s.json").with(0);
    let line =
        |args: &str| desk.run(&format!("repair s.json {args} --json")).with(0).lines()[0].clone();
    let [unit, other] = [line("--fail-link leaf1-top#2 -o r.json"), line("-t narrow.edges")];
    for key in ["steps", "changed", "least_changed"] {
        assert_eq!(unit[key], other[key], "{key}");
    }
    // Half of the messages over the link have lost their places.
    assert_eq!(unit["least_changed"], 16, "{unit}");
    desk.run("verify r.json").with(0);
    let solve = "solve -t whole.edges --terminals n* -c alltoall -q --json";
    assert_eq!(desk.run(&format!("{solve} --fail-link leaf1-top#1")).lines()[0]["steps"], 16);
    // All units are the link, and the same unit is broken once.
    let gone = desk.run(&format!("{solve} --fail-link leaf1-top#1 --fail-link leaf1-top#2"));
    gone.refused(&["cut the network apart"]);
    let twice = format!("{solve} --fail-link leaf1-top#1 --fail-link leaf1-top#1");
    assert_eq!(desk.run(&twice).with(0).lines()[0]["steps"], 16);
    desk.run(&format!("{solve} --fail-link leaf1-top#3")).refused(&["2 wide", "#1 to #2"]);
    desk.run(&format!("{solve} --fail-link leaf1:top#2")).refused(&["both"]);
}

#[test]
fn the_other_way_of_a_one_way_link_is_told() {
    let desk = Desk::new();
    let said =
        |link: &str| desk.run(&format!("solve -t kautz:3,2 -q --fail-link {link}")).with(0).err;
    assert!(said("01-10").contains("--fail 10:01 breaks the other"), "{}", said("01-10"));
    assert!(!said("01:10").contains("breaks the other"));
}

#[test]
fn too_many_pieces_are_refused_by_their_limit() {
    let desk = Desk::new();
    for pieces in ["1000000000", "99999999999999", "1025", "0"] {
        desk.run(&format!("solve -t ring:4 --pieces {pieces}")).refused(&["--pieces", "1 to 1024"]);
    }
}

#[test]
fn no_vertex_hides_its_slots() {
    let desk = Desk::with(&[("net.dot", "graph { \"..\" -- \"-v\"; \"-v\" -- x }")]);
    desk.run("solve -t net.dot -c aas -q -o s.json").with(0);
    desk.run("export s.json --to slots -o slots/").with(0);
    let names = std::fs::read_dir(desk.at("slots")).unwrap();
    let names: Vec<String> = names.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().all(|name| !name.starts_with(['.', '-'])), "{names:?}");
}
