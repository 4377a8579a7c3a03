//! What users type by habit: the answer says what is meant, and what it says is taken.

use crate::support::program::Desk;

/// What is typed, and a part of the answer.
const TYPED: &[(&str, &str)] = &[
    ("solve --time 10", "'--time-limit'"),
    ("solve --timeout=10", "'--time-limit'"),
    ("solve --threads 4", "'--islands'"),
    ("solve --root 3", "'--source'"),
    ("solve -t ring:8 --html page.html", "--html is an option of: ccsched "),
    ("solve --topolgy ring:8", "'--topology'"),
    ("solve --step 3", "'--steps'"),
    ("solve --bandwidth 100", "'--cost rate=..'"),
    ("export --format csv s.json", "'--to'"),
    ("-t ring:8 -c alltoall", "ccsched solve -t ring:8 -c alltoall"),
    ("ring:8 -c alltoall", "ccsched solve -t ring:8 -c alltoall"),
    ("alltoall -t ring:8", "ccsched solve -c alltoall -t ring:8"),
    ("draw s.json", "'show'"),
    ("plot s.json", "'show'"),
    ("version", "ccsched --version"),
    ("read s.xml", "'import'"),
    ("completions out", "'generate'"),
    ("topolgy ring:8", "'topology'"),
    ("solve -t 4x4", "'mesh:4x4' or 'torus:4x4'"),
    ("solve -t 3x3x3", "'mesh:3x3x3'"),
    ("solve -t .", "it is a folder"),
    ("solve -c MPI_Alltoal", "did you mean 'alltoall'"),
    ("solve -c ncclAllReduc", "did you mean 'all-reduce'"),
    ("export s.json --to msccl", "did you mean 'mscclpp'"),
    ("export s.json --to mpi", "did you mean 'mpi-c'"),
    ("solve --routing shortest", "did you mean 'minimal'"),
    ("solve --routing ftree", "did you mean 'dmodk'"),
    ("solve --routing diagonal", "dimension-order, xy"),
    ("solve --switching packet", "did you mean 'store-and-forward'"),
    ("solve --switching wormhol", "did you mean 'wormhole'"),
    ("solve --link-rate fast", "100Gbit/s"),
    ("solve --set population=30", "such as umda:population=30"),
    ("solve --set colour=3", "no engine has a parameter 'colour'"),
];

#[test]
fn slips_are_answered_with_what_is_meant() {
    let desk = Desk::with(&[("s.json", "{}"), ("s.xml", "<a/>")]);
    for (typed, answer) in TYPED {
        desk.refuse(typed, &[answer]);
    }
}

/// What the tips of an answer name, put into the line that was typed: each is taken, so that a second
/// error is about something else.
fn lines_of(typed: &str, answer: &str) -> Vec<String> {
    let tips = answer.lines().filter_map(|line| line.trim().strip_prefix("tip: "));
    let line = |tip: &str| {
        if let Some((_, line)) = tip.rsplit_once(": ccsched ") {
            // Several programs or one line.
            return line.split(", ccsched ").next().map(String::from);
        }
        let meant = tip.split('\'').nth(1)?;
        let wrong = answer.split('\'').nth(1)?;
        let words = typed.split(' ').map(|word| match word.split_once('=') {
            Some((flag, value)) if flag == wrong => format!("{meant}={value}"),
            _ if word == wrong => meant.to_string(),
            _ => word.to_string(),
        });
        // A word of an option has its value beside it.
        Some(words.collect::<Vec<_>>().join(" ").replace("=.. ", "="))
    };
    tips.filter_map(line).collect()
}

#[test]
fn tips_are_taken_literally() {
    let desk = Desk::with(&[("s.json", "{}"), ("s.xml", "<a/>")]);
    let words =
        ["time", "timeout", "threads", "root", "format", "size", "chunk", "hosts", "latency"];
    let commands =
        ["solve", "bound", "export s.json", "verify s.json", "compare", "topology ring:4"];
    let each = commands
        .iter()
        .flat_map(|command| words.iter().map(move |word| format!("{command} --{word} 7")));
    let mut taken = 0;
    for typed in TYPED.iter().map(|(typed, _)| typed.to_string()).chain(each) {
        let answer = desk.run(&typed).err;
        for line in lines_of(&typed, &answer) {
            let again = desk.run(&format!("{line} --no-such-option")).err;
            // The line is read up to its end: what is said of it now is the last word alone.
            let is_read = again.contains("'--no-such-option'") || again.contains("s.json");
            assert!(is_read || line.ends_with("--version"), "{typed}: {line}: {again}");
            taken += 1;
        }
    }
    assert!(taken > 25, "{taken}");
}

