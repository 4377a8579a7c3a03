//! Schedules with one change, and the violation that the checker must report.

use crate::support::small::get;
use ccsched::schedule::ScheduleFile;
use ccsched::verify::{Rule, Violation, verify};
use serde_json::{Value, json};

/// The violations that the checker finds.
pub fn check(file: Value) -> Vec<Violation> {
    verify(&serde_json::from_value::<ScheduleFile>(file).expect("the shape is right"))
}

/// Changes the value at a JSON pointer and expects a violation of the rule with these words.
#[track_caller]
pub fn breaks(name: &str, at: &str, value: Value, rule: Rule, words: &[&str]) {
    let mut file = get(name);
    *file.pointer_mut(at).unwrap_or_else(|| panic!("{name} has {at}")) = value;
    expect(file, rule, words);
}

#[track_caller]
pub fn expect(file: Value, rule: Rule, words: &[&str]) {
    let found = check(file);
    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
    let fits =
        |t: &&String| t.starts_with(&format!("{rule}: ")) && words.iter().all(|w| t.contains(w));
    assert!(texts.iter().any(|t| fits(&t)), "{rule} with {words:?} is not in {texts:#?}");
}

pub fn transfer(message: Value, from: &str, to: &str, channels: &[usize]) -> Value {
    json!({"message": message, "from": from, "to": to, "channels": channels})
}

pub fn add(file: &mut Value, step: usize, transfer: Value) {
    file["steps"][step].as_array_mut().unwrap().push(transfer);
}
