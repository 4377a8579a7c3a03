//! Options as words, for front ends that are no command line.

use ccsched::cli::posing;
use ccsched::schedule::ScheduleFile;
use ccsched::{bounds, show, solve};

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(String::from).collect()
}

#[test]
fn words_pose_what_the_program_solves() {
    let posed = posing::pose(&words("-t kautz:3,2 -c aas --islands 2 --seed 5")).unwrap();
    assert_eq!((posed.options.islands(), posed.options.seed), (2, 5));
    let solution = solve(&posed.problem, &posed.options).unwrap();
    assert_eq!(solution.steps(), Some(7));
    let best = &bounds::all(&posed.problem)[0];
    assert_eq!(posing::evidence(&posed.problem, best), "all messages over all links");
    // The text of the file is the file.
    let file = solution.schedule().unwrap();
    let again = ScheduleFile::from_bytes(file.to_json().as_bytes()).unwrap();
    assert_eq!(again, file);
    assert_eq!(show::places(&file).unwrap().len(), file.network.vertices.len());
}

#[test]
fn wrong_words_are_told_without_the_usage_of_the_program() {
    for (text, word) in [
        ("-t ring:8 --iteration 3", "--iteration"),
        ("-t ring:8 -c all", "--collective"),
        ("-t ring", "ring"),
        ("-t ring:8 --engine hgsa --set umda:hot=3", "--set"),
    ] {
        let why = posing::pose(&words(text)).unwrap_err();
        assert!(why.contains(word) && !why.contains("Usage"), "{text}: {why}");
        assert!(!why.starts_with("error"), "{why}");
    }
    assert!(posing::network(&words("-t ring:0")).unwrap_err().contains("ring:0"));
    assert_eq!(posing::network(&words("-t ring:6")).unwrap().0.vertices().len(), 6);
    let why = ScheduleFile::from_bytes(b"{").unwrap_err().to_string();
    assert!(why.contains("line") || why.contains(':'), "{why}");
}
