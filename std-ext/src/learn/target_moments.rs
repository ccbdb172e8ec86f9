//! [`TargetMoments`]: what ridge needs to know of samples with targets, in sums that can be added and merged.

use super::check_targets;
use super::products::{Products, add_each, pairs};
use crate::error::{MAX_SAMPLES, add_samples};
use crate::fit::ExactSum;
use crate::packed::rows::Rows;
use crate::saved::{Kind, Reader, Writer, sum_bytes};
use crate::{Error, Features, Matrix, TernaryFeatures, memory};
use ternion_core::{Error as CoreError, Size};

/// Samples whose targets are summed together: integers below 2³² stay below 2⁵³, where `f64` is exact.
const CHUNK_SAMPLES: usize = 1 << 20;

/// Sums over samples with targets, from which [`Ridge::fit_target_moments`](super::Ridge::fit_target_moments) fits: the
/// sums of features, of targets, of products of features with features, and of features with targets.
///
/// Nothing is rounded. Features are trits, so their sums are integers. A target is a `f32`, a multiple of 2⁻¹⁴⁹: sums of
/// targets, and of targets times trits, are integers of 352 bits in that unit, which hold them for every number of samples.
/// So samples may come in chunks of any size and order, on any number of machines whose moments are
/// [merged](Self::merge), and the model is the same bit for bit. [`Moments`](super::Moments) are those of classes.
///
/// Memory is 4·m·(m + 1) bytes for m features, and 80·m for each output.
///
/// ```
/// use ternion::learn::{Ridge, TargetMoments};
/// use ternion::{Matrix, Samples, TernaryFeatures};
///
/// let x: Vec<f32> = (0..900 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// let y: Vec<f32> = x.chunks(8).map(|x| x[0] * x[1] + x[2]).collect();
/// let ternary = TernaryFeatures::params(256).fit(&Samples::new(&x, 8)?)?;
///
/// let mut moments = TargetMoments::new(&ternary, 1)?;
/// for (x, y) in x.chunks(300 * 8).zip(y.chunks(300)) {
///     let mut shard = TargetMoments::new(&ternary, 1)?; // on another machine
///     let y = Matrix::from_vec(300, 1, y.to_vec())?;
///     shard.add(&ternary.transform(&Samples::new(x, 8)?)?, &y)?;
///     moments.merge(&TargetMoments::from_bytes(&shard.to_bytes())?)?;
/// }
/// let model = Ridge::default().fit_target_moments(&moments)?;
/// let all = ternary.transform(&Samples::new(&x, 8)?)?;
/// assert_eq!(model, Ridge::default().fit(&all, &Matrix::from_vec(900, 1, y)?)?);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetMoments {
    products: Products,
    samples: u64,
    /// The sum of each feature.
    totals: Vec<i64>,
    /// For each output the sum of the targets.
    targets: Vec<ExactSum>,
    /// For each output and feature the sum of targets times trits.
    cross: Vec<ExactSum>,
}

impl TargetMoments {
    /// No samples yet. The moments belong to the features of one fit and to targets of so many outputs.
    ///
    /// # Errors
    ///
    /// [`ZeroSize`](CoreError::ZeroSize) for no outputs, [`SizeOverflow`](CoreError::SizeOverflow) if the sums do not
    /// fit in memory.
    pub fn new(ternary: &TernaryFeatures, outputs: usize) -> Result<Self, Error> {
        Self::zeros(ternary.fingerprint(), ternary.features(), outputs)
    }

    fn zeros(map: u64, features: usize, outputs: usize) -> Result<Self, Error> {
        if outputs == 0 {
            return Err(CoreError::ZeroSize { size: Size::Cols }.into());
        }
        let overflow = CoreError::SizeOverflow { rows: outputs, cols: features };
        let cross = outputs.checked_mul(features).ok_or(overflow)?;
        Ok(Self {
            products: Products::zeros(map, features)?,
            samples: 0,
            totals: vec![0; features],
            targets: memory::storage(outputs, ExactSum::ZERO, outputs, 1)?,
            cross: memory::storage(cross, ExactSum::ZERO, outputs, features)?,
        })
    }

