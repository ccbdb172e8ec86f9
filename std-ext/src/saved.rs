//! The frame of everything that is saved as bytes, and [`SavedError`]: what is refused when it is read.
//!
//! | bytes | contents |
//! |---|---|
//! | 4 | `TRNS` |
//! | 1 | the version of the format, 1 |
//! | 1 | the kind of object |
//! | 2 | zero |
//! | 8 | the length of everything in bytes |
//! | … | the object, as its type documents |
//! | 4 | the CRC-32 of all bytes before it |
//!
//! All numbers are little-endian. The objects are those of [`Kind`], each with `to_bytes` and `from_bytes`. What is read is
//! checked before memory is asked for, and computes the same as what was saved, bit for bit.
//!
//! # With serde
//!
//! With the feature `serde` these objects serialise as the same bytes, checked in the same way; formats without bytes,
//! such as JSON, write them as a sequence of numbers. Parameters, reports and warnings serialise as their fields, targets
//! and policies as the names that they print, and a target that is a closure is refused. A report of an even target has
//! infinite numbers, which JSON cannot hold.
//!
//! ```ignore
//! let params = serde_json::to_string(&TernaryFeatures::params(512).seed(7))?;
//! let ternary = serde_json::from_str::<Params>(&params)?.fit(&samples)?;
//! let bytes = bincode::serialize(&ternary)?; // TernaryFeatures
//! ```

use crate::checksum::crc32;
use thiserror::Error as ThisError;

/// The version of the format that is written and read.
const VERSION: u8 = 1;

const MAGIC: [u8; 4] = *b"TRNS";

/// Bytes before the object.
const HEADER: usize = 16;

/// Bytes after it.
const CHECKSUM: usize = 4;

/// What bytes hold.
///
/// ```
/// use ternion::fit::Statistics;
/// use ternion::learn::LinearModel;
/// use ternion::saved::{Kind, SavedError};
///
/// let bytes = Statistics::new(2)?.to_bytes();
/// let refused = LinearModel::from_bytes(&bytes).unwrap_err();
/// let (expected, found) = (Kind::LinearModel, Kind::Statistics as u8);
/// assert_eq!(refused, SavedError::Kind { expected, found }.into());
/// assert_eq!(refused.to_string(), "the bytes should hold LinearModel, but hold Statistics: load that");
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[repr(u8)]
pub enum Kind {
    /// [`Moments`](crate::learn::Moments).
    Moments = 1,
    /// [`Statistics`](crate::fit::Statistics).
    Statistics = 2,
    /// A [`LinearModel`](crate::learn::LinearModel).
    LinearModel = 3,
    /// [`TernaryFeatures`](crate::TernaryFeatures).
    TernaryFeatures = 4,
    /// A [`Classifier`](crate::learn::Classifier).
    Classifier = 5,
    /// A [`KernelModel`](crate::learn::KernelModel).
    KernelModel = 6,
    /// A [`TernaryClassifier`](crate::learn::TernaryClassifier).
    TernaryClassifier = 7,
    /// A [`TernaryRegressor`](crate::learn::TernaryRegressor).
    TernaryRegressor = 8,
    /// [`TargetMoments`](crate::learn::TargetMoments).
    TargetMoments = 9,
}

impl Kind {
    const ALL: [Self; 9] = [
        Self::Moments,
        Self::Statistics,
        Self::LinearModel,
        Self::TernaryFeatures,
        Self::Classifier,
        Self::KernelModel,
        Self::TernaryClassifier,
        Self::TernaryRegressor,
        Self::TargetMoments,
    ];

    /// The name of a kind in bytes.
    fn name(found: u8) -> String {
        match Self::ALL.iter().find(|kind| **kind as u8 == found) {
            Some(kind) => format!("{kind:?}"),
            None => format!("kind {found} of a later release"),
        }
    }
}

