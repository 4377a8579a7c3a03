//! Shared by the pictures (SVG) of comparisons, studies and traces: colours, fonts, margins, named
//! curves, and the legend below the charts.

use plotters::coord::Shift;
use plotters::coord::combinators::LogCoord;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::cell::RefCell;
use std::error::Error;

/// Pixels of a picture of one chart.
pub const SIZE: (u32, u32) = (760, 440);
/// Font of a caption.
const CAPTION: (&str, u32) = ("sans-serif", 22);
/// Font of all other text.
const LABEL: (&str, u32) = ("sans-serif", 17);
/// Height of a line of the legend, length of a mark in it, and mean width of a character.
const ROW: u32 = 24;
const MARK: i32 = 22;
const CHARACTER: f64 = 9.0;

/// A result, or the drawing library's error.
pub type Drawn<T = ()> = Result<T, Box<dyn Error>>;
/// A part of a picture.
pub type Area<'p> = DrawingArea<SVGBackend<'p>, Shift>;
/// A chart in it.
pub type Chart<'a, 'p, X, Y> = ChartContext<'a, SVGBackend<'p>, Cartesian2d<X, Y>>;

/// The part of a picture that has charts, and the curves that the legend names.
pub struct Sheet<'p> {
    /// Without the legend.
    pub area: Area<'p>,
    curves: RefCell<Vec<(String, ShapeStyle)>>,
}

/// Draws charts of this size in pixels on white, and a legend below them.
///
/// # Errors
/// The drawing library's.
pub fn picture(size: (u32, u32), draw: impl Fn(&Sheet<'_>) -> Drawn) -> Drawn<String> {
    // The height of the legend is known when all curves are.
    let (svg, curves) = drawn(size, &[], &draw)?;
    let lines = folded(curves, size.0);
    Ok(if lines.is_empty() { svg } else { drawn(size, &lines, &draw)?.0 })
}

/// Curves with their names.
type Curves = Vec<(String, ShapeStyle)>;

fn drawn(
    (width, height): (u32, u32),
    legend: &[Curves],
    draw: impl Fn(&Sheet<'_>) -> Drawn,
) -> Drawn<(String, Curves)> {
    let mut svg = String::new();
    let curves = {
        let below = if legend.is_empty() { 0 } else { ROW * legend.len() as u32 + ROW / 3 };
        let whole = SVGBackend::with_string(&mut svg, (width, height + below)).into_drawing_area();
        whole.fill(&WHITE)?;
        let (area, lower) = whole.split_vertically(height);
        let sheet = Sheet { area, curves: RefCell::default() };
        draw(&sheet)?;
        let mut y = 0;
        for line in legend {
            let mut x = MARK;
            for (name, style) in line {
                let middle = y + ROW as i32 / 2;
                let mark = style.stroke_width(style.stroke_width.max(2));
                lower.draw(&PathElement::new(vec![(x, middle), (x + MARK, middle)], mark))?;
                lower.draw(&Text::new(name.clone(), (x + MARK + 6, y + 3), LABEL))?;
                x += entry(name);
            }
            y += ROW as i32;
        }
        whole.present()?;
        sheet.curves.into_inner()
    };
    Ok((svg, curves))
}

/// The width of a name in the legend, with its mark and the space after it.
fn entry(name: &str) -> i32 {
    2 * MARK + 6 + (name.chars().count() as f64 * CHARACTER) as i32
}

/// The curves in lines that fit into the width.
fn folded(curves: Curves, width: u32) -> Vec<Curves> {
    let (mut lines, mut x): (Vec<Curves>, i32) = (Vec::new(), 0);
    for (name, style) in curves {
        if lines.is_empty() || x + entry(&name) > width as i32 {
            lines.push(Vec::new());
            x = MARK;
        }
        x += entry(&name);
        lines.last_mut().expect("a line was added").push((name, style));
    }
    lines
}

/// An axis of a chart.
pub struct Axis<'l, R> {
    range: R,
    title: &'l str,
    label: Option<&'l dyn Fn(&f64) -> String>,
    labels: Option<usize>,
}

impl<'l, R> Axis<'l, R> {
    /// A range, and what its numbers are; the axis of an empty title has none.
    pub fn new(range: R, title: &'l str) -> Self {
        Axis { range, title, label: None, labels: None }
    }

    /// How its numbers are written.
    pub fn written(self, label: &'l dyn Fn(&f64) -> String) -> Self {
        Axis { label: Some(label), ..self }
    }

    /// How many of them, about.
    pub fn labels(self, labels: usize) -> Self {
        Axis { labels: Some(labels), ..self }
    }
}

/// A chart with a caption, unless that is empty, and its axes.
///
/// # Errors
/// The drawing library's.
pub fn chart<'a, 'p, X, Y>(
    area: &Area<'p>,
    caption: &str,
    x: Axis<'_, X>,
    y: Axis<'_, Y>,
) -> Drawn<Chart<'a, 'p, X::CoordDescType, Y::CoordDescType>>
where
    X: AsRangedCoord<Value = f64, CoordDescType: ValueFormatter<f64>>,
    Y: AsRangedCoord<Value = f64, CoordDescType: ValueFormatter<f64>>,
{
    let mut chart = ChartBuilder::on(area);
    let room = if x.title.is_empty() { 30 } else { 46 };
    chart.margin(12).x_label_area_size(room).y_label_area_size(62);
    if !caption.is_empty() {
        chart.caption(caption, CAPTION);
    }
    let mut chart = chart.build_cartesian_2d(x.range, y.range)?;
    let mut mesh = chart.configure_mesh();
    mesh.light_line_style(WHITE).label_style(LABEL).axis_desc_style(LABEL).y_desc(y.title);
    if !x.title.is_empty() {
        mesh.x_desc(x.title);
    }
    x.labels.map(|labels| mesh.x_labels(labels));
    y.labels.map(|labels| mesh.y_labels(labels));
    x.label.map(|label| mesh.x_label_formatter(label));
    y.label.map(|label| mesh.y_label_formatter(label));
    mesh.draw()?;
    drop(mesh);
    Ok(chart)
}

/// Draws a curve and adds its name to the legend.
///
/// # Errors
/// The drawing library's.
pub fn curve<'a, 'p: 'a, X: Ranged, Y: Ranged>(
    sheet: &Sheet<'_>,
    chart: &mut Chart<'a, 'p, X, Y>,
    name: &str,
    style: ShapeStyle,
    points: impl IntoIterator<Item = (X::ValueType, Y::ValueType)>,
) -> Drawn
where
    (X::ValueType, Y::ValueType): Clone + 'static,
{
    chart.draw_series(LineSeries::new(points, style))?;
    sheet.curves.borrow_mut().push((name.to_string(), style));
    Ok(())
}

