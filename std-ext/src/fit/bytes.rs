//! Fits as bytes: [`TernaryFeatures::to_bytes`] and [`TernaryFeatures::from_bytes`].

use super::preprocess::{Preprocess, Scaling};
use super::weights::{Form, Weights};
use crate::error::check_finite;
use crate::saved::{Kind, Reader, SavedError, Writer};
use crate::theory::{Bands, Report};
use crate::{Error, Isa, Policy, Target, TernaryFeatures};
use ternion_core::{Grid, MAX_INPUTS, Sparsity, View};

/// The most features of a fit that is read: what is computed from them takes no more than some seconds, whoever wrote
/// the bytes.
const MAX_FEATURES: usize = 1 << 26;

/// The most weights that are stored when a fit is read, with those that fill the words of a row: a gigabyte while their planes
/// are laid out anew, which takes two bits of each twice.
const MAX_STORED_WEIGHTS: u64 = 1 << 31;

impl TernaryFeatures {
    /// The fit as bytes, some kilobytes: W is its seed. In the [frame](crate::saved) of everything that is saved, as
    /// 64-bit numbers:
    ///
    /// | numbers | contents |
    /// |---|---|
    /// | 2 | inputs, features |
    /// | 2 | the form of W (0 stored, 1 seeded, 2 structured, 3 boxes, 4 subsets), its seed |
    /// | 3 | stored and seeded: [`Sparsity::bits`]; boxes: width, height, channels; subsets: least, most; then zeros |
    /// | 1 | the [`Policy`] of the report: 0 to 5, from [`Policy::MinVariance`] on in the order of its variants |
    /// | 4 | the thresholds of the report, `f64`: two, four, or the period; then zeros |
    /// | 4 | α, and d0, d1, d2 as asked, `f64` |
    /// | 1 | the [`Scaling`]: 0 to 2 in the order of its variants |
    /// | 1 | the sum of 1 if samples are centred, 2 if standardised, 4 if the variation of ‖x‖² is known |
    /// | 2 | the mean of ‖x‖² and its variation or 0, `f64` |
    /// | 1 | the [fingerprint](Self::fingerprint) |
    ///
    /// and then for each input the mean (`f32`) if samples are centred, the factor (`f32`) if they are standardised,
    /// and the mean square (`f64`).
    ///
    /// ```
    /// use ternion::{Samples, TernaryFeatures};
    ///
    /// # let x: Vec<f32> = (0..60).map(|k| (k * k % 17) as f32).collect();
    /// let samples = Samples::new(&x, 6)?;
    /// let ternary = TernaryFeatures::params(4096).fit(&samples)?;
    /// let bytes = ternary.to_bytes();
    /// assert!(bytes.len() < 300);
    /// let loaded = TernaryFeatures::from_bytes(&bytes)?;
    /// assert_eq!(loaded.fingerprint(), ternary.fingerprint());
    /// assert_eq!(loaded.transform(&samples)?, ternary.transform(&samples)?);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let (preprocess, report) = (self.preprocess(), self.report());
        let mut writer = Writer::new(Kind::TernaryFeatures);
        writer.u64s([self.inputs() as u64, self.features() as u64]);
        writer.u64s(numbers_of(self.weights()));
        let (policy, thresholds) = numbers_of_policy(report);
        writer.u64(policy);
        writer.f64s(&thresholds);
        writer.f64s(&[report.alpha, report.asked.d0, report.asked.d1, report.asked.d2]);
        writer.u64(match preprocess.scaling {
            Scaling::Unit => 0,
            Scaling::Row => 1,
            Scaling::Keep => 2,
        });
        let known =
            [preprocess.mean.is_some(), preprocess.scale.is_some(), preprocess.variation.is_some()];
        writer.u64(known.iter().rev().fold(0, |flags, &known| flags << 1 | u64::from(known)));
        writer.f64s(&[preprocess.mean_square_norm, preprocess.variation.unwrap_or(0.0)]);
        writer.u64(self.fingerprint());
        writer.f32s(preprocess.mean.as_deref().unwrap_or_default());
        writer.f32s(preprocess.scale.as_deref().unwrap_or_default());
        writer.f64s(&preprocess.mean_squares);
        writer.finish()
    }

    /// Reads a fit that was saved: its features are the same, bit for bit, on every machine. What the
    /// [report](Self::report) derives from the thresholds is computed again.
    ///
    /// W is generated again where it was stored; with more than 2³¹ weights it is left as its seed
    /// ([`Form::Seeded`]), so that no bytes ask for more memory than a gigabyte.
    ///
    /// # Errors
    ///
    /// [`Error::Saved`] for bytes that are truncated, changed, of another kind or version, with numbers that no fit has,
    /// with more than 2²⁶ features, or that would make other features than those of the fit that was saved; and what
    /// the constructors of W and of the thresholds refuse.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(bytes, Kind::TernaryFeatures)?;
        let (inputs, features) = (reader.size(1, MAX_INPUTS)?, reader.size(1, MAX_FEATURES)?);
        let (form, seed, sparsity) = read_form(&mut reader)?;
        let (policy, bands) = read_policy(&mut reader)?;
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let alpha = reader.f64_if(positive)?;
        let asked = [reader.f64()?, reader.f64()?, reader.f64()?];
        let offset = reader.last();
        let (expected, preprocess) = read_preprocess(&mut reader, inputs)?;
        let asked = Target::raw(asked[0], asked[1], asked[2]).moments(preprocess.tau());
        let asked = asked.map_err(|_| SavedError::Impossible { offset })?;
        let report = Report::new(bands, alpha, preprocess.tau(), policy, asked);

        // First without storing W: its seed decides the fingerprint.
        let cheap = if form == Form::Stored { Form::Seeded } else { form };
        let weights = Weights::new(cheap, seed, sparsity, preprocess.mean_squares(), features)?;
        let fitted = Self::new(preprocess, report, weights, Isa::detect())?;
        let found = fitted.fingerprint();
        if found != expected {
            return Err(SavedError::Fingerprint { expected, found }.into());
        }
        let stored = features as u64 * inputs.next_multiple_of(64) as u64;
        if form == cheap || stored > MAX_STORED_WEIGHTS {
            return Ok(fitted);
        }
        let squares = fitted.preprocess().mean_squares();
        let weights = Weights::new(form, seed, sparsity, squares, features)?;
        Ok(fitted.with_weights(weights))
    }
}

