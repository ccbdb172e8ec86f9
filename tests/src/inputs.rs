//! The one list of the types of number that samples consist of: the tests, the fuzz targets, the benches and
//! `compare` take theirs from here.
//!
//! To add a type, implement [`Input`] for it and add it to [`InputType`] and the macros below. A type of core that is
//! missing here fails `tests/tests/lists.rs`.

use crate::data::Random;
use crate::forms::Form;
use crate::{match_form, oracle};
use bytemuck::Pod;
use std::fmt::Debug;
use ternion::{Isa, dispatch};
use ternion_core::{Element, Error, Line, Samples, Thresholds, TritMatrix, featurize, project};

/// The types of number, as values to loop over; [`match_input!`](crate::match_input) leads from a value to its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputType {
    /// `f32`, quantised to 16 bits.
    F32,
    /// `i16`.
    I16,
    /// `i8`.
    I8,
    /// `u64`, 64 packed bits each.
    Bits,
}

impl InputType {
    /// Every type.
    pub const ALL: [Self; 4] = [Self::F32, Self::I16, Self::I8, Self::Bits];
}

/// Evaluates an expression with `T` standing for an [`InputType`]: `match_input!(input, T => run::<T>())`.
#[macro_export]
macro_rules! match_input {
    ($input:expr, $T:ident => $work:expr) => {
        match $input {
            $crate::inputs::InputType::F32 => {
                type $T = f32;
                $work
            }
            $crate::inputs::InputType::I16 => {
                type $T = i16;
                $work
            }
            $crate::inputs::InputType::I8 => {
                type $T = i8;
                $work
            }
            $crate::inputs::InputType::Bits => {
                type $T = u64;
                $work
            }
        }
    };
}

/// A module with one test per type, each of which calls a generic function: types are tested in parallel.
#[macro_export]
macro_rules! test_every_input {
    ($module:ident, $run:ident) => {
        mod $module {
            #[test]
            fn f32() {
                super::$run::<f32>();
            }

            #[test]
            fn i16() {
                super::$run::<i16>();
            }

            #[test]
            fn i8() {
                super::$run::<i8>();
            }

            #[test]
            fn bits() {
                super::$run::<u64>();
            }
        }
    };
}

/// A sample as the oracle reads it: integers, and how many times larger than the sample's numbers they are.
pub type Reading = (Vec<i64>, f32);

/// Numbers given as whole multiples of it are exact in `f32`, and so are sums of many of them.
pub const GRID: f32 = 1.0 / 128.0;

/// A type of number that samples consist of, with all that tests and benches need to know about it.
pub trait Input: Element<Value: PartialEq + Debug> + Pod {
    /// The word for this type in test labels, bench ids and the tables of `compare`.
    const NAME: &'static str;

    /// A random batch that hits the edges of the type.
    fn batch(random: &mut Random, samples: usize, inputs: usize) -> Batch<Self>;

    /// Whole numbers as this type, for benches: `f32` in units of [`GRID`], `i8` a quarter of them, bits their signs.
    fn from_whole(whole: &[i16], inputs: usize) -> Vec<Self>;

    /// What the oracle reads in a sample; `None` if the sample must be refused.
    fn read(
        sample: &[Self],
        inputs: usize,
        mean: Option<&[f32]>,
        scale: Option<&[f32]>,
    ) -> Option<Reading>;

    /// What [`project`] gives for a sum of integers that were shifted to the right by some bits.
    fn expected(sum: i64, unit: f32, shift: i32) -> Self::Value;

    /// Samples with a mean and a scale, which only `f32` can have.
    fn prepared<'a>(
        samples: Samples<'a, Self>,
        _mean: Option<&'a [f32]>,
        _scale: Option<&'a [f32]>,
    ) -> Samples<'a, Self> {
        samples
    }

    /// [`project`] with any form on any ISA.
    ///
    /// # Errors
    ///
    /// Those of [`project`].
    fn project(
        isa: Isa,
        form: &Form,
        samples: &Samples<'_, Self>,
        scratch: &mut [Line],
        out: &mut [Self::Value],
    ) -> Result<(), Error>;

    /// [`featurize`] with any form on any ISA.
    ///
    /// # Errors
    ///
    /// Those of [`featurize`].
    fn featurize(
        isa: Isa,
        form: &Form,
        thresholds: &Thresholds,
        samples: &Samples<'_, Self>,
        scratch: &mut [Line],
        out: &mut TritMatrix<Vec<u64>>,
    ) -> Result<(), Error>;
}