    /// The moments of one batch, whichever map its features are from.
    pub(super) fn of(features: &Features, targets: &Matrix<f32>) -> Result<Self, Error> {
        let mut moments = Self::zeros(0, features.features(), targets.cols())?;
        moments.add(features, targets)?;
        Ok(moments)
    }

    /// Adds samples: their features, and a row of targets for each.
    ///
    /// # Errors
    ///
    /// [`SizeMismatch`](CoreError::SizeMismatch) for another number of features or outputs, [`Error::OtherMap`] for
    /// features that another fit made, [`Error::LabelCount`] unless there is a row of targets for each sample, [`Error::TargetNotFinite`] for NaN and infinity,
    /// [`Error::TooManySamples`] beyond 2⁵³ samples, [`SizeOverflow`](CoreError::SizeOverflow) if there is no memory for
    /// the products of the batch. Nothing is added then.
    pub fn add(&mut self, features: &Features, targets: &Matrix<f32>) -> Result<(), Error> {
        self.check_sizes(features.features(), targets.cols())?;
        self.products.check_map(features.map())?;
        check_targets(features.len(), targets)?;
        let together = add_samples(self.samples, features.len() as u64)?;
        let mut cross = memory::storage(self.cross.len(), ExactSum::ZERO, 1, self.cross.len())?;
        for (output, cross) in cross.chunks_exact_mut(self.features()).enumerate() {
            add_cross(features, targets, output, cross)?;
        }
        let products = features.second_moments()?;
        for row in targets.iter_rows() {
            for (sum, &y) in self.targets.iter_mut().zip(row) {
                let (digit, values) = ExactSum::split(y);
                sum.add(digit, values[0]);
                sum.add(digit + 1, values[1]);
                sum.normalise();
            }
        }
        merge(&mut self.cross, &cross);
        let sums = features.sums();
        self.totals.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
        self.products.add(&products);
        self.samples = together;
        Ok(())
    }