/// The form of W, its seed, and three numbers that depend on the form.
fn numbers_of(weights: &Weights) -> [u64; 5] {
    let (form, numbers) = match weights {
        Weights::RowLanes(w, _) | Weights::IndexLists(w, _) => {
            (0, [w.sparsity().bits().into(), 0, 0])
        }
        Weights::Seeded(w) => (1, [w.sparsity().bits().into(), 0, 0]),
        Weights::Structured(_) => (2, [0; 3]),
        Weights::Local { local, .. } => match local.view() {
            View::Boxes(Grid { width, height, channels }) => {
                (3, [width, height, channels].map(|size| size as u64))
            }
            View::Subsets { least, most } => (4, [least as u64, most as u64, 0]),
            // No `Form` makes another view, and none is read.
            _ => (u64::MAX, [0; 3]),
        },
    };
    [form, weights.seed(), numbers[0], numbers[1], numbers[2]]
}

fn read_form(reader: &mut Reader<'_>) -> Result<(Form, u64, Sparsity), SavedError> {
    let (form, seed) = (reader.u64_up_to(4)?, reader.u64()?);
    let mut size = |used: bool| reader.size(0, if used { u32::MAX as usize } else { 0 });
    let iid = form < 2;
    let numbers = [size(iid || form > 2)?, size(form > 2)?, size(form == 3)?];
    let sparsity = Sparsity::from_bits(if iid { numbers[0] as u32 } else { 0 });
    let form = match (form, numbers) {
        (0, _) => Form::Stored,
        (1, _) => Form::Seeded,
        (2, _) => Form::Structured,
        (3, [width, height, channels]) => Form::Boxes(Grid { width, height, channels }),
        (_, [least, most, _]) => Form::Subsets { least, most },
    };
    Ok((form, seed, sparsity))
}

