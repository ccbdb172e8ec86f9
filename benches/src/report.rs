//! What is printed: a table for people, one JSON object a line for programs.

use std::fmt::Write;

use crate::harness::{Contender, Id, Timing};

/// The three sizes of a task; `inputs` is absent where packed features are the input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Numbers per sample.
    pub inputs: Option<usize>,
    /// Random features.
    pub features: usize,
    /// Samples.
    pub samples: usize,
}

/// One contender's line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it is.
    pub id: Id,
    /// The sizes.
    pub shape: Shape,
    /// Median seconds per run.
    pub seconds: f64,
    /// Shortest seconds per run.
    pub seconds_min: f64,
    /// Median absolute deviation over the median.
    pub spread: f64,
    /// Rounds measured.
    pub rounds: usize,
    /// Name of the fastest dense peer of the same race.
    pub best_dense: Option<String>,
    /// Times faster than it.
    pub ratio_best_dense: Option<f64>,
    /// Times faster than the fastest random Fourier features.
    pub ratio_rff: Option<f64>,
    /// Times faster than the fastest int8 GEMM.
    pub ratio_int8: Option<f64>,
}

/// The lines of one race, in the order of the contenders.
pub fn lines(contenders: &[Contender], timings: &[Timing], shape: Shape) -> Vec<Line> {
    let ids: Vec<&Id> = contenders.iter().map(|c| &c.id).collect();
    let fastest = |kernel: &str| {
        let of_kernel = ids.iter().zip(timings).filter(|(id, _)| id.kernel == kernel);
        of_kernel.min_by(|a, b| a.1.min().total_cmp(&b.1.min()))
    };
    let (dense, rff, int8) = (fastest("dense"), fastest("rff"), fastest("int8"));
    ids.iter()
        .zip(timings)
        .map(|(id, timing)| Line {
            id: (*id).clone(),
            shape,
            seconds: timing.median(),
            seconds_min: timing.min(),
            spread: timing.spread(),
            rounds: timing.seconds.len(),
            best_dense: dense.map(|(id, _)| id.name.clone()),
            ratio_best_dense: dense.map(|(_, best)| timing.ratio(best)),
            ratio_rff: rff.map(|(_, best)| timing.ratio(best)),
            ratio_int8: int8.map(|(_, best)| timing.ratio(best)),
        })
        .collect()
}

impl Line {
    /// 10⁹ multiply–adds a second at the median time.
    pub fn gmacs(&self) -> f64 {
        self.id.macs / self.seconds / 1e9
    }

    /// One JSON object.
    pub fn json(&self) -> String {
        let mut out = String::from("{");
        text(&mut out, "kernel", Some(self.id.kernel));
        text(&mut out, "name", Some(&self.id.name));
        text(&mut out, "call", Some(self.id.call));
        text(&mut out, "input", Some(self.id.input));
        text(&mut out, "isa", Some(&self.id.isa));
        if let Some(inputs) = self.shape.inputs {
            field(&mut out, "inputs", &inputs.to_string());
        }
        field(&mut out, "features", &self.shape.features.to_string());
        field(&mut out, "samples", &self.shape.samples.to_string());
        number(&mut out, "sparsity", self.id.sparsity);
        number(&mut out, "gmacs", Some(self.gmacs()));
        number(&mut out, "seconds", Some(self.seconds));
        number(&mut out, "seconds_min", Some(self.seconds_min));
        number(&mut out, "spread", Some(self.spread));
        field(&mut out, "rounds", &self.rounds.to_string());
        text(&mut out, "best_dense", self.best_dense.as_deref());
        number(&mut out, "ratio_best_dense", self.ratio_best_dense);
        if self.shape.inputs.is_some() {
            number(&mut out, "ratio_rff", self.ratio_rff);
        } else {
            number(&mut out, "ratio_int8", self.ratio_int8);
        }
        out.push('}');
        out
    }
}

fn field(out: &mut String, key: &str, value: &str) {
    let comma = if out.len() > 1 { "," } else { "" };
    write!(out, "{comma}\"{key}\":{value}").expect("a String takes everything");
}

fn text(out: &mut String, key: &str, value: Option<&str>) {
    // Kernel, library and ISA names are plain words: quotes and backslashes are all JSON could mind.
    match value {
        Some(value) => {
            let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
            field(out, key, &format!("\"{escaped}\""));
        }
        None => field(out, key, "null"),
    }
}