#[test]
fn spellings_of_names_are_no_slips() {
    let desk = Desk::new();
    for args in [
        "bound -t mesh:2x2 --routing XY",
        "bound -t mesh:2x2 --routing Dimension_Order",
        "bound -t ring:4 --switching store_and_forward",
        "bound -t ring:4 --switching Wormhole",
    ] {
        desk.out(args);
    }
    let rate = |rate: &str| {
        let args = format!("solve -t ring:4 --json --iterations 10 --link-rate {rate}");
        desk.out(&args).split("\"seconds\"").next().map(String::from)
    };
    assert_eq!(rate("100Gbit"), rate("12500"));
}

#[test]
fn one_is_singular() {
    let desk = Desk::new();
    let out = desk.out("solve -t complete:3 -c aas --engine hgsa --islands 1 -q");
    assert!(out.contains("1 step,") && out.contains("1 island:"), "{out}");
    desk.out("solve -t complete:3 -c aas -o s.json -q");
    let shown =
        ["show s.json", "show s.json --paths", "verify s.json", "bound -t complete:3 -c aas"];
    let shown = shown.map(|args| desk.out(args));
    let counted: Vec<String> =
        shown.iter().flat_map(|text| text.lines()).map(String::from).collect();
    for line in counted {
        let words: Vec<&str> = line.split([' ', ',', ':', ';']).collect();
        let is_slip = |pair: &[&str]| {
            pair[0] == "1" && ["steps", "transfers", "channels", "links"].contains(&pair[1])
        };
        assert!(!words.windows(2).any(is_slip), "{line}");
    }
}

#[test]
fn a_trace_ends_with_the_schedule_and_counts_as_the_summary() {
    let desk = Desk::new();
    for (args, rows_at_least) in [
        ("-t petersen -c aas --engine hgsa --islands 2", 3),
        ("-t heawood -c aas --engine hgsa --islands 2 --iterations 400", 3),
        // The schedule is constructed, and no island searches.
        ("-t hypercube:3 -c aab", 1),
    ] {
        let out = desk.out(&format!("solve {args} --trace t.csv --json"));
        let summary: serde_json::Value = serde_json::from_str(out.trim()).unwrap();
        let text = desk.read("t.csv");
        let mut rows = csv::Reader::from_reader(text.as_bytes());
        let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
        assert!(rows.len() >= rows_at_least, "{args}: {text}");
        let last = rows.last().unwrap();
        let (steps, iterations) = (&summary["steps"], &summary["iterations"]);
        assert_eq!((&last[2], &last[4]), (&*steps.to_string(), "0"), "{args}: {text}");
        assert_eq!(last[0], iterations.to_string(), "{args}: {text}");
    }
}

#[test]
fn every_unreadable_file_has_a_line_of_its_own() {
    let err = Desk::new().run("verify one.json two.json").err;
    let lines: Vec<&str> = err.lines().collect();
    assert!(lines.len() == 2 && lines.iter().all(|line| line.starts_with("error: ")), "{err}");
}

#[test]
fn what_no_table_can_have_is_refused_before_routes_are_made() {
    let desk = Desk::new();
    let ended = desk.run("routes -t ring:6 --lft tables");
    assert!(ended.out.is_empty() && ended.err.contains("--lft"), "{} {}", ended.out, ended.err);
}

#[test]
fn pages_of_help_leave_the_problem_to_one() {
    let desk = Desk::new();
    let problem = desk.out("help problem");
    for flag in ["--traffic", "--switching", "separate-cables", "--fail"] {
        assert!(problem.contains(flag), "{flag}");
        for command in ["bound", "compare", "routes", "deploy"] {
            let help = desk.out(&format!("{command} --help"));
            assert!(!help.contains(&format!("{flag} <")), "{command} {flag}");
            assert!(help.contains("ccsched help problem"), "{command}");
        }
    }
    let deploy = desk.out("deploy --help");
    assert!(deploy.contains("--topology") && !deploy.contains("--senders"), "{deploy}");
}