/// A chart with a logarithmic x axis; the y axis ends at `highest`.
///
/// # Errors
/// The drawing library's.
pub fn logarithmic<'a, 'p>(
    area: &Area<'p>,
    caption: &str,
    [x_means, y_means]: [&str; 2],
    range: (f64, f64),
    highest: f64,
) -> Drawn<Chart<'a, 'p, LogCoord<f64>, RangedCoordf64>> {
    let x = Axis::new((range.0..range.1).log_scale(), x_means).written(&sparse);
    chart(area, caption, x, Axis::new(0.0..highest, y_means).written(&short))
}

/// Fills what lies between two values at each place.
///
/// # Errors
/// The drawing library's.
pub fn band<'a, 'p: 'a, X, Y>(
    chart: &mut Chart<'a, 'p, X, Y>,
    points: impl DoubleEndedIterator<Item = (f64, [f64; 2])> + Clone,
    style: ShapeStyle,
) -> Drawn
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let there = points.clone().map(|(x, [first, _])| (x, first));
    let edge: Vec<(f64, f64)> = there.chain(points.rev().map(|(x, [_, last])| (x, last))).collect();
    chart.draw_series([Polygon::new(edge, style)])?;
    Ok(())
}

/// Draws a curve with a mark at each of its points.
///
/// # Errors
/// The drawing library's.
pub fn marked<'a, 'p: 'a, X, Y>(
    sheet: &Sheet<'_>,
    chart: &mut Chart<'a, 'p, X, Y>,
    (name, colour): (&str, RGBColor),
    points: &[(f64, f64)],
) -> Drawn
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    curve(sheet, chart, name, colour.stroke_width(2), points.iter().copied())?;
    chart.draw_series(points.iter().map(|&at| Circle::new(at, 4, colour.filled())))?;
    Ok(())
}

