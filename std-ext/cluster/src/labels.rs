//! [`Labels`]: the different labels of a column, in ascending order. The index of a label is its class.

use crate::Error;
use crate::samples::refuse_nulls;
use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Int64Type};
use ternion::learn::MAX_CLASSES;
use ternion::ternion_core::model::crc32;

/// The type to which the engine casts a column of labels: `Int64` or `Utf8`.
///
/// # Errors
///
/// [`Error::LabelType`] for anything but integers, booleans and text. Floating-point numbers are no labels: it is
/// rarely meant that each value is a class.
pub(crate) fn coerce(kind: &DataType) -> Result<DataType, Error> {
    match kind {
        DataType::Dictionary(_, values) => coerce(values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Boolean => {
            Ok(DataType::Utf8)
        }
        integer if integer.is_integer() => Ok(DataType::Int64),
        other => Err(Error::LabelType { found: other.to_string() }),
    }
}

/// Different labels in ascending order, those of integers by value.
///
/// ```
/// use datafusion::arrow::array::{ArrayRef, Int64Array};
/// use std::sync::Arc;
/// use ternion_cluster::Labels;
///
/// let column: ArrayRef = Arc::new(Int64Array::from(vec![10, 2, 2, 10, 7]));
/// let labels = Labels::of(&column)?;
/// assert_eq!(labels.texts(), ["2", "7", "10"]);
/// assert_eq!(Labels::from_bytes(&labels.to_bytes())?, labels);
/// # Ok::<(), ternion_cluster::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels(Kind);

/// Ascending, and all different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Integers(Vec<i64>),
    Texts(Vec<String>),
}

use Kind::{Integers, Texts};

impl Labels {
    /// The different labels of a column of type `Int64` or `Utf8`.
    ///
    /// # Errors
    ///
    /// [`Error::LabelType`] for a column of another type, [`Error::Null`] for a label that is null,
    /// [`Error::TooManyLabels`] for more than a classifier takes.
    pub fn of(column: &ArrayRef) -> Result<Self, Error> {
        refuse_nulls(column, "label")?;
        Self::checked(match column.data_type() {
            DataType::Int64 => {
                Integers(ascending(column.as_primitive::<Int64Type>().values().to_vec()))
            }
            DataType::Utf8 => {
                let texts = ascending(column.as_string::<i32>().iter().flatten().collect());
                Texts(texts.into_iter().map(String::from).collect())
            }
            other => return Err(Error::LabelType { found: other.to_string() }),
        })
    }

    /// Adds other labels.
    ///
    /// # Errors
    ///
    /// [`Error::OtherLabels`] if they are of another type, [`Error::TooManyLabels`] for more together than a classifier
    /// takes.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        let together = match (&self.0, &other.0) {
            (Integers(all), Integers(others)) => Integers(ascending([&all[..], others].concat())),
            (Texts(all), Texts(others)) => Texts(ascending([&all[..], others].concat())),
            (Integers(_), Texts(_)) => return Err(Error::INTEGERS_EXPECTED),
            (Texts(_), Integers(_)) => return Err(Error::TEXT_EXPECTED),
        };
        *self = Self::checked(together)?;
        Ok(())
    }

    fn checked(labels: Kind) -> Result<Self, Error> {
        let (labels, max) = (Self(labels), MAX_CLASSES);
        if labels.count() > max { Err(Error::TooManyLabels { max }) } else { Ok(labels) }
    }

    /// The number of labels.
    pub fn count(&self) -> usize {
        match &self.0 {
            Integers(labels) => labels.len(),
            Texts(labels) => labels.len(),
        }
    }

    /// Every label as text, ascending.
    pub fn texts(&self) -> Vec<String> {
        match &self.0 {
            Integers(labels) => labels.iter().map(i64::to_string).collect(),
            Texts(labels) => labels.clone(),
        }
    }

    pub(crate) fn into_kind(self) -> Kind {
        self.0
    }

    /// The class of each row of a column: the index of its label among these.
    ///
    /// # Errors
    ///
    /// [`Error::Null`] for a label that is null, [`Error::UnknownLabel`] for one that is not among these,
    /// [`Error::OtherLabels`] for a column of another type.
    pub fn classes(&self, column: &ArrayRef) -> Result<Vec<usize>, Error> {
        refuse_nulls(column, "label")?;
        match (&self.0, column.data_type()) {
            (Integers(labels), DataType::Int64) => {
                let column = column.as_primitive::<Int64Type>().values();
                find(column.iter(), labels.len(), |label| labels.binary_search(label))
            }
            (Texts(labels), DataType::Utf8) => {
                let column = column.as_string::<i32>().iter().flatten();
                find(column, labels.len(), |text| {
                    labels.binary_search_by(|label| label.as_str().cmp(text))
                })
            }
            (Integers(_), _) => Err(Error::INTEGERS_EXPECTED),
            (Texts(_), _) => Err(Error::TEXT_EXPECTED),
        }
    }

    /// The labels as bytes: 0 for integers or 1 for text, the length (64 bits) and the UTF-8 of each, and the CRC-32 of
    /// all that; little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![u8::from(matches!(self.0, Texts(_)))];
        for text in self.texts() {
            bytes.extend((text.len() as u64).to_le_bytes());
            bytes.extend(text.into_bytes());
        }
        let checksum = crc32(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    /// Reads labels that were saved.
    ///
    /// # Errors
    ///
    /// [`Error::Labels`] for bytes that are truncated or changed.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::read(bytes).filter(|labels| labels.to_bytes() == bytes).ok_or(Error::Labels)
    }

    /// What is read is written again as the same bytes, or it is refused: the order and the checksum need no other check.
    fn read(bytes: &[u8]) -> Option<Self> {
        let (&kind, mut rest) = bytes.split_last_chunk::<4>()?.0.split_first()?;
        let mut texts = Vec::new();
        while let Some((length, tail)) = rest.split_first_chunk::<8>() {
            let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
            let (text, tail) = tail.split_at_checked(length)?;
            texts.push(String::from_utf8(text.to_vec()).ok()?);
            rest = tail;
        }
        let labels = if kind == 0 {
            Integers(ascending(texts.iter().map(|text| text.parse().ok()).collect::<Option<_>>()?))
        } else {
            Texts(ascending(texts))
        };
        Self::checked(labels).ok()
    }
}

fn ascending<T: Ord>(mut labels: Vec<T>) -> Vec<T> {
    labels.sort();
    labels.dedup();
    labels
}

fn find<T: ToString>(
    column: impl Iterator<Item = T>,
    labels: usize,
    search: impl Fn(&T) -> Result<usize, usize>,
) -> Result<Vec<usize>, Error> {
    let class = |(row, label): (usize, T)| {
        search(&label).map_err(|_| Error::UnknownLabel { row, label: label.to_string(), labels })
    };
    column.enumerate().map(class).collect()
}
