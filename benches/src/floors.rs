//! The speeds that we promise ourselves: ratios that no change may fall below, printed after the tables.
//!
//! Floors are for one thread, against the fastest dense library of the same race; those of whole jobs
//! against random Fourier features. There is a column for AVX-512 by
//! Intel and one for AVX-512 by AMD (Zen 4), where AVX2 should reach half of what AVX-512 does. A CPU that has AVX2
//! only is held to half of Intel's column: that much AVX2 reaches beside AVX-512, against a dense product that is as
//! much slower. Ratios within one process are steady enough for a person to read, but not for a test to fail.

use std::fmt::Write;

use crate::cpu::{Class, Cpu};
use crate::report::{Line, Shape};

/// What a line is compared with.
#[derive(Clone, Copy, Debug)]
enum Peer {
    Dense,
    Int8,
    Fourier,
}

/// A ratio that the best of some kernels should reach at a shape.
struct Floor {
    /// What it is about, in words.
    what: &'static str,
    /// (inputs, features, samples); 0 inputs where packed features are the input.
    shape: (usize, usize, usize),
    /// Any of these: forms of W for `project` and, in a name, for `job`.
    kernels: &'static [&'static str],
    /// What they start from: f32 or bits for `project`, trits for `gram`.
    input: &'static str,
    /// Of this sparsity only.
    sparsity: Option<f64>,
    against: Peer,
    avx512: Avx512,
    avx2: Avx2,
}

/// What AVX-512 should reach: times as fast as the peer.
#[derive(Clone, Copy)]
struct Avx512 {
    intel: f64,
    amd: f64,
}

/// What AVX2 should reach.
#[derive(Clone, Copy)]
enum Avx2 {
    /// Half of what AVX-512 reached, or of Intel's column where there is no AVX-512.
    Half,
    /// Times as fast as the peer.
    Least(f64),
    Nothing,
}

const BATCH: (usize, usize, usize) = (512, 10_000, 512);
const IMAGES: (usize, usize, usize) = (784, 1024, 1024);
const MORE_IMAGES: (usize, usize, usize) = (784, 4096, 1024);
const TABLE: (usize, usize, usize) = (54, 10_000, 4096);
const ONE: (usize, usize, usize) = (512, 4096, 1);
const WIDE: (usize, usize, usize) = (0, 16_384, 1024);
const SQUARE: (usize, usize, usize) = (0, 4096, 4096);
const MOMENTS: (usize, usize, usize) = (0, 4096, 60_000);
const MATVEC: (usize, usize, usize) = (0, 16_384, 16_384);
const LEARN: (usize, usize, usize) = (0, crate::learn::SHAPE.0, crate::learn::SHAPE.1);
const JOB: (usize, usize, usize) = crate::job::SHAPE;

/// The forms that a stored W can have.
const STORED: &[&str] = &["row-lanes", "index-lists"];
const STRUCTURED: &[&str] = &["structured"];
const BOXES: &[&str] = &["boxes"];

/// A floor of `project`.
const fn project(
    what: &'static str,
    shape: (usize, usize, usize),
    kernels: &'static [&'static str],
    input: &'static str,
    sparsity: Option<f64>,
    [intel, amd]: [f64; 2],
) -> Floor {
    let (against, avx512, avx2) = (Peer::Dense, Avx512 { intel, amd }, Avx2::Half);
    Floor { what, shape, kernels, input, sparsity, against, avx512, avx2 }
}

/// A floor of `gram` or `learn`.
const fn gram(
    what: &'static str,
    shape: (usize, usize, usize),
    kernels: &'static [&'static str],
    against: Peer,
    [intel, amd]: [f64; 2],
    avx2: Avx2,
) -> Floor {
    let avx512 = Avx512 { intel, amd };
    Floor { what, shape, kernels, input: "trits", sparsity: None, against, avx512, avx2 }
}