    /// Adds all samples of other moments.
    ///
    /// # Errors
    ///
    /// [`Error::OtherMap`] if they are of another fit, [`SizeMismatch`](CoreError::SizeMismatch) for another number of
    /// features or outputs, [`Error::TooManySamples`] beyond 2⁵³ samples. Nothing is added then.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        self.check_sizes(other.features(), other.outputs())?;
        self.products.check_map(Some(other.products.map))?;
        self.samples = add_samples(self.samples, other.samples)?;
        add_each(&mut self.totals, &other.totals);
        add_each(&mut self.products.sums, &other.products.sums);
        merge(&mut self.targets, &other.targets);
        merge(&mut self.cross, &other.cross);
        Ok(())
    }

    fn check_sizes(&self, features: usize, outputs: usize) -> Result<(), Error> {
        for (size, expected, found) in
            [(Size::Features, self.features(), features), (Size::Cols, self.outputs(), outputs)]
        {
            if found != expected {
                return Err(CoreError::SizeMismatch { size, expected, found }.into());
            }
        }
        Ok(())
    }

    /// Samples added so far.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Features of each sample.
    pub fn features(&self) -> usize {
        self.products.features
    }

    /// Targets of each sample.
    pub fn outputs(&self) -> usize {
        self.targets.len()
    }

    /// The moments as bytes: in the [frame](crate::saved) of everything that is saved the fingerprint of the map, the
    /// number of features, of outputs and of samples; then the sum of each feature and the lower triangle of the products
    /// row by row, as 32-bit integers up to 2³¹ − 1 samples and as 64-bit integers beyond; and as 64-bit integers ten
    /// digits for each sum of targets: of each output, and of each output and feature. The first digit is in units of
    /// 2⁻¹⁴⁹, each other one 2³² times the one before; the last has the sign.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(Kind::TargetMoments);
        writer.u64(self.products.map);
        writer.u64(self.features() as u64);
        writer.u64(self.outputs() as u64);
        writer.u64(self.samples);
        writer.sums(&self.totals, self.samples);
        writer.sums(&self.products.sums, self.samples);
        for sum in self.targets.iter().chain(&self.cross) {
            writer.i64s(sum.digits());
        }
        writer.finish()
    }

    /// Reads moments that were saved.
    ///
    /// # Errors
    ///
    /// [`Error::Saved`] for bytes that are truncated, changed, of another kind or version, or with sums that no samples
    /// have.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(bytes, Kind::TargetMoments)?;
        let map = reader.u64()?;
        let features = reader.size(1, usize::MAX)?;
        let outputs = reader.size(1, usize::MAX)?;
        let samples = reader.u64_up_to(MAX_SAMPLES)?;
        let bytes = || {
            let trits = pairs(features)?.checked_add(features)?.checked_mul(sum_bytes(samples))?;
            let targets = features.checked_add(1)?.checked_mul(outputs)?;
            targets.checked_mul(8 * ExactSum::DIGITS)?.checked_add(trits)
        };
        reader.expect::<1>(bytes())?;
        let totals = reader.sums(features, samples);
        let products =
            Products { map, features, sums: reader.sums(features * (features + 1) / 2, samples) };
        if !products.are_possible(samples as i64, &totals) {
            return Err(reader.impossible().into());
        }
        let mut exact = |count: usize| {
            let sums = (0..count).map(|_| {
                let digits = reader.i64s(ExactSum::DIGITS);
                let sum = digits.first_chunk().and_then(|d| ExactSum::from_digits(d, samples));
                sum.ok_or_else(|| reader.impossible())
            });
            sums.collect::<Result<Vec<_>, _>>()
        };
        let (targets, cross) = (exact(outputs)?, exact(outputs * features)?);
        Ok(Self { products, samples, totals, targets, cross })
    }

    /// The sum of each feature.
    pub(super) fn totals(&self) -> &[i64] {
        &self.totals
    }

    /// The sums of products.
    pub(super) fn products(&self) -> &Products {
        &self.products
    }

    /// The mean of each target.
    pub(super) fn means(&self) -> Vec<f64> {
        self.targets.iter().map(|sum| sum.value() / self.samples as f64).collect()
    }

    /// For each output Σ P y: what the sum of targets times a feature has beyond the product of their sums over n.
    pub(super) fn centred(&self) -> impl Iterator<Item = Result<Vec<f64>, Error>> {
        let n = self.samples as i64;
        let outputs = self.cross.chunks_exact(self.features()).zip(&self.targets);
        outputs.map(move |(cross, targets)| {
            let beyond = |(cross, &total): (&ExactSum, &i64)| {
                ExactSum::difference([cross, targets], [n, total]) / n as f64
            };
            memory::collect(cross.iter().zip(&self.totals).map(beyond), cross.len(), 1)
        })
    }
}

/// Adds Σ y·σ for one output. A digit of all targets is a vector of integers, and its product with the features, in
/// `f64`, is exact.
fn add_cross(
    features: &Features,
    targets: &Matrix<f32>,
    output: usize,
    cross: &mut [ExactSum],
) -> Result<(), Error> {
    for first in (0..targets.rows()).step_by(CHUNK_SAMPLES) {
        let samples: Vec<usize> = (first..targets.rows()).take(CHUNK_SAMPLES).collect();
        let mut values = memory::zeros(samples.len(), 1)?;
        for digit in 0..ExactSum::DIGITS {
            for (row, value) in targets.iter_rows().skip(first).zip(&mut values) {
                let (lowest, digits) = ExactSum::split(row[output]);
                let digit = digit.checked_sub(lowest).and_then(|digit| digits.get(digit));
                *value = digit.map_or(0.0, |&digit| digit as f64);
            }
            if values.iter().any(|&value| value != 0.0) {
                let sums = Rows::some(features, &samples).transposed_times(&values, 1);
                cross.iter_mut().zip(sums).for_each(|(all, sum)| all.add(digit, sum as i64));
            }
        }
        cross.iter_mut().for_each(ExactSum::normalise);
    }
    Ok(())
}

/// Adds sums one by one.
fn merge(all: &mut [ExactSum], others: &[ExactSum]) {
    for (all, other) in all.iter_mut().zip(others) {
        all.merge(other);
        all.normalise();
    }
}
