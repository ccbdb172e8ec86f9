//! [`Moments`]: what ridge needs to know of samples with classes, in integers that can be added and merged.

use super::{MAX_CLASSES, classes::check_labels};
use crate::error::{MAX_SAMPLES, add_samples};
use crate::saved::{Kind, Reader, Writer};
use crate::{Error, Features, Matrix, TernaryFeatures, memory};
use ternion_core::{Error as CoreError, Size};

/// Sums over samples with class labels, from which [`Ridge::fit_moments`](super::Ridge::fit_moments) fits: for each
/// class the number of samples and the sum of their features, and for each pair of features the sum of their products.
///
/// Features are trits, so all of them are integers and exact: samples may come in chunks of any size and order, on any
/// number of machines whose moments are [merged](Self::merge), and the model is the same bit for bit. Memory is
/// 4·m·(m + 1) bytes for m features, however many samples there are. Chunks of some thousands of samples are fast: each
/// takes a pass over these numbers.
///
/// ```
/// use ternion::learn::{Moments, Ridge};
/// use ternion::{Samples, TernaryFeatures};
///
/// let x: Vec<f32> = (0..900 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// let labels: Vec<usize> = x.chunks(8).map(|x| (x[0] > x[1]) as usize).collect();
/// let ternary = TernaryFeatures::params(256).fit(&Samples::new(&x, 8)?)?;
///
/// let mut moments = Moments::new(&ternary, 2)?;
/// for (x, labels) in x.chunks(300 * 8).zip(labels.chunks(300)) {
///     let mut shard = Moments::new(&ternary, 2)?; // on another machine
///     shard.add(&ternary.transform(&Samples::new(x, 8)?)?, labels)?;
///     moments.merge(&Moments::from_bytes(&shard.to_bytes())?)?;
/// }
/// let model = Ridge::default().fit_moments(&moments)?;
/// let all = ternary.transform(&Samples::new(&x, 8)?)?;
/// assert_eq!(model, Ridge::default().fit_classes(&all, &labels)?);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moments {
    /// The [fingerprint](TernaryFeatures::fingerprint) of the map; 0 if it is not known.
    map: u64,
    features: usize,
    /// Samples of each class.
    counts: Vec<i64>,
    /// The sum of the features of each class: a row per class.
    sums: Vec<i64>,
    /// The sums of products: the rows of the lower triangle, one after another.
    products: Vec<i64>,
}

impl Moments {
    /// No samples yet. The moments belong to the features of one fit and to labels below `classes`.
    ///
    /// # Errors
    ///
    /// [`Error::ClassCount`] for fewer than 2 classes or more than [`MAX_CLASSES`],
    /// [`SizeOverflow`](CoreError::SizeOverflow) if the sums do not fit in memory.
    pub fn new(ternary: &TernaryFeatures, classes: usize) -> Result<Self, Error> {
        Self::zeros(ternary.fingerprint(), ternary.features(), classes)
    }

    fn zeros(map: u64, features: usize, classes: usize) -> Result<Self, Error> {
        if !(2..=MAX_CLASSES).contains(&classes) {
            return Err(Error::ClassCount { found: classes, max: MAX_CLASSES });
        }
        let overflow = CoreError::SizeOverflow { rows: features, cols: features };
        let pairs = pairs(features).ok_or(overflow)?;
        Ok(Self {
            map,
            features,
            counts: vec![0; classes],
            sums: memory::zeros(classes, features)?,
            products: memory::storage(pairs, 0, features, features)?,
        })
    }

    /// The moments of one batch, whichever map its features are from.
    pub(super) fn of(features: &Features, labels: &[usize]) -> Result<Self, Error> {
        let classes = labels.iter().max().map_or(0, |label| label + 1);
        let mut moments = Self::zeros(0, features.features(), classes)?;
        moments.add(features, labels)?;
        Ok(moments)
    }

    /// Adds samples: their features and the class of each.
    ///
    /// # Errors
    ///
    /// [`SizeMismatch`](CoreError::SizeMismatch) for another number of features, [`Error::LabelCount`] unless there is
    /// a label for each sample, [`Error::TooManyClasses`] for a label that is not below the number of classes,
    /// [`Error::TooManySamples`] beyond 2⁵³ samples, [`SizeOverflow`](CoreError::SizeOverflow) if there is no memory
    /// for the products of the batch. Nothing is added then.
    pub fn add(&mut self, features: &Features, labels: &[usize]) -> Result<(), Error> {
        let (expected, found) = (self.features, features.features());
        if found != expected {
            return Err(CoreError::SizeMismatch { size: Size::Features, expected, found }.into());
        }
        if labels.len() != features.len() {
            return Err(Error::LabelCount { samples: features.len(), labels: labels.len() });
        }
        check_labels(labels, self.classes())?;
        add_samples(self.samples(), labels.len() as u64)?;
        let products: Matrix<i32> = features.second_moments()?;
        // A class after the other, of those that occur: the sum of the features of its samples.
        for class in 0..self.classes() {
            let count = labels.iter().filter(|&&label| label == class).count();
            if count > 0 {
                // Integers below 2⁵³, so nothing is rounded in any order.
                let is_of = |&label: &usize| if label == class { 1.0 } else { 0.0 };
                let sums =
                    features.transposed_matvec(&labels.iter().map(is_of).collect::<Vec<_>>())?;
                self.counts[class] += count as i64;
                let all = self.sums[class * self.features..].iter_mut();
                all.zip(sums).for_each(|(all, sum)| *all += sum as i64);
            }
        }
        let mut all = self.products.iter_mut();
        for (row, products) in products.iter_rows().enumerate() {
            all.by_ref().zip(&products[..=row]).for_each(|(all, sum)| *all += i64::from(*sum));
        }
        Ok(())
    }

