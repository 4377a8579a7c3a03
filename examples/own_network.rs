//! Schedules a network built in code: two switches joined by a link of capacity 2, with two hosts
//! at each switch.
//!
//! `cargo run --example own_network`

use ccsched::network::{LinkKind, NetworkBuilder};
use ccsched::problem::{Collective, Request};
use ccsched::{Options, show, solve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = NetworkBuilder::new("plant");
    let hosts = ["a", "b", "c", "d"].map(|name| builder.terminal(name));
    let switches = ["left", "right"].map(|name| builder.switch(name));
    for (i, host) in hosts.into_iter().enumerate() {
        builder.duplex(host, switches[i / 2]);
    }
    builder.wide_link(switches[0], switches[1], LinkKind::FullDuplex, 2);

    let problem = Request::new(Collective::Aas).pose(builder.build()?, vec![])?;
    let solution = solve(&problem, &Options::default())?;
    let schedule = solution.schedule().ok_or("no schedule was found")?;
    println!("{}", show::schedule(&schedule));
    let method = solution.method.as_ref().ok_or("no schedule was found")?;
    println!("found by {method}; no schedule has fewer than {} steps", solution.lower_bound());
    Ok(())
}
