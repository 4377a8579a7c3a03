//! The head of a schedule file: the network and the model, which this program writes before the steps. It tells
//! schedules of different problems apart without reading gigabytes of steps.

use super::compact;
use super::file::{ModelRecord, NetworkRecord, ScheduleFile};
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

impl ScheduleFile {
    /// Whether the head of a file tells that it is a schedule of another problem. If it is no schedule
    /// file, or if the steps come first, it does not tell.
    pub fn is_apart_from(&self, path: &Path) -> bool {
        let mut differs = false;
        if let Ok(mut file) = File::open(path)
            && let Ok(text) = compact::from_beginning(&mut file)
        {
            let mut text = serde_json::Deserializer::from_reader(BufReader::new(text));
            // It always ends with an error, at the steps or before.
            let _ = text.deserialize_map(Head { own: self, differs: &mut differs });
        }
        differs
    }
}

/// Compares an object with a schedule up to its steps.
struct Head<'s> {
    own: &'s ScheduleFile,
    differs: &'s mut bool,
}

impl<'de> Visitor<'de> for Head<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()?
            && key != "steps"
            && !*self.differs
        {
            *self.differs = match key.as_str() {
                "network" => !map.next_value::<NetworkRecord>()?.is_like(&self.own.network),
                "model" => map.next_value::<ModelRecord>()? != self.own.model,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    false
                }
            };
        }
        Err(A::Error::custom("the rest is not read"))
    }
}

#[cfg(test)]
mod tests {
    use crate::problem::{Collective, Request, Switching};
    use crate::schedule::file::Provenance;
    use crate::schedule::{Plan, ScheduleFile};
    use ccsched_network::spec;

    fn of(topology: &str, switching: Switching) -> ScheduleFile {
        let request = Request { switching, ..Request::new(Collective::Aas) };
        let problem = request.pose(spec::parse(topology).unwrap(), vec![]).unwrap();
        let mut plan = Plan::default();
        plan.push(0, 0, [0]);
        plan.record(&problem, &[], Provenance::default())
    }

    #[test]
    fn a_file_of_another_problem_is_known_by_its_head() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        let own = of("ring:5", Switching::Wormhole);
        assert!(!own.is_apart_from(&path), "there is no file");
        own.write(&path).unwrap();
        assert!(!own.is_apart_from(&path));
        for other in [of("ring:6", Switching::Wormhole), of("ring:5", Switching::StoreAndForward)] {
            assert!(other.is_apart_from(&path));
            // The steps are not read.
            let head = own.to_json().split("\"steps\"").next().unwrap().to_string();
            std::fs::write(&path, format!("{head}\"steps\": [[oops")).unwrap();
            assert!(other.is_apart_from(&path) && !own.is_apart_from(&path));
        }
        std::fs::write(&path, "no schedule").unwrap();
        assert!(!own.is_apart_from(&path));
    }
}
