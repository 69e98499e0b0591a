//! GB/s over the size of the array: one panel for each wavelet and operation, one line for each
//! method, and the copy in gray.

use super::figure::{self, BLUE, FINE, FONT, GRID, ORANGE};
use crate::bench::{Findings, Line};
use crate::error::{Failure, Outcome};
use crate::files::{Format, picture};
use plotters::backend::BitMapBackend;
use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::coord::combinators::IntoLogRange;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, Rectangle};
use plotters::series::LineSeries;
use plotters::style::{Color, RGBColor, WHITE};
use std::collections::BTreeMap;
use std::path::Path;

/// Pixels of a panel.
const PANEL: (u32, u32) = (FINE * 560, FINE * 360);
/// More than these no picture can show.
const MOST_PANELS: usize = 48;
const GRAY: RGBColor = RGBColor(150, 150, 150);
const COLOURS: [RGBColor; 8] = [
    BLUE,
    ORANGE,
    RGBColor(27, 120, 55),
    RGBColor(163, 26, 42),
    RGBColor(118, 42, 131),
    RGBColor(140, 100, 20),
    RGBColor(0, 150, 160),
    RGBColor(90, 90, 90),
];

/// Points of every line of a panel: number of values, GB/s.
type Lines = BTreeMap<String, Vec<(f64, f64)>>;

/// Draws what was found into a .png file.
pub fn draw(path: &Path, findings: &[Findings]) -> Outcome<()> {
    let mut panels = panels(findings);
    // A line needs two sizes; if nothing has them, single points are better than nothing.
    if panels.values().any(has_line) {
        panels.retain(|_, lines| has_line(lines));
    }
    if panels.is_empty() || panels.len() > MOST_PANELS {
        let message = format!(
            "draws 1 to {MOST_PANELS} panels (one for each wavelet and operation), this makes {}; --only narrows it",
            panels.len()
        );
        return Err(Failure::of_field(path, "--plot", message));
    }
    let image = figure::painted(size_of(panels.len()), |root| paint(root, &panels))?;
    picture::write(path, Format::Png, &image)
}

fn has_line(lines: &Lines) -> bool {
    lines.values().any(|points| points.len() > 1)
}

/// Columns, width and height.
fn size_of(panels: usize) -> (u32, u32) {
    let columns = panels.clamp(1, 2) as u32;
    let rows = panels.div_ceil(columns as usize) as u32;
    (columns * PANEL.0, rows * PANEL.1)
}

fn panels(findings: &[Findings]) -> BTreeMap<String, Lines> {
    let mut panels: BTreeMap<String, Lines> = BTreeMap::new();
    for found in findings {
        let work = &found.work;
        let size = work.shape.iter().product::<usize>() as f64;
        for line in &found.lines {
            let Line { outcome: Ok(measured), operation, method, .. } = line else { continue };
            let title = format!(
                "{}: {} {}-D {} L{} {} {}",
                work.section,
                work.wavelet,
                work.axes.len(),
                work.mode,
                work.levels,
                work.element.name(),
                operation.name()
            );
            let copy = 2.0 * work.bytes() as f64 / measured.copy_seconds.median / 1e9;
            let lines = panels.entry(title).or_default();
            lines.entry(method.clone()).or_default().push((size, measured.rate(work.bytes())));
            let copies = lines.entry(COPY.to_owned()).or_default();
            if !copies.iter().any(|(known, _)| *known == size) {
                copies.push((size, copy));
            }
        }
    }
    for points in panels.values_mut().flat_map(BTreeMap::values_mut) {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    panels
}

/// Sorts before every method.
const COPY: &str = " copy";

fn paint(
    root: &DrawingArea<BitMapBackend<'_>, Shift>,
    panels: &BTreeMap<String, Lines>,
) -> Result<(), String> {
    let columns = panels.len().clamp(1, 2);
    let areas = root.split_evenly((panels.len().div_ceil(columns), columns));
    for ((title, lines), area) in panels.iter().zip(&areas) {
        panel(area, title, lines).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn panel<'a>(
    area: &DrawingArea<BitMapBackend<'a>, Shift>,
    title: &str,
    lines: &Lines,
) -> Result<(), Box<dyn std::error::Error + 'a>> {
    let points = || lines.values().flatten();
    let (low, high) = points()
        .fold((f64::INFINITY, 1.0_f64), |(low, high), (size, _)| (low.min(*size), high.max(*size)));
    let top = points().fold(0.0_f64, |top, (_, rate)| top.max(*rate)) * 1.05;
    let x = (low / 1.5)..(high * 1.5);
    let mut chart = ChartBuilder::on(area)
        .caption(title, (FONT, 16 * FINE))
        .margin(8 * FINE)
        .x_label_area_size(38 * FINE)
        .y_label_area_size(58 * FINE)
        .right_y_label_area_size(0)
        .build_cartesian_2d(x.log_scale().base(2.0), 0.0..top.max(1e-3))?;
    chart
        .configure_mesh()
        .bold_line_style(GRID.stroke_width(FINE))
        .light_line_style(WHITE)
        .label_style((FONT, 12 * FINE))
        .x_desc("values")
        .y_desc("GB/s, read and written")
        .x_labels(8)
        .x_label_formatter(&|size| format!("2^{:.0}", size.log2()))
        .draw()?;
    let colours = std::iter::once(GRAY).chain(COLOURS.into_iter().cycle());
    for ((name, points), colour) in lines.iter().zip(colours) {
        let style = colour.stroke_width(2 * FINE);
        chart
            .draw_series(LineSeries::new(points.iter().copied(), style))?
            .label(name.trim())
            .legend(move |(x, y)| {
                let half = FINE as i32;
                Rectangle::new([(x, y - half), (x + 16 * half, y + half)], colour.filled())
            });
        let dot = |point: &(f64, f64)| Circle::new(*point, 3 * FINE as i32, colour.filled());
        chart.draw_series(points.iter().map(dot))?;
    }
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.85))
        .border_style(GRID)
        .legend_area_size(22 * FINE)
        .label_font((FONT, 12 * FINE))
        .draw()?;
    Ok(())
}
