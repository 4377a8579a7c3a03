//! `export` and `import-schedule` from outside.

use crate::support::program::Desk;

#[test]
fn a_schedule_goes_out_as_csv_and_comes_back() {
    let desk = Desk::new();
    desk.out("solve -t petersen -c aas -q -o petersen.json");
    let quiet = |words: &str, right: &str| {
        let ended = desk.run(words).with(0);
        assert_eq!((ended.out.as_str(), ended.err.as_str()), (right, ""), "{words}");
    };
    quiet("export petersen.json --to csv -o petersen.csv", "");
    let csv = desk.read("petersen.csv");
    quiet("export petersen.json --to csv", &csv);
    let said = "petersen.csv: valid: aas of petersen in 5 steps, bound 5 (distance), optimal over shortest paths\n";
    quiet("import petersen.csv -t petersen -c aas -o back.json", said);
    quiet("verify back.json", &said.replace("petersen.csv", "back.json"));
    quiet("export back.json --to csv", &csv);

    // The second transfer of step 1 in step 2: a conflict with its line, and no file.
    let line = csv.lines().nth(2).unwrap();
    let moved = csv.replace(line, &line.replacen('1', "2", 1));
    desk.write("moved.csv", moved);
    let ended = desk.run("import moved.csv -t petersen -c aas -o no.json").with(1);
    assert!(ended.out.starts_with("moved.csv:3: conflict: step 2: channel"), "{}", ended.out);
    assert!(ended.err.is_empty() && !desk.at("no.json").exists(), "{}", ended.err);
    desk.refuse("export petersen.json --to csv -o /no/such/folder/file", &[]);
}

#[test]
fn wrong_words_are_told() {
    let desk = Desk::new();
    desk.out("solve -t ring:4 -c oab -q -o ring.json");
    for (words, why) in [
        ("export ring.json --to pdf", "unknown format 'pdf'; known: csv"),
        ("export ring.json --to csv --step 1", "--step: csv has no use for it; it is for dot"),
        ("import ring.json -t ring:4 -c oab", "ring.json:1: this is no schedule"),
        ("import ring.json -t ring:4 -c all", "a schedule is of one collective"),
    ] {
        desk.refuse(words, &[why]);
    }
    let out = desk.out("export --help");
    assert!(out.contains("Formats:") && out.contains("slots"), "{out}");
}

/// What is solved and exported at once is made in the model of the format.
#[test]
fn an_export_at_once_has_the_switching_of_its_programs() {
    let desk = Desk::new();
    let switching = |name: &str| desk.value(name)["model"]["switching"].clone();
    // On these rails GPUs pass messages on from one server to another.
    let solve = "solve -q -t rail:2,2,1 -c aas";
    desk.out(&format!("{solve} -o p.json --export msccl-xml=p.xml"));
    assert_eq!(switching("p.json"), "hosts");
    let out = desk.out("import p.xml -t rail:2,2,1 -c aas --switching hosts");
    assert!(out.contains("valid: aas of rail:2,2,1"), "{out}");
    desk.out("export p.json --to msccl-xml -o again.xml");
    assert_eq!(desk.read("p.xml"), desk.read("again.xml"));
    // Another format has no model of its own, and a switching that is asked for stays.
    let both = "--switching sf --export mpi-c=f.c";
    for (words, right) in [("--export csv=p.csv", "wormhole"), (both, "store-and-forward")] {
        desk.out(&format!("solve -q -t ring:4 -c aab -o q.json {words}"));
        assert_eq!(switching("q.json"), right);
    }
    assert!(desk.read("f.c").contains("ccsched_allgather"));
    assert!(desk.read("p.csv").starts_with("step,"));
    for (words, status, part) in [
        ("--export pdf=p", 2, "unknown format 'pdf'"),
        ("--export csv", 2, "a format and a file are asked for"),
        ("--export csv=-", 2, "--export: name a file"),
        ("-o p --export csv=p", 2, "--export"),
        ("-c barrier --export msccl-xml=p.xml", 4, "--export: msccl-xml has no barrier"),
    ] {
        let why = desk.run(&format!("solve -q -t ring:4 {words}")).with(status).err;
        assert!(why.contains(part), "{words}: {why}");
    }
}

