//! W in the form that was asked for, and the one place where that form meets the kernels.

use crate::memory::storage;
use crate::{Error, Isa, dispatch};
use core::fmt;
use ternion_core::{
    Element, Error as CoreError, Grid, IndexLists, Line, Local, Projection, RowLanes, Samples,
    Seeded, Sparsity, Structured, Thresholds, TritMatrix, View, featurize, plane_words,
    scratch_lines,
};

/// From this share of zeros on, W is kept as lists of the non-zero weights instead of for lookup tables.
///
/// The time of tables does not depend on the zeros, that of lists is proportional to the other weights. In batches they
/// are equal at 0.71 with tables of five bits, and at 0.74 with those of four trits (512 × 10,000 × 512 on AVX2,
/// between measurements at 0.5, 2/3 and 0.9). For one sample the form of tables is faster, so lists must win clearly.
const INDEX_LISTS_FROM: f64 = 0.75;

/// What W is and how it is kept in memory.
///
/// ```
/// use ternion::{Form, Grid, Samples, TernaryFeatures};
///
/// let pictures: Vec<f32> = (0..50 * 64).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// let samples = Samples::new(&pictures, 64)?;
/// for form in [Form::Stored, Form::Structured, Form::Boxes(Grid::image(8, 8)), "subsets:2-5".parse()?] {
///     let ternary = TernaryFeatures::params(256).form(form).fit(&samples)?;
///     assert_eq!(ternary.transform(&samples)?.features(), 256);
/// }
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Form {
    /// I.i.d. trits in memory, laid out for speed: 2 bits per weight, or 1 if no weight is zero; from 75 % zeros on,
    /// lists of the non-zero weights, a byte each.
    #[default]
    Stored,
    /// The same trits as [`Stored`](Self::Stored), generated from the seed whenever they are needed: no memory.
    Seeded,
    /// Random signs and Walsh–Hadamard transforms: no memory, and by far the fastest. A feature costs log₂ p additions
    /// instead of p for p inputs. The features are not those of the other forms.
    Structured,
    /// The same transforms on boxes of an image or a series: every feature looks at one place. No memory. The target
    /// sets the shape of σ; the kernel is an average over parts of the sample.
    Boxes(#[cfg_attr(feature = "serde", serde(with = "crate::serialised::GridFields"))] Grid),
    /// The same transforms on a few inputs drawn at random, for tables: [`SUBSETS`](Self::SUBSETS) unless you know
    /// better. No memory; the kernel as for [`Boxes`](Self::Boxes).
    Subsets {
        /// The fewest inputs, at least 1.
        least: usize,
        /// The most inputs, at most 64.
        most: usize,
    },
}

impl Form {
    /// [`Subsets`](Self::Subsets) of 2 to 8 inputs.
    pub const SUBSETS: Self = Self::Subsets { least: 2, most: 8 };
}

/// W in one of the forms of [`ternion_core`].
#[derive(Clone, Debug)]
pub(crate) enum Weights {
    RowLanes(Seeded, RowLanes<Vec<Line>>),
    IndexLists(Seeded, IndexLists<Vec<u32>>),
    Seeded(Seeded),
    Structured(Structured),
    Local {
        local: Local,
        /// How many times larger the sums are than those of a dense ±1 W, on the data of the fit.
        gain: f64,
    },
}

/// The form by its name, the share of zeros where it can be chosen, and the seed.
impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RowLanes(..) | Self::IndexLists(..) => Form::Stored.fmt(f)?,
            Self::Seeded(_) => Form::Seeded.fmt(f)?,
            Self::Structured(_) => Form::Structured.fmt(f)?,
            Self::Local { local, .. } => match local.view() {
                View::Boxes(grid) => Form::Boxes(grid).fmt(f)?,
                View::Subsets { least, most } => Form::Subsets { least, most }.fmt(f)?,
                // No `Form` makes another view.
                _ => f.write_str("local")?,
            },
        }
        if self.seeded().is_some() {
            write!(f, ", {:.0} % zeros", 100.0 * self.sparsity())?;
        }
        write!(f, ", seed {}", self.seed())
    }
}

/// Evaluates an expression with whichever [`Projection`] the [`Weights`] hold.
macro_rules! match_weights {
    ($weights:expr, $w:ident => $work:expr) => {
        match $weights {
            Weights::RowLanes(_, $w) => $work,
            Weights::IndexLists(_, $w) => $work,
            Weights::Seeded($w) => $work,
            Weights::Structured($w) => $work,
            Weights::Local { local: $w, .. } => $work,
        }
    };
}

