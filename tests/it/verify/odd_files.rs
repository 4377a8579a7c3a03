//! Files changed at random: reading either reports a mistake or returns a schedule that the checker
//! and the printer handle without a panic.

use crate::support::small::{NAMES, get};
use ccsched::schedule::ScheduleFile;
use ccsched::verify::verify;
use proptest::prelude::*;
use serde_json::{Value, json};

/// JSON pointers of all values inside a value, without itself.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut visit = |key: String, inner: &Value| {
        let at = format!("{at}/{key}");
        places(inner, &at, found);
        found.push(at);
    };
    match value {
        Value::Array(list) => list.iter().enumerate().for_each(|(i, v)| visit(i.to_string(), v)),
        Value::Object(map) => map.iter().for_each(|(k, v)| visit(k.clone(), v)),
        _ => {}
    }
}

/// Deletes, duplicates or replaces an entry.
fn mutate(file: &mut Value, place: usize, change: &Change) {
    let mut found = Vec::new();
    places(file, "", &mut found);
    if found.is_empty() {
        return;
    }
    let at = &found[place % found.len()];
    let (parent, key) = at.rsplit_once('/').unwrap();
    match change {
        Change::Delete => match file.pointer_mut(parent).unwrap() {
            Value::Array(list) => drop(list.remove(key.parse().unwrap())),
            Value::Object(map) => drop(map.remove(key)),
            _ => unreachable!("only lists and objects have entries"),
        },
        Change::Double => {
            if let Value::Array(list) = file.pointer_mut(parent).unwrap() {
                let i: usize = key.parse().unwrap();
                list.insert(i, list[i].clone());
            }
        }
        Change::Put(value) => *file.pointer_mut(at).unwrap() = value.clone(),
        Change::Copy(other) => {
            let value = file.pointer(&found[other % found.len()]).unwrap().clone();
            *file.pointer_mut(at).unwrap() = value;
        }
    }
}

#[derive(Clone, Debug)]
enum Change {
    Delete,
    Double,
    Put(Value),
    Copy(usize),
}

fn change() -> impl Strategy<Value = Change> {
    let words = [
        "a",
        "b",
        "S",
        "z",
        "",
        "oab",
        "aab",
        "aog",
        "wormhole",
        "store-and-forward",
        "slack:18446744073709551615",
        "static",
        "cut",
        "growth",
        "distance",
        "eccentricity",
        "journeys",
        "pipeline",
        "leaving",
    ];
    let word = proptest::sample::select(words.to_vec()).prop_map(|w| json!(w));
    let numbers = [
        json!(0),
        json!(1),
        json!(2),
        json!(5),
        json!(-1),
        json!(1.5),
        json!(u32::MAX),
        json!(u64::MAX),
        Value::Null,
        json!([]),
        json!({}),
        json!(true),
    ];
    let number = proptest::sample::select(numbers.to_vec());
    prop_oneof![
        Just(Change::Delete),
        Just(Change::Double),
        any::<usize>().prop_map(Change::Copy),
        prop_oneof![word, number].prop_map(Change::Put),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn no_file_causes_a_panic(
        name in proptest::sample::select(NAMES.to_vec()),
        changes in proptest::collection::vec((any::<usize>(), change()), 1..6),
        cut in proptest::option::weighted(0.05, 0.0..1.0f64),
    ) {
        let mut file = get(name);
        for (place, change) in &changes {
            mutate(&mut file, *place, change);
        }
        let mut text = serde_json::to_string_pretty(&file).unwrap();
        if let Some(part) = cut {
            text.truncate((text.len() as f64 * part) as usize);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("odd.json");
        std::fs::write(&path, &text).unwrap();
        match ScheduleFile::read(&path) {
            Err(e) => prop_assert!(e.to_string().contains("odd.json:"), "{}", e),
            Ok(file) => {
                let found = verify(&file);
                prop_assert!(found.len() <= 20);
                for violation in found {
                    let rule = violation.rule.to_string();
                    prop_assert!(violation.to_string().starts_with(&rule));
                }
                let shown = ccsched::show::schedule(&file);
                prop_assert!(shown.ends_with('\n'));
                // Writing loses nothing that the checker reads.
                file.write(&path).unwrap();
                prop_assert_eq!(ScheduleFile::read(&path).unwrap(), file);
            }
        }
    }
}
