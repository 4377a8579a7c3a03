//! The clusters of liquid-schedules: nodes at crossbar switches, with static routes. A node is two
//! terminals, `t3` that sends and `r3` that receives, so that a message to itself also passes its
//! switch. All channels are one-way; joined switches have one channel in each direction.

use super::params::{counts, fits, product};
use super::plan::Plan;

/// Switches of the Swiss-T1.
pub const SWISS_SWITCHES: usize = 8;
/// The largest number of nodes at a switch of the Swiss-T1.
pub const SWISS_NODES: u8 = 4;

/// The routing table of figure 4, switches numbered from 1 as printed: the switch between the row's
/// and the column's switch on the route of a transmission; 0 for a direct link and on the diagonal.
const SWISS_TABLE: [[u8; SWISS_SWITCHES]; SWISS_SWITCHES] = [
    [0, 0, 2, 0, 4, 0, 8, 0],
    [0, 0, 0, 7, 0, 3, 0, 5],
    [2, 0, 0, 0, 4, 0, 8, 0],
    [0, 7, 0, 0, 0, 7, 0, 3],
    [4, 0, 4, 0, 0, 0, 6, 0],
    [0, 3, 0, 7, 0, 0, 0, 1],
    [8, 0, 8, 0, 6, 0, 0, 0],
    [0, 5, 0, 3, 0, 1, 0, 0],
];

/// The switches of the route between two switches of the Swiss-T1, both included, numbered from 0.
pub fn swiss_way(from: usize, to: usize) -> Vec<usize> {
    let through = SWISS_TABLE[from][to] as usize;
    let mut way = vec![from];
    way.extend(through.checked_sub(1));
    if to != from {
        way.push(to);
    }
    way
}

/// `swiss-t1` or `swiss-t1:A,..,H`.
pub fn swiss_t1(text: &str) -> Result<Plan, String> {
    if text.is_empty() {
        return Ok(cluster("", &[u64::from(SWISS_NODES); SWISS_SWITCHES], swiss_way));
    }
    let node_count = |text: &str| match text.parse::<u8>() {
        Ok(n) if n <= SWISS_NODES && !text.starts_with('+') => Ok(u64::from(n)),
        _ => Err(format!("a switch has 0 to {SWISS_NODES} nodes, not '{text}'")),
    };
    let nodes: Vec<u64> = text.split(',').map(node_count).collect::<Result<_, _>>()?;
    if nodes.len() != SWISS_SWITCHES {
        let given = nodes.len();
        return Err(format!(
            "it takes {SWISS_SWITCHES} numbers of nodes, one a switch, not {given}"
        ));
    }
    if nodes.iter().all(|&n| n == 0) {
        return Err("at least one switch needs a node".into());
    }
    let all = nodes.iter().all(|&n| n == u64::from(SWISS_NODES));
    let plain: Vec<String> = nodes.iter().map(u64::to_string).collect();
    Ok(cluster(&if all { String::new() } else { plain.join(",") }, &nodes, swiss_way))
}

/// `two-switch:A,B`, the example of figure 1.
pub fn two_switch(text: &str) -> Result<Plan, String> {
    let [a, b] = counts(text, ["A", "B"])?;
    // Every pair has a route.
    fits(product(&[a + b, a + b]))?;
    Ok(cluster(
        &format!("{a},{b}"),
        &[a, b],
        |from, to| {
            if from == to { vec![from] } else { vec![from, to] }
        },
    ))
}

/// A cluster: `nodes` at each switch, and routes along the switches that `way` lists.
fn cluster(params: &str, nodes: &[u64], way: impl Fn(usize, usize) -> Vec<usize>) -> Plan {
    let total: u64 = nodes.iter().sum();
    let mut plan = Plan::new(params);
    plan.one_way = true;
    (0..total).for_each(|i| plan.vertex(format!("t{i}"), true));
    (0..total).for_each(|i| plan.vertex(format!("r{i}"), true));
    (0..nodes.len()).for_each(|i| plan.vertex(format!("sw{i}"), false));
    let switch = |s: usize| 2 * total + s as u64;
    // The switch of every node.
    let at: Vec<usize> = nodes.iter().enumerate().flat_map(|(s, &n)| vec![s; n as usize]).collect();
    for (node, &s) in (0..).zip(&at) {
        plan.link(node, switch(s));
        plan.link(switch(s), total + node);
    }
    for a in 0..nodes.len() {
        let joined = |&b: &usize| b != a && way(a, b).len() == 2;
        (0..nodes.len()).filter(joined).for_each(|b| plan.link(switch(a), switch(b)));
    }
    for (from, &a) in (0..).zip(&at) {
        for (to, &b) in (0..).zip(&at) {
            let switches = way(a, b).into_iter().map(switch);
            let route: Vec<u64> = [from].into_iter().chain(switches).chain([total + to]).collect();
            plan.route(&route);
        }
    }
    plan
}
