//! Pictures of a reproduction (SVG): the printed times beside those of `auto`, and the success rates of
//! the engines of the papers with their intervals beside the printed ones.

use super::printed::Setup;
use super::report::Row;
use crate::compare::Budget;
use crate::compare::plots::{RunTimes, curves};
use crate::pictures::{Axis, Drawn, SIZE, chart, colour, curve, picture, short, stairs};
use indexmap::IndexMap;
use plotters::prelude::*;
use quick_xml::escape::escape;

/// Pictures as many beside each other as fit; they are drawn on white.
const FIGURES: &str = "main { grid-template-columns: repeat(auto-fill, minmax(min(100%, 440px), 1fr)); }
figure { margin: 0; }
figure img { display: block; width: 100%; max-height: 70vh; object-fit: contain; background: #fff; border-radius: 6px; }
figcaption { margin-top: 8px; color: var(--soft); overflow-wrap: anywhere; }
";
/// A time below this many seconds is drawn here.
const LEAST_SECONDS: f64 = 0.001;

/// The times of the cells for which a paper gives one, longest first; none without such cells.
///
/// # Errors
/// The drawing library's.
pub fn times(rows: &[Row]) -> Drawn<Option<String>> {
    let both = |row: &Row| Some((row.paper_seconds?, row.seconds?.max(LEAST_SECONDS)));
    let mut cells: Vec<(f64, f64)> = rows.iter().filter_map(both).collect();
    if cells.is_empty() {
        return Ok(None);
    }
    cells.sort_by(|a, b| b.0.total_cmp(&a.0));
    let longest = cells.iter().map(|(paper, ours)| paper.max(*ours)).fold(1.0, f64::max);
    picture(SIZE, |sheet| {
        let seconds = (LEAST_SECONDS..longest * 2.0).log_scale();
        let x = Axis::new(0.0..cells.len() as f64, "cells, longest in print first").written(&short);
        let y = Axis::new(seconds, "seconds (auto: CPU)").written(&short);
        let mut chart = chart(&sheet.area, "Time of a cell: print and auto", x, y)?;
        let of = |time: fn(&(f64, f64)) -> f64| stairs(cells.iter().map(time));
        curve(sheet, &mut chart, "print", colour(1).stroke_width(2), of(|cell| cell.0))?;
        curve(sheet, &mut chart, "auto", colour(0).stroke_width(2), of(|cell| cell.1))?;
        Ok(())
    })
    .map(Some)
}

/// The success rates of the cells for which a paper gives one; none without such runs.
///
/// # Errors
/// The drawing library's.
pub fn rates(rows: &[Row]) -> Drawn<Option<String>> {
    let of = |row: &Row| Some((f64::from(row.paper_rate?), row.rate()?, share(row)));
    let mut cells: Vec<(f64, (f64, f64), f64)> =
        rows.iter().filter(|row| row.verdict.is_some()).filter_map(of).collect();
    if cells.is_empty() {
        return Ok(None);
    }
    cells.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.2.total_cmp(&a.2)));
    picture(SIZE, |sheet| {
        let title = "cells, highest rate in print first";
        let x = Axis::new(0.0..cells.len() as f64, title).written(&short);
        let y = Axis::new(0.0..105.0, "successful runs, %").written(&short);
        let caption = "Success rates of the engines of the papers";
        let mut chart = chart(&sheet.area, caption, x, y)?;
        let bars = (0..).zip(&cells).map(|(place, (_, (low, high), _))| {
            let at = f64::from(place);
            Rectangle::new([(at + 0.15, *low), (at + 0.85, *high)], colour(5).mix(0.5).filled())
        });
        chart.draw_series(bars)?;
        let printed = stairs(cells.iter().map(|cell| cell.0));
        curve(sheet, &mut chart, "print", colour(1).stroke_width(2), printed)?;
        let ours = stairs(cells.iter().map(|cell| cell.2));
        curve(sheet, &mut chart, "ours, with 95 % interval", colour(0).stroke_width(2), ours)?;
        Ok(())
    })
    .map(Some)
}

