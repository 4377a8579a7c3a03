//! Shared by the pictures (SVG) of comparisons, studies and traces: colours, fonts, margins, named
//! curves, and the legend.

use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
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