/// Why bytes were refused.
///
/// ```
/// use ternion::fit::Statistics;
/// use ternion::saved::SavedError;
///
/// let bytes = Statistics::new(2)?.to_bytes();
/// let refused = Statistics::from_bytes(&bytes[..bytes.len() - 1]).unwrap_err();
/// let (needed, found) = (bytes.len() as u64, bytes.len() as u64 - 1);
/// assert_eq!(refused, SavedError::Truncated { needed, found }.into());
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum SavedError {
    /// The bytes end too early.
    #[error("at least {needed} bytes are needed, found {found}: the copy is incomplete")]
    Truncated {
        /// The fewest bytes there must be.
        needed: u64,
        /// The bytes there are.
        found: u64,
    },
    /// The bytes start with something else.
    #[error("saved objects start with the bytes TRNS, found \"{}\" (TRNM is an exported model: ternion_core::Model reads it)",
        found.escape_ascii())]
    Magic {
        /// The first bytes.
        found: [u8; 4],
    },
    /// Another version of the format.
    #[error(
        "this release reads version {expected} of the format, found {found}: load it with the release that saved it"
    )]
    Version {
        /// The version that is read.
        expected: u8,
        /// The version of the bytes.
        found: u8,
    },
    /// Another kind of object.
    #[error("the bytes should hold {expected:?}, but hold {}: load that", Kind::name(*found))]
    Kind {
        /// What was to be read.
        expected: Kind,
        /// The kind of the bytes.
        found: u8,
    },
    /// The bytes have another length than they say, in their header or by the sizes of the object.
    #[error(
        "the sizes declare {expected} bytes, found {found}: the copy is incomplete, or something follows it"
    )]
    Length {
        /// The declared length.
        expected: u64,
        /// The bytes there are.
        found: u64,
    },
    /// The bytes were changed after they were written.
    #[error("the bytes have the CRC-32 {expected:08x} but end with {found:08x}: save them again")]
    Checksum {
        /// The CRC-32 of the bytes.
        expected: u32,
        /// The CRC-32 that they end with.
        found: u32,
    },
    /// A number that no object of this kind has.
    #[error("a number up to byte {offset} is impossible: save the object again")]
    Impossible {
        /// Where it is, or the last of the numbers that it is among.
        offset: usize,
    },
    /// A fit would give other features than the one that was saved.
    #[error(
        "the bytes are of the fit {expected:016x} but make the fit {found:016x}: \
         load them with the release that saved them, or fit again"
    )]
    Fingerprint {
        /// The fingerprint of the fit that was saved.
        expected: u64,
        /// The fingerprint of the fit that the bytes make.
        found: u64,
    },
    /// A label that is no label of this type, or not above the one before.
    #[error(
        "the label of class {class}, \"{label}\", is not one of this type: load the type that was saved"
    )]
    Label {
        /// Its class.
        class: usize,
        /// Its text.
        label: String,
    },
}

/// Bytes of each sum of trits over so many samples, which is at most as large as their number.
pub(crate) fn sum_bytes(samples: u64) -> usize {
    if samples <= i32::MAX as u64 { 4 } else { 8 }
}

/// Writes an object into a frame.
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn new(kind: Kind) -> Self {
        let mut bytes = Vec::from(MAGIC);
        bytes.extend([VERSION, kind as u8, 0, 0]);
        bytes.extend([0; 8]);
        Self { bytes }
    }

    pub(crate) fn u64(&mut self, number: u64) {
        self.bytes.extend(number.to_le_bytes());
    }

    pub(crate) fn u64s(&mut self, numbers: impl IntoIterator<Item = u64>) {
        self.bytes.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
    }

    pub(crate) fn i64s(&mut self, numbers: impl IntoIterator<Item = i64>) {
        self.bytes.extend(numbers.into_iter().flat_map(i64::to_le_bytes));
    }

    /// Sums of trits over so many samples, of [`sum_bytes`] each.
    pub(crate) fn sums(&mut self, sums: &[i64], samples: u64) {
        if sum_bytes(samples) == 4 {
            self.bytes.extend(sums.iter().flat_map(|&sum| (sum as i32).to_le_bytes()));
        } else {
            self.i64s(sums.iter().copied());
        }
    }

    pub(crate) fn f32s(&mut self, numbers: &[f32]) {
        self.bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }

    pub(crate) fn f64s(&mut self, numbers: &[f64]) {
        self.bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }

    /// Bytes, after their number.
    pub(crate) fn block(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.bytes.extend(bytes);
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        let length = (self.bytes.len() + CHECKSUM) as u64;
        self.bytes[8..HEADER].copy_from_slice(&length.to_le_bytes());
        let checksum = crc32(&self.bytes);
        self.bytes.extend(checksum.to_le_bytes());
        self.bytes
    }
}

/// Reads an object from its frame.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
    /// Where the number is that was read last.
    last: usize,
}