#[test]
fn programs_of_gpus_need_a_switching_that_fits() {
    let desk = Desk::new();
    desk.out("solve -t ring:5 -c aas -q -o straight.json");
    let why = ["GPUs pass nothing on", "solve with --switching hosts"];
    desk.refuse("export straight.json --to msccl-xml", &why);
    desk.out("solve -t ring:5 -c aas --switching sf -q -o stored.json");
    desk.out("export stored.json --to msccl-xml -o stored.xml");
    let out = desk.out("import stored.xml -t ring:5 -c aas --switching sf");
    assert!(out.contains("valid: aas of ring:5 in 3 steps"), "{out}");
    // GPUs that forward blocks do not fit the switching that is the default.
    let out = desk.run("import stored.xml -t ring:5 -c aas").with(1).out;
    assert!(out.contains("must go straight from source"), "{out}");
    assert!(out.ends_with("stored.xml: it is valid with --switching sf\n"), "{out}");
    // Nor do their ways fit a network with shorter ones.
    let text = desk.read("stored.xml");
    let bare: Vec<&str> = text.lines().filter(|line| !line.contains("<!--")).collect();
    desk.write("bare.xml", bare.join("\n"));
    let out = desk.run("import bare.xml -t complete:5 -c aas").with(1).out;
    assert!(out.ends_with("with --switching sf --routing slack:1\n"), "{out}");
}

/// A program says what it is of; the name of another collective is refused, as before.
#[test]
fn the_collective_of_a_program_need_not_be_named() {
    let desk = Desk::new();
    desk.out("solve -t hypercube:3 -c all-reduce --switching sf --pieces 2 -q -o sums.json");
    desk.out("export sums.json --to msccl-xml -o sums.xml");
    let import = "import sums.xml -t hypercube:3 --switching sf";
    let out = desk.out(import);
    assert!(out.contains("valid: all-reduce of hypercube:3 in "), "{out}");
    assert!(out.ends_with(", 2 chunks a message, each a piece (--pieces 2)\n"), "{out}");
    assert_eq!(desk.out(&format!("{import} -c all-reduce --pieces 2")), out);
    desk.refuse(&format!("{import} -c aas"), &["the schedule of aas is asked for"]);
    desk.refuse(&format!("{import} --pieces 3"), &["it must be 2, or not given"]);
    // A table of transfers does not say.
    desk.out("solve -t ring:4 -q -o all.json");
    desk.out("export all.json --to csv -o all.csv");
    let out = desk.out("import all.csv -t ring:4");
    assert!(out.contains("valid: aas of ring:4 in "), "{out}");
}

/// The calls of a program are those of the messages for which the book has its schedule.
#[test]
fn the_programs_of_a_book_share_all_calls() {
    let desk = Desk::new();
    for (network, collective, messages) in
        [("dgx1", "all-reduce", 8), ("dgx1", "aab", 8), ("ring:5", "reduce", 1)]
    {
        let how = "--switching sf --most-pieces 3 --bytes 1K,64K,1M,64M -q --time-limit 6s";
        desk.out(&format!("tradeoff -t {network} -c {collective} {how} -o book-{collective}"));
        let index = desk.value(&format!("book-{collective}/book.json"));
        let sizes: Vec<u64> = index["sizes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["from_bytes"].as_u64().unwrap())
            .collect();
        assert!(sizes.len() > 1, "{collective}: {sizes:?}");
        let mut from = 0;
        for (place, size) in sizes.iter().enumerate() {
            desk.out(&format!(
                "export --book book-{collective} --bytes {size} --to msccl-xml -o {collective}.xml"
            ));
            let most = sizes.get(place + 1).map_or(1 << 40, |next| next * messages - 1);
            let right = format!("minBytes=\"{from}\" maxBytes=\"{most}\"");
            let text = desk.read(&format!("{collective}.xml"));
            assert!(text.contains(&right), "{collective} {size}: {right}: {}", &text[..300]);
            from = most + 1;
        }
    }
    // Other programs have no such limits.
    desk.out("export --book book-aab --bytes 1K --to mpi-c -o gather.c");
}
