//! What is printed: a table for people, one JSON object per line for programs.

use std::fmt::Write;

use serde::Serialize;

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
    /// 10⁹ multiply–adds per second at the median time.
    pub fn gmacs(&self) -> f64 {
        self.id.macs / self.seconds / 1e9
    }

    /// One JSON object; numbers that are not finite become null.
    ///
    /// # Panics
    ///
    /// Never: strings and numbers are always JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(&Json::from(self)).expect("strings and numbers")
    }
}

/// The fields of a line, in the order in which they are printed.
#[derive(Serialize)]
struct Json<'a> {
    kernel: &'a str,
    name: &'a str,
    call: &'a str,
    input: &'a str,
    isa: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<usize>,
    features: usize,
    samples: usize,
    sparsity: Option<f64>,
    gmacs: f64,
    seconds: f64,
    seconds_min: f64,
    spread: f64,
    rounds: usize,
    best_dense: Option<&'a str>,
    ratio_best_dense: Option<f64>,
    ratio_rff: Option<f64>,
    ratio_int8: Option<f64>,
}

impl<'a> From<&'a Line> for Json<'a> {
    fn from(line: &'a Line) -> Self {
        let Line { id, shape, .. } = line;
        Self {
            kernel: id.kernel,
            name: &id.name,
            call: id.call,
            input: id.input,
            isa: &id.isa,
            inputs: shape.inputs,
            features: shape.features,
            samples: shape.samples,
            sparsity: id.sparsity,
            gmacs: line.gmacs(),
            seconds: line.seconds,
            seconds_min: line.seconds_min,
            spread: line.spread,
            rounds: line.rounds,
            best_dense: line.best_dense.as_deref(),
            ratio_best_dense: line.ratio_best_dense,
            ratio_rff: line.ratio_rff,
            ratio_int8: line.ratio_int8,
        }
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
        "  {:<16}{:<16}{:<10}{:<6}{:<13}{:>6}{:>12}{:>12}{:>8}{:>10}{:>9}{:>9}",
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
            "  {:<16}{:<16}{:<10}{:<6}{:<13}{:>6}{:>12.4}{:>12.4}{:>8.1}{:>10.1}{:>9}{:>9}",
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
            sparsity: (kernel == "planes").then_some(0.5),
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
            contender("planes", "ternion"),
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
            "{\"kernel\":\"planes\",\"name\":\"ternion\",\"call\":\"sgemm\",\"input\":\"f32\",\"isa\":\"auto\",\
             \"inputs\":2,\"features\":3,\"samples\":4,\"sparsity\":0.5,\"gmacs\":4.0,\"seconds\":1.0,\
             \"seconds_min\":1.0,\"spread\":0.0,\"rounds\":3,\"best_dense\":\"quick\",\
             \"ratio_best_dense\":4.0,\"ratio_rff\":5.0,\"ratio_int8\":null}"
        );
    }

    #[test]
    fn a_race_without_peers_has_null_ratios() {
        let shape = Shape { inputs: None, features: 3, samples: 4 };
        let lines = lines(&[contender("planes", "a\"b")], &[of(1.0)], shape);
        let json = lines[0].json();
        assert!(json.contains("\"best_dense\":null,\"ratio_best_dense\":null"), "{json}");
        assert!(!json.contains("inputs") && json.contains("\"name\":\"a\\\"b\""), "{json}");
        assert!(table(&lines).contains("best dense: none"));
    }
}
