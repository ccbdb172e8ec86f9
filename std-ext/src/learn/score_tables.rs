//! [`ScoreTables`]: the outputs of a linear model by lookups of lines of 16 outputs.
//!
//! Scores are summed in the same order alone or in a batch, on every instruction set.

use super::LinearModel;
use crate::packed::line_sums::{Line, LineSums};
use crate::{Error, Features, Isa, Matrix, dispatch, memory, parallel};
use ternion_core::{Error as CoreError, Simd, Size, words_per_row};

/// Outputs that a line holds.
const OUTPUTS: usize = 16;

/// Samples per task: their scores (16 KB) stay in L1 or L2 while the tables go by.
const TASK_SAMPLES: usize = 256;

/// The tables of a linear model.
#[derive(Clone, Debug)]
pub(super) struct ScoreTables {
    features: usize,
    outputs: usize,
    /// For every 16 outputs: their constants and the tables of every word.
    groups: Vec<(Line<OUTPUTS>, Vec<LineSums<OUTPUTS>>)>,
}

impl ScoreTables {
    /// # Errors
    ///
    /// [`CoreError::SizeOverflow`] if there is no memory for the tables.
    pub(super) fn new(model: &LinearModel) -> Result<Self, Error> {
        let (features, outputs) = (model.weights().rows(), model.bias().len());
        let weights = model.weights().as_slice();
        let groups = (0..outputs).step_by(OUTPUTS).map(|first| {
            let line = |row: &[f32]| {
                let mut line = Line::default();
                line.0.iter_mut().zip(&row[first..]).for_each(|(to, from)| *to = *from);
                line
            };
            let words = words_per_row(features);
            let mut tables = memory::storage(words, LineSums::ZERO, features, outputs)?;
            for (tables, weights) in tables.iter_mut().zip(weights.chunks(64 * outputs)) {
                tables.tabulate(weights, outputs, first);
            }
            Ok((line(model.bias()), tables))
        });
        let groups = groups.collect::<Result<_, Error>>()?;
        Ok(Self { features, outputs, groups })
    }

    /// The outputs of each sample: a row per sample.
    pub(super) fn predict(&self, features: &Features) -> Result<Matrix<f32>, Error> {
        let (expected, found) = (self.features, features.features());
        if found != expected {
            return Err(CoreError::SizeMismatch { size: Size::Features, expected, found }.into());
        }
        let words = words_per_row(self.features);
        let mut out = memory::zeros(features.len(), self.outputs)?;
        parallel::for_each_chunk(&mut out, TASK_SAMPLES * self.outputs, |task, out| {
            let from = task * TASK_SAMPLES * words;
            let (sign, mask) = (features.trits().sign(), features.trits().mask());
            self.scores(features.isa(), &sign[from..], &mask[from..], out);
        });
        Matrix::from_vec(features.len(), self.outputs, out)
    }

    /// Writes the scores of up to [`TASK_SAMPLES`] samples from the words of their planes: as many as `out` has room
    /// for.
    fn scores(&self, isa: Isa, sign: &[u64], mask: &[u64], out: &mut [f32]) {
        self.scores_in(isa, sign, mask, &mut [Line::default(); TASK_SAMPLES], out);
    }

    /// Writes the scores of one sample.
    pub(super) fn scores_of_one(&self, isa: Isa, sign: &[u64], mask: &[u64], out: &mut [f32]) {
        self.scores_in(isa, sign, mask, &mut [Line::default()], out);
    }

    fn scores_in(
        &self,
        isa: Isa,
        sign: &[u64],
        mask: &[u64],
        lines: &mut [Line<OUTPUTS>],
        out: &mut [f32],
    ) {
        let lines = &mut lines[..out.len() / self.outputs];
        for (group, (bias, tables)) in self.groups.iter().enumerate() {
            lines.fill(*bias);
            dispatch!(isa, simd => add_words(simd, tables, sign, mask, lines));
            for (out, line) in out.chunks_exact_mut(self.outputs).zip(&*lines) {
                let out = out[group * OUTPUTS..].iter_mut();
                out.zip(line.0).for_each(|(out, score)| *out = score);
            }
        }
    }
}

/// Adds the weights of all features to the scores of some samples.
fn add_words<S: Simd>(
    simd: S,
    tables: &[LineSums<OUTPUTS>],
    sign: &[u64],
    mask: &[u64],
    lines: &mut [Line<OUTPUTS>],
) {
    let words = tables.len();
    simd.vectorize(
        #[inline(always)]
        || {
            for (word, tables) in tables.iter().enumerate() {
                for (sample, line) in lines.iter_mut().enumerate() {
                    let at = sample * words + word;
                    if let (Some(sign), Some(mask)) = (sign.get(at), mask.get(at)) {
                        tables.add_one(mask & !sign, *sign, &mut line.0);
                    }
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use ternion_core::{Seeded, Sparsity, TritMatrix};

    /// Features that end within four and within a word, samples that end within a task, one and more groups of outputs.
    #[test]
    fn scores_are_sums_of_weights_and_the_same_on_every_isa() {
        for (samples, features, outputs) in [(1, 1, 1), (3, 66, 2), (300, 70, 16), (257, 300, 35)] {
            let seeded = Seeded::new(5, Sparsity::TWO_THIRDS, features, samples).unwrap();
            let words = samples * words_per_row(features);
            let planes = (vec![0; words], vec![0; words]);
            let mut trits = TritMatrix::zeroed(samples, features, planes.0, planes.1).unwrap();
            seeded.fill(&mut trits).unwrap();
            let weights: Vec<f32> =
                (0..features * outputs).map(|k| (k * k % 97) as f32 / 97.0 - 0.5).collect();
            let bias: Vec<f32> = (0..outputs).map(|k| k as f32).collect();
            let weights = Matrix::from_vec(features, outputs, weights).unwrap();
            let model = LinearModel::fitted(weights, bias).unwrap();
            let tables = ScoreTables::new(&model).unwrap();
            let scores = |isa| {
                let scores = tables.predict(&Features::with_isa(trits.clone(), isa)).unwrap();
                scores.into_vec()
            };
            let expected = scores(Isa::SCALAR);
            for isa in Isa::present() {
                assert!(scores(isa) == expected, "{isa} {samples} {features} {outputs}");
            }
            for (row, scores) in trits.iter_rows().zip(expected.chunks(outputs)) {
                for (output, score) in scores.iter().enumerate() {
                    let products = model.weights().iter_rows().zip(row.iter());
                    let sum: f64 = products
                        .map(|(weights, trit)| f64::from(weights[output]) * f64::from(trit))
                        .sum();
                    let expected = sum + output as f64;
                    assert!((f64::from(*score) - expected).abs() < 1e-4, "{score} {expected}");
                }
            }
        }
    }
}