/// The run-time distributions of an experiment whose rows are runs, by the name of the picture.
///
/// # Errors
/// The drawing library's.
pub fn times_to_target(
    setups: &[Setup],
    id: &str,
    rows: &[Row],
    cpu_limit: f64,
) -> Drawn<Vec<(String, String)>> {
    let mut pictures: IndexMap<&str, Vec<RunTimes>> = IndexMap::new();
    for setup in setups.iter().filter(|setup| setup.id == id) {
        let Some(row) = rows.iter().find(|row| row.key() == (id, &setup.row)) else { continue };
        for picture in setup.pictures() {
            let name = setup.row.trim_start_matches(picture).trim_start_matches(", ");
            let name = if name.is_empty() { &setup.row } else { name };
            let (name, runs) = (name.to_string(), row.runs as usize);
            let times = RunTimes { name, reached: row.times(), runs };
            pictures.entry(picture).or_default().push(times);
        }
    }
    let draw = |(picture, groups): (&str, Vec<RunTimes>)| {
        let budget = Budget::CpuSeconds(cpu_limit);
        Ok((picture.to_string(), curves(picture, &groups, budget)?))
    };
    pictures.into_iter().map(draw).collect()
}

/// A page in the given style, with the totals of the rows and with pictures by file name and caption.
pub fn index(style: &str, totals: &[String], pictures: &[(String, String)]) -> String {
    let figure = |(file, caption): &(String, String)| {
        let caption = escape(caption);
        format!(
            "<figure class=\"card\"><a href=\"{file}\"><img src=\"{file}\" alt=\"{caption}\"></a>\
             <figcaption>{caption}</figcaption></figure>\n"
        )
    };
    let figures: String = pictures.iter().map(figure).collect();
    let title = "The papers' tables and figures, reproduced";
    let totals = totals.join("<br>\n");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Reproduction</title>\n\
         <style>{style}{FIGURES}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n\
         <p id=\"verdict\">{totals}</p>\n</header>\n<main>\n{figures}</main>\n</body>\n</html>\n"
    )
}

/// Successful runs, per cent.
fn share(row: &Row) -> f64 {
    100.0 * f64::from(row.reached) / f64::from(row.runs.max(1))
}

#[cfg(test)]
mod tests {
    use super::super::printed::Printed;
    use super::super::report::Verdict;
    use super::*;

    #[test]
    fn pictures_have_their_cells() {
        let row = Row {
            paper_seconds: Some(100.0),
            seconds: Some(0.5),
            paper_rate: Some(80),
            runs: 10,
            reached: 7,
            verdict: Some(Verdict::Equal),
            ..Row::default()
        };
        let rows = vec![row.clone(), row];
        let times = times(&rows).unwrap().unwrap();
        assert!(times.starts_with("<svg") && times.contains("print") && times.contains("auto"));
        assert!(rates(&rows).unwrap().unwrap().contains("95 %"));
        assert!(super::times(&[]).unwrap().is_none() && super::rates(&[]).unwrap().is_none());
        let setups = Printed::all().unwrap().setups;
        let one = setups.iter().find(|setup| setup.id == "card-compare").unwrap();
        let mut of_runs =
            Row { experiment: one.id.clone(), row: one.row.clone(), ..Row::default() };
        of_runs.add_runs(3, &[0.25, 0.5]);
        assert_eq!((of_runs.reached, of_runs.run_seconds), (2, Some(0.375)));
        let curves = times_to_target(&setups, &one.id, &[of_runs], 1.0).unwrap();
        let [(name, svg)] = &curves[..] else { panic!("{} pictures", curves.len()) };
        assert!(one.row.starts_with(name) && svg.contains("HGSA on 8 islands"), "{name}");
        let page = index("", &["2 rows".into()], &[("times.svg".into(), "Times < 1".into())]);
        assert!(page.contains("src=\"times.svg\"") && page.ends_with("</html>\n"));
        assert!(page.contains("Times &lt; 1") && page.contains("2 rows"));
    }
}
