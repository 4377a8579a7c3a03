//! The texts of a deployment: tables of predicted times, the summary, the README, and its list.

use super::folder::FORMAT;
use super::part::Part;
use super::{Deployment, Speeds, algorithms};
use crate::fold::{Numbers, table};
use crate::tradeoff::Point;
use ccsched_base::counted::counted;
use ccsched_model::problem::{Group, Routing};
use ccsched_model::schedule::cells::cell;
use serde_json::{Value, json};

/// The library, as its Makefile names it.
const LIBRARY: &str = "libccsched-coll.so";

/// A length of 1024s in short: 64K.
pub fn short(bytes: u64) -> String {
    let units = [(30, "G"), (20, "M"), (10, "K")];
    let unit = units.iter().find(|(power, _)| bytes > 0 && bytes.is_multiple_of(1 << power));
    unit.map_or(bytes.to_string(), |(power, unit)| format!("{}{unit}", bytes >> power))
}

/// Microseconds with three digits or more.
fn in_us(us: f64) -> String {
    let digits = if us < 10.0 { 2 } else { usize::from(us < 100.0) };
    format!("{us:.digits$}")
}

/// A sentence begins with a capital.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// The name of the collective, as MPI has it.
pub fn title(part: &Part) -> &'static str {
    algorithms::title(part.collective).unwrap_or_default()
}

/// The best bound of a schedule's file.
fn bound(point: &Point) -> u32 {
    point.file.bounds.iter().map(|bound| bound.steps).max().unwrap_or(0)
}

impl Part {
    /// The predicted times, a line for each length.
    fn times(&self, columns: Option<usize>) -> String {
        let names = self.rivals.iter().map(|(a, _)| a.name);
        let head = ["bytes", "ccsched"].into_iter().chain(names).chain(["MPICH takes"]);
        let head: Vec<String> = head.map(String::from).collect();
        let row = |&bytes: &u64| {
            let model = self.model(bytes);
            let rivals = self.rivals.iter().map(|(_, cost)| in_us(cost.us(&model)));
            let own = [short(bytes), in_us(self.us(bytes))].into_iter();
            own.chain(rivals).chain([self.chosen(bytes).into()]).collect()
        };
        let rows: Vec<Vec<String>> = self.sizes().iter().map(row).collect();
        table(&head, &rows, Numbers::Right, columns)
    }

    /// A line of the summary: whose collective it is.
    fn summary(&self, whose: &str) -> Vec<String> {
        let bytes = self.longest();
        let (point, us) = (self.schedule(bytes), self.us(bytes));
        let (rival, its) = self.best_rival(bytes).unwrap_or(("-", f64::NAN));
        vec![
            title(self).to_string() + whose,
            point.steps.to_string(),
            bound(point).to_string(),
            point.pieces.to_string(),
            self.least_bytes.map_or("never".into(), |least| format!("from {}", short(least))),
            in_us(us),
            rival.into(),
            if its.is_nan() { "-".into() } else { in_us(its) },
            if its.is_nan() { "-".into() } else { format!("{:.2}", its / us) },
        ]
    }
}

