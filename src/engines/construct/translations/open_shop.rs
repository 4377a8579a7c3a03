//! Open shop with jobs that may be interrupted: every job visits each machine a number of times, in any order,
//! in steps of one visit a machine and a job. The number of visits of the busiest machine or of the
//! longest job is enough (Gonzalez and Sahni, Open shop scheduling to minimize finish time, 1976): visits are the
//! edges of a bipartite graph, steps are their colours (König).
//!
//! Here few machines have many visits, and a job is short beside that. So nearly always some step is free for both;
//! where none is, two steps are exchanged along the visits that are in them by turns. The colouring of
//! edge_colours.rs is for degrees about as large on both sides: its table of jobs and steps would take hundreds of megabytes.

use ccsched_base::bits;

/// No visit.
const NONE: u32 = u32::MAX;

/// A visit of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Visit {
    /// The step, from 0.
    pub step: usize,
    /// The machine.
    pub machine: usize,
}

/// The visits of every job in the order of their steps, in as few steps as there can be, with at most `ports`
/// visits a step. Jobs list their machines, those they visit several times as often.
pub fn shop(jobs: &[Vec<usize>], machines: usize, ports: usize) -> Vec<Vec<Visit>> {
    let mut loads = vec![0; machines];
    jobs.iter().flatten().for_each(|&machine| loads[machine] += 1);
    let busiest = loads.into_iter().max().unwrap_or(0);
    let longest = jobs.iter().map(Vec::len).max().unwrap_or(0);
    let visits: usize = jobs.iter().map(Vec::len).sum();
    let steps = busiest.max(longest).max(visits.div_ceil(ports.max(1)));
    let mut shop = Shop::new((jobs.len(), machines), steps, ports);
    for (job, machines) in jobs.iter().enumerate() {
        machines.iter().for_each(|&machine| shop.add(job, machine));
    }
    (0..steps).for_each(|step| shop.relieve(step));
    shop.jobs.iter_mut().for_each(|visits| visits.sort_unstable());
    shop.jobs
}

struct Shop {
    steps: usize,
    ports: usize,
    /// By job, its visits so far.
    jobs: Vec<Vec<Visit>>,
    /// By machine and step, the job.
    at: Vec<u32>,
    /// By machine, its free steps.
    free: Vec<Vec<u64>>,
    /// The steps with fewer visits than ports.
    open: Vec<u64>,
    /// By step, its visits.
    counts: Vec<usize>,
}

impl Shop {
    fn new((jobs, machines): (usize, usize), steps: usize, ports: usize) -> Self {
        let mut all = vec![0; bits::words(steps)];
        (0..steps as u32).for_each(|step| bits::insert(&mut all, step));
        Shop {
            steps,
            ports,
            jobs: vec![Vec::new(); jobs],
            at: vec![NONE; machines * steps],
            free: vec![all.clone(); machines],
            open: all,
            counts: vec![0; steps],
        }
    }

    /// Adds a visit in a step that is free for the job and the machine, exchanging two steps if there is none.
    fn add(&mut self, job: usize, machine: usize) {
        let step = self.shared(job, machine).unwrap_or_else(|| {
            // As many steps as the longest job or the busiest machine has visits, so both have a free one.
            let step = bits::all(&self.free[machine]).next().unwrap_or(0) as usize;
            let other = (0..self.steps).find(|&step| !self.is_busy(job, step)).unwrap_or(0);
            self.exchange(&self.chain(job, step, other), step, other);
            step
        });
        self.put(job, Visit { step, machine });
    }

    /// The first step that is free for both, preferably an open one.
    fn shared(&self, job: usize, machine: usize) -> Option<usize> {
        let free = &self.free[machine];
        let is_free = |&step: &u32| !self.is_busy(job, step as usize);
        let open = bits::both(free, &self.open).find(is_free);
        open.or_else(|| bits::all(free).find(is_free)).map(|step| step as usize)
    }

    fn is_busy(&self, job: usize, step: usize) -> bool {
        self.jobs[job].iter().any(|visit| visit.step == step)
    }

