//! Verifies a schedule file, then converts it to a problem and a plan of the library.
//!
//! `cargo run --example verify_file -- schedule.json`

use ccsched::schedule::{ScheduleFile, resolve};
use ccsched::verify::verify;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a schedule file")?;
    let file = ScheduleFile::read(&path)?;
    let violations = verify(&file);
    for violation in &violations {
        println!("{violation}");
    }
    if !violations.is_empty() {
        return Err(format!("{path} is not valid").into());
    }
    let (problem, plan) = resolve(&file)?;
    println!(
        "{path}: {} of {} in {} steps, {} transfers over {} channel-steps",
        problem.collective(),
        problem.network().name(),
        plan.len(),
        plan.transfers().count(),
        plan.channel_steps()
    );
    Ok(())
}
