//! The speeds that we promise ourselves: ratios that no change may fall below, printed after the tables.
//!
//! Floors are for AVX-512 with VPOPCNTDQ, one thread, against the fastest dense library of the same
//! race; AVX2 should reach half of what AVX-512 does. Ratios within one process are steady enough for a person to
//! read, but not for a test to fail.

use std::fmt::Write;

use crate::report::{Line, Shape};

/// What a line is compared with.
#[derive(Clone, Copy, Debug)]
enum Peer {
    Dense,
    Int8,
}

/// A ratio that the best of some kernels should reach at a shape.
struct Floor {
    /// What it is about, in words.
    what: &'static str,
    /// (inputs, features, samples); 0 inputs where packed features are the input.
    shape: (usize, usize, usize),
    /// Any of these: forms of W for `project`.
    kernels: &'static [&'static str],
    /// What they start from: f32 or bits for `project`, trits for `gram`.
    input: &'static str,
    /// Of this sparsity only.
    sparsity: Option<f64>,
    against: Peer,
    /// Times as fast as the peer, with AVX-512.
    least: f64,
    avx2: Avx2,
}

/// What AVX2 should reach.
#[derive(Clone, Copy)]
enum Avx2 {
    /// Half of what AVX-512 reached.
    Half,
    /// Times as fast as the peer.
    Least(f64),
    Nothing,
}

const BATCH: (usize, usize, usize) = (512, 10_000, 512);
const IMAGES: (usize, usize, usize) = (784, 1024, 1024);
const ONE: (usize, usize, usize) = (512, 4096, 1);
const WIDE: (usize, usize, usize) = (0, 16_384, 1024);
const SQUARE: (usize, usize, usize) = (0, 4096, 4096);
const MATVEC: (usize, usize, usize) = (0, 16_384, 16_384);

/// The forms that a stored W can have.
const STORED: &[&str] = &["row-lanes", "index-lists"];
const STRUCTURED: &[&str] = &["structured"];

/// A floor of `project`.
const fn project(
    what: &'static str,
    shape: (usize, usize, usize),
    kernels: &'static [&'static str],
    input: &'static str,
    sparsity: Option<f64>,
    least: f64,
) -> Floor {
    let (against, avx2) = (Peer::Dense, Avx2::Half);
    Floor { what, shape, kernels, input, sparsity, against, least, avx2 }
}

/// A floor of `gram`.
const fn gram(
    what: &'static str,
    shape: (usize, usize, usize),
    kernels: &'static [&'static str],
    against: Peer,
    least: f64,
    avx2: Avx2,
) -> Floor {
    Floor { what, shape, kernels, input: "trits", sparsity: None, against, least, avx2 }
}

const FLOORS: [Floor; 14] = [
    project("batch, no zeros", BATCH, STORED, "f32", Some(0.0), 3.5),
    project("batch, 2/3 zeros", BATCH, STORED, "f32", Some(2.0 / 3.0), 2.5),
    project("batch, 0.9 zeros", BATCH, STORED, "f32", Some(0.9), 5.0),
    project("batch, structured", BATCH, STRUCTURED, "f32", None, 25.0),
    project("batch, packed bits", BATCH, STORED, "bits", Some(0.0), 10.0),
    project("images, structured", IMAGES, STRUCTURED, "f32", None, 14.0),
    project("one sample", ONE, &["row-lanes", "structured"], "f32", None, 25.0),
    gram("Gram, trits", WIDE, &["gram"], Peer::Dense, 5.0, Avx2::Least(2.0)),
    gram("Gram, trits", SQUARE, &["gram"], Peer::Dense, 5.0, Avx2::Least(2.0)),
    gram("Gram, no zeros", WIDE, &["gram-sign"], Peer::Dense, 10.0, Avx2::Least(2.0)),
    gram("Gram, no zeros", SQUARE, &["gram-sign"], Peer::Dense, 10.0, Avx2::Least(2.0)),
    gram("Gram against int8", WIDE, &["gram"], Peer::Int8, 2.5, Avx2::Nothing),
    gram("Gram against int8", SQUARE, &["gram"], Peer::Int8, 2.5, Avx2::Nothing),
    gram("matrix times vector", MATVEC, &["matvec"], Peer::Dense, 1.3, Avx2::Nothing),
];

