//! `export` and `import-schedule` from outside.

use assert_cmd::Command;
use std::path::Path;

fn ccsched(folder: &Path, words: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("ccsched").unwrap();
    let output = command.current_dir(folder).args(words.split_whitespace()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_schedule_goes_out_as_csv_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| ccsched(folder.path(), words);
    assert_eq!(run("solve -t petersen -c aas -q -o petersen.json").0, 0);
    assert_eq!(run("export petersen.json --to csv -o petersen.csv"), (0, "".into(), "".into()));
    let csv = std::fs::read_to_string(folder.path().join("petersen.csv")).unwrap();
    assert_eq!(run("export petersen.json --to csv"), (0, csv.clone(), "".into()));
    let (status, out, why) = run("import-schedule petersen.csv -t petersen -c aas -o back.json");
    let said = "petersen.csv: valid: aas of petersen in 5 steps, bound 5 (distance), optimal over shortest paths\n";
    assert_eq!((status, out.as_str(), why.as_str()), (0, said, ""));
    let (status, out, _) = run("verify back.json");
    assert_eq!((status, out), (0, said.replace("petersen.csv", "back.json")));
    assert_eq!(run("export back.json --to csv").1, csv);

    // The second transfer of step 1 in step 2: a conflict with its line, and no file.
    let line = csv.lines().nth(2).unwrap();
    let moved = csv.replace(line, &line.replacen('1', "2", 1));
    std::fs::write(folder.path().join("moved.csv"), moved).unwrap();
    let (status, out, why) = run("import-schedule moved.csv -t petersen -c aas -o no.json");
    assert_eq!((status, why.as_str()), (1, ""));
    assert!(out.starts_with("moved.csv:3: conflict: step 2: channel"), "{out}");
    assert!(!folder.path().join("no.json").exists());
    let (status, out, _) = run("export petersen.json --to csv -o /no/such/folder/file");
    assert_eq!((status, out.as_str()), (2, ""));
}

#[test]
fn wrong_words_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| ccsched(folder.path(), words);
    assert_eq!(run("solve -t ring:4 -c oab -q -o ring.json").0, 0);
    let (status, _, why) = run("export ring.json --to pdf");
    assert!(status == 2 && why.contains("unknown format 'pdf'; known: csv"), "{why}");
    let (status, _, why) = run("export ring.json --to csv --step 1");
    assert!(status == 2 && why.contains("--step: csv has no use for it; it is for dot"), "{why}");
    let (status, _, why) = run("import-schedule ring.json -t ring:4 -c oab");
    assert!(status == 2 && why.contains("ring.json:1: this is no schedule"), "{why}");
    let (status, _, why) = run("import-schedule ring.json -t ring:4 -c all");
    assert!(status == 2 && why.contains("a schedule is of one collective"), "{why}");
    let (status, out, _) = run("export --help");
    assert!(status == 0 && out.contains("Formats:") && out.contains("slots"), "{out}");
}

/// What is solved and exported at once is made in the model of the format.
#[test]
fn an_export_at_once_has_the_switching_of_its_programs() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| ccsched(folder.path(), words);
    let switching = |name: &str| {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        let file: serde_json::Value = serde_json::from_str(&text).unwrap();
        file["model"]["switching"].as_str().unwrap().to_string()
    };
    // On these rails GPUs pass messages on from one server to another.
    let solve = "solve -q -t rail:2,2,1 -c aas";
    let (status, _, why) = run(&format!("{solve} -o p.json --export msccl-xml=p.xml"));
    assert_eq!((status, switching("p.json").as_str()), (0, "hosts"), "{why}");
    let (status, out, _) = run("import-schedule p.xml -t rail:2,2,1 -c aas --switching hosts");
    assert!(status == 0 && out.contains("valid: aas of rail:2,2,1"), "{out}");
    assert_eq!(run("export p.json --to msccl-xml -o again.xml").0, 0);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("p.xml"), read("again.xml"));
    // Another format has no model of its own, and a switching that is asked for stays.
    let both = "--switching sf --export mpi-c=f.c";
    for (words, right) in [("--export csv=p.csv", "wormhole"), (both, "store-and-forward")] {
        let (status, _, why) = run(&format!("solve -q -t ring:4 -c aab -o q.json {words}"));
        assert_eq!((status, switching("q.json").as_str()), (0, right), "{why}");
    }
    assert!(read("f.c").contains("ccsched_allgather") && read("p.csv").starts_with("step,"));
    for (words, status, part) in [
        ("--export pdf=p", 2, "unknown format 'pdf'"),
        ("--export csv", 2, "a format and a file are asked for"),
        ("--export csv=-", 2, "--export: name a file"),
        ("-o p --export csv=p", 2, "--export"),
        ("-c barrier --export msccl-xml=p.xml", 4, "--export: msccl-xml has no barrier"),
    ] {
        let (code, _, why) = run(&format!("solve -q -t ring:4 {words}"));
        assert!(code == status && why.contains(part), "{words}: {code} {why}");
    }
}

#[test]
fn programs_of_gpus_need_a_switching_that_fits() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| ccsched(folder.path(), words);
    assert_eq!(run("solve -t ring:5 -c aas -q -o straight.json").0, 0);
    let (status, out, why) = run("export straight.json --to msccl-xml");
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(
        why.contains("GPUs pass nothing on") && why.contains("solve with --switching hosts"),
        "{why}"
    );
    assert_eq!(run("solve -t ring:5 -c aas --switching sf -q -o stored.json").0, 0);
    assert_eq!(run("export stored.json --to msccl-xml -o stored.xml").0, 0);
    let (status, out, _) = run("import-schedule stored.xml -t ring:5 -c aas --switching sf");
    assert!(status == 0 && out.contains("valid: aas of ring:5 in 3 steps"), "{out}");
    // GPUs that forward blocks do not fit the switching that is the default.
    let (status, out, _) = run("import-schedule stored.xml -t ring:5 -c aas");
    assert!(status == 1 && out.contains("must go straight from source"), "{out}");
    assert!(out.ends_with("stored.xml: it is valid with --switching sf\n"), "{out}");
    // Nor do their ways fit a network with shorter ones.
    let text = std::fs::read_to_string(folder.path().join("stored.xml")).unwrap();
    let bare: Vec<&str> = text.lines().filter(|line| !line.contains("<!--")).collect();
    std::fs::write(folder.path().join("bare.xml"), bare.join("\n")).unwrap();
    let (status, out, _) = run("import-schedule bare.xml -t complete:5 -c aas");
    assert!(status == 1 && out.ends_with("with --switching sf --routing slack:1\n"), "{out}");
}