    /// Adds all samples of other moments.
    ///
    /// # Errors
    ///
    /// [`Error::OtherMap`] if they are of another fit, [`SizeMismatch`](CoreError::SizeMismatch) for another number of
    /// features, [`Error::OtherClasses`] for another number of classes, [`Error::TooManySamples`] beyond 2⁵³ samples.
    /// Nothing is added then.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        let (expected, found) = (self.features, other.features);
        if found != expected {
            return Err(CoreError::SizeMismatch { size: Size::Features, expected, found }.into());
        }
        let (expected, found) = (self.classes(), other.classes());
        if found != expected {
            return Err(Error::OtherClasses { expected, found });
        }
        let (expected, found) = (self.map, other.map);
        if found != expected {
            return Err(Error::OtherMap { expected, found });
        }
        add_samples(self.samples(), other.samples())?;
        for (all, other) in [
            (&mut self.counts, &other.counts),
            (&mut self.sums, &other.sums),
            (&mut self.products, &other.products),
        ] {
            all.iter_mut().zip(other).for_each(|(all, sum)| *all += sum);
        }
        Ok(())
    }

    /// Samples added so far.
    pub fn samples(&self) -> u64 {
        self.counts.iter().sum::<i64>() as u64
    }

    /// Features of each sample.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The number of classes; labels are below it.
    pub fn classes(&self) -> usize {
        self.counts.len()
    }

    /// The moments as bytes: in the [frame](crate::saved) of everything that is saved the fingerprint of the map, the
    /// number of features, the number of classes, and then as 64-bit integers the samples of each class, the sums of
    /// each class, and the lower triangle of the products row by row.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(Kind::Moments);
        writer.u64(self.map);
        writer.u64(self.features as u64);
        writer.u64(self.classes() as u64);
        for numbers in [&self.counts, &self.sums, &self.products] {
            writer.i64s(numbers.iter().copied());
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
        let mut reader = Reader::new(bytes, Kind::Moments)?;
        let map = reader.u64()?;
        let features = reader.size(1, usize::MAX)?;
        let classes = reader.size(2, MAX_CLASSES)?;
        let sizes = (classes.checked_mul(features), pairs(features));
        let numbers = |(sums, products): (Option<usize>, Option<usize>)| {
            classes.checked_add(sums?)?.checked_add(products?)
        };
        reader.expect::<8>(numbers(sizes))?;
        let counts = reader.i64s(classes);
        let add = |sum: i64, &count: &i64| if count < 0 { None } else { sum.checked_add(count) };
        let samples = counts.iter().try_fold(0, add);
        let samples = samples.filter(|&samples| samples as u64 <= MAX_SAMPLES);
        let samples = samples.ok_or_else(|| reader.impossible())?;
        let sums = reader.i64s(classes * features);
        let mut per_class = sums.chunks_exact(features).zip(&counts);
        if !per_class.all(|(sums, &count)| sums.iter().all(|&sum| within(sum, count))) {
            return Err(reader.impossible().into());
        }
        let products = reader.i64s(features * (features + 1) / 2);
        if !products.iter().all(|&sum| within(sum, samples)) {
            return Err(reader.impossible().into());
        }
        Ok(Self { map, features, counts, sums, products })
    }

    /// Samples of each class.
    pub(super) fn counts(&self) -> &[i64] {
        &self.counts
    }

    /// The sum of the features of each class.
    pub(super) fn class_sums(&self) -> impl Iterator<Item = &[i64]> {
        self.sums.chunks_exact(self.features)
    }

    /// The sum of each feature.
    pub(super) fn totals(&self) -> Vec<i64> {
        let mut totals = vec![0; self.features];
        for sums in self.class_sums() {
            totals.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
        }
        totals
    }

    /// The rows of the lower triangle of the products.
    pub(super) fn product_rows(&self) -> impl Iterator<Item = &[i64]> {
        let start = |row: usize| row * (row + 1) / 2;
        (0..self.features).map(move |row| &self.products[start(row)..start(row + 1)])
    }
}

/// m·(m + 1)/2, if that many numbers can be counted.
fn pairs(features: usize) -> Option<usize> {
    Some(features.checked_mul(features.checked_add(1)?)? / 2)
}

/// Whether a sum of trits over some samples can have this value.
fn within(sum: i64, samples: i64) -> bool {
    sum.unsigned_abs() <= samples.unsigned_abs()
}