impl Floor {
    /// The best ratio among the lines that the floor is about.
    fn reached(&self, lines: &[Line], fits: impl Fn(&str) -> bool) -> Option<f64> {
        let (inputs, features, samples) = self.shape;
        let shape = Shape { inputs: (inputs > 0).then_some(inputs), features, samples };
        let about = lines.iter().filter(|line| {
            let sparsity = self.sparsity.is_none() || line.id.sparsity == self.sparsity;
            let own = self.kernels.contains(&line.id.kernel) && line.id.name == "ternion";
            let input = line.id.input == self.input;
            own && input && line.shape == shape && sparsity && fits(&line.id.isa)
        });
        let ratio = |line: &Line| match self.against {
            Peer::Dense => line.ratio_best_dense,
            Peer::Int8 => line.ratio_int8,
        };
        about.filter_map(ratio).max_by(f64::total_cmp)
    }
}

/// Every floor that the lines say something about; empty if there is none.
pub fn table(lines: &[Line]) -> String {
    let mut out = String::new();
    for floor in &FLOORS {
        let Some(reached) = floor.reached(lines, |isa| isa == "avx512popcnt") else { continue };
        if out.is_empty() {
            let head = ["floor", "shape", "asked", "reached", "AVX2 asked", "reached"];
            let [a, b, c, d, e, f] = head;
            writeln!(out, "{a:<22}{b:<16}{c:>8}{d:>9}{e:>12}{f:>9}").expect("a String");
        }
        let (inputs, features, samples) = floor.shape;
        let inputs = if inputs > 0 { format!("{inputs}x") } else { String::new() };
        let shape = format!("{inputs}{features}x{samples}");
        let least = floor.least;
        write!(out, "{:<22}{shape:<16}{least:>8.1}{reached:>9.2}", floor.what).expect("a String");
        let mut short = reached < least;
        let asked = match floor.avx2 {
            Avx2::Half => Some(reached / 2.0),
            Avx2::Least(least) => Some(least),
            Avx2::Nothing => None,
        };
        if let Some((avx2, least)) = floor.reached(lines, |isa| isa == "avx2").zip(asked) {
            short |= avx2 < least;
            write!(out, "{least:>12.1}{avx2:>9.2}").expect("a String");
        }
        writeln!(out, "{}", if short { "  SHORT" } else { "" }).expect("a String");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Id;

    fn line(kernel: &'static str, isa: &str, sparsity: Option<f64>, ratio: f64) -> Line {
        let (inputs, features, samples) = BATCH;
        let id = Id {
            kernel,
            name: "ternion".into(),
            call: "featurize",
            input: if matches!(kernel, "gram" | "matvec") { "trits" } else { "f32" },
            isa: isa.into(),
            sparsity,
            macs: 1.0,
        };
        Line {
            id,
            shape: Shape { inputs: Some(inputs), features, samples },
            seconds: 1.0,
            seconds_min: 1.0,
            spread: 0.0,
            rounds: 3,
            best_dense: Some("quick".into()),
            ratio_best_dense: Some(ratio),
            ratio_rff: None,
            ratio_int8: None,
        }
    }

    #[test]
    fn the_best_line_counts_and_half_of_it_is_asked_of_avx2() {
        let zeros = Some(2.0 / 3.0);
        let mut lines = vec![
            line("row-lanes", "avx512popcnt", zeros, 3.0),
            line("index-lists", "avx512popcnt", zeros, 4.0),
            line("index-lists", "avx512popcnt", Some(0.5), 9.0),
            line("index-lists", "avx2", zeros, 2.1),
        ];
        let text = table(&lines);
        assert!(text.contains("2.5     4.00         2.0     2.10\n"), "{text}");
        assert!(!text.contains("SHORT") && text.lines().count() == 2, "{text}");
        lines[3].ratio_best_dense = Some(1.9);
        assert!(table(&lines).contains("SHORT"));
        lines.truncate(1);
        lines[0].ratio_best_dense = Some(2.4);
        assert!(table(&lines).contains("SHORT"));
    }

    #[test]
    fn int8_and_vectors_have_floors_of_their_own() {
        let mut gram = line("gram", "avx512popcnt", None, 9.0);
        gram.shape = Shape { inputs: None, features: 4096, samples: 4096 };
        gram.ratio_int8 = Some(2.4);
        let text = table(&[gram]);
        assert!(
            text.contains("5.0     9.00\n") && text.contains("2.5     2.40  SHORT\n"),
            "{text}"
        );
        let mut matvec = line("matvec", "avx512popcnt", None, 1.5);
        matvec.shape = Shape { inputs: None, features: 16_384, samples: 16_384 };
        assert!(table(&[matvec]).contains("1.3     1.50\n"));
    }

    #[test]
    fn other_shapes_and_peers_are_left_out() {
        let mut peer = line("structured", "avx512popcnt", None, 99.0);
        peer.id.name = "other".into();
        let mut shape = line("structured", "avx512popcnt", None, 99.0);
        shape.shape.samples += 1;
        assert_eq!(table(&[peer, shape]), "");
    }
}