impl<'a> Reader<'a> {
    /// Checks the frame.
    pub(crate) fn new(bytes: &'a [u8], kind: Kind) -> Result<Self, SavedError> {
        if let Some(&found) = bytes.first_chunk::<4>()
            && found != MAGIC
        {
            return Err(SavedError::Magic { found });
        }
        let (needed, found) = ((HEADER + CHECKSUM) as u64, bytes.len() as u64);
        let truncated = SavedError::Truncated { needed, found };
        let (body, checksum) = bytes.split_last_chunk::<CHECKSUM>().ok_or(truncated.clone())?;
        let header = body.first_chunk::<HEADER>().ok_or(truncated)?;
        let [_, _, _, _, version, of_kind, ..] = *header;
        if version != VERSION {
            return Err(SavedError::Version { expected: VERSION, found: version });
        }
        if of_kind != kind as u8 {
            return Err(SavedError::Kind { expected: kind, found: of_kind });
        }
        let mut reader = Self { bytes: body, offset: 8, last: 8 };
        let expected = reader.u64()?;
        if found < expected {
            return Err(SavedError::Truncated { needed: expected, found });
        }
        if found != expected {
            return Err(SavedError::Length { expected, found });
        }
        let (expected, found) = (crc32(reader.bytes), u32::from_le_bytes(*checksum));
        if found != expected {
            return Err(SavedError::Checksum { expected, found });
        }
        if header[6..8] != [0, 0] {
            return Err(SavedError::Impossible { offset: 6 });
        }
        Ok(reader)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, SavedError> {
        let (needed, found) = (self.offset as u64 + 8, self.bytes.len() as u64);
        let rest = self.bytes.get(self.offset..).and_then(|rest| rest.first_chunk());
        let number = rest.ok_or(SavedError::Truncated { needed, found })?;
        self.last = self.offset;
        self.offset += 8;
        Ok(u64::from_le_bytes(*number))
    }

    /// A number up to a bound.
    pub(crate) fn u64_up_to(&mut self, most: u64) -> Result<u64, SavedError> {
        let number = self.u64()?;
        if number <= most { Ok(number) } else { Err(self.impossible()) }
    }

    /// A size within bounds.
    pub(crate) fn size(&mut self, least: usize, most: usize) -> Result<usize, SavedError> {
        let offset = self.offset;
        let size = usize::try_from(self.u64()?).ok().filter(|size| (least..=most).contains(size));
        size.ok_or(SavedError::Impossible { offset })
    }

    pub(crate) fn f64(&mut self) -> Result<f64, SavedError> {
        self.u64().map(f64::from_bits)
    }

    /// A number that meets a condition.
    pub(crate) fn f64_if(&mut self, possible: impl Fn(f64) -> bool) -> Result<f64, SavedError> {
        let number = self.f64()?;
        if possible(number) { Ok(number) } else { Err(self.impossible()) }
    }

    /// Bytes, after their number.
    pub(crate) fn block(&mut self) -> Result<&'a [u8], SavedError> {
        let length = self.size(0, usize::MAX)?;
        let end = self.offset.checked_add(length);
        let block = end.and_then(|end| self.bytes.get(self.offset..end));
        let expected = (self.offset as u64).saturating_add(length as u64);
        let expected = expected.saturating_add(CHECKSUM as u64);
        let found = (self.bytes.len() + CHECKSUM) as u64;
        let block = block.ok_or(SavedError::Length { expected, found })?;
        self.offset += length;
        Ok(block)
    }

    /// Refuses anything after what was read.
    pub(crate) fn end(&self) -> Result<(), SavedError> {
        self.expect::<1>(Some(0))
    }

    /// Refuses anything but this many numbers of `BYTES` each after what was read: sizes are checked before memory is
    /// asked for. `None` stands for more than can be counted.
    pub(crate) fn expect<const BYTES: usize>(
        &self,
        numbers: Option<usize>,
    ) -> Result<(), SavedError> {
        let length =
            numbers.and_then(|numbers| numbers.checked_mul(BYTES)?.checked_add(self.offset));
        if length == Some(self.bytes.len()) {
            return Ok(());
        }
        let expected =
            length.map_or(u64::MAX, |length| (length as u64).saturating_add(CHECKSUM as u64));
        Err(SavedError::Length { expected, found: (self.bytes.len() + CHECKSUM) as u64 })
    }

    /// The next numbers, of those that are [expected](Self::expect).
    fn numbers<const BYTES: usize>(&mut self, count: usize) -> &'a [[u8; BYTES]] {
        let numbers = &self.bytes[self.offset..][..BYTES * count];
        self.offset += BYTES * count;
        self.last = self.offset - BYTES;
        numbers.as_chunks().0
    }

    pub(crate) fn i64s(&mut self, count: usize) -> Vec<i64> {
        self.numbers(count).iter().map(|number| i64::from_le_bytes(*number)).collect()
    }

    /// Sums of trits over so many samples, of [`sum_bytes`] each.
    pub(crate) fn sums(&mut self, count: usize, samples: u64) -> Vec<i64> {
        if sum_bytes(samples) == 4 {
            self.numbers(count).iter().map(|sum| i32::from_le_bytes(*sum).into()).collect()
        } else {
            self.i64s(count)
        }
    }

    pub(crate) fn f32s(&mut self, count: usize) -> Vec<f32> {
        self.numbers(count).iter().map(|number| f32::from_le_bytes(*number)).collect()
    }

    pub(crate) fn f64s(&mut self, count: usize) -> Vec<f64> {
        self.numbers(count).iter().map(|number| f64::from_le_bytes(*number)).collect()
    }

    /// Where the number is that was read last.
    pub(crate) fn last(&self) -> usize {
        self.last
    }

    /// Refuses the number that was read last.
    pub(crate) fn impossible(&self) -> SavedError {
        SavedError::Impossible { offset: self.last }
    }
}
