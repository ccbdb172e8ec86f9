//! [`Budget`]: the smallest model that is good enough for a device, or the best one that fits it.

use super::{Bits, Core, DeviceCost, Export, ExportError, IntegerFeatures, Margin, Readout};
use crate::learn::{accuracy, class_count};
use crate::{Error, TernaryFeatures, memory};
use std::fmt;

/// The fewest features that are tried: a word.
const FEWEST: usize = 64;
/// The most features that are tried.
const MOST: usize = 1 << 15;
/// Bits per weight that are tried.
const BITS: [Bits; 3] = [Bits::One, Bits::Two, Bits::Three];
/// One sample in so many is held out to choose the model by.
const HELD_OUT: usize = 5;

/// What a device has room for, and how accurate a model has to be.
///
/// Models of 64 features on, each half as large again as the one before, with one to three bits per weight, are trained on
/// four fifths of the samples and scored on the others. The first one that is accurate enough, from the smallest flash on,
/// is trained again on all samples; without such a one, or without a wish, the most accurate one is.
///
/// ```
/// use ternion::export::{Budget, Core};
/// use ternion::{Form, Policy, Samples, TernaryFeatures};
///
/// let x: Vec<i8> = (0..8000_u32).map(|k| (k.wrapping_mul(0x9E37_79B9) >> 24) as i8).collect();
/// let labels: Vec<usize> = x.chunks(4).map(|x| (x[0] as i32 * x[1] as i32 > 0) as usize).collect();
/// let floats: Vec<f32> = x.iter().map(|&x| x.into()).collect();
/// let samples = Samples::new(&floats, 4)?;
/// let fit = |features| {
///     TernaryFeatures::params(features).policy(Policy::Periodic).form(Form::Structured).fit(&samples)
/// };
/// let budget = Budget::new(Core::M0).flash(2048).ram(1024).accuracy(0.9);
/// let found = budget.search(fit, &x, &labels, |point| println!("{point}"))?;
/// assert!(found.chosen.accuracy >= 0.9 && found.chosen.cost.flash <= 2048);
/// println!("{}", found.export.bytes().len());
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    core: Core,
    flash: usize,
    ram: usize,
    instructions: usize,
    accuracy: f64,
    margin: Margin,
}

/// A model that was tried. Prints as a row of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// Its features.
    pub features: usize,
    /// Bits per weight.
    pub bits: Bits,
    /// What it costs on the core of the budget.
    pub cost: DeviceCost,
    /// Its accuracy on the samples that were held out.
    pub accuracy: f64,
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DeviceCost { flash, ram, instructions } = self.cost;
        write!(
            f,
            "{:6} features, {} bits: {:.4}, {flash:6} bytes of flash, {ram:6} of RAM, {instructions:8} instructions",
            self.features,
            self.bits.count(),
            self.accuracy
        )
    }
}

/// What [`Budget::search`] found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The model, trained on all samples.
    pub export: Export,
    /// The one among those tried that it is.
    pub chosen: Tried,
    /// All that were tried, by the flash that they take.
    pub tried: Vec<Tried>,
}

impl Found {
    /// The models than which no smaller one was as accurate.
    pub fn frontier(&self) -> Vec<Tried> {
        let mut frontier: Vec<Tried> = Vec::new();
        for tried in &self.tried {
            if frontier.last().is_none_or(|last| last.accuracy < tried.accuracy) {
                frontier.push(*tried);
            }
        }
        frontier
    }
}

impl Budget {
    /// A budget without limits, for a core.
    pub fn new(core: Core) -> Self {
        Self {
            core,
            flash: usize::MAX,
            ram: usize::MAX,
            instructions: usize::MAX,
            accuracy: f64::INFINITY,
            margin: Margin::default(),
        }
    }

    /// At most so many bytes of code and model.
    #[must_use]
    pub fn flash(self, flash: usize) -> Self {
        Self { flash, ..self }
    }

    /// At most so many bytes of memory, a sample included.
    #[must_use]
    pub fn ram(self, ram: usize) -> Self {
        Self { ram, ..self }
    }

    /// At most so many instructions per prediction.
    #[must_use]
    pub fn instructions(self, instructions: usize) -> Self {
        Self { instructions, ..self }
    }

    /// The smallest model that is so accurate suffices.
    #[must_use]
    pub fn accuracy(self, accuracy: f64) -> Self {
        Self { accuracy, ..self }
    }

    /// How readouts are trained.
    #[must_use]
    pub fn margin(self, margin: Margin) -> Self {
        Self { margin, ..self }
    }

