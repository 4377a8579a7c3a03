//! Shared by the pictures (SVG) of comparisons, studies and traces: colours, fonts, margins, named
//! curves, and the legend.

use plotters::coord::Shift;
use plotters::coord::combinators::LogCoord;
use plotters::coord::ranged1d::Ranged;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::error::Error;

/// Pixels of a picture of one chart.
pub const SIZE: (u32, u32) = (760, 440);
/// Font of a caption.
pub const CAPTION: (&str, u32) = ("sans-serif", 22);
/// Font of all other text.
pub const LABEL: (&str, u32) = ("sans-serif", 17);
/// The frame of a legend.
pub const FRAME: RGBAColor = RGBAColor(0, 0, 0, 0.3);

/// A result, or the drawing library's error.
pub type Drawn<T = ()> = Result<T, Box<dyn Error>>;
/// A part of a picture.
pub type Area<'p> = DrawingArea<SVGBackend<'p>, Shift>;
/// A chart in it.
pub type Chart<'a, 'p, X, Y> = ChartContext<'a, SVGBackend<'p>, Cartesian2d<X, Y>>;

/// Draws on white; the size is in pixels.
///
/// # Errors
/// The drawing library's.
pub fn picture(size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Drawn) -> Drawn<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE)?;
        draw(&area)?;
        area.present()?;
    }
    Ok(svg)
}

/// A chart with room for its axis labels.
pub fn chart<'a, 'p>(area: &'a Area<'p>) -> ChartBuilder<'a, 'a, SVGBackend<'p>> {
    let mut chart = ChartBuilder::on(area);
    chart.margin(12).x_label_area_size(46).y_label_area_size(62);
    chart
}

/// Draws a curve and adds its name to the legend.
///
/// # Errors
/// The drawing library's.
pub fn curve<'a, 'p: 'a, X: Ranged, Y: Ranged>(
    chart: &mut Chart<'a, 'p, X, Y>,
    name: &str,
    style: ShapeStyle,
    points: impl IntoIterator<Item = (X::ValueType, Y::ValueType)>,
) -> Drawn
where
    (X::ValueType, Y::ValueType): Clone + 'static,
{
    chart
        .draw_series(LineSeries::new(points, style))?
        .label(name)
        .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], style));
    Ok(())
}

/// Draws the legend of the curves so far.
///
/// # Errors
/// The drawing library's.
pub fn names<'a, 'p: 'a, X: Ranged, Y: Ranged>(
    chart: &mut Chart<'a, 'p, X, Y>,
    position: SeriesLabelPosition,
    frame: RGBAColor,
) -> Drawn {
    chart
        .configure_series_labels()
        .label_font(LABEL)
        .position(position)
        .background_style(WHITE.mix(0.8))
        .border_style(frame)
        .draw()?;
    Ok(())
}

/// A chart with a logarithmic x axis and labels of both axes; the y axis ends at `highest`.
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
    let mut chart = chart(area)
        .caption(caption, CAPTION)
        .build_cartesian_2d((range.0..range.1).log_scale(), 0.0..highest)?;
    chart
        .configure_mesh()
        .x_desc(x_means)
        .y_desc(y_means)
        .x_label_formatter(&|x| sparse(*x))
        .y_label_formatter(&|y| short(*y))
        .light_line_style(WHITE)
        .label_style(LABEL)
        .axis_desc_style(LABEL)
        .draw()?;
    Ok(chart)
}

/// A range for a logarithmic axis.
pub fn span(first: f64, last: f64) -> (f64, f64) {
    let last = last.max(1e-6);
    let first = first.clamp(1e-6, last) * 0.8;
    (first, last * 1.1)
}

/// Colours that remain distinct with colour blindness (Okabe and Ito).
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
    COLOURS[index % COLOURS.len()]
}

/// A label of the logarithmic axis; those of 6 to 9 would overlap.
fn sparse(x: f64) -> String {
    let digit = (x / 10f64.powf((x.log10() + 1e-9).floor())).round() as u32;
    if [1, 2, 3, 5].contains(&digit) { short(x) } else { String::new() }
}

/// A label of an axis, short enough for any number.
pub fn short(x: f64) -> String {
    match x {
        x if x >= 1e6 => format!("{} M", (x / 1e4).round() / 1e2),
        x if x >= 1e3 => format!("{} k", (x / 1e1).round() / 1e2),
        x if x >= 1.0 => format!("{}", (x * 1e2).round() / 1e2),
        x => format!("{}", (x * 1e5).round() / 1e5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short_and_sparse() {
        assert_eq!([0.01, 0.05, 1.0, 2e3, 3e6].map(sparse), ["0.01", "0.05", "1", "2 k", "3 M"]);
        assert_eq!([0.04, 0.9, 7.0, 8e4].map(sparse), [""; 4]);
    }
}
