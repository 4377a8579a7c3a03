//! The rules under which a schedule is optimal, in words: other rules may allow fewer steps.

use ccsched_base::counted::counted;
use ccsched_model::schedule::file::{ModelRecord, Ports};
use ccsched_model::schedule::printable::printable;

/// `over shortest paths with 1 port`; the routing and the ports are words of a summary or a file.
pub fn rules(routing: &str, ports: &str) -> String {
    let paths = match (routing, routing.strip_prefix("slack:")) {
        ("minimal", _) => "over shortest paths".to_string(),
        ("any", _) => "over paths of any length".to_string(),
        (_, Some(slack)) => format!("over paths at most {slack} longer than the shortest"),
        ("static", _) => "over the network's own routes".to_string(),
        (other, None) => format!("over its {} routes", printable(other)),
    };
    match ports {
        "all" => paths,
        "1" => paths + " with 1 port",
        ports => format!("{paths} with {ports}", ports = counted(ports, "port")),
    }
}

/// The rules of a file.
pub fn of_file(model: &ModelRecord) -> String {
    let ports = match model.ports {
        Ports::Count(ports) => ports.to_string(),
        Ports::All(_) => "all".into(),
    };
    rules(&model.routing, &ports)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_their_words() {
        assert_eq!(rules("minimal", "all"), "over shortest paths");
        assert_eq!(rules("minimal", "1"), "over shortest paths with 1 port");
        assert_eq!(
            rules("slack:2", "3"),
            "over paths at most 2 longer than the shortest with 3 ports"
        );
        assert_eq!(rules("any", "all"), "over paths of any length");
        assert_eq!(rules("static", "all"), "over the network's own routes");
        assert_eq!(rules("updown", "all"), "over its updown routes");
    }
}
