//! [`Plan`]: what every executor must know to turn samples into features and moments. It holds no samples.

use crate::{Error, Labels};
use std::sync::{Arc, Mutex, PoisonError};
use ternion::TernaryFeatures;

/// A fit of features, and for classes the labels.
///
/// As bytes it is the [fit](TernaryFeatures::to_bytes), some hundred bytes and 8 to 16 for each input since W is its
/// seed, followed by the [labels](Labels::to_bytes) if there are any. So the bytes of any fit are a plan.
///
/// ```
/// use datafusion::arrow::array::{ArrayRef, StringArray};
/// use std::sync::Arc;
/// use ternion::{Samples, TernaryFeatures};
/// use ternion_cluster::{Labels, Plan};
///
/// let x: Vec<f32> = (0..60).map(|k| (k * k % 17) as f32).collect();
/// let ternary = TernaryFeatures::params(4096).fit(&Samples::new(&x, 6).map_err(ternion::Error::from)?)?;
/// assert!(Plan::from_bytes(&ternary.to_bytes())?.labels().is_none());
///
/// let column: ArrayRef = Arc::new(StringArray::from(vec!["cat", "dog", "cat"]));
/// let plan = Plan::new(ternary, Some(Labels::of(&column)?));
/// let read = Plan::from_bytes(&plan.to_bytes())?;
/// assert_eq!(read.labels(), plan.labels());
/// # Ok::<(), ternion_cluster::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    ternary: TernaryFeatures,
    labels: Option<Labels>,
}

impl Plan {
    /// A plan from its parts.
    pub fn new(ternary: TernaryFeatures, labels: Option<Labels>) -> Self {
        Self { ternary, labels }
    }

    /// The map from samples to features.
    pub fn ternary(&self) -> &TernaryFeatures {
        &self.ternary
    }

    /// The labels of classes, if there are any.
    pub fn labels(&self) -> Option<&Labels> {
        self.labels.as_ref()
    }

    pub(crate) fn into_parts(self) -> (TernaryFeatures, Option<Labels>) {
        (self.ternary, self.labels)
    }

    /// The plan as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.ternary.to_bytes();
        bytes.extend(self.labels.iter().flat_map(Labels::to_bytes));
        bytes
    }

    /// Reads a plan.
    ///
    /// # Errors
    ///
    /// As [`TernaryFeatures::from_bytes`] and [`Labels::from_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        // The frame of everything that the library saves declares its length in bytes 8 to 15.
        let declared = bytes.get(8..16).and_then(|bytes| bytes.first_chunk());
        let length = declared.map_or(bytes.len(), |bytes| u64::from_le_bytes(*bytes) as usize);
        let (fit, labels) = bytes.split_at(length.min(bytes.len()));
        let ternary = TernaryFeatures::from_bytes(fit)?;
        let labels = (!labels.is_empty()).then(|| Labels::from_bytes(labels)).transpose()?;
        Ok(Self { ternary, labels })
    }
}

/// Plans or models that were read lately, by their bytes: every batch of a query brings the same ones, and to read one
/// generates W again.
#[derive(Debug)]
pub(crate) struct Cache<T>(Mutex<Vec<Cached<T>>>);

type Cached<T> = (Vec<u8>, Arc<T>);

/// As many as one query may use.
const MAX_CACHED: usize = 4;

impl<T> Cache<T> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// What the bytes hold, by `read` unless it was read before.
    pub(crate) fn get(
        &self,
        bytes: &[u8],
        read: impl FnOnce(&[u8]) -> Result<T, Error>,
    ) -> Result<Arc<T>, Error> {
        // Nothing can be half done in there, so what a panic left behind is as good as before.
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = cached.iter().find(|(known, _)| known == bytes) {
            return Ok(Arc::clone(found));
        }
        let found = Arc::new(read(bytes)?);
        cached.truncate(MAX_CACHED - 1);
        cached.insert(0, (bytes.to_vec(), Arc::clone(&found)));
        Ok(found)
    }
}