impl Weights {
    pub(crate) fn new(
        form: Form,
        seed: u64,
        sparsity: Sparsity,
        mean_squares: &[f64],
        features: usize,
    ) -> Result<Self, Error> {
        let inputs = mean_squares.len();
        let view = match form {
            Form::Structured => {
                return Ok(Self::Structured(Structured::new(seed, inputs, features)?));
            }
            Form::Boxes(grid) => Some(View::Boxes(grid)),
            Form::Subsets { least, most } => Some(View::Subsets { least, most }),
            Form::Stored | Form::Seeded => None,
        };
        if let Some(view) = view {
            let local = Local::new(seed, view, inputs, features)?;
            return Ok(Self::Local { local, gain: local.gain(mean_squares)? });
        }
        let seeded = Seeded::new(seed, sparsity, inputs, features)?;
        if form == Form::Seeded {
            return Ok(Self::Seeded(seeded));
        }
        let planes = planes(&seeded)?;
        Ok(if sparsity.probability() >= INDEX_LISTS_FROM {
            let words = storage(IndexLists::words(&planes), 0, features, inputs)?;
            Self::IndexLists(seeded, IndexLists::new(&planes, words)?)
        } else {
            let lines = storage(RowLanes::lines(&planes), Line::ZERO, features, inputs)?;
            Self::RowLanes(seeded, RowLanes::new(&planes, lines)?)
        })
    }

    /// σ(W·x) of some samples on an instruction set. The scratch grows to what the kernel needs.
    pub(crate) fn featurize<T: Element, O: AsRef<[u64]> + AsMut<[u64]>>(
        &self,
        isa: Isa,
        thresholds: &Thresholds,
        samples: &Samples<'_, T>,
        scratch: &mut Vec<Line>,
        out: &mut TritMatrix<O>,
    ) -> Result<(), CoreError> {
        match_weights!(self, w => {
            scratch.resize(scratch_lines(w, samples.len()), Line::ZERO);
            dispatch!(isa, simd => featurize(simd, w, thresholds, samples, scratch, out))
        })
    }

    /// Numbers in a sample.
    pub(crate) fn inputs(&self) -> usize {
        match_weights!(self, w => w.inputs())
    }

    /// Features of each sample.
    pub(crate) fn features(&self) -> usize {
        match_weights!(self, w => w.features())
    }

    /// The seed and the sizes of an i.i.d. W; `None` if W is structured or local.
    pub(crate) fn seeded(&self) -> Option<&Seeded> {
        match self {
            Self::RowLanes(seeded, _) | Self::IndexLists(seeded, _) | Self::Seeded(seeded) => {
                Some(seeded)
            }
            Self::Structured(_) | Self::Local { .. } => None,
        }
    }

    /// The seed.
    pub(crate) fn seed(&self) -> u64 {
        match self {
            Self::RowLanes(seeded, _) | Self::IndexLists(seeded, _) | Self::Seeded(seeded) => {
                seeded.seed()
            }
            Self::Structured(structured) => structured.seed(),
            Self::Local { local, .. } => local.seed(),
        }
    }

    /// The probability of a zero weight.
    pub(crate) fn sparsity(&self) -> f64 {
        self.seeded().map_or(0.0, |seeded| seeded.sparsity().probability())
    }

    /// Standard deviation of the sums Σ±xₖ of samples of norm 1: the unit of the kernels' thresholds.
    pub(crate) fn gain(&self) -> f64 {
        match self {
            Self::Structured(structured) => structured.gain(),
            Self::Local { gain, .. } => *gain,
            _ => (1.0 - self.sparsity()).sqrt(),
        }
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::RowLanes(_, lanes) => lanes.bytes(),
            Self::IndexLists(_, lists) => lists.bytes(),
            Self::Seeded(_) | Self::Structured(_) | Self::Local { .. } => 0,
        }
    }
}

/// The planes of an i.i.d. W.
pub(crate) fn planes(seeded: &Seeded) -> Result<TritMatrix<Vec<u64>>, Error> {
    let (rows, cols) = (seeded.features(), seeded.inputs());
    let words = plane_words(rows, cols)?;
    let plane = || storage(words, 0, rows, cols);
    let mut planes = TritMatrix::zeroed(rows, cols, plane()?, plane()?)?;
    seeded.fill(&mut planes)?;
    Ok(planes)
}
