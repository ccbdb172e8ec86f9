//! The picture of a search: scores against widths and against numbers of features.

use super::setting::{Setting, Trial, Validation};
use super::tuned::Tuned;
use crate::svg::{Axes, Svg, escaped};

/// Colours of the best families, best first.
const COLOURS: [&str; 6] = ["#c0392b", "#2471a3", "#1e8449", "#b9770e", "#7d3c98", "#566573"];

/// The colour of all others.
const OTHERS: &str = "#d5d8dc";

/// A trial that was not refused.
type Point<'a> = (&'a Trial, &'a Validation);

/// The whole picture.
pub(super) fn draw(tuned: &Tuned) -> String {
    let trials = tuned.trials().iter();
    let points: Vec<Point<'_>> =
        trials.filter_map(|trial| Some((trial, trial.validation.as_ref().ok()?))).collect();
    let most = points.iter().map(|(trial, _)| trial.setting.features).max().unwrap_or(0);
    let is_whole = |(trial, _): &Point<'_>| trial.setting.features == most;
    let whole: Vec<Point<'_>> = points.iter().copied().filter(is_whole).collect();
    let families = families(&whole);
    let rows = families.len().min(COLOURS.len()).div_ceil(2);
    let mut svg = Svg::new(960, 420 + 20 * rows as u32);
    draw_widths(&mut svg, tuned, &whole, &families);
    draw_features(&mut svg, tuned, &points);
    for (k, (setting, colour)) in families.iter().zip(COLOURS).enumerate() {
        let (x, y) = (60.0 + 300.0 * (k % 2) as f64, 424.0 + 20.0 * (k / 2) as f64);
        svg.path(&format!("M{x} {y}h22"), &format!("stroke='{colour}' stroke-width='2.4'"));
        svg.text((x + 30.0, y + 4.0), "start", &escaped(&setting.family()));
    }
    svg.finish()
}

