//! `ccsched show`: schedules for people: as the papers print them, as paths, as the use of links, as
//! pictures, as a page for a browser. Nothing is verified.

use super::trace_plot;
use crate::own_files::{Inputs, check_distinct};
use crate::stdout;
use crate::time_args::{TimeArgs, arrival};
use crate::{dash, sizes, terminal};
use anyhow::Context;
use ccsched_base::similar;
use ccsched_model::schedule::ScheduleFile;
use ccsched_tools::show;
use ccsched_tools::show::html::page;
use ccsched_tools::show::svg::Picture;
use ccsched_tools::show::{DependencyGraph, Numbers};
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Names that an error lists.
const FEW: usize = 12;
/// Above this number of pictures, files and bytes are announced before writing.
const MANY_PICTURES: usize = 100;

/// Show schedule files: as tables or trees, as paths, as the use of links, as pictures, as a page
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Schedule files; - is the standard input. The progress of a search, which `solve --progress csv=FILE`
    /// has written, is drawn with --svg
    #[arg(value_name = "FILE", required = true, value_parser = dash::input)]
    pub files: Vec<PathBuf>,
    /// Print the path of every transfer, step by step
    #[arg(long)]
    pub paths: bool,
    /// Only these steps, from 1, such as 3, 2-5 or 1,4-6; alone it prints their paths
    #[arg(long, value_name = "K,..", value_delimiter = ',', value_parser = steps)]
    pub step: Vec<RangeInclusive<usize>>,
    /// Print what a vertex sends, receives and passes on in every step
    #[arg(long, value_name = "V")]
    pub node: Option<String>,
    /// Print the use of every link over the steps
    #[arg(long)]
    pub links: bool,
    /// Write the dependencies of channels under all paths as a graph (DOT), and say whether they have a
    /// cycle; - is the standard output
    #[arg(long, value_name = "FILE")]
    pub dependencies: Option<PathBuf>,
    /// Draw the steps: into a folder one picture each, into a file all of them; - is the standard output;
    /// a timed schedule is one chart of its links over time
    #[arg(long, value_name = "FILE|DIR")]
    pub svg: Option<PathBuf>,
    /// The most that the pictures in a folder may take: 64M, 1G; K, M, G are powers of 1024
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = sizes::size,
          requires = "svg")]
    pub svg_size: u64,
    /// Write a page for a browser, which needs nothing else: the network with a player over the
    /// steps, filters, the use of links; of a timed schedule the chart of its links; - is the standard
    /// output
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print one line of JSON for each file: its steps and transfers, the use of every link
    #[arg(long, conflicts_with_all = ["paths", "step", "node", "links"])]
    pub json: bool,
    /// The modelled time, which is printed if one of these options is given
    #[command(flatten)]
    pub time: TimeArgs,
}

