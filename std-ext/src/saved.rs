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
//! All numbers are little-endian.

use ternion_core::model::crc32;
use thiserror::Error as ThisError;

/// The version of the format that is written and read.
const VERSION: u8 = 1;

const MAGIC: [u8; 4] = *b"TRNS";

/// Bytes before the object.
const HEADER: usize = 16;

/// Bytes after it.
const CHECKSUM: usize = 4;

/// What bytes hold.
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
    /// [`TargetMoments`](crate::learn::TargetMoments).
    TargetMoments = 8,
}

/// Why bytes were refused.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum SavedError {
    /// The bytes end too early.
    #[error("at least {needed} bytes are needed, found {found}")]
    Truncated {
        /// The fewest bytes there must be.
        needed: u64,
        /// The bytes there are.
        found: u64,
    },
    /// The bytes start with something else.
    #[error("saved objects start with the bytes TRNS, found {found:02x?}")]
    Magic {
        /// The first bytes.
        found: [u8; 4],
    },
    /// Another version of the format.
    #[error("this release reads version {expected} of the format, found {found}")]
    Version {
        /// The version that is read.
        expected: u8,
        /// The version of the bytes.
        found: u8,
    },
    /// Another kind of object.
    #[error("the bytes should hold {expected:?}, kind {}, found kind {found}", *expected as u8)]
    Kind {
        /// What was to be read.
        expected: Kind,
        /// The kind of the bytes.
        found: u8,
    },
    /// The bytes have another length than they say, in their header or by the sizes of the object.
    #[error("the sizes declare {expected} bytes, found {found}")]
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

    pub(crate) fn i64s(&mut self, numbers: impl IntoIterator<Item = i64>) {
        self.bytes.extend(numbers.into_iter().flat_map(i64::to_le_bytes));
    }

    pub(crate) fn f32s(&mut self, numbers: &[f32]) {
        self.bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
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
        let mut reader = Self { bytes: body, offset: 8 };
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
        numbers.as_chunks().0
    }

    pub(crate) fn i64s(&mut self, count: usize) -> Vec<i64> {
        self.numbers(count).iter().map(|number| i64::from_le_bytes(*number)).collect()
    }

    pub(crate) fn f32s(&mut self, count: usize) -> Vec<f32> {
        self.numbers(count).iter().map(|number| f32::from_le_bytes(*number)).collect()
    }

    /// Refuses the number that was read last.
    pub(crate) fn impossible(&self) -> SavedError {
        SavedError::Impossible { offset: self.offset - 8 }
    }
}
