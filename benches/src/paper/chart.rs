//! Charts in the form of the paper's: lines with points, one or two panels side by side.

use svg::{Axes, Svg, escaped};

#[path = "../../../std-ext/src/svg.rs"]
mod svg;

/// Colours that can be told apart.
const COLOURS: [&str; 10] = [
    "#d62728", "#1f77b4", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#17becf", "#7f7f7f",
    "#bcbd22", "#e377c2",
];

/// A line of a panel.
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
}

/// A coordinate system with lines.
pub struct Panel {
    /// What is to the right.
    pub x: &'static str,
    /// What is upwards.
    pub y: &'static str,
    /// Whether the scale to the right is logarithmic.
    pub log: bool,
    /// The lines.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 260.0;
const LEGEND: f64 = 190.0;

/// Draws panels side by side, each with its legend.
pub fn draw(title: &str, panels: &[Panel]) -> String {
    let wide = 70.0 + WIDTH + LEGEND;
    let mut svg = Svg::new((wide * panels.len() as f64) as u32, 360);
    svg.text((12.0, 22.0), "start", &escaped(title));
    for (panel, at) in panels.iter().zip(0..) {
        draw_panel(&mut svg, panel, wide * f64::from(at) + 60.0);
    }
    svg.finish()
}

fn draw_panel(svg: &mut Svg, panel: &Panel, left: f64) {
    let across = |x: f64| if panel.log { x.log10() } else { x };
    let shown = |series: &Series| -> Vec<(f64, f64)> {
        let points = series.points.iter().map(|&(x, y)| (across(x), y));
        points.filter(|(x, y)| x.is_finite() && y.is_finite()).collect()
    };
    let all: Vec<(f64, f64)> = panel.series.iter().flat_map(shown).collect();
    let x = range(all.iter().map(|point| point.0), 0.03);
    let y = range(all.iter().map(|point| point.1), 0.06);
    let axes = Axes { left, top: 44.0, width: WIDTH, height: HEIGHT, x, y };
    let bottom = axes.top + HEIGHT;
    svg.rect((left, axes.top), (WIDTH, HEIGHT), "fill='none' stroke='#888'");
    for tick in ticks(x) {
        let (at, _) = axes.at(tick, y.0);
        let label = if panel.log { number(10f64.powf(tick)) } else { number(tick) };
        svg.rect((at, bottom), (0.5, 5.0), "fill='#888'");
        svg.text((at, bottom + 20.0), "middle", &label);
    }
    for tick in ticks(y) {
        let (_, at) = axes.at(x.0, tick);
        svg.rect((left, at), (WIDTH, 0.5), "fill='#ddd'");
        svg.text((left - 6.0, at + 4.0), "end", &number(tick));
    }
    svg.text((left + WIDTH / 2.0, bottom + 40.0), "middle", &escaped(panel.x));
    svg.text((left, axes.top - 6.0), "start", &escaped(panel.y));
    for (at, (series, colour)) in panel.series.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let points = shown(series);
        let style = format!("fill='none' stroke='{colour}' stroke-width='1.6'");
        svg.path(&axes.path(points.iter().copied()), &style);
        points.iter().for_each(|&(x, y)| svg.circle(axes.at(x, y), 2.4, colour));
        let line = axes.top + 12.0 + 18.0 * at as f64;
        svg.rect((left + WIDTH + 10.0, line - 5.0), (16.0, 3.0), &format!("fill='{colour}'"));
        svg.text((left + WIDTH + 32.0, line), "start", &escaped(&series.name));
    }
}

/// The range of some numbers with a margin.
fn range(numbers: impl Iterator<Item = f64>, margin: f64) -> (f64, f64) {
    let (low, high) = numbers
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    match high - low {
        size if size > 0.0 => (low - margin * size, high + margin * size),
        _ if low.is_finite() => (low - 1.0, low + 1.0),
        _ => (0.0, 1.0),
    }
}

/// About five round numbers in a range.
fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].iter().map(|f| f * power).find(|step| *step >= rough);
    let step = step.unwrap_or(rough);
    let first = (low / step).ceil() as i64;
    (first..).map(|k| k as f64 * step).take_while(|tick| *tick <= high).collect()
}

/// A number without needless digits.
fn number(x: f64) -> String {
    match x.abs() {
        size if size < 1e-12 => "0".into(),
        size if !(1e-3..1e5).contains(&size) => format!("{x:.0e}"),
        size if size >= 100.0 => format!("{x:.0}"),
        _ => {
            let text = format!("{x:.4}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks((0.0, 10.0)), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks((-1.2, 1.1)), [-1.0, -0.5, 0.0, 0.5, 1.0]);
        assert_eq!(
            [0.0, 0.25, 1234.0, 1e6, 2e-5].map(number),
            ["0", "0.25", "1234", "1e6", "2e-5"]
        );
    }

    #[test]
    fn every_line_is_drawn_and_points_that_are_none_are_left_out() {
        let points = vec![(1.0, 0.5), (10.0, f64::NAN), (100.0, 0.7)];
        let series = vec![Series { name: "a < b".into(), points }];
        let picture = draw("t", &[Panel { x: "x", y: "y", log: true, series }]);
        assert_eq!(picture.matches("<circle").count(), 2);
        assert!(picture.contains("a &lt; b") && picture.ends_with("</svg>\n"));
        // An empty panel is a frame.
        assert!(draw("t", &[Panel { x: "", y: "", log: false, series: vec![] }]).contains("rect"));
    }
}