/// A floor of `job`.
const fn job(what: &'static str, kernels: &'static [&'static str], both: f64) -> Floor {
    let (against, avx512) = (Peer::Fourier, Avx512 { intel: both, amd: both });
    let (shape, input, sparsity, avx2) = (JOB, "f32", None, Avx2::Half);
    Floor { what, shape, kernels, input, sparsity, against, avx512, avx2 }
}

/// The two columns are AVX-512 by Intel and by AMD. On Intel an int8 product by VNNI is bound at 128 pairs of trits per
/// cycle, and counting bits at 171: there is less to gain than on AMD.
const FLOORS: [Floor; 23] = [
    project("batch, no zeros", BATCH, STORED, "f32", Some(0.0), [4.5, 5.7]),
    project("batch, 2/3 zeros", BATCH, STORED, "f32", Some(2.0 / 3.0), [3.0, 4.3]),
    project("batch, 0.9 zeros", BATCH, STORED, "f32", Some(0.9), [5.5, 10.5]),
    project("batch, structured", BATCH, STRUCTURED, "f32", None, [30.0, 50.0]),
    project("batch, packed bits", BATCH, STORED, "bits", Some(0.0), [8.0, 13.0]),
    project("images, structured", IMAGES, STRUCTURED, "f32", None, [16.0, 25.0]),
    project("images, boxes", MORE_IMAGES, BOXES, "f32", None, [25.0, 40.0]),
    project("table, structured", TABLE, STRUCTURED, "f32", None, [5.0, 7.0]),
    project("one sample", ONE, STRUCTURED, "f32", None, [100.0, 40.0]),
    gram("Gram, trits", WIDE, &["gram"], Peer::Dense, [5.8, 9.3], Avx2::Least(2.0)),
    gram("Gram, trits", SQUARE, &["gram"], Peer::Dense, [5.0, 9.0], Avx2::Least(2.0)),
    gram("Gram, no zeros", WIDE, &["gram-sign"], Peer::Dense, [10.0, 20.0], Avx2::Least(3.5)),
    gram("Gram, no zeros", SQUARE, &["gram-sign"], Peer::Dense, [8.0, 15.0], Avx2::Least(3.5)),
    gram("second moments", MOMENTS, &["moments"], Peer::Dense, [5.0, 8.0], Avx2::Least(2.0)),
    gram("Gram against int8", WIDE, &["gram"], Peer::Int8, [1.2, 2.5], Avx2::Nothing),
    gram("Gram against int8", SQUARE, &["gram"], Peer::Int8, [1.2, 2.5], Avx2::Nothing),
    gram("matrix times vector", MATVEC, &["matvec"], Peer::Dense, [1.3, 1.3], Avx2::Nothing),
    gram("logistic epoch, two", LEARN, &["logistic-two"], Peer::Dense, [3.0, 3.0], Avx2::Nothing),
    gram("logistic epoch, ten", LEARN, &["logistic-sgd"], Peer::Dense, [3.0, 3.0], Avx2::Nothing),
    gram("SVM epoch", LEARN, &["svm-dual"], Peer::Dense, [3.0, 3.0], Avx2::Nothing),
    gram("k-means assignment", LEARN, &["kmeans-assign"], Peer::Dense, [5.0, 5.0], Avx2::Nothing),
    job("whole job, structured", &["job-structured"], 5.0),
    job("whole job, stored W", &["job-stored"], 4.0),
];

impl Avx2 {
    /// The ratio asked of AVX2 where a wider ISA reached `wider`.
    fn asked(self, wider: f64) -> Option<f64> {
        match self {
            Self::Half => Some(wider / 2.0),
            Self::Least(least) => Some(least),
            Self::Nothing => None,
        }
    }
}

impl Floor {
    /// The ratio asked of the best ISA of a CPU.
    fn asked(&self, class: Class) -> Option<f64> {
        match class {
            Class::IntelAvx512 => Some(self.avx512.intel),
            Class::AmdAvx512 => Some(self.avx512.amd),
            Class::Avx2 => self.avx2.asked(self.avx512.intel),
        }
    }

    /// The best ratio on an ISA among the lines that the floor is about.
    fn reached(&self, lines: &[Line], isa: &str) -> Option<f64> {
        let (inputs, features, samples) = self.shape;
        let shape = Shape { inputs: (inputs > 0).then_some(inputs), features, samples };
        let about = lines.iter().filter(|line| {
            let sparsity = self.sparsity.is_none() || line.id.sparsity == self.sparsity;
            let own = self.kernels.contains(&line.id.kernel) && line.id.name == "ternion";
            let input = line.id.input == self.input;
            own && input && line.shape == shape && sparsity && line.id.isa == isa
        });
        let ratio = |line: &Line| match self.against {
            Peer::Dense => line.ratio_best_dense,
            Peer::Int8 => line.ratio_int8,
            Peer::Fourier => line.ratio_rff,
        };
        about.filter_map(ratio).max_by(f64::total_cmp)
    }
}

/// Every floor of the CPU that the lines say something about; empty if there is none.
pub fn table(lines: &[Line], cpu: &Cpu) -> String {
    let mut out = String::new();
    let Some(class) = cpu.class else { return out };
    for floor in &FLOORS {
        let Some(least) = floor.asked(class) else { continue };
        let Some(reached) = floor.reached(lines, class.isa()) else { continue };
        if out.is_empty() {
            let head = ["floor", "shape", "asked", "reached", "AVX2 asked", "reached"];
            let [a, b, c, d, e, f] = head;
            writeln!(out, "floors of {class}: {}", cpu.name).expect("a String");
            writeln!(out, "{a:<22}{b:<16}{c:>8}{d:>9}{e:>12}{f:>9}").expect("a String");
        }
        let (inputs, features, samples) = floor.shape;
        let inputs = if inputs > 0 { format!("{inputs}x") } else { String::new() };
        let shape = format!("{inputs}{features}x{samples}");
        write!(out, "{:<22}{shape:<16}{least:>8.1}{reached:>9.2}", floor.what).expect("a String");
        let mut short = reached < least;
        let below = class != Class::Avx2;
        let avx2 = floor.reached(lines, Class::Avx2.isa()).filter(|_| below);
        if let Some((avx2, least)) = avx2.zip(floor.avx2.asked(reached)) {
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

    fn cpu(class: Class) -> Cpu {
        Cpu { name: "a CPU".into(), class: Some(class) }
    }

    #[test]
    fn the_best_line_counts_and_half_of_it_is_asked_of_avx2() {
        let zeros = Some(2.0 / 3.0);
        let mut lines = vec![
            line("row-lanes", "avx512popcnt", zeros, 3.0),
            line("index-lists", "avx512popcnt", zeros, 5.0),
            line("index-lists", "avx512popcnt", Some(0.5), 9.0),
            line("index-lists", "avx2", zeros, 2.6),
        ];
        let text = table(&lines, &cpu(Class::AmdAvx512));
        assert!(text.contains("4.3     5.00         2.5     2.60\n"), "{text}");
        assert!(!text.contains("SHORT") && text.lines().count() == 3, "{text}");
        lines[3].ratio_best_dense = Some(2.4);
        assert!(table(&lines, &cpu(Class::AmdAvx512)).contains("SHORT"));
        lines.truncate(1);
        lines[0].ratio_best_dense = Some(4.2);
        assert!(table(&lines, &cpu(Class::AmdAvx512)).contains("SHORT"));
    }

    #[test]
    fn int8_and_vectors_have_floors_of_their_own() {
        let mut gram = line("gram", "avx512popcnt", None, 9.0);
        gram.shape = Shape { inputs: None, features: 4096, samples: 4096 };
        gram.ratio_int8 = Some(1.1);
        let text = table(&[gram], &cpu(Class::IntelAvx512));
        assert!(
            text.contains("5.0     9.00\n") && text.contains("1.2     1.10  SHORT\n"),
            "{text}"
        );
        let mut matvec = line("matvec", "avx512popcnt", None, 1.5);
        matvec.shape = Shape { inputs: None, features: 16_384, samples: 16_384 };
        assert!(table(&[matvec], &cpu(Class::AmdAvx512)).contains("1.3     1.50\n"));
    }

    #[test]
    fn whole_jobs_are_held_to_fourier_features() {
        let (inputs, features, samples) = JOB;
        let shape = Shape { inputs: Some(inputs), features, samples };
        let job = |kernel, ratio| {
            let line = line(kernel, "avx512popcnt", None, 99.0);
            Line { shape, ratio_rff: Some(ratio), ..line }
        };
        let lines = [job("job-structured", 5.1), job("job-stored", 3.9)];
        let text = table(&lines, &cpu(Class::IntelAvx512));
        assert!(
            text.contains("5.0     5.10\n") && text.contains("4.0     3.90  SHORT\n"),
            "{text}"
        );
    }

    #[test]
    fn every_cpu_has_a_column() {
        let lines = [
            line("structured", "avx512popcnt", None, 40.0),
            line("structured", "avx2", None, 19.0),
        ];
        let zen = table(&lines, &cpu(Class::AmdAvx512));
        assert!(zen.contains("50.0    40.00        20.0    19.00  SHORT\n"), "{zen}");
        let intel = table(&lines[..1], &cpu(Class::IntelAvx512));
        assert!(intel.contains("30.0    40.00\n"), "{intel}");
        let avx2 = table(&lines, &cpu(Class::Avx2));
        assert!(avx2.contains("15.0    19.00\n"), "{avx2}");
        assert_eq!(table(&lines, &Cpu { name: "old".into(), class: None }), "");
    }

    #[test]
    fn other_shapes_and_peers_are_left_out() {
        let mut peer = line("structured", "avx512popcnt", None, 99.0);
        peer.id.name = "other".into();
        let mut shape = line("structured", "avx512popcnt", None, 99.0);
        shape.shape.samples += 1;
        assert_eq!(table(&[peer, shape], &cpu(Class::AmdAvx512)), "");
    }
}
