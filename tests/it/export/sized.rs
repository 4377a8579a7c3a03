//! Schedules of messages of different lengths in other formats, timed and in steps.

use super::mpi_c::{mpicc, started};
use crate::support::sized::for_time;
use ccsched::export::{self, Output, Settings, Subject};
use ccsched::islands::Form;
use ccsched::network::spec;
use ccsched::problem::{Collective, Pair, Request, in_pieces};
use ccsched::schedule::ScheduleFile;
use ccsched::solve;
use std::path::Path;
use std::process::Command;

/// Four terminals around a switch. The messages from 3 take 63 bytes, and a pair has two messages.
fn file(form: Form) -> ScheduleFile {
    file_in_pieces(form, u64::MAX)
}

/// The same with messages of at most some bytes.
fn file_in_pieces(form: Form, most: u64) -> ScheduleFile {
    let lengths =
        [(0, 1, 9), (0, 2, 1), (1, 2, 30), (1, 0, 2), (2, 1, 4), (3, 0, 50), (3, 1, 6), (3, 0, 7)];
    let pair = |(from, to, bytes): (u32, u32, u64)| Pair {
        source: from.to_string(),
        destination: to.to_string(),
        bytes: Some(bytes),
        count: 1,
    };
    let pairs = Some(in_pieces(&lengths.map(pair), most));
    let request = Request { pairs, ..Request::new(Collective::Traffic) };
    let problem = request.pose(spec::parse("fat-tree:4").unwrap(), vec![]).unwrap();
    solve(&problem, &for_time(form, 20)).unwrap().schedule().expect("a schedule is found")
}

fn export(file: &ScheduleFile, format: &str) -> Output {
    let subject = Subject::of(file).unwrap();
    export::write(export::find(format).unwrap(), &subject, &Settings::default()).unwrap()
}

fn text(file: &ScheduleFile, format: &str) -> String {
    match export(file, format) {
        Output::File(text) => text,
        _ => panic!("{format} is one file"),
    }
}

#[test]
fn csv_has_starts_and_ends() {
    let text = text(&file(Form::Timed), "csv");
    let mut lines = text.lines();
    assert!(lines.next().unwrap().ends_with(",path,start,end"), "{text}");
    let ends = lines.map(|line| line.rsplit(',').next().unwrap().parse::<u64>().unwrap());
    assert_eq!(ends.max(), Some(63));
}

#[test]
fn pieces_are_copies_of_their_pair() {
    let text = text(&file_in_pieces(Form::Steps { startup: 2 }, 8), "slots");
    let injected = |line: &&str| line.contains(",inject,") && line.contains(",3,0,");
    let mut copies: Vec<&str> =
        text.lines().filter(injected).filter_map(|line| line.rsplit(',').next()).collect();
    copies.sort_unstable();
    // Seven pieces of the message of 50 bytes, and the one of 7 bytes.
    assert_eq!(copies, ["1", "2", "3", "4", "5", "6", "7", "8"]);
}

#[test]
fn formats_of_steps_refuse_a_timed_schedule() {
    let file = file(Form::Timed);
    let subject = Subject::of(&file).unwrap();
    for name in ["slots", "dot", "msccl-xml"] {
        let format = export::find(name).unwrap();
        let why = export::write(format, &subject, &Settings::default()).unwrap_err().to_string();
        assert!(why.contains("carry it: csv, mpi-c, goal, simgrid"), "{why}");
    }
}