impl Deployment<'_> {
    /// What the ranks are, and the collectives with the schedules for the longest calls.
    pub fn summary(&self, columns: Option<usize>) -> String {
        let longest = self.parts.first().map_or(0, Part::longest);
        let at = format!("us at {}", short(longest));
        let head = [
            "collective",
            "steps",
            "bound",
            "pieces",
            "used",
            at.as_str(),
            "best of MPI",
            "us",
            "ratio",
        ];
        let of_groups = (1..).zip(&self.groups);
        let of_groups =
            of_groups.map(|(n, part): (usize, &Part)| part.summary(&format!(", group {n}")));
        let of_all = self.parts.iter().map(|part| part.summary(""));
        let rows: Vec<Vec<String>> = of_all.chain(of_groups).collect();
        table(&head.map(String::from), &rows, Numbers::Right, columns)
    }

    /// The ranks, the network and the routes, in a sentence.
    pub fn about(&self) -> String {
        let problem = self.roads.problem();
        let routes = match self.asked.request.routing {
            routing if routing.is_fixed() => format!("routes: {routing}"),
            free => format!("paths: {free}"),
        };
        let hosts = match &self.asked.hosts {
            Some(hosts) => format!(
                "; also schedules of the {} hosts, with MPI's own functions for the {} ranks on each",
                self.roads.ranks() / hosts.each,
                hosts.each
            ),
            None => String::new(),
        };
        let groups = match self.groups.len() {
            0 => String::new(),
            number => format!("; also schedules of {}", counted(number, "group")),
        };
        format!(
            "{} ranks on {}, {routes}{hosts}{groups}",
            self.roads.ranks(),
            problem.network().name()
        )
    }

    /// The model of times, in a sentence.
    pub fn speeds(&self) -> String {
        let model = &self.asked.model;
        let origin = match self.asked.speeds {
            Speeds::Known => "",
            Speeds::Measured => ", as measured on these hosts",
            Speeds::Unknown => {
                ", which are no measured ones: --t0, --t1 or --link-rate give them, and tune measures"
            }
        };
        format!(
            "predicted with t0 = {} us, tr = {} us, t1 = {} ns a byte{origin}",
            model.startup_us, model.hop_us, model.byte_ns
        )
    }

    /// Predicted times of each collective.
    pub fn times(&self, columns: Option<usize>) -> String {
        let of = |part: &Part| {
            format!("{}, predicted us by bytes of a call\n\n{}\n", title(part), part.times(columns))
        };
        self.parts.iter().map(of).collect::<Vec<_>>().join("\n")
    }

    /// The same as CSV: a line for each collective, length and algorithm.
    pub(super) fn csv(&self) -> String {
        let mut out = "collective,bytes,algorithm,us\n".to_string();
        for part in &self.parts {
            for &bytes in part.sizes() {
                let mut line = |name: &str, us: f64| {
                    out += &format!("{},{bytes},{},{us:.6}\n", title(part), cell(name));
                };
                line("ccsched", part.us(bytes));
                let model = part.model(bytes);
                part.rivals.iter().for_each(|(a, cost)| line(a.name, cost.us(&model)));
            }
        }
        out
    }

    /// What was made, for programs. The list of files is added to it in the folder.
    pub fn manifest(&self) -> Value {
        let (problem, asked) = (self.roads.problem(), self.asked);
        let ranks: Vec<&str> =
            problem.processes().iter().map(|&v| problem.network().vertex_name(v)).collect();
        let schedule = |(bytes, point): (u64, &Point)| {
            json!({
                "from_bytes": bytes, "pieces": point.pieces, "steps": point.steps,
                "bound": bound(point),
            })
        };
        let of = |part: &Part| {
            let best = part.best_rival(part.longest());
            json!({
                "collective": title(part),
                "least_bytes": part.least_bytes,
                "schedules": part.fastest().into_iter().map(schedule).collect::<Vec<_>>(),
                "bytes": part.longest(),
                "us": part.us(part.longest()),
                "best_algorithm": best.map(|(name, _)| name),
                "best_algorithm_us": best.map(|(_, us)| us),
            })
        };
        let group = |(group, part): (&Group, &Part)| {
            let mut value = of(part);
            value["ranks"] = json!(group.members);
            value
        };
        json!({
            "format": FORMAT,
            "network": problem.network().name(),
            "ranks": ranks,
            "routing": asked.request.routing.to_string(),
            "seed": asked.options.seed,
            "library": LIBRARY,
            "time_model": {
                "startup_us": asked.model.startup_us, "hop_us": asked.model.hop_us,
                "byte_ns": asked.model.byte_ns,
            },
            "collectives": self.parts.iter().map(of).collect::<Vec<_>>(),
            "groups": asked.groups.iter().zip(&self.groups).map(group).collect::<Vec<_>>(),
        })
    }

    /// How to use the folder.
    pub(super) fn readme(&self) -> String {
        let mut out =
            format!("# Collectives of {}\n\n    {}\n\n{USE}", self.about(), self.asked.command);
        if !self.is_faster() {
            out += NOT_FASTER;
        }
        out += &format!(
            "\n## Schedules\n\n{}.\n\n{}\n\n{SUMMARY}",
            capital(&self.speeds()),
            self.summary(None)
        );
        out += &match (self.asked.least_bytes, &self.asked.against[..]) {
            (Some(_), _) => "This length was given, whatever is predicted.\n".into(),
            (None, []) => format!("{FASTER} all algorithms below.\n"),
            (None, names) => format!("{FASTER} these: {}.\n", names.join(", ")),
        };
        let free = !self.asked.request.routing.is_fixed();
        if free {
            out += FREE;
        }
        if !self.groups.is_empty() {
            out += GROUPS;
        }
        if let Some((name, _)) = &self.routes {
            out += &match self.asked.request.routing {
                Routing::Table(table) => format!(
                    "The routes are those of `{table}`, in `{name}`: the network must have them \
                     before the job begins{}.\n",
                    if self.asked.fabric.is_some() {
                        " (`opensm -R file -U opensm-lfts`)"
                    } else {
                        ""
                    }
                ),
                _ => String::new(),
            };
        }
        out += &format!(
            "\n## Predicted times\n\nMicroseconds. {MODEL}\n{}\n{FILES}",
            self.times(None)
        );
        out
    }
}

