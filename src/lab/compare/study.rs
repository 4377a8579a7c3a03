//! All runs of a comparison, with their instances and configurations.

use super::{Budget, Record};

/// Runs of configurations on instances.
#[derive(Clone, Debug)]
pub struct Study {
    /// Names of the instances.
    pub instances: Vec<String>,
    /// Names of the configurations.
    pub configurations: Vec<String>,
    /// By configuration: its name without the number of islands, and that number.
    pub families: Vec<(String, usize)>,
    /// The budget of every run.
    pub budget: Budget,
    /// What schedules have the least of: steps, or bytes.
    pub measure: &'static str,
    /// The runs.
    pub records: Vec<Record>,
}

impl Study {
    /// The runs of one configuration on one instance.
    pub fn runs(&self, instance: usize, configuration: usize) -> Vec<&Record> {
        let is_of = |r: &&Record| (r.instance, r.configuration) == (instance, configuration);
        self.records.iter().filter(is_of).collect()
    }
}