fn number(out: &mut String, key: &str, value: Option<f64>) {
    match value {
        // Six digits are more than any timing has; `{:e}` is valid JSON.
        Some(value) if value.is_finite() => field(out, key, &format!("{value:.5e}")),
        _ => field(out, key, "null"),
    }
}

/// A title and a line per contender.
pub fn table(lines: &[Line]) -> String {
    let mut out = String::new();
    let Some(first) = lines.first() else {
        return out;
    };
    let Shape { inputs, features, samples } = first.shape;
    let (what, other) = match inputs {
        Some(inputs) => (format!("inputs {inputs}, features {features}, samples {samples}"), "rff"),
        None => (format!("features {features}, samples {samples}"), "int8"),
    };
    let best = first.best_dense.as_deref().unwrap_or("none");
    writeln!(out, "{what} (best dense: {best}, {} rounds)", first.rounds).expect("a String");
    writeln!(
        out,
        "  {:<13}{:<16}{:<10}{:<6}{:<13}{:>6}{:>12}{:>12}{:>8}{:>10}{:>9}{:>9}",
        "kernel",
        "name",
        "call",
        "input",
        "isa",
        "ε",
        "median ms",
        "min ms",
        "±%",
        "GMAC/s",
        "×dense",
        format!("×{other}"),
    )
    .expect("a String");
    for line in lines {
        let second = if inputs.is_some() { line.ratio_rff } else { line.ratio_int8 };
        let or_dash = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.2}"));
        writeln!(
            out,
            "  {:<13}{:<16}{:<10}{:<6}{:<13}{:>6}{:>12.4}{:>12.4}{:>8.1}{:>10.1}{:>9}{:>9}",
            line.id.kernel,
            line.id.name,
            line.id.call,
            line.id.input,
            line.id.isa,
            or_dash(line.id.sparsity),
            line.seconds * 1e3,
            line.seconds_min * 1e3,
            line.spread * 100.0,
            line.gmacs(),
            or_dash(line.ratio_best_dense),
            or_dash(second),
        )
        .expect("a String");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contender(kernel: &'static str, name: &str) -> Contender<'static> {
        let id = Id {
            kernel,
            name: name.into(),
            call: "sgemm",
            input: "f32",
            isa: "auto".into(),
            sparsity: (kernel == "table").then_some(0.5),
            macs: 4e9,
        };
        Contender::new(id, (), |()| (), |()| Ok(()))
    }

    fn of(seconds: f64) -> Timing {
        Timing { seconds: vec![seconds; 3] }
    }

    #[test]
    fn ratios_refer_to_the_fastest_peer_of_each_kind() {
        let contenders = [
            contender("dense", "slow"),
            contender("dense", "quick"),
            contender("rff", "quick"),
            contender("table", "ternion"),
        ];
        let timings = [of(6.0), of(4.0), of(5.0), of(1.0)];
        let shape = Shape { inputs: Some(2), features: 3, samples: 4 };
        let lines = lines(&contenders, &timings, shape);
        assert_eq!(lines[3].best_dense.as_deref(), Some("quick"));
        assert_eq!(lines[3].ratio_best_dense, Some(4.0));
        assert_eq!(lines[3].ratio_rff, Some(5.0));
        assert_eq!(lines[1].ratio_best_dense, Some(1.0));
        assert_eq!(
            lines[3].json(),
            "{\"kernel\":\"table\",\"name\":\"ternion\",\"call\":\"sgemm\",\"input\":\"f32\",\"isa\":\"auto\",\"inputs\":2,\
             \"features\":3,\"samples\":4,\"sparsity\":5.00000e-1,\"gmacs\":4.00000e0,\"seconds\":1.00000e0,\
             \"seconds_min\":1.00000e0,\"spread\":0.00000e0,\"rounds\":3,\"best_dense\":\"quick\",\
             \"ratio_best_dense\":4.00000e0,\"ratio_rff\":5.00000e0}"
        );
    }

    #[test]
    fn a_race_without_peers_has_null_ratios() {
        let shape = Shape { inputs: None, features: 3, samples: 4 };
        let lines = lines(&[contender("table", "a\"b")], &[of(1.0)], shape);
        let json = lines[0].json();
        assert!(
            json.contains("\"best_dense\":null,\"ratio_best_dense\":null,\"ratio_int8\":null}"),
            "{json}"
        );
        assert!(json.contains("\"name\":\"a\\\"b\""), "{json}");
        assert!(table(&lines).contains("best dense: none"));
    }
}
