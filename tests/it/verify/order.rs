//! Violations come in the order of the file, whatever message they are about.

use super::changed::check;
use crate::support::checked::file_of;
use crate::support::search::search;
use ccsched::engines::Engine;
use ccsched::network::spec;
use ccsched::problem::{Collective, Request, Switching};
use ccsched::verify::Rule;
use serde_json::Value;
use std::sync::Arc;

/// A valid schedule whose messages take several hops.
fn file(collective: Collective) -> Value {
    let request = Request { switching: Switching::StoreAndForward, ..Request::new(collective) };
    let problem = Arc::new(request.pose(spec::parse("ring:8").unwrap(), vec![]).unwrap());
    let best = search(&problem, Engine::default(), 1, 1, 200).unwrap().best.unwrap();
    serde_json::from_str(&file_of(&problem, &best).to_json()).unwrap()
}

/// Steps of the violations of a rule, from 0.
fn steps_of(file: Value, rule: Rule) -> Vec<usize> {
    let found = check(file).into_iter().filter(|violation| violation.rule == rule);
    found.map(|violation| violation.step.unwrap()).collect()
}

/// The place of the transfer with the first, or last, source in a step.
fn place(file: &Value, step: usize, is_last: bool) -> usize {
    let transfers = file["steps"][step].as_array().unwrap();
    let source = |&place: &usize| transfers[place]["message"]["source"].as_str().unwrap();
    let places = 0..transfers.len();
    if is_last { places.max_by_key(source) } else { places.min_by_key(source) }.unwrap()
}

#[test]
fn redundant_and_missing_hops_come_step_by_step() {
    for (collective, rule) in [
        (Collective::Aab, Rule::Redundant),
        (Collective::Aab, Rule::Causality),
        (Collective::Aas, Rule::Causality),
    ] {
        let mut file = file(collective);
        let steps = file["steps"].as_array().unwrap().len();
        assert!(steps > 2, "{collective}: {steps} steps");
        // The message that is wrong early has the last source, the one that is wrong late the first.
        for step in 0..steps {
            let place = place(&file, step, step < steps / 2);
            let transfers = file["steps"][step].as_array_mut().unwrap();
            match (collective, rule) {
                (_, Rule::Redundant) => transfers.push(transfers[place].clone()),
                // What is sent on in the next step has not arrived.
                (Collective::Aab, _) if step % 2 == 0 => transfers.clear(),
                (Collective::Aab, _) => {}
                _ => drop(transfers.remove(place)),
            }
        }
        let told = steps_of(file, rule);
        assert!(told.len() > 1 && told.is_sorted(), "{collective}, {rule}: {told:?}");
        assert!(told[0] < told[told.len() - 1], "{collective}, {rule}: {told:?}");
    }
}
