//! [`Moments`]: what ridge needs to know of samples with classes, in integers that can be added and merged.

use super::products::{Products, add_each, are_within, pairs};
use super::{MAX_CLASSES, classes::check_labels};
use crate::error::{MAX_SAMPLES, add_samples};
use crate::packed::second_moments;
use crate::saved::{Kind, Reader, SavedError, Writer, sum_bytes};
use crate::{Error, Features, Isa, TernaryFeatures, dispatch, memory};
use ternion_core::{Error as CoreError, Size, TritMatrix, dots, plane_words};

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
    products: Products,
    /// Samples of each class.
    counts: Vec<i64>,
    /// The sum of the features of each class: a row per class.
    sums: Vec<i64>,
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
        Ok(Self {
            products: Products::zeros(map, features)?,
            counts: vec![0; classes],
            sums: memory::zeros(classes, features)?,
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
    /// [`SizeMismatch`](CoreError::SizeMismatch) for another number of features, [`Error::OtherMap`] for features that
    /// another fit made, [`Error::LabelCount`] unless there is a label for each sample, [`Error::TooManyClasses`] for a label that is not below the number of classes,
    /// [`Error::TooManySamples`] beyond 2⁵³ samples, [`SizeOverflow`](CoreError::SizeOverflow) if there is no memory
    /// for the products of the batch. Nothing is added then.
    pub fn add(&mut self, features: &Features, labels: &[usize]) -> Result<(), Error> {
        let (expected, found) = (self.features(), features.features());
        if found != expected {
            return Err(CoreError::SizeMismatch { size: Size::Features, expected, found }.into());
        }
        self.products.check_map(features.map())?;
        if labels.len() != features.len() {
            return Err(Error::LabelCount { samples: features.len(), labels: labels.len() });
        }
        check_labels(labels, self.classes())?;
        add_samples(self.samples(), labels.len() as u64)?;
        let mut sums = memory::zeros::<i64>(self.classes(), self.features())?;
        let products = second_moments(features, |range, by_feature| {
            add_class_sums(features.isa(), by_feature, &labels[range], &mut sums)
        })?;
        labels.iter().for_each(|&label| self.counts[label] += 1);
        add_each(&mut self.sums, &sums);
        self.products.add(&products);
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
        let (expected, found) = (self.features(), other.features());
        if found != expected {
            return Err(CoreError::SizeMismatch { size: Size::Features, expected, found }.into());
        }
        let (expected, found) = (self.classes(), other.classes());
        if found != expected {
            return Err(Error::OtherClasses { expected, found });
        }
        self.products.check_map(Some(other.products.map))?;
        add_samples(self.samples(), other.samples())?;
        for (all, other) in [
            (&mut self.counts, &other.counts),
            (&mut self.sums, &other.sums),
            (&mut self.products.sums, &other.products.sums),
        ] {
            add_each(all, other);
        }
        Ok(())
    }

    /// Samples added so far.
    pub fn samples(&self) -> u64 {
        self.counts.iter().sum::<i64>() as u64
    }

    /// Features of each sample.
    pub fn features(&self) -> usize {
        self.products.features
    }

    /// The number of classes; labels are below it.
    pub fn classes(&self) -> usize {
        self.counts.len()
    }

    /// The moments as bytes: in the [frame](crate::saved) of everything that is saved the fingerprint of the map, the
    /// number of features, the number of classes, and the samples of each class; then the sums of each class and the
    /// lower triangle of the products row by row, as 32-bit integers up to 2³¹ − 1 samples and as 64-bit integers
    /// beyond. So 4096 features are 34 MB.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(Kind::Moments);
        writer.u64(self.products.map);
        writer.u64(self.features() as u64);
        writer.u64(self.classes() as u64);
        writer.i64s(self.counts.iter().copied());
        writer.sums(&self.sums, self.samples());
        writer.sums(&self.products.sums, self.samples());
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
        let counts = (0..classes).map(|_| Ok(reader.u64_up_to(MAX_SAMPLES)? as i64));
        let counts = counts.collect::<Result<Vec<_>, SavedError>>()?;
        let samples = counts.iter().try_fold(0_i64, |sum, &count| sum.checked_add(count));
        let samples = samples.map(|samples| samples as u64).filter(|&all| all <= MAX_SAMPLES);
        let samples = samples.ok_or_else(|| reader.impossible())?;
        let bytes = || {
            let sums = classes.checked_mul(features)?.checked_add(pairs(features)?)?;
            sums.checked_mul(sum_bytes(samples))
        };
        reader.expect::<1>(bytes())?;
        let sums = reader.sums(classes * features, samples);
        let mut per_class = sums.chunks_exact(features).zip(&counts);
        if !per_class.all(|(sums, &count)| are_within(sums, count)) {
            return Err(reader.impossible().into());
        }
        let products =
            Products { map, features, sums: reader.sums(features * (features + 1) / 2, samples) };
        let moments = Self { products, counts, sums };
        match moments.products.are_possible(samples as i64, &moments.totals()) {
            true => Ok(moments),
            false => Err(reader.impossible().into()),
        }
    }

    /// Samples of each class.
    pub(super) fn counts(&self) -> &[i64] {
        &self.counts
    }

    /// The sum of the features of each class.
    pub(super) fn class_sums(&self) -> impl Iterator<Item = &[i64]> {
        self.sums.chunks_exact(self.features())
    }

    /// The sum of each feature.
    pub(super) fn totals(&self) -> Vec<i64> {
        let mut totals = vec![0; self.features()];
        self.class_sums().for_each(|sums| add_each(&mut totals, sums));
        totals
    }

    /// The sums of products.
    pub(super) fn products(&self) -> &Products {
        &self.products
    }
}

/// Classes whose sums are computed together: what tells their samples apart takes little memory.
const GROUP_CLASSES: usize = 64;

/// Adds the sum of the features of each class: the products of the features, a row of samples each, with what tells the
/// samples of the class from the others.
fn add_class_sums(
    isa: Isa,
    by_feature: &TritMatrix<&[u64]>,
    labels: &[usize],
    sums: &mut [i64],
) -> Result<(), Error> {
    let features = by_feature.rows();
    for (group, sums) in sums.chunks_mut(GROUP_CLASSES * features).enumerate() {
        let (first, count) = (group * GROUP_CLASSES, sums.len() / features);
        let words = plane_words(count, labels.len())?;
        let sign = memory::storage(words, 0, count, labels.len())?;
        let mut mask = sign.clone();
        for (sample, &label) in labels.iter().enumerate() {
            if (first..first + count).contains(&label) {
                mask[(label - first) * (words / count) + sample / 64] |= 1_u64 << (sample % 64);
            }
        }
        if mask.iter().any(|&word| word != 0) {
            let is_of = TritMatrix::new(count, labels.len(), sign, mask)?;
            let mut some = memory::zeros(count, features)?;
            dispatch!(isa, simd => dots(simd, &is_of, by_feature, &mut some))?;
            sums.iter_mut().zip(some).for_each(|(sum, some)| *sum += i64::from(some));
        }
    }
    Ok(())
}
