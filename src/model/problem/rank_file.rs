//! The rank file: which rank is on which host. Ranks are the processes that take part, in their order;
//! a process `host/2` is the second slot of its host.

use super::Problem;
use ccsched_network::{Network, VertexId};

/// The rank file of a problem, as Open MPI's --rankfile reads it.
pub fn rank_file(problem: &Problem) -> String {
    let line = |(rank, (host, slot))| format!("rank {rank}={host} slot={slot}\n");
    hosts_and_slots(problem).enumerate().map(line).collect()
}

/// By rank, its host and its slot there.
pub fn hosts_and_slots(problem: &Problem) -> impl Iterator<Item = (&str, u32)> {
    problem.processes().iter().map(|&v| place(problem.network(), v))
}

/// The host of a terminal, by a name without blanks where there is one, and the slot.
fn place(network: &Network, v: VertexId) -> (&str, u32) {
    let name = network.vertex_name(v);
    let of_process = || {
        let (host, number) = name.rsplit_once('/')?;
        let slot = number.parse::<u32>().ok()?.checked_sub(1)?;
        let switch = network.find(host).filter(|&host| !network.is_terminal(host))?;
        Some((switch, host, slot))
    };
    let (vertex, host, slot) = of_process().unwrap_or((v, name, 0));
    let has_blanks = |name: &str| name.contains(char::is_whitespace);
    let alias = || network.aliases().find(|&(alias, of)| of == vertex && !has_blanks(alias));
    let host = if has_blanks(host) { alias().map_or(host, |(alias, _)| alias) } else { host };
    (host, slot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Collective, Request};
    use ccsched_network::processes::{PerNode, place as processes};
    use ccsched_network::{LinkKind, NetworkBuilder};

    #[test]
    fn ranks_are_processes_of_hosts() {
        let mut net = NetworkBuilder::new("leaf");
        let hub = net.switch("hub");
        for name in ["n1", "adapter of n2"] {
            let v = net.terminal(name);
            net.link(v, hub, LinkKind::FullDuplex);
        }
        net.alias("n2", 2);
        let net = processes(&net.build().unwrap(), PerNode { processes: 2, width: 1 }).unwrap();
        let problem = Request::new(Collective::Aas).pose(net, vec![]).unwrap();
        let lines = ["0=n1 slot=0", "1=n1 slot=1", "2=n2 slot=0", "3=n2 slot=1"];
        assert_eq!(rank_file(&problem), lines.map(|line| format!("rank {line}\n")).concat());
    }
}