    /// The visits that move when a job's visit in the first step moves to the other step, which is
    /// free for the job: the conflicting job moves to the first, its own visit there to the other,
    /// and so on. The chain never meets a machine for which the first step is free.
    fn chain(&self, mut job: usize, first: usize, other: usize) -> Vec<(usize, Visit)> {
        let mut chain = Vec::new();
        while let Some(&visit) = self.jobs[job].iter().find(|visit| visit.step == first) {
            chain.push((job, visit));
            let in_the_way = self.at[visit.machine * self.steps + other];
            if in_the_way == NONE {
                break;
            }
            job = in_the_way as usize;
            chain.push((job, Visit { step: other, ..visit }));
        }
        chain
    }

    /// Moves the visits of a chain.
    fn exchange(&mut self, chain: &[(usize, Visit)], first: usize, other: usize) {
        chain.iter().for_each(|&(job, visit)| self.take(job, visit));
        for &(job, visit) in chain {
            let step = if visit.step == first { other } else { first };
            self.put(job, Visit { step, ..visit });
        }
    }

    /// Moves visits of a step with more visits than ports to open steps. Visits of the two steps
    /// form chains; if the step has more visits than an open one, so has one of the chains.
    fn relieve(&mut self, step: usize) {
        while self.counts[step] > self.ports {
            let Some(open) = bits::all(&self.open).next().map(|open| open as usize) else { return };
            let jobs = self.at.iter().skip(step).step_by(self.steps).filter(|&&job| job != NONE);
            let starts = jobs.map(|&job| job as usize).filter(|&job| !self.is_busy(job, open));
            let mut chains = starts.map(|job| self.chain(job, step, open));
            let Some(chain) = chains.find(|chain| chain.len() % 2 == 1) else { return };
            self.exchange(&chain, step, open);
        }
    }

    fn put(&mut self, job: usize, visit: Visit) {
        let Visit { step, machine } = visit;
        self.jobs[job].push(visit);
        self.at[machine * self.steps + step] = job as u32;
        bits::remove(&mut self.free[machine], step as u32);
        self.counts[step] += 1;
        if self.counts[step] == self.ports {
            bits::remove(&mut self.open, step as u32);
        }
    }

    fn take(&mut self, job: usize, visit: Visit) {
        let Visit { step, machine } = visit;
        self.jobs[job].retain(|other| *other != visit);
        self.at[machine * self.steps + step] = NONE;
        bits::insert(&mut self.free[machine], step as u32);
        self.counts[step] -= 1;
        if self.counts[step] + 1 == self.ports {
            bits::insert(&mut self.open, step as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_base::rng::rng_of;
    use rand::RngExt;
    use std::collections::HashSet;

    #[test]
    fn the_busiest_machine_or_the_longest_job_is_enough() {
        let mut rng = rng_of(1, 0, 0);
        for round in 0..600 {
            let machines = rng.random_range(1..6);
            let most = rng.random_range(1..12);
            let mut job = |_| -> Vec<usize> {
                (0..rng.random_range(0..=most)).map(|_| rng.random_range(0..machines)).collect()
            };
            let jobs: Vec<Vec<usize>> = (0..1 + round % 9).map(&mut job).collect();
            let visits = shop(&jobs, machines, machines);
            let load = |m: usize| jobs.iter().flatten().filter(|&&other| other == m).count();
            let busiest = (0..machines).map(load).max().unwrap();
            let longest = jobs.iter().map(Vec::len).max().unwrap();
            let mut seen = HashSet::new();
            for (job, visits) in jobs.iter().zip(&visits) {
                let mut wanted = job.clone();
                let mut done: Vec<usize> = visits.iter().map(|visit| visit.machine).collect();
                wanted.sort_unstable();
                done.sort_unstable();
                assert_eq!(done, wanted);
                assert!(visits.windows(2).all(|two| two[0].step < two[1].step));
                assert!(visits.iter().all(|visit| visit.step < busiest.max(longest)));
                assert!(visits.iter().all(|visit| seen.insert((visit.machine, visit.step))));
            }
        }
    }

    #[test]
    fn ports_are_kept() {
        let jobs: Vec<Vec<usize>> =
            (0..40).map(|job| (0..1 + job % 7).map(|i| (job + i) % 4).collect()).collect();
        let visits: usize = jobs.iter().map(Vec::len).sum();
        for ports in 1..=4 {
            let shop = shop(&jobs, 4, ports);
            let mut counts = vec![0; visits];
            shop.iter().flatten().for_each(|visit| counts[visit.step] += 1);
            assert!(counts.iter().all(|&count| count <= ports), "{ports}");
            assert_eq!(counts.iter().filter(|&&count| count > 0).count(), visits.div_ceil(ports));
        }
    }
}