const USE: &str = "    make
    ./tune
    ./run PROGRAM ARGUMENTS

`run` starts a program on the hosts of `hosts`, a rank a line, with the library on all of them; it asks
them first whether they have it. `LAUNCHER` is `mpirun`, `mpiexec` or `srun`, `LAUNCHER_OPTIONS` are more
words for it, `CPUS` is the number of cores of a rank. Calls of a communicator with other hosts, shorter
calls, and all other functions get MPI's own. `CCSCHED_LOG=1` says what is used, and why not, and
`CCSCHED_LOG=summary` how much time the program spends in collectives.

The lengths from which on schedules are used are predicted. `tune` measures in a minute, on these hosts,
which schedule or which algorithm of the MPI library is the fastest at each length, and `run` then uses
schedules only where they were measured to be faster than all of these. `./tune 1K 16K 256K` names lengths.
";

const NOT_FASTER: &str = "
For no length of call is a schedule predicted to be faster than all of the algorithms below, so that without
`tune` all calls get MPI's own functions.
";

const SUMMARY: &str = "\
`steps`, `pieces` and times are those of the longest calls. No schedule of as many pieces has fewer
steps than `bound`. A schedule is used for calls that are as long as `used` says: count times size of
the type, of one block of an all-to-all, all-gather or reduce-scatter, of the vector of an all-reduce.
";

const FASTER: &str = "From there on it is predicted to be faster than";

const FREE: &str = "\
The paths of these schedules are free: the network is assumed to route each transfer over the path that
its step has for it. The times of the algorithms are those over routes that load links least. With
tables of routes both take the same ones.
";

const GROUPS: &str = "\
A communicator of a group's ranks gets the schedules of the group, which keep its own messages apart, and are
predicted as if the other groups were silent.
";

const MODEL: &str = "\
A step takes t0 * starts + tr * channels of the longest route + t1 * bytes of a
block * blocks over the fullest link, for each unit of its capacity. A rank starts its sends of a step
one after the other over its ports. Sends of a step share links evenly, so that `linear`, which sends
all at once, loses nothing to congestion; networks do lose there.
";

const FILES: &str = "\
## Files

`*.json` are the schedules (`ccsched verify`, `ccsched show`), `times.csv` has the times above,
`deploy.json` lists the files, which the next deployment into this folder replaces.
";
