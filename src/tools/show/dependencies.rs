//! The dependencies of channels as a graph (Graphviz), and whether they have a cycle. Without one,
//! wormhole switching has no deadlock even where steps are not kept apart (hgsa-store-and-forward,
//! figure 2).

use ccsched_base::counted::counted;
use ccsched_model::schedule::ScheduleFile;
use ccsched_network::files::dot::quoted;
use ccsched_network::metrics::Dependencies;
use ccsched_network::{ChannelId, Network};
use std::collections::HashSet;

/// Channels of a cycle that are named.
const NAMED: usize = 12;

/// Dependencies of channels, with the names of the channels.
pub struct DependencyGraph {
    dependencies: Dependencies,
    cycle: Option<Vec<ChannelId>>,
    names: Vec<String>,
}

impl DependencyGraph {
    /// Those of all paths of a schedule. Channels that the file does not have are left out.
    pub fn of_schedule(file: &ScheduleFile) -> Self {
        let names: Vec<String> =
            file.network.channels.iter().map(|c| format!("{}->{}", c.from, c.to)).collect();
        let is_known = |path: &&[ChannelId]| path.iter().all(|&c| (c as usize) < names.len());
        let paths = file.steps.iter().flatten().map(|t| t.channels).filter(is_known);
        Self::new(Dependencies::of(names.len(), paths), names)
    }

    /// Those of a network.
    pub fn of_network(network: &Network, dependencies: Dependencies) -> Self {
        let name = |v| network.vertex_name(v);
        let channels = network.channels().iter();
        let names = channels.map(|c| format!("{}->{}", name(c.from), name(c.to))).collect();
        Self::new(dependencies, names)
    }

    fn new(dependencies: Dependencies, names: Vec<String>) -> Self {
        DependencyGraph { cycle: dependencies.cycle(), dependencies, names }
    }

    /// `48 channels, 60 dependencies: no cycle`, or one cycle by its channels.
    pub fn verdict(&self) -> String {
        let (channels, pairs) = (self.names.len(), self.dependencies.pairs().len());
        let cycle = match &self.cycle {
            None => "no cycle, so no deadlock".to_string(),
            Some(cycle) => {
                let names: Vec<&str> =
                    cycle.iter().take(NAMED).map(|&c| self.names[c as usize].as_str()).collect();
                let more = if cycle.len() > NAMED { ", .." } else { "" };
                format!("a cycle of {}: {}{more}", cycle.len(), names.join(", "))
            }
        };
        format!(
            "{channels}, {pairs}: {cycle}",
            channels = counted(channels, "channel"),
            pairs = counted(pairs, "dependency")
        )
    }

    /// The graph in the language DOT: a node a channel that depends or is depended on, an edge from
    /// each channel to the next of a path, a cycle in red.
    pub fn dot(&self) -> String {
        let cycle = self.cycle.as_deref().unwrap_or_default();
        let next = cycle.iter().skip(1).chain(cycle.first());
        let red: HashSet<(ChannelId, ChannelId)> =
            cycle.iter().copied().zip(next.copied()).collect();
        let mut used: Vec<ChannelId> =
            self.dependencies.pairs().iter().flat_map(|&(a, b)| [a, b]).collect();
        used.sort_unstable();
        used.dedup();
        let mut out = format!("// {}\ndigraph dependencies {{\n", self.verdict().escape_debug());
        for c in used {
            out += &format!("  c{c} [label={}];\n", quoted(&self.names[c as usize]));
        }
        for pair in self.dependencies.pairs() {
            let colour = if red.contains(pair) { " [color=red]" } else { "" };
            out += &format!("  c{} -> c{}{colour};\n", pair.0, pair.1);
        }
        out + "}\n"
    }
}
