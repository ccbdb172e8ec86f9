//! What a periodic σ costs: its time beside that of two thresholds, for every form, input and ISA of a race.

use std::fmt::Write;

use crate::ours::SIGMAS;
use crate::report::Line;

/// The least speed of a periodic σ, in that of two thresholds.
const LEAST: f64 = 0.9;

/// The slowest and the median of all pairs, and those below the floor; empty if there is no pair.
pub fn table(lines: &[Line]) -> String {
    let [two, periodic] = SIGMAS;
    let is_pair = |a: &Line, b: &Line| {
        let (a_id, b_id) = (&a.id, &b.id);
        a.shape == b.shape
            && (a_id.kernel, a_id.input, &a_id.isa) == (b_id.kernel, b_id.input, &b_id.isa)
            && a_id.sparsity == b_id.sparsity
    };
    let mut pairs: Vec<(f64, &Line)> = lines
        .iter()
        .filter(|line| line.id.call == periodic)
        .filter_map(|line| {
            let other = lines.iter().find(|other| other.id.call == two && is_pair(line, other))?;
            Some((other.seconds_min / line.seconds_min, line))
        })
        .collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(first), Some(middle)) = (pairs.first(), pairs.get(pairs.len() / 2)) else {
        return String::new();
    };
    let mut out = format!(
        "periodic σ in times of two thresholds: {:.2} at least, {:.2} in the middle of {} pairs; asked {LEAST}\n",
        first.0,
        middle.0,
        pairs.len()
    );
    for (ratio, Line { id, shape, .. }) in pairs.iter().take_while(|(ratio, _)| *ratio < LEAST) {
        let inputs = shape.inputs.unwrap_or(0);
        writeln!(out, "{ratio:.2}  {id}  {inputs}x{}x{}  SHORT", shape.features, shape.samples)
            .expect("a String");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Id;
    use crate::report::Shape;

    fn line(call: &'static str, isa: &str, seconds_min: f64) -> Line {
        let id = Id {
            kernel: "structured",
            name: "ternion".into(),
            call,
            input: "f32",
            isa: isa.into(),
            sparsity: None,
            macs: 1.0,
        };
        let shape = Shape { inputs: Some(8), features: 64, samples: 4 };
        Line {
            id,
            shape,
            seconds: 1.0,
            seconds_min,
            spread: 0.0,
            rounds: 3,
            best_dense: None,
            ratio_best_dense: None,
            ratio_rff: None,
            ratio_int8: None,
        }
    }

    #[test]
    fn only_pairs_of_the_same_kernel_are_compared() {
        let [two, periodic] = SIGMAS;
        let alone = [line(two, "avx2", 1.0), line(periodic, "scalar", 9.0)];
        assert_eq!(table(&alone), "");
        let lines = [
            line(two, "avx2", 1.0),
            line(periodic, "avx2", 2.0),
            line(two, "scalar", 1.0),
            line(periodic, "scalar", 1.0),
        ];
        let text = table(&lines);
        assert!(text.contains("0.50 at least, 1.00 in the middle of 2"), "{text}");
        assert_eq!(text.matches("SHORT").count(), 1, "{text}");
    }
}
