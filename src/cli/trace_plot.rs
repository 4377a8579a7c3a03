//! `trace`: the picture of a trace, as an SVG file. Above, what was wrong with every island's solution
//! over the iterations; below, the number of steps that was sought.

use super::trace::{Row, read};
use crate::atomic;
use anyhow::{Context, anyhow};
use plotters::prelude::*;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

const SIZE: (u32, u32) = (760, 560);
/// Height of the upper part.
const UPPER: u32 = 380;
const LABEL: (&str, u32) = ("sans-serif", 17);
/// Told apart by those who see fewer colours (Okabe and Ito).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// Which trace, and where its picture goes.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// A file that `solve --trace` has written
    pub trace: PathBuf,
    /// The picture (SVG)
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

/// Draws a trace.
///
/// # Errors
/// A file that is no trace, or has no rows; a picture that cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let rows = read(&args.trace)?;
    if rows.is_empty() {
        return Err(anyhow!("{}: there is no exchange in this trace", args.trace.display()));
    }
    let svg = draw(&rows).map_err(|e| anyhow!("the picture cannot be drawn: {e}"))?;
    atomic::write(&args.output, svg).context("--output")?;
    Ok(ExitCode::SUCCESS)
}

fn draw(rows: &[Row]) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let (upper, lower) = area.split_vertically(UPPER);
        let last = rows.iter().map(|row| row.iteration).max().unwrap_or(0).max(1);
        let islands = rows.iter().map(|row| row.island).max().unwrap_or(0) + 1;
        let most = rows.iter().map(|row| row.cost).max().unwrap_or(0).max(1);
        let mut chart = ChartBuilder::on(&upper)
            .margin(12)
            .x_label_area_size(30)
            .y_label_area_size(62)
            .build_cartesian_2d(0..last, 0..most)?;
        chart
            .configure_mesh()
            .y_desc("conflicts or waiting transfers")
            .label_style(LABEL)
            .draw()?;
        for island in 0..islands {
            let style = COLOURS[island % COLOURS.len()].stroke_width(1);
            let of_island = rows.iter().filter(|row| row.island == island);
            let points = of_island.map(|row| (row.iteration, row.cost));
            chart
                .draw_series(LineSeries::new(points, style))?
                .label(format!("island {island}"))
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], style));
        }
        chart
            .configure_series_labels()
            .label_font(LABEL)
            .background_style(WHITE.mix(0.8))
            .draw()?;
        let sought = || rows.iter().filter(|row| row.island == 0);
        let steps = sought().map(|row| row.steps_sought).max().unwrap_or(0) + 1;
        let mut chart = ChartBuilder::on(&lower)
            .margin(12)
            .x_label_area_size(46)
            .y_label_area_size(62)
            .build_cartesian_2d(0..last, 0..steps)?;
        chart
            .configure_mesh()
            .x_desc("iterations")
            .y_desc("steps sought")
            .label_style(LABEL)
            .draw()?;
        let points = sought().map(|row| (row.iteration, row.steps_sought));
        chart.draw_series(LineSeries::new(points, BLACK.stroke_width(2)))?;
        area.present()?;
    }
    Ok(svg)
}