/// A level for each value, one wide.
pub fn stairs(values: impl Iterator<Item = f64>) -> impl Iterator<Item = (f64, f64)> {
    let level = |(place, value): (usize, f64)| [(place as f64, value), (place as f64 + 1.0, value)];
    values.enumerate().flat_map(level)
}

/// A range for a logarithmic axis.
pub fn span(first: f64, last: f64) -> (f64, f64) {
    let last = last.max(1e-6);
    let first = first.clamp(1e-6, last) * 0.8;
    (first, last * 1.1)
}

/// Colours that remain distinct with colour blindness (Okabe and Ito); after them darker ones of the same
/// hues, then lighter ones.
pub fn colour(index: usize) -> RGBColor {
    const COLOURS: [RGBColor; 7] = [
        RGBColor(0, 114, 178),
        RGBColor(213, 94, 0),
        RGBColor(0, 158, 115),
        RGBColor(204, 121, 167),
        RGBColor(230, 159, 0),
        RGBColor(86, 180, 233),
        RGBColor(60, 60, 60),
    ];
    let RGBColor(r, g, b) = COLOURS[index % COLOURS.len()];
    let shade = |part: u8| match index / COLOURS.len() % 3 {
        0 => part,
        1 => part / 2,
        _ => 255 - (255 - part) / 2,
    };
    RGBColor(shade(r), shade(g), shade(b))
}

/// A label of the logarithmic axis; those of 6 to 9 would overlap.
fn sparse(&x: &f64) -> String {
    let digit = (x / 10f64.powf((x.log10() + 1e-9).floor())).round() as u32;
    if [1, 2, 3, 5].contains(&digit) { short(&x) } else { String::new() }
}

/// A label of an axis, short enough for any number.
pub fn short(&x: &f64) -> String {
    match x {
        x if x >= 1e6 => format!("{} M", (x / 1e4).round() / 1e2),
        x if x >= 1e3 => format!("{} k", (x / 1e1).round() / 1e2),
        x if x >= 1.0 => format!("{}", (x * 1e2).round() / 1e2),
        x => format!("{}", (x * 1e5).round() / 1e5),
    }
}

/// A label without digits after the point.
pub fn whole(x: &f64) -> String {
    format!("{x:.0}")
}

/// A length with its unit, as on the command line.
pub fn length(&bytes: &f64) -> String {
    let units = [(30, "G"), (20, "M"), (10, "K")];
    let unit = units.iter().find(|(power, _)| bytes >= f64::from(1 << power));
    let (bytes, unit) = unit.map_or((bytes, ""), |(p, unit)| (bytes / f64::from(1 << p), unit));
    format!("{}{unit}", (bytes * 100.0).round() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_units() {
        let lengths = [1.0, 512.0, 1024.0, 65536.0, 1_572_864.0, 1_073_741_824.0];
        assert_eq!(lengths.each_ref().map(length), ["1", "512", "1K", "64K", "1.5M", "1G"]);
    }

    #[test]
    fn labels_are_short_and_sparse() {
        assert_eq!(
            [0.01, 0.05, 1.0, 2e3, 3e6].each_ref().map(sparse),
            ["0.01", "0.05", "1", "2 k", "3 M"]
        );
        assert_eq!([0.04, 0.9, 7.0, 8e4].each_ref().map(sparse), [""; 4]);
    }

    #[test]
    fn a_legend_stands_below_the_charts_and_folds() {
        let draw = |curves: usize| {
            picture(SIZE, |sheet| {
                let axis = || Axis::new(0.0..1.0, "");
                let mut chart = chart(&sheet.area, "", axis(), axis())?;
                (0..curves).try_for_each(|i| {
                    let name = format!("configuration number {i}");
                    curve(sheet, &mut chart, &name, colour(i).stroke_width(2), [(0.0, 1.0)])
                })
            })
            .unwrap()
        };
        let height = |svg: &str| -> u32 {
            svg.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        assert_eq!(height(&draw(0)), SIZE.1);
        assert!(height(&draw(2)) > SIZE.1 && draw(2).contains("configuration number 1"));
        assert_eq!(height(&draw(20)) - height(&draw(2)), 9 * ROW);
        assert!((1..21).all(|i| colour(i) != colour(0)));
    }
}
