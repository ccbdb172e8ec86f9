//! W as a fitted model keeps it.

use crate::Error;
use ternion_core::{
    Projection as Form, Seeded, Sparsity, Structured, Tabled, TritMatrix, plane_words,
};

/// What W is and how it is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Projection {
    /// I.i.d. trits as two bitplanes: a quarter byte a weight.
    #[default]
    Stored,
    /// The same trits as their seed: no memory, grown again whenever they are needed.
    Regrown,
    /// Random signs and Walsh–Hadamard transforms: no memory, and by far the fastest. Not the same
    /// features as the others; each needs log₂ of the inputs in adds instead of all of them.
    Structured,
}

/// W in the form asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Weights {
    Stored(Seeded, TritMatrix<Vec<u64>>),
    Regrown(Seeded),
    Structured(Structured),
}

/// Something to do with whatever form W has.
pub(crate) trait Use {
    type Output;

    fn with<P: Form>(self, projection: &P) -> Self::Output;
}

impl Weights {
    pub(crate) fn new(
        projection: Projection,
        seed: u64,
        sparsity: Sparsity,
        inputs: usize,
        features: usize,
    ) -> Result<Self, Error> {
        if projection == Projection::Structured {
            return Ok(Self::Structured(Structured::new(seed, inputs, features)?));
        }
        let seeded = Seeded::new(seed, sparsity, inputs, features)?;
        if projection == Projection::Regrown {
            return Ok(Self::Regrown(seeded));
        }
        let words = plane_words(features, inputs)?;
        let mut planes = TritMatrix::zeroed(features, inputs, vec![0; words], vec![0; words])?;
        seeded.fill(&mut planes)?;
        Ok(Self::Stored(seeded, planes))
    }

    /// Hands W to a piece of work, in the form that is fastest.
    pub(crate) fn hand<U: Use>(&self, work: U) -> U::Output {
        match self {
            Self::Stored(_, planes) => work.with(&Tabled::new(planes)),
            Self::Regrown(seeded) => work.with(seeded),
            Self::Structured(structured) => work.with(structured),
        }
    }

    /// Standard deviation of a sum Σ±xₖ of samples of norm 1: what thresholds are measured in.
    pub(crate) fn gain(&self) -> f64 {
        match self {
            Self::Stored(seeded, _) | Self::Regrown(seeded) => {
                (1.0 - seeded.sparsity().probability()).sqrt()
            }
            Self::Structured(structured) => structured.gain(),
        }
    }

    /// The probability of a zero weight.
    pub(crate) fn sparsity(&self) -> f64 {
        match self {
            Self::Stored(seeded, _) | Self::Regrown(seeded) => seeded.sparsity().probability(),
            Self::Structured(_) => 0.0,
        }
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Stored(_, planes) => size_of_val(planes.sign()) + size_of_val(planes.mask()),
            Self::Regrown(_) | Self::Structured(_) => 0,
        }
    }
}
