//! The figure: one row of panels a side.

use super::cascade::{Curve, Curves, Pair};
use crate::error::{Failure, Outcome};
use crate::samples::Samples;
use image::{RgbImage, imageops};
use ndarray::Array3;
use plotters::backend::BitMapBackend;
use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, PathElement};
use plotters::series::LineSeries;
use plotters::style::{Color, FontStyle, RGBColor, WHITE, register_font};
use waveloom::wavelets::{Filter, Wavelet};

pub const FONT: &str = "label";
const FONT_FILE: &[u8] = include_bytes!("../../assets/DejaVuSans-subset.ttf");
/// Drawn this many times larger than it will be, then averaged: the backend does not smooth lines.
pub const FINE: u32 = 2;
const PANEL: (u32, u32) = (FINE * 480, FINE * 340);
const TITLE: u32 = FINE * 52;
pub const BLUE: RGBColor = RGBColor(31, 95, 168);
pub const ORANGE: RGBColor = RGBColor(217, 95, 2);
pub const GRID: RGBColor = RGBColor(225, 225, 225);

/// A part of a drawing.
pub type Area<'a> = DrawingArea<BitMapBackend<'a>, Shift>;

/// Draws everything; the result is a colour image, channels first.
pub fn render(wavelet: &Wavelet, curves: &Curves) -> Outcome<Samples> {
    let orthogonal = wavelet.properties().orthogonal;
    let rows = if orthogonal { 1 } else { 2 };
    let size = (3 * PANEL.0, TITLE + rows * PANEL.1);
    painted(size, |root| paint(root, wavelet, curves, orthogonal))
}

/// A drawing of `size` fine pixels (multiples of [`FINE`]), averaged down to the image.
pub fn painted(
    (width, height): (u32, u32),
    paint: impl FnOnce(&Area<'_>) -> Result<(), String>,
) -> Outcome<Samples> {
    register_font(FONT, FontStyle::Normal, FONT_FILE)
        .map_err(|_| Failure::plain("the built-in font cannot be read"))?;
    let mut pixels = vec![0; width as usize * height as usize * 3];
    {
        let root = BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area();
        root.fill(&WHITE).map_err(Failure::plain)?;
        paint(&root).map_err(Failure::plain)?;
        root.present().map_err(Failure::plain)?;
    }
    let drawn = RgbImage::from_raw(width, height, pixels)
        .ok_or_else(|| Failure::plain("the drawing is incomplete"))?;
    let smooth = imageops::thumbnail(&drawn, width / FINE, height / FINE);
    let shape = (smooth.height() as usize, smooth.width() as usize, 3);
    let image = Array3::from_shape_vec(shape, smooth.into_raw()).map_err(Failure::plain)?;
    Ok(Samples::U8(image.permuted_axes([2, 0, 1]).as_standard_layout().into_owned().into_dyn()))
}

fn paint(
    root: &Area<'_>,
    wavelet: &Wavelet,
    curves: &Curves,
    orthogonal: bool,
) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let kind = if orthogonal { "orthogonal" } else { "biorthogonal" };
    let caption = format!("{} ({kind}, length {})", wavelet.name(), wavelet.bank().length());
    let root = root
        .margin(10 * FINE, 0, 0, 0)
        .titled(&caption, (FONT, 24 * FINE))
        .map_err(|e| text(&e))?;
    let bank = wavelet.bank();
    let analysis = Row {
        prefix: if orthogonal { "" } else { "analysis " },
        pair: &curves.analysis,
        filters: [bank.analysis_low(), bank.analysis_high()],
    };
    let synthesis = Row {
        prefix: "synthesis ",
        pair: &curves.synthesis,
        filters: [bank.synthesis_low(), bank.synthesis_high()],
    };
    let rows = if orthogonal { vec![analysis] } else { vec![analysis, synthesis] };
    let panels = root.split_evenly((rows.len(), 3));
    for (row, areas) in rows.iter().zip(panels.chunks_exact(3)) {
        curve(&areas[0], &format!("{}scaling function φ", row.prefix), &row.pair.scaling)?;
        curve(&areas[1], &format!("{}wavelet ψ", row.prefix), &row.pair.wavelet)?;
        filters(
            &areas[2],
            &format!("{}filters: low (blue), high (orange)", row.prefix),
            row.filters,
        )?;
    }
    Ok(())
}