/// The instants at which ranks begin messages, by walking through their programs: with 1 ns a byte in GOAL
/// and 1 us a byte in SimGrid, they are the starts of the file.
#[test]
fn programs_begin_messages_at_their_starts() {
    let file = file(Form::Timed);
    let mut starts: Vec<u64> = file.steps.iter().flatten().map(|t| t.at.unwrap()).collect();
    starts.sort_unstable();
    let (mut goal, mut clock) = (Vec::new(), vec![0u64]);
    for line in text(&file, "goal").lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["rank", ..] => clock = vec![0],
            [name, "calc", ticks] if name != "c0:" => {
                let before = clock[clock.len() - 1];
                clock.push(before + ticks.parse::<u64>().unwrap());
            }
            [operation, "requires", after] if operation.starts_with('o') => {
                goal.push(clock[after[1..].parse::<usize>().unwrap()]);
            }
            _ => {}
        }
    }
    goal.sort_unstable();
    // A message has two ends.
    let both: Vec<u64> = starts.iter().flat_map(|&start| [start, start]).collect();
    assert_eq!(goal, both);
    let Output::Folder(files) = export(&file, "simgrid") else { panic!("it is a folder") };
    let mut simgrid = Vec::new();
    for (_, trace) in files.iter().filter(|(name, _)| name.starts_with("trace/")) {
        let mut now = 0;
        for line in trace.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[1] {
                "compute" => now += words[2].parse::<u64>().unwrap() / 1000,
                "isend" | "irecv" => simgrid.push(now),
                _ => {}
            }
        }
    }
    simgrid.sort_unstable();
    assert_eq!(simgrid, both);
}

const DRIVER: &str = r#"
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int timed(const void *, const int[], const int[], void *, const int[], const int[], MPI_Comm);
int steps(const void *, const int[], const int[], void *, const int[], const int[], MPI_Comm);
int pieces(const void *, const int[], const int[], void *, const int[], const int[], MPI_Comm);

static const int bytes[4][4] = {{3, 9, 1, 0}, {2, 5, 30, 0}, {0, 4, 0, 0}, {57, 6, 0, 1}};

int main(int argc, char **argv)
{
    int rank, wrong = 0, sc[4], sd[4], rc[4], rd[4], s = 0, r = 0, all;
    char send[100], mine[100] = {0}, theirs[100] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++) {
        sc[i] = bytes[rank][i], rc[i] = bytes[i][rank];
        sd[i] = s, rd[i] = r;
        s += sc[i], r += rc[i];
    }
    for (int i = 0; i < 100; i++)
        send[i] = (char)(rank * 101 + i * 7);
    MPI_Alltoallv(send, sc, sd, MPI_BYTE, theirs, rc, rd, MPI_BYTE, MPI_COMM_WORLD);
    wrong |= timed(send, sc, sd, mine, rc, rd, MPI_COMM_WORLD) != MPI_SUCCESS;
    wrong |= memcmp(mine, theirs, sizeof mine) != 0;
    memset(mine, 0, sizeof mine);
    wrong |= steps(send, sc, sd, mine, rc, rd, MPI_COMM_WORLD) != MPI_SUCCESS;
    wrong |= memcmp(mine, theirs, sizeof mine) != 0;
    memset(mine, 0, sizeof mine);
    wrong |= pieces(send, sc, sd, mine, rc, rd, MPI_COMM_WORLD) != MPI_SUCCESS;
    wrong |= memcmp(mine, theirs, sizeof mine) != 0;
    sc[(rank + 1) % 4]++;
    wrong |= timed(send, sc, sd, mine, rc, rd, MPI_COMM_WORLD) != MPI_ERR_COUNT;
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        puts(all ? "different" : "equal");
    MPI_Finalize();
    return all;
}
"#;

fn run(folder: &Path, command: &mut Command) -> String {
    let output = command.current_dir(folder).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {err}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_function_receives_what_alltoallv_does() {
    if Command::new(mpicc()).arg("-show").output().is_err() {
        eprintln!("skipped: mpicc is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let (whole, steps) = (u64::MAX, Form::Steps { startup: 2 });
    let forms = [("timed", Form::Timed, whole), ("steps", steps, whole), ("pieces", steps, 8)];
    let strict = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-c"];
    for (name, form, most) in forms {
        let text = text(&file_in_pieces(form, most), "mpi-c");
        std::fs::write(at.join(format!("{name}.c")), text).unwrap();
        let rename = format!("-Dccsched_alltoallv={name}");
        run(at, Command::new(mpicc()).args(strict).args([rename, format!("{name}.c")]));
    }
    std::fs::write(at.join("driver.c"), DRIVER).unwrap();
    let objects = ["timed.o", "steps.o", "pieces.o"];
    run(at, Command::new(mpicc()).args(["-o", "driver", "driver.c"]).args(objects));
    assert_eq!(run(at, &mut started(4)).trim(), "equal");
}
