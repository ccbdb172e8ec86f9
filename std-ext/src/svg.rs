//! A small SVG writer, shared with the examples that draw. A plotting library would bring dozens of crates for a few
//! pictures.

#![allow(dead_code, reason = "the crate and each example use a part of it")]

use std::fmt::Write;

/// An image: elements appended one by one.
pub(crate) struct Svg {
    text: String,
}

impl Svg {
    /// An empty picture with a white background.
    pub(crate) fn new(width: u32, height: u32) -> Self {
        let mut svg = Self { text: String::new() };
        svg.line(format_args!(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' font-family='sans-serif' \
             font-size='13'>\n<rect width='{width}' height='{height}' fill='white'/>"
        ));
        svg
    }

    /// A path; `style` holds attributes such as `fill='none' stroke='black'`.
    pub(crate) fn path(&mut self, d: &str, style: &str) {
        self.line(format_args!("<path d='{d}' {style}/>"));
    }

    /// Declares a rectangle, for paths with `clip-path='url(#id)'` in their style: what is outside of it is not drawn.
    pub(crate) fn clip(&mut self, id: &str, axes: &Axes) {
        let Axes { left, top, width, height, .. } = axes;
        self.line(format_args!(
            "<clipPath id='{id}'><rect x='{left}' y='{top}' width='{width}' height='{height}'/></clipPath>"
        ));
    }

    /// A rectangle.
    pub(crate) fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), style: &str) {
        self.line(format_args!(
            "<rect x='{x:.2}' y='{y:.2}' width='{width:.2}' height='{height:.2}' {style}/>"
        ));
    }

    /// A filled circle.
    pub(crate) fn circle(&mut self, (x, y): (f64, f64), radius: f64, fill: &str) {
        self.line(format_args!("<circle cx='{x:.2}' cy='{y:.2}' r='{radius}' fill='{fill}'/>"));
    }

    /// Text whose start, middle or end is at a point; `content` may hold `<tspan>`s.
    pub(crate) fn text(&mut self, (x, y): (f64, f64), anchor: &str, content: &str) {
        self.line(format_args!(
            "<text x='{x:.1}' y='{y:.1}' text-anchor='{anchor}'>{content}</text>"
        ));
    }

    /// The finished picture.
    pub(crate) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    fn line(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.text, "{element}");
    }
}

/// Text with the characters escaped that XML reserves.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// A rectangle of the picture that shows a range of numbers in each direction.
pub(crate) struct Axes {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) x: (f64, f64),
    pub(crate) y: (f64, f64),
}

impl Axes {
    /// Where a point is in the picture.
    pub(crate) fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let right = (x - self.x.0) / (self.x.1 - self.x.0);
        let up = (y - self.y.0) / (self.y.1 - self.y.0);
        (self.left + self.width * right, self.top + self.height * (1.0 - up))
    }

    /// The path through some points.
    pub(crate) fn path(&self, points: impl IntoIterator<Item = (f64, f64)>) -> String {
        let mut path = String::new();
        for (x, y) in points {
            let (x, y) = self.at(x, y);
            let command = if path.is_empty() { 'M' } else { 'L' };
            let _ = write!(path, "{command}{x:.2},{y:.2} ");
        }
        path
    }
}
