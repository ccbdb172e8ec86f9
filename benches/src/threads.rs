//! `compare threads`: one transform on one thread and on more, checked to give the same bits.

use std::fmt::Write;

use ternion::{Features, Form, Samples, TernaryFeatures};

use crate::data;
use crate::harness::{Contender, Id, Mismatch};
use crate::report::{Line, Shape};

/// (inputs, features, samples) compared when none is asked for.
pub const SHAPE: (usize, usize, usize) = (512, 10_000, 4096);

/// Features with one form of W, and how the report names it.
struct Fitted {
    kernel: &'static str,
    sparsity: Option<f64>,
    ternary: TernaryFeatures,
    /// What one thread gives.
    expected: Features,
}

/// One shape's data and fitted features.
pub struct Threads {
    inputs: usize,
    x: Vec<f32>,
    forms: Vec<Fitted>,
}

impl Threads {
    /// Draws the data of a shape and fits the features.
    ///
    /// # Panics
    ///
    /// For sizes that no W can have.
    pub fn new(inputs: usize, features: usize, samples: usize) -> Self {
        let x = data::on_grid(&data::whole(samples * inputs, 1));
        let batch = Samples::new(&x, inputs).expect("whole samples");
        let params = || TernaryFeatures::params(features);
        let stored = |sparsity| ("stored", Some(sparsity), params().sparsity(sparsity));
        let structured = params().form(Form::Structured);
        let forms = [stored(0.0), stored(2.0 / 3.0), ("structured", None, structured)];
        let forms = forms.into_iter().map(|(kernel, sparsity, params)| {
            let ternary = params.fit(&batch).expect("samples that differ");
            let expected = pool(1).install(|| ternary.transform(&batch));
            let expected = expected.expect("samples as fitted");
            Fitted { kernel, sparsity, ternary, expected }
        });
        Self { inputs, forms: forms.collect(), x }
    }

    /// Every form of W on one thread, then on twice as many each time, up to what the machine has, and on two at least.
    ///
    /// # Panics
    ///
    /// When the machine gives no threads.
    pub fn contenders(&self) -> Vec<Contender<'_>> {
        let most = std::thread::available_parallelism().map_or(2, |n| n.get().max(2));
        let counts = || std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|&n| n <= most);
        self.forms.iter().flat_map(|form| counts().map(|n| self.contender(form, n))).collect()
    }

    fn contender<'a>(&'a self, form: &'a Fitted, threads: usize) -> Contender<'a> {
        let samples = Samples::new(&self.x, self.inputs).expect("whole samples");
        let id = Id {
            kernel: form.kernel,
            name: "ternion".to_owned(),
            call: "transform",
            input: "f32",
            isa: format!("{threads} thread{}", if threads == 1 { "" } else { "s" }),
            sparsity: form.sparsity,
            macs: self.x.len() as f64 * form.expected.features() as f64,
        };
        let pool = pool(threads);
        let run = move |out: &mut Option<Features>| {
            *out = pool.install(|| form.ternary.transform(&samples)).ok();
        };
        Contender::new(id, None, run, |out| check(out.as_ref(), &form.expected))
    }
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("the machine has threads")
}

/// Compares all bits.
fn check(found: Option<&Features>, expected: &Features) -> Result<(), Mismatch> {
    let words = |features: &Features| [features.trits().sign(), features.trits().mask()].concat();
    let expected = words(expected);
    let found = found.map(words).unwrap_or_default();
    let same = found.iter().zip(&expected).take_while(|(found, expected)| found == expected);
    let same = same.count();
    if same == expected.len() {
        return Ok(());
    }
    let at = |words: &[u64]| words.get(same).map_or(f64::NAN, |&word| word as f64);
    let (expected, found) = (at(&expected), at(&found));
    Err(Mismatch { place: format!("word {same} of the planes"), expected, found })
}

/// A title and a line per contender: its time and how many times faster than one thread it is.
pub fn table(lines: &[Line]) -> String {
    let mut out = String::new();
    let Some(Line { shape, .. }) = lines.first() else { return out };
    let Shape { inputs, features, samples } = shape;
    let inputs = inputs.unwrap_or_default();
    writeln!(out, "inputs {inputs}, features {features}, samples {samples}").expect("a String");
    let head = ["kernel", "ε", "threads", "median ms", "min ms", "±%", "GMAC/s", "×1"];
    let [a, b, c, d, m, e, f, g] = head;
    writeln!(out, "  {a:<11}{b:>6}{c:>12}{d:>12}{m:>12}{e:>8}{f:>10}{g:>9}").expect("a String");
    let mut alone = f64::NAN;
    for line in lines {
        if line.id.isa == "1 thread" {
            alone = line.seconds_min;
        }
        let sparsity = line.id.sparsity.map_or("-".to_owned(), |x| format!("{x:.2}"));
        let (ms, min) = (line.seconds * 1e3, line.seconds_min * 1e3);
        let spread = line.spread * 100.0;
        let (gmacs, ratio) = (line.gmacs(), alone / line.seconds_min);
        writeln!(
            out,
            "  {:<11}{sparsity:>6}{:>12}{ms:>12.2}{min:>12.2}{spread:>8.1}{gmacs:>10.1}{ratio:>9.2}",
            line.id.kernel, line.id.isa
        )
        .expect("a String");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{Budget, race};
    use crate::report;

    #[test]
    fn every_count_of_threads_gives_the_same_bits() {
        let threads = Threads::new(33, 70, 300);
        let mut contenders = threads.contenders();
        let timings = race(&mut contenders, Budget::quick()).expect("every check passes");
        let shape = Shape { inputs: Some(33), features: 70, samples: 300 };
        let text = table(&report::lines(&contenders, &timings, shape));
        assert_eq!(text.lines().count(), 2 + contenders.len(), "{text}");
        assert!(text.contains("2 threads"), "{text}");
    }

    #[test]
    fn other_bits_are_caught() {
        let threads = Threads::new(33, 70, 30);
        let [a, b, _] = &threads.forms[..] else { panic!("three forms") };
        assert_eq!(check(Some(&a.expected), &a.expected), Ok(()));
        assert!(check(Some(&a.expected), &b.expected).is_err());
        assert!(check(None, &b.expected).is_err());
    }
}
