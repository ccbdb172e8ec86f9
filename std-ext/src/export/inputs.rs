//! [`Inputs`]: from the numbers of a sample to those that W takes on a device, in 16 bits.

use super::ExportError;
use crate::Error;
use crate::fit::Preprocess;
use ternion_core::Error as CoreError;

/// The most bits by which a model shifts.
const MAX_SHIFT: u32 = 15;

/// How the numbers of inputs are scaled and centred, as in [`ternion_core::model`].
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    /// Inputs of a sample.
    pub(super) count: usize,
    pub(super) shift: u32,
    /// One per input, or none.
    pub(super) factors: Vec<u16>,
    /// One per input, or none.
    pub(super) mean: Vec<i16>,
    /// How many times larger the numbers that W takes are than those of the fit.
    pub(super) unit: f32,
}

/// The least and the largest number of an input in the training samples.
#[derive(Clone, Copy, Debug)]
struct Range {
    least: f64,
    most: f64,
    mean: f64,
}

impl Range {
    /// The largest distance from the mean, and from zero to the mean: both must fit in 16 bits.
    fn reach(&self, room: f64) -> f64 {
        let distance = (self.most - self.mean).max(self.mean - self.least);
        (room * distance).max(self.mean.abs())
    }
}

impl Inputs {
    /// For a fit and contiguous training samples.
    pub(super) fn new<T: Copy + Into<i16>>(
        preprocess: &Preprocess,
        count: usize,
        x: &[T],
    ) -> Result<Self, Error> {
        if x.is_empty() || !x.len().is_multiple_of(count) {
            return Err(CoreError::PartialSample { elements: count, found: x.len() }.into());
        }
        let centred = preprocess.mean();
        let mut ranges = vec![(i16::MAX, i16::MIN); count];
        for sample in x.chunks(count) {
            for (range, &number) in ranges.iter_mut().zip(sample) {
                let number: i16 = number.into();
                *range = (range.0.min(number), range.1.max(number));
            }
        }
        let ranges: Vec<Range> = ranges
            .into_iter()
            .enumerate()
            .map(|(input, (least, most))| Range {
                least: least.into(),
                most: most.into(),
                mean: centred.map_or(0.0, |mean| mean[input].into()),
            })
            .collect();
        let inputs = match preprocess.scale() {
            Some(scale) => Self::with_factors(scale, &ranges),
            None => Self::with_shift(&ranges),
        };
        let inputs = Self { mean: inputs.means(&ranges, centred.is_some()), ..inputs };
        // Also the training samples themselves: rounding may have taken the last number out of range.
        for (input, range) in ranges.iter().enumerate() {
            for end in [range.least, range.most] {
                if inputs.number(input, end as i16).is_none() {
                    let (mean, found) = (range.mean as f32, end as i16);
                    return Err(ExportError::Range { input, mean, found }.into());
                }
            }
        }
        Ok(inputs)
    }

    /// One shift for all inputs: the largest that leaves room.
    fn with_shift(ranges: &[Range]) -> Self {
        let fits = |shift: &u32| {
            let reach = |range: &Range| range.reach(2.0) * f64::from(1 << shift);
            ranges.iter().all(|range| reach(range) <= f64::from(i16::MAX))
        };
        // Without room if there is none.
        let shift = (0..=MAX_SHIFT).rev().find(fits).unwrap_or(0);
        let unit = (1_u32 << shift) as f32;
        Self { count: ranges.len(), shift, factors: Vec::new(), mean: Vec::new(), unit }
    }

    /// A factor for each input, as small as the input with the widest range in units of its deviation needs it.
    fn with_factors(scale: &[f32], ranges: &[Range]) -> Self {
        let per_unit = |(range, &scale): (&Range, &f32)| range.reach(2.0) * f64::from(scale);
        let widest = ranges.iter().zip(scale).map(per_unit).fold(0.0, f64::max);
        let steepest = scale.iter().fold(0.0, |most, &scale| f64::from(scale).max(most));
        // So that no factor exceeds 16 bits without a shift.
        let unit = (f64::from(i16::MAX) / widest).min(f64::from(u16::MAX) / steepest);
        let fits =
            |shift: &u32| steepest * unit * f64::from(1 << shift) < f64::from(u16::MAX) + 0.5;
        let shift = (0..=MAX_SHIFT).rev().find(fits).unwrap_or(0);
        let factor =
            |&scale: &f32| (f64::from(scale) * unit * f64::from(1 << shift)).round() as u16;
        let factors = scale.iter().map(factor).collect();
        Self { count: ranges.len(), shift, factors, mean: Vec::new(), unit: unit as f32 }
    }

    /// The means in the unit of the scaled inputs; none if the fit has none.
    fn means(&self, ranges: &[Range], centred: bool) -> Vec<i16> {
        let power = f64::from(1_u32 << self.shift);
        let mean = |(input, range): (usize, &Range)| match self.factors.get(input) {
            Some(&factor) => (range.mean * f64::from(factor) / power).round() as i16,
            None => (range.mean * power).round() as i16,
        };
        if centred { ranges.iter().enumerate().map(mean).collect() } else { Vec::new() }
    }

    /// Leaves the mean out. Returns what the unit must be divided by.
    pub(super) fn drop_mean(&mut self) -> f32 {
        self.mean.clear();
        if !self.factors.is_empty() {
            return 1.0;
        }
        // The shift kept its fraction.
        let before = self.unit;
        (self.shift, self.unit) = (0, 1.0);
        before
    }

    /// The number that W takes for a number of an input, if it fits in 16 bits.
    fn number(&self, input: usize, number: i16) -> Option<i16> {
        let number = i32::from(number);
        let scaled = match self.factors.get(input) {
            Some(&factor) => (number * i32::from(factor)) >> self.shift,
            None => number << self.shift,
        };
        i16::try_from(scaled - self.mean.get(input).map_or(0, |&mean| i32::from(mean))).ok()
    }

    /// The numbers that W takes for those of contiguous samples.
    pub(super) fn centre<T: Copy + Into<i16>>(&self, data: &[T]) -> Result<Vec<i16>, Error> {
        let mut numbers = Vec::with_capacity(data.len());
        for sample in data.chunks(self.count) {
            for (input, &number) in sample.iter().enumerate() {
                let found = number.into();
                let out_of_range = CoreError::OutOfRange { input, found };
                numbers.push(self.number(input, found).ok_or(out_of_range)?);
            }
        }
        Ok(numbers)
    }
}