/// A setting of each family: those tried on more samples first, then those with better scores.
fn families(points: &[Point<'_>]) -> Vec<Setting> {
    let mut points = points.to_vec();
    points
        .sort_by(|(a, _), (b, _)| b.samples.cmp(&a.samples).then(b.score().total_cmp(&a.score())));
    let mut families: Vec<Setting> = Vec::new();
    for (trial, _) in points {
        if !families.iter().any(|known| known.is_of_family(&trial.setting)) {
            families.push(trial.setting);
        }
    }
    families
}

/// A line for each family and number of samples, strong for the most samples.
fn draw_widths(svg: &mut Svg, tuned: &Tuned, points: &[Point<'_>], families: &[Setting]) {
    // What is far below the best would press everything else together.
    let mut scores: Vec<f64> = points.iter().map(|(_, validation)| validation.score).collect();
    scores.sort_by(f64::total_cmp);
    let floor = scores.get(scores.len() / 4).copied().unwrap_or(0.0);
    let width = |trial: &Trial| trial.setting.width.log2();
    let panel = Panel {
        left: 60.0,
        width: 500.0,
        x: range(points.iter().map(|(trial, _)| width(trial)), 0.5),
        y: range(scores.into_iter().filter(|&score| score >= floor), 0.0),
    };
    let mut sizes: Vec<usize> = points.iter().map(|(trial, _)| trial.samples).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let most = sizes.last().copied().unwrap_or(0);
    let title = match sizes.len() {
        1 => format!("{} on {most} samples", tuned.measure()),
        _ => format!("{} on {most} samples, faint: on fewer", tuned.measure()),
    };
    let axes = panel.frame(svg, &title, "width");
    svg.clip("widths", &axes);
    for step in (panel.x.0.ceil() as i32)..=(panel.x.1.floor() as i32) {
        let label = if step < 0 { format!("1/{}", 1 << -step) } else { format!("{}", 1 << step) };
        panel.tick(svg, &axes, step.into(), &label);
    }
    // The best family is drawn last, on top of the others, and so are the most samples.
    for &samples in &sizes {
        for (k, family) in families.iter().enumerate().rev() {
            let colour = COLOURS.get(k).copied().unwrap_or(OTHERS);
            let is_of = |(trial, _): &&Point<'_>| {
                trial.samples == samples && trial.setting.is_of_family(family)
            };
            let of_family = points.iter().filter(is_of);
            let mut line: Vec<(f64, f64)> =
                of_family.map(|(trial, validation)| (width(trial), validation.score)).collect();
            line.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (stroke, opacity) = if samples == most { (2.4, 1.0) } else { (1.2, 0.4) };
            let style = format!(
                "fill='none' stroke='{colour}' stroke-width='{stroke}' stroke-opacity='{opacity}' \
                 clip-path='url(#widths)'"
            );
            svg.path(&axes.path(line.iter().copied()), &style);
            for &(x, y) in line.iter().filter(|(_, y)| samples == most && *y >= panel.y.0) {
                svg.circle(axes.at(x, y), 3.2, colour);
            }
        }
    }
    let best = tuned.setting();
    if points.iter().any(|(trial, _)| trial.setting == *best) {
        ring(svg, axes.at(best.width.log2(), tuned.score()));
    }
}

/// The chosen family and width with other numbers of features.
fn draw_features(svg: &mut Svg, tuned: &Tuned, points: &[Point<'_>]) {
    let best = tuned.setting();
    let most = points.iter().map(|(trial, _)| trial.samples).max().unwrap_or(0);
    let mut line: Vec<(f64, &Validation)> = points
        .iter()
        .filter(|(trial, _)| {
            let setting = &trial.setting;
            trial.samples == most && setting.is_of_family(best) && setting.width == best.width
        })
        .map(|(trial, validation)| ((trial.setting.features as f64).log2(), *validation))
        .collect();
    line.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ends = |v: &Validation| [v.score - v.standard_error, v.score + v.standard_error];
    let panel = Panel {
        left: 640.0,
        width: 290.0,
        x: range(line.iter().map(|(x, _)| *x), 0.5),
        y: range(line.iter().flat_map(|(_, v)| ends(v)).chain(tuned.reach), 0.0),
    };
    let title = match tuned.is_class {
        true => "accuracy ± standard error".into(),
        false => tuned.measure().to_owned(),
    };
    let axes = panel.frame(svg, &title, "features");
    for step in (panel.x.0.ceil() as i32)..=(panel.x.1.floor() as i32) {
        panel.tick(svg, &axes, step.into(), &format!("{}", 1_u64 << step.max(0)));
    }
    if let Some(score) = tuned.reach {
        let path = axes.path([(panel.x.0, score), (panel.x.1, score)]);
        svg.path(&path, "stroke='#888' stroke-dasharray='5 4'");
    }
    let colour = COLOURS[0];
    for &(x, validation) in &line {
        let path = axes.path(ends(validation).map(|score| (x, score)));
        svg.path(&path, &format!("stroke='{colour}' stroke-opacity='0.5'"));
        svg.circle(axes.at(x, validation.score), 3.2, colour);
    }
    let path = axes.path(line.iter().map(|(x, validation)| (*x, validation.score)));
    svg.path(&path, &format!("fill='none' stroke='{colour}' stroke-width='2.4'"));
    ring(svg, axes.at((best.features as f64).log2(), tuned.score()));
}

/// Marks what was chosen.
fn ring(svg: &mut Svg, (x, y): (f64, f64)) {
    let path = format!("M{:.2} {y:.2}a7 7 0 1 0 14 0a7 7 0 1 0 -14 0", x - 7.0);
    svg.path(&path, "fill='none' stroke='black' stroke-width='1.6'");
}

/// A rectangle with scores on its vertical axis and powers of two on the other.
struct Panel {
    left: f64,
    width: f64,
    x: (f64, f64),
    y: (f64, f64),
}

impl Panel {
    const TOP: f64 = 46.0;
    const HEIGHT: f64 = 310.0;

    /// Draws the titles, the lines of the scores, and the frame.
    fn frame(&self, svg: &mut Svg, title: &str, below: &str) -> Axes {
        let &Self { left, width, x, y } = self;
        let axes = Axes { left, top: Self::TOP, width, height: Self::HEIGHT, x, y };
        svg.text((left + width / 2.0, Self::TOP - 16.0), "middle", title);
        svg.text((left + width / 2.0, Self::TOP + Self::HEIGHT + 38.0), "middle", below);
        let step = round_step((y.1 - y.0) / 6.0);
        let digits = (-step.log10().floor()).max(0.0) as usize;
        for k in (y.0 / step).ceil() as i64..=(y.1 / step).floor() as i64 {
            let score = k as f64 * step;
            svg.path(&axes.path([(x.0, score), (x.1, score)]), "stroke='#e5e7e9'");
            let (left, up) = axes.at(x.0, score);
            svg.text((left - 7.0, up + 4.5), "end", &format!("{score:.digits$}"));
        }
        svg.path(&axes.path([(x.0, y.1), (x.0, y.0), (x.1, y.0)]), "fill='none' stroke='black'");
        axes
    }

    /// Labels a place on the horizontal axis.
    fn tick(&self, svg: &mut Svg, axes: &Axes, x: f64, label: &str) {
        let (right, down) = axes.at(x, self.y.0);
        svg.path(&format!("M{right:.2} {down:.2}v5"), "stroke='black'");
        svg.text((right, down + 19.0), "middle", label);
    }
}

/// The range of some numbers with a margin, of a twentieth at least; that of one number is not empty.
fn range(numbers: impl Iterator<Item = f64>, margin: f64) -> (f64, f64) {
    let (low, high) =
        numbers.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
    let margin = margin.max((high - low) / 20.0);
    match low < high {
        true => (low - margin, high + margin),
        false if low == high => (low - margin.max(0.01), low + margin.max(0.01)),
        false => (0.0, 1.0),
    }
}

/// The next larger of 1, 2 and 5 times a power of ten.
fn round_step(step: f64) -> f64 {
    let unit = 10_f64.powf(step.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * unit);
    steps.into_iter().find(|&round| round >= step).unwrap_or(step)
}