struct Row<'a> {
    prefix: &'static str,
    pair: &'a Pair,
    filters: [&'a Filter; 2],
}

fn curve(area: &Area<'_>, title: &str, curve: &Curve) -> Result<(), String> {
    let end = (curve.values.len() as f64 * curve.step).max(curve.step);
    // One point beyond each end, so that a jump at an end is drawn.
    let inner = curve.values.iter().enumerate().map(|(i, value)| (i as f64 * curve.step, *value));
    let points: Vec<(f64, f64)> = [(-0.05 * end, 0.0), (0.0, 0.0)]
        .into_iter()
        .chain(inner)
        .chain([(end, curve.values.last().copied().unwrap_or(0.0)), (end, 0.0), (1.05 * end, 0.0)])
        .collect();
    let (x, y) = (-0.05 * end..1.05 * end, span(&curve.values));
    let strokes = strokes(&points, &x, &y);
    chart(area, title, x, y, |context| {
        for stroke in &strokes {
            let series = LineSeries::new(stroke.iter().copied(), BLUE.stroke_width(2 * FINE));
            context.draw_series(series).map_err(|error| error.to_string())?;
        }
        Ok(())
    })
}

/// The parts of a line between its sharp turns: the mitre of a wide line at a sharp turn is so long that
/// it would leave the panel.
fn strokes(
    points: &[(f64, f64)],
    x: &std::ops::Range<f64>,
    y: &std::ops::Range<f64>,
) -> Vec<Vec<(f64, f64)>> {
    let scale = [f64::from(PANEL.0) / (x.end - x.start), f64::from(PANEL.1) / (y.end - y.start)];
    let way =
        |from: (f64, f64), to: (f64, f64)| [(to.0 - from.0) * scale[0], (to.1 - from.1) * scale[1]];
    let is_sharp = |[before, at, after]: [(f64, f64); 3]| {
        let ([a, b], [c, d]) = (way(before, at), way(at, after));
        // By more than 120 degrees.
        a * c + b * d < -0.5 * a.hypot(b) * c.hypot(d)
    };
    let mut strokes: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut stroke: Vec<(f64, f64)> = Vec::new();
    for (index, point) in points.iter().enumerate() {
        stroke.push(*point);
        let sharp = index > 0
            && points
                .get(index + 1)
                .is_some_and(|after| is_sharp([points[index - 1], *point, *after]));
        if sharp {
            strokes.push(std::mem::replace(&mut stroke, vec![*point]));
        }
    }
    strokes.push(stroke);
    strokes
}

fn filters(area: &Area<'_>, title: &str, filters: [&Filter; 2]) -> Result<(), String> {
    let values: Vec<f64> = filters.iter().flat_map(|filter| filter.taps().to_vec()).collect();
    let first = filters.iter().map(|filter| filter.first()).min().unwrap_or(0);
    let last = filters.iter().map(|filter| filter.last()).max().unwrap_or(0);
    chart(area, title, f64::from(first) - 0.7..f64::from(last) + 0.7, span(&values), |context| {
        for (filter, colour, shift) in [(filters[0], BLUE, -0.12), (filters[1], ORANGE, 0.12)] {
            let stems = filter.taps().iter().zip(filter.first()..).map(|(tap, position)| {
                let at = f64::from(position) + shift;
                (at, *tap)
            });
            let stems: Vec<(f64, f64)> = stems.collect();
            let lines = stems.iter().map(|(at, tap)| {
                PathElement::new(vec![(*at, 0.0), (*at, *tap)], colour.stroke_width(2 * FINE))
            });
            context.draw_series(lines).map_err(|error| error.to_string())?;
            let dots =
                stems.iter().map(|point| Circle::new(*point, 3 * FINE as i32, colour.filled()));
            context.draw_series(dots).map_err(|error| error.to_string())?;
        }
        Ok(())
    })
}

type Context<'a, 'b> = plotters::chart::ChartContext<
    'a,
    BitMapBackend<'b>,
    plotters::coord::cartesian::Cartesian2d<
        plotters::coord::types::RangedCoordf64,
        plotters::coord::types::RangedCoordf64,
    >,
>;