/// The calls of the kernels, which are the same in every impl. They are not provided methods, so that all kernels are
/// compiled once, in this library, and not again in every test and bench.
macro_rules! kernels {
    () => {
        fn project(
            isa: Isa,
            form: &Form,
            samples: &Samples<'_, Self>,
            scratch: &mut [Line],
            out: &mut [Self::Value],
        ) -> Result<(), Error> {
            match_form!(form, w => dispatch!(isa, simd => project(simd, w, samples, scratch, out)))
        }

        fn featurize(
            isa: Isa,
            form: &Form,
            thresholds: &Thresholds,
            samples: &Samples<'_, Self>,
            scratch: &mut [Line],
            out: &mut TritMatrix<Vec<u64>>,
        ) -> Result<(), Error> {
            match_form!(form, w => {
                dispatch!(isa, simd => featurize(simd, w, thresholds, samples, scratch, out))
            })
        }
    };
}

/// A batch and how its samples are prepared.
#[derive(Clone, Debug)]
pub struct Batch<T> {
    /// The samples, each `stride` elements after the one before.
    pub data: Vec<T>,
    /// Elements from one sample to the next.
    pub stride: usize,
    /// Numbers per sample.
    pub inputs: usize,
    /// Subtracted from every sample.
    pub mean: Option<Vec<f32>>,
    /// Multiplies every sample, after the mean.
    pub scale: Option<Vec<f32>>,
}

impl<T: Input> Batch<T> {
    /// Samples one right after the other, taken as they are.
    pub fn new(data: Vec<T>, inputs: usize) -> Self {
        Self { data, stride: T::elements(inputs), inputs, mean: None, scale: None }
    }

    /// The batch as the kernels take it.
    ///
    /// # Panics
    ///
    /// If the data are not whole samples, or the mean or the scale has another length than a sample.
    pub fn samples(&self) -> Samples<'_, T> {
        let samples = self.data.len().div_ceil(self.stride);
        let samples = Samples::with_stride(&self.data, samples, self.inputs, self.stride);
        T::prepared(samples.expect("whole samples"), self.mean.as_deref(), self.scale.as_deref())
    }

    /// What the oracle reads in one sample; `None` if it must be refused.
    pub fn read(&self, sample: usize) -> Option<Reading> {
        let elements = &self.data[sample * self.stride..][..T::elements(self.inputs)];
        T::read(elements, self.inputs, self.mean.as_deref(), self.scale.as_deref())
    }

    /// What the oracle reads in every sample; `None` if one of them must be refused.
    pub fn read_all(&self) -> Option<Vec<Reading>> {
        (0..self.samples().len()).map(|sample| self.read(sample)).collect()
    }
}

/// A batch of integers in rows a little longer than needed.
fn integers<T: Input>(samples: usize, inputs: usize, mut number: impl FnMut() -> T) -> Batch<T> {
    let stride = inputs + 3;
    let data = (0..samples * stride).map(|_| number()).collect();
    Batch { stride, ..Batch::new(data, inputs) }
}

/// Integers are read as they are.
fn read_integers<T: Copy + Into<i64>>(sample: &[T]) -> Option<Reading> {
    Some((sample.iter().map(|&x| x.into()).collect(), 1.0))
}

impl Input for f32 {
    const NAME: &'static str = "f32";

    fn batch(random: &mut Random, samples: usize, inputs: usize) -> Batch<f32> {
        let stride = inputs + 5;
        let mut data: Vec<f32> =
            (0..samples * stride).map(|_| (random.normal() * 3.0) as f32).collect();
        // Tiny, huge, zero and spiky samples are samples too.
        for (row, sample) in data.chunks_mut(stride).enumerate() {
            match row % 7 {
                1 => sample.iter_mut().for_each(|x| *x *= 1e-42),
                2 => sample.iter_mut().for_each(|x| *x *= 1e33),
                3 => sample.fill(0.0),
                4 => sample[inputs / 2] = 1e6,
                _ => {}
            }
        }
        let some = |random: &mut Random| (0..inputs).map(|_| random.normal() as f32).collect();
        let mean: Option<Vec<f32>> = (random.below(2) == 0).then(|| some(random));
        let scale: Option<Vec<f32>> = (random.below(2) == 0).then(|| some(random));
        Batch { data, stride, inputs, mean, scale }
    }

    fn from_whole(whole: &[i16], _: usize) -> Vec<f32> {
        whole.iter().map(|&x| f32::from(x) * GRID).collect()
    }

