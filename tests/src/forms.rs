//! The one list of the forms of W: the tests, the fuzz targets, the benches and `compare` take theirs from here.
//!
//! To add a form, add a variant to [`Form`] and build it in [`Forms`]. The compiler then asks for its name, and
//! everything that runs over the forms runs over the new one too. A form of core that is missing here fails
//! `tests/tests/lists.rs`.

use crate::data;
use crate::inputs::Reading;
use crate::oracle::{self, Sums};
use ternion_core::{
    Grid, IndexLists, Line, Local, Projection, RowLanes, Seeded, Sparsity, Structured, Thresholds,
    TritMatrix, View, scratch_lines,
};

/// An image if the inputs make a square one, else a series.
pub fn grid(inputs: usize) -> Grid {
    let side = inputs.isqrt();
    if side * side == inputs { Grid::image(side, side) } else { Grid::series(inputs) }
}

/// Every form that the parameters of a fit offer, for so many inputs. One that is missing here fails
/// `tests/tests/lists.rs` too.
pub fn of_fits(inputs: usize) -> [ternion::Form; 5] {
    use ternion::Form;
    [Form::Stored, Form::Seeded, Form::Structured, Form::Boxes(grid(inputs)), Form::SUBSETS]
}

/// The word for a form of a fit: as it prints, without sizes.
pub fn name_in_fits(form: ternion::Form) -> String {
    let name = form.to_string();
    name.split_once(':').map_or(name.as_str(), |(word, _)| word).to_owned()
}

/// W in one of its forms, ready to use.
#[derive(Clone, Debug)]
pub enum Form {
    /// Two bitplanes.
    Planes(TritMatrix<Vec<u64>>),
    /// Generated from the seed whenever it is needed.
    Seeded(Seeded),
    /// 32 rows side by side.
    RowLanes(RowLanes<Vec<Line>>),
    /// Lists of the inputs with non-zero weights.
    IndexLists(IndexLists<Vec<u32>>),
    /// Signs and Walsh–Hadamard transforms: another W than that of the other forms.
    Structured(Structured),
    /// Signs and short Walsh–Hadamard transforms of a few inputs: another W again.
    Local(Local),
}

/// Evaluates an expression with the [`Projection`] that a [`Form`] holds: `match_form!(form, w => w.inputs())`.
#[macro_export]
macro_rules! match_form {
    ($form:expr, $w:ident => $work:expr) => {
        match $form {
            $crate::forms::Form::Planes($w) => $work,
            $crate::forms::Form::Seeded($w) => $work,
            $crate::forms::Form::RowLanes($w) => $work,
            $crate::forms::Form::IndexLists($w) => $work,
            $crate::forms::Form::Structured($w) => $work,
            $crate::forms::Form::Local($w) => $work,
        }
    };
}

impl Form {
    /// The word for this form in test labels, bench ids and the tables of `compare`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Planes(_) => "planes",
            Self::Seeded(_) => "seeded",
            Self::RowLanes(_) => "row-lanes",
            Self::IndexLists(_) => "index-lists",
            Self::Structured(_) => "structured",
            Self::Local(w) => match w.view() {
                View::Boxes(_) => "boxes",
                _ => "subsets",
            },
        }
    }

    /// Numbers per sample.
    pub fn inputs(&self) -> usize {
        match_form!(self, w => w.inputs())
    }

    /// Features per sample.
    pub fn features(&self) -> usize {
        match_form!(self, w => w.features())
    }

    /// Lines of scratch that a batch needs.
    pub fn scratch_lines(&self, samples: usize) -> usize {
        match_form!(self, w => scratch_lines(w, samples))
    }
}

/// One W in all its forms, and what the oracle knows about it.
#[derive(Clone, Debug)]
pub struct Forms {
    forms: Vec<Form>,
    oracle: Oracle,
}

/// W as the oracle sees it.
#[derive(Clone, Debug)]
enum Oracle {
    /// Every weight, row by row.
    Trits(Vec<i8>),
    /// The page of structured weights says the rest.
    Structured { seed: u64, features: usize },
    /// The page of local weights says the rest.
    Local { seed: u64, view: View, features: usize },
}