/// The policy of a report as a number, and its thresholds.
fn numbers_of_policy(report: &Report) -> (u64, [f64; 4]) {
    let policy = match report.policy {
        // A report names the policy that was taken, which is never the automatic one.
        Policy::MinVariance | Policy::Automatic => 0,
        Policy::MatchD0 => 1,
        Policy::Unit => 2,
        Policy::FourBand => 3,
        Policy::Periodic => 4,
        Policy::Fixed { .. } => 5,
    };
    let thresholds = match report.bands {
        Bands::Two { lower, upper } => [lower, upper, 0.0, 0.0],
        Bands::Four { outer_lower, inner_lower, inner_upper, outer_upper } => {
            [outer_lower, inner_lower, inner_upper, outer_upper]
        }
        Bands::Periodic { period } => [period, 0.0, 0.0, 0.0],
    };
    (policy, thresholds)
}

/// The policy decides how many thresholds there are.
fn read_policy(reader: &mut Reader<'_>) -> Result<(Policy, Bands), SavedError> {
    let policy = reader.u64_up_to(5)?;
    let used = match policy {
        3 => 4,
        4 => 1,
        _ => 2,
    };
    let mut thresholds = [0.0; 4];
    let mut last = f64::NEG_INFINITY;
    for (k, threshold) in thresholds.iter_mut().enumerate() {
        // They ascend, which also excludes NaN; the rest is zero, without a sign.
        let ascends = |x: f64| if k < used { x >= last } else { x.to_bits() == 0 };
        *threshold = reader.f64_if(ascends)?;
        last = *threshold;
    }
    let [lower, upper, ..] = thresholds;
    let two = Bands::Two { lower, upper };
    let [outer_lower, inner_lower, inner_upper, outer_upper] = thresholds;
    Ok(match policy {
        0 => (Policy::MinVariance, two),
        1 => (Policy::MatchD0, two),
        2 => (Policy::Unit, two),
        3 => (Policy::FourBand, Bands::Four { outer_lower, inner_lower, inner_upper, outer_upper }),
        4 => (Policy::Periodic, Bands::Periodic { period: lower }),
        _ => (Policy::Fixed { lower, upper }, two),
    })
}

/// The fingerprint, and the preprocessing around it.
fn read_preprocess(
    reader: &mut Reader<'_>,
    inputs: usize,
) -> Result<(u64, Preprocess), SavedError> {
    let scaling = match reader.u64_up_to(2)? {
        0 => Scaling::Unit,
        1 => Scaling::Row,
        _ => Scaling::Keep,
    };
    let flags = reader.u64_up_to(7)?;
    let known = |bit: u64| flags >> bit & 1 == 1;
    let mean_square_norm = reader.f64_if(|x| x > 0.0 && x.is_finite())?;
    let variation =
        reader.f64_if(|x| if known(2) { x >= 0.0 && x.is_finite() } else { x.to_bits() == 0 })?;
    let fingerprint = reader.u64()?;
    let words = 2 + usize::from(known(0)) + usize::from(known(1));
    reader.expect::<4>(Some(inputs * words))?;
    let mut f32s = |known: bool| {
        let numbers = known.then(|| reader.f32s(inputs));
        check_finite(numbers.as_deref().unwrap_or_default()).map_err(|_| reader.impossible())?;
        Ok(numbers)
    };
    let (mean, scale) = (f32s(known(0))?, f32s(known(1))?);
    let mean_squares = reader.f64s(inputs);
    if !mean_squares.iter().all(|&x| x >= 0.0 && x.is_finite()) {
        return Err(reader.impossible());
    }
    let variation = known(2).then_some(variation);
    let preprocess =
        Preprocess { inputs, mean, scale, scaling, mean_squares, mean_square_norm, variation };
    Ok((fingerprint, preprocess))
}
