//! [`Accumulator`]: sums that rows are added to, that travel as bytes, and that are merged, for the engine.

use crate::{Error, Labels};
use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::common::ScalarValue;
use datafusion::error::Result as EngineResult;
use datafusion::logical_expr::Accumulator as EngineAccumulator;
use std::fmt;
use ternion::fit::Statistics;
use ternion::learn::{Moments, TargetMoments};

/// Exact sums: merging them in any order gives the same ones.
pub(crate) trait Sums: Sized + Send + Sync + 'static {
    fn merge(&mut self, other: &Self) -> Result<(), Error>;

    fn to_bytes(&self) -> Vec<u8>;

    fn from_bytes(bytes: &[u8]) -> Result<Self, Error>;

    /// About the memory that they take.
    fn size(&self) -> usize;
}

/// What rows add to sums.
pub(crate) trait Addends: Send + Sync + 'static {
    type Sums: Sums;

    /// The sums of no rows, for batches like this one.
    fn zeros(&self, columns: &[ArrayRef]) -> Result<Self::Sums, Error>;

    /// Adds the rows of a batch, of which there is at least one.
    fn add(&self, sums: &mut Self::Sums, columns: &[ArrayRef]) -> Result<(), Error>;
}

/// The sums of the rows that one partition, or one group of rows, has seen.
///
/// Partitions without rows have no sums, and their state is null instead of megabytes of zeros.
pub(crate) struct Accumulator<A: Addends> {
    addends: A,
    sums: Option<A::Sums>,
}

impl<A: Addends> Accumulator<A> {
    pub(crate) fn new(addends: A) -> Self {
        Self { addends, sums: None }
    }
}

impl<A: Addends> fmt::Debug for Accumulator<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Accumulator").field("bytes", &self.size()).finish_non_exhaustive()
    }
}

impl<A: Addends> EngineAccumulator for Accumulator<A> {
    fn update_batch(&mut self, columns: &[ArrayRef]) -> EngineResult<()> {
        if columns.first().is_none_or(|column| column.is_empty()) {
            return Ok(());
        }
        let sums = match &mut self.sums {
            Some(sums) => sums,
            none => none.insert(self.addends.zeros(columns)?),
        };
        Ok(self.addends.add(sums, columns)?)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> EngineResult<()> {
        let states = states.iter().flat_map(|states| states.as_binary::<i64>().iter().flatten());
        for state in states {
            let other = A::Sums::from_bytes(state)?;
            match &mut self.sums {
                Some(sums) => sums.merge(&other)?,
                none => *none = Some(other),
            }
        }
        Ok(())
    }

    fn state(&mut self) -> EngineResult<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn evaluate(&mut self) -> EngineResult<ScalarValue> {
        Ok(ScalarValue::LargeBinary(self.sums.as_ref().map(Sums::to_bytes)))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.sums.as_ref().map_or(0, Sums::size)
    }
}

impl Sums for Labels {
    fn merge(&mut self, other: &Self) -> Result<(), Error> {
        Self::merge(self, other)
    }

    fn to_bytes(&self) -> Vec<u8> {
        Self::to_bytes(self)
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(bytes)
    }

    fn size(&self) -> usize {
        size_of::<String>() * self.count()
    }
}

/// What the library can merge, and about its size in bytes.
macro_rules! of_library {
    ($($of:ty, |$sums:ident| $size:expr;)*) => {$(
        impl Sums for $of {
            fn merge(&mut self, other: &Self) -> Result<(), Error> {
                Ok(<$of>::merge(self, other)?)
            }

            fn to_bytes(&self) -> Vec<u8> {
                <$of>::to_bytes(self)
            }

            fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
                Ok(<$of>::from_bytes(bytes)?)
            }

            fn size(&self) -> usize {
                let $sums = self;
                $size
            }
        }
    )*};
}

of_library! {
    Statistics, |sums| 232 * sums.inputs();
    Moments, |sums| 4 * sums.features() * (sums.features() + 1 + 2 * sums.classes());
    TargetMoments, |sums| 4 * sums.features() * (sums.features() + 1 + 20 * sums.outputs());
}