impl Forms {
    /// Independent weights, zero with a probability of `sparsity`: every form of them.
    ///
    /// # Panics
    ///
    /// If no W can have these sizes.
    pub fn iid(seed: u64, sparsity: Sparsity, inputs: usize, features: usize) -> Self {
        let trits = oracle::w(seed, sparsity.bits(), features, inputs);
        let (sign, mask) = data::pack(&trits, inputs);
        let planes = TritMatrix::new(features, inputs, sign, mask).expect("packed trits");
        let seeded = Seeded::new(seed, sparsity, inputs, features).expect("sizes of a W");
        // Dirty storage: what a form does not write must not matter.
        let lines = data::dirty_scratch(RowLanes::lines(&planes));
        let row_lanes = RowLanes::new(&planes, lines).expect("enough storage");
        let words = vec![u32::MAX; IndexLists::words(&planes)];
        let index_lists = IndexLists::new(&planes, words).expect("enough storage");
        let forms = vec![
            Form::Planes(planes),
            Form::Seeded(seeded),
            Form::RowLanes(row_lanes),
            Form::IndexLists(index_lists),
        ];
        Self { forms, oracle: Oracle::Trits(trits) }
    }

    /// Structured weights: [`Form::Structured`] alone.
    ///
    /// # Panics
    ///
    /// If no W can have these sizes.
    pub fn structured(seed: u64, inputs: usize, features: usize) -> Self {
        let structured = Structured::new(seed, inputs, features).expect("sizes of a W");
        let oracle = Oracle::Structured { seed, features };
        Self { forms: vec![Form::Structured(structured)], oracle }
    }

    /// Local weights: [`Form::Local`] alone.
    ///
    /// # Panics
    ///
    /// If no W can have these sizes.
    pub fn local(seed: u64, view: View, inputs: usize, features: usize) -> Self {
        let local = Local::new(seed, view, inputs, features).expect("sizes of a W");
        Self { forms: vec![Form::Local(local)], oracle: Oracle::Local { seed, view, features } }
    }

    /// Every W that is made of transforms: structured, boxes (of [`grid`]) and subsets.
    ///
    /// # Panics
    ///
    /// If no W can have these sizes.
    pub fn transforms(seed: u64, inputs: usize, features: usize) -> [Self; 3] {
        [
            Self::structured(seed, inputs, features),
            Self::local(seed, View::Boxes(grid(inputs)), inputs, features),
            Self::local(seed, View::SUBSETS, inputs, features),
        ]
    }

    /// The forms, which all stand for the same W.
    pub fn iter(&self) -> std::slice::Iter<'_, Form> {
        self.forms.iter()
    }

    /// Features per sample.
    pub fn features(&self) -> usize {
        self.forms[0].features()
    }

    /// W·x by the oracle.
    pub fn oracle_sums(&self, sample: &[i64]) -> Sums {
        match &self.oracle {
            Oracle::Trits(trits) => Sums::exact(oracle::project(trits, sample)),
            Oracle::Structured { seed, features } => {
                oracle::structured(*seed, *features, sample, None)
            }
            Oracle::Local { seed, view, features } => {
                oracle::local(*seed, *view, *features, sample, None)
            }
        }
    }

    /// The angles of a periodic σ by the oracle, for its factor F.
    fn oracle_angles(&self, sample: &[i64], factor: i64) -> Vec<i64> {
        match &self.oracle {
            Oracle::Trits(trits) => oracle::project(trits, &oracle::in_turns(sample, factor)),
            Oracle::Structured { seed, features } => {
                oracle::structured(*seed, *features, sample, Some(factor)).sums
            }
            Oracle::Local { seed, view, features } => {
                oracle::local(*seed, *view, *features, sample, Some(factor)).sums
            }
        }
    }

    /// σ(W·x) by the oracle. Takes the sums of a sample that was read, if they are at hand.
    pub fn oracle_trits(
        &self,
        (sample, unit): &Reading,
        sums: Option<&Sums>,
        thresholds: &Thresholds,
    ) -> Vec<i8> {
        let per_norm = thresholds.is_per_norm();
        let unit = if per_norm { oracle::norm(sample) } else { f64::from(*unit) };
        match (thresholds.period(), thresholds.phase_seed(), thresholds.values()) {
            (Some(period), Some(seed), _) => {
                let factor = oracle::factor(f64::from(period) * unit);
                oracle::periodic_trits(&self.oracle_angles(sample, factor), seed)
            }
            (_, _, values) => {
                let values = values.expect("thresholds that are not periodic have values");
                match sums {
                    Some(sums) => sums.trits(values, unit),
                    None => self.oracle_sums(sample).trits(values, unit),
                }
            }
        }
    }
}

impl<'a> IntoIterator for &'a Forms {
    type Item = &'a Form;
    type IntoIter = std::slice::Iter<'a, Form>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