    fn read(
        sample: &[f32],
        _: usize,
        mean: Option<&[f32]>,
        scale: Option<&[f32]>,
    ) -> Option<Reading> {
        let finite = sample.iter().enumerate().all(|(k, &x)| {
            let x = mean.map_or(x, |mean| x - mean[k]);
            scale.map_or(x, |scale| x * scale[k]).is_finite()
        });
        let reading = oracle::quantize(sample, mean, scale);
        // The sum of a block that overflows leaves no unit.
        (finite && reading.1 > 0.0).then_some(reading)
    }

    fn expected(sum: i64, unit: f32, shift: i32) -> f32 {
        (sum as f64 * 2.0_f64.powi(shift)) as f32 / unit
    }

    fn prepared<'a>(
        mut samples: Samples<'a, f32>,
        mean: Option<&'a [f32]>,
        scale: Option<&'a [f32]>,
    ) -> Samples<'a, f32> {
        if let Some(mean) = mean {
            samples = samples.centred(mean).expect("one mean per input");
        }
        if let Some(scale) = scale {
            samples = samples.scaled(scale).expect("one scale per input");
        }
        samples
    }

    kernels!();
}

impl Input for i16 {
    const NAME: &'static str = "i16";

    /// Full-scale numbers in some batches, so that both the narrow and the wide sums run.
    fn batch(random: &mut Random, samples: usize, inputs: usize) -> Batch<i16> {
        let shift = [0, 8][random.below(2)];
        integers(samples, inputs, || match random.below(40) {
            0 => i16::MIN >> shift,
            1 => i16::MAX >> shift,
            _ => random.bits() as i16 >> shift,
        })
    }

    fn from_whole(whole: &[i16], _: usize) -> Vec<i16> {
        whole.to_vec()
    }

    fn read(sample: &[i16], _: usize, _: Option<&[f32]>, _: Option<&[f32]>) -> Option<Reading> {
        read_integers(sample)
    }

    fn expected(sum: i64, _: f32, shift: i32) -> i32 {
        (sum as f64 * 2.0_f64.powi(shift) + 0.5).floor() as i32
    }

    kernels!();
}

impl Input for i8 {
    const NAME: &'static str = "i8";

    fn batch(random: &mut Random, samples: usize, inputs: usize) -> Batch<i8> {
        integers(samples, inputs, || random.bits() as i8)
    }

    fn from_whole(whole: &[i16], _: usize) -> Vec<i8> {
        whole.iter().map(|&x| (x / 4) as i8).collect()
    }

    fn read(sample: &[i8], _: usize, _: Option<&[f32]>, _: Option<&[f32]>) -> Option<Reading> {
        read_integers(sample)
    }

    fn expected(sum: i64, _: f32, shift: i32) -> i32 {
        (sum as f64 * 2.0_f64.powi(shift) + 0.5).floor() as i32
    }

    kernels!();
}

impl Input for u64 {
    const NAME: &'static str = "bits";

    /// Rows one word longer than needed, and that word dirty.
    fn batch(random: &mut Random, samples: usize, inputs: usize) -> Batch<u64> {
        let stride = inputs.div_ceil(64) + 1;
        let mut data = vec![u64::MAX; samples * stride];
        for row in data.chunks_mut(stride) {
            row[..stride - 1].fill(0);
            for k in 0..inputs {
                row[k / 64] |= (random.below(2) as u64) << (k % 64);
            }
        }
        Batch { stride, ..Batch::new(data, inputs) }
    }

    fn from_whole(whole: &[i16], inputs: usize) -> Vec<u64> {
        let word = |x: &[i16]| x.iter().rev().fold(0, |word, &x| word << 1 | u64::from(x > 0));
        whole.chunks(inputs).flat_map(|sample| sample.chunks(64).map(word)).collect()
    }

    fn read(
        sample: &[u64],
        inputs: usize,
        _: Option<&[f32]>,
        _: Option<&[f32]>,
    ) -> Option<Reading> {
        let bits = (0..64 * sample.len()).map(|k| (sample[k / 64] >> (k % 64) & 1) as i64);
        let mut bits: Vec<i64> = bits.collect();
        let clean = bits.split_off(inputs).iter().all(|&bit| bit == 0);
        clean.then_some((bits, 1.0))
    }

    fn expected(sum: i64, _: f32, shift: i32) -> i32 {
        (sum as f64 * 2.0_f64.powi(shift) + 0.5).floor() as i32
    }

    kernels!();
}
