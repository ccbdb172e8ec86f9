//! W as a fitted model keeps it.

use crate::Error;
use crate::parallel::storage;
use ternion_core::{
    Line, Listed, Projection, RowLanes, Seeded, Sparsity, Structured, TritMatrix, plane_words,
};

/// From this share of zeros on, lists of the others are faster than lookup tables.
const MOSTLY_ZEROS: f64 = 0.75;

/// What W is and how it is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// I.i.d. trits in memory: with rows side by side, 2 bits a weight (1 if none is zero); from
    /// 75 % zeros on as lists of the others, a byte each.
    #[default]
    Stored,
    /// The same trits as their seed: no memory, grown again whenever they are needed.
    Seeded,
    /// Random signs and Walsh–Hadamard transforms: no memory, and by far the fastest. Not the same
    /// features as the others; each needs log₂ of the inputs in adds instead of all of them.
    Structured,
}

/// W in the form asked for.
#[derive(Clone, Debug)]
pub(crate) enum Weights {
    Rows(Seeded, RowLanes<Vec<Line>>),
    Lists(Seeded, Listed<Vec<u32>>),
    Seeded(Seeded),
    Structured(Structured),
}

/// Something to do with whatever form W has.
pub(crate) trait Use {
    type Output;

    fn with<P: Projection>(self, projection: &P) -> Self::Output;
}

impl Weights {
    pub(crate) fn new(
        form: Form,
        seed: u64,
        sparsity: Sparsity,
        inputs: usize,
        features: usize,
    ) -> Result<Self, Error> {
        if form == Form::Structured {
            return Ok(Self::Structured(Structured::new(seed, inputs, features)?));
        }
        let seeded = Seeded::new(seed, sparsity, inputs, features)?;
        if form == Form::Seeded {
            return Ok(Self::Seeded(seeded));
        }
        let planes = planes(&seeded)?;
        Ok(if sparsity.probability() >= MOSTLY_ZEROS {
            Self::Lists(
                seeded,
                Listed::new(&planes, storage(Listed::words(&planes), 0, features, inputs)?)?,
            )
        } else {
            let lines = storage(RowLanes::lines(&planes), Line::ZERO, features, inputs)?;
            Self::Rows(seeded, RowLanes::new(&planes, lines)?)
        })
    }

    /// Hands W to a piece of work, in the form that is fastest.
    pub(crate) fn hand<U: Use>(&self, work: U) -> U::Output {
        match self {
            Self::Rows(_, rows) => work.with(rows),
            Self::Lists(_, lists) => work.with(lists),
            Self::Seeded(seeded) => work.with(seeded),
            Self::Structured(structured) => work.with(structured),
        }
    }

    /// W as a seed, unless it is structured.
    pub(crate) fn seeded(&self) -> Option<&Seeded> {
        match self {
            Self::Rows(seeded, _) | Self::Lists(seeded, _) | Self::Seeded(seeded) => Some(seeded),
            Self::Structured(_) => None,
        }
    }

    /// The probability of a zero weight.
    pub(crate) fn sparsity(&self) -> f64 {
        self.seeded().map_or(0.0, |seeded| seeded.sparsity().probability())
    }

    /// Standard deviation of a sum Σ±xₖ of samples of norm 1: what thresholds are measured in.
    pub(crate) fn gain(&self) -> f64 {
        match self {
            Self::Structured(structured) => structured.gain(),
            _ => (1.0 - self.sparsity()).sqrt(),
        }
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Rows(_, rows) => rows.bytes(),
            Self::Lists(_, lists) => lists.bytes(),
            Self::Seeded(_) | Self::Structured(_) => 0,
        }
    }
}

/// The planes of a W.
pub(crate) fn planes(seeded: &Seeded) -> Result<TritMatrix<Vec<u64>>, Error> {
    let (rows, cols) = (seeded.features(), seeded.inputs());
    let words = plane_words(rows, cols)?;
    let plane = || storage(words, 0, rows, cols);
    let mut planes = TritMatrix::zeroed(rows, cols, plane()?, plane()?)?;
    seeded.fill(&mut planes)?;
    Ok(planes)
}