/// Prints every file.
///
/// # Errors
/// A file cannot be read, a step or vertex that it does not have, pictures that cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.check_outputs()?;
    if let Some(trace) = args.files.iter().find(|file| trace_plot::is_trace(file)) {
        return args.draw_trace(trace);
    }
    let mut out = stdout::text();
    for (i, path) in args.files.iter().enumerate() {
        let file = ScheduleFile::read(path)?;
        let steps = chosen(&args.step, &file).with_context(|| path.display().to_string())?;
        args.draw(&file, &steps)?;
        if let Some(dot) = &args.dependencies {
            check_names(&file).with_context(|| path.display().to_string())?;
            let graph = DependencyGraph::of_schedule(&file);
            dash::write(dot, graph.dot()).context("--dependencies")?;
            if !dash::is_stdout(dot) {
                writeln!(out, "{}", graph.verdict())?;
            }
        }
        if args.json {
            writeln!(stdout::stdout(), "{}", serde_json::to_string(&Numbers::of(&file))?)?;
            continue;
        }
        let text = text(args, &file, &steps).with_context(|| path.display().to_string())?;
        if text.is_empty() {
            continue;
        }
        if i > 0 {
            writeln!(out)?;
        }
        write!(out, "{text}")?;
        if args.time.is_given() {
            let model = args.time.model(file.network.rate.as_ref());
            let arrival = arrival(file.mean_arrival_us(&model), file.energy_nj(&model));
            writeln!(out, "\n{:.3} us modelled; {arrival}", file.time_us(&model))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// Checks before the work that the files can be written.
    fn check_outputs(&self) -> anyhow::Result<()> {
        let outputs =
            [("--svg", &self.svg), ("--html", &self.html), ("--dependencies", &self.dependencies)];
        for (flag, path) in outputs {
            anyhow::ensure!(
                path.is_none() || self.files.len() == 1,
                "{flag}: name one schedule file, not {}",
                self.files.len()
            );
            let read = self.files.iter().map(PathBuf::as_path);
            let inputs =
                read.fold(Inputs::default(), |all, file| all.with("the command", Some(file)));
            let Some(path) = path else { continue };
            inputs.refuse(flag, path)?;
            if flag == "--svg" {
                inputs.refuse_in(flag, path, &["svg"])?;
            }
        }
        check_distinct(outputs.iter().filter_map(|(flag, path)| Some((*flag, path.as_deref()?))))
    }

    /// Draws a schedule, and writes it as a page.
    fn draw(&self, file: &ScheduleFile, steps: &[usize]) -> anyhow::Result<()> {
        if let Some(svg) = &self.svg {
            match file.is_timed() {
                true => dash::write(svg, show::gantt::chart(file)).context("--svg")?,
                false => draw(file, steps, svg, self.svg_size).context("--svg")?,
            }
        }
        if let Some(html) = &self.html {
            let text = match file.is_timed() {
                true => show::gantt::page(file),
                false => page(file, steps)?,
            };
            dash::write(html, text).context("--html")?;
        }
        Ok(())
    }

    /// Draws the progress of a search.
    fn draw_trace(&self, trace: &Path) -> anyhow::Result<ExitCode> {
        let name = trace.display();
        anyhow::ensure!(
            self.files.len() == 1,
            "{name}: it is the progress of a search: name it alone"
        );
        let others = [
            ("--paths", self.paths),
            ("--step", !self.step.is_empty()),
            ("--node", self.node.is_some()),
            ("--links", self.links),
            ("--dependencies", self.dependencies.is_some()),
            ("--html", self.html.is_some()),
            ("--json", self.json),
            ("--cost", self.time.is_given()),
        ];
        if let Some((option, _)) = others.into_iter().find(|(_, is)| *is) {
            anyhow::bail!("{option}: it is for schedules, and {name} is the progress of a search");
        }
        let svg = self.svg.as_deref();
        let svg = svg.with_context(|| {
            format!("{name}: it is the progress of a search: draw it with --svg FILE")
        })?;
        trace_plot::run(trace, svg)
    }
}

/// What is printed of a file; nothing if a picture is asked for alone.
fn text(args: &Args, file: &ScheduleFile, steps: &[usize]) -> anyhow::Result<String> {
    let columns = terminal::width();
    let node = args.node.as_deref();
    if let Some(node) = node {
        let names = || file.network.vertices.iter().map(|v| &*v.name);
        if !names().any(|name| name == node) {
            let some: Vec<&str> = names().take(FEW).collect();
            let more = if names().nth(FEW).is_some() { ", .." } else { "" };
            let meant = similar::hint(node, names());
            let (network, some) = (&file.network.name, some.join(", "));
            anyhow::bail!("--node: {network} has no vertex '{node}'; it has {some}{more}{meant}");
        }
    }
    let is_drawn = args.svg.is_some() || args.html.is_some() || args.dependencies.is_some();
    let is_printed = args.paths || node.is_some() || args.links;
    let mut parts = Vec::new();
    if args.paths || node.is_some() || (!args.step.is_empty() && !is_printed && !is_drawn) {
        parts.push(show::paths(file, steps, node, columns));
    }
    if args.links {
        parts.push(show::links(file, steps, columns));
    }
    if parts.is_empty() && is_drawn {
        return Ok(String::new());
    }
    check_names(file)?;
    Ok(match parts.is_empty() {
        false => format!("{}\n\n{}", show::title(file), parts.join("\n")),
        true => show::fitted(file, columns),
    })
}

/// Refuses names that a terminal would execute; pictures and pages escape them.
fn check_names(file: &ScheduleFile) -> anyhow::Result<()> {
    if let Some(name) = file.unprintable() {
        anyhow::bail!(
            "the name {name:?} contains characters that a terminal executes or hides; rename it"
        );
    }
    Ok(())
}

/// Draws the chosen steps.
fn draw(file: &ScheduleFile, steps: &[usize], target: &Path, most: u64) -> anyhow::Result<()> {
    let picture = Picture::of(file)?;
    let is_folder = target.is_dir() || target.to_string_lossy().ends_with('/');
    match (is_folder, steps) {
        (true, _) => {
            check_size(file, &picture, steps, most)?;
            let digits = file.steps.len().to_string().len();
            std::fs::create_dir_all(target).with_context(|| target.display().to_string())?;
            for &step in steps {
                let name = format!("step-{:0digits$}.svg", step + 1);
                dash::write(&target.join(name), picture.step(step)?)?;
            }
        }
        (false, &[step]) => dash::write(target, picture.step(step)?)?,
        (false, _) => dash::write(target, picture.sheet(steps)?)?,
    }
    Ok(())
}

/// Says how much the pictures of these steps take, and refuses more than is allowed. The fullest step
/// stands for all, so it is rather less than said.
fn check_size(
    file: &ScheduleFile,
    picture: &Picture<'_>,
    steps: &[usize],
    most: u64,
) -> anyhow::Result<()> {
    let Some(&fullest) = steps.iter().max_by_key(|&&step| file.steps.places(step).len()) else {
        return Ok(());
    };
    let bytes = picture.step(fullest)?.len() as u64 * steps.len() as u64;
    let about = format!("{} pictures, at most about {:.1} MB", steps.len(), bytes as f64 / 1e6);
    anyhow::ensure!(
        bytes <= most,
        "{about}, are more than the {:.1} MB that are allowed; --step chooses some, --svg-size \
         allows more",
        most as f64 / 1e6
    );
    if steps.len() > MANY_PICTURES {
        eprintln!("--svg: {about}");
    }
    Ok(())
}

/// The chosen steps, from 0, in the order of the schedule; all if none is chosen.
fn chosen(ranges: &[RangeInclusive<usize>], file: &ScheduleFile) -> anyhow::Result<Vec<usize>> {
    let count = file.steps.len();
    for range in ranges {
        anyhow::ensure!(
            *range.end() <= count,
            "--step: there is no step {}; the schedule has {count}",
            range.end()
        );
    }
    let is_chosen =
        |step: &usize| ranges.is_empty() || ranges.iter().any(|r| r.contains(&(step + 1)));
    Ok((0..count).filter(is_chosen).collect())
}

/// A step, or several: `3`, `2-5`.
fn steps(text: &str) -> Result<RangeInclusive<usize>, String> {
    let number = |word: &str| word.parse::<usize>().ok().filter(|&step| step > 0);
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err(format!(
            "'{text}' is no step; steps are whole numbers from 1, or ranges such as 2-5"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_numbers_and_ranges() {
        assert_eq!(steps("3"), Ok(3..=3));
        assert_eq!(steps("2-5"), Ok(2..=5));
        for wrong in ["", "0", "-1", "5-2", "a", "1-", "1-2-3"] {
            assert!(steps(wrong).unwrap_err().contains("from 1"), "{wrong}");
        }
    }
}