    /// Tries models of the features that `fit` gives for a number of them, on contiguous samples and their classes, and
    /// calls `progress` with each. A periodic σ goes without a mean.
    ///
    /// # Errors
    ///
    /// [`ExportError::Budget`] if not even the smallest model fits; those of `fit`, [`IntegerFeatures::new`] and
    /// [`Margin::fit`].
    pub fn search<T: Copy + Into<i16>>(
        &self,
        fit: impl Fn(usize) -> Result<TernaryFeatures, Error>,
        x: &[T],
        labels: &[usize],
        mut progress: impl FnMut(&Tried),
    ) -> Result<Found, Error> {
        let outputs = match class_count(labels)? {
            2 => 1,
            classes => classes,
        };
        let mut tried: Vec<Tried> = Vec::new();
        let mut features = FEWEST;
        while features <= MOST {
            let integer = self.integer(&fit, features, x)?;
            let mut any = false;
            let mut held = None;
            for bits in BITS {
                let cost = self.cost(&integer, outputs, bits)?;
                if !self.affords(&cost) {
                    continue;
                }
                any = true;
                let held = match &mut held {
                    Some(held) => held,
                    None => held.insert(Held::new(&integer, x, labels)?),
                };
                let readout = self.margin.fit(&held.features, &held.labels, bits)?;
                let accuracy = accuracy(&readout.predict(&held.test)?, &held.test_labels);
                let point = Tried { features, bits, cost, accuracy };
                progress(&point);
                tried.push(point);
            }
            let enough = tried.iter().any(|tried| tried.accuracy >= self.accuracy);
            if !any || enough {
                break;
            }
            features = (features * 3 / 2).next_multiple_of(FEWEST);
        }
        // Of those that take the same flash, the best first.
        tried.sort_by(|a, b| {
            a.cost.flash.cmp(&b.cost.flash).then(b.accuracy.total_cmp(&a.accuracy))
        });
        let best = tried.iter().map(|tried| tried.accuracy).fold(0.0, f64::max);
        let wanted = self.accuracy.min(best);
        let chosen = tried.iter().find(|tried| tried.accuracy >= wanted).copied();
        let Some(chosen) = chosen else {
            let smallest = self.integer(&fit, FEWEST, x)?;
            let DeviceCost { flash, ram, instructions } =
                self.cost(&smallest, outputs, Bits::One)?;
            return Err(ExportError::Budget { flash, ram, instructions }.into());
        };
        let integer = self.integer(&fit, chosen.features, x)?;
        let readout = self.margin.fit(&integer.transform(x)?, labels, chosen.bits)?;
        Ok(Found { export: Export::new(&integer, &readout)?, chosen, tried })
    }

    fn integer<T: Copy + Into<i16>>(
        &self,
        fit: impl Fn(usize) -> Result<TernaryFeatures, Error>,
        features: usize,
        x: &[T],
    ) -> Result<IntegerFeatures, Error> {
        let fitted = fit(features)?;
        let periodic = fitted.thresholds().period().is_some();
        let integer = IntegerFeatures::new(&fitted, x)?;
        if periodic { integer.without_mean() } else { Ok(integer) }
    }

    /// What a model will cost: that does not depend on its weights.
    fn cost(
        &self,
        integer: &IntegerFeatures,
        outputs: usize,
        bits: Bits,
    ) -> Result<DeviceCost, Error> {
        let features = integer.features();
        let (levels, zeros) =
            (memory::storage(outputs * features, 1, outputs, features)?, vec![0.0; outputs]);
        let readout = Readout::in_integers(features, levels, &zeros, &zeros, bits, false)?;
        Ok(Export::new(integer, &readout)?.cost(self.core)?)
    }

    fn affords(&self, cost: &DeviceCost) -> bool {
        let DeviceCost { flash, ram, instructions } = *cost;
        flash <= self.flash && ram <= self.ram && instructions <= self.instructions
    }
}

/// Features to train on, and those that are held out.
struct Held {
    features: crate::Features,
    labels: Vec<usize>,
    test: crate::Features,
    test_labels: Vec<usize>,
}

impl Held {
    fn new<T: Copy + Into<i16>>(
        integer: &IntegerFeatures,
        x: &[T],
        labels: &[usize],
    ) -> Result<Self, Error> {
        let part = |held: bool| {
            let chosen = move |sample: usize| (sample % HELD_OUT == HELD_OUT - 1) == held;
            let samples = x.chunks(integer.inputs()).enumerate();
            let samples = samples.filter(|(sample, _)| chosen(*sample));
            let samples: Vec<T> = samples.flat_map(|(_, numbers)| numbers).copied().collect();
            let labels = labels.iter().enumerate().filter(|(sample, _)| chosen(*sample));
            (samples, labels.map(|(_, &label)| label).collect::<Vec<usize>>())
        };
        let ((fit, labels), (test, test_labels)) = (part(false), part(true));
        Ok(Self {
            features: integer.transform(&fit)?,
            labels,
            test: integer.transform(&test)?,
            test_labels,
        })
    }
}