fn chart<'b>(
    area: &Area<'b>,
    title: &str,
    x: std::ops::Range<f64>,
    y: std::ops::Range<f64>,
    draw: impl FnOnce(&mut Context<'_, 'b>) -> Result<(), String>,
) -> Result<(), String> {
    // Positions and units of time are whole numbers; nothing between them needs a label where there
    // are many.
    let (wide, height) = (x.end - x.start, y.end - y.start);
    let label = |at: &f64| match at.fract() == 0.0 || wide <= 3.0 {
        true => tick(*at, wide),
        false => String::new(),
    };
    let value = |at: &f64| tick(*at, height);
    let zero = vec![(x.start, 0.0), (x.end, 0.0)];
    let mut context = ChartBuilder::on(area)
        .caption(title, (FONT, 17 * FINE))
        .margin(8 * FINE)
        .x_label_area_size(26 * FINE)
        .y_label_area_size(46 * FINE)
        .build_cartesian_2d(x, y)
        .map_err(|error| error.to_string())?;
    context
        .configure_mesh()
        .bold_line_style(GRID.stroke_width(FINE))
        .light_line_style(WHITE)
        .axis_style(RGBColor(60, 60, 60).stroke_width(FINE))
        .label_style((FONT, 13 * FINE))
        .x_labels(7)
        .x_label_formatter(&label)
        .y_labels(7)
        .y_label_formatter(&value)
        .draw()
        .map_err(|error| error.to_string())?;
    let axis = PathElement::new(zero, RGBColor(130, 130, 130).stroke_width(FINE));
    context.draw_series([axis]).map_err(|error| error.to_string())?;
    draw(&mut context)
}

/// The label of a tick on an axis of some length: as many decimals as tell neighbours apart.
fn tick(at: f64, length: f64) -> String {
    // What is left of a difference of ticks is no tick.
    if at.abs() < 1e-6 * length {
        return "0".to_owned();
    }
    if !(1e-4..1e6).contains(&length) {
        return format!("{at:.1e}");
    }
    let decimals = (2.0 - length.log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{at:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A range with some air that holds zero and every value.
fn span(values: &[f64]) -> std::ops::Range<f64> {
    let low = values.iter().copied().fold(0.0, f64::min);
    let high = values.iter().copied().fold(0.0, f64::max);
    let air = if high > low { 0.08 * (high - low) } else { 1.0 };
    low - air..high + air
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::cascade::curves;
    use waveloom::wavelets::definition;

    #[test]
    fn ticks_have_the_decimals_that_they_need() {
        assert_eq!([0.0, 0.2, 1.0].map(|at| tick(at, 1.1)), ["0", "0.2", "1"]);
        assert_eq!([-3000.0, -0.0, 500.0].map(|at| tick(at, 6000.0)), ["-3000", "0", "500"]);
        assert_eq!([0.001, 0.0035].map(|at| tick(at, 0.0043)), ["0.001", "0.0035"]);
        assert_eq!(tick(2.5e80, 1e81), "2.5e80");
        assert_eq!(tick(-1e-17, 0.5), "0");
    }

    #[test]
    fn lines_are_cut_at_sharp_turns_only() {
        let points = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.001, 0.0), (1.002, 1.0), (2.0, 1.0)];
        let strokes = strokes(&points, &(0.0..2.0), &(0.0..1.0));
        assert_eq!(strokes.len(), 2);
        assert_eq!((strokes[0].len(), strokes[1].len()), (4, 3));
        assert_eq!(strokes[0].last(), strokes[1].first());
    }

    #[test]
    fn wild_curves_stay_in_their_panels() {
        // Rotations by angles that do not fit together: ψ is as wild as noise.
        let stages: Vec<String> =
            (0..40).map(|i| format!("{{ degrees = {} }}", i * 7 % 88)).collect();
        let text = format!("[lattice]\nstages = [{}]\nfinal = {{ degrees = 6 }}", stages.join(","));
        let wavelet = definition::parse(&text, "wild").unwrap();
        let image = render(&wavelet, &curves(&wavelet).unwrap()).unwrap();
        let pixels = image.values::<i32>().unwrap();
        let (height, width) = (image.shape()[1], image.shape()[2]);
        let at = |channel: usize, row: usize, column: usize| {
            pixels[(channel * height + row) * width + column]
        };
        // Nothing blue where the title and the captions stand, nor under the axes.
        let margins = (0..(TITLE / FINE) as usize).chain(height - 20..height);
        for row in margins {
            for column in 0..width {
                let blue = at(2, row, column) - at(0, row, column) > 60;
                assert!(!blue, "row {row}, column {column}");
            }
        }
    }
}
