//! The table of formats: names, settings that do not fit, schedules that are not valid.

use super::{samples, solved, text};
use ccsched::export::{self, FORMATS, Settings, Subject};
use ccsched::problem::{Collective, Switching};
use ccsched::schedule::Steps;

#[test]
fn a_setting_that_a_format_does_not_use_is_refused() {
    let schedule = solved("ring:4", Collective::Aas, Switching::Wormhole);
    let subject = Subject::of(&schedule).unwrap();
    let step = Settings { step: Some(1), ..Settings::default() };
    for format in FORMATS {
        let written = export::write(format, &subject, &step);
        assert_eq!(written.is_ok(), format.settings.contains(&"step"), "{}", format.name);
        if let Err(why) = written {
            let why = why.to_string();
            assert!(why.starts_with("step: ") && why.contains("it is for dot"), "{why}");
        }
        assert_eq!(export::find(format.name).unwrap().about, format.about);
        assert!(export::help().contains(format.about));
    }
    let why = export::find("pdf").err().unwrap().to_string();
    assert!(
        why.contains("unknown format 'pdf'; known: csv, slots, dot, mpi-c, goal, simgrid"),
        "{why}"
    );
}

#[test]
fn a_schedule_that_is_not_valid_is_not_exported() {
    for mut schedule in samples() {
        assert!(Subject::of(&schedule).is_ok(), "{}", schedule.network.name);
        let mut records = schedule.steps.records();
        records.last_mut().unwrap().pop();
        schedule.steps = Steps::of(&records);
        let why = Subject::of(&schedule).err().unwrap().to_string();
        assert!(why.contains("is not valid") && why.contains("never gets"), "{why}");
    }
}

/// Several messages over one path in one step are one transfer: most formats carry it, once.
#[test]
fn transfers_of_several_messages_are_carried_once_or_refused() {
    for collective in [Collective::Barrier, Collective::AllReduceWhole] {
        let schedule = solved("hypercube:3", collective, Switching::StoreAndForward);
        let subject = Subject::of(&schedule).unwrap();
        for format in FORMATS {
            let written = export::write(format, &subject, &Settings::default());
            let is_carried = format.joins.contains(&collective.joining());
            match written {
                Ok(_) => assert!(is_carried, "{}", format.name),
                Err(why) if is_carried => {
                    assert!(
                        format.name == "lft" && why.to_string().starts_with("fabric: "),
                        "{why}"
                    );
                }
                Err(why) => {
                    let said = format!("{} has no {collective}, whose transfers", format.name);
                    assert!(why.to_string().starts_with(&said), "{why}");
                    assert!(why.to_string().contains("csv, dot, mpi-c, goal, simgrid"), "{why}");
                }
            }
        }
        // Each of 24 channels at most once in each of 3 steps.
        let sends = text(&schedule, "goal").matches(": send ").count();
        let entries = text(&schedule, "csv").lines().count() - 1;
        assert_eq!(entries, 8 * 7, "{collective}");
        assert!(sends <= 3 * 24 && sends < entries, "{collective}: {sends} sends");
    }
}
